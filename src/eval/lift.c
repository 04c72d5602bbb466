/* eval/lift.c -- scalar computations (the to_apply of reduce, sort, scatter ...) over many elements at once.
 *
 * A computation of elementwise instructions on scalars means the same on arrays. It is flattened once into a list of
 * steps on registers, each register a block of elements: parameters, constants, and one for each instruction; calls are
 * inlined, tuples are lists of registers. What does not flatten (a loop inside a reducer) is run element by element in
 * frames. */
#ifndef XG_EVAL_LIFT_C
#define XG_EVAL_LIFT_C
#include "eval.h"

enum {
    XG_LIFT_STEPS = 4096,
    XG_LIFT_DEPTH = 32
};

/* an instruction's registers: one, or those of a flat tuple */
typedef struct xg_lift_value {
    uint32_t n;
    uint32_t *regs;
} xg_lift_value;
typedef struct xg_lift_step {
    xg_ew e;
    uint32_t in[3], out;
} xg_lift_step;
typedef struct xg_lift_reg {
    xlagpu_type type;
    unsigned char *block;
} xg_lift_reg; /* block NULL: a parameter */
typedef XG_VEC(xg_lift_step) xg_lift_steps;
typedef XG_VEC(xg_lift_reg) xg_lift_regs;
struct xg_lift {
    xg_lift_steps steps;
    xg_lift_regs regs;
    const void **at; /* where each register's elements are now */
    xg_lift_value results;
};
typedef struct xg_lift xg_lift;

XG_FN uint32_t xg_lift_reg_new(xg_eval_run *r, xg_lift *l, xlagpu_type type, bool block) {
    xg_lift_reg reg;
    reg.type = type;
    reg.block = block ? (unsigned char *)xg_alloc_raw(&r->mem, XG_EVAL_BLOCK * (size_t)xg_type_bytes(type)) : NULL;
    xg_push(&r->mem, xg_lift_reg, &l->regs, reg);
    return l->regs.n - 1;
}

XG_FN xg_lift_value xg_lift_one(xg_eval_run *r, uint32_t reg) {
    xg_lift_value v;
    v.n = 1;
    v.regs = XG_NEW(&r->mem, uint32_t);
    v.regs[0] = reg;
    return v;
}

XG_FN bool xg_lift_scalar(const xg_shape *s) { return xg_shape_is_array(s) && s->rank == 0; }

/* Opcodes that give their first operand's bytes when both are scalars. */
XG_FN bool xg_lift_alias(const xg_inst *i) {
    const xg_shape *from = i->n_operands ? XG_OPERAND(i, 0)->shape : NULL;
    switch (i->op) {
    case XG_COPY:
    case XG_RESHAPE:
    case XG_BROADCAST:
    case XG_TRANSPOSE:
    case XG_OPT_BARRIER: return true;
    case XG_BITCAST:
    case XG_BITCAST_CONVERT:
        return from && xg_lift_scalar(from) &&
               (from->type == i->shape->type || (xg_type_bits(from->type) == xg_type_bits(i->shape->type) &&
                                                    xg_type_bits(from->type) == 8 * xg_type_bytes(from->type)));
    default: return false;
    }
}

XG_FN bool xg_lift_comp(
    xg_eval_run *r, xg_lift *l, const xg_comp *c, const xg_lift_value *args, xg_lift_value *result, uint32_t depth);

