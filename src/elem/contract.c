/* elem/contract.c -- dot and convolution, one element at a time: a loop over what is contracted.
 *
 * Laws: a product's operands are widened to the type of the sum, which is
 *     pred                both operands and the result are: or of and
 *     the result's        integers, wrapping (s64 when the result is no integer)
 *     f32                 floats up to f32; products are added by fused multiply-add
 *     f64, c64, c128      as soon as an operand or the result is that
 * and the sum is rounded once to the result's type. algorithm=dot_bf16_bf16_* and dot_f16_f16_* round f32 operands
 * first.
 *
 * What is concatenated along the innermost dimension that is contracted is walked in a loop for each piece, so that no
 * step asks in which of them it is. */
#ifndef XG_ELEM_CONTRACT_C
#define XG_ELEM_CONTRACT_C
#include "elem.h"

XG_FN xlagpu_type xg_contract_sum_type(const xg_inst *i) {
    xlagpu_type a = XG_OPERAND(i, 0)->shape->type, b = XG_OPERAND(i, 1)->shape->type, r = i->shape->type;
    int classes = xg_type_class(a) | xg_type_class(b);
    bool wide = xg_type_real(a) == XLAGPU_F64 || xg_type_real(b) == XLAGPU_F64 || xg_type_real(r) == XLAGPU_F64;
    if (classes & XGT_C) return wide ? XLAGPU_C128 : XLAGPU_C64;
    if (classes & XGT_F) return wide ? XLAGPU_F64 : XLAGPU_F32;
    if (classes == XGT_P && r == XLAGPU_PRED) return XLAGPU_PRED;
    return xg_type_class(r) == XGT_I ? r : XLAGPU_S64;
}

/* The type to which algorithm= rounds an operand; its own otherwise. */
XG_FN xlagpu_type xg_contract_rounding(const xg_inst *i, xlagpu_type t) {
    xg_str a = xg_attr_str(i, XG_A_algorithm);
    if (t != XLAGPU_F32) return t;
    if (xg_word_in("dot_bf16_bf16_f32 dot_bf16_bf16_bf16", a) >= 0) return XLAGPU_BF16;
    if (xg_word_in("dot_f16_f16_f32 dot_f16_f16_f16", a) >= 0) return XLAGPU_F16;
    return t;
}

/* Ten bits of the mantissa, as matrix units take f32 for tf32; NaN stays. */
XG_FN xg_kval *xg_contract_tf32(xg_kb *b, xg_kval *x) {
    xg_kval *bits = xg_kbitcast(b, x, XG_E_I32), *nan = xg_kcmpf_(b, XG_CF_UNO, x, x);
    bits = xg_k2_int(b, XG_K_OP_ANDI, bits, ~(int64_t)XG_TF32_DROPPED);
    return xg_kselect(b, nan, x, xg_kbitcast(b, bits, XG_E_F32));
}
XG_FN xg_elem xg_contract_round(xg_scope *s, const xg_inst *i, xg_elem x, xlagpu_type t) {
    if (!xg_inst_is_tf32(i)) return xg_elem_convert_to(s, x, t, xg_contract_rounding(i, t));
    x.v = xg_contract_tf32(&s->b, x.v);
    return x;
}

XG_FN void xg_contract_begin(xg_scope *s, xg_contract_site *d, const xg_inst *i, xg_kval *const *at) {
    uint32_t k;
    memset(d, 0, sizeof *d);
    d->i = i;
    d->sum = xg_contract_sum_type(i);
    d->rank = i->shape->rank;
    for (k = 0; k < 2; k++) {
        d->maps[k] = xg_indexing_operand(s->e->m->aff, i, k);
        d->types[k] = XG_OPERAND(i, k)->shape->type;
    }
    for (k = 0; k < d->rank; k++) d->vars[k] = at[k];
}

