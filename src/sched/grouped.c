/* sched/grouped.c -- contractions that read matrices by number: the pass grouped-contraction-fusion.
 *
 *     dot(gather of rows, gather of whole matrices)   a layer of adapters, or of experts
 *
 * A gather that takes whole matrices, or takes its rows several times, would write and read back far more than there
 * is: the dot's tiles bring elements from where they are. The fusion holds the dot, what moves, masks and gathers its
 * operands, and the arithmetic of numbers and masks that is no smaller than they are. */
#ifndef XG_SCHED_GROUPED_C
#define XG_SCHED_GROUPED_C
#include "tile.h"
#include "../opt/opt.h"

enum {
    XG_GROUPED_DEPTH = 24,            /* instructions from the dot to its gather, and from there to numbers in memory */
    XG_GROUPED_MEMBERS = 96,          /* of a fusion at most */
    XG_GROUPED_TIMES = 2,             /* a gather that is so many times as large as what it reads */
    XG_GROUPED_MATRIX_BYTES = 1 << 12 /* a slice of two dimensions and so much is a matrix: the copy would cost */
};

typedef struct xg_grouped_fusion {
    xg_arena *arena;
    uint32_t n;
    bool some; /* gathers that must not become memory are among them */
    xg_comp *to;
    xg_inst *made[XG_GROUPED_MEMBERS], **outside;
    xg_inst *members[XG_GROUPED_MEMBERS];
} xg_grouped_fusion;

