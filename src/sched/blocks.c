/* sched/blocks.c -- blockize, which makes one block of all that a loop holds. */
#ifndef XG_SCHED_BLOCKS_C
#define XG_SCHED_BLOCKS_C
#include "sched.h"
#include "loops.c"
#include "analysis.c"

/* Each iterator of the block inside is a multiple of the loops outside plus what the loops inside add; the new block's
 * iterators are the multiples. */
XG_FN xg_nstmt *xg_do_blockize(xg_loopnest *n, xg_nstmt *loop) {
    xg_nstmt *block, *outer, *s, *place, *parent;
    xg_nblock *b;
    xg_aff_env env;
    bool *fixed, *moving;
    const xg_aff **base;
    int64_t *inner;
    uint32_t k;
    xg_sched_check_loop(n, "blockize", loop);
    for (block = loop->first; block->op == XG_N_LOOP; block = block->first)
        if (block->next) xg_sched_fail(n, "blockize: the loop '%s' holds more than one block", xg_sched_var(n, loop));
    if (block->next) xg_sched_fail(n, "blockize: the loop '%s' holds more than one block", xg_sched_var(n, loop));
    b = block->block;
    for (k = 0; k < b->n_where; k++)
        xg_sched_fail(n, "blockize: '%.*s' does not run at all points of its loops", (int)b->name.n, b->name.p);
    fixed = XG_NEW_N(n->arena, bool, n->vars.n);
    moving = XG_NEW_N(n->arena, bool, n->vars.n);
    base = XG_NEW_N(n->arena, const xg_aff *, b->n_iters);
    inner = XG_NEW_N(n->arena, int64_t, b->n_iters);
    for (s = block->parent; s->op == XG_N_LOOP; s = s->parent)
        (xg_nstmt_inside(s, loop) ? moving : fixed)[s->var] = true;
    env = xg_nest_env(n);
    for (k = 0; k < b->n_iters; k++) {
        xg_nspan span;
        bool known = xg_nspan_of(&env, b->iters[k].binding, fixed, moving, &span);
        inner[k] = known ? span.hi - span.lo + 1 : 0;
        if (!known || span.lo || !span.dense || b->iters[k].extent % inner[k] || xg_aff_divisor(span.base) % inner[k])
            xg_sched_fail(n, "blockize: the loops from '%s' on do not divide iterator '%.*s'", xg_sched_var(n, loop),
                (int)n->vars.p[b->iters[k].var].name.n, n->vars.p[b->iters[k].var].name.p);
        base[k] = xg_aff_div_in(&env, span.base, inner[k]);
    }
    outer = xg_nest_block(n, xg_sched_name(n, "%s_%s", b->name.p, "o"));
    outer->block->iters = XG_NEW_N(n->arena, xg_niter, b->n_iters);
    outer->block->n_iters = b->n_iters;
    for (k = 0; k < b->n_iters; k++) {
        xg_niter *i = &outer->block->iters[k];
        const xg_aff *rest = xg_aff_add_scaled(&env, b->iters[k].binding, base[k], -inner[k]);
        i->kind = b->iters[k].kind;
        i->extent = b->iters[k].extent / inner[k];
        i->var = xg_nest_var(n, xg_sched_name(n, "%s_%s", n->vars.p[b->iters[k].var].name.p, "o"), i->extent);
        i->binding = base[k];
        env = xg_nest_env(n);
        b->iters[k].binding =
            xg_aff_add_scaled(&env, rest, i->extent == 1 ? xg_aff_const(n->aff, 0) : xg_nest_dim(n, i->var), inner[k]);
        if (!b->iters[k].binding) xg_sched_fail(n, "blockize: an index grows too large");
    }
    place = loop->next;
    parent = loop->parent;
    xg_nstmt_detach(loop);
    xg_nstmt_append(outer, loop);
    if (place)
        xg_nstmt_insert(place, outer);
    else
        xg_nstmt_append(parent, outer);
    return outer;
}

#endif /* XG_SCHED_BLOCKS_C */
