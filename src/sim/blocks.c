/* sim/blocks.c -- blocks and clusters: their warps in groups, deadlocks, faults.
 *
 * A block is visited round after round: each of its groups runs until its warps wait, are done or have spent their
 * quantum. When no group can move, asynchronous copies land, waits that may give up are told "not yet", and then it is
 * a deadlock. A block that faults has ended, or goes on without the threads that made the fault when more faults are
 * wanted (run.c); then the next block begins. */
#ifndef XG_SIM_BLOCKS_C
#define XG_SIM_BLOCKS_C
#include "run.c"

/* ---- a block ---- */

XG_FN uint64_t xg_sim_fuel(const xg_sim_launch *l) { return l->fuel ? l->fuel : (uint64_t)1 << 31; }
XG_FN void xg_sim_position(const xg_sim_launch *l, uint64_t block, uint32_t at[3]) {
    at[0] = (uint32_t)(block % l->grid[0]);
    at[1] = (uint32_t)(block / l->grid[0] % l->grid[1]);
    at[2] = (uint32_t)(block / l->grid[0] / l->grid[1]);
}
XG_APART XG_FN void xg_sim_block_start(xg_sim_worker *w, uint64_t block) {
    const xg_sim_launch *l = w->l;
    const xg_sim_func *f = &l->entry->f;
    uint32_t i;
    if (block != w->block + 1 || ++w->ctaid[0] == l->grid[0])
        xg_sim_position(l, block, w->ctaid); /* divisions take longer than some blocks */
    w->block = block;
    w->dice = (l->seed ^ block) * 0x9E3779B97F4A7C15u;
    if (w->bars_used) memset(w->bars, 0, sizeof w->bars);
    w->bars_used = w->ended = w->fault_warps = 0;
    w->hurt = w->lates = false;
    xg_sim_interval_block(w);
    if (w->tensor) xg_sim_tensor_start(w);
    if (w->stack) memset(w->stack, 0, (size_t)l->warps * XG_SIM_WARP * sizeof *w->stack);
    for (i = 0; i < l->warps; i++) {
        xg_sim_warp *v = &w->warps[i];
        uint32_t threads = l->threads - i * XG_SIM_WARP;
        v->live = v->mask = threads >= XG_SIM_WARP ? XG_SIM_ALL : (1u << threads) - 1;
        v->pc = f->begin;
        v->meet = v->join = XG_SIM_NOREG;
        v->regs = w->regs + (size_t)i * l->stack_bytes;
        v->f = f;
        v->local = 0;
        v->depth = v->n_paths = v->turns = v->parked = v->proxy_own = v->n_stored = v->n_late = 0;
        v->state = XG_SIM_READY;
        v->touched = true;
        v->released = v->impatient = v->in_cluster_barrier = v->maimed = false;
    }
    for (i = 0; i < w->n_groups; i++) w->groups[i].together = w->groups[i].n > 1;
    if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_block(w);
    w->fuel_end = w->stats.warp_instructions + (xg_sim_fuel(l));
}

/* A warp has spun for long while others of its lanes stand still: it goes on with those, which may be what it waits
 * for. Either a path to the same meeting point, or the lanes that have already come there: they go on without waiting
 * for the rest, which then is not there for a shuffle either. So a long loop of a few lanes must not be taken for
 * spinning: it spins if it asks memory that others may change, or goes on for ever. */
