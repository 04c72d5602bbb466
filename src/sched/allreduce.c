/* sched/allreduce.c -- reductions over loops of threads: first as one collective step, then as shuffles.
 *
 *   allreduce   A block that reduces over a loop of threads becomes three things: what each thread sums up for itself,
 *               in an array of its own; a block marked `allreduce AXES`, in which the threads of these axes combine
 *               one value each, and all of them get the result; and, where the result lies in memory that others see,
 *               a store by the first of the threads. What is left without a loop of threads and writes such memory
 *               runs in the first thread.
 *   shuffles    The marked block of a flat nest becomes butterflies of shuffles (`lanes N`: aligned groups of N lanes
 *               combine, and each lane has the result). More than a warp takes two levels over a staging array in
 *               shared memory, one entry a warp. What does not fit groups of lanes goes through shared memory,
 *               halving.
 *
 * The second level runs in every warp when other threads than the first read the result, so that one barrier suffices;
 * else in the first warp of the group alone. */
#ifndef XG_SCHED_ALLREDUCE_C
#define XG_SCHED_ALLREDUCE_C
#include "sched.h"
#include "../indexing/indexing.h"
#include "stage.c"
#include "reduction.c"
#include "nest.c"
#include "loops.c"

/* ---- allreduce ---- */

/* How a loop stands to a reduction. */
typedef enum xg_nrole {
    XG_NR_OTHER,
    XG_NR_SPATIAL,
    XG_NR_SERIAL,
    XG_NR_THREAD,
    XG_NR_BOTH
} xg_nrole;
XG_FN xg_nrole xg_nloop_role(const xg_loopnest *n, const xg_nblock *b, const xg_nstmt *loop) {
    bool s = xg_nblock_depends(n, b, loop, 'S'), r = xg_nblock_depends(n, b, loop, 'R');
    if (s && r && loop->extent > 1) return XG_NR_BOTH;
    if (!r) return s ? XG_NR_SPATIAL : XG_NR_OTHER;
    return xg_nkind_is_thread(loop->kind) ? XG_NR_THREAD : XG_NR_SERIAL;
}
XG_FN bool xg_nblock_crosses(const xg_loopnest *n, const xg_nstmt *s) {
    const xg_nstmt *p;
    if (!s->block->body || !s->block->combine || s->block->across) return false;
    for (p = s->parent; p && p->op == XG_N_LOOP; p = p->parent)
        if (xg_nkind_is_thread(p->kind) && p->extent > 1 && xg_nblock_depends(n, s->block, p, 'R')) return true;
    return false;
}
typedef struct xg_ncross {
    xg_loopnest *n;
    uint32_t count, first; /* loops around the block; the outermost one that it reduces over */
    bool serial;           /* a thread has more than one value */
    uint32_t axes;
    xg_nrole role[XG_NEST_DEPTH_MAX];
    xg_nstmt *s, *loops[XG_NEST_DEPTH_MAX];
} xg_ncross;
XG_NORETURN XG_FN void xg_ncross_fail(const xg_ncross *c, const char *what, const xg_nstmt *loop) {
    xg_sched_fail(c->n, "allreduce: '%.*s' %s '%s'", (int)c->s->block->name.n, c->s->block->name.p, what,
        xg_sched_var(c->n, loop));
}
/* Rounds of a block around it that belong to the same sum would each begin and store it. */
XG_FN void xg_ncross_check_outer(const xg_ncross *c) {
    const xg_nblock *b = c->s->block;
    const xg_nstmt *p;
    uint32_t k, j;
    for (p = c->s->parent; p; p = p->parent)
        for (k = 0; p->op == XG_N_BLOCK && k < p->block->n_iters; k++)
            for (j = 0; j < b->n_iters && p->block->iters[k].kind == 'R' && p->block->iters[k].extent > 1; j++)
                if (b->iters[j].kind == 'R' &&
                    xg_aff_uses(b->iters[j].binding, xg_aff_dim(c->n->aff, p->block->iters[k].var)))
                    xg_sched_fail(c->n, "allreduce: '%.*s' is a part of the sum that '%.*s' around it goes on with",
                        (int)b->name.n, b->name.p, (int)p->block->name.n, p->block->name.p);
}
XG_FN void xg_ncross_of(xg_ncross *c, xg_loopnest *n, xg_nstmt *s) {
    bool inside = false;
    uint32_t k;
    memset(c, 0, sizeof *c);
    c->n = n;
    c->s = s;
    c->count = xg_nest_loops(s, c->loops, XG_COUNT(c->loops));
    if (c->count > XG_COUNT(c->loops)) xg_sched_fail(n, "allreduce: the loops are nested too deep");
    c->first = c->count;
    for (k = 0; k < c->count; k++) {
        const xg_nstmt *l = c->loops[k];
        c->role[k] = xg_nloop_role(n, s->block, l);
        if (c->role[k] == XG_NR_BOTH) xg_ncross_fail(c, "reduces and does not reduce over the loop", l);
        if (c->role[k] >= XG_NR_SERIAL && c->first == c->count) c->first = k;
        if (c->first < c->count && l->first != l->last) xg_ncross_fail(c, "is not alone in the loop", l);
        if (c->role[k] == XG_NR_THREAD && l->extent > 1) c->axes |= 1u << (l->kind - XG_NK_THREAD_X);
        if (c->role[k] == XG_NR_SERIAL && l->extent > 1)
            inside = c->serial = true;
        else if (inside && l->extent > 1 && c->role[k] <= XG_NR_SPATIAL && !xg_nkind_is_thread(l->kind))
            xg_ncross_fail(c, "has inside of the loops that it reduces over the loop", l);
    }
}
/* What may be combined any number of times: the initial value if it is a zero, of either sign, that is added to; else
 * the combiner's identity if it is known; else the initial value, too. */