XG_FN bool xg_lift_inst(
    xg_eval_run *r, xg_lift *l, const xg_inst *i, const xg_lift_value *in, xg_lift_value *out, uint32_t depth) {
    xg_lift_step step;
    uint32_t k;
    if (i->op == XG_GET_TUPLE_ELEMENT) {
        *out = xg_lift_one(r, in[0].regs[xg_attr_index(i)]);
        return true;
    }
    if (i->op == XG_CALL) return xg_lift_comp(r, l, xg_attr_to_apply(i), in, out, depth + 1);
    if (i->op == XG_FUSION) return xg_lift_comp(r, l, xg_attr_calls(i), in, out, depth + 1);
    if (i->op == XG_TUPLE) {
        out->n = i->n_operands;
        out->regs = XG_NEW_N(&r->mem, uint32_t, i->n_operands);
        for (k = 0; k < i->n_operands; k++) {
            if (!xg_lift_scalar(XG_OPERAND(i, k)->shape)) return false;
            out->regs[k] = in[k].regs[0];
        }
        return true;
    }
    if (!xg_lift_scalar(i->shape)) return false;
    if (xg_lift_alias(i)) {
        *out = in[0];
        return true;
    }
    if (i->op == XG_CONSTANT) {
        uint32_t reg;
        if (!i->literal->data) return false;
        reg = xg_lift_reg_new(r, l, i->shape->type, true);
        xg_eval_fill(l->regs.p[reg].block, (const unsigned char *)i->literal->data,
            (size_t)xg_type_bytes(i->shape->type), XG_EVAL_BLOCK);
        *out = xg_lift_one(r, reg);
        return true;
    }
    if (!(xg_op_flags(i->op) & XGF_EW) || l->steps.n >= XG_LIFT_STEPS) return false;
    memset(&step, 0, sizeof step);
    xg_ew_prepare(r, i, &step.e);
    for (k = 0; k < i->n_operands; k++) step.in[k] = in[k].regs[0];
    step.out = xg_lift_reg_new(r, l, i->shape->type, true);
    xg_push(&r->mem, xg_lift_step, &l->steps, step);
    *out = xg_lift_one(r, step.out);
    return true;
}

XG_FN bool xg_lift_comp(
    xg_eval_run *r, xg_lift *l, const xg_comp *c, const xg_lift_value *args, xg_lift_value *result, uint32_t depth) {
    const xg_eval_plan *p = xg_eval_plan_of(r, c);
    xg_lift_value *values = XG_NEW_N(&r->mem, xg_lift_value, p->n), *in;
    uint32_t at, k;
    if (depth > XG_LIFT_DEPTH) return false;
    for (at = 0; at < p->n; at++) {
        const xg_inst *i = p->insts[at];
        if (p->last[at] == UINT32_MAX) continue;
        if (i->op == XG_PARAMETER) {
            values[at] = args[i->number];
            continue;
        }
        in = XG_NEW_N(&r->mem, xg_lift_value, i->n_operands);
        for (k = 0; k < i->n_operands; k++) in[k] = values[r->position[XG_OPERAND(i, k)->id]];
        if (!xg_lift_inst(r, l, i, in, &values[at], depth)) return false;
    }
    *result = values[r->position[c->root->id]];
    return true;
}

/* A result that is a parameter itself could be overwritten before it is copied out, where there are several results. */
XG_FN void xg_lift_copy_results(xg_eval_run *r, xg_lift *l) {
    uint32_t k;
    for (k = 0; k < l->results.n && l->results.n > 1; k++) {
        xg_lift_step step;
        uint32_t from = l->results.regs[k];
        if (l->regs.p[from].block) continue;
        memset(&step, 0, sizeof step);
        step.e.op = XG_CONVERT;
        step.e.n_in = 1;
        step.e.in_type[0] = step.e.out_type = l->regs.p[from].type;
        step.e.kernel = xg_eval_kernel_convert;
        step.in[0] = from;
        step.out = xg_lift_reg_new(r, l, l->regs.p[from].type, true);
        xg_push(&r->mem, xg_lift_step, &l->steps, step);
        l->results.regs[k] = step.out;
    }
}

/* NULL when c cannot be flattened. */
XG_FN xg_lift *xg_lift_of(xg_eval_run *r, const xg_comp *c) {
    xg_eval_plan *p = xg_eval_plan_of(r, c);
    xg_lift *l;
    xg_lift_value *args, results;
    uint32_t k;
    if (p->lift || p->no_lift) return p->lift;
    l = XG_NEW(&r->mem, xg_lift);
    p->no_lift = true;
    args = XG_NEW_N(&r->mem, xg_lift_value, c->n_params);
    for (k = 0; k < c->n_params; k++) {
        if (!xg_lift_scalar(c->params[k]->shape)) return NULL;
        args[k] = xg_lift_one(r, xg_lift_reg_new(r, l, c->params[k]->shape->type, false));
    }
    if (!xg_lift_comp(r, l, c, args, &results, 0)) return NULL;
    l->results.n = results.n;
    l->results.regs = XG_NEW_N(&r->mem, uint32_t, results.n);
    if (results.n) memcpy(l->results.regs, results.regs, results.n * sizeof *results.regs);
    xg_lift_copy_results(r, l);
    l->at = XG_NEW_N(&r->mem, const void *, l->regs.n);
    p->no_lift = false;
    return p->lift = l;
}

