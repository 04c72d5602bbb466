/* sched/reduction.c -- decompose_reduction, which makes a block of its own of what a reduction begins with, and
 * rfactor, which reduces in two steps: one result for each round of a loop, and then over those. */
#ifndef XG_SCHED_REDUCTION_C
#define XG_SCHED_REDUCTION_C
#include "sched.h"
#include "stage.c"

enum {
    XG_NREDUCTION_OUTS = 16
}; /* results of one block */
XG_FN void xg_sched_check_reduction(const xg_loopnest *n, const char *primitive, const xg_nstmt *block) {
    const xg_nstmt *scope;
    uint32_t k, j;
    xg_sched_check_block(n, primitive, block);
    scope = xg_nstmt_scope(block);
    if (scope->op == XG_N_BLOCK)
        for (k = 0; k < block->block->n_iters; k++)
            for (j = 0; j < scope->block->n_iters; j++)
                if (block->block->iters[k].kind == 'R' &&
                    xg_aff_uses(block->block->iters[k].binding, xg_aff_dim(n->aff, scope->block->iters[j].var)))
                    xg_sched_fail(n, "%s: '%.*s' goes on reducing in the block '%.*s' around it", primitive,
                        (int)block->block->name.n, block->block->name.p, (int)scope->block->name.n,
                        scope->block->name.p);
    if (xg_nblock_class(block->block) != XG_NC_REDUCTION || !block->block->init)
        xg_sched_fail(n, "%s: '%.*s' is no reduction with initial values", primitive, (int)block->block->name.n,
            block->block->name.p);
}
/* The loops that a constraint is of: spatial ones, reduced ones, ones that no iterator is bound to. */
enum {
    XG_NW_SPATIAL = 1,
    XG_NW_REDUCED = 2,
    XG_NW_OTHER = 4
};
XG_FN int xg_nblock_where_of(
    const xg_loopnest *n, const xg_nblock *b, const xg_constraint *c, xg_nstmt *const *loops, uint32_t count) {
    int of = 0;
    uint32_t k;
    for (k = 0; k < count; k++)
        if (xg_aff_uses(c->expr, xg_aff_dim(n->aff, loops[k]->var)))
            of |= xg_nblock_depends(n, b, loops[k], 'S')   ? XG_NW_SPATIAL
                  : xg_nblock_depends(n, b, loops[k], 'R') ? XG_NW_REDUCED
                                                           : XG_NW_OTHER;
    return of;
}
/* New iterators for the spatial ones, bound to the same, as substitutes for them. */
XG_FN xg_niter *xg_nblock_spatial(xg_loopnest *n, const xg_nblock *b, uint32_t more, uint32_t *count) {
    xg_niter *iters = XG_NEW_N(n->arena, xg_niter, b->n_iters + more);
    uint32_t k, kept = 0;
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == 'S') {
            iters[kept] = b->iters[k];
            iters[kept++].var = xg_nest_var_named(n, n->vars.p[b->iters[k].var].name, b->iters[k].extent);
        }
    *count = kept;
    return iters;
}
XG_FN void xg_nsubst_spatial(xg_nsubst *s, const xg_nblock *b, const xg_niter *iters) {
    uint32_t k, at = 0;
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == 'S') xg_nsubst_put(s, b->iters[k].var, s->to[iters[at++].var]);
}
XG_FN xg_comp *xg_nest_constants(xg_loopnest *n, xg_str name, const xg_literal *const *values, uint32_t count) {
    xg_comp *c = xg_comp_new(n->module, name, NULL);
    xg_inst *made[XG_NREDUCTION_OUTS];
    const xg_shape *shapes[XG_NREDUCTION_OUTS];
    uint32_t k;
    if (count > XG_COUNT(made))
        xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "a block of more than %d results", (int)XG_COUNT(made));
    for (k = 0; k < count; k++) {
        made[k] = xg_inst_new(c, XG_CONSTANT, values[k]->shape, NULL, 0, NULL, XG_STR("start"));
        made[k]->literal = values[k];
        shapes[k] = values[k]->shape;
    }
    c->root = count == 1
                  ? made[0]
                  : xg_inst_new(c, XG_TUPLE, xg_shape_tuple(n->module, shapes, count), made, count, NULL, XG_STR(""));
    return c;
}
XG_FN xg_nstmt *xg_do_decompose_reduction(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop) {
    xg_nblock *b;
    xg_nstmt *loops[XG_NEST_DEPTH_MAX], *copies[XG_NEST_DEPTH_MAX], *made, *top = NULL, *at = NULL;
    xg_constraint *where;
    xg_nsubst s;
    xg_nout *outs;
    uint32_t count, k, from, kept = 0;
    xg_sched_check_reduction(n, "decompose_reduction", block);
    xg_sched_check_loop(n, "decompose_reduction", loop);
    b = block->block;
    count = xg_nest_loops(block, loops, XG_COUNT(loops));
    if (count > XG_COUNT(loops)) xg_sched_fail(n, "decompose_reduction: the loops are nested too deep");
    for (from = 0; from < count && loops[from] != loop; from++)
        if (xg_nblock_depends(n, b, loops[from], 'R') ||
            (loops[from]->extent > 1 && !xg_nblock_depends(n, b, loops[from], 'S')))
            xg_sched_fail(n, "decompose_reduction: the loop '%s' around '%s' is not one of spatial iterators alone",
                xg_sched_var(n, loops[from]), xg_sched_var(n, loop));
    if (from == count)
        xg_sched_fail(n, "decompose_reduction: the loop '%s' is not around '%.*s'", xg_sched_var(n, loop),
            (int)b->name.n, b->name.p);
    if (!xg_nblock_visits_once(n, b, loops + from, count - from))
        xg_sched_fail(n, "decompose_reduction: the rounds of '%s' come to points of '%.*s' more than once",
            xg_sched_var(n, loop), (int)b->name.n, b->name.p);
    where = XG_NEW_N(n->arena, xg_constraint, b->n_where);
    /* those of reduced loops do not count for what is spatial alone; one of both would */
    for (k = 0; k < b->n_where; k++) {
        int of = xg_nblock_where_of(n, b, &b->where[k], loops, count);
        if (of & XG_NW_SPATIAL && of != XG_NW_SPATIAL)
            xg_sched_fail(n, "decompose_reduction: a constraint of '%.*s' is of spatial and other loops",
                (int)b->name.n, b->name.p);
        if (of & XG_NW_SPATIAL) where[kept++] = b->where[k];
    }
    made = xg_nest_block(n, xg_sched_name(n, "%s_%s", b->name.p, "init"));
    made->block->iters = xg_nblock_spatial(n, b, 0, &made->block->n_iters);
    for (k = from; k < count; k++) {
        xg_nkind kind =
            xg_nkind_is_axis(loops[k]->kind) || loops[k]->kind == XG_NK_VECTORIZED ? loops[k]->kind : XG_NK_SERIAL;
        copies[k] = NULL;
        if (!xg_nblock_depends(n, b, loops[k], 'S')) continue;
        copies[k] = xg_nest_loop(n,
            xg_nest_var(n, xg_sched_name(n, "%s_%s", xg_sched_var(n, loops[k]), "init"), loops[k]->extent),
            loops[k]->extent, kind);
        if (at)
            xg_nstmt_append(at, copies[k]);
        else
            top = copies[k];
        at = copies[k];
    }
    xg_nsubst_begin(&s, n);
    for (k = from; k < count; k++)
        if (copies[k]) xg_nsubst_put(&s, loops[k]->var, s.to[copies[k]->var]);
    for (k = 0; k < made->block->n_iters; k++)
        made->block->iters[k].binding = xg_nsubst_of(&s, made->block->iters[k].binding);
    made->block->where = xg_nsubst_where(&s, where, kept, &made->block->n_where);
    xg_nsubst_begin(&s, n);
    xg_nsubst_spatial(&s, b, made->block->iters);
    outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    for (k = 0; k < b->n_outs; k++) {
        outs[k].buf = b->outs[k].buf;
        outs[k].at = xg_nsubst_affs(&s, b->outs[k].at, outs[k].buf->rank);
    }
    made->block->outs = outs;
    made->block->n_outs = b->n_outs;
    made->block->body = xg_nest_constants(n, made->block->name, b->init, b->n_outs);
    b->init = NULL;
    if (at) xg_nstmt_append(at, made);
    xg_nstmt_insert(loop, top ? top : made);
    return made;
}

