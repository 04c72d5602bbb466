/* sched/tile_limit.c -- how many steps a block makes: all, those of its part of a cluster, or of its group. */
#ifndef XG_SCHED_TILE_LIMIT_C
#define XG_SCHED_TILE_LIMIT_C
#include "tile.h"

/* What a value's elements are those of; *m, to its indices, then leads there. */
XG_FN const xg_inst *xg_tile_moved_from(xg_aff_ctx *x, const xg_inst *i, const xg_imap **m) {
    enum {
        DEPTH = 16
    };
    uint32_t depth;
    for (depth = 0; depth < DEPTH && xg_imap_ok(*m); depth++) {
        if (i->op != XG_BITCAST && i->op != XG_RESHAPE && i->op != XG_TRANSPOSE && i->op != XG_BROADCAST &&
            i->op != XG_COPY)
            break;
        *m = xg_imap_compose(x, *m, xg_indexing_operand(x, i, 0));
        i = XG_OPERAND(i, 0);
    }
    return i;
}
XG_FN xg_kval *xg_tile_own_step(xg_tile_kernel *w, xg_kval *step) {
    return w->share ? xg_tile_join(w, w->share, w->p->steps, step) : step;
}
/* Of all steps those of the block's part: the last block of a tile may have fewer. */
XG_FN xg_kval *xg_tile_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_kval *none = xg_elem_index(&w->s, 0), *most = xg_elem_index(&w->s, p->steps), *all;
    if (xg_tile_sums_groups(p)) return xg_tile_ragged_steps(w);
    if (!w->share || p->all_steps % p->steps == 0) return most;
    all = xg_elem_index(&w->s, p->all_steps);
    all = xg_k2(&w->s.b, XG_K_OP_SUBI, all, xg_tile_join(w, w->share, p->steps, none));
    return xg_k2(&w->s.b, XG_K_OP_MINSI, all, most);
}
XG_FN xg_kval *xg_tile_steps_for(xg_tile_kernel *w, xg_flow *f) {
    bool sums = xg_tile_sums_groups(w->p);
    xg_kval *step = xg_flow_for(f, xg_elem_index(&w->s, 0), w->steps, 1, sums ? w->p->all_steps : w->p->steps);
    if (sums) f->op->a = w->p->steps; /* as many as groups have on average */
    return step;
}

#endif /* XG_SCHED_TILE_LIMIT_C */
