/* sim/run.c -- blocks, groups of warps, and the loop that executes records.
 *
 * A block's full warps stand in groups of XG_SIM_TOGETHER. A group whose warps are all whole (32 active lanes, no
 * suspended paths, the same record) runs each record once for all of them. When a branch splits it, each warp goes on
 * alone until it is whole again at the branch's JOIN; when all have come there, the group runs together again. Barriers
 * put it together too.
 *
 * xg_sim_exec is that loop, for one warp or a whole group. It returns when its warps wait, are done, split up, have
 * spent their quantum of branches (so that warps which spin on each other all move) or have faulted.
 *
 * Where a launch looks for several faults, a fault takes away the threads that made it. The others go on as far as that
 * has a meaning: the rest of their warp to where it would need them, other warps to where they would wait for it. */
#ifndef XG_SIM_RUN_C
#define XG_SIM_RUN_C
#include "texture.c"

enum {
    XG_SIM_QUANTUM = 20000,
    XG_SIM_FUEL_HURT = 1 << 20, /* warp instructions of a block after a fault: what spins for its lost threads ends */
    XG_SIM_PATIENCE = 200       /* turns */
};
#define XG_SIM_ALL 0xFFFFFFFFu

/* ---- calls ---- */

XG_APART XG_FN void xg_sim_exec_call(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t next) {
    const xg_sim_callsite *s = &w->m->sites[in->imm];
    const xg_sim_func *callee = s->callee;
    char *base = w->regs + (size_t)v->id * w->l->stack_bytes, *regs = v->regs + v->f->frame;
    uint32_t local = v->local + v->f->local, i, k, item = 0;
    xg_sim_frame *f;
    if (!callee->defined && xg_sim_exec_provided(w, v, in, s, mask)) return;
    if (!callee->defined) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_OPERAND,
            "call of '%.*s', which the module only declares", (int)callee->info.name.n, callee->info.name.p);
        return;
    }
    if (v->depth >= w->l->call_depth || (size_t)(regs - base) + callee->frame > w->l->stack_bytes ||
        local + callee->local > w->l->local_bytes - w->l->alloca_bytes) {
        xg_sim_fault(
            w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_OPERAND, "the calls nest too deep (%u)", v->depth + 1);
        return;
    }
    for (i = 0; i < s->n_args; i++) {
        const xg_sim_copy *c = &w->m->copies[s->first_arg + i];
        if (c->reg) {
            xg_sim_blend(
                regs + callee->args[i].at, xg_sim_slot(w, v, w->m->list[in->list + item]), mask, XG_MAX(2u, c->bytes));
            item++;
            continue;
        }
        for (k = 0; k < XG_SIM_WARP; k++) {
            char *t = w->local + ((size_t)v->id * XG_SIM_WARP + k) * w->l->local_bytes;
            if (mask >> k & 1) memcpy(t + local + callee->args[i].at, t + v->local + c->from, c->bytes);
        }
    }
    f = &v->frames[v->depth++];
    f->pc = next;
    f->meet = v->meet;
    f->site = in->imm;
    f->base = v->n_paths;
    f->regs = v->regs;
    f->local = v->local;
    f->f = v->f;
    if (w->stack) memcpy(f->stack, w->stack + (size_t)v->id * XG_SIM_WARP, sizeof f->stack);
    v->regs = regs;
    v->local = local;
    v->f = callee;
    v->meet = XG_SIM_NOREG;
    v->mask = mask;
    v->pc = callee->begin;
}
XG_APART XG_FN void xg_sim_exec_return(xg_sim_worker *w, xg_sim_warp *v) {
    const xg_sim_frame *f = &v->frames[--v->depth];
    const xg_sim_callsite *s = &w->m->sites[f->site];
    const xg_sim_ins *in = &w->m->code[f->pc - 1];
    uint32_t i, k, item = 0;
    for (i = 0; w->stack && i < XG_SIM_WARP; i++) /* what the function took is free again */
        if (v->mask >> i & 1) w->stack[v->id * XG_SIM_WARP + i] = f->stack[i];
    for (i = 0; i < s->n_args; i++) item += w->m->copies[s->first_arg + i].reg;
    for (i = 0; i < s->n_rets; i++) {
        const xg_sim_copy *c = &w->m->copies[s->first_ret + i];
        if (c->reg) {
            xg_sim_blend(
                f->regs + w->m->list[in->list + item], v->regs + v->f->rets[i].at, v->mask, XG_MAX(2u, c->bytes));
            item++;
            continue;
        }
        for (k = 0; k < XG_SIM_WARP; k++) {
            char *t = w->local + ((size_t)v->id * XG_SIM_WARP + k) * w->l->local_bytes;
            if (v->mask >> k & 1) memcpy(t + f->local + c->to, t + v->local + v->f->rets[i].at, c->bytes);
        }
    }
    v->pc = f->pc;
    v->meet = f->meet;
    v->regs = f->regs;
    v->local = f->local;
    v->f = f->f;
}