XG_FN const xg_literal *xg_nblock_identity(xg_loopnest *n, const xg_nblock *b, uint32_t k) {
    xg_literal *l = xg_literal_new(n->arena, xg_shape_scalar(n->module, b->outs[k].buf->type));
    if (b->n_outs == 1 && xg_literal_is_identity(b->combine, b->init[k], n->arena)) return b->init[k];
    if (b->n_outs == 1 && xg_combiner_identity(b->combine, l)) return l;
    return b->init[k];
}
XG_FN bool xg_literal_same_zero(const xg_loopnest *n, const xg_literal *l) {
    const xg_literal *zero = xg_literal_new(n->arena, l->shape);
    return xg_literal_equal(l, zero);
}
/* All that a block combines are elements of a sum of its own that began with +0. */
XG_APART XG_FN bool xg_nblock_reads_sums(const xg_loopnest *n, const xg_nblock *b) {
    const xg_nstmt *s;
    bool sums = false;
    if (b->n_args != 1 || b->args[0].kind != XG_NA_LOAD || b->body->root->op != XG_PARAMETER) return false;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        const xg_nblock *w = s->block;
        if (s->op != XG_N_BLOCK || !w->body || !xg_nblock_writes(w, b->args[0].buf)) continue;
        if (w->combine ? w->n_outs > 1 || xg_eval_single(w->combine) != XG_ADD : w->body->root->op != XG_CONSTANT)
            return false;
        if (w->combine && w->init && !xg_literal_same_zero(n, w->init[0])) return false;
        if (!w->combine && !xg_literal_same_zero(n, w->body->root->literal)) return false;
        sums |= w->combine != NULL;
    }
    return sums;
}
/* The initial value changes nothing. A sum of floats that begins with +0 is never -0, so the threads' values must have
 * begun with it as well (begun: they have, in a step before). */
XG_FN bool xg_nblock_begins_plain(xg_loopnest *n, const xg_nblock *b, bool begun) {
    bool adds = xg_eval_single(b->combine) == XG_ADD && (xg_type_class(b->outs[0].buf->type) & (XGT_F | XGT_C));
    if (b->n_outs > 1) return true;
    if (!xg_literal_is_identity(b->combine, b->init[0], n->arena)) return false;
    return !adds || begun || !xg_literal_same_zero(n, b->init[0]) || xg_nblock_reads_sums(n, b);
}
/* The constraints of these loops as such of iterators, under which a value counts: one more iterator for each loop. */
XG_FN void xg_ncross_guard(xg_ncross *c, xg_nstmt *s) {
    xg_loopnest *n = c->n;
    xg_nblock *b = s->block;
    xg_niter *iters = XG_NEW_N(n->arena, xg_niter, b->n_iters + c->count);
    xg_constraint *kept = XG_NEW_N(n->arena, xg_constraint, b->n_where + 1);
    xg_constraint *reduced = XG_NEW_N(n->arena, xg_constraint, b->n_where + 1);
    uint32_t k, j, n_kept = 0, n_reduced = 0, n_iters = b->n_iters, still;
    const xg_constraint *own;
    xg_nsubst subst;
    if (b->n_iters) memcpy(iters, b->iters, b->n_iters * sizeof *iters);
    for (k = 0; k < b->n_where; k++) {
        bool of = false;
        for (j = c->first; j < c->count; j++)
            of |= c->role[j] >= XG_NR_SERIAL && xg_aff_uses(b->where[k].expr, xg_nest_dim(n, c->loops[j]->var));
        if (of)
            reduced[n_reduced++] = b->where[k];
        else
            kept[n_kept++] = b->where[k];
    }
    b->where = kept;
    b->n_where = n_kept;
    if (!n_reduced) return;
    for (k = 0; k < c->count; k++) {
        for (j = 0; j < n_reduced && !xg_aff_uses(reduced[j].expr, xg_nest_dim(n, c->loops[k]->var)); j++) {}
        if (j == n_reduced) continue;
        iters[n_iters].kind = 'S';
        iters[n_iters].extent = c->loops[k]->extent;
        iters[n_iters].binding = xg_nest_dim(n, c->loops[k]->var);
        iters[n_iters].var =
            xg_nest_var_named(n, xg_sched_name(n, "%s%s", "w", xg_sched_var(n, c->loops[k])), c->loops[k]->extent);
        n_iters++;
    }
    xg_nsubst_begin(&subst, n);
    for (k = b->n_iters; k < n_iters; k++) xg_nsubst_put(&subst, iters[k].binding->n, subst.to[iters[k].var]);
    own = xg_nsubst_where(&subst, reduced, n_reduced, &still);
    b->iters = iters;
    b->n_iters = n_iters;
    if (still) xg_nblock_guard_value(n, b, own, still);
}
/* The spatial iterators anew, a reduced one for each serial loop, and last a spatial one for each loop of threads, of
 * which there are so many: what is read and written is of these then. */
