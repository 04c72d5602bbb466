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
    XG_ROUNDS_READ = 16, /* what is read is in a register until its round comes */
    XG_ROUNDS_WORK = 512 /* of the rounds that are straight code */
};
typedef struct xg_rounds_form {
    int64_t unroll; /* rounds in straight code */
} xg_rounds_form;

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
/* Lanes of a warp that have elements: whole sums. The others do the same as the first ones. */
XG_FN int64_t xg_rounds_busy(const xg_rounds *r) {
    return r->lanes ? XG_WARP_LANES / r->lanes * r->lanes : XG_WARP_LANES;
}
/* The lane that has the first element of the thread's sum. */
XG_FN xg_kval *xg_rounds_first_lane(xg_scope *s, int64_t lanes) {
    const xg_rounds *r = s->e->rounds;
    uint32_t threads = s->e->record->launch.threads[0];
    xg_aff_ctx *x = s->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 1, 1);
    const xg_aff *lane = xg_aff_mod(x, xg_aff_mod(x, xg_aff_dim(x, 0), XG_WARP_LANES), xg_rounds_busy(r));
    xg_kval *thread = xg_kthread_id(&s->b, 0, threads), *first;
    xg_imap_counts(&m->dims[0], "th_x", threads);
    m->results[0] = xg_aff_mul(x, xg_aff_div(x, lane, lanes), lanes);
    xg_elem_apply(s, xg_imap_simplify(x, m), &thread, &first);
    return xg_kcast(&s->b, XG_K_OP_INDEX_CAST, first, XG_E_I32);
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
XG_FN xg_elem xg_rounds_shuffle(xg_scope *s, xg_kopcode code, xg_elem x, xg_kval *lane) {
    x.v = xg_kshuffle(&s->b, code, x.v, lane);
    if (x.im) x.im = xg_kshuffle(&s->b, code, x.im, lane);
    return x;
}
/* A reduction among neighbouring lanes, behind the value that it starts with: by halves, or one behind the other where
 * they are no power of two. */
