/* sched/at.c -- compute_at and reverse_compute_at: a block moves into a loop, and makes there only what one round of it
 * needs, or only what one round of it has made ready.
 *
 * Both know regions as boxes (analysis.c). The block gets new loops, one for each iterator whose share of a round is
 * more than one point; what leaves its extent at an edge is a constraint. An array that several threads share is needed
 * by all of them: where a block makes it in advance, the loops of threads count as running for what lies in shared
 * memory, and those of blocks too for global memory. */
#ifndef XG_SCHED_AT_C
#define XG_SCHED_AT_C
#include "sched.h"
#include "stage.c"
#include "analysis.c"

XG_FN bool xg_nkind_shared(xg_nkind k, xg_nscope scope) {
    bool block = k >= XG_NK_BLOCK_X && k <= XG_NK_BLOCK_Z;
    return (xg_nkind_is_thread(k) && scope <= XG_NS_SHARED) || (block && scope == XG_NS_GLOBAL);
}
/* What the block reads is there before any of the threads begins: then one of them may make what others want. */
XG_FN bool xg_nblock_may_share(xg_loopnest *n, const xg_nblock *b, const xg_nstmt *loop) {
    const xg_nstmt *outer = NULL, *p;
    xg_nstmt *w[8];
    uint32_t k, j, count;
    for (p = loop; p && p->op == XG_N_LOOP; p = p->parent)
        if (xg_nkind_is_axis(p->kind)) outer = p;
    for (k = 0; k < b->n_args && outer; k++) {
        if (b->args[k].kind != XG_NA_LOAD) continue;
        count = xg_nest_writers(n, b->args[k].buf, w, XG_COUNT(w));
        for (j = 0; j < count; j++)
            if (j >= XG_COUNT(w) || xg_nstmt_inside(w[j], outer)) return false;
    }
    return true;
}
/* As xg_nest_region, but, if it is to share, loops whose threads share the array run too, though they are around
 * `inner`. */
