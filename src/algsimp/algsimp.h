/* algsimp/algsimp.h -- the algebraic simplifier: THE table of its rules, and what rules are written with.
 *
 * X(name, OPCODE, LAW): rule `name` is xg_inst *xg_alg_<name>(xg_alg *a, xg_inst *i), asked of instructions of that
 * opcode (ANY: of all elementwise ones, after the opcode's own). Rules of an opcode are tried in the order of the
 * table. A rule returns the value that replaces i, i itself when it changed operands in place, or NULL. Its text test
 * is tests/text/algsimp/<name>.txt; tests/programs/algebraic.c evaluates the modules there, for every type that
 * they can be written for, before and after the rule, on values that are seldom what one thinks of.
 *   EXACT  the same bits (a NaN is a NaN where arithmetic made it: no machine keeps its payload)
 *   CLOSE  as exact as before or more so: where a function is approximated, or where the order or the number of
 *          roundings of a sum is not defined
 *
 * Laws
 * - x + 0 is not x for floats (-0), x * 0 and x - x are not 0 (NaN, infinity), a / b is not a * (1 / b) unless that is
 *   exact, no sum is regrouped but one whose order a scatter or a reduce leaves open.
 * - No rule makes a program that an earlier rule turns back; each makes it smaller, or moves it towards a form from
 *   which no rule moves it away.
 * - Shapes with dynamic dimensions are left alone. */
#ifndef XG_ALGSIMP_ALGSIMP_H
#define XG_ALGSIMP_ALGSIMP_H
#include "../opt/opt.h"

/* b: in front of the instruction at hand; counters: of loops, once asked for */
typedef struct xg_alg {
    xg_hb b;
    xg_module *m;
    xg_map64 *counters;
} xg_alg;

