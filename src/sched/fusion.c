/* sched/fusion.c -- a fused computation as a loop nest: the program that a schedule begins with.
 *
 * Each contraction and each reduction is a block of its own, in the loops of its result and of what it sums up; so is
 * each result of the fusion. What else is computed stands in the blocks that read it. An operand of a contraction that
 * is more than a parameter at the contraction's own indices comes from a block in front of it (lhs, rhs), which has one
 * element for each point of the indices that the operand depends on; so a convolution, too, is a sum of products of two
 * arrays without edges (an implicit GEMM).
 *
 * Parameters are p0, p1 ..., results out, out_1 ...: computations that do the same have the same nest, whatever their
 * names. */
#ifndef XG_SCHED_FUSION_C
#define XG_SCHED_FUSION_C
#include "from_hlo.c"
#include "sched.h"
#include "stage.c"
#include "tile.h"

typedef struct xg_nfusion {
    xg_loopnest *n;
    xg_nbuf **params;
    XG_VEC(xg_nfrom_kept) kept;
} xg_nfusion;

XG_FN bool xg_nfusion_is_contraction(const xg_inst *i) { return i->op == XG_DOT || i->op == XG_CONVOLUTION; }

/* ---- may it be one? ---- */

XG_FN const char *xg_nfusion_refuses_contraction(xg_aff_ctx *x, const xg_inst *i) {
    xg_tile_form f;
    uint32_t k;
    if (i->n_operands != 2 || !xg_tile_form_of(&f, x, i)) return "a contraction is no sum of products over a box";
    if (!xg_nfrom_holds(i->shape) || f.sum != xg_type_real(f.sum)) return "a contraction is of complex or narrow types";
    if (xg_inst_is_tf32(i)) return "a contraction rounds its operands to tf32";
    for (k = 0; k < 2; k++)
        if (f.map[k]->n_syms || f.map[k]->n_rts || f.n_vars > XG_RANK_MAX)
            return "a contraction has too many dimensions";
    return NULL;
}
XG_FN const char *xg_nfusion_refuses_reduce(const xg_inst *i) {
    const xg_comp *c = xg_attr_to_apply(i);
    const xg_inst *init = XG_OPERAND(i, 1);
    if (i->n_operands != 2 || !xg_nfrom_holds(i->shape)) return "a reduction has several results";
    if (!c || xg_eval_single(c) == XG_PARAMETER) return "a reduction combines by more than one operation";
    if (init->op != XG_CONSTANT || init->literal->elided) return "a reduction begins with what is no constant";
    return XG_OPERAND(i, 0)->shape->rank > XG_RANK_MAX ? "a reduction has too many dimensions" : NULL;
}
XG_FN const char *xg_nfusion_refuses_inst(xg_aff_ctx *x, const xg_inst *i) {
    if (xg_nfusion_is_contraction(i)) return xg_nfusion_refuses_contraction(x, i);
    if (i->op == XG_REDUCE) return xg_nfusion_refuses_reduce(i);
    return xg_nfrom_takes(x, i) ? NULL : xg_op_name(i->op);
}
XG_FN const char *xg_nfusion_refuses(xg_arena *a, const xg_inst *fusion) {
    const xg_comp *c = xg_attr_calls(fusion);
    xg_aff_ctx *x = xg_aff_new(a);
    const char *why = NULL;
    uint32_t count = 0;
    if (!c) return "it calls nothing";
    XG_FOR_INSTS(i, c) {
        bool results = i == c->root && i->op == XG_TUPLE;
        if (++count > XG_NFROM_NODES) why = "too many operations";
        if (!why && !results) why = xg_nfusion_refuses_inst(x, i);
    }
    return why;
}

/* ---- what blocks have in common ---- */

