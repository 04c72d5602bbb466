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

enum {
    XG_ROUNDS_UNROLL = 8,
    XG_ROUNDS_THREADS = 1024,
    XG_ROUNDS_READ = 16, /* what is read is in a register until its round comes */
    XG_ROUNDS_WORK = 512 /* of the rounds that are straight code */
};
typedef struct xg_rounds_form {
    int64_t unroll, threads; /* rounds in straight code; of a block */
} xg_rounds_form;

/* A scalar that counts, from the number of the round. */
XG_FN xg_elem xg_rounds_count(xg_scope *s, const xg_rounds *r, const xg_round_state *t, xg_kval *round) {
    int64_t last = t->first + t->step * r->trips;
    xlagpu_type as = last >= -INT32_MAX && last <= INT32_MAX ? XLAGPU_S32 : XLAGPU_S64;
    xg_kval *v = xg_kcast(&s->b, XG_K_OP_INDEX_CAST, round, xg_kelem_of(as));
    if (t->step != 1) v = xg_k2_int(&s->b, XG_K_OP_MULI, v, t->step);
    if (t->first) v = xg_kaddi_int(&s->b, v, t->first);
    xg_kval_set_range(v, xg_range_of(XG_MIN(t->first, last - t->step), XG_MAX(t->first, last - t->step)));
    return xg_elem_real(xg_scalar_convert(&s->b, v, as, t->inst->shape->type));
}
XG_FN xg_elem xg_rounds_own_of(xg_scope *s, const xg_inst *i, const xg_imap *map, xg_kval *const *at) {
    xg_kval *here[XG_RANK_MAX];
    xg_elem_apply(s, map, at, here);
    return xg_elem_of(s, i, here);
}
/* acc = acc o x */
XG_FN void xg_rounds_join(xg_scope *s, xg_fold *f, xg_elem *acc, xg_elem x) {
    if (f->wide != XLAGPU_INVALID) {
        acc->v = xg_k2(&s->b, XG_K_OP_ADDF, acc->v, x.v);
        return;
    }
    f->args[0] = *acc;
    f->args[1] = x;
    xg_elem_call_comp(s, f->comp, f->args, acc, 1);
}
/* A reduction among neighbouring lanes, by halves, behind the value that it starts with. */
XG_FN void xg_rounds_sum_lanes(xg_scope *s, const xg_round_value *sum, xg_kval *const *at) {
    const xg_shape *in = sum->made->shape;
    xg_elem x = xg_rounds_own_of(s, sum->made, sum->map, at), acc[1], other;
    xg_fold f = xg_fold_begin(s, sum->given, acc, NULL);
    int64_t k;
    if (f.wide != XLAGPU_INVALID) x = xg_elem_convert_to(s, x, in->type, f.wide);
    for (k = 1; k < in->elements / sum->given->shape->elements; k *= 2) {
        xg_kval *lane = xg_kconst_i32(&s->b, k);
        other.v = xg_kshuffle(&s->b, XG_K_OP_SHFLBFLY, x.v, lane);
        other.im = x.im ? xg_kshuffle(&s->b, XG_K_OP_SHFLBFLY, x.im, lane) : NULL;
        xg_rounds_join(s, &f, &x, other);
    }
    xg_rounds_join(s, &f, acc, x);
    xg_hero_give(s, sum->given, xg_fold_end(s, &f, acc));
}
XG_FN void xg_rounds_write(xg_scope *s, const xg_round_value *p, xg_kval *const *at, xg_kval **dest) {
    xg_kval *here[XG_RANK_MAX], *to[XG_RANK_MAX], *place[XG_RANK_MAX];
    const xg_inst *next = s->e->rounds->state[p->state].next;
    xg_elem v;
    xg_elem_apply(s, p->map, at, here);
    v = xg_elem_of(s, p->made, here);
    xg_elem_apply(s, p->to, here, to);
    xg_update_place(s, p->update, to, place);
    xg_elem_apply(s, xg_emit_same_place(s->b.m->aff, p->update->shape, next->shape), place, here);
    *dest = xg_emit_insert(&s->b, v, *dest, next->shape, here);
}
/* A round of that number begins: what counts is given, and what that finds in memory is read. */
XG_FN void xg_rounds_read(xg_scope *s, xg_kval *round, xg_kval *const *at) {
    const xg_rounds *r = s->e->rounds;
    uint32_t k;
    xg_emit_forget(s);
    for (k = 0; k < r->n; k++)
        if (r->state[k].kind == XG_ROUND_COUNTS)
            xg_hero_give(s, r->state[k].inst, xg_rounds_count(s, r, &r->state[k], round));
    for (k = 0; k < r->parts->n_insts; k++)
        if (r->reads[k]) (void)xg_rounds_own_of(s, r->parts->insts[k], r->parts->map_of[k], at);
}
XG_FN void xg_rounds_give(xg_scope *s, const xg_elem *now) {
    const xg_rounds *r = s->e->rounds;
    uint32_t k;
    for (k = 0; k < r->n; k++)
        if (r->state[k].kind == XG_ROUND_CARRIED) xg_hero_give(s, r->state[k].inst, now[k]);
}
/* arrays: by element of the state, the stacked one; NULL: it is no result */
XG_FN void xg_rounds_round(xg_scope *s, xg_kval *const *at, xg_elem *now, xg_kval **arrays) {
    const xg_rounds *r = s->e->rounds;
    xg_elem *next = XG_NEW_N(s->e->arena, xg_elem, r->n + (size_t)1);
    uint32_t k, role;
    xg_rounds_give(s, now);
    memcpy(next, now, r->n * sizeof *next);
    for (role = 0; role <= XG_ROUND_NEXT; role++)
        for (k = 0; k < r->values.n; k++) {
            const xg_round_value *v = &r->values.p[k];
            xg_kval **array = &arrays[v->state];
            if ((uint32_t)v->role != role) continue;
            if (v->role == XG_ROUND_SUM) xg_rounds_sum_lanes(s, v, at);
            if (v->role == XG_ROUND_PIECE && *array) xg_rounds_write(s, v, at, array);
            if (v->role == XG_ROUND_NEXT && v->given) next[v->state] = xg_rounds_own_of(s, v->made, v->map, at);
        }
    memcpy(now, next, r->n * sizeof *next);
}
/* Rounds in straight code: what all of them read is on its way before the first goes on. */
XG_FN void xg_rounds_straight(
    xg_scope *s, xg_kval *const *rounds, int64_t n, xg_kval *const *at, xg_elem *now, xg_kval **arrays) {
    xg_memo **read = XG_NEW_N(s->e->arena, xg_memo *, n + 1);
    int64_t k;
    for (k = 0; k < n; k++) {
        xg_rounds_read(s, rounds[k], at);
        read[k] = s->memo;
    }
    for (k = 0; k < n; k++) {
        s->memo = read[k];
        xg_rounds_round(s, at, now, arrays);
    }
}
XG_FN void xg_rounds_all(xg_scope *s, xg_kval *const *at, xg_elem *now, xg_kval **arrays) {
    const xg_rounds *r = s->e->rounds;
    int64_t n = ((const xg_rounds_form *)s->e->form)->unroll, rest = r->trips > 0 ? r->trips % n : 0, k;
    xg_kval **rounds = XG_NEW_N(s->e->arena, xg_kval *, n + 1), *first;
    xg_flow f = xg_flow_begin(s);
    xg_flow_elems(&f, now, r->n);
    xg_flow_slots(&f, arrays, r->n);
    if (r->trips < 0) {
        xg_flow_once(&f, 0);
        f.op->a = 0; /* it often goes on */
        xg_emit_forget(s);
        xg_rounds_give(s, now);
        xg_flow_again(&f, xg_elem_of(s, r->again, at).v, NULL);
    } else {
        rounds[0] = xg_flow_count(&f, r->trips / n);
        rounds[0]->name = XG_STR("round");
    }
    if (n > 1) {
        f.op->flags = KL_UNROLLED;
        first = xg_k2_int(&s->b, XG_K_OP_MULI, rounds[0], n);
        for (k = 0; k < n; k++) {
            rounds[k] = k ? xg_kaddi_int(&s->b, first, k) : first;
            xg_kval_set_range(rounds[k], xg_range_of(k, r->trips - n + k));
        }
    }
    xg_rounds_straight(s, rounds, n, at, now, arrays);
    xg_flow_end(&f);
    for (k = 0; k < rest; k++) rounds[k] = xg_elem_index(s, r->trips - rest + k);
    xg_rounds_straight(s, rounds, rest, at, now, arrays);
}
XG_FN void xg_rounds_thread(xg_scope *s, xg_kval *const *at, xg_kval **dest) {
    xg_fusion_emission *e = s->e;
    const xg_rounds *r = e->rounds;
    xg_elem *now = XG_NEW_N(e->arena, xg_elem, r->n + (size_t)1);
    xg_kval **arrays = XG_NEW_N(e->arena, xg_kval *, r->n + (size_t)1), *here[XG_RANK_MAX];
    const xg_imap **own = XG_NEW_N(e->arena, const xg_imap *, r->n + (size_t)1);
    uint32_t k, of;
    for (k = 0; k < r->values.n; k++) {
        const xg_round_value *v = &r->values.p[k];
        if (v->role != XG_ROUND_NEXT || !v->given) continue;
        own[v->state] = v->own;
        now[v->state] = xg_rounds_own_of(s, r->state[v->state].init, v->own, at);
    }
    for (k = 0; k < e->n_roots; k++) {
        of = r->results.p[k];
        if (!own[of]) arrays[of] = dest[k];
    }
    xg_rounds_all(s, at, now, arrays);
    for (k = 0; k < e->n_roots; k++) {
        of = r->results.p[k];
        if (!own[of]) {
            dest[k] = arrays[of];
            continue;
        }
        xg_elem_apply(s, own[of], at, here);
        dest[k] = xg_emit_insert(&s->b, now[of], dest[k], e->roots[k]->shape, here);
    }
}
XG_TABLE const xg_form_field xg_rounds_fields[] = {
    {"unroll", offsetof(xg_rounds_form, unroll)},
    {"threads", offsetof(xg_rounds_form, threads)},
};
XG_FN bool xg_emit_rounds_plan(xg_fusion_emission *e) {
    const xg_rounds *r = e->rounds;
    xg_rounds_form *f;
    int64_t work, n;
    uint32_t reads = 0, k;
    if (!r) return false;
    n = r->shape->elements;
    e->form = f = XG_NEW(e->arena, xg_rounds_form);
    for (k = 0; k < r->parts->n_insts; k++) reads += r->reads[k];
    work = XG_MAX(xg_emit_work(r->comp), (int64_t)reads * XG_ROUNDS_READ);
    for (f->unroll = 1;
         reads && f->unroll < XG_ROUNDS_UNROLL && f->unroll * 2 <= r->trips && f->unroll * 2 * work <= XG_ROUNDS_WORK;
         f->unroll *= 2) {}
    for (f->threads = xg_launch_linear(e, n, 1).threads[0];
         f->threads > XG_WARP_LANES && (n + f->threads - 1) / f->threads < e->target->sms;
         f->threads = xg_warps_whole(f->threads / 2)) {}
    xg_form_read(e, xg_rounds_fields, XG_COUNT(xg_rounds_fields), f);
    if (f->unroll < 1 || f->unroll > XG_MAX(r->trips, (int64_t)1) || f->unroll > XG_ROUNDS_WORK || f->threads < 1 ||
        f->threads > XG_ROUNDS_THREADS || (r->sums && f->threads % XG_WARP_LANES))
        return xg_emit_refuse(e, "there are not so many rounds, or threads");
    xg_form_write(e, xg_rounds_fields, XG_COUNT(xg_rounds_fields), f);
    return xg_emit_launch(e, f->threads, (n + f->threads - 1) / f->threads, 0);
}
XG_FN void xg_emit_rounds(xg_fusion_emission *e) {
    xg_scope s;
    xg_kval **dest = xg_emit_enter(e, &s), *dims[2], *at[XG_RANK_MAX], *first;
    xg_flow f = xg_flow_begin(&s);
    const xg_imap *map;
    uint32_t k;
    dims[0] = xg_kthread_id(&s.b, 0, e->record->launch.threads[0]);
    dims[1] = xg_kblock_id(&s.b, 0, e->record->launch.blocks[0]);
    xg_flow_slots(&f, dest, e->n_roots);
    map = xg_indexing_thread(e->m->aff, e->rounds->shape, e->record->launch.threads[0], e->record->launch.blocks[0], 1);
    first = xg_flow_walk(&f, map, dims) + map->n_syms;
    for (k = 0; k < e->rounds->shape->rank; k++) at[k] = first + k;
    xg_rounds_thread(&s, at, dest);
    xg_flow_end(&f);
    xg_kreturn(&s.b, dest, e->n_roots);
}

#endif /* XG_EMIT_ROUNDS_C */