/* ---- barriers ---- */

XG_FN void xg_sim_barrier_check(xg_sim_worker *w, uint32_t id) { /* releases all that wait when enough have come */
    xg_sim_barrier *b = &w->bars[id];
    uint32_t i, need = b->expected ? b->expected : (w->l->warps - w->ended) * XG_SIM_WARP;
    if (!b->arrived || b->arrived < need) return;
    for (i = 0; i < w->l->warps; i++) {
        xg_sim_warp *v = &w->warps[i];
        const xg_sim_ins *in = &w->m->code[v->pc];
        if (v->state != XG_SIM_AT_BARRIER || v->barrier != id) continue;
        v->state = XG_SIM_READY;
        v->released = true;
        v->n_stored = 0;
        v->result = in->op == XG_SIM_BAR_POPC  ? b->value
                    : in->op == XG_SIM_BAR_AND ? 0 - (uint32_t)b->all
                                               : 0 - (uint32_t)b->any;
    }
    memset(b, 0, sizeof *b);
    w->bars_used &= ~(1u << id);
    w->cluster->stalls = 0;
    xg_sim_interval_next(w);
    if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_open(w);
    w->stats.barriers++;
}
/* Not all lanes of a warp came to a barrier: where are the others? */
XG_APART XG_FN void xg_sim_barrier_divergence(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t missing = v->live & ~mask, lane = xg_sim_first_lane(missing), i;
    const uint32_t *t = w->tid + (size_t)v->id * 96;
    const xg_sim_ins *there = NULL;
    for (i = v->n_paths; i-- > 0 && !there;)
        if (v->paths[i].mask & missing) there = &w->m->code[v->paths[i].pc];
    if (missing & v->mask) there = NULL; /* the guard keeps them away */
    if (there)
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "the barrier is reached by %u lanes (0x%X) of a warp whose %u live lanes are 0x%X: thread (%u,%u,%u) and "
            "%u others took another way, which goes on at line %zu; "
            "all threads of a block must reach the same barriers",
            xg_sim_popc(mask), mask, xg_sim_popc(v->live), v->live, t[lane], t[32 + lane], t[64 + lane],
            xg_sim_popc(missing) - 1, xg_sim_line_of(w, there));
    else
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "the barrier is reached by %u lanes (0x%X) of a warp whose %u live lanes are 0x%X: its guard is false in "
            "thread (%u,%u,%u) and %u others; all threads of a block must reach the same barriers",
            xg_sim_popc(mask), mask, xg_sim_popc(v->live), v->live, t[lane], t[32 + lane], t[64 + lane],
            xg_sim_popc(missing) - 1);
}
/* Some lanes of a warp are at a barrier while others that took another way are not, because a third way between them
 * ends the kernel: only there would all meet. Those that stand at this barrier already join, those at the end of the
 * kernel have left; then the others go on. False when no warp can move. */
