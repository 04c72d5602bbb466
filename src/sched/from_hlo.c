/* sched/from_hlo.c -- elements of a fused computation as what a block computes: an instruction at given indices becomes
 * scalar operations over reads of parameters, and over reads of the arrays that the nest keeps for some
 * instructions. */
#ifndef XG_SCHED_FROM_HLO_C
#define XG_SCHED_FROM_HLO_C
#include "sched.h"

enum {
    XG_NFROM_DEPTH = 64,
    XG_NFROM_NODES = 256
};
/* Dimensions as they lie in memory, and indices in that order. */
XG_FN void xg_nfrom_physical(const xg_shape *s, const int64_t *from, int64_t *to) {
    uint32_t k;
    for (k = 0; k < s->rank; k++) to[k] = from[s->layout ? (uint32_t)s->layout->minor_to_major[s->rank - 1 - k] : k];
}
XG_FN const xg_aff **xg_nfrom_at(xg_loopnest *n, const xg_shape *s, const xg_aff *const *at) {
    const xg_aff **to = XG_NEW_N(n->arena, const xg_aff *, s->rank);
    uint32_t k;
    for (k = 0; k < s->rank; k++) to[k] = at[s->layout ? (uint32_t)s->layout->minor_to_major[s->rank - 1 - k] : k];
    return to;
}
XG_FN xg_nbuf *xg_nfrom_buf(xg_loopnest *n, xg_str name, const xg_shape *s) {
    int64_t dims[XG_RANK_MAX];
    xg_nfrom_physical(s, s->dims, dims);
    return xg_nest_buf(n, name, s->type, dims, s->rank, XG_NS_GLOBAL);
}
/* Types and layouts that a nest has arrays of. */
XG_FN bool xg_nfrom_holds(const xg_shape *s) {
    return xg_shape_is_array(s) && !s->dynamic && s->elements != 0 && !(xg_type_class(s->type) & XGT_C) &&
           xg_type_bits(s->type) >= 8 && !(s->layout && s->layout->extras.n);
}
/* The edge that a pad adds is a constant. */
XG_FN bool xg_nfrom_takes_pad(xg_aff_ctx *x, const xg_inst *i) {
    const xg_imap *m = xg_indexing_operand(x, i, 0);
    const xg_inst *edge = XG_OPERAND(i, 1);
    return edge->op == XG_CONSTANT && !edge->literal->elided && xg_imap_ok(m) && !m->n_syms && !m->n_rts;
}
/* May elements of it be made so? Asked of all instructions before anything is. */
XG_APART XG_FN bool xg_nfrom_takes(xg_aff_ctx *x, const xg_inst *i) {
    const xg_imap *m;
    if (!xg_nfrom_holds(i->shape))
        return i->shape->type == XLAGPU_PRED && xg_shape_is_array(i->shape) && !i->shape->dynamic &&
               i->shape->elements && (xg_op_flags(i->op) & XGF_EW);
    if (i->op == XG_PARAMETER || i->op == XG_IOTA) return true;
    if (i->op == XG_CONSTANT) return i->shape->elements == 1 && i->literal && !i->literal->elided;
    if (i->op == XG_PAD) return xg_nfrom_takes_pad(x, i);
    if (xg_op_flags(i->op) & XGF_EW) return i->n_operands > 0;
    switch (i->op) {
    case XG_BROADCAST:
    case XG_TRANSPOSE:
    case XG_RESHAPE:
    case XG_BITCAST:
    case XG_SLICE:
    case XG_REVERSE: break;
    default: return false;
    }
    m = xg_indexing_operand(x, i, 0);
    return xg_imap_ok(m) && !m->n_syms && !m->n_rts && !m->n_constraints;
}
XG_FN xg_inst *xg_nfrom_value(xg_nfrom *f, const xg_inst *i, const xg_aff *const *at);
XG_FN xg_inst *xg_nfrom_convert(xg_nfrom *f, xg_inst *x, xlagpu_type t);
XG_FN xg_inst *xg_nfrom_load(xg_nfrom *f, xg_nbuf *buf, const xg_aff **at) {
    xg_narg load = xg_narg_load(buf, at), a = xg_narg_within(f->y.n, &load, f->where, f->n_where);
    return xg_nbody_arg(&f->y, &a);
}
XG_FN xg_inst *xg_nfrom_elementwise(xg_nfrom *f, const xg_inst *i, const xg_aff *const *at) {
    xg_loopnest *n = f->y.n;
    xg_inst *in[3], *made;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(i, k);
        in[k] = xg_nfrom_value(f, o, o->shape->rank ? at : NULL);
    }
    made =
        xg_inst_new(f->y.comp, i->op, xg_shape_scalar(n->module, i->shape->type), in, i->n_operands, NULL, XG_STR(""));
    made->attrs = i->attrs;
    made->n_attrs = i->n_attrs;
    made->kinds = i->kinds;
    return made;
}
/* The constraints of a map at these indices become those of what is read; those that always hold are left out. */
XG_FN void xg_nfrom_edges(xg_nfrom *f, const xg_imap *m, const xg_aff *const *at) {
    xg_loopnest *n = f->y.n;
    xg_aff_env env = xg_nest_env(n);
    xg_aff_rewrite w = xg_aff_rewrite_begin(&env, at, m->n_dims, NULL, 0);
    xg_constraint *to = XG_NEW_N(n->arena, xg_constraint, f->n_where + m->n_constraints + 1);
    uint32_t k;
    if (f->n_where) memcpy(to, f->where, f->n_where * sizeof *to);
    for (k = 0; k < m->n_constraints; k++) {
        xg_constraint c = m->constraints[k];
        c.expr = xg_aff_rewrite_one(&w, c.expr);
        if (!c.expr) xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "an index has grown too large");
        if (!xg_range_within(xg_aff_range(&env, c.expr), c.range)) to[f->n_where++] = c;
    }
    f->where = to;
}
/* What was made inside of the edges is of no use outside of them. */
XG_FN xg_inst *xg_nfrom_pad(xg_nfrom *f, const xg_inst *i, const xg_aff *const *at) {
    xg_loopnest *n = f->y.n;
    const xg_imap *m = xg_indexing_operand(n->aff, i, 0);
    const xg_constraint *outer = f->where;
    uint32_t n_outer = f->n_where, made = f->memo.n;
    xg_inst *x;
    xg_nfrom_edges(f, m, at);
    x = xg_nfrom_value(f, XG_OPERAND(i, 0), xg_nmap_apply(n, m, at));
    x = xg_nbody_where(&f->y, f->where, f->n_where, x, XG_OPERAND(i, 1)->literal);
    f->where = outer;
    f->n_where = n_outer;
    f->memo.n = made;
    return x;
}
XG_FN xg_inst *xg_nfrom_make(xg_nfrom *f, const xg_inst *i, const xg_aff *const *at) {
    xg_loopnest *n = f->y.n;
    xg_inst *made;
    if (i->op == XG_CONSTANT) {
        xg_literal *l = xg_literal_new(n->arena, xg_shape_scalar(n->module, i->shape->type));
        memcpy(l->data, i->literal->data, (size_t)xg_type_bytes(i->shape->type));
        made = xg_inst_new(f->y.comp, XG_CONSTANT, l->shape, NULL, 0, NULL, XG_STR(""));
        made->literal = l;
        return made;
    }
    if (i->op == XG_IOTA) {
        xg_narg a;
        xg_inst *number;
        memset(&a, 0, sizeof a);
        a.kind = XG_NA_INDEX;
        a.type = xg_type_class(i->shape->type) & XGT_I ? i->shape->type : XLAGPU_S32;
        a.at = XG_NEW(n->arena, const xg_aff *);
        a.at[0] = at[xg_attr_or_0(i, XG_A_iota_dimension)];
        number = xg_nbody_arg(&f->y, &a);
        return a.type == i->shape->type ? number
                                        : xg_inst_new(f->y.comp, XG_CONVERT, xg_shape_scalar(n->module, i->shape->type),
                                              &number, 1, NULL, XG_STR(""));
    }
    if (i->op == XG_PAD) return xg_nfrom_pad(f, i, at);
    if (xg_op_flags(i->op) & XGF_EW) return xg_nfrom_elementwise(f, i, at);
    {
        const xg_imap *m = xg_indexing_operand(n->aff, i, 0);
        return xg_nfrom_value(f, XG_OPERAND(i, 0), xg_nmap_apply(n, m, at));
    }
}
XG_FN xg_inst *xg_nfrom_value(xg_nfrom *f, const xg_inst *i, const xg_aff *const *at) {
    xg_loopnest *n = f->y.n;
    uint32_t k, d;
    xg_nfrom_memo *memo;
    if (i->op == XG_PARAMETER) return xg_nfrom_load(f, f->params[i->number], xg_nfrom_at(n, i->shape, at));
    for (k = 0; k < f->n_kept; k++)
        if (f->kept[k].of == i)
            return xg_nfrom_convert(f, xg_nfrom_load(f, f->kept[k].buf, xg_nfrom_at(n, i->shape, at)), i->shape->type);
    for (k = 0; k < f->memo.n; k++) {
        if (f->memo.p[k].of != i) continue;
        for (d = 0; d < i->shape->rank && f->memo.p[k].at[d] == at[d]; d++) {}
        if (d == i->shape->rank) return f->memo.p[k].made;
    }
    if (f->memo.n >= XG_NFROM_NODES) xg_fail(n->ctx, XLAGPU_ERROR_UNSUPPORTED, "too many operations for one block");
    {
        xg_nfrom_memo one;
        one.of = i;
        one.at = xg_nest_copy_affs(n, at, i->shape->rank);
        one.made = xg_nfrom_make(f, i, at);
        xg_push(n->arena, xg_nfrom_memo, &f->memo, one);
        memo = &f->memo.p[f->memo.n - 1];
    }
    return memo->made;
}
XG_FN void xg_nfrom_begin(xg_nfrom *f, xg_loopnest *n, xg_nbuf *const *params, xg_str name) {
    memset(f, 0, sizeof *f);
    xg_nbody_begin(&f->y, n, name);
    f->params = params;
}
XG_FN xg_inst *xg_nfrom_convert(xg_nfrom *f, xg_inst *x, xlagpu_type t) {
    return x->shape->type == t
               ? x
               : xg_inst_new(f->y.comp, XG_CONVERT, xg_shape_scalar(f->y.n->module, t), &x, 1, NULL, XG_STR(""));
}
#endif /* XG_SCHED_FROM_HLO_C */