/* The block's iterator; 0 where it counts to 1. */
XG_FN const xg_aff *xg_nfusion_iter(xg_loopnest *n, const xg_nblock *b, uint32_t k) {
    return b->iters[k].extent == 1 ? xg_aff_const(n->aff, 0) : xg_nest_dim(n, b->iters[k].var);
}
XG_FN const xg_aff **xg_nfusion_iters(xg_loopnest *n, const xg_nblock *b, uint32_t count) {
    const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, count + 1);
    uint32_t k;
    for (k = 0; k < count; k++) at[k] = xg_nfusion_iter(n, b, k);
    return at;
}
XG_FN xg_nstmt *xg_nfusion_block(xg_nfusion *w, const char *name, const int64_t *dims, uint32_t rank, xg_nfrom *f) {
    xg_nstmt *s;
    xg_nstmt_append(w->n->root, xg_nest_over(w->n, xg_str_z(name), dims, rank, &s));
    xg_nfrom_begin(f, w->n, w->params, s->block->name);
    f->kept = w->kept.p;
    f->n_kept = w->kept.n;
    return s;
}
XG_ONE_COPY XG_FN void xg_nfusion_store(xg_loopnest *n, xg_nblock *b, xg_nbuf *buf, const xg_aff **at) {
    xg_nout *store = XG_NEW(n->arena, xg_nout);
    store->buf = buf;
    store->at = at;
    b->outs = store;
    b->n_outs = 1;
}
/* The block adds up, or combines by another operation. */
XG_FN void xg_nfusion_combine(xg_loopnest *n, xg_nblock *b, xg_opcode op, xlagpu_type t, const xg_literal *init) {
    const xg_literal **first = XG_NEW(n->arena, const xg_literal *);
    first[0] = init;
    b->init = first;
    b->combine = xg_nest_combiner(n, op, t);
}
XG_FN xg_nbuf *xg_nfusion_keep(xg_nfusion *w, const xg_inst *i, xg_str name, xlagpu_type t) {
    xg_nfrom_kept one;
    one.of = i;
    one.buf = xg_nfrom_buf(w->n, name, i->shape);
    one.buf->type = t;
    xg_push(w->n->arena, xg_nfrom_kept, &w->kept, one);
    return one.buf;
}

/* ---- contractions ---- */

typedef struct xg_nfusion_side {
    xg_nbuf *buf;
    uint32_t n_used, used[XG_RANK_MAX]; /* iterators of the contraction that index it; of a parameter: see at */
    const xg_aff *at[XG_RANK_MAX];      /* of a parameter, by dimension: an iterator, or 0 */
    bool direct;
} xg_nfusion_side;