XG_APART XG_FN bool xg_sim_gather(const xg_sim_worker *w, xg_sim_warp *v) {
    uint32_t base = xg_sim_path_base(v), i, n, on_their_way;
    for (i = n = base; i < v->n_paths; i++) { /* paths of this circle that stand here are taken out */
        if (v->paths[i].meet == v->meet && v->paths[i].pc == v->pc && v->paths[i].mask & v->live)
            v->mask |= v->paths[i].mask & v->live;
        else
            v->paths[n++] = v->paths[i];
    }
    v->n_paths = n;
    v->parked |= v->mask;
    for (on_their_way = v->mask, i = base; i < n; i++)
        if (v->paths[i].meet == v->meet) on_their_way |= v->paths[i].mask;
    if (!v->depth && v->meet != XG_SIM_NOREG && w->m->code[v->meet].kind == XG_SIM_K_END) v->live &= on_their_way;
    if (v->mask == v->live) return true;
    for (i = v->n_paths; i-- > base && v->paths[i].meet == v->meet;) {
        const xg_sim_path there = v->paths[i];
        if (!(there.mask & v->live & ~v->parked)) continue;
        v->paths[i].pc = v->pc;
        v->paths[i].mask = v->mask;
        v->pc = there.pc;
        v->mask = there.mask & v->live;
        return true;
    }
    return false;
}
/* True when the warp may go on to the next record. */
XG_APART XG_FN bool xg_sim_exec_bar(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t lane = xg_sim_first_lane(mask), id, count = 0;
    xg_sim_barrier *b;
    if (v->released) {
        v->released = false;
        if (in->flags & 128) xg_sim_spread(v, in, mask, v->result);
        return true;
    }
    if (mask != v->live && mask == v->mask && !(in->flags & XG_SIM_GUARDED) && xg_sim_gather(w, v)) {
        if (v->mask != v->live) return false; /* others first */
        mask = v->mask;
    }
    if (mask != v->live) {
        xg_sim_barrier_divergence(w, v, in, mask);
        return false;
    }
    v->parked = 0;
    id = xg_sim_lane_u32(xg_sim_slot(w, v, in->a), lane);
    if (in->flags & 16) count = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), lane);
    if (id >= XG_SIM_BARRIERS) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_BARRIER, "there is no barrier %u; a block has %d", id, (int)XG_SIM_BARRIERS);
        return false;
    }
    if (count % XG_SIM_WARP || (in->flags & 16 && !count)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_BARRIER, "a barrier's thread count must be a multiple of 32, not %u", count);
        return false;
    }
    b = &w->bars[id];
    if (!b->arrived) {
        b->expected = count;
        b->all = true;
    } else if (b->expected != count) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BARRIER,
            "warps arrive at barrier %u with different thread counts, %u and %u", id, b->expected, count);
        return false;
    }
    b->arrived += XG_SIM_WARP;
    w->bars_used |= 1u << id;
    if (in->flags & 32) {
        uint32_t votes = xg_sim_predicate(xg_sim_slot(w, v, in->c)) & mask;
        b->value += xg_sim_popc(votes);
        b->any = b->any || votes;
        b->all = b->all && votes == mask;
    }
    if (in->op == XG_SIM_BAR_ARRIVE) {
        xg_sim_barrier_check(w, id);
        return true;
    }
    v->state = XG_SIM_AT_BARRIER;
    v->barrier = id;
    xg_sim_barrier_check(w, id);
    return false;
}

/* ---- one record for one warp ---- */

XG_FN void xg_sim_alu_masked(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    xg_sim_lanes L;
    bool full = mask == XG_SIM_ALL;
    L.base[0] = v->regs;
    L.base[1] = w->m->consts - 1;
    L.stride[0] = L.stride[1] = L.dstride = 0;
    L.warps = 1;
    L.w = w;
    L.v = v;
    L.dst = full ? v->regs + in->d : w->scratch;
    L.dst2 = !in->d2bytes ? NULL : full ? v->regs + in->d2 : w->scratch2;
    xg_sim_arithmetic(&L, in);
    if (full) return;
    xg_sim_blend(v->regs + in->d, w->scratch, mask, in->dbytes);
    if (in->d2bytes) xg_sim_blend(v->regs + in->d2, w->scratch2, mask, in->d2bytes);
}

