/* opt/collective_simplifier.c -- AllReduceSimplifier: a collective whose every group is one device gives back what it
 * is given.
 *
 * A collective-permute gives zeros to a device that gets nothing. ragged-all-to-all of one device moves rows within
 * it: piece after piece, each the rows of the input that go to these places of the output, by a select over all rows.
 * Where devices really meet nothing is changed. */
#ifndef XG_OPT_COLLECTIVE_SIMPLIFIER_C
#define XG_OPT_COLLECTIVE_SIMPLIFIER_C
#include "../eval/eval.h"
#include "opt.h"

enum {
    XG_COLL_PIECES = 64
};

XG_FN bool xg_coll_is_one_device(const xg_module *m) { return m->replica_count <= 1 && m->num_partitions <= 1; }
/* Which devices may be members of a group, by the ids that it names. */
XG_FN int64_t xg_coll_members(const xg_inst *i, bool *spread) {
    const xg_module *m = i->comp->module;
    int64_t replicas = XG_MAX(m->replica_count, (int64_t)1), partitions = XG_MAX(m->num_partitions, (int64_t)1);
    xg_team_mode mode = xg_team_mode_of(i);
    *spread = mode == XG_TEAM_BOTH && partitions > 1;
    return mode == XG_TEAM_PARTITIONS ? partitions : mode == XG_TEAM_FLAT ? replicas * partitions : replicas;
}
/* Every member sends to itself, or on one device none sends. */
XG_FN bool xg_coll_permutes_nothing(const xg_inst *i) {
    const xg_attr *pairs = xg_inst_attr(i, XG_A_source_target_pairs);
    bool spread;
    int64_t members = xg_coll_members(i, &spread);
    uint32_t k;
    if (!pairs || i->n_operands != 1) return false;
    for (k = 0; k < pairs->v.lists->n; k++)
        if (pairs->v.lists->p[k].n != 2 || pairs->v.lists->p[k].p[0] != pairs->v.lists->p[k].p[1]) return false;
    return pairs->v.lists->n == (uint64_t)members || (members == 1 && pairs->v.lists->n == 0);
}
XG_FN bool xg_coll_is_alone(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    bool spread;
    int64_t members = xg_coll_members(i, &spread);
    uint32_t k;
    if (i->op == XG_COLLECTIVE_PERMUTE) return xg_coll_permutes_nothing(i);
    if (xg_coll_is_one_device(i->comp->module)) return true;
    if (spread) return false;
    if (!a || a->v.groups->n == 0) return members == 1;
    if (!a->v.groups->p) return false;
    for (k = 0; k < a->v.groups->n; k++)
        if (a->v.groups->p[k].n != 1) return false;
    return true;
}
/* The results have the forms of the operands. */
XG_FN bool xg_coll_keeps_shapes(const xg_inst *i) {
    uint32_t k;
    if (i->shape->type != XLAGPU_TUPLE) return i->n_operands == 1 && i->shape->plain == XG_OPERAND(i, 0)->shape->plain;
    if (i->shape->n_elems != i->n_operands) return false;
    for (k = 0; k < i->n_operands; k++)
        if (i->shape->elems[k]->plain != XG_OPERAND(i, k)->shape->plain) return false;
    return true;
}
XG_FN bool xg_coll_is_ragged(const xg_inst *i) {
    const xg_shape *x, *pieces;
    uint32_t k;
    if (i->op != XG_RAGGED_ALL_TO_ALL) return false;
    x = XG_OPERAND(i, 0)->shape;
    pieces = XG_OPERAND(i, 2)->shape;
    for (k = 2; k < 6; k++)
        if (XG_OPERAND(i, k)->shape->rank != 1 || XG_OPERAND(i, k)->shape->elements != pieces->elements) return false;
    return x->rank > 0 && x->dims[0] > 0 && i->shape->plain == XG_OPERAND(i, 1)->shape->plain &&
           pieces->elements <= XG_COLL_PIECES && x->dims[0] <= INT32_MAX && i->shape->dims[0] <= INT32_MAX;
}
/* What an asynchronous step does has to be there. */
XG_FN bool xg_coll_is_wrapped(const xg_inst *i) {
    const xg_comp *c;
    if (!i->comp->module->made[XG_ASYNC_START] || i != i->comp->root) return false;
    for (c = i->comp->module->first; c; c = c->next)
        XG_FOR_INSTS(s, c)
            if (s->op == XG_ASYNC_START && xg_attr_calls(s) == i->comp) return true;
    return false;
}
XG_FN bool xg_coll_matches(const xg_inst *i) {
    switch (i->op) {
    case XG_ALL_REDUCE:
    case XG_REDUCE_SCATTER:
    case XG_ALL_GATHER:
    case XG_ALL_TO_ALL:
    case XG_COLLECTIVE_BROADCAST:
    case XG_COLLECTIVE_PERMUTE:
    case XG_RAGGED_ALL_TO_ALL: break;
    default: return false;
    }
    if (xg_inst_order(i) || xg_attr_or_0(i, XG_A_has_dynamic_root)) return false;
    return (i->op == XG_RAGGED_ALL_TO_ALL ? xg_coll_is_ragged(i) : xg_coll_keeps_shapes(i)) && xg_coll_is_alone(i) &&
           !xg_coll_is_wrapped(i);
}

