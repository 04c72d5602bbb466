/* sched/annotate.c -- annotations that are obeyed, on a flat nest (notes.c says which there are): how far loops are
 * written out, and virtual threads.
 *
 * A loop of virtual threads stands for threads that one thread plays one behind the other. It goes inwards to the
 * blocks that depend on it, so that what lies around them (loops, barriers, what all of them share) is there once. */
#ifndef XG_SCHED_ANNOTATE_C
#define XG_SCHED_ANNOTATE_C
#include "sched.h"
#include "loops.c"
#include "notes.c"

/* It was obeyed. */
XG_FN void xg_nstmt_forget(xg_loopnest *n, xg_nstmt *s, const char *key) {
    if (xg_nstmt_note(s, key)) xg_do_unannotate(n, s, xg_str_z(key));
}

/* ---- unrolling ---- */

typedef struct xg_nunroll {
    xg_loopnest *n;
    int64_t steps; /* stores under the statement once loops are written out */
    bool rolled;   /* a loop stays */
} xg_nunroll;
XG_FN xg_nunroll xg_nest_unroll_stmt(xg_loopnest *n, xg_nstmt *s, int64_t most, bool here) {
    xg_nunroll all, one;
    xg_nstmt *c;
    memset(&all, 0, sizeof all);
    most = xg_nstmt_note_int(s, "pragma_auto_unroll_max_step", most);
    here = xg_nstmt_note_int(s, "pragma_unroll_explicit", here) != 0;
    all.n = n;
    if (s->op == XG_N_BLOCK && s->block->body) all.steps = s->block->n_outs;
    for (c = s->first; c; c = c->next) {
        one = xg_nest_unroll_stmt(n, c, most, here);
        all.steps += one.steps;
        all.rolled |= one.rolled;
    }
    xg_nstmt_forget(n, s, "pragma_auto_unroll_max_step");
    xg_nstmt_forget(n, s, "pragma_unroll_explicit");
    if (s->op != XG_N_LOOP || xg_nkind_is_axis(s->kind)) return all;
    if (s->kind != XG_NK_SERIAL || s->extent == 1) {
        all.steps *= s->kind == XG_NK_PARALLEL ? 1 : s->extent;
        return all;
    }
    if (most && !all.rolled && s->extent <= most && all.steps * s->extent <= most &&
        !xg_nstmt_note(s, "software_pipeline_stage")) {
        if (here)
            s->kind = XG_NK_UNROLLED;
        else if (!xg_nstmt_note(s, XG_NOTE_MAY_UNROLL))
            xg_do_annotate(n, s, XG_STR(XG_NOTE_MAY_UNROLL), XG_STR("1"));
        all.steps *= s->extent;
    } else
        all.rolled = true;
    return all;
}
XG_FN void xg_nest_unroll(xg_loopnest *n) {
    xg_nstmt *s;
    for (s = n->root->first; s; s = s->next) (void)xg_nest_unroll_stmt(n, s, 0, true);
}

/* ---- virtual threads ---- */

XG_FN bool xg_nkind_is_vthread(xg_nkind k) { return k >= XG_NK_VTHREAD_X && k <= XG_NK_VTHREAD_Z; }
XG_FN bool xg_nargs_use(const xg_nblock *b, const xg_aff *var) {
    uint32_t k, d;
    for (k = 0; k < b->n_args; k++) {
        uint32_t rank = b->args[k].kind == XG_NA_LOAD ? b->args[k].buf->rank : b->args[k].kind == XG_NA_INDEX ? 1 : 0;
        for (d = 0; d < rank; d++)
            if (xg_aff_uses(b->args[k].at[d], var)) return true;
        for (d = 0; d < b->args[k].n_where; d++)
            if (xg_aff_uses(b->args[k].where[d].expr, var)) return true;
    }
    for (k = 0; k < b->n_outs; k++)
        for (d = 0; d < b->outs[k].buf->rank; d++)
            if (xg_aff_uses(b->outs[k].at[d], var)) return true;
    for (k = 0; k < b->n_where; k++)
        if (xg_aff_uses(b->where[k].expr, var)) return true;
    for (k = 0; k < b->n_begin; k++)
        if (xg_aff_uses(b->begin[k].expr, var)) return true;
    return false;
}
/* A block that does not depend on the virtual thread runs once. If it adds to what another block began, that has to be
 * begun as often. */