XG_APART XG_FN uint32_t xg_ncross_own_iters(const xg_ncross *c, xg_nblock *p) {
    xg_loopnest *n = c->n;
    const xg_nblock *b = c->s->block;
    xg_niter *iters = xg_nblock_spatial(n, b, c->count, &p->n_iters);
    uint32_t k, of_threads = 0, pass, first = p->n_iters;
    xg_nsubst of_loops, of_iters;
    for (pass = XG_NR_SERIAL; pass <= XG_NR_THREAD; pass++)
        for (k = c->first; k < c->count; k++) {
            xg_niter *i = &iters[p->n_iters];
            const xg_nstmt *l = c->loops[k];
            if ((uint32_t)c->role[k] != pass || l->extent == 1) continue;
            i->kind = pass == XG_NR_THREAD ? 'S' : 'R';
            i->extent = l->extent;
            i->binding = xg_nest_dim(n, l->var);
            i->var = xg_nest_var_named(n, xg_sched_name(n, "%s%s", "v", xg_sched_var(n, l)), i->extent);
            p->n_iters++;
            of_threads += pass == XG_NR_THREAD;
        }
    xg_nsubst_begin(&of_loops, n);
    for (k = first; k < p->n_iters; k++) xg_nsubst_put(&of_loops, iters[k].binding->n, of_loops.to[iters[k].var]);
    xg_nsubst_begin(&of_iters, n);
    xg_nsubst_spatial(&of_iters, b, iters);
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == 'R')
            xg_nsubst_put(&of_iters, b->iters[k].var, xg_nsubst_of(&of_loops, b->iters[k].binding));
    p->iters = iters;
    xg_nsubst_args(&of_iters, p);
    return of_threads;
}
/* Each thread's own part: the block in its loops, with an iterator for each loop of threads. Given back: the arrays. */
XG_FN xg_nstmt *xg_ncross_partial(xg_ncross *c, xg_nbuf **parts, const xg_aff ***places) {
    xg_loopnest *n = c->n;
    xg_nblock *b = c->s->block, *p;
    xg_nstmt *made = xg_nest_block(n, xg_sched_name(n, "%s_%s", b->name.p, "part"));
    const xg_literal **init = XG_NEW_N(n->arena, const xg_literal *, b->n_outs);
    xg_nout *outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    xg_str name = made->block->name;
    uint32_t k, d, of_threads, first_thread;
    p = made->block;
    *p = *b;
    p->name = name;
    of_threads = xg_ncross_own_iters(c, p);
    first_thread = p->n_iters - of_threads;
    for (k = 0; k < b->n_outs; k++) {
        const xg_nbuf *buf = b->outs[k].buf;
        int64_t dims[XG_RANK_MAX];
        if (buf->rank + of_threads > XG_RANK_MAX)
            xg_sched_fail(n, "allreduce: '%s' has too many dimensions", buf->name.p);
        outs[k].at = XG_NEW_N(n->arena, const xg_aff *, buf->rank + of_threads);
        for (d = 0; d < of_threads; d++) {
            dims[d] = p->iters[first_thread + d].extent;
            outs[k].at[d] = xg_nest_dim(n, p->iters[first_thread + d].var);
        }
        for (d = 0; d < buf->rank; d++) {
            dims[of_threads + d] = buf->dims[d];
            outs[k].at[of_threads + d] = p->outs[k].at[d];
        }
        outs[k].buf = xg_nest_buf(
            n, xg_sched_name(n, "%s_%s", buf->name.p, "part"), buf->type, dims, buf->rank + of_threads, XG_NS_LOCAL);
        init[k] = xg_nblock_identity(n, b, k);
        parts[k] = outs[k].buf;
        places[k] = outs[k].at;
    }
    p->outs = outs;
    p->init = init;
    return made;
}
/* The block's loops from the first reduced one on, without the serial ones it reduces over: copies around the block. */
XG_FN xg_nstmt *xg_ncross_loops(xg_ncross *c, xg_nsubst *to_copies) {
    xg_loopnest *n = c->n;
    xg_nstmt *copies[XG_NEST_DEPTH_MAX], *top = NULL, *at = NULL;
    uint32_t k;
    for (k = c->first; k < c->count; k++) {
        const xg_nstmt *l = c->loops[k];
        copies[k] = NULL;
        if (c->role[k] == XG_NR_SERIAL || (c->role[k] == XG_NR_OTHER && l->extent == 1)) continue;
        copies[k] = xg_nest_loop(n, xg_nest_var(n, n->vars.p[l->var].name, l->extent), l->extent, l->kind);
        if (at)
            xg_nstmt_append(at, copies[k]);
        else
            top = copies[k];
        at = copies[k];
    }
    xg_nsubst_begin(to_copies, n);
    for (k = c->first; k < c->count; k++)
        if (copies[k]) xg_nsubst_put(to_copies, c->loops[k]->var, to_copies->to[copies[k]->var]);
    xg_nstmt_append(at, c->s);
    return top;
}
XG_APART XG_FN uint32_t xg_naxes_count(uint32_t axes) { return (axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1); }
/* The block combines what the threads have in `parts` now. */
XG_FN void xg_ncross_second(xg_ncross *c, xg_nbuf *const *parts, const xg_aff **const *places, const xg_nblock *p) {
    xg_loopnest *n = c->n;
    xg_nblock *b = c->s->block;
    xg_niter *iters = XG_NEW_N(n->arena, xg_niter, p->n_iters);
    xg_nout *outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    xg_inst *params[XG_NREDUCTION_OUTS];
    xg_nsubst to_copies, own;
    xg_nstmt *top;
    xg_nbody y;
    uint32_t k, kept = 0;
    xg_nsubst_begin(&own, n);
    for (k = 0; k < p->n_iters; k++) {
        bool of_thread = k >= p->n_iters - xg_naxes_count(c->axes);
        if (p->iters[k].kind == 'R') continue;
        iters[kept] = p->iters[k];
        iters[kept].kind = of_thread ? 'R' : 'S';
        iters[kept].var = xg_nest_var_named(n, n->vars.p[p->iters[k].var].name, p->iters[k].extent);
        kept++;
    }
    xg_nsubst_begin(&own, n);
    for (k = kept = 0; k < p->n_iters; k++)
        if (p->iters[k].kind != 'R') xg_nsubst_put(&own, p->iters[k].var, own.to[iters[kept++].var]);
    xg_nbody_begin(&y, n, b->name);
    for (k = 0; k < b->n_outs; k++) {
        xg_narg a = xg_narg_load(parts[k], xg_nsubst_affs(&own, places[k], parts[k]->rank));
        params[k] = xg_nbody_arg(&y, &a);
        outs[k].buf = b->outs[k].buf;
        outs[k].at = xg_nsubst_affs(&own, places[k] + xg_naxes_count(c->axes), outs[k].buf->rank);
    }
    xg_nbody_end_all(&y, b, params);
    xg_nstmt_detach(c->s);
    top = xg_ncross_loops(c, &to_copies);
    for (k = 0; k < kept; k++) iters[k].binding = xg_nsubst_of(&to_copies, iters[k].binding);
    b->where = xg_nsubst_where(&to_copies, b->where, b->n_where, &b->n_where);
    b->iters = iters;
    b->n_iters = kept;
    b->outs = outs;
    xg_nstmt_insert_behind(c->loops[c->first], top);
}
/* Where the result is not a thread's own, the first of the threads writes it; with what it begins with, if that counts.
 */