/* Which of the contraction's iterators the operand depends on. */
XG_FN void xg_nfusion_used(xg_loopnest *n, const xg_imap *m, xg_nfusion_side *side) {
    uint32_t v, k;
    for (v = side->n_used = 0; v < m->n_dims; v++) {
        bool uses = false;
        for (k = 0; k < m->n_results; k++) uses |= xg_aff_uses(m->results[k], xg_aff_dim(n->aff, v));
        for (k = 0; k < m->n_constraints; k++) uses |= xg_aff_uses(m->constraints[k].expr, xg_aff_dim(n->aff, v));
        if (uses) side->used[side->n_used++] = v;
    }
}
XG_FN bool xg_nfusion_is_direct(const xg_inst *o, const xg_imap *m) {
    uint32_t k;
    if (o->op != XG_PARAMETER || m->n_constraints) return false;
    for (k = 0; k < m->n_results; k++)
        if (m->results[k]->kind != XG_AFF_DIM && m->results[k]->kind != XG_AFF_CONST) return false;
    return true;
}
/* The block in front of the contraction that computes this operand. */
XG_FN void xg_nfusion_stage(xg_nfusion *w, const xg_inst *hero, uint32_t number, const xg_imap *m,
    const int64_t *extents, xg_nfusion_side *side) {
    const xg_inst *o = XG_OPERAND(hero, number);
    xlagpu_type held = xg_contract_rounding(hero, o->shape->type);
    const xg_aff **full = XG_NEW_N(w->n->arena, const xg_aff *, m->n_dims + 1);
    int64_t dims[XG_RANK_MAX];
    xg_nstmt *s;
    xg_inst *x;
    xg_nfrom f;
    uint32_t k;
    for (k = 0; k < side->n_used; k++) dims[k] = extents[side->used[k]];
    s = xg_nfusion_block(w, number ? "rhs" : "lhs", dims, side->n_used, &f);
    for (k = 0; k < m->n_dims; k++) full[k] = xg_aff_const(w->n->aff, 0);
    for (k = 0; k < side->n_used; k++) full[side->used[k]] = xg_nfusion_iter(w->n, s->block, k);
    xg_nfrom_edges(&f, m, full);
    x = xg_nfrom_convert(&f, xg_nfrom_value(&f, o, xg_nmap_apply(w->n, m, full)), held);
    if (x->op != XG_PARAMETER) /* what is read outside of the edges is 0 already */
        x = xg_nbody_where(&f.y, f.where, f.n_where, x, xg_literal_new(w->n->arena, x->shape));
    xg_nbody_end(&f.y, s->block, x);
    side->buf = xg_nest_buf(w->n, s->block->name, held, dims, side->n_used, XG_NS_GLOBAL);
    xg_nfusion_store(w->n, s->block, side->buf, xg_nfusion_iters(w->n, s->block, side->n_used));
}
/* An operand's element in the contraction's block, of the type of the sum. */
XG_FN xg_inst *xg_nfusion_factor(
    xg_nfusion *w, const xg_inst *hero, uint32_t number, const xg_nfusion_side *side, xg_nstmt *s, xg_nfrom *f) {
    const xg_inst *o = XG_OPERAND(hero, number);
    const xg_aff **at;
    xg_narg load;
    uint32_t k;
    if (side->direct) {
        at = XG_NEW_N(w->n->arena, const xg_aff *, o->shape->rank + 1);
        for (k = 0; k < o->shape->rank; k++)
            at[k] = side->at[k]->kind == XG_AFF_DIM ? xg_nfusion_iter(w->n, s->block, side->at[k]->n) : side->at[k];
        load = xg_narg_load(side->buf, xg_nfrom_at(w->n, o->shape, at));
        return xg_nfrom_convert(f, xg_nbody_arg(&f->y, &load), xg_contract_rounding(hero, o->shape->type));
    }
    at = XG_NEW_N(w->n->arena, const xg_aff *, side->n_used + 1);
    for (k = 0; k < side->n_used; k++) at[k] = xg_nfusion_iter(w->n, s->block, side->used[k]);
    load = xg_narg_load(side->buf, at);
    return xg_nbody_arg(&f->y, &load);
}
XG_FN void xg_nfusion_sides(xg_nfusion *w, const xg_tile_form *form, const int64_t *extents, xg_nfusion_side *sides) {
    uint32_t j, k;
    for (j = 0; j < XG_TILE_SIDES; j++) {
        uint32_t number = form->operand[0] == j ? 0 : 1; /* the map of operand j */
        const xg_imap *m = form->map[number];
        xg_nfusion_side *side = &sides[j];
        const xg_inst *o = XG_OPERAND(form->hero, j);
        xg_nfusion_used(w->n, m, side);
        side->direct = xg_nfusion_is_direct(o, m);
        if (!side->direct) {
            xg_nfusion_stage(w, form->hero, j, m, extents, side);
            continue;
        }
        side->buf = w->params[o->number];
        for (k = 0; k < m->n_results; k++) side->at[k] = m->results[k];
    }
}
/* out: where its sums go; NULL: an array of the nest's own. */
XG_FN void xg_nfusion_contraction(xg_nfusion *w, const xg_inst *hero, xg_nbuf *out) {
    xg_loopnest *n = w->n;
    xg_nfusion_side sides[XG_TILE_SIDES];
    int64_t extents[XG_RANK_MAX];
    xg_inst *in[2];
    xg_tile_form form;
    xg_nstmt *s;
    xg_nfrom f;
    uint32_t k;
    memset(sides, 0, sizeof sides);
    (void)xg_tile_form_of(&form, n->aff, hero);
    for (k = 0; k < form.n_vars; k++)
        extents[k] = k < form.rank ? hero->shape->dims[k]
                                   : XG_MAX(form.map[0]->dims[k].range.hi, form.map[1]->dims[k].range.hi) + 1;
    xg_nfusion_sides(w, &form, extents, sides);
    s = xg_nfusion_block(w, hero->op == XG_DOT ? "dot" : "convolution", extents, form.n_vars, &f);
    for (k = form.rank; k < form.n_vars; k++) s->block->iters[k].kind = 'R';
    for (k = 0; k < 2; k++) in[k] = xg_nfrom_convert(&f, xg_nfusion_factor(w, hero, k, &sides[k], s, &f), form.sum);
    xg_nbody_end(&f.y, s->block, xg_inst_new(f.y.comp, XG_MULTIPLY, in[0]->shape, in, 2, NULL, XG_STR("")));
    if (!out) out = xg_nfusion_keep(w, hero, s->block->name, form.sum);
    xg_nfusion_store(n, s->block, out, xg_nfrom_at(n, hero->shape, xg_nfusion_iters(n, s->block, form.rank)));
    xg_nfusion_combine(n, s->block, XG_ADD, form.sum, xg_literal_new(n->arena, xg_shape_scalar(n->module, form.sum)));
}

/* ---- reductions ---- */

