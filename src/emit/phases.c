/* emit/phases.c -- a fusion of fusions (fuse/phases.c) as one kernel of one block, or of a block for each part of an
 * outer dimension.
 *
 *     for each level:
 *         each member of it:  what its own emitter makes of it, by this block's threads
 *         barrier
 *
 * A member is emitted as if it were a kernel: its emitter says how many threads a block of it has, and how many blocks
 * there are. Those blocks are made here by the threads of the one block, some side by side, then the next ones:
 *
 *     for round, where there is such a block:
 *         member's block = round * teams + thread / team;  member's thread = thread % team
 *
 * - Of several parts, the kernel is that of the fusion of one part (fuse/outer.c); what is cut of its parameters and
 *   results lies where the block's number says (xg_karg.parted).
 * - Threads of a member that wait for each other are one team, which has a barrier of its own, and arrays in shared
 *   memory of its own; its blocks come one after the other.
 * - What only members read lies in shared memory; results of the kernel lie where the caller wants them, and are read
 *   from there. All of a level is written before any of the next begins. */
#ifndef XG_EMIT_PHASES_C
#define XG_EMIT_PHASES_C
#include "emit.h"
#include "emit.c"

enum {
    XG_PHASES_THREADS = 512 /* so that each may have 128 registers */,
    XG_PHASES_BARRIERS = 15 /* beside that of all threads */
};

typedef struct xg_phase {
    const xg_inst *fusion;
    xg_kfunc *f;
    int64_t threads, blocks, shared;
    bool waits, shuffles;
    xg_kval **results; /* by leaf: the tensor as it is now */
    xg_record *record;
} xg_phase;
typedef struct xg_phases {
    xg_phase *p;
    uint32_t n;
    xg_kval *thread;
    int64_t threads, shared;
    uint32_t barriers; /* taken since all threads met */
    xg_kb b;
    int64_t parts;
    int32_t *params; /* by parameter: whether a part has a part of it */
    xg_phase_list list;
    xg_fusion_emission e;  /* of the whole: without a partition, since nothing in it is an element */
    xg_map64 places;       /* id of a fusion + 1 -> its number + 1 */
    xg_emit_target target; /* without clusters: there is one block */
} xg_phases;

/* ---- members as kernels ---- */

XG_FN void xg_phase_look(xg_phase *p, const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        if (op->op == XG_K_OP_SYNC)
            p->waits = true;
        else if (xg_kop_flags(op->op) & KF_CONV)
            p->shuffles = true;
        if (op->op == XG_K_OP_ALLOC_SHARED)
            p->shared += (op->results[0].type->elements * xg_kelem_bytes(op->results[0].type->elem) + 15) / 16 * 16;
        for (k = 0; k < op->n_regions; k++) xg_phase_look(p, op->regions[k]);
    }
}
/* Warps that shuffle or wait are whole; one dimension of threads and of blocks. */
XG_FN bool xg_phase_fits(const xg_phases *w, const xg_phase *p) {
    uint32_t k;
    for (k = 1; k < 3; k++)
        if (p->f->threads[k] != 1 || p->f->blocks[k] != 1) return false;
    return p->threads <= 1024 && ((!p->waits && !p->shuffles) || p->threads % XG_WARP_LANES == 0) &&
           w->shared + p->shared <= XG_SHARED_STATIC_BYTES;
}
XG_FN void xg_phase_make(xg_phases *w, xg_phase *p, const xg_emitter *by) {
    xg_fusion_emission *e = XG_NEW(w->e.arena, xg_fusion_emission);
    xg_kfunc *f, *last = w->e.m->last;
    bool ordered;
    xg_buf name;
    xg_emit_open(e, w->e.m, w->e.arena, p->fusion, &w->target);
    xg_emit_check_leaves(e);
    e->given = by ? NULL : xg_record_read(w->e.arena, p->fusion);
    ordered = e->given && e->given->way.n;
    if (ordered) by = xg_emit_find(e->given->way);
    if (!by && !ordered)
        by = xg_emit_choose(e);
    else if (by && !xg_emit_plan(e, by))
        by = NULL;
    if (!by || (e->given && xg_record_disobeys(e->given, e->record)))
        xg_hlo_fail(p->fusion, XLAGPU_ERROR_INVALID, "leave out of the record what cannot be obeyed",
            "the record of this member of a kernel does not suit it%s%.*s", e->record->why.n ? ": " : "",
            (int)e->record->why.n, e->record->why.n ? e->record->why.p : "");
    p->record = e->record;
    xg_emit_by(e, by);
    p->f = e->m->entry;
    p->f->entry = false;
    p->threads = p->f->threads[0];
    p->blocks = p->f->blocks[0];
    p->shared = 0;
    p->waits = p->shuffles = false;
    xg_phase_look(p, p->f->body);
    for (f = last->next; f; f = f->next)
        if (f != p->f) { /* members may call instructions alike */
            xg_buf_init(&name, w->e.arena);
            xg_put_str(&name, p->fusion->name);
            xg_putc(&name, '.');
            xg_put_str(&name, f->name);
            f->name = xg_str_of(name.p, name.n);
        }
}
/* May the loop emitter make it, too? Its threads do not wait for each other, so it may not where a result may lie over
 * an operand of the kernel only because those of the member's own emitter do. */