XG_FN void xg_ncross_store(xg_ncross *c, bool begun) {
    xg_loopnest *n = c->n;
    xg_nblock *b = c->s->block, *w;
    bool plain = xg_nblock_begins_plain(n, b, begun), seen = false;
    const xg_literal **init = XG_NEW_N(n->arena, const xg_literal *, b->n_outs);
    xg_inst *in[2 * XG_NREDUCTION_OUTS];
    xg_nstmt *store, *l;
    xg_nout *outs;
    xg_nsubst s;
    xg_nbody y;
    uint32_t k, kept = 0;
    for (k = 0; k < b->n_outs; k++) seen |= b->outs[k].buf->scope != XG_NS_LOCAL;
    for (k = 0; k < b->n_outs; k++) init[k] = xg_nblock_identity(n, b, k);
    if (!seen && plain) {
        b->init = init;
        return;
    }
    store = xg_nest_block(n, xg_sched_name(n, "%s_%s", b->name.p, "store"));
    w = store->block;
    w->iters = xg_nblock_spatial(n, b, 0, &w->n_iters);
    xg_nsubst_begin(&s, n);
    xg_nsubst_spatial(&s, b, w->iters);
    outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    w->outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    w->n_outs = b->n_outs;
    xg_nbody_begin(&y, n, w->name);
    for (k = 0; k < b->n_outs; k++) {
        xg_nbuf *buf = b->outs[k].buf;
        xg_nout *to = (xg_nout *)&w->outs[k];
        xg_narg a;
        to->buf = buf;
        to->at = xg_nsubst_affs(&s, b->outs[k].at, buf->rank);
        outs[k] = b->outs[k];
        outs[k].buf =
            xg_nest_buf(n, xg_sched_name(n, "%s_%s", buf->name.p, "all"), buf->type, buf->dims, buf->rank, XG_NS_LOCAL);
        a = xg_narg_load(outs[k].buf, to->at);
        in[b->n_outs + k] = xg_nbody_arg(&y, &a);
    }
    if (!plain) {
        in[0] = xg_inst_new(y.comp, XG_CONSTANT, in[1]->shape, NULL, 0, NULL, XG_STR("start"));
        in[0]->literal = b->init[0];
        in[1] = xg_nbody_copy(&y, b->combine, in);
        xg_nbody_end(&y, w, in[1]);
    } else
        xg_nbody_end_all(&y, w, in + b->n_outs);
    w->where = b->where;
    w->n_where = b->n_where;
    for (l = c->s->parent; l && l->op == XG_N_LOOP && seen; l = l->parent)
        if (xg_nkind_is_thread(l->kind) && (c->axes >> (l->kind - XG_NK_THREAD_X) & 1))
            xg_nblock_require(n, w, xg_nest_dim(n, l->var), xg_range_of(0, 0));
    (void)kept;
    b->outs = outs;
    b->init = init;
    xg_nstmt_insert_behind(c->s, store);
}
/* Of the block's constraints only those of other loops than it reduces over: the first step sees to the rest. */
XG_FN void xg_ncross_keep_where(xg_ncross *c) {
    xg_nblock *b = c->s->block;
    xg_constraint *kept = XG_NEW_N(c->n->arena, xg_constraint, b->n_where + 1);
    uint32_t k, j, count = 0;
    for (k = 0; k < b->n_where; k++) {
        bool spatial = false, reduced = false;
        for (j = 0; j < c->count; j++)
            if (xg_aff_uses(b->where[k].expr, xg_nest_dim(c->n, c->loops[j]->var)))
                *(c->role[j] >= XG_NR_SERIAL ? &reduced : &spatial) = true;
        if (reduced && spatial)
            xg_sched_fail(c->n, "allreduce: a constraint of '%.*s' is of loops that it reduces over and of others",
                (int)b->name.n, b->name.p);
        if (!reduced) kept[count++] = b->where[k];
    }
    b->where = kept;
    b->n_where = count;
}
XG_FN void xg_nest_allreduce_block(xg_loopnest *n, xg_nstmt *s) {
    xg_nbuf *parts[XG_NREDUCTION_OUTS];
    const xg_aff **places[XG_NREDUCTION_OUTS];
    xg_nstmt *part, *scope_loop;
    xg_nblock *b = s->block;
    xg_ncross c;
    bool begun;
    uint32_t k;
    xg_ncross_of(&c, n, s);
    xg_ncross_check_outer(&c);
    if (!b->init)
        xg_sched_fail(n, "allreduce: what '%.*s' begins with is made by another block", (int)b->name.n, b->name.p);
    if (b->n_outs > XG_NREDUCTION_OUTS)
        xg_sched_fail(n, "allreduce: '%.*s' has more than %d results", (int)b->name.n, b->name.p, XG_NREDUCTION_OUTS);
    begun = c.serial || b->n_where;
    if (begun) {
        part = xg_ncross_partial(&c, parts, places);
        xg_ncross_keep_where(&c);
        xg_nstmt_insert(s, part);
        xg_ncross_second(&c, parts, places, part->block);
        xg_ncross_guard(&c, part);
        for (k = c.first; k < c.count && (c.role[k] != XG_NR_SERIAL || c.loops[k]->extent == 1); k++) {}
        scope_loop = k < c.count ? c.loops[k] : NULL;
        if (scope_loop) (void)xg_do_decompose_reduction(n, part, scope_loop);
        xg_ncross_of(&c, n, s);
    }
    xg_ncross_store(&c, begun);
    b->across = c.axes;
}
/* Blocks that write what other threads see, outside of all loops of a thread axis, run in its first thread. */
XG_FN void xg_nest_guard(xg_loopnest *n) {
    int64_t extent[XG_NK_COUNT];
    xg_nstmt *s, *next, *p;
    uint32_t k, j;
    for (k = 0; k < XG_NK_COUNT; k++) extent[k] = 1;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_LOOP) extent[s->kind] = XG_MAX(extent[s->kind], s->extent);
    for (s = n->root->first; s; s = next) {
        next = xg_nstmt_next(s, n->root);
        if (s->op != XG_N_BLOCK || !s->block->body || s->block->across) continue;
        for (k = 0; k < s->block->n_outs && s->block->outs[k].buf->scope > XG_NS_SHARED; k++) {}
        if (k == s->block->n_outs) continue;
        for (j = XG_NK_THREAD_X; j <= XG_NK_THREAD_Z; j++) {
            xg_nstmt *loop;
            for (p = s->parent; p && !(p->op == XG_N_LOOP && p->kind == (xg_nkind)j); p = p->parent) {}
            if (p || extent[j] == 1) continue;
            loop = xg_nest_loop(n, xg_nest_var(n, XG_STR("first"), 1), 1, (xg_nkind)j);
            xg_nstmt_insert(s, loop);
            xg_nstmt_detach(s);
            xg_nstmt_append(loop, s);
        }
    }
}
XG_FN void xg_nest_allreduce(xg_loopnest *n) {
    XG_VEC(xg_nstmt *) v = {NULL, 0, 0};
    xg_nstmt *s;
    uint32_t k;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK && xg_nblock_crosses(n, s)) xg_push(n->arena, xg_nstmt *, &v, s);
    for (k = 0; k < v.n; k++) xg_nest_allreduce_block(n, v.p[k]);
    if (v.n) xg_nest_guard(n);
}