XG_APART XG_FN void xg_sim_take_turns(const xg_sim_worker *w, xg_sim_warp *v) {
    uint32_t base = xg_sim_path_base(v), n, pc, mask;
    xg_sim_path *top = v->n_paths > base ? &v->paths[v->n_paths - 1] : NULL;
    if (!top) return;
    pc = v->pc;
    mask = v->mask;
    if (top->meet == v->meet) { /* the others in a circle */
        for (n = 1; v->n_paths - n > base && v->paths[v->n_paths - n - 1].meet == v->meet; n++) {}
        if (!(top->mask & v->live)) return;
        v->pc = top->pc;
        v->mask = top->mask & v->live;
        memmove(top - n + 2, top - n + 1, (n - 1) * sizeof *top);
        top = top - n + 1;
        top->pc = pc;
        top->mask = mask;
    } else if ((w->polls || ++v->turns >= XG_SIM_PATIENCE) && top->pc == v->meet && top->mask & v->live & ~v->mask) {
        v->pc = top->pc;
        v->mask = top->mask & v->live & ~v->mask;
        v->meet = top->meet;
        top->pc = pc;
        top->mask = mask;
    }
}

XG_FN bool xg_sim_whole(const xg_sim_warp *v, const xg_sim_warp *first) {
    return v->state == XG_SIM_READY && v->pc == first->pc && v->mask == XG_SIM_ALL && !v->n_paths &&
           v->depth == first->depth && v->f == first->f &&
           (v->depth == 0 || (v->frames[v->depth - 1].pc == first->frames[first->depth - 1].pc &&
                                 v->local == first->local && v->depth == 1));
}
/* Runs a group once; returns whether any of its warps moved. */
XG_FN bool xg_sim_visit(xg_sim_worker *w, xg_sim_group *g) {
    xg_sim_warp *v = &w->warps[g->first];
    uint32_t k, ready = 0, joined = 0;
    bool moved = false;
    if (!g->together && g->n > 1) {
        for (k = 0; k < g->n && xg_sim_whole(&v[k], v); k++) {}
        g->together = k == g->n;
    }
    if (g->together) {
        if (v->state != XG_SIM_READY) return false;
        if (xg_sim_exec(w, v, g->n) == XG_SIM_SPLIT) g->together = false;
        if (g->together && g->n > 1)
            for (k = 1; k < g->n; k++)
                if (v[k].state != v->state) g->together = false;
        return true;
    }
    for (k = 0; k < g->n && !w->faulted; k++)
        if (v[k].state == XG_SIM_READY) {
            if (xg_sim_exec(w, &v[k], 1) == XG_SIM_YIELD)
                xg_sim_take_turns(w, &v[k]);
            else
                v[k].turns = 0;
            moved = true;
        }
    for (k = 0; k < g->n; k++) {
        ready += v[k].state == XG_SIM_READY;
        joined += v[k].state == XG_SIM_AT_JOIN;
    }
    if (joined && !ready) /* all here: together again; others wait or are gone: go on alone */
        for (k = 0; k < g->n; k++)
            if (v[k].state == XG_SIM_AT_JOIN) {
                v[k].state = XG_SIM_READY;
                v[k].join = XG_SIM_NOREG;
                moved = true;
            }
    return moved;
}

/* No warp can move: which wait, and what became of the others? */
XG_APART XG_FN void xg_sim_deadlock(xg_sim_worker *w) {
    uint32_t i, waiting = 0, elsewhere = 0, gone = 0;
    const xg_sim_warp *first = NULL, *other = NULL;
    for (i = 0; i < w->l->warps; i++) {
        const xg_sim_warp *v = &w->warps[i];
        if (v->state == XG_SIM_DONE) {
            gone++;
            continue;
        }
        if (v->state != XG_SIM_AT_BARRIER) continue;
        waiting++;
        if (!first)
            first = v;
        else if (v->barrier != first->barrier) {
            elsewhere++;
            if (!other) other = v;
        }
    }
    if (!first || w->faulted) return;
    if (other)
        xg_sim_fault(w, first, &w->m->code[first->pc], xg_sim_first_lane(first->mask), XG_SIM_FAULT_DEADLOCK,
            "%u of %u warps wait at barriers that the others never reach (barrier %u has %u threads; warp %u and %u "
            "others wait at barrier %u, line %zu; %u warps have ended)",
            waiting, w->l->warps, first->barrier, w->bars[first->barrier].arrived, other->id, elsewhere - 1,
            other->barrier, xg_sim_line_of(w, &w->m->code[other->pc]), gone);
    else
        xg_sim_fault(w, first, &w->m->code[first->pc], xg_sim_first_lane(first->mask), XG_SIM_FAULT_DEADLOCK,
            "%u of %u warps wait at barriers that the others never reach (barrier %u has %u threads of the %u it waits "
            "for; %u warps have ended)",
            waiting, w->l->warps, first->barrier, w->bars[first->barrier].arrived,
            w->bars[first->barrier].expected ? w->bars[first->barrier].expected : (w->l->warps - gone) * XG_SIM_WARP,
            gone);
}

