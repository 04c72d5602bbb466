/* sim/graph.c -- a function as blocks and edges; which operands of a record are read and which are written. */
#ifndef XG_SIM_GRAPH_C
#define XG_SIM_GRAPH_C
#include "rows.c"

typedef struct xg_sim_block {
    uint32_t first, last, meet, n_next, next;
    bool join;
} xg_sim_block; /* next: its first edge */
typedef struct xg_sim_graph {
    xg_sim_block *b;
    uint32_t n, *edges, n_edges;
    uint32_t *of;             /* record - begin to block */
    uint32_t *from, *from_at; /* predecessors by block: from[from_at[i] .. from_at[i+1]) */
} xg_sim_graph;

XG_FN void xg_sim_resolve(xg_sim_asm *p) {
    uint32_t i;
    for (i = 0; i < p->fixes.n; i++) {
        xg_sim_fix *f = &p->fixes.p[i];
        xg_sim_sym *s = xg_sim_lookup_id(p, f->name, f->scope, 0);
        if (!s || s->kind != XG_SIM_SYM_LABEL) xg_sim_wrong(p, f->at, "there is no such label in this function");
        if (f->list == XG_SIM_NOREG)
            p->code.p[f->record].imm = s->record;
        else
            p->list.p[f->list] = s->record;
    }
}

XG_FN bool xg_sim_ends_block(const xg_sim_ins *in) {
    return in->kind == XG_SIM_K_BRA || in->kind == XG_SIM_K_BRX || in->kind == XG_SIM_K_EXIT ||
           in->kind == XG_SIM_K_END || in->kind == XG_SIM_K_TRAP;
}

XG_FN void xg_sim_blocks(xg_sim_asm *p, xg_sim_graph *g) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k;
    char *leader = (char *)xg_alloc(&p->scratch, n + 1);
    leader[0] = leader[n - 1] = 1; /* END is a block of its own */
    for (i = 0; i < n; i++) {
        xg_sim_ins *in = &p->code.p[begin + i];
        if (in->kind == XG_SIM_K_BRA && in->op) in->imm = begin + n - 1;
        if (in->kind == XG_SIM_K_BRA) leader[in->imm - begin] = 1;
        if (in->kind == XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) leader[p->list.p[in->list + k] - begin] = 1;
        if (xg_sim_ends_block(in)) leader[i + 1] = 1;
    }
    g->of = XG_NEW_N(&p->scratch, uint32_t, n);
    for (i = 0; i < n; i++) {
        g->n += leader[i] != 0;
        g->of[i] = g->n - 1;
    }
    g->b = XG_NEW_N(&p->scratch, xg_sim_block, g->n);
    for (i = n; i-- > 0;) { g->b[g->of[i]].first = begin + i; }
    for (i = 0; i < n; i++) g->b[g->of[i]].last = begin + i;
}

XG_FN void xg_sim_edges(xg_sim_asm *p, xg_sim_graph *g) {
    XG_VEC(uint32_t) e = {NULL, 0, 0};
    uint32_t begin = p->f->begin, i, k;
    for (i = 0; i < g->n; i++) {
        xg_sim_ins *in = &p->code.p[g->b[i].last];
        bool falls = !xg_sim_ends_block(in) || (in->flags & XG_SIM_GUARDED);
        g->b[i].next = e.n;
        if (in->kind == XG_SIM_K_BRA) xg_push(&p->scratch, uint32_t, &e, g->of[in->imm - begin]);
        if (in->kind == XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) xg_push(&p->scratch, uint32_t, &e, g->of[p->list.p[in->list + k] - begin]);
        if (in->kind == XG_SIM_K_EXIT || in->kind == XG_SIM_K_TRAP) xg_push(&p->scratch, uint32_t, &e, g->n - 1);
        if (falls && i + 1 < g->n) xg_push(&p->scratch, uint32_t, &e, i + 1);
        g->b[i].n_next = e.n - g->b[i].next;
    }
    g->edges = e.p;
    g->n_edges = e.n;
    g->from_at = XG_NEW_N(&p->scratch, uint32_t, g->n + 2);
    g->from = XG_NEW_N(&p->scratch, uint32_t, e.n + 1);
    for (i = 0; i < e.n; i++) g->from_at[e.p[i] + 2]++;
    for (i = 2; i < g->n + 2; i++) g->from_at[i] += g->from_at[i - 1];
    for (i = 0; i < g->n; i++)
        for (k = 0; k < g->b[i].n_next; k++) g->from[g->from_at[e.p[g->b[i].next + k] + 1]++] = i;
}

/* ---- operands ---- */

XG_INLINE bool xg_sim_is_load(const xg_sim_ins *in) { return in->kind == XG_SIM_K_LD || in->kind == XG_SIM_K_TEX; }
/* How many of a record's list are sources; the rest are destinations. */
XG_FN uint32_t xg_sim_list_sources(const xg_sim_ins *in, const xg_sim_callsite *sites, const xg_sim_copy *copies) {
    if (in->kind == XG_SIM_K_ST) return in->n;
    if (in->kind == XG_SIM_K_ATOM) return in->d2bytes;
    if (in->kind == XG_SIM_K_ASYNC || in->kind == XG_SIM_K_WAIT || in->kind == XG_SIM_K_TILE ||
        in->kind == XG_SIM_K_TENSOR)
        return in->n - in->d2bytes;
    if (in->kind == XG_SIM_K_CALL) {
        const xg_sim_callsite *s = &sites[in->imm];
        uint32_t i, n = 0;
        for (i = 0; i < s->n_args; i++) n += copies[s->first_arg + i].reg;
        return n;
    }
    return 0;
}

#endif /* XG_SIM_GRAPH_C */