/* ---- rfactor ---- */

/* The block computes these now, one for each of its results. */
XG_FN void xg_nbody_end_all(xg_nbody *y, xg_nblock *b, xg_inst *const *values) {
    const xg_shape *shapes[XG_NREDUCTION_OUTS];
    xg_module *m = y->n->module;
    uint32_t k;
    if (b->n_outs == 1) {
        xg_nbody_end(y, b, values[0]);
        return;
    }
    for (k = 0; k < b->n_outs; k++) shapes[k] = values[k]->shape;
    xg_nbody_end(y, b,
        xg_inst_new(y->comp, XG_TUPLE, xg_shape_tuple(m, shapes, b->n_outs), values, b->n_outs, NULL, XG_STR("")));
}
/* The block's value where the constraints hold, what changes nothing where they do not. */
XG_FN void xg_nblock_guard_value(xg_loopnest *n, xg_nblock *b, const xg_constraint *where, uint32_t n_where) {
    xg_inst **params = XG_NEW_N(n->arena, xg_inst *, b->n_args), *root, *made[XG_NREDUCTION_OUTS];
    xg_nbody y;
    uint32_t k;
    xg_nbody_begin(&y, n, b->name);
    for (k = 0; k < b->n_args; k++) {
        xg_narg a = xg_narg_within(n, &b->args[k], where, n_where);
        params[k] = xg_nbody_arg(&y, &a);
    }
    root = xg_nbody_copy(&y, b->body, params);
    for (k = 0; k < b->n_outs; k++)
        made[k] = xg_nbody_where(&y, where, n_where, b->n_outs == 1 ? root : XG_OPERAND(root, k), b->init[k]);
    xg_nbody_end_all(&y, b, made);
}
typedef struct xg_nrfactor {
    xg_loopnest *n;
    uint32_t count, axis; /* loops around the block; where the arrays between get their dimension */
    xg_nblock *b, *f;     /* the block, and the first step */
    xg_niter *second;     /* of the second step: n_spatial of them, and one that counts the rounds of the loop */
    uint32_t n_spatial, n_reduced;
    const xg_constraint *reduced; /* those of loops that are reduced over */
    xg_nstmt *block, *loop, *loops[XG_NEST_DEPTH_MAX], *copies[XG_NEST_DEPTH_MAX];
} xg_nrfactor;

