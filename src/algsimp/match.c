/* algsimp/match.c -- the questions that rules ask. */
#ifndef XG_ALGSIMP_MATCH_C
#define XG_ALGSIMP_MATCH_C
#include "algsimp.h"

XG_FN const xg_inst *xg_alg_scalar(const xg_inst *x) {
    if (x->op == XG_BROADCAST) x = XG_OPERAND(x, 0); /* of a broadcast there is one only: they merge */
    return x->op == XG_CONSTANT && xg_shape_is_array(x->shape) && x->shape->elements == 1 && !x->literal->elided ? x
                                                                                                                 : NULL;
}
XG_FN bool xg_alg_is(const xg_inst *x, double v) {
    const xg_inst *c = xg_alg_scalar(x);
    double is;
    int64_t n;
    if (!c) return false;
    if (xg_type_class(c->shape->type) & (XGT_I | XGT_P))
        return xg_literal_get_int(c->literal, 0, &n) && (double)n == v &&
               (n == 0 || (c->shape->type != XLAGPU_U64 || n > 0)) && !(v == 0 && signbit(v));
    if (!(xg_type_class(c->shape->type) & XGT_F)) return false;
    is = xg_literal_get_float(c->literal, 0);
    return is == v && !signbit(is) == !signbit(v);
}
XG_FN bool xg_alg_is_int(const xg_inst *i) { return (xg_type_class(i->shape->type) & (XGT_I | XGT_P)) != 0; }
XG_FN bool xg_alg_is_pred(const xg_inst *i) { return i->shape->type == XLAGPU_PRED; }
XG_FN bool xg_alg_is_all_ones(const xg_inst *x) {
    const xg_inst *c = xg_alg_scalar(x);
    int64_t n;
    int bits;
    if (!c || !xg_alg_is_int(c) || !xg_literal_get_int(c->literal, 0, &n)) return false;
    if (c->shape->type == XLAGPU_PRED) return n == 1;
    bits = xg_type_bits(c->shape->type);
    return bits == 64 ? n == -1 : (n & (((int64_t)1 << bits) - 1)) == ((int64_t)1 << bits) - 1;
}
XG_FN bool xg_alg_is_extreme(const xg_inst *x, bool highest) {
    const xg_inst *c = xg_alg_scalar(x);
    const xg_float_format *f;
    xlagpu_type t;
    int64_t n;
    if (!c) return false;
    t = c->shape->type;
    f = xg_float_format_of(t);
    if (f) return f->has_sign && f->has_infinity && xg_alg_is(x, highest ? HUGE_VAL : -HUGE_VAL);
    if (!xg_alg_is_int(c) || !xg_literal_get_int(c->literal, 0, &n)) return false;
    if (t == XLAGPU_PRED) return n == (highest ? 1 : 0);
    return highest ? (uint64_t)n == xg_int_type_max(t) : n == xg_int_type_min(t);
}
XG_FN bool xg_alg_is_identity(const xg_inst *x, xg_opcode op) {
    switch (op) {
    case XG_ADD: return xg_alg_is(x, 0.0) || xg_alg_is(x, -0.0);
    case XG_OR:
    case XG_XOR: return xg_alg_is(x, 0.0);
    case XG_MULTIPLY: return xg_alg_is(x, 1.0);
    case XG_AND: return xg_alg_is_all_ones(x);
    case XG_MAXIMUM: return xg_alg_is_extreme(x, false);
    case XG_MINIMUM: return xg_alg_is_extreme(x, true);
    default: return false;
    }
}
XG_FN xg_inst *xg_alg_other(xg_inst *i, uint32_t k) { return XG_OPERAND(i, 1 - k); }

#endif /* XG_ALGSIMP_MATCH_C */
