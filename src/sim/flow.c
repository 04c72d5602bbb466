/* sim/flow.c -- the end of a function: where paths meet again, registers to slots.
 *
 * Paths that part at a branch meet at the branch's immediate post-dominator; there a JOIN record is put in, the only
 * place where the executor looks at its stack of paths. Dominators are found on the reversed graph with Lengauer and
 * Tarjan's algorithm, in O(n log n) whatever the graph. Blocks that never reach the end (endless loops) meet at the END
 * record.
 *
 * A slot may be shared by registers whose lives do not overlap. A life is a range of record positions: [first, last]
 * mention, widened to whole loops (merged ranges of backward branches) unless the register lives inside one block and
 * is written there first without a guard. Registers of a wgmma live until it is waited for. Suspended lanes never see
 * another register in their slot, because writes touch active lanes only. */
#ifndef XG_SIM_FLOW_C
#define XG_SIM_FLOW_C
#include "defined.c"

/* ---- immediate post-dominators ---- */

typedef struct xg_sim_lt {
    uint32_t *semi, *vertex, *parent, *ancestor, *label, *idom, *bucket, *bucket_next, *stack;
} xg_sim_lt;

XG_FN uint32_t xg_sim_lt_eval(xg_sim_lt *t, uint32_t v) {
    uint32_t n = 0, u = v;
    if (t->ancestor[v] == XG_SIM_NOREG) return t->label[v];
    while (t->ancestor[t->ancestor[u]] != XG_SIM_NOREG) {
        t->stack[n++] = u;
        u = t->ancestor[u];
    }
    while (n > 0) {
        u = t->stack[--n];
        if (t->semi[t->label[t->ancestor[u]]] < t->semi[t->label[u]]) t->label[u] = t->label[t->ancestor[u]];
        t->ancestor[u] = t->ancestor[t->ancestor[u]];
    }
    return t->label[v];
}

/* Numbers the blocks that reach END in depth-first order of the reversed graph; returns how many. */
XG_FN uint32_t xg_sim_lt_number(xg_sim_lt *t, const xg_sim_graph *g, uint32_t *edge) {
    uint32_t n = 0, depth = 0, v = g->n - 1;
    t->semi[v] = n;
    t->vertex[n++] = v;
    t->stack[depth++] = v;
    edge[v] = g->from_at[v];
    while (depth) {
        v = t->stack[depth - 1];
        if (edge[v] == g->from_at[v + 1]) {
            depth--;
            continue;
        }
        {
            uint32_t w = g->from[edge[v]++];
            if (t->semi[w] != XG_SIM_NOREG) continue;
            t->semi[w] = n;
            t->vertex[n++] = w;
            t->parent[w] = v;
            edge[w] = g->from_at[w];
            t->stack[depth++] = w;
        }
    }
    return n;
}

XG_APART XG_FN void xg_sim_meets(xg_sim_asm *p, xg_sim_graph *g) {
    xg_sim_lt t;
    uint32_t *mem = XG_NEW_N(&p->scratch, uint32_t, xg_mul(p->c, g->n, 10)), i, k, n;
    memset(mem, 0xFF, (size_t)g->n * 10 * sizeof *mem);
    t.semi = mem;
    t.vertex = mem + g->n;
    t.parent = mem + 2 * (size_t)g->n;
    t.ancestor = mem + 3 * (size_t)g->n;
    t.label = mem + 4 * (size_t)g->n;
    t.idom = mem + 5 * (size_t)g->n;
    t.bucket = mem + 6 * (size_t)g->n;
    t.bucket_next = mem + 7 * (size_t)g->n;
    t.stack = mem + 8 * (size_t)g->n;
    for (i = 0; i < g->n; i++) t.label[i] = i;
    n = xg_sim_lt_number(&t, g, mem + 9 * (size_t)g->n);
    for (i = n; i-- > 1;) {
        uint32_t w = t.vertex[i], v;
        for (k = 0; k < g->b[w].n_next; k++) { /* the predecessors in the reversed graph */
            uint32_t e = g->edges[g->b[w].next + k], u;
            if (t.semi[e] == XG_SIM_NOREG) continue;
            u = xg_sim_lt_eval(&t, e);
            if (t.semi[u] < t.semi[w]) t.semi[w] = t.semi[u];
        }
        v = t.vertex[t.semi[w]];
        t.bucket_next[w] = t.bucket[v];
        t.bucket[v] = w;
        t.ancestor[w] = t.parent[w];
        for (v = t.bucket[t.parent[w]]; v != XG_SIM_NOREG; v = t.bucket_next[v]) {
            uint32_t u = xg_sim_lt_eval(&t, v);
            t.idom[v] = t.semi[u] < t.semi[v] ? u : t.parent[w];
        }
        t.bucket[t.parent[w]] = XG_SIM_NOREG;
    }
    for (i = 1; i < n; i++) {
        uint32_t w = t.vertex[i];
        if (t.idom[w] != t.vertex[t.semi[w]]) t.idom[w] = t.idom[t.idom[w]];
    }
    for (i = 0; i < g->n; i++) {
        const xg_sim_ins *in = &p->code.p[g->b[i].last];
        g->b[i].meet = t.idom[i] == XG_SIM_NOREG ? g->n - 1 : t.idom[i];
        if (((in->kind == XG_SIM_K_BRA && (in->flags & XG_SIM_GUARDED)) || in->kind == XG_SIM_K_BRX) &&
            g->b[i].meet != g->n - 1)
            g->b[g->b[i].meet].join = true;
    }
}