XG_FN bool xg_phase_may_loop(const xg_phases *w, const xg_inst *fusion) {
    uint32_t leaf, k;
    for (leaf = 0; leaf < (uint32_t)xg_shape_leaves(fusion->shape); leaf++)
        for (k = 0; k < fusion->n_operands; k++)
            if (XG_OPERAND(fusion, k)->op == XG_PARAMETER && xg_fuse_may_share(w->e.arena, fusion, k, leaf) &&
                !xg_fuse_may_share_in_walk(w->e.arena, fusion, k, leaf))
                return false;
    return true;
}
XG_FN void xg_phase_add(xg_phases *w, const xg_inst *fusion) {
    xg_phase *p = &w->p[w->n++];
    p->fusion = fusion;
    p->results = XG_NEW_N(w->e.arena, xg_kval *, (size_t)xg_shape_leaves(fusion->shape) + 1);
    xg_map64_put(&w->places, fusion->id + (uint64_t)1, (void *)(uintptr_t)w->n);
    xg_phase_make(w, p, NULL);
    /* threads of the loop emitter do not know of each other */
    if (!xg_phase_fits(w, p) && xg_phase_may_loop(w, fusion)) {
        xg_kir_func_remove(p->f);
        xg_phase_make(w, p, xg_emit_find(XG_STR("loop")));
    }
    if (!xg_phase_fits(w, p))
        xg_hlo_fail(fusion, XLAGPU_ERROR_LIMIT, "leave the pass small-kernel-joining out",
            "%s is too large to be a part of a kernel of one block", fusion->name.p);
    w->shared += p->shared;
}

/* ---- where values lie ---- */

XG_FN xg_kval **xg_phases_value(xg_phases *w, const xg_inst *i) {
    uint32_t leaf = 0;
    if (i->op == XG_PARAMETER) return NULL;
    if (i->op == XG_GET_TUPLE_ELEMENT) {
        leaf = (uint32_t)xg_attr_index(i);
        i = XG_OPERAND(i, 0);
    }
    return &w->p[(size_t)xg_map64_get(&w->places, i->id + (uint64_t)1) - 1].results[leaf];
}
XG_FN xg_kval *xg_phases_tensor(xg_phases *w, const xg_inst *i) {
    return i->op == XG_PARAMETER ? &w->e.m->entry->body->args[i->number] : *xg_phases_value(w, i);
}
/* Results of the kernel to their destinations, all else to shared memory, */
XG_FN void xg_phases_give_roots(xg_phases *w) {
    xg_kval *dest = &w->e.m->entry->body->args[w->e.comp->n_params];
    uint32_t k;
    for (k = 0; k < w->e.n_roots; k++) *xg_phases_value(w, w->e.roots[k]) = dest + k;
}
/* where arrays of the members stand, too. */
XG_FN int64_t xg_phases_shared_bytes(const xg_phases *w) {
    int64_t bytes = 0;
    uint32_t k, leaf;
    for (k = 0; k < w->n; k++) {
        const xg_kfunc *f = w->p[k].f;
        bytes += xg_shared_taken(f->body);
        for (leaf = 0; leaf < (uint32_t)xg_shape_leaves(w->p[k].fusion->shape); leaf++)
            if (!w->p[k].results[leaf])
                bytes += xg_shared_whole(f->results[leaf]->elements * xg_kelem_bytes(f->results[leaf]->elem));
    }
    return bytes;
}
XG_FN void xg_phases_place(xg_phases *w) {
    uint32_t k, leaf, n;
    for (k = 0; k < w->n; k++)
        for (leaf = 0, n = (uint32_t)xg_shape_leaves(w->p[k].fusion->shape); leaf < n; leaf++) {
            const xg_ktype *t = w->p[k].f->results[leaf];
            if (!w->p[k].results[leaf]) w->p[k].results[leaf] = xg_shared_of(&w->b, t);
        }
}

