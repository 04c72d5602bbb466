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

/* The block's value where the constraints hold, what changes nothing where they do not. */
XG_FN void xg_nblock_guard_value(xg_loopnest *n, xg_nblock *b, const xg_constraint *where, uint32_t n_where) {
    xg_inst **params = XG_NEW_N(n->arena, xg_inst *, b->n_args), *root, *made[XG_NREDUCTION_OUTS];
    const xg_shape *shapes[XG_NREDUCTION_OUTS];
    xg_nbody y;
    uint32_t k;
    xg_nbody_begin(&y, n, b->name);
    for (k = 0; k < b->n_args; k++) {
        xg_narg a = xg_narg_within(n, &b->args[k], where, n_where);
        params[k] = xg_nbody_arg(&y, &a);
    }
    root = xg_nbody_copy(&y, b->body, params);
    for (k = 0; k < b->n_outs; k++) {
        made[k] = xg_nbody_where(&y, where, n_where, b->n_outs == 1 ? root : XG_OPERAND(root, k), b->init[k]);
        shapes[k] = made[k]->shape;
    }
    xg_nbody_end(&y, b,
        b->n_outs == 1 ? made[0]
                       : xg_inst_new(y.comp, XG_TUPLE, xg_shape_tuple(n->module, shapes, b->n_outs), made, b->n_outs,
                             NULL, XG_STR("")));
}
/* The block becomes the second step; given back is the first, which makes for each round of the loop a result in an
 * array with one more dimension at `axis`. */
