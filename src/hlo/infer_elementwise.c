/* hlo/infer_elementwise.c -- the result shapes of elementwise opcodes, and of those that pass a shape through.
 *
 * HLO has no implicit broadcast and no mixed precision: all operands agree in dimensions and, where an opcode does not
 * say otherwise, in element type. Only clamp and select take scalars beside arrays. */
#ifndef XG_HLO_INFER_ELEMENTWISE_C
#define XG_HLO_INFER_ELEMENTWISE_C
#include "infer_common.c"

/* The dimensions that all operands from `from` on agree on. */
static void xg_want_same_dims(const xg_inst *i, uint32_t from, xg_draft *d) {
    uint32_t k;
    xg_draft_of(d, xg_infer_operand(i, from));
    for (k = from + 1; k < i->n_operands; k++)
        XG_RULE_HINT(i, xg_draft_merge(d, xg_infer_operand(i, k)),
            "HLO has no implicit broadcast: put a broadcast instruction before it",
            "operands %u and %u must have the same dimensions, but are %s and %s", from, k,
            xg_infer_operand_text(i, from), xg_infer_operand_text(i, k));
}
static void xg_want_same_types(const xg_inst *i, uint32_t from) {
    uint32_t k;
    for (k = from + 1; k < i->n_operands; k++) xg_want_same_type(i, from, k);
}

static const xg_shape *xg_infer_same(xg_module *m, const xg_inst *i) {
    const xg_shape *s;
    xg_want_arrays(i);
    s = xg_infer_operand(i, 0);
    if (i->n_operands > 1 && s->plain != xg_infer_operand(i, 1)->plain) {
        xg_draft d;
        xg_want_same_types(i, 0);
        xg_want_same_dims(i, 0, &d);
        s = xg_draft_shape(m, &d);
    }
    if (i->op == XG_SIGN)
        XG_RULE(i, !xg_infer_is_int(s->type) || xg_type_signed(s->type), "the operand must be signed, but is %s",
            xg_infer_text(i, s));
    if (i->op == XG_REDUCE_PRECISION) {
        int64_t e = xg_attr_or_0(i, XG_A_exponent_bits), f = xg_attr_int(i, XG_A_mantissa_bits, -1);
        XG_RULE(i, e >= 1, "exponent_bits must be at least 1, but is %lld", (long long)e);
        XG_RULE(i, f >= 0, "mantissa_bits must be at least 0, but is %lld", (long long)f);
    }
    if (i->op == XG_CHOLESKY) {
        XG_RULE(i, s->rank >= 2 && xg_shape_dim_agrees(s, s->rank - 1, s, s->rank - 2),
            "the operand must be square matrices, but is %s", xg_infer_text(i, s));
    }
    return xg_shape_default_layout(m, s);
}

static const xg_shape *xg_infer_real_part(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    XG_RULE(i, !xg_infer_is_int(s->type) || xg_type_signed(s->type), "the operand must be signed, but is %s",
        xg_infer_text(i, s));
    return xg_shape_default_layout(m, xg_shape_with_type(m, s, xg_type_real(s->type)));
}
static const xg_shape *xg_infer_pred(xg_module *m, const xg_inst *i) {
    return xg_shape_default_layout(m, xg_shape_with_type(m, xg_want_array_0(i), XLAGPU_PRED));
}
static const xg_shape *xg_infer_copy(xg_module *m, const xg_inst *i) {
    if (xg_infer_operand(i, 0)->type == XLAGPU_TUPLE) return xg_shape_default_layout(m, xg_infer_operand(i, 0));
    return xg_shape_default_layout(m, xg_want_array_0(i));
}
static const xg_shape *xg_infer_same_any(xg_module *m, const xg_inst *i) {
    return xg_shape_fill_layout(m, xg_infer_operand(i, 0));
}

static const xg_shape *xg_infer_convert(xg_module *m, const xg_inst *i) {
    const xg_shape *given = xg_want_given_array(i), *s = xg_want_array_0(i);
    XG_RULE(i, xg_shape_dims_agree(given, s), "a convert keeps the dimensions: %s cannot become %s",
        xg_infer_text(i, s), xg_infer_text(i, given));
    return xg_shape_default_layout(m, xg_shape_with_type(m, s, given->type));
}