/* ---- registers to slots ---- */

enum {
    XG_SIM_NO_SLOT = 128 /* bytes at a frame's start that no register has: unused operands point there */
};

XG_FN void xg_sim_mention(xg_sim_asm *p, uint32_t code, uint32_t at, uint32_t block, bool full_write) {
    xg_sim_vreg *v;
    if (code == XG_SIM_NOREG || code & 1) return;
    v = &p->vregs.p[code >> 1];
    if (v->first == XG_SIM_NOREG) {
        v->first = v->last = at;
        v->block = block;
        v->local = full_write;
    }
    if (v->block != block) v->local = 0;
    v->last = XG_MAX(v->last, at);
}
/* By record, the next one that waits for all wgmma; the record itself where there is none. */
XG_FN uint32_t *xg_sim_waits(xg_sim_asm *p) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, next = XG_SIM_NOREG;
    uint32_t *waits = XG_NEW_N(&p->scratch, uint32_t, n);
    for (i = n; i-- > 0;) {
        if (!xg_sim_late_behind(&p->code.p[begin + i], true)) next = begin + i;
        waits[i] = next == XG_SIM_NOREG ? begin + i : next;
    }
    return waits;
}
/* Registers of a wgmma are its own until it is waited for: nothing else lives in their slots. */
XG_FN void xg_sim_mention_late(xg_sim_asm *p, const xg_sim_graph *g, const xg_sim_ins *in, uint32_t wait) {
    uint32_t k;
    for (k = 0; k < in->n; k++) xg_sim_mention(p, p->list.p[in->list + k], wait, g->of[wait - p->f->begin], false);
}
XG_APART XG_FN void xg_sim_mentions(xg_sim_asm *p, const xg_sim_graph *g) {
    uint32_t begin = p->f->begin, i, k, *waits = NULL;
    for (i = begin; i < p->code.n; i++) {
        const xg_sim_ins *in = &p->code.p[i];
        uint32_t block = g->of[i - begin], sources = xg_sim_list_sources(in, p->sites.p, p->copies.p);
        bool full = !(in->flags & XG_SIM_GUARDED);
        xg_sim_mention(p, in->guard, i, block, false);
        xg_sim_mention(p, in->a, i, block, false);
        xg_sim_mention(p, in->b, i, block, false);
        xg_sim_mention(p, in->c, i, block, false);
        xg_sim_mention(p, in->e, i, block, false);
        if (in->kind != XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) xg_sim_mention(p, p->list.p[in->list + k], i, block, k >= sources && full);
        xg_sim_mention(p, in->d, i, block, full);
        xg_sim_mention(p, in->d2, i, block, full);
        if (!xg_sim_is_wgmma(in)) continue;
        if (!waits) waits = xg_sim_waits(p);
        xg_sim_mention_late(p, g, in, waits[i - begin]);
    }
    for (i = 0; i < p->f->n_args; i++)
        if (p->f->args[i].reg) {
            xg_sim_vreg *v = &p->vregs.p[p->f->args[i].at];
            if (v->first == XG_SIM_NOREG) v->last = begin;
            v->first = begin;
            v->local = 0;
        }
    for (i = 0; i < p->f->n_rets; i++)
        if (p->f->rets[i].reg) {
            xg_sim_vreg *v = &p->vregs.p[p->f->rets[i].at];
            if (v->first == XG_SIM_NOREG) v->first = begin;
            v->last = p->code.n - 1;
            v->local = 0;
        }
}

/* Lives that touch a loop cover it: start and end are the bounds of the merged loop around a position, end 0
 * outside. */
