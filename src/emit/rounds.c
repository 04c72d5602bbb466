/* emit/rounds.c -- all rounds of a loop, by threads that have their own elements (fuse/rounds.c): a loop in which each
 * thread carries what is its own, reads the slices of the round, and writes what is stacked.
 *
 *     own elements of the state
 *     for each round: sums of neighbouring lanes, in their order; slices into the stacked arrays; the next elements
 *     the elements into the results
 *
 * All that a round makes is made before any of it becomes the state of the next. */
#ifndef XG_EMIT_ROUNDS_C
#define XG_EMIT_ROUNDS_C
#include "emit.h"

/* A scalar that counts, from the number of the round. */
XG_FN xg_elem xg_rounds_count(xg_scope *s, const xg_rounds *r, const xg_round_state *t, xg_kval *round) {
    int64_t last = t->first + t->step * r->trips;
    xlagpu_type as = last >= -INT32_MAX && last <= INT32_MAX ? XLAGPU_S32 : XLAGPU_S64;
    xg_kval *v = xg_kcast(&s->b, XG_K_OP_INDEX_CAST, round, xg_kelem_of(as));
    if (t->step != 1) v = xg_k2_int(&s->b, XG_K_OP_MULI, v, t->step);
    if (t->first) v = xg_k2_int(&s->b, XG_K_OP_ADDI, v, t->first);
    xg_kval_set_range(v, xg_range_of(XG_MIN(t->first, last - t->step), XG_MAX(t->first, last - t->step)));
    return xg_elem_real(xg_scalar_convert(&s->b, v, as, t->inst->shape->type));
}
XG_FN xg_elem xg_rounds_own_of(xg_scope *s, const xg_inst *i, const xg_imap *map, xg_kval *const *at) {
    xg_kval *here[XG_RANK_MAX];
    xg_elem_apply(s, map, at, here);
    return xg_elem_of(s, i, here);
}
/* A reduction among neighbouring lanes, behind the value that it starts with. */
XG_FN void xg_rounds_sum_lanes(xg_scope *s, const xg_round_sum *sum, xg_kval *const *at) {
    const xg_inst *in = XG_OPERAND(sum->i, 0);
    xg_elem x = xg_rounds_own_of(s, in, sum->map, at), acc[1];
    xg_fold f = xg_fold_begin(s, sum->i, acc, NULL);
    bool wide = f.wide != XLAGPU_INVALID;
    int64_t lanes;
    if (wide) x = xg_elem_convert_to(s, x, in->shape->type, f.wide);
    for (lanes = 1; lanes < sum->lanes; lanes *= 2) {
        xg_kval *other = xg_kconst_int(&s->b, XG_E_I32, lanes);
        f.args[0] = x;
        f.args[1].v = xg_kshuffle(&s->b, XG_K_OP_SHFLBFLY, x.v, other);
        f.args[1].im = x.im ? xg_kshuffle(&s->b, XG_K_OP_SHFLBFLY, x.im, other) : NULL;
        if (wide)
            x.v = xg_k2(&s->b, XG_K_OP_ADDF, x.v, f.args[1].v);
        else
            xg_elem_call_comp(s, f.comp, f.args, &x, 1);
    }
    f.args[0] = acc[0];
    f.args[1] = x;
    if (wide)
        acc[0].v = xg_k2(&s->b, XG_K_OP_ADDF, acc[0].v, x.v);
    else
        xg_elem_call_comp(s, f.comp, f.args, acc, 1);
    xg_hero_give(s, sum->i, xg_fold_end(s, &f, acc));
}
XG_FN void xg_rounds_write(xg_scope *s, const xg_round_piece *p, xg_kval *const *at, xg_kval **dest) {
    xg_kval *here[XG_RANK_MAX], *to[XG_RANK_MAX], *place[XG_RANK_MAX];
    const xg_inst *next = s->e->rounds->state[p->state].next;
    xg_elem v;
    xg_elem_apply(s, p->map, at, here);
    v = xg_elem_of(s, p->value, here);
    xg_elem_apply(s, p->to, here, to);
    xg_update_place(s, p->update, to, place);
    xg_elem_apply(s, xg_emit_same_place(s->e->m->aff, p->update->shape, next->shape), place, here);
    *dest = xg_emit_insert(&s->b, v, *dest, next->shape, here);
}
/* leaf[k]: the place of the k-th state's array among the results */
XG_FN void xg_rounds_round(xg_scope *s, xg_kval *round, xg_kval *const *at, xg_elem *now, xg_kval **arrays) {
    const xg_rounds *r = s->e->rounds;
    xg_elem *next = XG_NEW_N(s->e->arena, xg_elem, r->n + (size_t)1);
    uint32_t k;
    xg_emit_forget(s);
    for (k = 0; k < r->n; k++) {
        if (r->state[k].kind == XG_ROUND_COUNTS) xg_hero_give(s, r->state[k].inst, xg_rounds_count(s, r, &r->state[k], round));
        if (r->state[k].kind == XG_ROUND_CARRIED) xg_hero_give(s, r->state[k].inst, now[k]);
    }
    for (k = 0; k < r->sums.n; k++) xg_rounds_sum_lanes(s, &r->sums.p[k], at);
    for (k = 0; k < r->pieces.n; k++)
        if (arrays[r->pieces.p[k].state]) xg_rounds_write(s, &r->pieces.p[k], at, &arrays[r->pieces.p[k].state]);
    for (k = 0; k < r->n; k++)
        if (r->state[k].kind == XG_ROUND_CARRIED) next[k] = xg_rounds_own_of(s, r->state[k].next, r->state[k].map, at);
    memcpy(now, next, r->n * sizeof *now);
}
XG_FN void xg_rounds_thread(xg_scope *s, xg_kval *const *at, xg_kval **dest) {
    xg_fusion_emission *e = s->e;
    const xg_rounds *r = e->rounds;
    const xg_comp *whole = xg_attr_calls(e->fusion);
    xg_elem *now = XG_NEW_N(e->arena, xg_elem, r->n + (size_t)1);
    xg_kval **arrays = XG_NEW_N(e->arena, xg_kval *, r->n + (size_t)1), *here[XG_RANK_MAX], *round;
    xg_flow f = xg_flow_of(s, NULL);
    uint32_t k;
    for (k = 0; k < r->n; k++) {
        const xg_round_state *t = &r->state[k];
        if (t->kind != XG_ROUND_CARRIED) continue;
        if (t->init->op == XG_CONSTANT)
            now[k] = xg_elem_constant(s, t->init, at);
        else
            now[k] = xg_rounds_own_of(s, t->init, t->map, at);
        xg_flow_elem(&f, &now[k]);
    }
    for (k = 0; k < e->n_roots; k++) {
        int64_t of = xg_attr_index(xg_fuse_leaf(whole, k));
        if (r->state[of].kind == XG_ROUND_STACKED) arrays[of] = dest[k];
    }
    xg_flow_slots(&f, arrays, r->n);
    round = xg_flow_count(&f, r->trips);
    round->name = XG_STR("round");
    xg_rounds_round(s, round, at, now, arrays);
    xg_flow_end(&f);
    xg_emit_forget(s);
    for (k = 0; k < e->n_roots; k++) {
        int64_t of = xg_attr_index(xg_fuse_leaf(whole, k));
        if (arrays[of])
            dest[k] = arrays[of];
        else {
            xg_elem_apply(s, r->state[of].map, at, here);
            dest[k] = xg_emit_insert(&s->b, now[of], dest[k], e->roots[k]->shape, here);
        }
    }
}