/* Lanes that are about to use a register must have written it. */
XG_APART XG_FN void xg_sim_exec_init(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const xg_sim_ins *by = in->op == XG_SIM_ASKS_LATE ? xg_sim_late_by(w, v, in) : NULL;
    uint32_t missing = in->op < XG_SIM_ASKS_LATE ? mask & ~xg_sim_predicate(xg_sim_slot(w, v, in->a)) : by ? mask : 0;
    const xg_source *s = w->m->src;
    size_t from = in->imm ? in->imm - 1 : 0, n = 1;
    v->touched = v->touched || in->op == XG_SIM_TELLS_TOUCHED;
    if (!missing || w->l->unchecked_registers) return;
    while (in->imm && from + n < s->size && n < 60 && xg_sim_is_word(s->text[from + n])) n++;
    if (by)
        xg_sim_fault(w, v, in, xg_sim_first_lane(missing), XG_SIM_FAULT_ASYNC,
            "register '%.*s' still belongs to the wgmma at line %zu: a wgmma.wait_group is missing", (int)n,
            s->text + from, xg_sim_line_of(w, by));
    else if (in->op)
        xg_sim_fault(w, v, in, xg_sim_first_lane(missing), XG_SIM_FAULT_REGISTER,
            "register '%.*s' is used, but its value comes of a shuffle whose source was not written, in this thread or "
            "the one it reads",
            in->imm ? (int)n : 0, s->text + from);
    else if (in->imm)
        xg_sim_fault(w, v, in, xg_sim_first_lane(missing), XG_SIM_FAULT_REGISTER,
            "register '%.*s' is used, but the thread has not written it", (int)n, s->text + from);
    else
        xg_sim_fault(w, v, in, xg_sim_first_lane(missing), XG_SIM_FAULT_REGISTER,
            "the carry flag is used, but the thread has not written it");
}

/* All kinds that neither branch nor wait. */
XG_APART XG_FN void xg_sim_exec_one(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    switch (in->kind) {
    case XG_SIM_K_ALU: xg_sim_alu_masked(w, v, in, mask); break;
    case XG_SIM_K_LD:
    case XG_SIM_K_ST:
        w->polls = w->polls || in->imm2 & XG_SIM_M_STRONG;
        xg_sim_exec_access(w, v, in, mask);
        break;
    case XG_SIM_K_ATOM:
        w->polls = true;
        v->n_stored = 0;
        xg_sim_exec_atom(w, v, in, mask);
        break;
    case XG_SIM_K_TEX: xg_sim_exec_tex(w, v, in, mask); break;
    case XG_SIM_K_PARAM: xg_sim_exec_param(w, v, in, mask); break;
    case XG_SIM_K_SREG: xg_sim_exec_sreg(w, v, in, mask); break;
    case XG_SIM_K_LOCAL: xg_sim_exec_local(v, in, mask); break;
    case XG_SIM_K_WARP:
        v->n_stored = 0; /* lanes of other masks, too: an instruction that brings some together orders all, here */
        xg_sim_exec_warp(w, v, in, mask);
        break;
    case XG_SIM_K_CPASYNC: xg_sim_exec_copy(w, v, in, mask); break;
    case XG_SIM_K_SPACE: xg_sim_exec_space(w, v, in, mask); break;
    case XG_SIM_K_FENCE:
        v->n_stored = 0;
        xg_sim_full_fence();
        if (in->imm & XG_SIM_FENCE_PROXY) xg_sim_fence_proxy(w, v);
        if (in->imm & XG_SIM_FENCE_PROXY_GLOBAL) w->global_seen = w->tag;
        if (in->imm & XG_SIM_FENCE_MAPS) w->maps_seen = w->tag;
        if (!(in->imm & (XG_SIM_FENCE_PROXY | XG_SIM_FENCE_PROXY_GLOBAL)))
            xg_sim_fence(w, (in->imm & XG_SIM_FENCE_NARROW) != 0);
        break;
    case XG_SIM_K_INIT: xg_sim_exec_init(w, v, in, mask); break;
    case XG_SIM_K_ASYNC:
        w->polls = true;
        v->n_stored = 0;
        xg_sim_exec_async(w, v, in, mask);
        break;
    case XG_SIM_K_TILE:
        v->n_stored = 0;
        xg_sim_exec_tile(w, v, in, mask);
        break;
    case XG_SIM_K_TENSOR:
        w->polls = true;
        v->n_stored = 0;
        xg_sim_exec_tensor(w, v, in, mask);
        break;
    case XG_SIM_K_TRAP:
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_TRAP,
            in->op ? "call of an address that is no function of this kind" : "the kernel executed a trap");
        break;
    default: break;
    }
}

XG_ONE_COPY XG_INLINE_FAST uint32_t xg_sim_guard(const xg_sim_warp *v, const xg_sim_ins *in) {
    uint32_t m = v->mask;
    if (in->flags & XG_SIM_GUARDED) {
        uint32_t g = xg_sim_predicate(v->regs + in->guard);
        m &= in->flags & XG_SIM_NOT ? ~g : g;
    }
    return m;
}

