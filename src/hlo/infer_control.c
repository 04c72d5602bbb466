/* hlo/infer_control.c -- the result shapes of tuples, calls, control flow and asynchronous pairs, and the signatures
 * that the called computations must have.
 *
 * A computation that is called takes exactly the operands' shapes and gives exactly the result's, but for layouts. */
#ifndef XG_HLO_INFER_CONTROL_C
#define XG_HLO_INFER_CONTROL_C
#include "infer_common.c"

static const xg_shape *xg_infer_tuple(xg_module *m, const xg_inst *i) {
    return xg_infer_tuple_of(m, i, i->n_operands, false);
}

static const xg_shape *xg_infer_get_tuple_element(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_infer_operand(i, 0);
    int64_t k = xg_attr_int(i, XG_A_index, -1);
    XG_RULE(i, s->type == XLAGPU_TUPLE, "the operand must be a tuple, but is %s", xg_infer_text(i, s));
    XG_RULE(i, k >= 0 && k < (int64_t)s->n_elems, "index=%lld is not an element of %s, which has %u", (long long)k,
        xg_infer_text(i, s), s->n_elems);
    return xg_shape_fill_layout(m, s->elems[k]);
}

/* Parameter k of a called computation takes operand `operand`. */
static void xg_want_argument(const xg_inst *i, xg_attr_key key, const xg_comp *c, uint32_t k, uint32_t operand) {
    XG_RULE(i, xg_shape_agrees(c->params[k]->shape, xg_infer_operand(i, operand)),
        "operand %u is %s, but parameter %u of %s=%.*s is %s", operand, xg_infer_operand_text(i, operand), k,
        xg_attr_name(key), (int)c->name.n, c->name.p, xg_infer_text(i, c->params[k]->shape));
}
static xg_comp *xg_want_callee(const xg_inst *i, xg_attr_key key) {
    xg_comp *c = xg_want_comp(i, key, i->n_operands);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) xg_want_argument(i, key, c, k, k);
    return c;
}

/* output_to_operand_aliasing: both indices exist and their shapes agree. */
static const xg_shape *xg_infer_shape_at(const xg_shape *s, xg_ints index) {
    uint32_t k;
    for (k = 0; s && k < index.n; k++)
        s = s->type == XLAGPU_TUPLE && index.p[k] >= 0 && index.p[k] < (int64_t)s->n_elems ? s->elems[index.p[k]]
                                                                                           : NULL;
    return s;
}
static void xg_want_aliases(const xg_inst *i, const xg_shape *result) {
    const xg_attr *a = xg_inst_attr(i, XG_A_output_to_operand_aliasing);
    uint32_t k;
    for (k = 0; a && k < a->v.aliases->n; k++) {
        const xg_alias *v = &a->v.aliases->p[k];
        const xg_shape *out = xg_infer_shape_at(result, v->output), *in;
        XG_RULE(i, out != NULL, "output_to_operand_aliasing names output %s, but the result is %s",
            xg_infer_ints_text(i, v->output), xg_infer_text(i, result));
        XG_RULE(i, v->operand >= 0 && v->operand < (int64_t)i->n_operands,
            "output_to_operand_aliasing names operand %lld, but there are %u", (long long)v->operand, i->n_operands);
        in = xg_infer_shape_at(xg_infer_operand(i, (uint32_t)v->operand), v->operand_index);
        XG_RULE(i, in != NULL, "output_to_operand_aliasing names index %s of operand %lld, which is %s",
            xg_infer_ints_text(i, v->operand_index), (long long)v->operand,
            xg_infer_operand_text(i, (uint32_t)v->operand));
        /* a pinned buffer, b(f32[4]), holds an array; pinning and taking back share its memory */
        out = xg_shape_held(out);
        in = xg_shape_held(in);
        XG_RULE(i, xg_shape_agrees(out, in), "output %s is %s, but it is to share the buffer of %s",
            xg_infer_ints_text(i, v->output), xg_infer_text(i, out), xg_infer_text(i, in));
    }
}

static const xg_shape *xg_infer_call(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_callee(i, XG_A_to_apply)->root->shape;
    xg_want_aliases(i, s);
    return xg_shape_fill_layout(m, s);
}
static const xg_shape *xg_infer_fusion(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_callee(i, XG_A_calls)->root->shape;
    xg_want_aliases(i, s);
    return xg_shape_fill_layout(m, s);
}

static const xg_shape *xg_infer_while(xg_module *m, const xg_inst *i) {
    xg_comp *cond = xg_want_callee(i, XG_A_condition), *body = xg_want_callee(i, XG_A_body);
    xg_want_pred_root(i, XG_A_condition, cond);
    XG_RULE(i, xg_shape_agrees(body->root->shape, xg_infer_operand(i, 0)),
        "body=%.*s must give the shape that it takes, but is %s", (int)body->name.n, body->name.p,
        xg_infer_signature(i, body));
    return xg_shape_fill_layout(m, xg_infer_operand(i, 0));
}