/* Thread and block -> the indices that the thread walks at. */
XG_FN const xg_imap *xg_rounds_walk(const xg_fusion_emission *e) {
    const xg_launch *l = &e->record->launch;
    const xg_shape *s = e->rounds->shape;
    xg_aff_ctx *x = e->m->aff;
    xg_imap *m = xg_imap_new(x, 2, 0, 0, s->rank, 1);
    xg_index_order order = xg_index_order_of_shape(s);
    const xg_aff *at = xg_aff_add_mul(x, xg_aff_dim(x, 0), xg_aff_dim(x, 1), l->threads[0]);
    xg_imap_counts(&m->dims[0], "th_x", l->threads[0]);
    xg_imap_counts(&m->dims[1], "bl_x", l->blocks[0]);
    m->constraints[0].expr = at;
    m->constraints[0].range = xg_range_of(0, s->elements - 1);
    xg_index_delinearise(x, &order, at, m->results);
    return xg_imap_simplify(x, m);
}
XG_FN bool xg_emit_rounds_plan(xg_fusion_emission *e) {
    xg_launch l;
    if (!e->rounds) return false;
    l = xg_launch_linear(e, e->rounds->shape->elements, 1);
    return xg_emit_launch(e, l.threads[0], l.blocks[0], 0);
}
XG_FN void xg_emit_rounds(xg_fusion_emission *e) {
    xg_scope s;
    xg_kval **dest = xg_emit_enter(e, &s), *dims[2];
    xg_flow f = xg_flow_of(&s, NULL);
    dims[0] = xg_kthread_id(&s.b, 0, e->record->launch.threads[0]);
    dims[1] = xg_kblock_id(&s.b, 0, e->record->launch.blocks[0]);
    xg_flow_slots(&f, dest, e->n_roots);
    {
        xg_kval *first = xg_flow_walk(&f, xg_rounds_walk(e), dims), *at[XG_RANK_MAX];
        uint32_t k;
        for (k = 0; k < e->rounds->shape->rank; k++) at[k] = first + k;
        xg_rounds_thread(&s, at, dest);
    }
    xg_flow_end(&f);
    xg_kreturn(&s.b, dest, e->n_roots);
}

#endif /* XG_EMIT_ROUNDS_C */