/* ---- shuffles ---- */

typedef struct xg_nteam {
    xg_loopnest *n;
    xg_nstmt *s;
    int64_t extent[3], all; /* threads of a block, by axis and together */
    const xg_aff *at[3];    /* the variables of the thread axes around the block */
    int64_t width;          /* threads that combine */
    const xg_aff *linear;   /* the thread's number in its block */
} xg_nteam;
/* Loops of the thread axes that are not around the block come around it. */
XG_APART XG_FN void xg_nteam_close(xg_nteam *t) {
    xg_loopnest *n = t->n;
    xg_aff_env env;
    int64_t below = 1;
    uint32_t k;
    for (k = 0; k < 3; k++) {
        xg_nkind kind = (xg_nkind)(XG_NK_THREAD_X + k);
        xg_nstmt *p, *loop;
        t->at[k] = xg_aff_const(n->aff, 0);
        if (t->extent[k] == 1) continue;
        for (p = t->s->parent; p && !(p->op == XG_N_LOOP && p->kind == kind); p = p->parent) {}
        if (!p) {
            loop = xg_nest_loop(n, xg_nest_var(n, XG_STR("t"), t->extent[k]), t->extent[k], kind);
            xg_nstmt_insert(t->s, loop);
            xg_nstmt_detach(t->s);
            xg_nstmt_append(loop, t->s);
            p = loop;
        }
        if (p->extent != t->extent[k])
            xg_fail(n->ctx, XLAGPU_ERROR_UNSUPPORTED,
                "loop nest '%.*s': '%.*s' combines %lld of the %lld threads of %s", (int)n->name.n, n->name.p,
                (int)t->s->block->name.n, t->s->block->name.p, (long long)p->extent, (long long)t->extent[k],
                xg_nkind_text(kind));
        t->at[k] = xg_nest_dim(n, p->var);
    }
    env = xg_nest_env(n);
    t->linear = xg_aff_const(n->aff, 0);
    for (k = 0; k < 3; k++) {
        t->linear = xg_aff_add_scaled(&env, t->linear, t->at[k], below);
        below *= t->extent[k];
    }
}
XG_FN xg_nteam xg_nteam_of(xg_loopnest *n, xg_nstmt *s) {
    xg_nteam t;
    const xg_nstmt *p;
    uint32_t k;
    memset(&t, 0, sizeof t);
    t.n = n;
    t.s = s;
    for (k = 0; k < 3; k++) t.extent[k] = 1;
    for (p = n->root; p; p = xg_nstmt_next(p, n->root))
        if (p->op == XG_N_LOOP && xg_nkind_is_thread(p->kind))
            t.extent[p->kind - XG_NK_THREAD_X] = XG_MAX(t.extent[p->kind - XG_NK_THREAD_X], p->extent);
    t.all = t.width = 1;
    for (k = 0; k < 3; k++) {
        t.all *= t.extent[k];
        if (s->block->across >> k & 1) t.width *= t.extent[k];
    }
    xg_nteam_close(&t);
    return t;
}
/* The threads that combine are neighbours, in whole warps or an aligned power of two of one, and all of them are there.
 */
