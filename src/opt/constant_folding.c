/* opt/constant_folding.c -- HloConstantFolding: an instruction whose operands are all constants becomes the constant
 * that the evaluator gives.
 *
 * Laws
 * - Broadcasts and iotas stay: they are cheaper than the memory that their values would take. So do copies and bitcasts
 *   (they are about layouts), control flow, whatever has effects or depends on the device, results that are tuples or
 *   dynamic, and elided constants, which have no values.
 * - Few elements that are made of constants and iotas alone, by a sum or a contraction somewhere on the way, are known
 *   as well (a window's weights): memory that holds them is cheaper than a kernel.
 * - Work is bounded, for an instruction and for the module, and so is the size of a result, in itself and against what
 *   it is made from. What is refused by the evaluator, for that or any other reason, simply stays.
 * - Computations are walked in the order of definition and instructions in program order, so chains fold in one
 * pass. */
#ifndef XG_OPT_CONSTANT_FOLDING_C
#define XG_OPT_CONSTANT_FOLDING_C
#include "opt.h"
#include "../eval/eval.h"

enum {
    XG_FOLD_WORK = 1 << 24,
    XG_FOLD_TOTAL = 1 << 27,
    XG_FOLD_BYTES = 45 * 1000 * 1000,
    XG_FOLD_GROWTH = 1 << 16,
    XG_FOLD_FEW = 1024 /* elements of each array that iotas lead to: what a kernel would need at least a launch for */
};

XG_FN bool xg_fold_never(const xg_inst *i) {
    if (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)) return true;
    switch (i->op) {
    case XG_CONSTANT:
    case XG_PARAMETER:
    case XG_IOTA:
    case XG_BROADCAST:
    case XG_COPY:
    case XG_BITCAST:
    case XG_REPLICA_ID:
    case XG_PARTITION_ID:
    case XG_RNG_BIT_GENERATOR:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_CALL:
    case XG_FUSION:
    case XG_WHILE:
    case XG_CONDITIONAL:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_AFTER_ALL:
    case XG_ADD_DEPENDENCY:
    case XG_ASYNC_UPDATE: return true;
    default: return false;
    }
}

XG_FN int64_t xg_fold_bytes(const xg_shape *s) {
    int64_t n;
    return xg_mul64(s->elements, xg_type_bytes(s->type), &n) ? n : INT64_MAX;
}

/* The size of a static array does not depend on its values. */
XG_FN bool xg_fold_is_size(const xg_inst *i) {
    return i->op == XG_GET_DIMENSION_SIZE && !XG_OPERAND(i, 0)->shape->dynamic;
}

XG_FN bool xg_fold_can(const xg_inst *i) {
    int64_t in = 0, out;
    uint32_t k;
    if (xg_fold_never(i) || !xg_shape_is_array(i->shape) || i->shape->dynamic || xg_inst_order(i)) return false;
    if (xg_fold_is_size(i)) return true;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(i, k);
        if (o->op != XG_CONSTANT || o->literal->elided || !xg_shape_is_array(o->shape) || o->shape->dynamic)
            return false;
        in += XG_MIN(xg_fold_bytes(o->shape), (int64_t)XG_FOLD_BYTES);
    }
    out = xg_fold_bytes(i->shape);
    return i->n_operands > 0 && out <= XG_FOLD_BYTES && (out <= in || out <= XG_FOLD_GROWTH);
}

/* What is known of an instruction that is made of constants and iotas. */
typedef struct xg_fold_known {
    bool is_known, condenses; /* it may be evaluated; a sum or a contraction is in it */
    bool is_needed, is_last;  /* for one that is last: its value is read by what is not known */
    const xg_literal *value;  /* NULL: not evaluated, or refused */
} xg_fold_known;
XG_FN xg_fold_known *xg_fold_of(const xg_inst *i) { return (xg_fold_known *)i->scratch; }
XG_ONE_COPY XG_FN const xg_literal *xg_fold_literal(const xg_inst *i) {
    return i->op == XG_CONSTANT ? i->literal : xg_fold_of(i)->value;
}

/* The value, or NULL; `work` is what the module may still spend, and less afterwards. */
XG_FN const xg_literal *xg_fold_value(const xg_inst *i, int64_t *work) {
    const xg_literal **operands = XG_NEW_N(i->comp->module->arena, const xg_literal *, i->n_operands);
    const xg_literal *value;
    xg_eval_options o;
    uint64_t spent = 0;
    uint32_t k;
    memset(&o, 0, sizeof o);
    o.max_work = (uint64_t)XG_MIN(*work, (int64_t)XG_FOLD_WORK);
    o.may_refuse = true;
    o.spent = &spent;
    *work -= i->shape->elements + 1;
    for (k = 0; k < i->n_operands; k++) {
        operands[k] = xg_fold_literal(XG_OPERAND(i, k));
        *work -= XG_OPERAND(i, k)->shape->elements;
    }
    value = xg_eval_inst_const(i, i->comp->module->arena, operands, &o);
    *work -= (int64_t)spent;
    return value;
}

XG_FN const xg_literal *xg_fold_size(const xg_inst *i) {
    xg_literal *l = xg_literal_new(i->comp->module->arena, i->shape);
    xg_literal_set_int(l, 0, XG_OPERAND(i, 0)->shape->dims[xg_attr_dims(i).p[0]]);
    return l;
}