/* Lanes leave for good; false when the warp is done. */
XG_FN bool xg_sim_leave(xg_sim_worker *w, xg_sim_warp *v, uint32_t mask, uint32_t next) {
    uint32_t i;
    v->live &= ~mask;
    v->mask &= ~mask;
    v->pc = next;
    if (v->mask) return true;
    if (v->n_paths && xg_sim_path_pop(v)) return true;
    v->state = v->maimed ? XG_SIM_LEFT_OUT : XG_SIM_DONE;
    if (v->maimed) return false; /* nothing may take it for a warp that has ended as it should */
    w->ended++;
    w->cluster->stalls = 0;
    xg_sim_cluster_check(w);
    for (i = 0; w->bars_used >> i; i++)
        if (w->bars[i].arrived && !w->bars[i].expected) xg_sim_barrier_check(w, i);
    return false;
}

/* At a JOIN or END: goes on with a suspended path if the active lanes meet others here. */
XG_FN void xg_sim_join(xg_sim_warp *v, uint32_t here) {
    while (v->n_paths > xg_sim_path_base(v) && v->meet == here && v->pc == here) {
        if (!xg_sim_path_pop(v)) return;
        if (v->pc != here) return;
    }
}

XG_APART XG_FN void xg_sim_branch_many(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) { /* brx.idx */
    const char *a = xg_sim_slot(w, v, in->a);
    uint32_t next = v->pc + 1, rest = mask, i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if ((mask >> i & 1) && xg_sim_lane_u32(a, i) >= in->n) {
            xg_sim_fault(
                w, v, in, i, XG_SIM_FAULT_OPERAND, "branch to target %u of %u", xg_sim_lane_u32(a, i), (uint32_t)in->n);
            return;
        }
    if (mask != v->mask) { /* the guard lets some go on */
        w->stats.divergent_branches++;
        xg_sim_diverge(v, mask, v->pc, next, in->imm2);
        if (v->mask != mask) {
            rest = 0;
            v->pc = next;
        }
    }
    while (rest) {
        uint32_t lane = xg_sim_first_lane(rest), index = xg_sim_lane_u32(a, lane), same = 0,
                 target = w->m->list[in->list + index];
        for (i = lane; i < XG_SIM_WARP; i++)
            if ((rest >> i & 1) && xg_sim_lane_u32(a, i) == index) same |= 1u << i;
        if (same == rest) {
            v->pc = target;
            return;
        }
        w->stats.divergent_branches++;
        if (v->meet != in->imm2) {
            xg_sim_path_push(v, in->imm2, v->meet, v->mask);
            v->meet = in->imm2;
        }
        if (target != in->imm2) xg_sim_path_push(v, target, in->imm2, same);
        rest &= ~same;
        v->mask = rest;
    }
}

/* ---- the loop ---- */

typedef enum xg_sim_why {
    XG_SIM_WAITS,
    XG_SIM_SPLIT,
    XG_SIM_YIELD
} xg_sim_why;

/* Warps that execute a record together. While they do, only the first one's `pc` is kept; whoever stops them sets
 * all. */
typedef struct xg_sim_team {
    xg_sim_worker *w;
    xg_sim_warp *v;
    uint32_t n;
    xg_sim_why why; /* they stopped */
} xg_sim_team;

XG_FN bool xg_sim_team_stop(xg_sim_team *t, xg_sim_why why) {
    t->why = why;
    return false;
}
/* Each goes on alone, from its own `pc`, until all have come to `join`. */
XG_FN bool xg_sim_team_split(xg_sim_team *t, uint32_t join) {
    uint32_t k;
    for (k = 0; k < t->n; k++) t->v[k].join = join;
    return xg_sim_team_stop(t, XG_SIM_SPLIT);
}
XG_APART XG_FN bool xg_sim_team_tired(xg_sim_team *t, uint32_t pc) { /* others want to run, too */
    uint32_t k;
    if (t->w->quantum-- > 0) return false;
    for (k = 0; k < t->n; k++) t->v[k].pc = pc;
    xg_sim_team_stop(t, XG_SIM_YIELD);
    return true;
}

/* ---- after a fault ---- */

/* Is a record the same when it is executed again? A load that writes its own address is not, nor a fetch that writes
 * one of its coordinates. */
