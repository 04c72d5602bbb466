/* sched/attention_way.c -- attention among the ways in which a kernel can be made: its record, time and emitter. */
#ifndef XG_SCHED_ATTENTION_WAY_C
#define XG_SCHED_ATTENTION_WAY_C
#include "attention.h"

typedef struct xg_attention_way {
    xg_fusion_emission e;
    xg_attention_plan p;
} xg_attention_way;

/* Into job->form. */
XG_FN bool xg_attention_way_open(xg_way_job *job) {
    const xg_comp *c = xg_attr_calls(job->fusion);
    const xg_device *m = &job->fusion->comp->module->device;
    xg_attention_way *w;
    if (!c || xg_fuse_is_phases(job->fusion) || (!xg_attention_may_be(c) && !xg_attention_back_may_be(c))) return false;
    w = XG_NEW(job->arena, xg_attention_way);
    xg_emit_open_way(&w->e, job);
    if (xg_attention_back_may_be(c)) {
        if (!xg_attention_back_form_of(&w->p.form, job->arena, w->e.m->aff, c, m) ||
            !xg_attention_back_plan_of(&w->p, m, job->given))
            return false;
    } else if (!xg_attention_form_of(&w->p.form, job->arena, w->e.m->aff, c, m) ||
               !xg_attention_plan_of(&w->p, m, job->given))
        return false;
    job->form = w;
    w->e.record->launch.shared = w->p.shared;
    w->e.record->launch.resident = (uint32_t)xg_attention_resident(&w->p, m);
    return xg_emit_launch(&w->e, w->p.threads + w->p.producers, w->p.blocks, w->p.cluster > 1 ? w->p.cluster : 0);
}
XG_FN void xg_attention_way_write(const xg_way_job *job, xg_record *r) {
    static const char *const names[] = {
        "backward", "tile", "warp_rows", "parts", "in_turns", "cluster", "walked", "matrix_unit", "powers", "once"};
    const xg_attention_way *w = (const xg_attention_way *)job->form;
    const xg_attention_plan *p = &w->p;
    int64_t v[XG_COUNT(names)][2];
    size_t k;
    memset(v, 0, sizeof v); /* what is 0 is not said; those of tile and walked are two */
    v[0][0] = p->form.back.is + p->form.back.turned + 2 * (p->form.back.rows_only || p->form.back.shows);
    v[1][0] = p->tile;
    v[1][1] = p->shape.step;
    v[2][0] = p->shape.blocks > 1 || p->shape.in_tensor ? p->warp_rows : 0;
    v[3][0] = p->shape.parts;
    v[4][0] = p->in_turns;
    v[5][0] = p->cluster > 1 ? p->cluster : 0;
    v[6][0] = p->bounded ? p->walked : 0;
    v[6][1] = p->steps;
    v[7][0] = p->form.unit != XG_TILE_NO_UNIT;
    v[8][0] = p->powers;
    v[9][0] = p->shape.once;
    for (k = 0; k < XG_COUNT(names); k++)
        if (v[k][0])
            xg_record_put(
                job->arena, &r->form, k == 1 && p->shape.grouped ? "group_tile" : names[k], v[k], v[k][1] ? 2 : 1);
    r->launch = w->e.record->launch;
}
/* Its time beside that of the library, where that may be called. */
XG_FN void xg_attention_way_beside(const xg_way_job *job, xg_record *r) {
    xg_attention_way *w = (xg_attention_way *)job->form;
    int64_t library = xg_dnn_attention_time(&w->p.form, job->arena, w->e.m->aff, job->fusion->comp->module);
    int64_t own = xg_dnn_attention_own(&w->p);
    if (library == INT64_MAX) return;
    xg_record_put(job->arena, &r->estimates, "cudnn", &library, 1);
    xg_record_put(job->arena, &r->estimates, "attention", &own, 1);
}
/* The result lies over no operand: blocks read what others have written. */
XG_FN bool xg_attention_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    const xg_attention_plan *p;
    if (!xg_attention_way_open(job)) return false;
    xg_attention_way_write(job, r);
    p = &((const xg_attention_way *)job->form)->p;
    times->own = p->picoseconds;
    xg_attention_way_beside(job, r);
    times->emitter = p->form.back.is ? xg_attention_back_apart(p, NULL, &job->fusion->comp->module->device)
                                     : xg_attention_apart_time(p, &job->fusion->comp->module->device);
    times->emitter = XG_MAX(times->emitter, p->picoseconds + 1);
    return true;
}
XG_FN xg_kmodule *xg_attention_way_emit(xg_way_job *job, const xg_record *r, xg_str name) {
    xg_attention_way *w;
    if (!job->form && !xg_attention_way_open(job))
        xg_hlo_fail(job->fusion, XLAGPU_ERROR_INVALID, "leave the record out: it is decided then",
            "the record of this kernel: it is no attention, or its tile does not fit");
    w = (xg_attention_way *)job->form;
    (void)r;
    xg_emit_move(&w->e, job->arena, job->target);
    xg_emit_entry(&w->e, name);
    if (w->p.form.back.is)
        xg_attention_back_emit(&w->e, &w->p);
    else
        xg_attention_emit(&w->e, &w->p);
    return w->e.m;
}

#endif /* XG_SCHED_ATTENTION_WAY_C */
