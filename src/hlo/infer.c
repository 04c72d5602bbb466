/* hlo/infer.c -- shape inference: from an instruction's opcode, operands and attributes to the shape of its result.
 *
 * The opcode table names a rule for each opcode; this file finds it and checks what every rule may then rely on: the
 * number of operands and their element types. The rules live in infer_elementwise.c, infer_movement.c,
 * infer_contract.c, infer_reduce.c, infer_control.c and infer_device.c, over the helpers of infer_common.c. */
#ifndef XG_HLO_INFER_C
#define XG_HLO_INFER_C
#include "graph.c"
#include "infer_elementwise.c"
#include "infer_movement.c"
#include "infer_contract.c"
#include "infer_reduce.c"
#include "infer_control.c"
#include "infer_device.c"

typedef const xg_shape *(*xg_infer_rule)(xg_module *m, const xg_inst *i);
/* The words of the column `infer`: a pointer for each of these takes half of one for each opcode. */
/* clang-format off */
#define XG_INFER_WORDS(X) \
    X(real_part) X(same) X(pred) X(copy) X(convert) X(complex) X(compare) X(stochastic_convert) X(select) X(clamp) \
    X(given) X(iota) X(id) X(bitcast) X(bitcast_convert) X(reshape) X(broadcast) X(transpose) X(reverse) X(slice) \
    X(pad) X(concatenate) X(dynamic_slice) X(dynamic_update_slice) X(dynamic_reshape) X(gather) X(scatter) \
    X(get_dimension_size) X(set_dimension_size) X(dot) X(ragged_dot) X(scaled_dot) X(convolution) X(fft) \
    X(triangular_solve) X(reduce) X(reduce_window) X(select_and_scatter) X(map) X(sort) X(topk) X(scan) \
    X(batch_norm_training) X(batch_norm_inference) X(batch_norm_grad) X(tuple) X(get_tuple_element) X(call) X(while) \
    X(conditional) X(fusion) X(same_any) X(after_all) X(add_dependency) X(rng_bit_generator) X(all_reduce) \
    X(reduce_scatter) X(all_gather) X(all_to_all) X(ragged_all_to_all) X(collective_same) X(collective_permute) \
    X(async_start) X(async_update) X(async_done)
/* clang-format on */
enum {
#define X(word) XG_INFER_##word,
    XG_INFER_WORDS(X)
#undef X
};
XG_TABLE const xg_infer_rule xg_infer_rules[] = {
#define X(word) xg_infer_##word,
    XG_INFER_WORDS(X)
#undef X
};
XG_TABLE const uint8_t xg_infer_words[] = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) XG_INFER_##infer,
    XG_OPS(X)
#undef X
};
#undef XG_INFER_WORDS

static const char *xg_infer_types_text(uint32_t types) {
    return xg_text_nth("nothing\0pred\0integer\0pred or integer\0floating point\0pred or floating point\0"
                       "integer or floating point\0pred, integer or floating point\0complex\0pred or complex\0"
                       "integer or complex\0pred, integer or complex\0floating point or complex\0"
                       "pred, floating point or complex\0integer, floating point or complex\0of any element type\0",
        types & 15);
}
/* Scales, group sizes and random bits stand beside the operands that the table's types speak of; their rules look after
 * them. */
static bool xg_infer_typed_operand(xg_opcode op, uint32_t k) {
    return !(k >= 2 && (op == XG_RAGGED_DOT || op == XG_SCALED_DOT)) && !(k == 1 && op == XG_STOCHASTIC_CONVERT);
}

XG_FN const xg_shape *xg_hlo_infer(xg_module *m, const xg_inst *i) {
    const xg_op_row *row = &xg_op_rows[i->op];
    uint32_t k;
    XG_RULE(i, i->n_operands >= row->lo && (row->hi == 255 || i->n_operands <= row->hi),
        "there must be %s%u operand%s, not %u", row->hi == row->lo ? "" : "at least ", row->lo, row->lo == 1 ? "" : "s",
        i->n_operands);
    if (row->types != XGT_ANY)
        for (k = 0; k < i->n_operands; k++) {
            const xg_shape *s = xg_infer_operand(i, k);
            XG_RULE(i,
                !xg_shape_is_array(s) || (xg_type_class(s->type) & row->types) || !xg_infer_typed_operand(i->op, k),
                "operand %u must be %s, but is %s", k, xg_infer_types_text(row->types), xg_infer_text(i, s));
        }
    return xg_infer_rules[xg_infer_words[i->op]](m, i);
}

#endif /* XG_HLO_INFER_C */