XG_FN bool xg_sim_repeats(const xg_sim_worker *w, const xg_sim_ins *in) {
    const bool load = xg_sim_is_load(in);
    uint32_t k;
    for (k = 0; load && k < in->n; k++) {
        const uint32_t to = w->m->list[in->list + k];
        if (to == in->a || to == in->b || to == in->c || to == in->e) return false;
    }
    return load || in->kind == XG_SIM_K_ST || in->kind == XG_SIM_K_INIT;
}
/* Does a record need other lanes of its warp, or other warps? */
XG_FN bool xg_sim_meets_others(const xg_sim_ins *in) {
    switch (in->kind) {
    case XG_SIM_K_WARP:
    case XG_SIM_K_BAR:
    case XG_SIM_K_WAIT:
    case XG_SIM_K_TILE:
    case XG_SIM_K_TENSOR:
    case XG_SIM_K_ASYNC: return true;
    default: return false;
    }
}
/* The lanes are gone; what is left of the warp goes on at its `pc`, or with another path. */
XG_FN void xg_sim_maim(xg_sim_warp *v, uint32_t lanes) {
    v->maimed = true;
    v->live &= ~lanes;
    v->mask &= ~lanes;
    if (v->mask || (v->n_paths && xg_sim_path_pop(v))) return;
    v->state = XG_SIM_LEFT_OUT;
}
/* The team has faulted at record pc, which the warps `ran` (bits) have executed. Keeps the fault, and takes away the
 * threads that made it: of a record that may be executed again, which all warps then do, the lane alone. Warps are
 * alone from here on. */
XG_FN bool xg_sim_go_on(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc, uint32_t ran) {
    xg_sim_worker *w = t->w;
    uint32_t k;
    const bool repeats = xg_sim_repeats(w, in);
    if (w->l->max_faults < 2 || w->cluster->n > 1 || w->watch.over || !(repeats || ran))
        return xg_sim_team_stop(t, XG_SIM_WAITS);
    if (!w->watch.running && !xg_sim_keep_fault(w)) return xg_sim_team_stop(t, XG_SIM_WAITS);
    for (k = 0; k < t->n; k++) {
        xg_sim_warp *v = &t->v[k];
        const uint32_t active = xg_sim_guard(v, in);
        v->pc = repeats || !(ran >> k & 1) ? pc : pc + 1;
        if (w->fault_warps >> (v->id & 31) & 1) xg_sim_maim(v, repeats ? 1u << w->fault_lanes[v->id & 31] : active);
    }
    if (!w->hurt) w->fuel_end = XG_MIN(w->fuel_end, w->stats.warp_instructions + XG_SIM_FUEL_HURT);
    w->hurt = true;
    w->faulted = false;
    w->fault_warps = 0;
    return xg_sim_team_split(t, XG_SIM_NOREG);
}

/* ---- the records of control ---- */

/* Each leaves in the first warp's `pc` where to go on; false: not now, `why` says the
 * reason. */