static void xg_want_branch(const xg_inst *i, xg_attr_key key, const xg_comp *c, uint32_t k, const xg_shape *result) {
    XG_RULE(i, c && c->root && c->n_params == 1 && c->params[0],
        "branch %u, %.*s, must take one parameter, but takes %u", k, c ? (int)c->name.n : 0, c ? c->name.p : "",
        c ? c->n_params : 0);
    xg_want_argument(i, key, c, 0, k + 1);
    XG_RULE(i, !result || xg_shape_agrees(c->root->shape, result),
        "all branches must give the same shape, but branch 0 gives %s and branch %u gives %s", xg_infer_text(i, result),
        k, xg_infer_text(i, c->root->shape));
}
static const xg_shape *xg_infer_conditional(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_infer_operand(i, 0);
    const xg_attr *a = xg_inst_attr(i, XG_A_branch_computations);
    xg_comp *t = xg_attr_comp(i, XG_A_true_computation), *f = xg_attr_comp(i, XG_A_false_computation), *pair[2];
    xg_comps branches;
    uint32_t k;
    XG_RULE(i, (a != NULL) != (t || f),
        "there must be either branch_computations, or true_computation and false_computation");
    XG_RULE(i, a || (t && f), "true_computation and false_computation must come together");
    pair[0] = t;
    pair[1] = f;
    branches.n = 2;
    branches.p = pair;
    if (a) branches = *a->v.comps;
    XG_RULE(i, xg_shape_is_scalar(s) && (s->type == XLAGPU_PRED || s->type == XLAGPU_S32),
        "operand 0 must be pred[] or s32[], but is %s", xg_infer_text(i, s));
    XG_RULE(i, s->type == XLAGPU_S32 ? a != NULL : branches.n == 2,
        s->type == XLAGPU_S32 ? "an s32[] index needs branch_computations" : "a pred[] needs two branches");
    XG_RULE(i, branches.n >= 1, "there must be at least one branch");
    XG_RULE(i, i->n_operands == branches.n + 1,
        "there must be one operand for each of the %u branches, but there are %u", branches.n, i->n_operands - 1);
    for (k = 0; k < branches.n; k++) {
        xg_attr_key key = a ? XG_A_branch_computations : k == 0 ? XG_A_true_computation : XG_A_false_computation;
        xg_want_branch(i, key, branches.p[k], k, k ? branches.p[0]->root->shape : NULL);
    }
    return xg_shape_fill_layout(m, branches.p[0]->root->shape);
}

/* ---- tokens ---- */

static const xg_shape *xg_infer_after_all(xg_module *m, const xg_inst *i) {
    (void)i; /* it waits for values of any shape */
    return xg_infer_token(m);
}
static const xg_shape *xg_infer_add_dependency(xg_module *m, const xg_inst *i) {
    xg_want_token(i, 1);
    return xg_shape_fill_layout(m, xg_infer_operand(i, 0));
}

/* ---- asynchronous execution of a computation ---- */

/* Of the shape ((parameters...), result, contexts...). */
static void xg_want_async_shape(const xg_inst *i, const xg_shape *s, const xg_comp *c) {
    const xg_shape *args;
    uint32_t k;
    bool ok;
    XG_RULE(i, s->type == XLAGPU_TUPLE && s->n_elems >= 2,
        "an asynchronous operation is of the shape ((operands...), result, ...), but this is %s", xg_infer_text(i, s));
    args = s->elems[0];
    ok = args->type == XLAGPU_TUPLE && args->n_elems == c->n_params;
    for (k = 0; ok && k < c->n_params; k++) ok = c->params[k] && xg_shape_agrees(args->elems[k], c->params[k]->shape);
    XG_RULE(i, ok, "element 0 of %s must be the tuple of the parameters of %.*s: %s", xg_infer_text(i, s),
        (int)c->name.n, c->name.p, xg_infer_signature(i, c));
    XG_RULE(i, c->root && xg_shape_agrees(s->elems[1], c->root->shape),
        "element 1 of %s must be the result of %.*s: %s", xg_infer_text(i, s), (int)c->name.n, c->name.p,
        xg_infer_signature(i, c));
}
static const xg_shape *xg_infer_async_start(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_given(i);
    xg_comp *c = xg_want_callee(i, XG_A_calls);
    xg_want_async_shape(i, s, c);
    xg_want_aliases(i, s);
    return xg_shape_fill_layout(m, s);
}
/* The start of an operation that an update or done continues: the chain is followed with a bound, since infer runs
 * before anything is verified. */
static const xg_inst *xg_infer_async_origin(const xg_inst *i) {
    uint32_t steps;
    for (steps = 0; i && steps < 64; steps++) {
        if (i->op == XG_ASYNC_START) return i;
        if ((i->op != XG_ASYNC_UPDATE && i->op != XG_ASYNC_DONE) || i->n_operands != 1) return NULL;
        if (xg_inst_attr(i, XG_A_calls)) return i;
        i = XG_OPERAND(i, 0);
    }
    return NULL;
}
static const xg_shape *xg_want_async_operand(const xg_inst *i) {
    const xg_inst *o = XG_OPERAND(i, 0), *from = xg_infer_async_origin(o);
    xg_comp *c = xg_attr_calls(i), *of = from ? xg_attr_calls(from) : NULL;
    XG_RULE(i, o->op == XG_ASYNC_START || o->op == XG_ASYNC_UPDATE,
        "the operand must be an async-start or async-update, but is %s", xg_op_name(o->op));
    XG_RULE(i, !c || !of || c == of, "calls=%.*s must be what the start calls: %.*s", (int)(c ? c->name.n : 0),
        c ? c->name.p : "", (int)(of ? of->name.n : 0), of ? of->name.p : "");
    if (of) xg_want_async_shape(i, o->shape, of);
    XG_RULE(i, o->shape->type == XLAGPU_TUPLE && o->shape->n_elems >= 2,
        "the operand must be of the shape ((operands...), result, ...), but is %s", xg_infer_text(i, o->shape));
    return o->shape;
}
static const xg_shape *xg_infer_async_update(xg_module *m, const xg_inst *i) {
    return xg_shape_fill_layout(m, xg_want_async_operand(i));
}
static const xg_shape *xg_infer_async_done(xg_module *m, const xg_inst *i) {
    return xg_shape_fill_layout(m, xg_want_async_operand(i)->elems[1]);
}

#endif /* XG_HLO_INFER_CONTROL_C */