XG_APART XG_FN void xg_sim_widen(xg_sim_asm *p) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k, *reach = XG_NEW_N(&p->scratch, uint32_t, n),
             *start = XG_NEW_N(&p->scratch, uint32_t, n), *end = XG_NEW_N(&p->scratch, uint32_t, n);
    for (i = 0; i < n; i++) {
        const xg_sim_ins *in = &p->code.p[begin + i];
        uint32_t count = in->kind == XG_SIM_K_BRA ? 1 : in->kind == XG_SIM_K_BRX ? in->n : 0;
        for (k = 0; k < count; k++) {
            uint32_t to = (in->kind == XG_SIM_K_BRA ? in->imm : p->list.p[in->list + k]) - begin;
            if (to <= i && reach[to] < i + 1) reach[to] = i + 1;
        }
    }
    for (i = 0; i < n;) {
        uint32_t stop = reach[i], from = i;
        if (!stop) {
            i++;
            continue;
        }
        for (; i < stop; i++)
            if (reach[i] > stop) stop = reach[i];
        for (k = from; k < stop; k++) {
            start[k] = from;
            end[k] = stop;
        }
    }
    for (i = 0; i < p->vregs.n; i++) {
        xg_sim_vreg *v = &p->vregs.p[i];
        uint32_t first, last;
        if (v->first == XG_SIM_NOREG || v->local) continue;
        first = v->first - begin;
        last = v->last - begin;
        if (end[first]) v->first = begin + start[first];
        if (end[last]) v->last = begin + end[last] - 1;
    }
}

XG_APART XG_FN void xg_sim_slots(xg_sim_asm *p) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, c, frame = XG_SIM_NO_SLOT;
    uint32_t *starts = XG_NEW_N(&p->scratch, uint32_t, n), *ends = XG_NEW_N(&p->scratch, uint32_t, n), *next_start,
             *next_end, *free_list[4], free_n[4] = {0, 0, 0, 0};
    next_start = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    next_end = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    for (c = 0; c < 4; c++) free_list[c] = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    for (i = p->vregs.n; i-- > 0;) { /* lists hold index + 1 */
        xg_sim_vreg *v = &p->vregs.p[i];
        if (v->first == XG_SIM_NOREG) continue;
        next_start[i] = starts[v->first - begin];
        starts[v->first - begin] = i + 1;
        next_end[i] = ends[v->last - begin];
        ends[v->last - begin] = i + 1;
    }
    for (i = 0; i < n; i++) {
        uint32_t k;
        /* Those that end here free their slot first: a record reads its sources before it writes. Not those that also
         * start here. */
        for (k = ends[i]; k; k = next_end[k - 1]) {
            xg_sim_vreg *v = &p->vregs.p[k - 1];
            if (v->first - begin == i) continue;
            c = xg_sim_log2(v->bytes);
            free_list[c][free_n[c]++] = v->slot;
        }
        for (k = starts[i]; k; k = next_start[k - 1]) {
            xg_sim_vreg *v = &p->vregs.p[k - 1];
            c = xg_sim_log2(v->bytes);
            if (free_n[c])
                v->slot = free_list[c][--free_n[c]];
            else {
                v->slot = frame;
                frame += v->bytes * XG_SIM_WARP;
            }
            if (frame > 1u << 28) xg_sim_limit(p, p->f->at, "the function needs too many registers");
        }
        for (k = ends[i]; k; k = next_end[k - 1]) {
            xg_sim_vreg *v = &p->vregs.p[k - 1];
            if (v->first - begin != i) continue;
            c = xg_sim_log2(v->bytes);
            free_list[c][free_n[c]++] = v->slot;
        }
    }
    p->f->frame = (frame + 1023) / 512 * 512;
}

/* ---- rewriting ---- */

XG_FN uint32_t xg_sim_offset(xg_sim_asm *p, uint32_t code) {
    if (code == XG_SIM_NOREG) return 0;
    if (!(code & 1)) return p->vregs.p[code >> 1].slot;
    return p->consts.p[code >> 1].offset | 1;
}