XG_FN xg_elem xg_contract_read(xg_scope *s, const xg_contract_site *d, uint32_t k) {
    xg_kval *idx[XG_RANK_MAX];
    xg_elem_apply(s, d->maps[k], d->vars, idx);
    return xg_elem_of(s, XG_OPERAND(d->i, k), idx);
}
XG_FN xg_elem xg_contract_take(xg_scope *s, const xg_contract_site *d, uint32_t k, xg_elem x) {
    x = xg_contract_round(s, d->i, x, d->types[k]);
    return xg_elem_convert_to(s, x, xg_contract_rounding(d->i, d->types[k]), d->sum);
}
XG_FN xg_elem xg_contract_factor(xg_scope *s, const xg_contract_site *d, uint32_t k) {
    return xg_contract_take(s, d, k, xg_contract_read(s, d, k));
}

XG_FN void xg_contract_add(xg_scope *s, const xg_contract_site *d, xg_elem x, xg_elem y, xg_elem *acc) {
    xg_kb *b = &s->b;
    switch (xg_type_class(d->sum)) {
    case XGT_P: acc->v = xg_k2(b, XG_K_OP_ORI, acc->v, xg_kandi(b, x.v, y.v)); break;
    case XGT_I: acc->v = xg_scalar_wrap(b, xg_kaddi(b, acc->v, xg_k2(b, XG_K_OP_MULI, x.v, y.v)), d->sum); break;
    case XGT_F: /* or two in a word */
        acc->v = xg_k3(b, acc->v->type->elem == XG_E_I64 ? XG_K_OP_FMAF2 : XG_K_OP_FMA, x.v, y.v, acc->v);
        break;
    default:
        acc->v = XG_KOP3(b, XG_K_OP_FMA, xg_k1(b, XG_K_OP_NEGF, x.im), y.im, XG_KOP3(b, XG_K_OP_FMA, x.v, y.v, acc->v));
        acc->im = xg_k3(b, XG_K_OP_FMA, x.im, y.v, xg_k3(b, XG_K_OP_FMA, x.v, y.im, acc->im));
        break;
    }
}

XG_FN xg_elem xg_contract_zero(xg_scope *s, xlagpu_type t) {
    xg_kelem e = xg_kelem_of(xg_type_real(t));
    xg_elem z = xg_elem_real(xg_kelem_is_float(e) ? xg_kconst_float(&s->b, e, 0) : xg_kconst_int(&s->b, e, 0));
    if (xg_type_class(t) == XGT_C) z.im = z.v;
    return z;
}
/* ---- pieces ---- */

/* The concatenate that an operand is, or is made of element by element; NULL: none is near. */
XG_FN const xg_inst *xg_contract_concatenate(const xg_inst *x, uint32_t depth) {
    uint32_t k;
    if (x->op == XG_CONCATENATE) return x;
    if (!depth || !(xg_op_flags(x->op) & XGF_EW)) return NULL;
    for (k = 0; k < x->n_operands; k++) {
        const xg_inst *found = xg_contract_concatenate(XG_OPERAND(x, k), depth - 1);
        if (found && found->shape->rank == x->shape->rank) return found;
    }
    return NULL;
}
/* The innermost loop goes over `count` elements: one piece, or those of operand 0 or 1 along this dimension of it. */
XG_FN void xg_contract_cut(xg_contract_site *d, int64_t count, const uint32_t *dims) {
    const xg_inst *c;
    uint32_t k, j;
    d->n_pieces = 1;
    d->cuts[0] = 0;
    d->cuts[1] = count;
    for (k = 0; k < 2; k++) {
        c = xg_contract_concatenate(XG_OPERAND(d->i, k), XG_CONTRACT_CHAIN_MAX);
        if (!c || c->n_operands > XG_CONTRACT_PIECES_MAX || xg_attr_dims(c).p[0] != (int64_t)dims[k] ||
            c->shape->dims[dims[k]] != count)
            continue;
        d->n_pieces = c->n_operands;
        for (j = 0; j < c->n_operands; j++) d->cuts[j + 1] = d->cuts[j] + XG_OPERAND(c, j)->shape->dims[dims[k]];
        return;
    }
}
XG_FN void xg_contract_pieces(xg_scope *s, xg_contract_site *d, xg_carry_fn body, xg_elem *acc) {
    uint32_t k;
    for (k = 0; k < d->n_pieces; k++) {
        int64_t count = d->cuts[k + 1] - d->cuts[k];
        d->from = d->cuts[k];
        xg_elem_nest(s, &count, 1, body, d, acc, 1);
    }
}
/* The place of the innermost loop's variable among all elements. */
XG_FN xg_kval *xg_contract_place(xg_scope *s, const xg_contract_site *d, xg_kval *at) {
    return d->from ? xg_kaddi_int(&s->b, at, d->from) : at;
}