static const xg_shape *xg_infer_complex(xg_module *m, const xg_inst *i) {
    xg_draft d;
    xg_want_arrays(i);
    xg_want_same_types(i, 0);
    xg_want_same_dims(i, 0, &d);
    XG_RULE(i, d.type == XLAGPU_F32 || d.type == XLAGPU_F64,
        "the parts of a complex number must be f32 or f64, but are %s", xg_type_name(d.type));
    d.type = d.type == XLAGPU_F32 ? XLAGPU_C64 : XLAGPU_C128;
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_compare(xg_module *m, const xg_inst *i) {
    xg_draft d;
    xg_str type = xg_attr_str(i, XG_A_type);
    xg_want_arrays(i);
    xg_want_same_types(i, 0);
    xg_want_same_dims(i, 0, &d);
    if (type.n) {
        int cls = xg_type_class(d.type);
        bool floats = cls == XGT_F || cls == XGT_C, is_signed = cls == XGT_I && xg_type_signed(d.type);
        bool ok = floats ? xg_str_is(type, "FLOAT") || (cls == XGT_F && xg_str_is(type, "TOTALORDER"))
                         : xg_str_is(type, is_signed ? "SIGNED" : "UNSIGNED");
        XG_RULE(i, ok, "type=%.*s does not suit %s operands; it must be %s", (int)type.n, type.p, xg_type_name(d.type),
            cls == XGT_F ? "FLOAT or TOTALORDER"
            : floats     ? "FLOAT"
            : is_signed  ? "SIGNED"
                         : "UNSIGNED");
    }
    d.type = XLAGPU_PRED;
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_stochastic_convert(xg_module *m, const xg_inst *i) {
    const xg_shape *given = xg_want_given_array(i), *s = xg_want_array_0(i), *r = xg_want_array(i, 1);
    xg_draft d;
    XG_RULE(i, xg_type_class(s->type) == XGT_F, "operand 0 must be floating point, but is %s", xg_infer_text(i, s));
    XG_RULE(i, xg_infer_is_int(r->type) && !xg_type_signed(r->type) && xg_type_bits(r->type) == xg_type_bits(s->type),
        "operand 1, the random bits, must be unsigned and as wide as %s, but is %s", xg_type_name(s->type),
        xg_infer_text(i, r));
    XG_RULE(i, xg_type_class(given->type) == XGT_F || xg_type_class(given->type) == XGT_I,
        "the result must be floating point or integer, but is stated as %s", xg_infer_text(i, given));
    xg_want_same_dims(i, 0, &d);
    d.type = given->type;
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_select(xg_module *m, const xg_inst *i) {
    const xg_shape *p = xg_want_array_0(i);
    xg_draft d;
    xg_want_array(i, 1);
    xg_want_array(i, 2);
    XG_RULE(i, p->type == XLAGPU_PRED, "operand 0 must be pred, but is %s", xg_infer_text(i, p));
    xg_want_same_type(i, 1, 2);
    xg_want_same_dims(i, 1, &d);
    XG_RULE(i, xg_shape_is_scalar(p) || xg_draft_merge(&d, p),
        "operand 0 must be a scalar or have the dimensions of the others, but is %s beside %s", xg_infer_text(i, p),
        xg_infer_operand_text(i, 1));
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_clamp(xg_module *m, const xg_inst *i) {
    xg_draft d;
    uint32_t k;
    xg_want_arrays(i);
    xg_want_same_types(i, 0);
    xg_draft_of(&d, xg_infer_operand(i, 1));
    for (k = 0; k < 3; k += 2)
        XG_RULE_HINT(i, xg_shape_is_scalar(xg_infer_operand(i, k)) || xg_draft_merge(&d, xg_infer_operand(i, k)),
            "put a broadcast before it", "the bound %s must be a scalar or have the dimensions of %s",
            xg_infer_operand_text(i, k), xg_infer_operand_text(i, 1));
    return xg_draft_shape(m, &d);
}

/* ---- sources ---- */

static const xg_shape *xg_infer_iota(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_given_array(i);
    int64_t d = xg_attr_int(i, XG_A_iota_dimension, -1);
    int cls = xg_type_class(s->type);
    XG_RULE(i, cls == XGT_I || cls == XGT_F || cls == XGT_C,
        "an iota must be integer, floating point or complex, but is stated as %s", xg_infer_text(i, s));
    XG_RULE_HINT(i, s->rank > 0, "use a constant 0", "an iota cannot be a scalar");
    XG_RULE(i, d >= 0 && d < (int64_t)s->rank, "iota_dimension=%lld is not a dimension of %s", (long long)d,
        xg_infer_text(i, s));
    return xg_shape_default_layout(m, s);
}
static const xg_shape *xg_infer_id(xg_module *m, const xg_inst *i) {
    (void)i;
    return xg_infer_scalar(m, XLAGPU_U32);
}

#endif /* XG_HLO_INFER_ELEMENTWISE_C */