/* One round of a block's groups; true when a warp moved. Adds the warps that are done. */
XG_APART XG_FN bool xg_sim_round_of(xg_sim_worker *w, uint32_t *done) {
    uint32_t i;
    bool moved = false;
    const uint32_t first = w->l->seed ? xg_sim_dice(w) % w->n_groups : 0;
    for (i = first; i < w->n_groups && !w->faulted; i++) moved |= xg_sim_visit(w, &w->groups[i]);
    for (i = 0; i < first && !w->faulted; i++) moved |= xg_sim_visit(w, &w->groups[i]);
    *done += w->ended;
    if (w->hurt && w->stats.warp_instructions > w->fuel_end) return false; /* as if no warp had moved */
    if (!w->faulted && w->ended < w->l->warps && w->stats.warp_instructions > w->fuel_end) {
        const xg_sim_warp *v = w->warps;
        while (v->state == XG_SIM_DONE) v++;
        xg_sim_fault(w, v, &w->m->code[v->pc], xg_sim_first_lane(v->mask), XG_SIM_FAULT_ENDLESS,
            "the block does not end: it has executed %llu warp instructions, the limit of this launch",
            (unsigned long long)xg_sim_fuel(w->l));
    }
    return moved;
}
/* A block with the others of its cluster, which is one block when there are no clusters. */
XG_FN void xg_sim_cluster_run(xg_sim_worker *w, const uint64_t *blocks) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r;
    c->phase = c->stalls = c->n_flights = c->n_issuers = c->n_leases = 0;
    c->used = false;
    for (r = 0; r < c->n; r++) xg_sim_block_start(c->peers[r], blocks[r]);
    for (;;) {
        uint32_t done = 0;
        bool moved = false, faulted = false;
        for (r = 0; r < c->n; r++) {
            moved |= xg_sim_round_of(c->peers[r], &done);
            faulted |= c->peers[r]->faulted;
        }
        if (w->hurt && !moved) break; /* they wait for threads that are gone */
        if (!faulted && done < c->n * w->l->warps && !moved && !xg_sim_unstall(w)) {
            if (!xg_sim_event_deadlock(w))
                for (r = 0; r < c->n; r++) xg_sim_deadlock(c->peers[r]);
            faulted = true;
        }
        if (faulted || done == c->n * w->l->warps) break;
    }
    xg_sim_land_first(w, w->cluster->n_flights);
    for (r = 0; r < c->n; r++)
        if (XG_UNLIKELY(c->peers[r]->tracer != NULL)) xg_sim_trace_block_end(c->peers[r]);
    for (r = 0; r < c->n; r++)
        if (!w->hurt && !w->faulted && !c->peers[r]->faulted) xg_sim_tensor_end(c->peers[r]);
    for (r = 1; r < c->n; r++) { /* the first of a cluster speaks for all */
        xg_sim_worker *peer = c->peers[r];
        if (peer->faulted && !w->faulted) {
            w->faulted = true;
            memcpy(&w->fault, &peer->fault, sizeof w->fault);
        }
        xg_sim_stats_add(&w->stats, &peer->stats);
        memset(&peer->stats, 0, sizeof peer->stats);
    }
}
/* The blocks of the cluster whose first one is `block`; false when it is not the first of one. */
XG_FN bool xg_sim_cluster_of(const xg_sim_launch *l, uint64_t block, uint64_t *blocks) {
    uint32_t at[3], x, y, z, n = 0;
    if (l->cluster_blocks == 1) {
        blocks[0] = block;
        return true;
    }
    xg_sim_position(l, block, at);
    if (at[0] % l->cluster[0] || at[1] % l->cluster[1] || at[2] % l->cluster[2]) return false;
    for (z = 0; z < l->cluster[2]; z++)
        for (y = 0; y < l->cluster[1]; y++)
            for (x = 0; x < l->cluster[0]; x++)
                blocks[n++] = block + x + (uint64_t)l->grid[0] * (y + (uint64_t)l->grid[1] * z);
    return true;
}