/* The sum as the result's type. */
XG_FN xg_elem xg_contract_end(xg_scope *s, const xg_contract_site *d, xg_elem acc) {
    return xg_elem_convert_to(s, acc, d->sum, d->i->shape->type);
}

/* ---- dot ---- */

XG_FN void xg_dot_step(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    xg_elem x, y;
    if (d->n) d->vars[d->rank + d->n - 1] = xg_contract_place(s, d, at[0]);
    x = xg_contract_factor(s, d, 0);
    y = xg_contract_factor(s, d, 1);
    xg_contract_add(s, d, x, y, acc);
}
XG_FN void xg_dot_inner(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    uint32_t k;
    for (k = 0; k + 1 < d->n; k++) d->vars[d->rank + k] = at[k];
    xg_contract_pieces(s, d, xg_dot_step, acc);
}

XG_FN void xg_dot_sum(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    xg_ints dims[2];
    uint32_t last[2], k;
    (void)at;
    dims[0] = xg_attr_ints(d->i, XG_A_lhs_contracting_dims);
    dims[1] = xg_attr_ints(d->i, XG_A_rhs_contracting_dims);
    d->n = dims[0].n;
    for (k = 0; k < d->n; k++) d->counts[k] = XG_OPERAND(d->i, 0)->shape->dims[dims[0].p[k]];
    if (!d->n) {
        xg_dot_step(s, d, NULL, acc);
        return;
    }
    for (k = 0; k < 2; k++) last[k] = (uint32_t)dims[k].p[d->n - 1];
    xg_contract_cut(d, d->counts[d->n - 1], last);
    xg_elem_nest(s, d->counts, d->n - 1, xg_dot_inner, d, acc, 1);
}
XG_FN xg_elem xg_elem_dot(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_contract_site d;
    xg_elem acc;
    xg_contract_begin(s, &d, i, at);
    acc = xg_contract_zero(s, d.sum);
    xg_dot_sum(s, &d, NULL, &acc);
    return xg_contract_end(s, &d, acc);
}

/* ---- ragged-dot ---- */

XG_FN bool xg_ragged_sums(const xg_inst *i, uint32_t *which) {
    return xg_ints_at(xg_attr_ints(i, XG_A_lhs_contracting_dims), xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0], which);
}
XG_FN uint32_t xg_ragged_dim(const xg_inst *i) {
    xg_ints summed = xg_attr_ints(i, XG_A_lhs_contracting_dims), batch = xg_attr_ints(i, XG_A_lhs_batch_dims);
    int64_t dim = xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0], k;
    uint32_t n = batch.n;
    for (k = 0; k < dim; k++) n += !xg_ints_has(summed, k) && !xg_ints_has(batch, k);
    return n;
}
XG_FN int64_t xg_ragged_groups(const xg_inst *i) {
    const xg_shape *sizes = XG_OPERAND(i, 2)->shape;
    return sizes->dims[sizes->rank - 1];
}
/* One group after the other, the rows behind them as the last one: the tile is of the last group that begins with no
 * tile behind it. */
