/* fuse/cost.c -- what a kernel costs: the model that fusion decides by.
 *
 * A kernel's time is the launch, and then the longer of what it moves and what it computes, and a little of the
 * shorter, which does not quite hide behind the longer. What is read for the first time comes from device memory, what
 * is read again from a cache; few blocks reach neither the whole bandwidth nor all lanes.
 *
 * All figures are integers, in picoseconds, so that every compiler and machine decides alike; sums and products
 * saturate. */
#ifndef XG_FUSE_COST_C
#define XG_FUSE_COST_C
#include "fuse.h"

enum {
    XG_COST_LAUNCH_PS = 1500000,
    XG_COST_BLOCK = 128,
    XG_COST_BLOCK_BYTES_PER_CLOCK = 32,
    XG_COST_L2_SPEED = 5,
    XG_COST_L2_APART = 2,
    XG_COST_L1_SPEED = 20,
    XG_COST_VECTOR = 4
};
XG_FN int64_t xg_cost_bytes(const xg_shape *s) {
    int64_t sum = 0;
    uint32_t k;
    if (xg_shape_is_array(s)) return xg_cost_mul(s->elements, xg_type_bytes(s->type));
    for (k = 0; k < s->n_elems; k++) sum = xg_cost_add(sum, xg_cost_bytes(s->elems[k]));
    return sum;
}

/* ---- operations ---- */

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
    if (i->op == XG_MAP) return 2 * (int64_t)xg_attr_comp(i, XG_A_to_apply)->n_insts;
    if (n == 0 || !xg_shape_is_array(s)) return n;
    bits = xg_type_bits(s->type);
    if (xg_type_class(s->type) == XGT_C) return n * (bits > 64 ? 16 : 4);
    if (bits > 32) return n * (n > 1 && xg_type_class(s->type) == XGT_F ? 6 : 2);
    return n + (xg_type_class(s->type) == XGT_F && bits < 32);
}

/* What an instruction with a loop inside does for one element that the loop reads. */
XG_FN int64_t xg_cost_step(const xg_inst *i) {
    const xg_comp *c = xg_attr_comp(i, i->op == XG_SELECT_AND_SCATTER ? XG_A_scatter : XG_A_to_apply);
    int64_t n = 1;
    if (i->op == XG_DOT || i->op == XG_CONVOLUTION) return 1;
    if (!c) return 1;
    XG_FOR_INSTS(k, c) n += xg_cost_op(k);
    return n;
}

/* ---- kernels ---- */

XG_FN void xg_cost_begin(xg_cost *c, const xg_device *m, int64_t threads) {
    memset(c, 0, sizeof *c);
    c->device = m;
    c->blocks = XG_MAX(threads / XG_COST_BLOCK, (int64_t)1);
    if (threads >= xg_device_threads(m)) c->blocks = XG_MAX(c->blocks / XG_COST_VECTOR, (int64_t)1);
}

/* Picoseconds for so many bytes at `speed` times the bandwidth of the device, or as much of it as the blocks reach. */
XG_FN int64_t xg_cost_move(const xg_cost *c, int64_t bytes, int64_t speed) {
    int64_t rate, most;
    if (!bytes) return 0;
    rate = xg_cost_mul(xg_device_gbs(c->device->bandwidth), speed);
    most = xg_cost_mul(c->blocks, (int64_t)XG_COST_BLOCK_BYTES_PER_CLOCK * c->device->clock_mhz) / 1000;
    return xg_cost_scale(bytes, 1000, XG_MAX(XG_MIN(rate, most), (int64_t)1));
}

/* `reads` elements are read from an array of `bytes`. */
XG_FN void xg_cost_read(xg_cost *c, int64_t bytes, int64_t reads, int64_t element_bytes, xg_cost_way way) {
    int64_t total = xg_cost_mul(reads, element_bytes), first, again, speed = XG_COST_L2_SPEED;
    if (way != XG_COST_NEIGHBOURS && bytes > XG_SECTOR_BYTES * 64)
        total = xg_cost_mul(reads, XG_MAX(element_bytes, (int64_t)XG_SECTOR_BYTES) / (way == XG_COST_APART ? 1 : 2));
    first = XG_MIN(total, bytes);
    again = total - first;
    c->memory = xg_cost_add(c->memory, xg_cost_move(c, first, 1));
    /* sectors come again long after they were there: as fast as the second cache is */
    if (way == XG_COST_APART && again > first) {
        c->memory = xg_cost_add(c->memory, xg_cost_move(c, again, bytes > c->device->l2_bytes ? 1 : XG_COST_L2_APART));
        return;
    }
    if (bytes < 32768) speed = XG_COST_L1_SPEED; /* stays in every multiprocessor's own cache */
    c->memory = xg_cost_add(c->memory, bytes > c->device->l2_bytes
                                           ? xg_cost_move(c, again, 1)
                                           : xg_cost_move(c, again, speed) / (speed == XG_COST_L1_SPEED ? 1 : 2));
}

XG_FN void xg_cost_write(xg_cost *c, int64_t bytes) { c->memory = xg_cost_add(c->memory, xg_cost_move(c, bytes, 1)); }

XG_FN int64_t xg_cost_time(const xg_cost *c, int64_t instructions) {
    int64_t lanes = XG_MIN(c->blocks, c->device->sm_count) * c->device->f32_rate;
    int64_t compute = xg_cost_scale(instructions, 1000000, lanes * c->device->clock_mhz),
            less = XG_MIN(compute, c->memory), more = XG_MAX(compute, c->memory);
    return xg_cost_add(XG_COST_LAUNCH_PS, xg_cost_add(more, less / 20));
}

#endif /* XG_FUSE_COST_C */