XG_FN xg_nstmt *xg_do_rfactor(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, uint32_t axis) {
    xg_nblock *b, *f;
    xg_nstmt *loops[XG_NEST_DEPTH_MAX], *copies[XG_NEST_DEPTH_MAX], *first, *top = NULL, *at = NULL;
    xg_constraint *where, *reduced_where;
    xg_nsubst s, t;
    xg_nout *outs, *second_outs;
    xg_narg *args;
    xg_niter *second;
    uint32_t count, k, j, d, in, n_reduced = 0, n_both = 0, n_second;
    xg_sched_check_reduction(n, "rfactor", block);
    xg_sched_check_plain(n, "rfactor", loop);
    b = block->block;
    if (b->n_outs > XG_NREDUCTION_OUTS)
        xg_sched_fail(n, "rfactor: '%.*s' has more than %d results", (int)b->name.n, b->name.p, XG_NREDUCTION_OUTS);
    count = xg_nest_loops(block, loops, XG_COUNT(loops));
    if (count > XG_COUNT(loops)) xg_sched_fail(n, "rfactor: the loops are nested too deep");
    for (in = 0; in < count && loops[in] != loop; in++) {}
    if (in == count)
        xg_sched_fail(
            n, "rfactor: the loop '%s' is not around '%.*s'", xg_sched_var(n, loop), (int)b->name.n, b->name.p);
    if (xg_nblock_depends(n, b, loop, 'S') || !xg_nblock_depends(n, b, loop, 'R'))
        xg_sched_fail(n, "rfactor: the loop '%s' is not one that '%.*s' reduces over alone", xg_sched_var(n, loop),
            (int)b->name.n, b->name.p);
    for (k = 0; k < count; k++) {
        if (xg_nblock_depends(n, b, loops[k], 'S') && xg_nblock_depends(n, b, loops[k], 'R'))
            xg_sched_fail(n, "rfactor: the loop '%s' is reduced over and is not", xg_sched_var(n, loops[k]));
        if (loops[k]->first != loops[k]->last)
            xg_sched_fail(n, "rfactor: the loop '%s' holds more than '%.*s'", xg_sched_var(n, loops[k]), (int)b->name.n,
                b->name.p);
        if (xg_nkind_is_axis(loops[k]->kind))
            xg_sched_fail(
                n, "rfactor: the loop '%s' is bound to %s", xg_sched_var(n, loops[k]), xg_nkind_text(loops[k]->kind));
    }
    if (!xg_nblock_visits_once(n, b, loops, count))
        xg_sched_fail(
            n, "rfactor: the loops around '%.*s' come to its points more than once", (int)b->name.n, b->name.p);
    for (k = 0; k < b->n_outs; k++) {
        if (axis > b->outs[k].buf->rank)
            xg_sched_fail(
                n, "rfactor: there is no axis %u of '%.*s'", axis, (int)b->outs[k].buf->name.n, b->outs[k].buf->name.p);
        if (b->n_outs == 1 && !xg_literal_is_identity(b->combine, b->init[k], n->arena))
            xg_sched_fail(
                n, "rfactor: combining with what '%.*s' begins with may change the result", (int)b->name.n, b->name.p);
    }
    where = XG_NEW_N(n->arena, xg_constraint, 2 * (size_t)b->n_where);
    /* of spatial loops: for both steps; of reduced ones: for the value of the first */
    for (k = 0; k < b->n_where; k++) {
        int of = xg_nblock_where_of(n, b, &b->where[k], loops, count);
        if (of != XG_NW_SPATIAL && of != XG_NW_REDUCED)
            xg_sched_fail(
                n, "rfactor: a constraint of '%.*s' is of spatial and other loops", (int)b->name.n, b->name.p);
        if (of == XG_NW_SPATIAL) where[n_both++] = b->where[k];
        if (of == XG_NW_REDUCED) where[b->n_where + n_reduced++] = b->where[k];
    }
    reduced_where = where + b->n_where;
    b->where = where;
    b->n_where = n_both;

    /* the first step, in the old loops: one iterator for each loop that was reduced over */
    first = xg_nest_block(n, xg_sched_name(n, "%s_%s", b->name.p, "rf"));
    f = first->block;
    f->iters = xg_nblock_spatial(n, b, count, &f->n_iters);
    n_second = f->n_iters;
    for (k = 0; k < count; k++)
        if (xg_nblock_depends(n, b, loops[k], 'R')) {
            xg_niter *i = &f->iters[f->n_iters++];
            i->kind = loops[k] == loop ? 'S' : 'R';
            i->extent = loops[k]->extent;
            i->binding = xg_nest_dim(n, loops[k]->var);
            i->var = xg_nest_var_named(n, xg_sched_name(n, "%s%s", "v", xg_sched_var(n, loops[k])), i->extent);
        }
    second = xg_nblock_spatial(n, b, 1, &n_second);
    second[n_second].kind = 'R';
    second[n_second].extent = loop->extent;
    second[n_second].var = xg_nest_var_named(n, xg_sched_name(n, "%s%s", "v", xg_sched_var(n, loop)), loop->extent);
    for (k = 0; k < count; k++) {
        copies[k] = NULL;
        if (loops[k] != loop && (xg_nblock_depends(n, b, loops[k], 'R') || !xg_nblock_depends(n, b, loops[k], 'S')))
            continue;
        copies[k] = xg_nest_loop(
            n, xg_nest_var(n, n->vars.p[loops[k]->var].name, loops[k]->extent), loops[k]->extent, XG_NK_SERIAL);
        if (at)
            xg_nstmt_append(at, copies[k]);
        else
            top = copies[k];
        at = copies[k];
    }
    xg_nsubst_begin(&s, n); /* loops to the first step's iterators */
    for (k = n_second; k < f->n_iters; k++)
        for (j = 0; j < count; j++)
            if (f->iters[k].binding == xg_nest_dim(n, loops[j]->var))
                xg_nsubst_put(&s, loops[j]->var, s.to[f->iters[k].var]);
    xg_nsubst_begin(&t, n); /* the old iterators to those of the first step */
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
    if (n_reduced) {
        uint32_t still;
        const xg_constraint *c;
        xg_nsubst_begin(&s, n);
        for (k = n_second; k < f->n_iters; k++)
            for (j = 0; j < count; j++)
                if (f->iters[k].binding == xg_nest_dim(n, loops[j]->var))
                    xg_nsubst_put(&s, loops[j]->var, s.to[f->iters[k].var]);
        c = xg_nsubst_where(&s, reduced_where, n_reduced, &still);
        if (still) xg_nblock_guard_value(n, f, c, still);
    }

    /* the arrays between, and the second step */
    outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    second_outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    args = XG_NEW_N(n->arena, xg_narg, b->n_outs);
    xg_nsubst_begin(&t, n);
    xg_nsubst_spatial(&t, b, second);
    for (k = 0; k < b->n_outs; k++) {
        const xg_nbuf *buf = b->outs[k].buf;
        int64_t dims[XG_RANK_MAX];
        const xg_aff **place = XG_NEW_N(n->arena, const xg_aff *, buf->rank + 1),
                     **from = XG_NEW_N(n->arena, const xg_aff *, buf->rank + 1);
        xg_nbuf *made;
        if (buf->rank + 1 > XG_RANK_MAX)
            xg_sched_fail(n, "rfactor: '%.*s' has too many dimensions", (int)buf->name.n, buf->name.p);
        second_outs[k].buf = b->outs[k].buf;
        second_outs[k].at = xg_nsubst_affs(&t, b->outs[k].at, buf->rank);
        for (d = 0; d <= buf->rank; d++) {
            uint32_t old = d < axis ? d : d - 1;
            dims[d] = d == axis ? loop->extent : buf->dims[old];
            place[d] = d == axis ? NULL : f->outs[k].at[old];
            from[d] = d == axis ? xg_nest_dim(n, second[n_second].var) : second_outs[k].at[old];
        }
        for (j = n_second; j < f->n_iters; j++)
            if (f->iters[j].kind == 'S') place[axis] = xg_nest_dim(n, f->iters[j].var);
        made =
            xg_nest_buf(n, xg_sched_name(n, "%s_%s", buf->name.p, "rf"), buf->type, dims, buf->rank + 1, XG_NS_GLOBAL);
        outs[k].buf = made;
        outs[k].at = place;
        args[k] = xg_narg_load(made, from);
    }
    f->outs = outs;
    xg_nsubst_begin(&s, n);
    for (k = 0; k < count; k++)
        if (copies[k]) xg_nsubst_put(&s, loops[k]->var, s.to[copies[k]->var]);
    for (k = 0; k < n_second; k++) second[k].binding = xg_nsubst_of(&s, second[k].binding);
    second[n_second].binding = s.to[copies[in]->var];
    b->where = xg_nsubst_where(&s, b->where, b->n_where, &b->n_where);
    b->iters = second;
    b->n_iters = n_second + 1;
    b->outs = second_outs;
    {
        xg_inst *params[XG_NREDUCTION_OUTS];
        xg_nbody y;
        xg_nbody_begin(&y, n, b->name);
        for (k = 0; k < b->n_outs; k++) params[k] = xg_nbody_arg(&y, &args[k]);
        if (b->n_outs > 1) {
            const xg_shape *shapes[XG_NREDUCTION_OUTS];
            for (k = 0; k < b->n_outs; k++) shapes[k] = params[k]->shape;
            params[0] = xg_inst_new(
                y.comp, XG_TUPLE, xg_shape_tuple(n->module, shapes, b->n_outs), params, b->n_outs, NULL, XG_STR(""));
        }
        xg_nbody_end(&y, b, params[0]);
    }
    xg_nstmt_insert(block, first);
    xg_nstmt_detach(block);
    xg_nstmt_append(at, block);
    xg_nstmt_insert_behind(loops[0], top);
    return first;
}

#endif /* XG_SCHED_REDUCTION_C */
