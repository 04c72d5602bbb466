/* sim/late.c -- registers that a wgmma still writes, D until wgmma.wait_group, or still reads, A.
 *
 * Data moves when the multiplication is issued. Each warp keeps the records of those that it has not waited for. Where
 * such a register may still be late on some path, by an analysis of the function's blocks, a record (K_INIT) in front
 * of whoever touches it asks that list: so only what was executed counts, and correct kernels have few of these
 * records. What tcgen05.ld brings is not asked for: Triton's kernels read it before tcgen05.wait::ld, and run, since
 * ptxas keeps such registers in their order.
 *
 * Other records that write such registers are followed by one that says so, and a wgmma asks whether its warp has
 * executed wgmma.fence since. */
#ifndef XG_SIM_LATE_C
#define XG_SIM_LATE_C
#include "graph.c"

/* What a K_INIT asks: has the lane written the register; was what a shuffle handed on written; is it late? */
enum {
    XG_SIM_ASKS_WRITTEN,
    XG_SIM_ASKS_CARRIED,
    XG_SIM_ASKS_LATE,
    XG_SIM_TELLS_TOUCHED /* does not ask: it notes that a register of wgmma is written */
};
/* What a wgmma does with a register. */
enum {
    XG_SIM_LATE_WRITTEN = 1,
    XG_SIM_LATE_READ = 2
};
XG_FN bool xg_sim_is_wgmma_fence(const xg_sim_ins *in) {
    return in->kind == XG_SIM_K_TILE && (in->op & 255) == XG_SIM_T_WGSYNC && in->imm == XG_SIM_WG_FENCE;
}
XG_FN bool xg_sim_is_wgmma(const xg_sim_ins *in) {
    return in->kind == XG_SIM_K_TILE && (in->op & 255) == XG_SIM_T_WGMMA;
}
/* May something be late behind a record? */
XG_FN bool xg_sim_late_behind(const xg_sim_ins *in, bool before) {
    const bool waits = in->kind == XG_SIM_K_TILE && (in->op & 255) == XG_SIM_T_WGSYNC && in->imm == XG_SIM_WG_WAIT;
    return xg_sim_is_wgmma(in) || (before && !(waits && !in->imm2 && !(in->flags & XG_SIM_GUARDED)));
}
/* By block, may something be late at its start; NULL: the function has no wgmma. regs: by register, what those do. */
XG_APART XG_FN bool *xg_sim_late_blocks(xg_sim_asm *p, const xg_sim_graph *g, uint8_t *regs) {
    bool *late = XG_NEW_N(&p->scratch, bool, g->n), any = false, moved = true;
    uint32_t i, k;
    for (i = p->f->begin; i < p->code.n; i++) {
        const xg_sim_ins *in = &p->code.p[i];
        if (!xg_sim_is_wgmma(in)) continue;
        any = true;
        for (k = 0; k < in->n; k++) {
            const uint32_t code = p->list.p[in->list + k], sums = 2u * in->d2bytes; /* C and D */
            if (!(code & 1)) regs[code >> 1] |= (uint8_t)(k + sums < in->n ? XG_SIM_LATE_READ : XG_SIM_LATE_WRITTEN);
        }
    }
    while (any && moved) {
        moved = false;
        for (i = 0; i < g->n; i++) {
            bool out = late[i];
            for (k = g->b[i].first; k <= g->b[i].last; k++) out = xg_sim_late_behind(&p->code.p[k], out);
            for (k = 0; out && k < g->b[i].n_next; k++) {
                bool *to = &late[g->edges[g->b[i].next + k]];
                moved = moved || !*to;
                *to = true;
            }
        }
    }
    return any ? late : NULL;
}

#endif /* XG_SIM_LATE_C */