XG_FN bool xg_nest_shared_region(xg_loopnest *n, const xg_nstmt *s, const xg_nbuf *buf, const xg_aff *const *at,
    const xg_nstmt *inner, bool share, xg_nspan *out) {
    const xg_aff **in_loops = xg_nest_at_loops(n, s->block, at, buf->rank);
    xg_aff_env env = xg_nest_env(n);
    bool *fixed = XG_NEW_N(n->arena, bool, n->vars.n), *moving = XG_NEW_N(n->arena, bool, n->vars.n);
    const xg_nstmt *p;
    uint32_t k;
    xg_nest_sets(n, s, inner, fixed, moving);
    for (p = s->parent; p && p->op == XG_N_LOOP; p = p->parent)
        if (share && xg_nkind_shared(p->kind, buf->scope)) {
            fixed[p->var] = false;
            moving[p->var] = true;
        }
    for (k = 0; k < buf->rank; k++)
        if (!xg_nspan_of(&env, in_loops[k], fixed, moving, &out[k])) return false;
    return true;
}
/* The share of a dimension grows by another place. False: the two cannot be compared. */
XG_FN bool xg_nshare_join(xg_loopnest *n, xg_nshare *to, const xg_nspan *s) {
    xg_aff_env env = xg_nest_env(n);
    const xg_aff *apart;
    if (!to->base) {
        to->base = s->base;
        to->lo = s->lo;
        to->hi = s->hi;
        return true;
    }
    apart = xg_aff_add_scaled(&env, s->base, to->base, -1);
    if (!apart || apart->kind != XG_AFF_CONST) return false;
    to->lo = XG_MIN(to->lo, apart->k + s->lo);
    to->hi = XG_MAX(to->hi, apart->k + s->hi);
    return true;
}
/* Takes the block to its new place, in front of `before` (NULL: at the end of loop), with loops for its shares. */
XG_FN void xg_sched_move(
    xg_loopnest *n, xg_nstmt *block, const xg_nshare *shares, xg_nstmt *loop, xg_nstmt *before, bool keep_unit) {
    xg_nblock *b = block->block;
    xg_nstmt *parent = block->parent, *top = NULL, *at = NULL;
    xg_aff_env env;
    uint32_t k;
    xg_nstmt_detach(block);
    if (parent->op != XG_N_ROOT && !parent->first) xg_nstmt_unlink(parent);
    b->where = NULL;
    b->n_where = 0;
    for (k = 0; k < b->n_iters; k++) {
        xg_niter *i = &b->iters[k];
        const xg_nshare *s = &shares[k];
        int64_t extent = s->base && s->hi - s->lo + 1 < i->extent ? s->hi - s->lo + 1 : i->extent;
        const xg_aff *start = extent < i->extent ? xg_aff_add_k(n->aff, s->base, s->lo) : xg_aff_const(n->aff, 0);
        xg_nstmt *made;
        if (extent == 1 && !keep_unit)
            i->binding = start;
        else {
            char text[24];
            (void)xg_format(text, sizeof text, "ax%u", k);
            made = xg_nest_loop(n, xg_nest_var(n, xg_str_z(text), extent), extent, XG_NK_SERIAL);
            if (at)
                xg_nstmt_append(at, made);
            else
                top = made;
            at = made;
            env = xg_nest_env(n);
            i->binding = extent == 1 ? start : xg_aff_add_in(&env, start, xg_nest_dim(n, made->var));
        }
        if (!i->binding) xg_sched_fail(n, "compute_at: an index grows too large");
        xg_nblock_require(n, b, i->binding, xg_range_of(0, i->extent - 1));
    }
    if (at)
        xg_nstmt_append(at, block);
    else
        top = block;
    if (before)
        xg_nstmt_insert(before, top);
    else
        xg_nstmt_append(loop, top);
}
XG_FN void xg_sched_check_target(
    const xg_loopnest *n, const char *primitive, const xg_nstmt *block, const xg_nstmt *loop) {
    xg_sched_check_block(n, primitive, block);
    xg_sched_check_loop(n, primitive, loop);
    if (xg_nstmt_inside(block, loop))
        xg_sched_fail(n, "%s: '%.*s' is in the loop '%s' already", primitive, (int)block->block->name.n,
            block->block->name.p, xg_sched_var(n, loop));
    if (xg_nstmt_scope(block) != xg_nstmt_scope(loop))
        xg_sched_fail(n, "%s: the loop '%s' is in another block", primitive, xg_sched_var(n, loop));
    if (xg_nblock_class(block->block) == XG_NC_OTHER)
        xg_sched_fail(n, "%s: '%.*s' is neither complete nor a reduction", primitive, (int)block->block->name.n,
            block->block->name.p);
    if (xg_nblock_class(block->block) == XG_NC_REDUCTION && !block->block->init)
        xg_sched_fail(n, "%s: what '%.*s' begins with is made by another block", primitive, (int)block->block->name.n,
            block->block->name.p);
}
XG_FN void xg_do_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit) {
    const xg_nblock *b;
    xg_nshare *shares, dims[XG_RANK_MAX];
    xg_nstmt *s, *first = NULL, *w;
    uint32_t which[XG_RANK_MAX], k, j, d;
    bool share;
    xg_sched_check_target(n, "compute_at", block, loop);
    b = block->block;
    share = xg_nblock_may_share(n, b, loop);
    shares = XG_NEW_N(n->arena, xg_nshare, b->n_iters);
    for (j = 0; j < b->n_outs; j++) {
        const xg_nbuf *buf = b->outs[j].buf;
        bool known = true;
        if (buf->param) xg_sched_fail(n, "compute_at: '%.*s' makes a result of the nest", (int)b->name.n, b->name.p);
        if (xg_nest_writers(n, buf, &w, 1) != 1)
            xg_sched_fail(n, "compute_at: '%.*s' is written by other blocks too", (int)buf->name.n, buf->name.p);
        memset(dims, 0, sizeof dims);
        for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
            if (s->op != XG_N_BLOCK || !s->block->body || s == block) continue;
            for (k = 0; k < s->block->n_args; k++) {
                const xg_narg *a = &s->block->args[k];
                xg_nspan span[XG_RANK_MAX];
                if (a->kind != XG_NA_LOAD || a->buf != buf) continue;
                if (!xg_nstmt_inside(s, loop))
                    xg_sched_fail(n, "compute_at: '%.*s' reads '%.*s' outside of the loop '%s'", (int)s->block->name.n,
                        s->block->name.p, (int)buf->name.n, buf->name.p, xg_sched_var(n, loop));
                if (!first || xg_nstmt_precedes(n, s, first)) first = s;
                if (xg_nstmt_scope(s) != xg_nstmt_scope(loop)) known = false;
                if (known) known = xg_nest_shared_region(n, s, buf, a->at, loop, share, span);
                for (d = 0; d < buf->rank && known; d++) known = xg_nshare_join(n, &dims[d], &span[d]);
            }
        }
        if (!known) {
            memset(shares, 0, b->n_iters * sizeof *shares);
            continue;
        }
        for (d = 0; d < buf->rank; d++) {
            for (k = 0; k < b->n_iters && b->outs[j].at[d] != xg_nest_dim(n, b->iters[k].var); k++) {}
            which[d] = k;
        }
        for (d = 0; d < buf->rank; d++) {
            if (which[d] == b->n_iters) continue;
            if (j && (!shares[which[d]].base || shares[which[d]].base != dims[d].base)) {
                memset(&shares[which[d]], 0, sizeof *shares);
                continue;
            }
            if (j) {
                shares[which[d]].lo = XG_MIN(shares[which[d]].lo, dims[d].lo);
                shares[which[d]].hi = XG_MAX(shares[which[d]].hi, dims[d].hi);
            } else
                shares[which[d]] = dims[d];
        }
    }
    if (!first) xg_sched_fail(n, "compute_at: nobody reads what '%.*s' makes", (int)b->name.n, b->name.p);
    if (xg_nstmt_precedes(n, loop, block))
        xg_sched_fail(
            n, "compute_at: the loop '%s' runs before '%.*s'", xg_sched_var(n, loop), (int)b->name.n, b->name.p);
    first = xg_nstmt_branch(first, loop);
    for (k = 0; k < b->n_args; k++)
        if (b->args[k].kind == XG_NA_LOAD)
            for (s = loop->first; s; s = xg_nstmt_next(s, loop))
                if (s->op == XG_N_BLOCK && s->block->body && xg_nblock_writes(s->block, b->args[k].buf) &&
                    !xg_nstmt_precedes(n, xg_nstmt_branch(s, loop), first))
                    xg_sched_fail(n, "compute_at: '%.*s' reads what the loop '%s' makes later", (int)b->name.n,
                        b->name.p, xg_sched_var(n, loop));
    xg_sched_move(n, block, shares, loop, first, keep_unit);
}
/* A reduction that is done in parts must see each point once: rounds of the loops around it have shares that do not
 * meet. */