XG_FN xg_ragged_tile xg_ragged_find(
    xg_scope *s, const xg_inst *i, xg_kval *const *at, xg_kval *tile, int64_t rows, int64_t behind) {
    enum {
        UNROLLED = 16 /* groups whose sizes are read together */
    };
    const xg_inst *sizes = XG_OPERAND(i, 2);
    uint32_t rank = sizes->shape->rank, k;
    int64_t groups = xg_ragged_groups(i), all;
    xg_range most;
    xg_kval *zero = xg_elem_index_0(s), *begin = zero, *index[XG_RANK_MAX], *g, *n, *has, *own, *next;
    xg_kb *b = &s->b;
    xg_flow f = xg_flow_of(s, &begin);
    xg_ragged_tile t;
    all = XG_OPERAND(i, 0)->shape->dims[xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0]];
    most = xg_range_of(0, xg_cost_mul(all, behind) + groups);
    t.group = t.first = t.end = t.all = zero;
    xg_flow_slot(&f, &t.group);
    xg_flow_slot(&f, &t.first);
    xg_flow_slot(&f, &t.end);
    xg_flow_slot(&f, &t.all);
    f.rolled = groups > UNROLLED;
    f.limit = most.hi;
    g = xg_flow_count(&f, groups + 1);
    if (f.rolled) f.op->flags |= KL_READS_TOGETHER;
    for (k = 0; k + 1 < rank; k++) index[k] = at[k];
    index[rank - 1] = xg_k2_int(b, XG_K_OP_MINSI, g, groups - 1);
    own = xg_elem_clamped(s, xg_elem_of(s, sizes, index).v, sizes->shape->type, all);
    n = xg_ksubi(b, xg_elem_index(s, all), begin);
    has = xg_kcmpi_int(b, XG_CI_SLT, g, groups);
    n = xg_kselect(b, has, xg_k2(b, XG_K_OP_MINSI, own, n), n);
    next = xg_kaddi(b, begin, n);
    xg_kval_set_range(next, xg_range_of(0, all));
    has = xg_kcmpi_(b, XG_CI_SGE, tile, t.all);
    own = xg_k2_int(b, XG_K_OP_MULI, xg_ksubi(b, tile, t.all), rows);
    own = xg_kaddi(b, own, xg_k2_int(b, XG_K_OP_MULI, begin, behind));
    t.group = xg_kselect(b, has, g, t.group);
    t.first = xg_kselect(b, has, own, t.first);
    t.end = xg_kselect(b, has, xg_k2_int(b, XG_K_OP_MULI, next, behind), t.end);
    n = xg_kaddi_int(b, xg_k2_int(b, XG_K_OP_MULI, n, behind), rows - 1);
    n = rows ? xg_k2_int(b, XG_K_OP_DIVUI, n, rows) : xg_elem_index(s, 1);
    t.all = xg_kaddi(b, t.all, n);
    xg_kval_set_range(t.all, most);
    begin = next;
    xg_flow_end(&f);
    xg_kval_set_range(t.first, xg_range_of(0, most.hi + rows * (groups + 1)));
    return t;
}
/* Groups of the sum: of each step the product, if it is of the group. */
typedef struct xg_ragged_site {
    xg_contract_site d;
    xg_ragged_tile t;
    uint32_t which; /* of the summed dimensions */
    bool inner;     /* the sizes depend on others of them */
} xg_ragged_site;
XG_FN void xg_ragged_bounds(xg_scope *s, xg_ragged_site *r) {
    uint32_t batch = xg_attr_ints(r->d.i, XG_A_lhs_batch_dims).n, k;
    xg_kval *at[2 * XG_RANK_MAX];
    for (k = 0; k < batch; k++) at[k] = r->d.vars[1 + k];
    for (k = 0; k < r->which; k++) at[batch + k] = r->inner ? r->d.vars[r->d.rank + k] : NULL;
    r->t = xg_ragged_find(s, r->d.i, at, r->d.vars[0], 0, 1);
}
XG_FN void xg_ragged_product(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    xg_elem x = xg_contract_factor(s, d, 0), y = xg_contract_factor(s, d, 1);
    (void)at;
    xg_contract_add(s, d, x, y, acc);
}
XG_FN void xg_ragged_step(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_ragged_site *r = (xg_ragged_site *)data;
    xg_kval *in;
    memcpy(r->d.vars + r->d.rank, at, r->d.n * sizeof *at);
    if (r->inner) xg_ragged_bounds(s, r);
    in = xg_kcmpi_(&s->b, XG_CI_SGE, at[r->which], r->t.first);
    in = xg_kandi(&s->b, in, xg_kcmpi_(&s->b, XG_CI_SLT, at[r->which], r->t.end));
    xg_elem_when(s, in, xg_ragged_product, &r->d, at, acc, 1);
}
XG_FN xg_elem xg_elem_ragged_dot(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_ints summed = xg_attr_ints(i, XG_A_lhs_contracting_dims);
    xg_ragged_site r;
    xg_elem acc;
    uint32_t k;
    xg_contract_begin(s, &r.d, i, at);
    acc = xg_contract_zero(s, r.d.sum);
    if (xg_ragged_sums(i, &r.which)) {
        r.inner = XG_OPERAND(i, 2)->shape->rank > 1 + xg_attr_ints(i, XG_A_lhs_batch_dims).n;
        if (!r.inner) xg_ragged_bounds(s, &r);
        r.d.n = summed.n;
        for (k = 0; k < summed.n; k++) r.d.counts[k] = XG_OPERAND(i, 0)->shape->dims[summed.p[k]];
        xg_elem_nest(s, r.d.counts, r.d.n, xg_ragged_step, &r, &acc, 1);
        return xg_contract_end(s, &r.d, acc);
    }
    r.t = xg_ragged_find(s, i, at, at[xg_ragged_dim(i)], 1, 1);
    r.d.vars[r.d.rank + summed.n] = r.t.group;
    xg_elem_when(s, xg_kcmpi_int(&s->b, XG_CI_SLT, r.t.group, xg_ragged_groups(i)), xg_dot_sum, &r.d, at, &acc, 1);
    return xg_contract_end(s, &r.d, acc);
}

