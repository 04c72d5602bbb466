/* expand/random_expander.c -- RngExpander: rng as Philox bits and arithmetic on them.
 *
 * The counter is the execution's state of random numbers (rng-get-and-update-state), which goes on from draw to draw
 * and from run to run; the key tells apart replicas. So runs of a fresh execution repeat themselves, and within one
 * nothing repeats. HLO leaves the numbers open; the evaluator has the same (eval/random.c). */
#ifndef XG_EXPAND_RANDOM_EXPANDER_C
#define XG_EXPAND_RANDOM_EXPANDER_C
#include "expand.h"
#include "../api/executable.h"

/* n random words of type u32 or u64. */
XG_FN xg_inst *xg_random_words(const xg_hb *b, xlagpu_type t, int64_t n) {
    xg_module *m = b->comp->module;
    const xg_shape *shapes[2];
    int64_t two = 2, three = 3, one = 1, delta = t == XLAGPU_U64 ? n / 2 + 1 : n / 4 + 1;
    xg_inst *parts[2], *state, *replica;
    parts[0] = xg_hb_reshape(b, xg_hb_int(b, XLAGPU_U64, XG_EXE_RANDOM_KEY), &one, 1);
    if (m->replica_count > 1) {
        replica = xg_hb_convert(b, xg_hb_op(b, XG_REPLICA_ID, xg_shape_scalar(m, XLAGPU_U32), NULL, 0), XLAGPU_U64);
        replica = xg_hb_2(b, XG_SHIFT_LEFT, replica, xg_hb_int(b, XLAGPU_U64, 32));
        parts[0] = xg_hb_2(b, XG_XOR, parts[0], xg_hb_reshape(b, replica, &one, 1));
    }
    parts[1] = xg_hb_op(b, XG_RNG_GET_AND_UPDATE_STATE, xg_hb_shape(b, XLAGPU_U64, &two, 1), NULL, 0);
    xg_inst_set_int(parts[1], XG_A_delta, delta);
    shapes[0] = xg_hb_shape(b, XLAGPU_U64, &three, 1);
    shapes[1] = xg_hb_shape(b, t, &n, 1);
    state = xg_hb_concat(b, parts, 2, 0);
    state = xg_hb_of(b, XG_RNG_BIT_GENERATOR, xg_shape_tuple(m, shapes, 2), state);
    xg_inst_set_text(state, XG_A_algorithm, "rng_philox");
    return xg_hb_element(b, state, 1);
}
/* Words as fractions in [0, 1), of the upper bits that type t holds exactly. */
XG_FN xg_inst *xg_random_fractions(const xg_hb *b, xg_inst *words, xlagpu_type t) {
    int keep = t == XLAGPU_F64 ? 52 : 23, have = t == XLAGPU_F64 ? 64 : 32;
    xg_inst *x = xg_hb_2(b, XG_SHIFT_RIGHT_LOGICAL, words, xg_hb_int_like(b, words, have - keep));
    x = xg_hb_convert(b, x, t);
    return xg_hb_mul(b, x, xg_hb_float_like(b, x, ldexp(1, -keep)));
}
/* Rounding may reach the upper end: then it is the lower one once more. */
XG_FN xg_inst *xg_random_uniform(const xg_hb *b, const xg_inst *i, xlagpu_type t, int64_t n) {
    xg_inst *x = xg_random_fractions(b, xg_random_words(b, t == XLAGPU_F64 ? XLAGPU_U64 : XLAGPU_U32, n), t),
            *lo = xg_hb_convert(b, XG_OPERAND(i, 0), t), *hi = xg_hb_convert(b, XG_OPERAND(i, 1), t), *over, *some;
    over = xg_hb_splat(b, xg_hb_sub(b, hi, lo), &n, 1);
    x = xg_hb_mul(b, x, over);
    x = xg_hb_add(b, x, xg_hb_splat(b, lo, &n, 1));
    x = xg_hb_convert(b, x, i->shape->type);
    hi = xg_hb_splat(b, XG_OPERAND(i, 1), &n, 1);
    lo = xg_hb_splat(b, XG_OPERAND(i, 0), &n, 1);
    over = xg_hb_compare(b, "GE", x, hi);
    some = xg_hb_compare(b, "LT", lo, hi);
    return xg_hb_select(b, xg_hb_2(b, XG_AND, over, some), lo, x);
}
/* Box and Muller's: two fractions a number. */
XG_FN xg_inst *xg_random_normal(const xg_hb *b, const xg_inst *i, xlagpu_type t, int64_t n) {
    xg_inst *u = xg_random_fractions(b, xg_random_words(b, t == XLAGPU_F64 ? XLAGPU_U64 : XLAGPU_U32, 2 * n), t),
            *r = xg_hb_slice_dim(b, u, 0, 0, n), *turn = xg_hb_slice_dim(b, u, 0, n, 2 * n), *x;
    r = xg_hb_1(b, XG_LOG_PLUS_ONE, xg_hb_1(b, XG_NEGATE, r)); /* of 1 - r, which is not zero */
    r = xg_hb_mul(b, r, xg_hb_float_like(b, r, -2));
    r = xg_hb_1(b, XG_SQRT, r);
    turn = xg_hb_mul(b, turn, xg_hb_float_like(b, turn, 6.283185307179586));
    x = xg_hb_mul(b, r, xg_hb_1(b, XG_COSINE, turn));
    x = xg_hb_mul(b, x, xg_hb_splat(b, xg_hb_convert(b, XG_OPERAND(i, 1), t), &n, 1));
    x = xg_hb_add(b, x, xg_hb_splat(b, xg_hb_convert(b, XG_OPERAND(i, 0), t), &n, 1));
    return xg_hb_convert(b, x, i->shape->type);
}
/* lo + words % (hi - lo), in 64 bits; an empty range gives lo. */
XG_FN xg_inst *xg_random_integer(const xg_hb *b, const xg_inst *i, int64_t n) {
    xg_inst *x = xg_random_words(b, XLAGPU_U64, n), *lo, *span, *none;
    if (i->shape->type == XLAGPU_PRED)
        return xg_hb_convert(b, xg_hb_2(b, XG_AND, x, xg_hb_int_like(b, x, 1)), XLAGPU_PRED);
    lo = xg_hb_convert(b, xg_hb_convert(b, XG_OPERAND(i, 0), XLAGPU_S64), XLAGPU_U64);
    span = xg_hb_convert(b, xg_hb_convert(b, XG_OPERAND(i, 1), XLAGPU_S64), XLAGPU_U64);
    span = xg_hb_splat(b, xg_hb_sub(b, span, lo), &n, 1);
    none = xg_hb_int_like(b, span, 0);
    x = xg_hb_2(b, XG_REMAINDER, x, span);
    x = xg_hb_select(b, xg_hb_compare(b, "EQ", span, none), none, x);
    x = xg_hb_add(b, x, xg_hb_splat(b, lo, &n, 1));
    return xg_hb_convert(b, x, i->shape->type);
}
XG_FN bool xg_random_matches(const xg_inst *i) {
    return i->op == XG_RNG && !i->shape->dynamic && i->shape->elements > 0;
}
XG_FN xg_inst *xg_random_expand(const xg_hb *b, xg_inst *i) {
    int64_t n = i->shape->elements;
    xlagpu_type t = i->shape->type == XLAGPU_F64 ? XLAGPU_F64 : XLAGPU_F32;
    xg_inst *x = xg_type_class(i->shape->type) != XGT_F           ? xg_random_integer(b, i, n)
                 : xg_attr_is(i, XG_A_distribution, "rng_normal") ? xg_random_normal(b, i, t, n)
                                                                  : xg_random_uniform(b, i, t, n);
    return xg_hb_reshape(b, x, i->shape->dims, i->shape->rank);
}
XG_FN bool xg_expand_random_expander(xg_module *m) {
    return xg_opt_expand_made(m, xg_random_matches, xg_random_expand, XG_RNG);
}

#endif /* XG_EXPAND_RANDOM_EXPANDER_C */
