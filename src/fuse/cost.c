/* fuse/cost.c -- what a kernel does before it is one: the counts that fusion gives the model of time (cost/time.c).
 *
 * What is read for the first time comes from device memory. What the same walk reads again lies in the first cache;
 * another walk over the same array, in another order, asks the second cache for all of it again. Sums and products
 * saturate. */
#ifndef XG_FUSE_COST_C
#define XG_FUSE_COST_C
#include "fuse.h"

enum {
    XG_COST_LAUNCH_PS = 1500000,
    XG_COST_BLOCK = 128,
    XG_COST_APART_MIN = 2048,    /* bytes: smaller arrays are in the first cache before it matters */
    XG_COST_APART_PERCENT = 200, /* of the sectors: a slice of the second cache gives 64 bytes a clock (A100 white
                                    paper), of which a request for one sector takes half */
    XG_COST_NEAR = 32 << 10,     /* bytes: smaller arrays stay in the first cache */
    XG_COST_VECTOR = 4,
    XG_COST_TIE = 6 /* such a part of the time that moving and computing alone would take */
};
XG_FN int64_t xg_cost_bytes(const xg_shape *s) {
    int64_t sum = 0;
    uint32_t k;
    if (xg_shape_is_array(s)) return xg_cost_mul(s->elements, xg_type_bytes(s->type));
    for (k = 0; k < s->n_elems; k++) sum = xg_cost_add(sum, xg_cost_bytes(s->elems[k]));
    return sum;
}

/* ---- operations ---- */

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

XG_ONE_COPY XG_FN int64_t xg_cost_blocks(const xg_device *m, int64_t threads) {
    int64_t blocks = XG_MAX(threads / XG_COST_BLOCK, (int64_t)1);
    return threads >= xg_device_threads(m) ? XG_MAX(blocks / XG_COST_VECTOR, (int64_t)1) : blocks;
}

XG_FN xg_cost_traffic xg_cost_both(xg_cost_traffic a, xg_cost_traffic b) {
    a.memory = xg_cost_add(a.memory, b.memory);
    a.asked = xg_cost_add(a.asked, b.asked);
    a.loaded = xg_cost_add(a.loaded, b.loaded);
    return a;
}

XG_FN xg_cost_traffic xg_cost_less(xg_cost_traffic a, xg_cost_traffic b) {
    a.memory -= b.memory;
    a.asked -= b.asked;
    a.loaded -= b.loaded;
    return a;
}

XG_FN xg_cost_traffic xg_cost_read(
    const xg_device *m, int64_t blocks, const xg_shape *s, int64_t reads, int64_t walked, xg_cost_way way) {
    int64_t bytes = xg_cost_bytes(s), each = xg_type_bytes(s->type);
    xg_cost_traffic t;
    bool apart = way == XG_COST_APART && bytes > XG_COST_APART_MIN;
    if (apart) each = XG_MAX(each, (int64_t)XG_SECTOR_BYTES);
    t.asked = xg_cost_mul(walked, each);
    t.loaded = xg_cost_mul(reads, each);
    t.memory = bytes > m->l2_bytes ? t.asked : XG_MIN(t.asked, bytes);
    if (apart) t.asked = xg_cost_scale(t.asked, XG_COST_APART_PERCENT, 100);
    if (bytes < XG_COST_NEAR) /* stays in every multiprocessor's own cache */
        t.asked = XG_MIN(t.asked, xg_cost_mul(bytes, XG_MIN(blocks, m->sm_count)));
    return t;
}

/* Small kernels take as long as a launch and a load whatever they do: of these, what does less is better. */
XG_FN int64_t xg_cost_tie(const xg_cost *c, int64_t sectors, int64_t instructions) {
    int64_t most = XG_MIN(c->blocks, c->device->sm_count);
    int64_t clocks = sectors / (most * ((int64_t)XG_COST_PORT_BYTES / XG_SECTOR_BYTES)) +
                     instructions / (most * c->device->f32_rate);
    return xg_cost_scale(clocks, 1000000, c->device->clock_mhz) / XG_COST_TIE;
}

/* The model of time with counts of fused HLO: each instruction of an element one of a lane, of which a warp
 * issues one a clock behind its loads. */
XG_FN int64_t xg_cost_time(const xg_cost *c, int64_t instructions) {
    xg_cost_counts n;
    memset(&n, 0, sizeof n);
    n.blocks = c->blocks;
    n.threads = XG_COST_BLOCK;
    n.issued = n.pipes[XG_PIPE_F32] = instructions / XG_WARP_LANES;
    n.l1_passes = c->read.loaded / XG_PASS_BYTES;
    n.l2_sectors = xg_cost_add(c->read.asked, c->written) / XG_SECTOR_BYTES;
    n.read_bytes = c->read.memory;
    n.written_bytes = c->written;
    n.warp_clocks = c->device->memory_latency + instructions / xg_cost_mul(c->blocks, (int64_t)XG_COST_BLOCK);
    return xg_cost_add(xg_cost_picoseconds(c->device, &n), xg_cost_tie(c, n.l2_sectors, instructions));
}

#endif /* XG_FUSE_COST_C */
