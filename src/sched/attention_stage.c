/* sched/attention_stage.c -- a stage of attention: one instruction of the fusion made of what is given, as a partition
 * that is emitted by itself, and the five numbers that its map starts from. */
#ifndef XG_SCHED_ATTENTION_STAGE_C
#define XG_SCHED_ATTENTION_STAGE_C
#include "attention.h"

XG_FN bool xg_attention_reached(const xg_attention_stage *s, const xg_inst *i) {
    return s->root && s->parts->part_of[xg_partition_place(s->parts, i)] != UINT32_MAX;
}
XG_FN bool xg_attention_is_anywhere(const xg_partition *p) {
    uint32_t k;
    for (k = 0; k < p->n_insts; k++) {
        const xg_inst *i = p->insts[k];
        bool scalar = i->op == XG_CONSTANT && i->shape->rank == 0;
        if (p->part_of[k] == UINT32_MAX || (p->given && p->given[k]) || scalar) continue;
        if (p->part_of[k] != 0 || (!(xg_op_flags(i->op) & XGF_EW) && i->op != XG_BROADCAST)) return false;
        if (i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->rank) return false;
    }
    return true;
}
/* The stage of one instruction, made of what is given. Neither the first dot nor exp may be made again. */
XG_FN bool xg_attention_cut(
    xg_attention_site *w, xg_attention_part part, xg_inst *root, xg_inst *const *given, uint32_t n) {
    xg_attention_stage *s = &w->f->stages[part];
    const xg_inst *once[3];
    uint32_t k, j;
    once[0] = w->f->match.scores_dot;
    once[1] = w->f->match.exp;
    once[2] = w->f->match.out_dot;
    s->root = root;
    s->lanes = 1;
    s->parts = xg_fuse_partition_of(w->arena, w->x, w->f->comp, root, given, n);
    for (k = 0; k < 3; k++) {
        for (j = 0; j < n && given[j] != once[k]; j++) {}
        if (j == n && once[k] && xg_attention_reached(s, once[k])) return false;
    }
    s->anywhere = xg_attention_is_anywhere(s->parts);
    return xg_partition_gives(s->parts);
}
/* The five numbers, of which the last two count elements of one extent. */
XG_FN void xg_attention_count(xg_attention_site *w, int64_t extent, int64_t lanes) {
    w->counts[XG_ATTENTION_BATCH] = w->f->batch;
    w->counts[XG_ATTENTION_ROW] = w->f->rows;
    w->counts[XG_ATTENTION_KEY] = w->f->keys;
    w->counts[XG_ATTENTION_VECTOR] = extent / lanes;
    w->counts[XG_ATTENTION_LANE] = lanes;
}
/* Of a map whose results do not depend on one of the numbers. */
XG_FN bool xg_attention_ignores(const xg_attention_site *w, const xg_imap *m, uint32_t number) {
    const xg_aff *v = xg_aff_dim(w->x, number);
    uint32_t k;
    if (!xg_imap_ok(m) || m->n_syms + m->n_rts + m->n_constraints) return false;
    for (k = 0; k < m->n_results; k++)
        if (xg_aff_uses(m->results[k], v)) return false;
    return true;
}

#endif /* XG_SCHED_ATTENTION_STAGE_C */
