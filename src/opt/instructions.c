/* opt/instructions.c -- what an operation executes for one element, before there is a kernel: for passes that weigh
 * work against memory, and for the model of time that fusion asks (fuse/cost.c). */
#ifndef XG_OPT_INSTRUCTIONS_C
#define XG_OPT_INSTRUCTIONS_C
#include "opt.h"

/* Instructions for one element of a function of f32 or of an integer; simple arithmetic is 1. */
XG_FN int64_t xg_cost_function(xg_opcode op) {
    switch (op) {
    case XG_DIVIDE:
    case XG_REMAINDER:
    case XG_SQRT:
    case XG_RSQRT:
    case XG_LOGISTIC: return 10;
    case XG_EXPONENTIAL:
    case XG_LOG:
    case XG_LOG_PLUS_ONE:
    case XG_EXPONENTIAL_MINUS_ONE: return 12;
    case XG_TANH:
    case XG_CBRT:
    case XG_ERF:
    case XG_SINE:
    case XG_COSINE:
    case XG_TAN: return 24;
    case XG_POWER:
    case XG_ATAN2:
    case XG_ACOS:
    case XG_ACOSH:
    case XG_ASIN:
    case XG_ASINH:
    case XG_ATANH:
    case XG_SINH:
    case XG_COSH: return 40;
    case XG_STOCHASTIC_CONVERT:
    case XG_REDUCE_PRECISION:
    case XG_PAD:
    case XG_DYNAMIC_UPDATE_SLICE:
    case XG_DYNAMIC_SLICE:
    case XG_GATHER: return 4;
    case XG_CONSTANT:
    case XG_PARAMETER:
    case XG_BITCAST:
    case XG_BROADCAST:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT: return 0;
    default: return 1;
    }
}

XG_FN int64_t xg_cost_op(const xg_inst *i) {
    int64_t n = xg_cost_function(i->op);
    const xg_shape *s = i->shape;
    int bits;
    if (i->op == XG_CONCATENATE) return 2 + i->n_operands;
    if (i->op == XG_MAP) return 2 * (int64_t)xg_attr_to_apply(i)->n_insts;
    if (n == 0 || !xg_shape_is_array(s)) return n;
    bits = xg_type_bits(s->type);
    if (xg_type_class(s->type) == XGT_C) return n * (bits > 64 ? 16 : 4);
    if (bits > 32) return n * (n > 1 && xg_type_class(s->type) == XGT_F ? 6 : 2);
    return n + (xg_type_class(s->type) == XGT_F && bits < 32);
}

#endif /* XG_OPT_INSTRUCTIONS_C */