/* Copies the function's records with JOINs put in and every position and operand final. */
XG_APART XG_FN void xg_sim_rewrite(xg_sim_asm *p, const xg_sim_graph *g) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k, joins = 0, *moved = XG_NEW_N(&p->scratch, uint32_t, n);
    xg_sim_ins *old = XG_NEW_N(&p->scratch, xg_sim_ins, n), join;
    memcpy(old, p->code.p + begin, (size_t)n * sizeof *old);
    for (i = 0; i < n; i++) {
        moved[i] = begin + i + joins;
        joins += g->b[g->of[i]].join && g->b[g->of[i]].first == begin + i;
    }
    p->code.n = begin;
    memset(&join, 0, sizeof join);
    join.kind = XG_SIM_K_JOIN;
    for (i = 0; i < n; i++) {
        xg_sim_ins in = old[i];
        const xg_sim_block *b = &g->b[g->of[i]];
        uint32_t meet = b->meet == g->n - 1 ? begin + n - 1 + joins : moved[g->b[b->meet].first - begin];
        if (b->join && b->first == begin + i) {
            join.at = in.at;
            xg_push(&p->scratch, xg_sim_ins, &p->code, join);
        }
        if (in.kind == XG_SIM_K_BRA || in.kind == XG_SIM_K_BRX) in.imm2 = meet;
        if (in.kind == XG_SIM_K_BRA) in.imm = moved[in.imm - begin];
        for (k = 0; k < in.n; k++)
            p->list.p[in.list + k] = in.kind == XG_SIM_K_BRX ? moved[p->list.p[in.list + k] - begin]
                                                             : xg_sim_offset(p, p->list.p[in.list + k]);
        if (in.kind == XG_SIM_K_ALU) {
            in.dbytes = (uint8_t)xg_sim_bytes_of(p, in.d);
            in.d2bytes = in.d2 == XG_SIM_NOREG ? 0 : 4;
            in.fn = (xg_sim_fn)(void (*)(void))xg_sim_fn_of(p->unit, (xg_sim_f)in.op);
        } else if (in.kind == XG_SIM_K_SREG || in.kind == XG_SIM_K_LOCAL || in.kind == XG_SIM_K_SPACE ||
                   (in.kind == XG_SIM_K_ASYNC && in.d != XG_SIM_NOREG))
            in.dbytes = (uint8_t)xg_sim_bytes_of(p, in.d);
        else if (in.kind == XG_SIM_K_WARP)
            in.d2bytes = in.d2 == XG_SIM_NOREG ? 0 : 4;
        /* The special-purpose kinds tell an operand that is not there from the first slot by these bits. */
        if (in.kind != XG_SIM_K_ALU && in.kind != XG_SIM_K_BRX)
            in.flags = (uint8_t)(in.flags | (in.b != XG_SIM_NOREG ? 16 : 0) | (in.c != XG_SIM_NOREG ? 32 : 0) |
                                 (in.e != XG_SIM_NOREG ? 64 : 0) | (in.d != XG_SIM_NOREG ? 128 : 0));
        in.guard = xg_sim_offset(p, in.guard);
        in.d = xg_sim_offset(p, in.d);
        in.d2 = xg_sim_offset(p, in.d2);
        in.a = xg_sim_offset(p, in.a);
        in.b = xg_sim_offset(p, in.b);
        in.c = xg_sim_offset(p, in.c);
        in.e = xg_sim_offset(p, in.e);
        xg_push(&p->scratch, xg_sim_ins, &p->code, in);
    }
}

XG_FN void xg_sim_place_constants(xg_sim_asm *p) {
    uint32_t i;
    for (i = p->consts_placed; i < p->consts.n; i++) {
        xg_sim_const *k = &p->consts.p[i];
        k->offset = p->m->const_bytes;
        if (p->m->const_bytes > 1u << 30) xg_fail(p->c, XLAGPU_ERROR_LIMIT, "the module has too many constants");
        p->m->const_bytes += k->bytes * XG_SIM_WARP;
    }
    p->consts_placed = p->consts.n;
}

XG_APART XG_FN void xg_sim_function_end(xg_sim_asm *p) {
    xg_sim_graph g;
    xg_sim_func *f = p->f;
    xg_sim_ins end;
    uint32_t i;
    memset(&g, 0, sizeof g);
    memset(&end, 0, sizeof end);
    end.kind = XG_SIM_K_END;
    end.guard = end.d = end.d2 = end.a = end.b = end.c = end.e = end.list = XG_SIM_NOREG;
    end.at = p->t.at;
    xg_push(&p->scratch, xg_sim_ins, &p->code, end);
    for (i = f->begin; i < p->code.n; i++) f->info.instructions += (p->code.p[i].flags & XG_SIM_FIRST) != 0;
    xg_sim_resolve(p);
    xg_sim_blocks(p, &g);
    xg_sim_edges(p, &g);
    if (xg_sim_watch_registers(p, &g)) {
        memset(&g, 0, sizeof g);
        xg_sim_blocks(p, &g);
        xg_sim_edges(p, &g);
    }
    xg_sim_meets(p, &g);
    xg_sim_mentions(p, &g);
    xg_sim_widen(p);
    xg_sim_slots(p);
    xg_sim_place_constants(p);
    xg_sim_rewrite(p, &g);
    for (i = 0; i < f->n_args; i++)
        if (f->args[i].reg) f->args[i].at = p->vregs.p[f->args[i].at].slot;
    for (i = 0; i < f->n_rets; i++)
        if (f->rets[i].reg) f->rets[i].at = p->vregs.p[f->rets[i].at].slot;
    f->end = p->code.n - 1;
    f->local = (p->local + 15) / 16 * 16;
    f->n_calls = p->calls.n;
    f->calls = XG_NEW_N(p->a, uint32_t, p->calls.n + 1);
    if (p->calls.n) memcpy(f->calls, p->calls.p, p->calls.n * sizeof *f->calls);
}

#endif /* XG_SIM_FLOW_C */
