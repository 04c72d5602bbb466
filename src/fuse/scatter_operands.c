/* fuse/scatter_operands.c -- a scatter into a constant gets memory that is filled with it first.
 *
 * What is a constant everywhere, or an iota, is otherwise computed wherever it is read; but a scatter whose operand
 * lies in memory writes only what is hit (emit/scatter.c), while one that computes its operand has to ask all positions
 * for every element (elem/gather.c). That is one launch less, and worth it for a handful of positions only. An operand
 * that is among the updates or positions, too, has to be copied for the same reason: nothing may be written in its
 * memory. */
#ifndef XG_FUSE_SCATTER_OPERANDS_C
#define XG_FUSE_SCATTER_OPERANDS_C
#include "fuse.h"
#include "cost.c"
#include "in_place.c"
#include "legality.c"

/* Whether operand k is an update or an index, too: in its memory the scatter would read what it has written. */
XG_FN bool xg_fuse_scatter_reads(const xg_inst *scatter, uint32_t k, const xg_inst *from) {
    uint32_t j;
    for (j = 0; j < scatter->n_operands; j++)
        if (j != k && xg_in_place_strip(XG_OPERAND(scatter, j)) == from) return true;
    return false;
}

XG_FN bool xg_fuse_scatter_operands_in(xg_comp *c) {
    bool changed = false;
    XG_FOR_INSTS(i, c) {
        xg_hb b;
        uint32_t k;
        if (i->op != XG_SCATTER || xg_fuse_scatter_positions(i) <= XG_SCATTER_ASKED_MAX) continue;
        b = xg_hb_at(i);
        for (k = 0; k < i->n_operands / 2; k++) {
            xg_inst *x = XG_OPERAND(i, k);
            const xg_inst *from = xg_in_place_strip(x);
            if (from->op != XG_BROADCAST && from->op != XG_IOTA &&
                !(from->op == XG_CONSTANT && xg_fuse_is_splat(from)) && !xg_fuse_scatter_reads(i, k, from))
                continue;
            xg_inst_set_operand(i, k, xg_hb_of(&b, XG_COPY, x->shape, x));
            changed = true;
        }
    }
    return changed;
}
XG_FN bool xg_fuse_scatter_operands(xg_module *m) {
    return m->made[XG_SCATTER] && xg_opt_each_sequence(m, xg_fuse_scatter_operands_in);
}

#endif /* XG_FUSE_SCATTER_OPERANDS_C */