XG_FN bool xg_sim_step_join(xg_sim_team *t, uint32_t pc) {
    xg_sim_warp *v = t->v;
    v->pc = pc;
    if (t->n == 1) {
        xg_sim_join(v, pc);
        if (v->pc == pc && v->join == pc && v->mask == XG_SIM_ALL && !v->n_paths) {
            v->state = XG_SIM_AT_JOIN;
            v->pc++;
            return xg_sim_team_stop(t, XG_SIM_WAITS);
        }
    }
    if (v->pc == pc) v->pc++;
    return true;
}
XG_FN bool xg_sim_step_bra(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    xg_sim_warp *v = t->v;
    uint32_t k, all = 0, none = 0, bits[XG_SIM_TOGETHER];
    if (xg_sim_team_tired(t, pc)) return false;
    v->pc = in->imm;
    if (!(in->flags & XG_SIM_GUARDED)) return true;
    for (k = 0; k < t->n; k++) {
        bits[k] = xg_sim_guard(&v[k], in);
        all += bits[k] == v[k].mask;
        none += bits[k] == 0;
    }
    if (all == t->n) return true;
    v->pc = pc + 1;
    if (none == t->n) return true;
    for (k = 0; k < t->n; k++) {
        v[k].pc = bits[k] ? in->imm : pc + 1;
        if (bits[k] && bits[k] != v[k].mask) {
            t->w->stats.divergent_branches++;
            xg_sim_diverge(&v[k], bits[k], in->imm, pc + 1, in->imm2);
        }
    }
    return t->n == 1 || xg_sim_team_split(t, in->imm2);
}
XG_FN bool xg_sim_step_brx(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k, m;
    if (xg_sim_team_tired(t, pc)) return false;
    for (k = 0; k < t->n; k++) {
        t->v[k].pc = pc;
        m = xg_sim_guard(&t->v[k], in);
        if (m)
            xg_sim_branch_many(t->w, &t->v[k], in, m);
        else
            t->v[k].pc = pc + 1;
    }
    if (t->w->faulted) return xg_sim_team_stop(t, XG_SIM_WAITS);
    return t->n == 1 || xg_sim_team_split(t, in->imm2);
}
XG_FN bool xg_sim_step_call(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k;
    for (k = 0; k < t->n; k++) {
        t->v[k].pc = pc + 1; /* never guarded: decoding put a branch around it */
        xg_sim_exec_call(t->w, &t->v[k], in, t->v[k].mask, pc + 1);
    }
    return !t->w->faulted || xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step_end(xg_sim_team *t, uint32_t pc) {
    uint32_t k;
    for (k = 0; k < t->n; k++) {
        xg_sim_warp *v = &t->v[k];
        v->pc = pc;
        if (t->n == 1) xg_sim_join(v, pc);
        if (v->pc != pc) continue; /* another path of the same function */
        if (v->depth)
            xg_sim_exec_return(t->w, v);
        else
            xg_sim_leave(t->w, v, v->mask, pc);
    }
    return t->v->state == XG_SIM_READY || xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step_exit(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k, m, left = 0;
    for (k = 0; k < t->n; k++) {
        t->v[k].pc = pc + 1;
        m = xg_sim_guard(&t->v[k], in);
        if (m) xg_sim_leave(t->w, &t->v[k], m, pc + 1);
        left += t->v[k].state != XG_SIM_READY || t->v[k].live != XG_SIM_ALL;
    }
    if (t->n > 1 && left) return xg_sim_team_split(t, XG_SIM_NOREG);
    return t->v->state == XG_SIM_READY || xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step_barrier(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) { /* and all that waits */
    uint32_t k, m, through = 0;
    for (k = 0; k < t->n; k++) {
        xg_sim_warp *v = &t->v[k];
        v->pc = pc;
        m = xg_sim_guard(v, in);
        if (!m || (in->kind == XG_SIM_K_BAR ? xg_sim_exec_bar(t->w, v, in, m) : xg_sim_exec_wait(t->w, v, in, m))) {
            v->pc = pc + 1;
            v->n_stored = 0;
            through++;
        }
        if (t->w->faulted) return xg_sim_team_stop(t, XG_SIM_WAITS);
    }
    if (through == t->n) return true;
    return through ? xg_sim_team_split(t, XG_SIM_NOREG) : xg_sim_team_stop(t, XG_SIM_WAITS);
}
/* What neither steers nor waits: one warp after the other. */
XG_APART XG_FN bool xg_sim_step_others(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    const bool tiles = in->kind == XG_SIM_K_TILE && t->n > 1;
    uint32_t k, at, m, ran = 0;
    if (!tiles || !xg_sim_tile_together(t->w, t->v, t->n, in)) {
        const uint32_t first = in->kind == XG_SIM_K_ATOM && t->w->l->seed ? xg_sim_dice(t->w) % t->n : 0;
        for (k = 0; k < t->n && !t->w->faulted; k++) {
            at = first + k < t->n ? first + k : first + k - t->n;
            m = xg_sim_guard(&t->v[at], in);
            if (m) xg_sim_exec_one(t->w, &t->v[at], in, m);
            ran |= 1u << at;
        }
    }
    if (XG_UNLIKELY(t->w->faulted)) return xg_sim_go_on(t, in, pc, tiles ? 0 : ran);
    t->v->pc = pc + 1;
    return true;
}
XG_FN bool xg_sim_step(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    switch (in->kind) {
    case XG_SIM_K_JOIN: return xg_sim_step_join(t, pc);
    case XG_SIM_K_BRA: return xg_sim_step_bra(t, in, pc);
    case XG_SIM_K_BRX: return xg_sim_step_brx(t, in, pc);
    case XG_SIM_K_CALL: return xg_sim_step_call(t, in, pc);
    case XG_SIM_K_END: return xg_sim_step_end(t, pc);
    case XG_SIM_K_EXIT: return xg_sim_step_exit(t, in, pc);
    case XG_SIM_K_BAR:
    case XG_SIM_K_WAIT: return xg_sim_step_barrier(t, in, pc);
    default: return xg_sim_step_others(t, in, pc);
    }
}

/* Counts one record that is executed for lanes which a guard or a branch chose. */
XG_FN uint64_t xg_sim_count_active(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint64_t active = 0;
    uint32_t k, m;
    for (k = 0; k < t->n; k++) {
        m = xg_sim_guard(&t->v[k], in);
        active += m == XG_SIM_ALL ? (uint32_t)XG_SIM_WARP : m ? xg_sim_popc(m) : 0;
    }
    t->w->runs[pc].warps += t->n;
    t->w->runs[pc].lanes += active;
    return active;
}

/* Whole warps go from record to record by the functions of the records; what has none, is guarded, or steers, goes
 * through `xg_sim_step`. */
XG_FN xg_sim_why xg_sim_exec(xg_sim_worker *w, xg_sim_warp *v, uint32_t nw) {
    const xg_sim_ins *code = w->m->code, *in;
    uint32_t pc = v->pc;
    uint64_t warp_count = 0, lane_count = 0;
    xg_sim_team team;
    xg_sim_lanes L;
    char *regs = v->regs;
    /* 0 is no mask of a warp that runs: each record by itself, memory by the long way */
    const uint32_t all = w->watch.running || w->tracer ? 0u : XG_SIM_ALL;
    bool whole = v->mask == all;
    team.w = w;
    team.v = v;
    team.n = nw;
    team.why = XG_SIM_WAITS;
    L.base[0] = regs;
    L.base[1] = w->m->consts - 1;
    L.stride[0] = L.dstride = w->l->stack_bytes;
    L.stride[1] = 0;
    L.warps = nw;
    L.w = w;
    L.v = v;
    w->polls = false;
    /* sooner when other lanes of the warp stand still */
    w->quantum = v->n_paths ? XG_SIM_QUANTUM / 16 : XG_SIM_QUANTUM;
    for (;;) {
        in = &code[pc];
        if (XG_LIKELY(whole && in->fn && !(in->flags & XG_SIM_GUARDED))) {
            const uint32_t before = in->before;
            const uint32_t from = pc;
            do {
                L.dst = regs + in->d;
                L.dst2 = in->d2bytes ? regs + in->d2 : NULL;
                XG_SIM_DO(&L, in);
                in++;
            } while (in->fn && !(in->flags & XG_SIM_GUARDED) &&
                     !w->faulted); /* every function ends with a record that has none */
            warp_count += (uint64_t)nw * (in->before - before);
            lane_count += (uint64_t)XG_SIM_WARP * nw * (in->before - before);
            pc = (uint32_t)(in - code);
            xg_sim_ran(w, from, pc, nw);
            if (XG_UNLIKELY(w->faulted)) {
                (void)xg_sim_go_on(&team, in - 1, pc - 1, 0);
                break;
            }
        }
        if (in->flags & XG_SIM_FIRST && !v->released &&
            (w->quantum > 0 || (in->kind != XG_SIM_K_BRA && in->kind != XG_SIM_K_BRX))) {
            warp_count += nw;
            if (whole && !(in->flags & XG_SIM_GUARDED)) {
                lane_count += (uint64_t)XG_SIM_WARP * nw;
                xg_sim_ran(w, pc, pc + 1, nw);
            } else
                lane_count += xg_sim_count_active(&team, in, pc);
        }
        if (!whole && v->maimed && xg_sim_meets_others(in)) { /* lanes of it are gone */
            v->state = XG_SIM_LEFT_OUT;
            break;
        }
        if (!xg_sim_step(&team, in, pc)) break;
        if (!whole && w->tracer) xg_sim_trace_team(w, v, nw, in); /* with one, no warp counts as whole */
        pc = v->pc;
        L.base[0] = regs = v->regs;
        whole = v->mask == all;
    }
    w->stats.warp_instructions += warp_count;
    w->stats.lane_instructions += lane_count;
    return team.why;
}

#endif /* XG_SIM_RUN_C */