/* ---- a member ---- */

/* thread[round] -> the member's thread and block. */
XG_FN const xg_imap *xg_phase_map(const xg_phases *w, const xg_phase *p) {
    xg_aff_ctx *x = w->e.m->aff;
    int64_t teams = p->waits ? 1 : w->threads / p->threads, rounds = (p->blocks + teams - 1) / teams;
    xg_imap *m = xg_imap_new(x, 1, 1, 0, 2, 2);
    const xg_aff *th = xg_aff_dim_0(x);
    xg_imap_counts(&m->dims[0], "th_x", w->threads);
    xg_imap_counts(&m->syms[0], "round", rounds);
    m->results[0] = xg_aff_mod(x, th, p->threads);
    m->results[1] = xg_aff_add_mul(x, xg_aff_div(x, th, p->threads), xg_aff_sym(x, 0), teams);
    m->constraints[0].expr = th;
    m->constraints[0].range = xg_range_of(0, XG_MIN(teams, p->blocks) * p->threads - 1);
    m->constraints[1].expr = m->results[1];
    m->constraints[1].range = xg_range_of(0, p->blocks - 1);
    return xg_imap_simplify(x, m);
}
/* What names a place in the launch, and arrays in shared memory, are made in front of all else; arrays here, outside of
 * the rounds. */
