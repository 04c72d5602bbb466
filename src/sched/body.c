/* sched/body.c -- making the computation of a block from those of others. */
#ifndef XG_SCHED_BODY_C
#define XG_SCHED_BODY_C
#include "sched.h"

XG_FN void xg_nbody_begin(xg_nbody *y, xg_loopnest *n, xg_str name) {
    memset(y, 0, sizeof *y);
    y->n = n;
    y->comp = xg_comp_new(n->module, name, NULL);
}
XG_FN bool xg_narg_same(const xg_narg *a, const xg_narg *b) {
    uint32_t k, n = a->kind == XG_NA_LOAD ? a->buf->rank : a->kind == XG_NA_INDEX ? 1 : 0;
    if (a->kind != b->kind || a->type != b->type || a->buf != b->buf || a->n_where != b->n_where ||
        (a->value != b->value && !(a->value && b->value && xg_literal_equal(a->value, b->value))))
        return false;
    for (k = 0; k < n; k++)
        if (a->at[k] != b->at[k]) return false;
    for (k = 0; k < a->n_where; k++)
        if (a->where[k].expr != b->where[k].expr || a->where[k].range.lo != b->where[k].range.lo ||
            a->where[k].range.hi != b->where[k].range.hi)
            return false;
    return true;
}
XG_FN xg_inst *xg_nbody_arg(xg_nbody *y, const xg_narg *a) {
    uint32_t k;
    for (k = 0; k < y->args.n; k++)
        if (xg_narg_same(&y->args.p[k], a)) return y->comp->params[k];
    xg_push(y->n->arena, xg_narg, &y->args, *a);
    return xg_comp_add_param(y->comp, xg_shape_scalar(y->n->module, a->type), XG_STR("x"));
}
XG_FN xg_inst *xg_nbody_copy(xg_nbody *y, const xg_comp *c, xg_inst *const *params) {
    xg_map64 at;
    xg_inst *operands[64];
    uint32_t k;
    xg_map64_init(&at, y->n->arena);
    XG_FOR_INSTS(i, c) {
        xg_inst *made;
        if (i->op == XG_PARAMETER) {
            xg_map64_put(&at, i->id, params[i->number]);
            continue;
        }
        if (i->n_operands > XG_COUNT(operands))
            xg_fail(y->n->ctx, XLAGPU_ERROR_LIMIT, "'%.*s' has more than %d operands", (int)i->name.n, i->name.p,
                (int)XG_COUNT(operands));
        for (k = 0; k < i->n_operands; k++) operands[k] = (xg_inst *)xg_map64_get(&at, XG_OPERAND(i, k)->id);
        made = xg_inst_clone(i, y->comp, operands, NULL);
        xg_map64_put(&at, i->id, made);
    }
    return (xg_inst *)xg_map64_get(&at, c->root->id);
}
XG_FN void xg_nbody_end(xg_nbody *y, xg_nblock *b, xg_inst *root) {
    uint32_t k, kept = 0;
    y->comp->root = root;
    for (k = 0; k < y->args.n; k++) {
        if (!y->comp->params[kept]->first_use && y->comp->params[kept] != root) {
            xg_comp_remove_param(y->comp, kept);
            continue;
        }
        y->args.p[kept++] = y->args.p[k];
    }
    b->args = y->args.p;
    b->n_args = kept;
    b->body = y->comp;
}
XG_FN xg_narg xg_narg_load(xg_nbuf *buf, const xg_aff **at) {
    xg_narg a;
    memset(&a, 0, sizeof a);
    a.kind = XG_NA_LOAD;
    a.type = buf->type;
    a.buf = buf;
    a.at = at;
    return a;
}

/* The same argument, which reads nothing where the constraints do not hold. */
XG_FN xg_narg xg_narg_within(xg_loopnest *n, const xg_narg *a, const xg_constraint *where, uint32_t n_where) {
    xg_narg to = *a;
    xg_constraint *both;
    if (a->kind != XG_NA_LOAD || !n_where) return to;
    both = XG_NEW_N(n->arena, xg_constraint, a->n_where + n_where);
    if (a->n_where) memcpy(both, a->where, a->n_where * sizeof *both);
    memcpy(both + a->n_where, where, n_where * sizeof *both);
    to.where = both;
    to.n_where += n_where;
    if (!to.value) to.value = xg_literal_new(n->arena, xg_shape_scalar(n->module, a->type));
    return to;
}
XG_FN xg_inst *xg_nbody_where(
    xg_nbody *y, const xg_constraint *where, uint32_t n_where, xg_inst *value, const xg_literal *otherwise) {
    xg_narg holds;
    xg_inst *in[3];
    if (!n_where) return value;
    memset(&holds, 0, sizeof holds);
    holds.kind = XG_NA_HOLDS;
    holds.type = XLAGPU_PRED;
    holds.where = where;
    holds.n_where = n_where;
    in[0] = xg_nbody_arg(y, &holds);
    in[1] = value;
    in[2] = xg_inst_new(y->comp, XG_CONSTANT, value->shape, NULL, 0, NULL, XG_STR("none"));
    in[2]->literal = otherwise;
    return xg_inst_new(y->comp, XG_SELECT, value->shape, in, 3, NULL, XG_STR(""));
}

#endif /* XG_SCHED_BODY_C */
