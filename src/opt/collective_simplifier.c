/* opt/collective_simplifier.c -- AllReduceSimplifier: a collective whose every group is one device gives back what it is given.
 *
 * A collective-permute gives zeros to a device that nobody sends to. On more than one device nothing is changed. */
#ifndef XG_OPT_COLLECTIVE_SIMPLIFIER_C
#define XG_OPT_COLLECTIVE_SIMPLIFIER_C
#include "opt.h"

XG_FN bool xg_coll_matches(const xg_inst *i) {
    const xg_module *m = i->comp->module;
    uint32_t k;
    switch (i->op) {
    case XG_ALL_REDUCE: case XG_REDUCE_SCATTER: case XG_ALL_GATHER: case XG_ALL_TO_ALL: case XG_COLLECTIVE_BROADCAST: case XG_COLLECTIVE_PERMUTE: break;
    default: return false;
    }
    if (m->replica_count != 1 || m->num_partitions != 1 || xg_inst_attr(i, XG_A_control_predecessors)) return false;
    if (i->shape->type != XLAGPU_TUPLE) return i->n_operands == 1 && i->shape->plain == XG_OPERAND(i, 0)->shape->plain;
    if (i->shape->n_elems != i->n_operands) return false;
    for (k = 0; k < i->n_operands; k++) if (i->shape->elems[k]->plain != XG_OPERAND(i, k)->shape->plain) return false;
    return true;
}
XG_FN bool xg_coll_reaches_nobody(const xg_inst *i) { return i->op == XG_COLLECTIVE_PERMUTE && xg_inst_attr(i, XG_A_source_target_pairs)->v.lists->n == 0; }
XG_FN xg_inst *xg_coll_expand(const xg_hb *b, xg_inst *i) {
    xg_inst **out = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + 1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *x = XG_OPERAND(i, k);
        out[k] = xg_coll_reaches_nobody(i) ? xg_hb_splat(b, xg_hb_convert(b, xg_hb_int(b, XLAGPU_S32, 0), x->shape->type), x->shape->dims, x->shape->rank) : x;
    }
    return i->shape->type == XLAGPU_TUPLE ? xg_hb_tuple(b, out, i->n_operands) : out[0];
}
XG_FN bool xg_opt_collective_simplifier(xg_module *m) {
    int op;
    for (op = 0; op < XG_OPCODE_COUNT && !(m->made[op] && (xg_op_flags((xg_opcode)op) & XGF_COLL)); op++) {}
    return op < XG_OPCODE_COUNT && xg_opt_expand(m, xg_coll_matches, xg_coll_expand);
}

#endif /* XG_OPT_COLLECTIVE_SIMPLIFIER_C */