XG_FN void xg_phase_begin(xg_phases *w, const xg_phase *p) {
    XG_TABLE const xg_kopcode front[] = {XG_K_OP_ALLOC_SHARED, XG_K_OP_BLOCK_ID, XG_K_OP_THREAD_ID};
    xg_kops ops;
    uint32_t k, j;
    for (j = 0; j < XG_COUNT(front); j++) {
        memset(&ops, 0, sizeof ops);
        xg_kops_collect_of(w->e.arena, &ops, p->f->body, front[j], front[j]);
        for (k = 0; k < ops.n; k++)
            if (ops.p[k] != p->f->body->first) xg_kop_move_before(ops.p[k], p->f->body->first);
    }
    xg_kclone_begin(p->f->body);
}
/* A copy of the member's code. at: its thread and block; dest: its results as they are, and become. */
XG_FN void xg_phase_body(xg_phases *w, xg_phase *p, xg_kb *b, xg_kval *const *at, xg_kval **dest, xg_kb *outside) {
    xg_kregion *body = p->f->body;
    uint32_t n = p->f->n_inputs, k;
    xg_kop *op, *end = xg_kregion_end(body);
    for (k = 0; k < n; k++) xg_kclone_put(&body->args[k], xg_phases_tensor(w, XG_OPERAND(p->fusion, k)));
    for (k = 0; k < p->f->n_results; k++) xg_kclone_put(&body->args[n + k], dest[k]);
    for (op = body->first; op != end; op = op->next) {
        b->loc = op->loc;
        if (op->op == XG_K_OP_THREAD_ID || op->op == XG_K_OP_BLOCK_ID)
            xg_kclone_put(op->results, op->flags ? xg_kconst_int(b, XG_E_INDEX, 0) : at[op->op == XG_K_OP_BLOCK_ID]);
        else
            xg_kop_clone(op->op == XG_K_OP_ALLOC_SHARED ? outside : b, op);
    }
    for (k = 0; k < p->f->n_results; k++) dest[k] = xg_kclone_value(end->operands[k].value);
}
/* The member's barriers are those of its team, if not all threads are in it. */
XG_FN void xg_phase_own_barrier(xg_phases *w, const xg_phase *p) {
    xg_kops ops;
    uint32_t k;
    if (!p->waits || p->threads == w->threads) return;
    w->barriers++;
    memset(&ops, 0, sizeof ops);
    xg_kops_collect_of(w->e.arena, &ops, p->f->body, XG_K_OP_SYNC, XG_K_OP_SYNC);
    for (k = 0; k < ops.n; k++) {
        ops.p[k]->a = p->threads;
        ops.p[k]->b = w->barriers;
    }
}
XG_FN void xg_phases_meet(xg_phases *w);
XG_APART XG_FN void xg_phase_emit(xg_phases *w, xg_phase *p) {
    const xg_imap *map = xg_phase_map(w, p);
    uint32_t n = p->f->n_results, first, k;
    xg_kop *loop, *end, *wait;
    xg_kregion *body;
    xg_kb in;
    if (w->barriers == XG_PHASES_BARRIERS) xg_phases_meet(w);
    xg_phase_own_barrier(w, p);
    xg_phase_begin(w, p);
    end = xg_kregion_end(p->f->body);
    if (p->waits && p->blocks > 1) { /* the next round writes to the same shared memory */
        in = xg_kb_before(w->e.m, end);
        wait = xg_shared_wait(&in, NULL, 0);
        if (p->threads != w->threads) {
            wait->a = p->threads;
            wait->b = w->barriers;
        }
    }
    loop = xg_kloop(&w->b, map, &w->thread, p->results, n);
    body = loop->regions[0];
    first = map->n_syms;
    in = xg_kb_end(w->e.m, body);
    {
        xg_kval *at[2], **dest = XG_NEW_N(w->e.arena, xg_kval *, n + 1);
        xg_kb outside = xg_kb_before(w->e.m, loop);
        for (k = 0; k < 2; k++) at[k] = &body->args[first + k];
        for (k = 0; k < n; k++) dest[k] = &body->args[first + 2 + k];
        xg_phase_body(w, p, &in, at, dest, &outside);
        xg_kyield(&in, dest, n);
    }
    for (k = 0; k < n; k++) p->results[k] = &loop->results[k];
    xg_kir_func_remove(p->f);
}

/* ---- the whole ---- */

/* Whether a member reads it. */
XG_FN bool xg_phases_is_read(const xg_inst *fusion, uint32_t leaf) {
    if (fusion->shape->type != XLAGPU_TUPLE) {
        XG_FOR_USES(u, fusion)
            if (u->user->op == XG_FUSION) return true;
        return false;
    }
    XG_FOR_USES(g, fusion) {
        if (g->user->op != XG_GET_TUPLE_ELEMENT || xg_attr_index(g->user) != (int64_t)leaf) continue;
        XG_FOR_USES(u, g->user)
            if (u->user->op == XG_FUSION) return true;
    }
    return false;
}
/* All threads, and with them all that members read of each other. */
XG_FN void xg_phases_meet(xg_phases *w) {
    XG_VEC(xg_kval **) where;
    xg_kval **v;
    uint32_t k, leaf, n;
    memset(&where, 0, sizeof where);
    for (k = 0; k < w->n; k++)
        for (leaf = 0, n = (uint32_t)xg_shape_leaves(w->p[k].fusion->shape); leaf < n; leaf++)
            if (xg_phases_is_read(w->p[k].fusion, leaf))
                xg_push(w->e.arena, xg_kval **, &where, &w->p[k].results[leaf]);
    v = XG_NEW_N(w->e.arena, xg_kval *, where.n + (size_t)1);
    for (k = 0; k < where.n; k++) v[k] = *where.p[k];
    xg_shared_wait(&w->b, v, where.n);
    for (k = 0; k < where.n; k++) *where.p[k] = v[k];
    w->barriers = 0;
}
/* As many as the widest member has work for, but a team must have room. */
XG_FN void xg_phases_plan(xg_phases *w) {
    int64_t wish = XG_WARP_LANES, least = 1;
    uint32_t k;
    for (k = 0; k < w->n; k++) {
        wish = XG_MAX(wish, w->p[k].waits ? w->p[k].threads : w->p[k].threads * w->p[k].blocks);
        least = XG_MAX(least, w->p[k].threads);
    }
    w->threads = xg_warps_whole(XG_MAX(XG_MIN(wish, (int64_t)XG_PHASES_THREADS), least));
}
/* The members of one part, as kernels. */
XG_APART XG_FN void xg_phases_open(xg_phases *w, xg_fusion_emission *e) {
    xg_kfunc *entry;
    uint32_t k;
    w->e = *e;
    w->target = *e->target;
    w->target.cluster = 1;
    w->p = XG_NEW_N(e->arena, xg_phase, e->comp->n_insts);
    xg_map64_init(&w->places, e->arena);
    w->list = xg_fuse_phases(e->arena, e->comp);
    entry = xg_emit_entry(&w->e, e->name);
    w->shared = xg_fuse_phases_shared(e->comp);
    for (k = 0; k < w->list.n; k++) xg_phase_add(w, w->list.members[k]);
    w->e.m->entry = entry;
    xg_phases_plan(w);
    xg_phases_give_roots(w);
}
/* A plan has to emit the members: what they need of shared memory, and whether their threads wait for each other, is
 * known from their code. */