XG_ONE_COPY XG_FN uint32_t xg_grouped_place(const xg_grouped_fusion *g, xg_inst *i) {
    uint32_t k;
    for (k = 0; k < g->n && g->members[k] != i; k++) {}
    return k;
}
/* False: it is one already, or there are too many. */
XG_FN bool xg_grouped_add(xg_grouped_fusion *g, xg_inst *i) {
    if (g->n == XG_GROUPED_MEMBERS || xg_grouped_place(g, i) < g->n) return false;
    g->members[g->n++] = i;
    return true;
}
XG_FN bool xg_grouped_is_large(xg_inst *gather) {
    const xg_shape *from = XG_OPERAND(gather, 0)->shape;
    xg_ints size = xg_attr_ints(gather, XG_A_slice_sizes);
    int64_t bytes = xg_type_bytes(from->type);
    uint32_t wide = 0, k;
    for (k = 0; k < size.n; k++) {
        bytes = xg_cost_mul(bytes, size.p[k]);
        wide += size.p[k] > 1;
    }
    return (wide > 1 && bytes >= XG_GROUPED_MATRIX_BYTES) ||
           gather->shape->elements / XG_GROUPED_TIMES >= XG_MAX(from->elements, (int64_t)1);
}
XG_FN bool xg_grouped_is_moved(xg_inst *i) {
    return i->op == XG_BITCAST || i->op == XG_RESHAPE || i->op == XG_TRANSPOSE || i->op == XG_BROADCAST;
}
/* Numbers and masks: as far as they are no smaller than those that are asked for. */
XG_FN void xg_grouped_take_numbers(xg_grouped_fusion *g, xg_inst *i, int64_t least, uint32_t depth) {
    bool cheap = xg_op_flags(i->op) & XGF_EW && (xg_type_class(i->shape->type) & XGT_F) == 0 && i->op != XG_DIVIDE &&
                 i->op != XG_REMAINDER && i->op != XG_POWER;
    uint32_t k;
    if (i->op == XG_CONSTANT ? i->shape->rank > 0 : i->op != XG_IOTA && !cheap && !xg_grouped_is_moved(i)) return;
    if (!xg_shape_is_array(i->shape) || (i->op != XG_CONSTANT && i->shape->elements < least) || !depth) return;
    if (!xg_grouped_add(g, i)) return;
    for (k = 0; k < i->n_operands; k++) xg_grouped_take_numbers(g, XG_OPERAND(i, k), least, depth - 1);
}
XG_FN void xg_grouped_take(xg_grouped_fusion *g, xg_inst *i, uint32_t depth) {
    xg_inst *from;
    if (!depth) return;
    if (xg_grouped_is_moved(i) || i->op == XG_CONVERT) {
        if (xg_grouped_add(g, i)) xg_grouped_take(g, XG_OPERAND(i, 0), depth - 1);
    } else if (i->op == XG_SELECT) {
        if (!xg_grouped_add(g, i)) return;
        for (from = XG_OPERAND(i, 0); from->op == XG_BROADCAST || from->op == XG_BITCAST; from = XG_OPERAND(from, 0)) {}
        xg_grouped_take_numbers(g, XG_OPERAND(i, 0), from->shape->elements, depth - 1);
        xg_grouped_take(g, XG_OPERAND(i, 1), depth - 1);
        xg_grouped_take(g, XG_OPERAND(i, 2), depth - 1);
    } else if (i->op == XG_CONSTANT && i->shape->rank == 0)
        (void)xg_grouped_add(g, i);
    else if (i->op == XG_GATHER) {
        if (!xg_grouped_add(g, i)) return;
        g->some = g->some || xg_grouped_is_large(i);
        from = XG_OPERAND(i, 1);
        xg_grouped_take_numbers(g, from, from->shape->elements, depth - 1);
    }
}
XG_FN xg_inst *xg_grouped_copy(xg_grouped_fusion *g, xg_inst *i) {
    uint32_t k = xg_grouped_place(g, i), j;
    xg_inst **operands;
    if (k == g->n) {
        for (j = 0; j < g->to->n_params; j++)
            if (g->outside[j] == i) return g->to->params[j];
        g->outside[j] = i;
        return xg_comp_add_param(g->to, i->shape, XG_STR("param"));
    }
    if (g->made[k]) return g->made[k];
    operands = XG_NEW_N(g->arena, xg_inst *, i->n_operands + (size_t)1);
    for (j = 0; j < i->n_operands; j++) operands[j] = xg_grouped_copy(g, XG_OPERAND(i, j));
    return g->made[k] = xg_inst_clone(i, g->to, operands, NULL);
}
XG_FN void xg_grouped_fuse(xg_grouped_fusion *g, xg_inst *dot) {
    xg_module *m = dot->comp->module;
    xg_inst *fusion;
    size_t most = 1;
    uint32_t k;
    for (k = 0; k < g->n; k++) most += g->members[k]->n_operands;
    g->outside = XG_NEW_N(g->arena, xg_inst *, most);
    g->to = xg_comp_new(m, XG_STR("grouped_dot_computation"), dot->comp);
    g->to->root = xg_grouped_copy(g, dot);
    fusion =
        xg_inst_new(dot->comp, XG_FUSION, dot->shape, g->outside, g->to->n_params, dot, XG_STR("grouped_dot_fusion"));
    xg_inst_set_text(fusion, XG_A_kind, "kLoop");
    xg_inst_set_comp(fusion, XG_A_calls, g->to);
    if (xg_inst_attr(dot, XG_A_metadata)) xg_inst_set_attr(fusion, *xg_inst_attr(dot, XG_A_metadata));
    xg_inst_replace(dot, fusion);
    xg_inst_remove(dot);
}
XG_FN bool xg_grouped_try(xg_inst *dot) {
    xg_grouped_fusion *g = XG_NEW(dot->comp->module->work, xg_grouped_fusion);
    uint32_t k;
    g->arena = dot->comp->module->work;
    (void)xg_grouped_add(g, dot);
    for (k = 0; k < dot->n_operands; k++) xg_grouped_take(g, XG_OPERAND(dot, k), XG_GROUPED_DEPTH);
    if (!g->some || g->n == XG_GROUPED_MEMBERS) return false;
    xg_grouped_fuse(g, dot);
    return true;
}
XG_FN bool xg_grouped_comp(xg_comp *c) {
    xg_inst *i, *next;
    bool changed = false;
    for (i = c->first; i; i = next) {
        next = i->next;
        if (i->op == XG_DOT && !i->shape->dynamic && xg_grouped_try(i)) changed = true;
    }
    return changed;
}
XG_FN bool xg_grouped_fusion_pass(xg_module *m) {
    return m->made[XG_DOT] && m->made[XG_GATHER] && xg_opt_each_sequence(m, xg_grouped_comp);
}

#endif /* XG_SCHED_GROUPED_C */