/* One block. The last of the steps writes straight to the only result. */
XG_FN void xg_lift_block(xg_lift *l, const void *const *params, uint32_t n_params, void *const *results, size_t n) {
    uint32_t k, s, o;
    for (k = 0; k < l->regs.n; k++) l->at[k] = k < n_params ? params[k] : l->regs.p[k].block;
    for (s = 0; s < l->steps.n; s++) {
        const xg_lift_step *step = &l->steps.p[s];
        const void *in[3] = {NULL, NULL, NULL};
        bool direct = s + 1 == l->steps.n && l->results.n == 1 && l->results.regs[0] == step->out;
        for (o = 0; o < step->e.n_in; o++) in[o] = l->at[step->in[o]];
        xg_ew_block(&step->e, direct ? results[0] : l->regs.p[step->out].block, in, n);
        if (direct) return;
    }
    for (k = 0; k < l->results.n; k++) {
        uint32_t reg = l->results.regs[k];
        if (results[k] != l->at[reg]) memmove(results[k], l->at[reg], n * (size_t)xg_type_bytes(l->regs.p[reg].type));
    }
}

/* One element after another, each in a frame. */
XG_FN void xg_eval_apply_frames(
    xg_eval_run *r, const xg_comp *c, const void *const *params, void *const *results, size_t n) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value **args = XG_NEW_N(&r->stack, xg_value *, c->n_params), *v;
    size_t e;
    uint32_t k;
    for (e = 0; e < n; e++) {
        for (k = 0; k < c->n_params; k++) {
            size_t bytes = (size_t)xg_type_bytes(c->params[k]->shape->type);
            args[k] = xg_eval_new(r, c->params[k]->shape);
            memcpy(args[k]->data, (const char *)params[k] + e * bytes, bytes);
        }
        v = xg_eval_frame(r, c, args);
        if (v->elems)
            for (k = 0; k < v->shape->n_elems; k++)
                memcpy((char *)results[k] + e * (size_t)xg_type_bytes(v->elems[k]->shape->type), v->elems[k]->data,
                    (size_t)xg_type_bytes(v->elems[k]->shape->type));
        else
            memcpy((char *)results[0] + e * (size_t)xg_type_bytes(v->shape->type), v->data,
                (size_t)xg_type_bytes(v->shape->type));
        xg_eval_drop(r, v);
    }
    xg_arena_reset(&r->stack, mark);
}

XG_FN void xg_eval_apply(xg_eval_run *r, const xg_comp *c, const void *const *params, void *const *results, size_t n) {
    xg_lift *l = xg_lift_of(r, c);
    xg_mark mark;
    const void **p;
    void **q;
    size_t at;
    uint32_t k;
    xg_eval_spend(r, (int64_t)n);
    if (!l) {
        xg_eval_apply_frames(r, c, params, results, n);
        return;
    }
    if (n <= XG_EVAL_BLOCK) {
        if (n) xg_lift_block(l, params, c->n_params, results, n);
        return;
    }
    mark = xg_arena_mark(&r->stack);
    p = XG_NEW_N(&r->stack, const void *, c->n_params);
    q = XG_NEW_N(&r->stack, void *, l->results.n);
    for (at = 0; at < n; at += XG_EVAL_BLOCK) {
        for (k = 0; k < c->n_params; k++)
            p[k] = (const char *)params[k] + at * (size_t)xg_type_bytes(c->params[k]->shape->type);
        for (k = 0; k < l->results.n; k++)
            q[k] = (char *)results[k] + at * (size_t)xg_type_bytes(l->regs.p[l->results.regs[k]].type);
        xg_lift_block(l, p, c->n_params, q, XG_MIN(n - at, (size_t)XG_EVAL_BLOCK));
    }
    xg_arena_reset(&r->stack, mark);
}

XG_FN xg_opcode xg_eval_single(const xg_comp *c) {
    const xg_inst *i = c->root;
    if (i->n_operands != 2 || c->n_params != 2) return XG_PARAMETER;
    if (XG_OPERAND(i, 0)->op != XG_PARAMETER || XG_OPERAND(i, 1)->op != XG_PARAMETER ||
        XG_OPERAND(i, 0) == XG_OPERAND(i, 1))
        return XG_PARAMETER;
    return i->op;
}

#endif /* XG_EVAL_LIFT_C */