/* The block that raced with itself runs again, until the faulting warp is there, and the other side of the race is
 * said. Its results do not matter any more: it has failed. */
XG_FN void xg_sim_other_side(xg_sim_worker *w, const uint64_t *blocks, uint32_t fault) {
    const xg_source *s = w->m->src;
    xg_sim_kept *kept = &w->faults[fault];
    xg_sim_search *t = &w->watch;
    char place[XG_SIM_PLACE_MAX];
    size_t n = strlen(kept->text);
    xg_sim_stats before;
    if (w->cluster->n > 1 || !w->l->module->code) return;
    *t = w->sides[fault];
    t->running = true;
    t->wanted = t->over = w->faulted = false;
    t->found = XG_SIM_NOREG;
    before = w->stats;
    xg_sim_cluster_run(w, blocks);
    w->stats = before;
    t->running = t->over = false;
    if (t->found == XG_SIM_NOREG) return;
    {
        const xg_sim_ins *in = &w->m->code[t->found];
        const xg_str line = xg_sim_text_line(s, in->at);
        const bool known = xg_sim_source_place(s, in->at, place, sizeof place) != 0;
        xg_format(kept->text + n, sizeof kept->text - n, "\nthe other one: %s:%zu%s%s\n    %.*s",
            s->name ? s->name : "ptx", xg_sim_line_of(w, in), known ? ", from " : "", known ? place : "",
            (int)XG_MIN(line.n, 120u), line.p);
    }
}
/* A block has ended that has faulted. Its last fault is kept, and the worker goes on while there is room for more. */
XG_FN void xg_sim_end_faulty(xg_sim_worker *w, const uint64_t *blocks) {
    const uint32_t most = XG_MAX(w->l->max_faults, 1u);
    bool endless = w->faulted && w->fault.kind == XG_SIM_FAULT_ENDLESS;
    uint32_t i;
    if (w->faulted) (void)xg_sim_keep_fault(w);
    for (i = w->n_sides; i < w->n_faults; i++)
        if (w->sides[i].wanted) xg_sim_other_side(w, blocks, i);
    w->n_sides = w->n_faults;
    if (w->n_faults >= most || endless) {
        w->faulted = true;
        xg_sim_stop(w->l);
        return;
    }
    for (i = 0; i < w->cluster->n; i++) w->cluster->peers[i]->faulted = false;
}
XG_SIM_FN xlagpu_status xg_sim_run(xg_sim_worker *w, uint64_t first, uint64_t last) {
    uint64_t blocks[XG_SIM_CLUSTER_MAX];
    w->range_at = first;
    w->range_end = last;
    while (w->range_at < w->range_end && !w->faulted) { /* a block that runs may take later ones over */
        if (xg_sim_stopped(w->l)) break;
        if (!xg_sim_cluster_of(w->l, xg_sim_block_at(w->l, w->range_at++), blocks)) continue;
        xg_sim_cluster_run(w, blocks);
        if (w->faulted || w->hurt) xg_sim_end_faulty(w, blocks);
    }
    return w->n_faults ? XLAGPU_ERROR_FAULT : XLAGPU_OK;
}

#endif /* XG_SIM_BLOCKS_C */
