/* emit/reduction.c -- the reduction emitter: chooses between walks by rows and by columns, and how many threads. */
#ifndef XG_EMIT_REDUCTION_C
#define XG_EMIT_REDUCTION_C
#include "emit.h"
#include "reduction_column.c"
#include "reduction_short.c"

XG_FN bool xg_emit_reduction_match(const xg_fusion_emission *e) {
    xg_reduction r;
    return xg_reduction_of(&r, e) && r.n_reduced > 1 && (r.row || xg_column_takes(&r));
}

XG_FN void xg_emit_reduction(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_kval **dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    xg_reduction r;
    xg_partial p;
    xg_row_plan row;
    xg_column_plan column;
    xg_short_plan brief;
    uint32_t k;
    if (!xg_reduction_of(&r, e)) xg_hlo_fail(e->fusion, XLAGPU_ERROR_INTERNAL, NULL, "not a reduction");
    memset(&row, 0, sizeof row);
    memset(&column, 0, sizeof column);
    brief = xg_short_plan_of(&r);
    if (brief.vector) {
        r.threads = XG_SHORT_THREADS;
        r.blocks = (r.n_kept + brief.rows - 1) / brief.rows;
    } else if (r.row) {
        row = xg_row_plan_of(&r);
        r.threads = row.lanes * row.rows;
        r.blocks = (r.n_kept + row.rows - 1) / row.rows;
    } else {
        column = xg_column_plan_of(&r);
        r.threads = column.threads;
        r.blocks = column.blocks;
    }
    if (r.blocks > INT32_MAX)
        xg_hlo_fail(e->fusion, XLAGPU_ERROR_LIMIT, NULL,
            "a reduction to %lld elements needs %lld blocks; the limit is 2147483647", (long long)r.n_kept,
            (long long)r.blocks);
    for (k = 0; k < 3; k++) f->threads[k] = f->blocks[k] = 1;
    f->threads[0] = (uint32_t)r.threads;
    f->blocks[0] = (uint32_t)r.blocks;
    f->cluster = column.parts > 1 ? (uint32_t)column.parts : 0;
    xg_emit_functions(e, false);
    r.s = xg_emit_scope(e, f, UINT32_MAX);
    r.s.b.loc = e->fusion->id + 1;
    r.s.memo = XG_NEW_N(e->arena, xg_memo, e->parts->n_insts + 1);
    r.thread = xg_kthread_id(&r.s.b, 0, r.threads);
    r.block = xg_kblock_id(&r.s.b, 0, r.blocks);
    for (k = 0; k < e->n_roots; k++) dest[k] = &f->body->args[e->comp->n_params + k];
    p = xg_partial_new(&r, r.n_values, dest, e->n_roots);
    if (r.row || brief.vector) xg_reduction_start(&r, p.acc);
    if (brief.vector)
        xg_short_emit(&r, &brief, &p);
    else if (r.row)
        xg_row_emit(&r, &row, &p);
    else
        xg_column_emit(&r, &column, &p);
    xg_kreturn(&r.s.b, p.dest, e->n_roots);
}

#endif /* XG_EMIT_REDUCTION_C */