XG_FN bool xg_nshares_apart(xg_loopnest *n, const xg_nshare *shares, const xg_nblock *b, const xg_nstmt *loop) {
    const xg_aff **bases = XG_NEW_N(n->arena, const xg_aff *, b->n_iters), *vars[XG_NEST_DEPTH_MAX];
    xg_aff_env env = xg_nest_env(n);
    const xg_nstmt *p;
    uint32_t k, j, count = 0, n_vars = 0;
    for (k = 0; k < b->n_iters; k++) {
        xg_linear l;
        bool room = true;
        if (!shares[k].base || shares[k].hi - shares[k].lo + 1 >= b->iters[k].extent)
            continue; /* all of it each time */
        xg_aff_linear(shares[k].base, &l);
        for (j = 0; j < l.n; j++) room &= xg_nabs(l.terms[j].scale) > shares[k].hi - shares[k].lo;
        if (room) bases[count++] = shares[k].base;
    }
    for (p = loop; p && p->op == XG_N_LOOP; p = p->parent) {
        if (n_vars == XG_COUNT(vars)) return false;
        vars[n_vars++] = xg_nest_dim(n, p->var);
    }
    return xg_iter_tells(&env, n->arena, bases, count, vars, n_vars);
}
/* The block that makes what buf holds in the end. Another one may write what that begins with, in the same loop. */
XG_FN xg_nstmt *xg_sched_last_writer(xg_loopnest *n, const char *primitive, const xg_nbuf *buf) {
    xg_nstmt *w[2];
    uint32_t writers = xg_nest_writers(n, buf, w, XG_COUNT(w));
    if (writers < 2) return writers ? w[0] : NULL;
    if (writers > 2 || w[0]->block->combine || !w[1]->block->combine || w[1]->block->init ||
        xg_nstmt_common(w[0], w[1])->op == XG_N_ROOT)
        xg_sched_fail(n, "%s: '%.*s' is written by %u blocks", primitive, (int)buf->name.n, buf->name.p, writers);
    return w[1];
}
XG_FN void xg_do_reverse_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit) {
    const xg_nblock *b;
    xg_nshare *shares;
    xg_nstmt *s, *w, *last = NULL, *before;
    const xg_nstmt *p;
    uint32_t k, j, d, i;
    xg_sched_check_target(n, "reverse_compute_at", block, loop);
    b = block->block;
    shares = XG_NEW_N(n->arena, xg_nshare, b->n_iters);
    for (k = 0; k < b->n_args; k++) {
        const xg_narg *a = &b->args[k];
        xg_nspan span[XG_RANK_MAX];
        if (a->kind != XG_NA_LOAD || (a->buf->param && !a->buf->output)) continue;
        w = xg_sched_last_writer(n, "reverse_compute_at", a->buf);
        if (!w) continue;
        if (!xg_nstmt_inside(w, loop)) {
            if (!xg_nstmt_precedes(n, w, loop))
                xg_sched_fail(n, "reverse_compute_at: '%.*s' is made outside of the loop '%s'", (int)a->buf->name.n,
                    a->buf->name.p, xg_sched_var(n, loop));
            continue; /* it is ready before the loop begins */
        }
        if (xg_nstmt_scope(w) != xg_nstmt_scope(loop))
            xg_sched_fail(
                n, "reverse_compute_at: '%.*s' is made in another block", (int)a->buf->name.n, a->buf->name.p);
        for (j = 0; w->block->outs[j].buf != a->buf; j++) {}
        for (p = loop; p && p->op == XG_N_LOOP; p = p->parent)
            for (i = 0; i < w->block->n_iters; i++)
                if (w->block->iters[i].kind == 'R' && xg_aff_uses(w->block->iters[i].binding, xg_nest_dim(n, p->var)))
                    xg_sched_fail(n, "reverse_compute_at: '%.*s' is not complete after one round of '%s'",
                        (int)a->buf->name.n, a->buf->name.p, xg_sched_var(n, p));
        if (!xg_nest_region(n, w, w->block->outs[j].at, a->buf->rank, loop, span))
            xg_sched_fail(n, "reverse_compute_at: which part of '%.*s' one round makes is not known",
                (int)a->buf->name.n, a->buf->name.p);
        for (d = 0; d < a->buf->rank; d++) {
            for (i = 0; i < b->n_iters && a->at[d] != xg_nest_dim(n, b->iters[i].var); i++) {}
            if (span[d].base->kind == XG_AFF_CONST && span[d].base->k + span[d].lo <= 0 &&
                span[d].base->k + span[d].hi >= a->buf->dims[d] - 1 && span[d].dense)
                continue; /* all of it */
            if (i == b->n_iters || b->iters[i].extent > a->buf->dims[d])
                xg_sched_fail(n, "reverse_compute_at: '%.*s' does not read '%.*s' by its iterators", (int)b->name.n,
                    b->name.p, (int)a->buf->name.n, a->buf->name.p);
            if (!span[d].dense)
                xg_sched_fail(n, "reverse_compute_at: one round of '%s' makes places of '%.*s' that are apart",
                    xg_sched_var(n, loop), (int)a->buf->name.n, a->buf->name.p);
            if (shares[i].base &&
                (shares[i].base != span[d].base || shares[i].lo != span[d].lo || shares[i].hi != span[d].hi))
                xg_sched_fail(n, "reverse_compute_at: '%.*s' reads different parts of what one round makes",
                    (int)b->name.n, b->name.p);
            shares[i].base = span[d].base;
            shares[i].lo = span[d].lo;
            shares[i].hi = span[d].hi;
        }
        if (!xg_nest_where_is_edge(n, w, a->buf, w->block->outs[j].at))
            xg_sched_fail(n, "reverse_compute_at: '%.*s' does not run at all points of its loops",
                (int)w->block->name.n, w->block->name.p);
        if (!last || xg_nstmt_precedes(n, last, w)) last = w;
    }
    if (xg_nblock_class(b) == XG_NC_REDUCTION && !xg_nshares_apart(n, shares, b, loop))
        xg_sched_fail(n, "reverse_compute_at: '%.*s' would be reduced more than once in the rounds of '%s'",
            (int)b->name.n, b->name.p, xg_sched_var(n, loop));
    if (!last)
        xg_sched_fail(n, "reverse_compute_at: nothing that '%.*s' reads is made in the loop '%s'", (int)b->name.n,
            b->name.p, xg_sched_var(n, loop));
    if (xg_nstmt_precedes(n, block, loop))
        xg_sched_fail(
            n, "reverse_compute_at: the loop '%s' runs after '%.*s'", xg_sched_var(n, loop), (int)b->name.n, b->name.p);
    before = xg_nstmt_branch(last, loop)->next;
    for (s = loop->first; s; s = xg_nstmt_next(s, loop))
        if (s->op == XG_N_BLOCK && s->block->body)
            for (j = 0; j < b->n_outs; j++)
                if (xg_nblock_reads(s->block, b->outs[j].buf))
                    xg_sched_fail(n, "reverse_compute_at: '%.*s' in the loop '%s' reads what '%.*s' makes",
                        (int)s->block->name.n, s->block->name.p, xg_sched_var(n, loop), (int)b->name.n, b->name.p);
    xg_sched_move(n, block, shares, loop, before, keep_unit);
}

#endif /* XG_SCHED_AT_C */