XG_FN void xg_nrfactor_check_loops(const xg_nrfactor *r) {
    xg_loopnest *n = r->n;
    const xg_nblock *b = r->b;
    uint32_t k, in;
    for (in = 0; in < r->count && r->loops[in] != r->loop; in++) {}
    if (in == r->count)
        xg_sched_fail(
            n, "rfactor: the loop '%s' is not around '%.*s'", xg_sched_var(n, r->loop), (int)b->name.n, b->name.p);
    if (xg_nblock_depends(n, b, r->loop, 'S') || !xg_nblock_depends(n, b, r->loop, 'R'))
        xg_sched_fail(n, "rfactor: the loop '%s' is not one that '%.*s' reduces over alone", xg_sched_var(n, r->loop),
            (int)b->name.n, b->name.p);
    for (k = 0; k < r->count; k++) {
        const xg_nstmt *l = r->loops[k];
        if (xg_nblock_depends(n, b, l, 'S') && xg_nblock_depends(n, b, l, 'R'))
            xg_sched_fail(n, "rfactor: the loop '%s' is reduced over and is not", xg_sched_var(n, l));
        if (l->first != l->last)
            xg_sched_fail(
                n, "rfactor: the loop '%s' holds more than '%.*s'", xg_sched_var(n, l), (int)b->name.n, b->name.p);
        if (xg_nkind_is_axis(l->kind))
            xg_sched_fail(n, "rfactor: the loop '%s' is bound to %s", xg_sched_var(n, l), xg_nkind_text(l->kind));
    }
    if (!xg_nblock_visits_once(n, b, r->loops, r->count))
        xg_sched_fail(
            n, "rfactor: the loops around '%.*s' come to its points more than once", (int)b->name.n, b->name.p);
}
XG_FN void xg_nrfactor_check_results(const xg_nrfactor *r) {
    const xg_nblock *b = r->b;
    uint32_t k;
    for (k = 0; k < b->n_outs; k++) {
        const xg_nbuf *buf = b->outs[k].buf;
        if (r->axis > buf->rank)
            xg_sched_fail(r->n, "rfactor: there is no axis %u of '%.*s'", r->axis, (int)buf->name.n, buf->name.p);
        if (buf->rank + 1 > XG_RANK_MAX)
            xg_sched_fail(r->n, "rfactor: '%.*s' has too many dimensions", (int)buf->name.n, buf->name.p);
        if (b->n_outs == 1 && !xg_literal_is_identity(b->combine, b->init[k], r->n->arena))
            xg_sched_fail(r->n, "rfactor: combining with what '%.*s' begins with may change the result", (int)b->name.n,
                b->name.p);
    }
}
/* Constraints of spatial loops are for both steps; those of reduced ones are for the value of the first. */
XG_FN void xg_nrfactor_divide_where(xg_nrfactor *r) {
    xg_nblock *b = r->b;
    xg_constraint *both = XG_NEW_N(r->n->arena, xg_constraint, b->n_where),
                  *reduced = XG_NEW_N(r->n->arena, xg_constraint, b->n_where);
    uint32_t k, n_both = 0;
    for (k = 0; k < b->n_where; k++) {
        int of = xg_nblock_where_of(r->n, b, &b->where[k], r->loops, r->count);
        if (of != XG_NW_SPATIAL && of != XG_NW_REDUCED)
            xg_sched_fail(
                r->n, "rfactor: a constraint of '%.*s' is of spatial and other loops", (int)b->name.n, b->name.p);
        if (of == XG_NW_SPATIAL)
            both[n_both++] = b->where[k];
        else
            reduced[r->n_reduced++] = b->where[k];
    }
    r->reduced = reduced;
    b->where = both;
    b->n_where = n_both;
}
/* The iterators of both steps. The first has one for each loop that was reduced over; the loop that is named counts
 * results there, and is what the second reduces over. */