XG_FN bool xg_emit_phases_plan(xg_fusion_emission *e) {
    xg_phases *w = XG_NEW(e->arena, xg_phases);
    xg_fusion_emission *part = e;
    const xg_numbers *given = e->given ? xg_record_get(&e->given->form, "parts") : NULL;
    uint32_t k;
    e->form = w;
    w->params = XG_NEW_N(e->arena, int32_t, e->comp->n_params + (size_t)1);
    w->parts = given && given->n ? xg_fuse_phases_parts(e->arena, e->comp, given->p[0], w->params)
                                 : xg_fuse_phases_blocks(e->arena, e->comp, w->params);
    if (w->parts < 1) {
        e->record->why = XG_STR("it cannot be cut into so many parts");
        return false;
    }
    if (w->parts > 1) {
        part = XG_NEW(e->arena, xg_fusion_emission);
        xg_emit_open(part, e->m, e->arena, xg_fuse_phases_part(e->arena, e->fusion, w->parts, w->params), e->target);
        part->name = e->name;
    }
    xg_phases_open(w, part);
    e->n_members = w->n;
    e->members = XG_NEW_N(e->arena, xg_record, w->n + (size_t)1);
    for (k = 0; k < w->n; k++) e->members[k] = *w->p[k].record;
    xg_record_put(e->arena, &e->record->form, "parts", &w->parts, 1);
    e->record->launch.shared = xg_phases_shared_bytes(w);
    return xg_emit_launch(e, w->threads, w->parts, 0);
}
XG_FN void xg_emit_phases(xg_fusion_emission *e) {
    xg_phases *w = (xg_phases *)e->form;
    xg_kfunc *entry = e->m->entry;
    xg_kval **results;
    uint32_t level, k;
    memcpy(entry->threads, e->record->launch.threads, sizeof entry->threads);
    memcpy(entry->blocks, e->record->launch.blocks, sizeof entry->blocks);
    w->b = xg_kb_end(e->m, entry->body);
    w->b.loc = w->e.fusion->id + 1;
    w->thread = xg_kthread_id(&w->b, 0, w->threads);
    xg_phases_place(w);
    for (level = 0; level < w->list.levels; level++) {
        if (level) xg_phases_meet(w);
        for (k = 0; k < w->n; k++)
            if (w->list.level[k] == level) xg_phase_emit(w, &w->p[k]);
    }
    results = XG_NEW_N(e->arena, xg_kval *, w->e.n_roots + (size_t)1);
    for (k = 0; k < w->e.n_roots; k++) results[k] = *xg_phases_value(w, w->e.roots[k]);
    xg_kreturn(&w->b, results, w->e.n_roots);
    /* each block has its own parameters and results */
    for (k = 0; w->parts > 1 && k < entry->body->n_args; k++)
        entry->args[k].parted = k >= entry->n_inputs || w->params[k] == XG_CUT;
}

#endif /* XG_EMIT_PHASES_C */