/* clang-format off */
#define XG_ALG_RULES(X) \
    /* arith.c: numbers */ \
    X(add_zero, ADD, EXACT) \
    X(add_negate, ADD, EXACT) \
    X(add_subtract, ADD, EXACT) \
    X(add_constants, ADD, EXACT) \
    X(subtract_zero, SUBTRACT, EXACT) \
    X(subtract_self, SUBTRACT, EXACT) \
    X(subtract_negate, SUBTRACT, EXACT) \
    X(subtract_from_zero, SUBTRACT, EXACT) \
    X(subtract_sum, SUBTRACT, EXACT) \
    X(multiply_one, MULTIPLY, EXACT) \
    X(multiply_zero, MULTIPLY, EXACT) \
    X(multiply_minus_one, MULTIPLY, EXACT) \
    X(multiply_negates, MULTIPLY, EXACT) \
    X(multiply_moduli, MULTIPLY, CLOSE) \
    X(multiply_constants, MULTIPLY, EXACT) \
    X(divide_one, DIVIDE, EXACT) \
    X(divide_negates, DIVIDE, EXACT) \
    X(divide_power_of_two, DIVIDE, EXACT) \
    X(divide_shift, DIVIDE, EXACT) \
    X(remainder_one, REMAINDER, EXACT) \
    X(remainder_mask, REMAINDER, EXACT) \
    X(negate_negate, NEGATE, EXACT) \
    X(negate_subtract, NEGATE, EXACT) \
    X(abs_abs, ABS, EXACT) \
    X(not_not, NOT, EXACT) \
    X(not_compare, NOT, EXACT) \
    X(floor_integral, FLOOR, EXACT) \
    X(ceil_integral, CEIL, EXACT) \
    X(round_afz_integral, ROUND_NEAREST_AFZ, EXACT) \
    X(round_even_integral, ROUND_NEAREST_EVEN, EXACT) \
    X(power_zero, POWER, EXACT) \
    X(power_one, POWER, EXACT) \
    X(power_square, POWER, CLOSE) \
    X(power_cube, POWER, CLOSE) \
    X(power_reciprocal, POWER, CLOSE) \
    X(power_half, POWER, CLOSE) \
    X(maximum_self, MAXIMUM, EXACT) \
    X(maximum_lowest, MAXIMUM, EXACT) \
    X(maximum_again, MAXIMUM, EXACT) \
    X(minimum_self, MINIMUM, EXACT) \
    X(minimum_highest, MINIMUM, EXACT) \
    X(minimum_again, MINIMUM, EXACT) \
    X(clamp_open, CLAMP, EXACT) \
    X(and_self, AND, EXACT) \
    X(and_constant, AND, EXACT) \
    X(and_constants, AND, EXACT) \
    X(or_self, OR, EXACT) \
    X(or_constant, OR, EXACT) \
    X(or_constants, OR, EXACT) \
    X(xor_self, XOR, EXACT) \
    X(xor_constant, XOR, EXACT) \
    X(xor_constants, XOR, EXACT) \
    X(shift_left_zero, SHIFT_LEFT, EXACT) \
    X(shift_right_logical_zero, SHIFT_RIGHT_LOGICAL, EXACT) \
    X(shift_right_arithmetic_zero, SHIFT_RIGHT_ARITHMETIC, EXACT) \
    X(real_complex, REAL, EXACT) \
    X(imag_complex, IMAG, EXACT) \
    X(complex_parts, COMPLEX, EXACT) \
    X(compare_self, COMPARE, EXACT) \
    X(compare_unsigned_zero, COMPARE, EXACT) \
    X(compare_pred, COMPARE, EXACT) \
    X(compare_converted_pred, COMPARE, EXACT) \
    X(select_constant, SELECT, EXACT) \
    X(select_same, SELECT, EXACT) \
    X(select_not, SELECT, EXACT) \
    X(select_pred, SELECT, EXACT) \
    X(select_select, SELECT, EXACT) \
    X(convert_same, CONVERT, EXACT) \
    X(convert_convert, CONVERT, EXACT) \
    X(bitcast_convert_same, BITCAST_CONVERT, EXACT) \
    X(bitcast_convert_twice, BITCAST_CONVERT, EXACT) \
    X(reduce_precision_same, REDUCE_PRECISION, EXACT) \
    X(copy_same, COPY, EXACT) \
    X(of_broadcasts, ANY, EXACT) \
    X(of_reshapes, ANY, EXACT) \
    X(of_transposes, ANY, EXACT) \
    /* ranges.c: integers within bounds */ \
    X(compare_range, COMPARE, EXACT) \
    X(remainder_range, REMAINDER, EXACT) \
    X(divide_range, DIVIDE, EXACT) \
    X(abs_range, ABS, EXACT) \
    X(maximum_range, MAXIMUM, EXACT) \
    X(minimum_range, MINIMUM, EXACT) \
    X(clamp_range, CLAMP, EXACT) \
    X(and_range, AND, EXACT) \
    /* index.c: places that are known */ \
    X(gather_known, GATHER, EXACT) \
    X(concatenate_windows, CONCATENATE, EXACT) \
    X(scatter_known, SCATTER, EXACT) \
    X(scatter_window, SCATTER, EXACT) \
    X(scatter_one_hot, SCATTER, EXACT) \
    X(add_scatter, ADD, CLOSE) \
    X(slice_reverse, SLICE, EXACT) \
    X(slice_iota, SLICE, EXACT) \
    X(dynamic_slice_iota, DYNAMIC_SLICE, EXACT) \
    /* move.c: where elements lie */ \
    X(constant_splat, CONSTANT, EXACT) \
    X(constant_iota, CONSTANT, EXACT) \
    X(iota_one, IOTA, EXACT) \
    X(reshape_same, RESHAPE, EXACT) \
    X(reshape_reshape, RESHAPE, EXACT) \
    X(reshape_broadcast, RESHAPE, EXACT) \
    X(reshape_iota, RESHAPE, EXACT) \
    X(transpose_same, TRANSPOSE, EXACT) \
    X(transpose_transpose, TRANSPOSE, EXACT) \
    X(transpose_broadcast, TRANSPOSE, EXACT) \
    X(transpose_iota, TRANSPOSE, EXACT) \
    X(transpose_reshape, TRANSPOSE, EXACT) \
    X(transpose_dot, TRANSPOSE, EXACT) \
    X(broadcast_same, BROADCAST, EXACT) \
    X(broadcast_broadcast, BROADCAST, EXACT) \
    X(broadcast_transpose, BROADCAST, EXACT) \
    X(broadcast_iota, BROADCAST, EXACT) \
    X(broadcast_reshape, BROADCAST, EXACT) \
    X(broadcast_permutes, BROADCAST, EXACT) \
    X(broadcast_ones, BROADCAST, EXACT) \
    X(bitcast_same, BITCAST, EXACT) \
    X(bitcast_bitcast, BITCAST, EXACT) \
    X(reverse_ones, REVERSE, EXACT) \
    X(reverse_reverse, REVERSE, EXACT) \
    X(reverse_broadcast, REVERSE, EXACT) \
    X(slice_same, SLICE, EXACT) \
    X(slice_slice, SLICE, EXACT) \
    X(slice_concatenate, SLICE, EXACT) \
    X(slice_pad, SLICE, EXACT) \
    X(slice_broadcast, SLICE, EXACT) \
    X(slice_reshape, SLICE, EXACT) \
    X(slice_transpose, SLICE, EXACT) \
    X(pad_same, PAD, EXACT) \
    X(pad_negative, PAD, EXACT) \
    X(pad_pad, PAD, EXACT) \
    X(pad_broadcast, PAD, EXACT) \
    X(concatenate_one, CONCATENATE, EXACT) \
    X(concatenate_flat, CONCATENATE, EXACT) \
    X(concatenate_slices, CONCATENATE, EXACT) \
    X(concatenate_broadcasts, CONCATENATE, EXACT) \
    X(dynamic_slice_whole, DYNAMIC_SLICE, EXACT) \
    X(dynamic_slice_constant, DYNAMIC_SLICE, EXACT) \
    X(dynamic_slice_broadcast, DYNAMIC_SLICE, EXACT) \
    X(dynamic_update_slice_whole, DYNAMIC_UPDATE_SLICE, EXACT) \
    X(gather_broadcast, GATHER, EXACT) \
    X(gather_one, GATHER, EXACT) \
    X(scatter_nothing, SCATTER, EXACT) \
    /* reduce.c: many elements */ \
    X(reduce_nothing, REDUCE, EXACT) \
    X(reduce_ones, REDUCE, EXACT) \
    X(reduce_reshape, REDUCE, EXACT) \
    X(reduce_transpose, REDUCE, CLOSE) \
    X(reduce_broadcast, REDUCE, EXACT) \
    X(reduce_broadcast_sum, REDUCE, CLOSE) \
    X(reduce_one_hot, REDUCE, CLOSE) \
    X(reduce_pad, REDUCE, EXACT) \
    X(reduce_concatenate, REDUCE, CLOSE) \
    X(reduce_few, REDUCE, CLOSE) \
    X(reduce_reduce, REDUCE, CLOSE) \
    X(reduce_all_least, REDUCE, EXACT) \
    X(select_masked_rows, SELECT, EXACT) \
    X(dot_nothing, DOT, EXACT) \
    X(dot_ones, DOT, EXACT) \
    X(dot_transpose, DOT, CLOSE) \
    X(dot_widened, DOT, EXACT) \
    X(dot_outer, DOT, CLOSE) \
    X(reduce_window_same, REDUCE_WINDOW, EXACT) \
    X(reduce_window_apart, REDUCE_WINDOW, CLOSE) \
    X(reduce_window_whole, REDUCE_WINDOW, CLOSE) \
    X(reduce_window_split, REDUCE_WINDOW, CLOSE) \
    X(slice_reduce_window, SLICE, EXACT) \
    X(reverse_reduce_window, REVERSE, CLOSE) \
    X(map_inline, MAP, EXACT) \
    /* matrix.c: what is known of matrices */ \
    X(transpose_symmetric, TRANSPOSE, EXACT) \
    X(select_factored, SELECT, EXACT) \
    X(select_triangle, SELECT, EXACT) \
    /* convolution.c */ \
    X(convolution_transpose, CONVOLUTION, CLOSE) \
    X(convolution_reverse, CONVOLUTION, CLOSE) \
    X(transpose_convolution, TRANSPOSE, CLOSE) \
    X(convolution_dot, CONVOLUTION, CLOSE) \
    X(convolution_few, CONVOLUTION, CLOSE)