XG_FN void xg_fold_replace(xg_inst *i, const xg_literal *value) {
    xg_inst *constant = xg_inst_new(i->comp, XG_CONSTANT, i->shape, NULL, 0, i, XG_STR("constant"));
    const xg_attr *metadata = xg_inst_attr(i, XG_A_metadata);
    xg_literal *l = XG_NEW(i->comp->module->arena, xg_literal);
    *l = *value;
    l->shape = i->shape;
    constant->literal = l;
    constant->source_at = i->source_at;
    if (metadata) xg_inst_set_attr(constant, *metadata);
    xg_inst_replace(i, constant);
    xg_inst_remove(i);
}

/* ---- few elements, of constants and iotas ---- */

XG_FN bool xg_fold_condenses(const xg_inst *i) {
    return i->op == XG_REDUCE || i->op == XG_DOT || i->op == XG_CONVOLUTION || i->op == XG_REDUCE_WINDOW;
}
XG_FN bool xg_fold_sums_few(const xg_inst *i) {
    return xg_fold_condenses(i) && XG_OPERAND(i, 0)->shape->elements <= XG_FOLD_FEW;
}
/* The same values, at other places or more often. */
XG_FN bool xg_fold_moves(const xg_inst *i) {
    switch (i->op) {
    case XG_BROADCAST:
    case XG_RESHAPE:
    case XG_TRANSPOSE:
    case XG_SLICE:
    case XG_REVERSE: return true;
    default: return false;
    }
}
XG_FN void xg_fold_look(const xg_inst *i) {
    xg_fold_known *known = xg_fold_of(i);
    uint32_t k;
    if (!xg_shape_is_array(i->shape) || i->shape->dynamic || i->shape->elements > XG_FOLD_FEW || xg_inst_order(i))
        return;
    if (i->op == XG_CONSTANT || i->op == XG_IOTA) {
        known->is_known = i->op == XG_IOTA || !i->literal->elided;
        return;
    }
    known->condenses = xg_fold_condenses(i);
    if (!i->n_operands || (!known->condenses && !xg_fold_moves(i) && !(xg_op_flags(i->op) & XGF_EW))) return;
    for (k = 0; k < i->n_operands; k++) {
        if (!xg_fold_of(XG_OPERAND(i, k))->is_known) return;
        known->condenses = known->condenses || xg_fold_of(XG_OPERAND(i, k))->condenses;
    }
    known->is_known = true;
}
/* Behind it comes what is not known, or no more than another place for it. */
XG_FN bool xg_fold_is_last(const xg_inst *i) {
    const xg_fold_known *known = xg_fold_of(i);
    if (!known->is_known || !known->condenses || xg_fold_moves(i)) return false;
    if (i == i->comp->root) return true;
    XG_FOR_USES(u, i)
        if (!xg_fold_of(u->user)->is_known || (xg_fold_moves(u->user) && u->user->op != XG_BROADCAST)) return true;
    return false;
}
/* From the last of them back: what their values are made of. Answers whether there are any. */
XG_FN bool xg_fold_need(const xg_comp *c) {
    const xg_inst *i;
    bool some = false;
    uint32_t k;
    for (i = c->last; i; i = i->prev) {
        xg_fold_known *known = xg_fold_of(i);
        known->is_last = xg_fold_is_last(i);
        known->is_needed = known->is_needed || known->is_last;
        some = some || known->is_last;
        for (k = 0; known->is_needed && k < i->n_operands; k++) xg_fold_of(XG_OPERAND(i, k))->is_needed = true;
    }
    return some;
}
XG_FN bool xg_fold_has_operands(const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_fold_literal(XG_OPERAND(i, k))) return false;
    return true;
}
/* Not in fusions: those that a module comes with are kernels as they are. */
XG_FN bool xg_fold_few(xg_comp *c) {
    xg_fold_known *known;
    int64_t work = XG_FOLD_WORK;
    bool changed = false, counts = false, sums = false;
    uint32_t at = 0;
    xg_inst *i, *next;
    XG_FOR_INSTS(j, c) {
        if (j->op == XG_IOTA) counts = counts || j->shape->elements <= XG_FOLD_FEW;
        sums = sums || xg_fold_sums_few(j);
    }
    if (!counts || !sums) return false;
    known = XG_NEW_N(c->module->work, xg_fold_known, c->n_insts + (size_t)1);
    XG_FOR_INSTS(j, c) {
        j->scratch = &known[at++];
        xg_fold_look(j);
    }
    if (!xg_fold_need(c)) return false;
    for (i = c->first; i && work > 0; i = next) {
        xg_fold_known *own = xg_fold_of(i);
        next = xg_inst_behind(i);
        if (!own->is_needed || i->op == XG_CONSTANT || !xg_fold_has_operands(i)) continue;
        own->value = xg_fold_value(i, &work);
        if (!own->value || !own->is_last) continue;
        xg_fold_replace(i, own->value);
        changed = true;
    }
    return changed;
}

/* Keeps layouts and the schedule's order; what has lost its last user stays for dce. */
XG_FN bool xg_opt_constant_folding(xg_module *m) {
    int64_t work = XG_FOLD_TOTAL;
    bool changed = false, few = false; /* few: sums of few elements */
    xg_comp *c;
    for (c = m->first; c; c = xg_comp_behind(c)) {
        xg_inst *i = c->first, *next;
        for (; i && work > 0; i = next) {
            const xg_literal *value;
            next = xg_inst_behind(i);
            few = few || xg_fold_sums_few(i);
            if (!xg_fold_can(i)) continue;
            value = xg_fold_is_size(i) ? xg_fold_size(i) : xg_fold_value(i, &work);
            if (!value) continue;
            xg_fold_replace(i, value);
            changed = true;
        }
    }
    return (m->made[XG_IOTA] && (few || work <= 0) && xg_opt_each_sequence(m, xg_fold_few)) || changed;
}

#endif /* XG_OPT_CONSTANT_FOLDING_C */