XG_APART XG_FN void xg_nrfactor_iters(xg_nrfactor *r) {
    xg_loopnest *n = r->n;
    xg_nblock *f = r->f;
    xg_niter *rounds;
    uint32_t k;
    f->iters = xg_nblock_spatial(n, r->b, r->count, &f->n_iters);
    for (k = 0; k < r->count; k++) {
        xg_niter *i = &f->iters[f->n_iters];
        if (!xg_nblock_depends(n, r->b, r->loops[k], 'R')) continue;
        i->kind = r->loops[k] == r->loop ? 'S' : 'R';
        i->extent = r->loops[k]->extent;
        i->binding = xg_nest_dim(n, r->loops[k]->var);
        i->var = xg_nest_var_named(n, xg_sched_name(n, "%s%s", "v", xg_sched_var(n, r->loops[k])), i->extent);
        f->n_iters++;
    }
    r->second = xg_nblock_spatial(n, r->b, 1, &r->n_spatial);
    rounds = &r->second[r->n_spatial];
    rounds->kind = 'R';
    rounds->extent = r->loop->extent;
    rounds->var = xg_nest_var_named(n, xg_sched_name(n, "%s%s", "v", xg_sched_var(n, r->loop)), rounds->extent);
}
/* The loops of the second step: copies of those that are not reduced over, and of the one that is named. Given back:
 * the outermost one; *inner: the innermost. */