/* clang-format on */

enum {
    XG_ALG_EXACT,
    XG_ALG_CLOSE
};
#define X(name, op, law) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i);
XG_ALG_RULES(X)
#undef X

XG_FN void xg_alg_broadcast_sources(const xg_inst *b, int64_t *source);

/* ---- match.c ---- */
XG_FN const xg_inst *xg_alg_scalar(const xg_inst *x); /* the constant of one element that x is everywhere, or NULL */
XG_FN bool xg_alg_is(const xg_inst *x, double v);     /* this number everywhere, -0 apart from 0; not for complex */
XG_FN bool xg_alg_is_int(const xg_inst *i);           /* integers and pred: arithmetic is exact and wraps */
XG_FN bool xg_alg_is_pred(const xg_inst *i);
XG_FN bool xg_alg_is_all_ones(const xg_inst *x);
/* the end of the type's order: infinities for floats that have them */
XG_FN bool xg_alg_is_extreme(const xg_inst *x, bool highest);
XG_FN bool xg_alg_is_identity(const xg_inst *x, xg_opcode op); /* op(x, y) == y for all y that are no signed zeros */
XG_FN xg_inst *xg_alg_other(xg_inst *i, uint32_t k); /* the operand of a binary instruction that is not the k-th */

/* ---- algsimp.c ---- */
XG_FN bool xg_algsimp(xg_module *m);    /* algsimp.c: the rules of algsimp.h */
XG_FN bool xg_alg_unpack(xg_module *m); /* unpack.c: the pass nibble-unpacking */
XG_FN const char *xg_algsimp_rule(uint32_t k, bool *close);
XG_FN bool xg_algsimp_only(xg_module *m, const char *rule);
#endif /* XG_ALGSIMP_ALGSIMP_H */
