/* sim/clocks.c -- the time of a block that is alone, for the model of time (cost/time.c), of a few blocks of a traced
 * launch.
 *
 * Each warp has a clock and, by register slot, the clock at which it is ready. An instruction begins when its operands
 * are there and, where it multiplies tiles, the matrix unit of the warp's scheduler is free; a load is ready after the
 * latency of the level that has its sectors. In straight code arithmetic, loads and stores do not hold up what stands
 * behind them: the assembler brings forward what can begin, loads above all, as far as registers reach (SASS of
 * ptxas 13). Copies and wgmma go on beside the warp: a wait for their groups sets its
 * clock, and a wait at a memory barrier sets it to the last arrival and the last bytes there. A barrier sets all clocks
 * to the latest. */
#ifndef XG_SIM_CLOCKS_C
#define XG_SIM_CLOCKS_C
#include "trace.c"

enum {
    XG_SIM_TRACE_BULK_CLOCKS = 104, /* of a bulk copy beyond the latency of its level (HPMLL, H800: TMA loads) */
    XG_SIM_TRACE_UNIT_CLOCKS = 20   /* from a matrix unit's last clock for an instruction to its result (wgmma: ~20) */
};

/* Straight code ends: all of it has begun, and each pipe has taken what was its. The warp's clock. */
XG_FN uint32_t xg_sim_trace_settle(xg_sim_warp_clock *c) {
    uint32_t k;
    c->now = XG_MAX(c->now, c->latest);
    for (k = 0; k < XG_PIPE_COUNT; k++) {
        if (c->piped[k]) c->now = XG_MAX(c->now, c->since - 1 + c->piped[k]);
        c->piped[k] = 0;
    }
    c->since = c->stored = c->awaited = c->n_flight = 0;
    return c->now;
}

XG_FN void xg_sim_trace_block(xg_sim_worker *w) {
    xg_sim_tracer *r = w->tracer;
    xg_sim_trace *t = w->l->trace;
    size_t warps = w->l->warps;
    uint64_t cluster = w->block / XG_MAX(w->l->cluster_blocks, 1u);
    memset(r->lines, 0, (size_t)t->lines * sizeof *r->lines);
    memset(r->events, 0, sizeof r->events);
    r->tick = 0;
    r->opened = r->umma = r->level = 0;
    r->began = w->stats.warp_instructions;
    r->ready = cluster % t->every == t->every / 2 ? (uint32_t *)(void *)(r->warps + warps) : NULL;
    if (r->ready) memset(r->warps, 0, warps * (sizeof *r->warps + (size_t)t->slots * 4));
}
XG_FN void xg_sim_trace_block_end(xg_sim_worker *w) {
    xg_sim_tracer *r = w->tracer;
    uint32_t k, most = 0;
    if (!r->ready) return;
    for (k = 0; k < w->l->warps; k++) most = XG_MAX(most, xg_sim_trace_settle(&r->warps[k]));
    r->warp_clocks += most;
    r->warp_issued += (w->stats.warp_instructions - r->began) / XG_MAX(w->l->warps, 1u);
    r->warp_tensor += r->tensor / XG_MAX(w->l->warps, 1u);
    r->tensor = 0;
    r->sampled++;
}

/* ---- registers ---- */

