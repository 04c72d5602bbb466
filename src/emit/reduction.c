/* emit/reduction.c -- the reduction emitter: chooses between walks by rows and by columns, and how many threads. */
#ifndef XG_EMIT_REDUCTION_C
#define XG_EMIT_REDUCTION_C
#include "emit.h"
#include "reduction_column.c"
#include "reduction_short.c"

typedef struct xg_reduction_kernel {
    xg_reduction r;
    xg_short_plan brief; /* one of the three */
    xg_row_plan row;
    xg_column_plan column;
} xg_reduction_kernel;

XG_FN bool xg_emit_reduction_plan(xg_fusion_emission *e) {
    xg_reduction_kernel *w = XG_NEW(e->arena, xg_reduction_kernel);
    xg_reduction *r = &w->r;
    e->form = w;
    if (!xg_reduction_of(r, e) || r->n_reduced <= 1 || !(r->row || xg_column_takes(r))) return false;
    w->brief = xg_short_plan_of(r);
    if (w->brief.vector) {
        r->threads = XG_SHORT_THREADS;
        r->blocks = (r->n_kept + w->brief.rows - 1) / w->brief.rows;
    } else if (r->row) {
        w->row = xg_row_plan_of(r);
        r->threads = w->row.lanes * w->row.rows;
        r->blocks = (r->n_kept + w->row.rows - 1) / w->row.rows;
    } else {
        w->column = xg_column_plan_of(r);
        r->threads = w->column.threads;
        r->blocks = w->column.blocks;
    }
    if (r->blocks > INT32_MAX)
        xg_hlo_fail(e->fusion, XLAGPU_ERROR_LIMIT, NULL,
            "a reduction to %lld elements needs %lld blocks; the limit is 2147483647", (long long)r->n_kept,
            (long long)r->blocks);
    return xg_emit_launch(e, r->threads, r->blocks, w->column.parts > 1 ? w->column.parts : 0);
}

XG_FN void xg_emit_reduction(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_kval **dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    xg_reduction_kernel *w = (xg_reduction_kernel *)e->form;
    xg_reduction *r = &w->r;
    xg_partial p;
    uint32_t k;
    xg_emit_functions(e, false);
    r->s = xg_emit_scope(e, f, UINT32_MAX);
    r->s.b.loc = e->fusion->id + 1;
    r->s.memo = XG_NEW_N(e->arena, xg_memo, e->parts->n_insts + 1);
    r->thread = xg_kthread_id(&r->s.b, 0, r->threads);
    r->block = xg_kblock_id(&r->s.b, 0, r->blocks);
    for (k = 0; k < e->n_roots; k++) dest[k] = &f->body->args[e->comp->n_params + k];
    p = xg_partial_new(r, r->n_values, dest, e->n_roots);
    if (r->row || w->brief.vector) xg_reduction_start(r, p.acc);
    if (w->brief.vector)
        xg_short_emit(r, &w->brief, &p);
    else if (r->row)
        xg_row_emit(r, &w->row, &p);
    else
        xg_column_emit(r, &w->column, &p);
    xg_kreturn(&r->s.b, p.dest, e->n_roots);
}

#endif /* XG_EMIT_REDUCTION_C */