XG_FN void xg_rounds_sum_lanes(xg_scope *s, const xg_round_sum *sum, xg_kval *const *at) {
    const xg_inst *in = XG_OPERAND(sum->i, 0);
    xg_elem x = xg_rounds_own_of(s, in, sum->map, at), acc[1];
    xg_fold f = xg_fold_begin(s, sum->i, acc, NULL);
    bool halves = (sum->lanes & (sum->lanes - 1)) == 0;
    xg_kval *first = halves ? NULL : xg_rounds_first_lane(s, sum->lanes);
    int64_t k;
    if (f.wide != XLAGPU_INVALID) x = xg_elem_convert_to(s, x, in->shape->type, f.wide);
    for (k = 1; halves && k < sum->lanes; k *= 2)
        xg_rounds_join(
            s, &f, &x, xg_rounds_shuffle(s, XG_K_OP_SHFLBFLY, x, xg_kconst_int(&s->b, XG_E_I32, k)));
    if (halves) xg_rounds_join(s, &f, acc, x);
    for (k = 0; !halves && k < sum->lanes; k++)
        xg_rounds_join(s, &f, acc, xg_rounds_shuffle(s, XG_K_OP_SHFLIDX, x, xg_k2_int(&s->b, XG_K_OP_ADDI, first, k)));
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
/* What earlier rounds have left in a stacked array, whose contents in the beginning are the parameter. */
XG_FN void xg_rounds_window(xg_scope *s, xg_inst *i, xg_kval *const *at, xg_kval **arrays) {
    const xg_rounds *r = s->e->rounds;
    const xg_imap *map = r->parts->map_of[xg_partition_place(r->parts, i)];
    xg_kval *here[XG_RANK_MAX];
    uint32_t k = 0;
    if (!map) return; /* nothing needs it */
    while (r->state[k].inst != XG_OPERAND(i, 0)) k++;
    s->tensors[r->state[k].init->number] = arrays[k];
    s->memo[xg_partition_place(r->parts, r->state[k].init)].region = NULL;
    s->memo[xg_partition_place(r->parts, r->state[k].inst)].region = NULL;
    xg_elem_apply(s, map, at, here);
    xg_hero_give(s, i, xg_elem_dynamic_slice(s, i, here));
}
/* arrays: by element of the state, the stacked one; NULL: it is no result */
XG_FN void xg_rounds_round(xg_scope *s, xg_kval *const *at, xg_elem *now, xg_kval **arrays) {
    const xg_rounds *r = s->e->rounds;
    xg_elem *next = XG_NEW_N(s->e->arena, xg_elem, r->n + (size_t)1);
    uint32_t k;
    xg_rounds_give(s, now);
    for (k = 0; k < r->windows.n; k++) xg_rounds_window(s, r->windows.p[k], at, arrays);
    for (k = 0; k < r->sums.n; k++) xg_rounds_sum_lanes(s, &r->sums.p[k], at);
    for (k = 0; k < r->pieces.n; k++)
        if (arrays[r->pieces.p[k].state]) xg_rounds_write(s, &r->pieces.p[k], at, &arrays[r->pieces.p[k].state]);
    for (k = 0; k < r->n; k++)
        if (r->state[k].kind == XG_ROUND_CARRIED) next[k] = xg_rounds_own_of(s, r->state[k].next, r->state[k].map, at);
    for (k = 0; k < r->n; k++)
        if (r->state[k].kind == XG_ROUND_CARRIED) now[k] = next[k];
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
    xg_flow f = xg_flow_of(s, NULL);
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
            rounds[k] = k ? xg_k2_int(&s->b, XG_K_OP_ADDI, first, k) : first;
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
    uint32_t k;
    for (k = 0; k < r->n; k++) {
        const xg_round_state *t = &r->state[k];
        if (t->kind == XG_ROUND_CARRIED) now[k] = xg_rounds_own_of(s, t->init, t->map, at);
    }
    for (k = 0; k < e->n_roots; k++) {
        uint32_t of = r->results.p[k];
        if (r->state[of].kind == XG_ROUND_STACKED) arrays[of] = dest[k];
    }
    xg_rounds_all(s, at, now, arrays);
    for (k = 0; k < e->n_roots; k++) {
        uint32_t of = r->results.p[k];
        if (arrays[of])
            dest[k] = arrays[of];
        else {
            xg_elem_apply(s, r->state[of].map, at, here);
            dest[k] = xg_emit_insert(&s->b, now[of], dest[k], e->roots[k]->shape, here);
        }
    }
}

/* Thread and block -> the indices that the thread walks at. In a warp that has not an element for each lane the last
 * ones are those of others, since all lanes take part in sums. */
XG_FN const xg_imap *xg_rounds_walk(const xg_fusion_emission *e) {
    const xg_launch *l = &e->record->launch;
    const xg_shape *s = e->rounds->shape;
    int64_t busy = xg_rounds_busy(e->rounds);
    xg_aff_ctx *x = e->m->aff;
    const xg_imap *all = xg_indexing_thread(x, s, l->threads[0], l->blocks[0], 1);
    const xg_aff *at = xg_aff_add_mul(x, xg_aff_dim(x, 0), xg_aff_dim(x, 1), l->threads[0]);
    xg_imap *m;
    if (!e->rounds->lanes || (busy == XG_WARP_LANES && s->elements % XG_WARP_LANES == 0)) return all;
    m = xg_imap_of_dims(x, 2, 1);
    m->dims[0] = all->dims[0];
    m->dims[1] = all->dims[1];
    at = xg_aff_add_mul(x, xg_aff_mod(x, xg_aff_mod(x, at, XG_WARP_LANES), busy), xg_aff_div(x, at, XG_WARP_LANES), busy);
    m->results[0] = xg_aff_mod(x, at, s->elements);
    return xg_imap_compose(x, m, xg_indexing_delinear(x, s));
}
XG_TABLE const xg_form_field xg_rounds_fields[] = {{"unroll", offsetof(xg_rounds_form, unroll)}};
XG_FN bool xg_emit_rounds_plan(xg_fusion_emission *e) {
    const xg_rounds *r = e->rounds;
    xg_rounds_form *f;
    xg_launch l;
    int64_t work, threads, each;
    uint32_t reads = 0, k;
    if (!r) return false;
    e->form = f = XG_NEW(e->arena, xg_rounds_form);
    for (k = 0; k < r->parts->n_insts; k++) reads += r->reads[k];
    work = XG_MAX(xg_emit_work(r->comp), (int64_t)1);
    for (f->unroll = 1; reads && f->unroll < XG_ROUNDS_UNROLL && f->unroll * 2 <= r->trips &&
                        f->unroll * 2 * XG_MAX(work, reads * XG_ROUNDS_READ) <= XG_ROUNDS_WORK;
         f->unroll *= 2) {}
    xg_form_read(e, xg_rounds_fields, 1, f);
    if (f->unroll < 1 || f->unroll > XG_MAX(r->trips, (int64_t)1) || f->unroll > XG_ROUNDS_WORK)
        return xg_emit_refuse(e, "unroll must be from 1 to the number of rounds");
    xg_form_write(e, xg_rounds_fields, 1, f);
    threads = r->shape->elements;
    if (r->lanes) threads = (threads + xg_rounds_busy(r) - 1) / xg_rounds_busy(r) * XG_WARP_LANES;
    l = xg_launch_linear(e, threads, 1);
    for (each = l.threads[0]; each > XG_WARP_LANES && (threads + each - 1) / each < e->target->sms; each /= 2) {}
    return xg_emit_launch(e, each, (threads + each - 1) / each, 0);
}
XG_FN void xg_emit_rounds(xg_fusion_emission *e) {
    xg_scope s;
    xg_kval **dest = xg_emit_enter(e, &s), *dims[2], *at[XG_RANK_MAX], *first;
    xg_flow f = xg_flow_of(&s, NULL);
    const xg_imap *map;
    uint32_t k;
    dims[0] = xg_kthread_id(&s.b, 0, e->record->launch.threads[0]);
    dims[1] = xg_kblock_id(&s.b, 0, e->record->launch.blocks[0]);
    xg_flow_slots(&f, dest, e->n_roots);
    map = xg_rounds_walk(e);
    first = xg_flow_walk(&f, map, dims) + map->n_syms;
    for (k = 0; k < e->rounds->shape->rank; k++) at[k] = first + k;
    xg_rounds_thread(&s, at, dest);
    xg_flow_end(&f);
    xg_kreturn(&s.b, dest, e->n_roots);
}

#endif /* XG_EMIT_ROUNDS_C */