/* Element k of a list of places, as a scalar s64. */
XG_FN xg_inst *xg_coll_place(const xg_hb *b, xg_inst *list, int64_t k) {
    xg_inst *one = xg_hb_reshape(b, xg_hb_slice_dim(b, list, 0, k, k + 1), NULL, 0);
    return xg_hb_convert(b, one, XLAGPU_S64);
}
XG_FN xg_inst *xg_coll_move_rows(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0), *out = XG_OPERAND(i, 1);
    const xg_shape *s = i->shape;
    int64_t n = s->dims[0], zero = 0, k, pieces = XG_OPERAND(i, 2)->shape->elements;
    for (k = 0; s->elements && k < pieces; k++) {
        xg_inst *from = xg_coll_place(b, XG_OPERAND(i, 2), k), *size = xg_coll_place(b, XG_OPERAND(i, 3), k),
                *to = xg_coll_place(b, XG_OPERAND(i, 4), k);
        xg_inst *row = xg_hb_iota(b, XLAGPU_S64, &n, 1, 0),
                *within = xg_hb_2(b, XG_SUBTRACT, row, xg_hb_splat(b, to, &n, 1)), *hit, *low, *values;
        low = xg_hb_compare(b, "GE", within, xg_hb_int_like(b, within, 0));
        hit = xg_hb_compare(b, "LT", within, xg_hb_splat(b, size, &n, 1));
        hit = xg_hb_broadcast(b, xg_hb_2(b, XG_AND, low, hit), s->dims, s->rank, &zero, 1);
        from = xg_hb_splat(b, from, &n, 1);
        values = xg_hb_rows(b, x, xg_hb_2(b, XG_ADD, within, from));
        out = xg_hb_select(b, hit, values, out);
    }
    return out;
}
XG_FN bool xg_coll_reaches_nobody(const xg_inst *i) {
    return i->op == XG_COLLECTIVE_PERMUTE && xg_inst_attr(i, XG_A_source_target_pairs)->v.lists->n == 0;
}
XG_FN xg_inst *xg_coll_expand(const xg_hb *b, xg_inst *i) {
    xg_inst **out;
    uint32_t k;
    if (i->op == XG_RAGGED_ALL_TO_ALL) return xg_coll_move_rows(b, i);
    out = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + 1);
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *x = XG_OPERAND(i, k);
        out[k] = xg_coll_reaches_nobody(i)
                     ? xg_hb_splat(b, xg_hb_convert(b, xg_hb_int(b, XLAGPU_S32, 0), x->shape->type), x->shape->dims,
                           x->shape->rank)
                     : x;
    }
    return i->shape->type == XLAGPU_TUPLE ? xg_hb_tuple(b, out, i->n_operands) : out[0];
}
XG_FN bool xg_coll_any(const xg_module *m) {
    int op;
    for (op = 0; op < XG_OPCODE_COUNT && !(m->made[op] && (xg_op_flags((xg_opcode)op) & XGF_COLL)); op++) {}
    return op < XG_OPCODE_COUNT;
}
XG_FN bool xg_opt_collective_simplifier(xg_module *m) {
    return xg_coll_any(m) && xg_opt_expand(m, xg_coll_matches, xg_coll_expand);
}

#endif /* XG_OPT_COLLECTIVE_SIMPLIFIER_C */
