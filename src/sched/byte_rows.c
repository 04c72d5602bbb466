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
/* The dot whose operands lie by rows; NULL: they do, or it is none of bytes. Adds the bytes that are turned over. */
XG_FN xg_inst *xg_byte_rows_make(const xg_hb *b, const xg_inst *dot, int64_t *bytes, int64_t *turned) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    xg_inst *in[2];
    int64_t deep[2], batch[2][XG_RANK_MAX];
    uint32_t k;
    if (d.lc.n != 1 || dot->shape->dynamic) return NULL;
    deep[0] = d.lc.p[0];
    deep[1] = d.rc.p[0];
    for (k = 0; k < 2; k++)
        if (xg_type_bits(XG_OPERAND(dot, k)->shape->type) != 8 || !xg_index_has_order(XG_OPERAND(dot, k)->shape))
            return NULL;
    for (k = 0; k < 2; k++) {
        xg_ints *list = k ? &d.rb : &d.lb;
        in[k] = XG_OPERAND(dot, k);
        if (deep[k] + 1 == in[k]->shape->rank) continue;
        in[k] = xg_byte_rows_of(b, in[k], *list, &deep[k], batch[k]);
        list->p = batch[k];
        *bytes = xg_cost_add(*bytes, 2 * xg_cost_bytes(in[k]->shape));
        ++*turned;
    }
    d.lc.p = &deep[0];
    d.rc.p = &deep[1];
    return *turned ? xg_hb_dot(b, in[0], in[1], d, dot->shape->type, dot) : NULL;
}
XG_FN bool xg_byte_rows_comp(xg_comp *c) {
    const xg_device *m = &c->module->device;
    bool changed = false;
    xg_inst *i = c->first, *next, *made;
    for (; i; i = next) {
        xg_hb b = xg_hb_at(i);
        int64_t bytes = 0, turned = 0, time;
        next = i->next;
        made = i->op == XG_DOT ? xg_byte_rows_make(&b, i, &bytes, &turned) : NULL;
        if (!made) continue;
        time = xg_cost_add(xg_cost_copied(m, bytes), xg_cost_mul(m->graph_ns * 1000, turned));
        if (xg_cost_mul(time, XG_BYTE_ROWS_PART) < xg_pieces_tile_time(i, true)) {
            xg_opt_replace(i, made);
            changed = true;
            made = i;
        }
        xg_inst_remove(made); /* dce takes what was made for it alone */
    }
    return changed;
}
XG_FN bool xg_tile_byte_rows(xg_module *m) {
    return m->made[XG_DOT] && (m->device.warp_groups || m->device.tensor_memory) &&
           xg_opt_each_sequence(m, xg_byte_rows_comp);
}

#endif /* XG_SCHED_BYTE_ROWS_C */