XG_FN uint32_t *xg_sim_trace_slot(xg_sim_worker *w, const xg_sim_warp *v, uint32_t code) {
    xg_sim_trace *t = w->l->trace;
    uint32_t slot =
        (uint32_t)((size_t)(v->regs - w->regs) - (size_t)v->id * w->l->stack_bytes + code) / XG_SIM_TRACE_SLOT_BYTES;
    if (!code || code & 1 || slot >= t->slots) return NULL; /* not there; a constant */
    return w->tracer->ready + (size_t)v->id * t->slots + slot;
}
XG_FN uint32_t xg_sim_trace_after(xg_sim_worker *w, const xg_sim_warp *v, uint32_t code, uint32_t clock) {
    const uint32_t *s = xg_sim_trace_slot(w, v, code);
    return s ? XG_MAX(clock, *s) : clock;
}
XG_APART XG_FN void xg_sim_trace_sets(xg_sim_worker *w, const xg_sim_warp *v, uint32_t code, uint32_t clock) {
    uint32_t *s = xg_sim_trace_slot(w, v, code);
    if (s) *s = clock;
}
/* When all operands are there. The accumulators of wgmma stay in the unit from one to the next. */
XG_FN uint32_t xg_sim_trace_operands(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t clock) {
    uint32_t sources = xg_sim_list_sources(in, w->m->sites, w->m->copies), k;
    if (in->kind == XG_SIM_K_TILE && (in->op & 255) == XG_SIM_T_WGMMA) sources -= in->d2bytes;
    if (in->flags & XG_SIM_GUARDED) clock = xg_sim_trace_after(w, v, in->guard, clock);
    clock = xg_sim_trace_after(w, v, in->a, clock);
    clock = xg_sim_trace_after(w, v, in->b, clock);
    clock = xg_sim_trace_after(w, v, in->c, clock);
    clock = xg_sim_trace_after(w, v, in->e, clock);
    for (k = 0; k < sources; k++) clock = xg_sim_trace_after(w, v, w->m->list[in->list + k], clock);
    return clock;
}
XG_FN void xg_sim_trace_results(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t ready) {
    uint32_t sources = xg_sim_list_sources(in, w->m->sites, w->m->copies), k;
    if (in->kind != XG_SIM_K_BRX)
        for (k = sources; k < in->n; k++) xg_sim_trace_sets(w, v, w->m->list[in->list + k], ready);
    xg_sim_trace_sets(w, v, in->d, ready);
    xg_sim_trace_sets(w, v, in->d2, ready);
}

/* ---- groups ---- */

XG_ONE_COPY XG_FN void xg_sim_trace_add(xg_sim_groups_done *g, uint32_t ready) { g->now = XG_MAX(g->now, ready); }
XG_ONE_COPY XG_FN void xg_sim_trace_close(xg_sim_groups_done *g) { g->at[g->n++ % XG_SIM_TRACE_GROUPS] = g->now; }
/* All but the last `left` groups are done. */
XG_APART XG_FN uint32_t xg_sim_trace_done(const xg_sim_groups_done *g, uint32_t left, uint32_t clock) {
    if (left >= g->n || left >= XG_SIM_TRACE_GROUPS) return clock;
    return XG_MAX(clock, g->at[(g->n - 1 - left) % XG_SIM_TRACE_GROUPS]);
}
/* cp.async and bulk groups. */
XG_FN void xg_sim_trace_copy(xg_sim_warp_clock *c, const xg_sim_ins *in, uint32_t ready) {
    enum {
        ALL = 4,
        BULK = 3
    }; /* decode_async.c: of imm */
    xg_sim_groups_done *g = in->kind == XG_SIM_K_ASYNC && in->imm & BULK ? &c->bulk : &c->copies;
    if (in->kind == XG_SIM_K_CPASYNC)
        xg_sim_trace_add(&c->copies, ready);
    else if (in->op == XG_SIM_Y_BULK || in->op == XG_SIM_Y_TENSOR)
        xg_sim_trace_add(&c->bulk, ready + XG_SIM_TRACE_BULK_CLOCKS);
    else if (in->op == XG_SIM_Y_COMMIT)
        xg_sim_trace_close(g);
    else if (in->op == XG_SIM_Y_GROUPS && in->imm & ALL)
        c->now = XG_MAX(c->now, g->now);
    else if (in->op == XG_SIM_Y_GROUPS)
        c->now = xg_sim_trace_done(g, in->imm2, c->now);
}
/* Tiles: the unit is busy for a while; a warp waits for it with mma, and for the groups of wgmma. When it is done. */
XG_FN uint32_t xg_sim_trace_tile(xg_sim_worker *w, xg_sim_warp_clock *c, const xg_sim_ins *in, const xg_sim_price *p) {
    uint32_t begin = XG_MAX(c->now, c->unit), done;
    if (in->kind == XG_SIM_K_TILE && in->op == XG_SIM_T_WGSYNC) {
        if (in->imm == XG_SIM_WG_COMMIT) xg_sim_trace_close(&c->tiles);
        if (in->imm == XG_SIM_WG_WAIT) c->now = xg_sim_trace_done(&c->tiles, in->imm2, c->now);
        return c->now;
    }
    c->unit = begin + p->clocks;
    w->tracer->tensor += p->clocks;
    done = XG_MAX(begin + p->latency, c->unit + XG_SIM_TRACE_UNIT_CLOCKS);
    if (!p->wide) {
        c->now = begin;
        return done;
    }
    xg_sim_trace_add(&c->tiles, done);
    return c->now;
}