/* ---- convolution ---- */

XG_FN void xg_conv_feature(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    xg_elem x, y;
    d->vars[d->rank + d->n_window] = xg_contract_place(s, d, at[0]);
    x = xg_contract_factor(s, d, 0);
    y = xg_contract_factor(s, d, 1);
    xg_contract_add(s, d, x, y, acc);
}
XG_FN void xg_conv_features(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    (void)at;
    xg_contract_pieces(s, d, xg_conv_feature, acc);
}
/* One position of the window: whether it falls on the input does not depend on the feature, so the loop over features
 * is inside the condition. */
XG_FN void xg_conv_tap(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_contract_site *d = (xg_contract_site *)data;
    xg_kval *inside;
    uint32_t k;
    for (k = 0; k < d->n_window; k++) d->vars[d->rank + k] = at[k];
    d->vars[d->rank + d->n_window] = xg_elem_index_0(s);
    inside = xg_elem_in_domain(s, d->maps[0], d->i->shape, d->counts, d->vars);
    xg_elem_when(s, inside, xg_conv_features, d, at, acc, 1);
}

XG_FN xg_elem xg_elem_convolution(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    xg_window w = xg_emit_window(i);
    xg_contract_site d;
    xg_elem acc;
    uint32_t features[2], k;
    xg_contract_begin(s, &d, i, at);
    acc = xg_contract_zero(s, d.sum);
    if (xg_inst_attr(i, XG_A_sparsity_config))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "sparse operands are not supported in kernels");
    if (d.maps[0]->state == XG_IMAP_UNDEFINED || d.maps[1]->state == XG_IMAP_UNDEFINED || w.n > XG_RANK_MAX - 2)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "label every dimension", "a convolution whose indices are not known");
    if (d.maps[0]->state == XG_IMAP_EMPTY || d.maps[1]->state == XG_IMAP_EMPTY) return xg_contract_end(s, &d, acc);
    d.n_window = w.n;
    for (k = 0; k < w.n; k++) d.counts[k] = w.p[k].size;
    d.counts[w.n] = XG_OPERAND(i, 1)->shape->dims[l->kernel_input];
    features[0] = (uint32_t)l->input_feature;
    features[1] = (uint32_t)l->kernel_input;
    xg_contract_cut(&d, d.counts[w.n], features);
    xg_elem_nest(s, d.counts, w.n, xg_conv_tap, &d, &acc, 1);
    return xg_contract_end(s, &d, acc);
}

#endif /* XG_ELEM_CONTRACT_C */