XG_FN bool xg_nteam_is_lanes(const xg_nteam *t) {
    const xg_nblock *b = t->s->block;
    bool ended = false;
    uint32_t k, j;
    for (k = 0; k < 3; k++) {
        bool in = (b->across >> k & 1) != 0;
        if (t->extent[k] == 1) continue;
        if (in && ended) return false;
        ended |= !in;
        for (j = 0; j < b->n_where; j++)
            if (xg_aff_uses(b->where[j].expr, t->at[k])) return false;
    }
    for (k = 0; k < b->n_outs; k++)
        if (xg_type_class(b->outs[k].buf->type) & XGT_C) return false;
    if (t->all % XG_WARP_LANES) return false;
    if (t->width % XG_WARP_LANES == 0) return true;
    return t->width < XG_WARP_LANES && (t->width & (t->width - 1)) == 0;
}
/* Only the first thread of each group reads the result. */
XG_APART XG_FN bool xg_nteam_first_only(const xg_nteam *t, const xg_nbuf *buf) {
    xg_nstmt *readers[16], *p;
    uint32_t count = xg_nest_readers(t->n, buf, readers, XG_COUNT(readers)), k, axis, j;
    if (count > XG_COUNT(readers)) return false;
    for (k = 0; k < count; k++)
        for (axis = 0; axis < 3; axis++) {
            bool alone = t->extent[axis] == 1 || !(t->s->block->across >> axis & 1);
            for (p = readers[k]->parent; p && !alone; p = p->parent) {
                if (p->op != XG_N_LOOP || p->kind != (xg_nkind)(XG_NK_THREAD_X + axis)) continue;
                alone = p->extent == 1;
                for (j = 0; j < readers[k]->block->n_where; j++) {
                    const xg_constraint *w = &readers[k]->block->where[j];
                    alone |= w->expr == xg_nest_dim(t->n, p->var) && w->range.hi == 0;
                }
            }
            if (!alone) return false;
        }
    return true;
}
/* A block behind s in its loop: of no arguments yet. */
XG_FN xg_nstmt *xg_nteam_block(xg_nteam *t, xg_nstmt *behind, const char *what) {
    xg_nstmt *s = xg_nest_block(t->n, xg_sched_name(t->n, "%s_%s", t->s->block->name.p, what));
    xg_nstmt_insert_behind(behind, s);
    s->block->n_outs = t->s->block->n_outs;
    s->block->outs = XG_NEW_N(t->n->arena, xg_nout, s->block->n_outs);
    return s;
}
/* The block's values are elements of these arrays at these places; read where the constraint holds, else `none`. */
XG_FN void xg_nteam_reads(xg_nteam *t, xg_nstmt *s, xg_nbuf *const *from, const xg_aff **at, const xg_constraint *where,
    const xg_literal *const *none) {
    xg_inst *in[XG_NREDUCTION_OUTS];
    uint32_t k, count = s->block->n_outs;
    xg_nbody y;
    xg_nbody_begin(&y, t->n, s->block->name);
    for (k = 0; k < count; k++) {
        xg_narg a = xg_narg_load(from[k], at);
        if (where) {
            a = xg_narg_within(t->n, &a, where, 1);
            a.value = none[k];
        }
        in[k] = xg_nbody_arg(&y, &a);
    }
    xg_nbody_end_all(&y, s->block, in);
}
XG_FN void xg_nteam_writes(xg_nstmt *s, xg_nbuf *const *to, const xg_aff **at) {
    uint32_t k;
    for (k = 0; k < s->block->n_outs; k++) {
        ((xg_nout *)s->block->outs)[k].buf = to[k];
        ((xg_nout *)s->block->outs)[k].at = at;
    }
}
XG_FN void xg_nteam_arrays(
    xg_nteam *t, const char *what, const int64_t *dims, uint32_t rank, xg_nscope scope, xg_nbuf **out) {
    const xg_nblock *b = t->s->block;
    uint32_t k;
    for (k = 0; k < b->n_outs; k++)
        out[k] = xg_nest_buf(
            t->n, xg_sched_name(t->n, "%s_%s", b->outs[k].buf->name.p, what), b->outs[k].buf->type, dims, rank, scope);
}
XG_FN const xg_aff **xg_nteam_at(xg_nteam *t, const xg_aff *a, const xg_aff *b) {
    const xg_aff **at = XG_NEW_N(t->n->arena, const xg_aff *, 2);
    at[0] = a;
    at[1] = b;
    return at;
}
/* Two levels of lanes over a staging array of one entry a warp. */
XG_APART XG_FN void xg_nteam_two_levels(xg_nteam *t) {
    xg_loopnest *n = t->n;
    xg_nblock *b = t->s->block;
    const xg_nout *result = b->outs;
    xg_aff_env env = xg_nest_env(n);
    const xg_aff *zero = xg_aff_const(n->aff, 0), *group = xg_aff_div_in(&env, t->linear, t->width);
    const xg_aff *rank = xg_aff_mod_in(&env, t->linear, t->width),
                 *lane = xg_aff_mod_in(&env, t->linear, XG_WARP_LANES);
    int64_t warps = t->width / XG_WARP_LANES, lanes = 1, dims[2];
    xg_nbuf *warp[XG_NREDUCTION_OUTS], *staging[XG_NREDUCTION_OUTS], *again[XG_NREDUCTION_OUTS];
    xg_nstmt *put, *get, *second;
    xg_constraint within;
    bool first_only = true;
    uint32_t k;
    while (lanes < warps) lanes *= 2;
    for (k = 0; k < b->n_outs; k++) first_only &= xg_nteam_first_only(t, result[k].buf);
    dims[0] = 1;
    xg_nteam_arrays(t, "warp", dims, 1, XG_NS_LOCAL, warp);
    xg_nteam_arrays(t, "warps", dims, 1, XG_NS_LOCAL, again);
    dims[0] = t->all / t->width;
    dims[1] = warps;
    xg_nteam_arrays(t, "staging", dims, 2, XG_NS_SHARED, staging);
    put = xg_nteam_block(t, t->s, "put");
    get = xg_nteam_block(t, put, "get");
    second = xg_nteam_block(t, get, "second");
    for (k = 0; k < b->n_outs; k++) ((xg_nout *)second->block->outs)[k] = result[k];
    b->outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    xg_nteam_writes(t->s, warp, xg_nteam_at(t, zero, NULL));
    b->lanes = XG_WARP_LANES;
    xg_nteam_reads(t, put, warp, xg_nteam_at(t, zero, NULL), NULL, NULL);
    xg_nteam_writes(put, staging, xg_nteam_at(t, group, xg_aff_div_in(&env, rank, XG_WARP_LANES)));
    xg_nblock_require(n, put->block, lane, xg_range_of(0, 0));
    memset(&within, 0, sizeof within);
    within.expr = lanes < XG_WARP_LANES ? xg_aff_mod_in(&env, t->linear, lanes) : lane;
    within.range = xg_range_of(0, warps - 1);
    xg_nteam_reads(t, get, staging, xg_nteam_at(t, group, within.expr), lanes == warps ? NULL : &within, b->init);
    xg_nteam_writes(get, again, xg_nteam_at(t, zero, NULL));
    xg_nteam_reads(t, second, again, xg_nteam_at(t, zero, NULL), NULL, NULL);
    second->block->combine = b->combine;
    second->block->lanes = (uint32_t)lanes;
    if (first_only) {
        xg_nblock_require(n, get->block, rank, xg_range_of(0, XG_WARP_LANES - 1));
        xg_nblock_require(n, second->block, rank, xg_range_of(0, XG_WARP_LANES - 1));
    }
    for (k = 0; k < b->n_where; k++) {
        xg_nblock_require(n, put->block, b->where[k].expr, b->where[k].range);
        xg_nblock_require(n, get->block, b->where[k].expr, b->where[k].range);
        xg_nblock_require(n, second->block, b->where[k].expr, b->where[k].range);
    }
    b->init = NULL;
    if (lanes == 1) second->block->lanes = 0, second->block->combine = NULL; /* one warp: there is nothing to combine */
}
/* Through shared memory: all values, then half of them to the other half until one is left. */
XG_APART XG_FN void xg_nteam_tree(xg_nteam *t) {
    xg_loopnest *n = t->n;
    xg_nblock *b = t->s->block;
    xg_nout *result = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    xg_aff_env env = xg_nest_env(n);
    const xg_aff *group = xg_aff_const(n->aff, 0), *rank = group;
    int64_t dims[2], in = 1, out = 1, half, left;
    xg_nbuf *shared[XG_NREDUCTION_OUTS];
    xg_nstmt *at, *step;
    uint32_t k;
    for (k = 0; k < 3; k++) {
        bool of = (b->across >> k & 1) != 0;
        *(of ? &rank : &group) = xg_aff_add_scaled(&env, of ? rank : group, t->at[k], of ? in : out);
        *(of ? &in : &out) *= t->extent[k];
    }
    dims[0] = out;
    dims[1] = in;
    xg_nteam_arrays(t, "shared", dims, 2, XG_NS_SHARED, shared);
    memcpy(result, b->outs, b->n_outs * sizeof *result);
    b->outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    xg_nteam_writes(t->s, shared, xg_nteam_at(t, group, rank));
    at = t->s;
    for (left = in; left > 1; left = half) {
        for (half = 1; half * 2 < left; half *= 2) {}
        step = xg_nteam_block(t, at, "half");
        xg_nteam_reads(t, step, shared, xg_nteam_at(t, group, xg_aff_add_k(n->aff, rank, half)), NULL, NULL);
        xg_nteam_writes(step, shared, xg_nteam_at(t, group, rank));
        step->block->combine = b->combine;
        for (k = 0; k < b->n_where; k++) xg_nblock_require(n, step->block, b->where[k].expr, b->where[k].range);
        xg_nblock_require(n, step->block, rank, xg_range_of(0, left - half - 1));
        at = step;
    }
    step = xg_nteam_block(t, at, "all");
    xg_nteam_reads(t, step, shared, xg_nteam_at(t, group, xg_aff_const(n->aff, 0)), NULL, NULL);
    for (k = 0; k < b->n_outs; k++) ((xg_nout *)step->block->outs)[k] = result[k];
    for (k = 0; k < b->n_where; k++) xg_nblock_require(n, step->block, b->where[k].expr, b->where[k].range);
    b->combine = NULL;
    b->init = NULL;
}
XG_FN void xg_nest_shuffles(xg_loopnest *n) {
    XG_VEC(xg_nstmt *) v = {NULL, 0, 0};
    xg_nstmt *s;
    uint32_t k;
    if (!n->flat) xg_sched_fail(n, "shuffles: the nest is not flat");
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK && s->block->across) xg_push(n->arena, xg_nstmt *, &v, s);
    for (k = 0; k < v.n; k++) {
        xg_nteam t = xg_nteam_of(n, v.p[k]);
        if (!xg_nteam_is_lanes(&t))
            xg_nteam_tree(&t);
        else if (t.width > XG_WARP_LANES)
            xg_nteam_two_levels(&t);
        else {
            v.p[k]->block->lanes = (uint32_t)t.width;
            v.p[k]->block->init = NULL;
        }
        v.p[k]->block->across = 0;
    }
}

#endif /* XG_SCHED_ALLREDUCE_C */