/* ---- barriers ---- */

/* A barrier opens: its last warp has come. */
XG_FN void xg_sim_trace_open(xg_sim_worker *w) {
    xg_sim_tracer *r = w->tracer;
    uint32_t k, last = 0;
    if (!r->ready) return;
    for (k = 0; k < w->l->warps; k++)
        if (w->warps[k].state == XG_SIM_AT_BARRIER || w->warps[k].released)
            last = XG_MAX(last, xg_sim_trace_settle(&r->warps[k]));
    r->opened = last + XG_SIM_TRACE_BARRIER_CLOCKS;
}
XG_FN xg_sim_event_clock *xg_sim_trace_event(xg_sim_tracer *r, const char *bar) {
    return &r->events[(uintptr_t)bar / 8 % XG_SIM_TRACE_EVENTS];
}
/* What a memory barrier waits for comes `later` clocks after the warp's, and the latency of what it has touched. `of`:
 * the block whose barrier it is. */
XG_FN void xg_sim_trace_arrives(
    xg_sim_worker *w, const xg_sim_warp *v, xg_sim_worker *of, const char *bar, uint32_t later) {
    xg_sim_tracer *r = w->tracer;
    xg_sim_event_clock *e = xg_sim_trace_event(of->tracer, bar);
    uint32_t ready;
    if (!r->ready) return;
    ready = xg_sim_trace_settle(&r->warps[v->id]) + r->level + later;
    if (e->bar != bar) e->ready = 0;
    e->bar = bar;
    e->ready = XG_MAX(e->ready, ready);
}
/* Until the warp's copies are there. */
XG_FN uint32_t xg_sim_trace_copies_left(const xg_sim_worker *w, const xg_sim_warp *v) {
    xg_sim_warp_clock *c = &w->tracer->warps[v->id];
    uint32_t now = w->tracer->ready ? xg_sim_trace_settle(c) : 0;
    return w->tracer->ready && c->copies.now > now ? c->copies.now - now : 0;
}
XG_FN void xg_sim_trace_awaits(xg_sim_worker *w, const xg_sim_warp *v, const char *bar) {
    xg_sim_tracer *r = w->tracer;
    const xg_sim_event_clock *e = xg_sim_trace_event(r, bar);
    if (r->ready && e->bar == bar) r->warps[v->id].now = XG_MAX(xg_sim_trace_settle(&r->warps[v->id]), e->ready);
}

/* A multiplication of tcgen05, all units of the multiprocessor at once, which read so many lines of shared memory; of a
 * pair of multiprocessors, `blocks` is 2, and each reads as many. */
XG_FN void xg_sim_trace_umma(
    xg_sim_worker *w, const xg_sim_warp *v, uint8_t type, uint64_t macs, uint32_t lines, uint32_t blocks) {
    xg_sim_tracer *r = w->tracer;
    uint32_t clocks =
        (uint32_t)((int64_t)macs / blocks / xg_cost_tensor_rate(w->l->trace->device, (xg_cost_tensor)type));
    clocks = XG_MAX(clocks, lines);
    r->macs[type] += macs;
    r->passes += (uint64_t)lines * blocks;
    if (!r->ready) return;
    r->umma = XG_MAX(r->umma, xg_sim_trace_settle(&r->warps[v->id])) + clocks;
    r->tensor += (uint64_t)clocks * w->l->warps * blocks; /* each warp's chain may contain it */
}
/* A commit: the memory barrier hears of all that has been issued. */
XG_FN void xg_sim_trace_commits(xg_sim_worker *w, const xg_sim_warp *v, xg_sim_worker *of, const char *bar) {
    const xg_sim_tracer *r = w->tracer;
    uint32_t now = r->ready ? xg_sim_trace_settle(&r->warps[v->id]) : 0;
    xg_sim_trace_arrives(w, v, of, bar, r->umma > now ? r->umma - now + XG_SIM_TRACE_UNIT_CLOCKS : 0);
}

/* ---- a step ---- */

