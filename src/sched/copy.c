/* sched/copy.c -- copies of nests, and of parts of one. */
#ifndef XG_SCHED_COPY_C
#define XG_SCHED_COPY_C
#include "sched.h"
#include "nest.c"

/* ---- a whole nest ---- */

XG_FN xg_nblock *xg_nblock_copy_of(xg_loopnest *n, const xg_nblock *b, xg_nbuf *const *bufs) {
    xg_nblock *to = XG_NEW(n->arena, xg_nblock);
    xg_narg *args = XG_NEW_N(n->arena, xg_narg, b->n_args + 1);
    xg_nout *outs = XG_NEW_N(n->arena, xg_nout, b->n_outs + 1);
    uint32_t k;
    *to = *b;
    to->iters = XG_NEW_N(n->arena, xg_niter, b->n_iters + 1);
    for (k = 0; k < b->n_iters; k++) to->iters[k] = b->iters[k];
    for (k = 0; k < b->n_args; k++) {
        args[k] = b->args[k];
        if (args[k].buf && bufs) args[k].buf = bufs[args[k].buf->id];
    }
    for (k = 0; k < b->n_outs; k++) {
        outs[k] = b->outs[k];
        if (bufs) outs[k].buf = bufs[outs[k].buf->id];
    }
    to->args = args;
    to->outs = outs;
    return to;
}
XG_FN void xg_nest_copy_children(xg_loopnest *n, const xg_nstmt *from, xg_nstmt *to, xg_nbuf *const *bufs) {
    const xg_nstmt *s;
    for (s = from->first; s; s = s->next) {
        xg_nstmt *made = XG_NEW(n->arena, xg_nstmt);
        *made = *s;
        made->first = made->last = NULL;
        made->label = NULL;
        if (s->op == XG_N_BLOCK) made->block = xg_nblock_copy_of(n, s->block, bufs);
        xg_nstmt_append(to, made);
        xg_nest_copy_children(n, s, made, bufs);
    }
}
XG_FN xg_loopnest *xg_nest_copy(const xg_loopnest *n) {
    xg_loopnest *to = XG_NEW(n->arena, xg_loopnest);
    uint32_t k;
    *to = *n;
    memset(&to->bufs, 0, sizeof to->bufs);
    memset(&to->vars, 0, sizeof to->vars);
    memset(&to->ranges, 0, sizeof to->ranges);
    to->trace = NULL;
    to->root = XG_NEW(n->arena, xg_nstmt);
    for (k = 0; k < n->bufs.n; k++) {
        xg_nbuf *b = XG_NEW(n->arena, xg_nbuf);
        *b = *n->bufs.p[k];
        xg_push(n->arena, xg_nbuf *, &to->bufs, b);
    }
    for (k = 0; k < n->vars.n; k++) {
        xg_push(n->arena, xg_nvar, &to->vars, n->vars.p[k]);
        xg_push(n->arena, xg_range, &to->ranges, n->ranges.p[k]);
    }
    xg_nest_copy_children(to, n->root, to->root, to->bufs.p);
    return to;
}

/* ---- a statement ---- */

/* New variables first, so that one substitution serves all that is under the statement. */
XG_FN xg_nstmt *xg_nstmt_copy_frame(xg_loopnest *n, const xg_nstmt *s, uint32_t *var_of) {
    xg_nstmt *made, *c;
    const xg_nstmt *child;
    uint32_t k;
    if (s->op == XG_N_LOOP) {
        made = xg_nest_loop(n, xg_nest_var(n, n->vars.p[s->var].name, s->extent), s->extent, s->kind);
        var_of[s->var] = made->var;
    } else {
        xg_str name = xg_nest_block(n, s->block->name)->block->name;
        made = XG_NEW(n->arena, xg_nstmt);
        made->op = XG_N_BLOCK;
        made->block = xg_nblock_copy_of(n, s->block, NULL);
        made->block->name = name;
        for (k = 0; k < made->block->n_iters; k++) {
            xg_niter *i = &made->block->iters[k];
            uint32_t var = xg_nest_var_named(n, n->vars.p[i->var].name, i->extent);
            var_of[i->var] = var;
            i->var = var;
        }
    }
    made->notes = s->notes;
    made->n_notes = s->n_notes;
    made->sync = s->sync;
    for (child = s->first; child; child = child->next) {
        c = xg_nstmt_copy_frame(n, child, var_of);
        xg_nstmt_append(made, c);
    }
    return made;
}
XG_FN xg_nstmt *xg_nstmt_copy(xg_loopnest *n, const xg_nstmt *s, xg_nsubst *to) {
    uint32_t *var_of = XG_NEW_N(n->arena, uint32_t, n->vars.n), k, before = n->vars.n;
    xg_nstmt *made, *t;
    xg_nsubst all;
    memset(var_of, 0xff, before * sizeof *var_of);
    made = xg_nstmt_copy_frame(n, s, var_of);
    xg_nsubst_begin(&all, n);
    for (k = 0; k < before; k++) {
        if (var_of[k] != UINT32_MAX)
            xg_nsubst_put(&all, k, all.to[var_of[k]]);
        else if (to && k < to->w.n_dims)
            xg_nsubst_put(&all, k, to->to[k]);
    }
    xg_nsubst_bindings(&all, made);
    for (t = made; t && !n->flat; t = xg_nstmt_next(t, made))
        if (t->op == XG_N_BLOCK && t->block->body) xg_nsubst_args(&all, t->block);
    return made;
}

#endif /* XG_SCHED_COPY_C */