XG_FN xg_nstmt *xg_nrfactor_loops(xg_nrfactor *r, xg_nstmt **inner) {
    xg_loopnest *n = r->n;
    xg_nstmt *top = NULL, *at = NULL;
    uint32_t k;
    for (k = 0; k < r->count; k++) {
        xg_nstmt *l = r->loops[k], *copy;
        if (l != r->loop && (xg_nblock_depends(n, r->b, l, 'R') || !xg_nblock_depends(n, r->b, l, 'S'))) continue;
        copy = xg_nest_loop(n, xg_nest_var(n, n->vars.p[l->var].name, l->extent), l->extent, XG_NK_SERIAL);
        if (at)
            xg_nstmt_append(at, copy);
        else
            top = copy;
        r->copies[k] = at = copy;
    }
    *inner = at;
    return top;
}
/* From the loops to the first step's iterators. */
XG_FN void xg_nrfactor_to_iters(const xg_nrfactor *r, xg_nsubst *s) {
    uint32_t k, j;
    xg_nsubst_begin(s, r->n);
    for (k = r->n_spatial; k < r->f->n_iters; k++)
        for (j = 0; j < r->count; j++)
            if (r->f->iters[k].binding == xg_nest_dim(r->n, r->loops[j]->var))
                xg_nsubst_put(s, r->loops[j]->var, s->to[r->f->iters[k].var]);
}
/* The first step does what the block did, in the old loops. */
XG_FN void xg_nrfactor_first(xg_nrfactor *r) {
    xg_nblock *f = r->f;
    const xg_nblock *b = r->b;
    const xg_constraint *c;
    xg_nsubst s, t;
    uint32_t k, still;
    xg_nrfactor_to_iters(r, &s);
    xg_nsubst_begin(&t, r->n); /* the old iterators to those of the first step */
    xg_nsubst_spatial(&t, b, f->iters);
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == 'R') xg_nsubst_put(&t, b->iters[k].var, xg_nsubst_of(&s, b->iters[k].binding));
    f->args = b->args;
    f->n_args = b->n_args;
    f->outs = b->outs;
    f->n_outs = b->n_outs;
    f->body = b->body;
    f->combine = b->combine;
    f->init = b->init;
    f->where = b->where;
    f->n_where = b->n_where;
    xg_nsubst_args(&t, f);
    if (!r->n_reduced) return;
    xg_nrfactor_to_iters(r, &s);
    c = xg_nsubst_where(&s, r->reduced, r->n_reduced, &still);
    if (still) xg_nblock_guard_value(r->n, f, c, still);
}
/* One of the arrays between: where the first step writes it, and what the second reads of it. */
XG_FN xg_narg xg_nrfactor_between(const xg_nrfactor *r, uint32_t which, const xg_aff *const *at, xg_nout *to) {
    xg_loopnest *n = r->n;
    const xg_nbuf *buf = r->b->outs[which].buf;
    int64_t dims[XG_RANK_MAX];
    const xg_aff **place = XG_NEW_N(n->arena, const xg_aff *, buf->rank + 1),
                 **from = XG_NEW_N(n->arena, const xg_aff *, buf->rank + 1);
    uint32_t d, j;
    for (d = 0; d <= buf->rank; d++) {
        uint32_t old = d < r->axis ? d : d - 1;
        dims[d] = d == r->axis ? r->loop->extent : buf->dims[old];
        place[d] = d == r->axis ? NULL : r->f->outs[which].at[old];
        from[d] = d == r->axis ? xg_nest_dim(n, r->second[r->n_spatial].var) : at[old];
    }
    for (j = r->n_spatial; j < r->f->n_iters; j++)
        if (r->f->iters[j].kind == 'S') place[r->axis] = xg_nest_dim(n, r->f->iters[j].var);
    to->buf =
        xg_nest_buf(n, xg_sched_name(n, "%s_%s", buf->name.p, "rf"), buf->type, dims, buf->rank + 1, XG_NS_GLOBAL);
    to->at = place;
    return xg_narg_load(to->buf, from);
}
/* The block combines what the first step has made. */
XG_APART XG_FN void xg_nrfactor_second(xg_nrfactor *r) {
    xg_loopnest *n = r->n;
    xg_nblock *b = r->b;
    xg_nout *between = XG_NEW_N(n->arena, xg_nout, b->n_outs), *outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    xg_narg *args = XG_NEW_N(n->arena, xg_narg, b->n_outs);
    xg_inst *params[XG_NREDUCTION_OUTS];
    xg_nsubst s, t;
    xg_nbody y;
    uint32_t k;
    xg_nsubst_begin(&t, n);
    xg_nsubst_spatial(&t, b, r->second);
    for (k = 0; k < b->n_outs; k++) {
        outs[k].buf = b->outs[k].buf;
        outs[k].at = xg_nsubst_affs(&t, b->outs[k].at, b->outs[k].buf->rank);
        args[k] = xg_nrfactor_between(r, k, outs[k].at, &between[k]);
    }
    r->f->outs = between;
    xg_nsubst_begin(&s, n);
    for (k = 0; k < r->count; k++)
        if (r->copies[k]) xg_nsubst_put(&s, r->loops[k]->var, s.to[r->copies[k]->var]);
    for (k = 0; k < r->n_spatial; k++) r->second[k].binding = xg_nsubst_of(&s, r->second[k].binding);
    r->second[r->n_spatial].binding = s.to[r->loop->var];
    b->where = xg_nsubst_where(&s, b->where, b->n_where, &b->n_where);
    b->iters = r->second;
    b->n_iters = r->n_spatial + 1;
    b->outs = outs;
    xg_nbody_begin(&y, n, b->name);
    for (k = 0; k < b->n_outs; k++) params[k] = xg_nbody_arg(&y, &args[k]);
    xg_nbody_end_all(&y, b, params);
}
/* The block becomes the second step; given back is the first, which makes for each round of the loop a result in an
 * array with one more dimension at `axis`. */