/* A load waits for registers, and for stores before it that may write what it reads. */
XG_FN uint32_t xg_sim_trace_load_begins(
    const xg_sim_trace *t, const xg_sim_warp_clock *c, const xg_sim_ins *in, uint32_t at) {
    if (!(in->imm2 & XG_SIM_M_CONSTANT)) at = XG_MAX(at, c->stored);
    return c->n_flight < t->most_flight ? at : XG_MAX(at, c->flight[c->n_flight % t->most_flight]);
}
XG_FN void xg_sim_trace_flies(const xg_sim_trace *t, xg_sim_warp_clock *c, const xg_sim_ins *in, uint32_t ready) {
    enum {
        REGISTER = 2
    }; /* log2 of bytes */
    uint32_t bits = (in->imm2 >> XG_SIM_M_SIZE & 7) + (in->imm2 >> XG_SIM_M_VECTOR & 3), n;
    for (n = bits > REGISTER ? 1u << (bits - REGISTER) : 1; n; n--) c->flight[c->n_flight++ % t->most_flight] = ready;
}
/* Those that wait for the same value begin one after the other. */
XG_FN uint32_t xg_sim_trace_in_turn(xg_sim_warp_clock *c, uint32_t at, uint32_t weight) {
    if (at != c->awaited) c->turns = 0;
    c->awaited = at;
    c->turns += weight;
    return at + c->turns - weight;
}
/* When the record begins; where it moves, the warp's own clock is its slot to issue. A move, and what an instruction's
 * further records do, waits for nothing: it hands on when its operand is ready. */
XG_APART XG_FN uint32_t xg_sim_trace_begin(
    xg_sim_worker *w, const xg_sim_warp *v, xg_sim_warp_clock *c, const xg_sim_ins *in, const xg_sim_price *p) {
    bool waits = in->kind != XG_SIM_K_ALU || p->weight;
    uint32_t at;
    if (p->stays) (void)xg_sim_trace_settle(c);
    at = xg_sim_trace_operands(w, v, in, c->now + p->weight);
    if (!p->stays && xg_sim_is_load(in)) at = xg_sim_trace_load_begins(w->l->trace, c, in, at);
    if (!p->stays && at > c->now + p->weight) at = xg_sim_trace_in_turn(c, at, p->weight);
    if (in->kind == XG_SIM_K_ST) c->stored = XG_MAX(c->stored, at);
    if (p->piped && !c->since) c->since = c->now + 1;
    c->now += p->weight;
    if (p->pipe < XG_PIPE_COUNT) c->piped[p->pipe] += p->piped;
    if (waits) *(p->stays ? &c->now : &c->latest) = XG_MAX(p->stays ? c->now : c->latest, at);
    return at;
}
/* A record has been executed for this warp: its clock, and when its results are ready. */
XG_APART XG_FN void xg_sim_trace_step(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_tracer *r = w->tracer;
    const xg_sim_price *p = &w->l->trace->prices[in - w->m->code];
    xg_sim_warp_clock *c = &r->warps[v->id];
    uint32_t ready;
    if (!r->ready) return;
    if (in->kind == XG_SIM_K_BAR) { /* all go on when the last has come; a warp that only arrives does not wait */
        if (in->op != XG_SIM_BAR_ARRIVE) c->now = XG_MAX(xg_sim_trace_settle(c), r->opened);
        return;
    }
    ready = xg_sim_trace_begin(w, v, c, in, p) + (r->level ? r->level : p->latency);
    if (p->macs || (in->kind == XG_SIM_K_TILE && in->op == XG_SIM_T_WGSYNC)) ready = xg_sim_trace_tile(w, c, in, p);
    if (in->kind == XG_SIM_K_CPASYNC || in->kind == XG_SIM_K_ASYNC) xg_sim_trace_copy(c, in, ready);
    if (xg_sim_is_load(in)) xg_sim_trace_flies(w->l->trace, c, in, ready);
    xg_sim_trace_results(w, v, in, ready);
}
XG_FN void xg_sim_trace_team(xg_sim_worker *w, const xg_sim_warp *v, uint32_t nw, const xg_sim_ins *in) {
    uint32_t k;
    for (k = 0; k < nw; k++) xg_sim_trace_step(w, &v[k], in);
    w->tracer->level = 0;
}

#endif /* XG_SIM_CLOCKS_C */
