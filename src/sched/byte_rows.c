/* sched/byte_rows.c -- byte-operand-transposer: matrices of 8-bit elements whose sums do not go along rows are turned
 * over in front of their dot.
 *
 *     dot(x[m,k], w[k,n])  ==>  dot(x[m,k], transpose(w)[n,k])
 *
 * wgmma and tcgen05 read bytes by rows of k. A tile that has to turn them over in registers takes twice as long and
 * longer, a kernel that does it once little more than the way through memory; XLA does so for cuBLASLt. Runs behind
 * layout_normalization, which would make a layout of the transpose; fusion leaves it alone (fuse/legality.c). */
#ifndef XG_SCHED_BYTE_ROWS_C
#define XG_SCHED_BYTE_ROWS_C
#include "dot_algorithm.c"

enum {
    /* A tile that turns over bytes takes 155 us instead of 69 on an H100, and 133 instead of 36 on a B200 (4096^3), but
     * this early both are estimated alike: so what it takes to turn them over has to be less than such a part. */
    XG_BYTE_ROWS_PART = 3
};

/* An operand with the summed dimension last, and what its dimensions are called then. */
XG_FN xg_inst *xg_byte_rows_of(const xg_hb *b, xg_inst *x, xg_ints batch, int64_t *deep, int64_t *to) {
    int64_t perm[XG_RANK_MAX];
    uint32_t rank = x->shape->rank, k, n = 0;
    for (k = 0; k < rank; k++)
        if (k != (uint32_t)*deep) perm[n++] = k;
    perm[n] = *deep;
    for (k = 0; k < batch.n; k++) to[k] = batch.p[k] - (batch.p[k] > *deep);
    *deep = rank - 1;
    return xg_hb_transpose(b, x, perm);
}
/* Which operands do not lie by rows of the summed dimension, a bit each; 0: both do, or it is no dot of bytes. */
XG_FN uint32_t xg_byte_rows_turned(const xg_inst *dot) {
    xg_dot_dims d;
    uint32_t k, turned = 0;
    if (dot->op != XG_DOT || dot->shape->dynamic) return 0;
    d = xg_dot_dims_of(dot);
    for (k = 0; k < 2; k++) {
        const xg_shape *s = XG_OPERAND(dot, k)->shape;
        if (d.lc.n != 1 || xg_type_bits(s->type) != 8 || !xg_index_has_order(s)) return 0;
        turned |= (uint32_t)((k ? d.rc : d.lc).p[0] + 1 != s->rank) << k;
    }
    return turned;
}
XG_FN bool xg_byte_rows_pay(const xg_inst *dot, uint32_t turned) {
    const xg_device *m = &dot->comp->module->device;
    int64_t time = 0;
    uint32_t k;
    for (k = 0; k < 2; k++)
        if (turned >> k & 1)
            time =
                xg_cost_add(time, xg_cost_copied(m, 2 * xg_cost_bytes(XG_OPERAND(dot, k)->shape)) + m->graph_ns * 1000);
    return xg_cost_mul(time, XG_BYTE_ROWS_PART) < xg_pieces_tile_time(dot, true);
}
XG_FN xg_inst *xg_byte_rows_make(const xg_hb *b, const xg_inst *dot, uint32_t turned) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    xg_inst *in[2];
    int64_t deep[2], batch[2][XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_ints *list = k ? &d.rb : &d.lb, *sum = k ? &d.rc : &d.lc;
        in[k] = XG_OPERAND(dot, k);
        deep[k] = sum->p[0];
        sum->p = &deep[k];
        if (!(turned >> k & 1)) continue;
        in[k] = xg_byte_rows_of(b, in[k], *list, &deep[k], batch[k]);
        list->p = batch[k];
    }
    return xg_hb_dot(b, in[0], in[1], d, dot->shape->type, dot);
}
XG_FN bool xg_byte_rows_comp(xg_comp *c) {
    bool changed = false;
    xg_inst *i = c->first, *next;
    for (; i; i = next) {
        uint32_t turned = xg_byte_rows_turned(i);
        xg_hb b = xg_hb_at(i);
        next = i->next;
        if (!turned || !xg_byte_rows_pay(i, turned)) continue;
        xg_opt_replace(i, xg_byte_rows_make(&b, i, turned));
        xg_inst_remove(i);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_tile_byte_rows(xg_module *m) {
    return m->made[XG_DOT] && (m->device.warp_groups || m->device.tensor_memory) &&
           xg_opt_each_sequence(m, xg_byte_rows_comp);
}

#endif /* XG_SCHED_BYTE_ROWS_C */