XG_FN void xg_nvthread_check_once(xg_loopnest *n, const xg_nstmt *v, const xg_nstmt *s) {
    const xg_nblock *b = s->block;
    const xg_nstmt *w;
    if (!b->combine || b->init || b->across || b->lanes) return;
    for (w = v; w; w = xg_nstmt_next(w, v))
        if (w->op == XG_N_BLOCK && w->block->body && !w->block->combine && xg_nblock_writes(w->block, b->outs[0].buf))
            return;
    xg_sched_fail(n, "vthreads: '%.*s' adds up the same in each round of the loop '%s'", (int)b->name.n, b->name.p,
        xg_sched_var(n, v));
}
XG_FN void xg_nvthread_sink(xg_loopnest *n, const xg_nstmt *v, xg_nstmt *s) {
    const xg_aff *var = xg_nest_dim(n, v->var);
    xg_nstmt *c, *next, *loop;
    xg_nsubst to;
    if (s->op == XG_N_LOOP) {
        for (c = s->first; c; c = next) {
            next = c->next;
            xg_nvthread_sink(n, v, c);
        }
        return;
    }
    if (!xg_nargs_use(s->block, var)) {
        xg_nvthread_check_once(n, v, s);
        return;
    }
    loop = xg_nest_loop(n, xg_nest_var(n, n->vars.p[v->var].name, v->extent), v->extent, XG_NK_UNROLLED);
    xg_nsubst_begin(&to, n);
    xg_nsubst_put(&to, v->var, to.to[loop->var]);
    xg_nsubst_bindings(&to, s);
    xg_nstmt_insert(s, loop);
    xg_nstmt_detach(s);
    xg_nstmt_append(loop, s);
}
/* Could a round find what another one left? A block that depends on the virtual thread writes to elements that do not
 * tell which, and another block of the loop touches them: then the rounds have to come one after another. */
XG_FN bool xg_nvthread_hands_over(xg_loopnest *n, const xg_nstmt *v) {
    const xg_aff *var = xg_nest_dim(n, v->var);
    xg_aff_env env = xg_nest_env(n);
    const xg_nstmt *w, *r;
    uint32_t k;
    for (w = v; w; w = xg_nstmt_next(w, v)) {
        if (w->op != XG_N_BLOCK || !xg_nargs_use(w->block, var)) continue;
        for (k = 0; k < w->block->n_outs; k++) {
            const xg_nbuf *buf = w->block->outs[k].buf;
            if (xg_iter_tells(&env, n->arena, w->block->outs[k].at, buf->rank, &var, 1)) continue;
            for (r = v; r; r = xg_nstmt_next(r, v))
                if (r->op == XG_N_BLOCK && r != w &&
                    (xg_nblock_reads(r->block, buf) || xg_nblock_writes(r->block, buf)))
                    return true;
        }
    }
    return false;
}
XG_FN void xg_nest_vthreads(xg_loopnest *n) {
    xg_nstmt *s, *next, *c, *after;
    if (!n->flat) xg_sched_fail(n, "vthreads: the nest is not flat");
    for (s = n->root->first; s; s = next) {
        if (s->op != XG_N_LOOP || !xg_nkind_is_vthread(s->kind)) {
            next = xg_nstmt_next(s, n->root);
            continue;
        }
        if (xg_nvthread_hands_over(n, s)) {
            s->kind = XG_NK_UNROLLED;
            next = xg_nstmt_next(s, n->root);
            continue;
        }
        for (c = s->first; c; c = after) {
            after = c->next;
            xg_nvthread_sink(n, s, c);
        }
        next = s->first;
        while (s->first) {
            c = s->first;
            xg_nstmt_detach(c);
            xg_nstmt_insert(s, c);
        }
        xg_nstmt_detach(s);
        s->gone = true;
    }
}

#endif /* XG_SCHED_ANNOTATE_C */