XG_FN xg_nstmt *xg_do_rfactor(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, uint32_t axis) {
    xg_nstmt *first, *top, *inner;
    xg_nrfactor r;
    xg_sched_check_reduction(n, "rfactor", block);
    xg_sched_check_plain(n, "rfactor", loop);
    memset(&r, 0, sizeof r);
    r.n = n;
    r.block = block;
    r.loop = loop;
    r.axis = axis;
    r.b = block->block;
    if (r.b->n_outs > XG_NREDUCTION_OUTS)
        xg_sched_fail(n, "rfactor: '%.*s' has more than %d results", (int)r.b->name.n, r.b->name.p, XG_NREDUCTION_OUTS);
    r.count = xg_nest_loops(block, r.loops, XG_COUNT(r.loops));
    if (r.count > XG_COUNT(r.loops)) xg_sched_fail(n, "rfactor: the loops are nested too deep");
    xg_nrfactor_check_loops(&r);
    xg_nrfactor_check_results(&r);
    xg_nrfactor_divide_where(&r);
    first = xg_nest_block(n, xg_sched_name(n, "%s_%s", r.b->name.p, "rf"));
    r.f = first->block;
    xg_nrfactor_iters(&r);
    top = xg_nrfactor_loops(&r, &inner);
    xg_nrfactor_first(&r);
    xg_nrfactor_second(&r);
    xg_nstmt_insert(block, first);
    xg_nstmt_detach(block);
    xg_nstmt_append(inner, block);
    xg_nstmt_insert_behind(r.loops[0], top);
    return first;
}

#endif /* XG_SCHED_REDUCTION_C */