XG_FN void xg_nfusion_reduce(xg_nfusion *w, const xg_inst *i, xg_nbuf *out) {
    xg_loopnest *n = w->n;
    const xg_inst *o = XG_OPERAND(i, 0);
    xg_ints reduced = xg_attr_dims(i);
    const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, o->shape->rank + 1);
    int64_t dims[XG_RANK_MAX];
    xg_literal *init = xg_literal_new(n->arena, xg_shape_scalar(n->module, i->shape->type));
    uint32_t k, kept = 0, last = i->shape->rank;
    xg_nstmt *s;
    xg_nfrom f;
    for (k = 0; k < o->shape->rank; k++) dims[xg_ints_has(reduced, k) ? last++ : kept++] = o->shape->dims[k];
    s = xg_nfusion_block(w, "reduce", dims, o->shape->rank, &f);
    for (k = kept = 0, last = i->shape->rank; k < o->shape->rank; k++) {
        bool sums = xg_ints_has(reduced, k);
        uint32_t iter = sums ? last++ : kept++;
        if (sums) s->block->iters[iter].kind = 'R';
        at[k] = xg_nfusion_iter(n, s->block, iter);
    }
    xg_nbody_end(&f.y, s->block, xg_nfrom_value(&f, o, at));
    if (!out) out = xg_nfusion_keep(w, i, s->block->name, i->shape->type);
    xg_nfusion_store(n, s->block, out, xg_nfrom_at(n, i->shape, xg_nfusion_iters(n, s->block, i->shape->rank)));
    memcpy(init->data, XG_OPERAND(i, 1)->literal->data, (size_t)xg_type_bytes(i->shape->type));
    xg_nfusion_combine(n, s->block, xg_eval_single(xg_attr_to_apply(i)), i->shape->type, init);
}

/* ---- the nest ---- */

XG_APART XG_FN void xg_nfusion_result(xg_nfusion *w, const xg_inst *root, xg_nbuf *out) {
    const xg_aff **at;
    xg_nstmt *s;
    xg_nfrom f;
    s = xg_nfusion_block(w, "result", root->shape->dims, root->shape->rank, &f);
    at = xg_nfusion_iters(w->n, s->block, root->shape->rank);
    xg_nbody_end(&f.y, s->block, xg_nfrom_value(&f, root, at));
    xg_nfusion_store(w->n, s->block, out, xg_nfrom_at(w->n, root->shape, at));
}
/* The only result is what this instruction sums up, in that type: it needs no array between. */
XG_FN bool xg_nfusion_is_result(const xg_comp *c, const xg_inst *i) {
    if (i != c->root) return false;
    return i->op == XG_REDUCE || xg_contract_sum_type(i) == i->shape->type;
}
XG_FN xg_loopnest *xg_nfusion_nest(xg_arena *a, const xg_inst *fusion, xg_str name) {
    const xg_comp *c = xg_attr_calls(fusion);
    uint32_t n_out = c->root->op == XG_TUPLE ? c->root->n_operands : 1, k;
    xg_nbuf **outs = XG_NEW_N(a, xg_nbuf *, n_out + 1);
    bool done = false;
    xg_nfusion w;
    memset(&w, 0, sizeof w);
    w.n = xg_nest_new(xg_module_new(a->ctx, a, name), xg_aff_new(a), name);
    w.params = XG_NEW_N(a, xg_nbuf *, c->n_params + 1);
    for (k = 0; k < c->n_params; k++) {
        char text[24];
        (void)xg_format(text, sizeof text, "p%u", k);
        w.params[k] = xg_nfrom_buf(w.n, xg_str_z(text), c->params[k]->shape);
        w.params[k]->param = true;
    }
    for (k = 0; k < n_out; k++) {
        const xg_inst *root = c->root->op == XG_TUPLE ? XG_OPERAND(c->root, k) : c->root;
        outs[k] = xg_nfrom_buf(w.n, XG_STR("out"), root->shape);
        outs[k]->param = outs[k]->output = true;
    }
    XG_FOR_INSTS(i, c) {
        bool direct = xg_nfusion_is_contraction(i) || i->op == XG_REDUCE ? xg_nfusion_is_result(c, i) : false;
        if (xg_nfusion_is_contraction(i)) xg_nfusion_contraction(&w, i, direct ? outs[0] : NULL);
        if (i->op == XG_REDUCE) xg_nfusion_reduce(&w, i, direct ? outs[0] : NULL);
        done |= direct;
    }
    for (k = 0; k < n_out && !done; k++)
        xg_nfusion_result(&w, c->root->op == XG_TUPLE ? XG_OPERAND(c->root, k) : c->root, outs[k]);
    return w.n;
}

#endif /* XG_SCHED_FUSION_C */
