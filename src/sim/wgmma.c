/* sim/wgmma.c -- multiplications of a warpgroup, with B and perhaps A in shared memory.
 *
 * The four warps of a group do not need each other here: each multiplies its 16 rows, when it comes to the instruction,
 * and fence, commit and wait have nothing left to do. A part of 8 columns of D is one multiplication of matrix.c.
 *
 * A matrix in shared memory is described by 64 bits: start, two strides, the swizzle. Element (mn, k), mn the row of A
 * or the column of B, lies at
 *   K-major:  start + mn/8 * SBO + mn%8 * W + bytes of k                          W = 128, 64, 32: the swizzle's span
 *   without swizzle: start + mn/8 * SBO + k/chunk * LBO + mn%8 * 16 + bytes of k%chunk      chunk: elements of 16 bytes
 *   MN-major: start + mn/span * LBO + k/8 * SBO + k%8 * W + bytes of mn%span               span: elements of W bytes
 *   without swizzle: start + mn/8 * SBO + k/8 * LBO + k%8 * 16 + bytes of mn%8
 * and then bits 4 to 6 of the address are mixed with bits 7 to 9, as the swizzle says. */
#ifndef XG_SIM_WGMMA_C
#define XG_SIM_WGMMA_C
#include "matrix.c"

typedef struct xg_sim_matrix {
    uint32_t start, lead, stride, base, swizzle;
} xg_sim_matrix; /* swizzle: as in tensormap.c */

XG_FN xg_sim_matrix xg_sim_matrix_of(uint64_t d) {
    static const uint8_t modes[4] = {0, 3, 2, 1};
    xg_sim_matrix m;
    m.start = (uint32_t)(d & 0x3FFF) << 4;
    m.lead = (uint32_t)(d >> 16 & 0x3FFF) << 4;
    m.stride = (uint32_t)(d >> 32 & 0x3FFF) << 4;
    m.base = (uint32_t)(d >> 49 & 7);
    m.swizzle = modes[d >> 62];
    return m;
}
/* The address of byte b of row mn; b counts along k. */
XG_FN uint32_t xg_sim_matrix_at(const xg_sim_matrix *m, bool transposed, uint32_t mn, uint32_t k, uint32_t bits) {
    uint32_t span = 16u << m->swizzle, a;
    if (transposed) { /* elements of 16 bits */
        if (!m->swizzle) return m->start + mn / 8 * m->stride + k / 8 * m->lead + k % 8 * 16 + mn % 8 * 2;
        a = m->start + mn / (span / 2) * m->lead + k / 8 * m->stride + k % 8 * span + mn % (span / 2) * 2;
    } else {
        uint32_t b = k * bits / 8;
        if (!m->swizzle) return m->start + mn / 8 * m->stride + b / 16 * m->lead + mn % 8 * 16 + b % 16;
        a = m->start + mn / 8 * m->stride + mn % 8 * span + b;
    }
    return a ^ (xg_sim_swizzle(a - (m->base << 7), m->swizzle) ^ (a - (m->base << 7)));
}

/* `count` rows from mn, all of k (packed: half of it), into A or B of the work. False after a fault. */
XG_FN bool xg_sim_matrix_load(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x,
    const xg_sim_matrix *m, bool b, uint32_t mn, uint32_t count, uint32_t k_count) {
    xg_sim_elem e = b ? x->t.b : x->t.a;
    uint32_t bits = xg_sim_elems[e].bits, bytes = XG_MAX(1u, bits / 8), i, k;
    bool transposed = (x->t.flags & (b ? XG_SIM_TF_BROW : XG_SIM_TF_ACOL)) != 0;
    for (i = 0; i < count; i++)
        for (k = 0; k < k_count; k++) {
            uint32_t at = xg_sim_matrix_at(m, transposed, mn + i, k, bits) & 0x3FFFF, bit = bits < 8 ? k % 8 : 0;
            uint32_t value = 0;
            if (at + bytes > w->l->shared_bytes) {
                xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_BOUNDS,
                    "the matrix %s of wgmma reaches offset %u of shared memory, which has %u bytes", b ? "B" : "A", at,
                    w->l->shared_bytes);
                return false;
            }
            if (!xg_sim_fresh_bytes(w, w, v, in, 0, 0x7FFFFFFF, at, bytes, XG_SIM_READS)) return false;
            memcpy(&value, w->shared + at, bytes);
            value >>= bit;
            if (b)
                xg_sim_work_put(x, true, k, i, value);
            else
                xg_sim_work_put(x, false, i, k, value);
        }
    return true;
}
XG_FN void xg_sim_negate(float *p, uint32_t n) {
    uint32_t i;
    for (i = 0; i < n; i++) p[i] = -p[i];
}

XG_FN bool xg_sim_wgmma_a(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x, const uint32_t *list) {
    bool sparse = (x->t.flags & XG_SIM_TF_SPARSE) != 0;
    if (x->t.flags & XG_SIM_TF_AREG)
        xg_sim_work_load_a(x, w, v, list, 4);
    else {
        xg_sim_matrix m = xg_sim_matrix_of(xg_sim_mb_get(xg_sim_slot(w, v, in->a)));
        if (!xg_sim_matrix_load(w, v, in, x, &m, false, v->id % 4 * 16, 16, x->t.k >> sparse)) return false;
    }
    if (sparse && !xg_sim_work_expand(w, v, in, x, xg_sim_slot(w, v, list[x->t.flags & XG_SIM_TF_AREG ? 4 : 0])))
        return false;
    if (x->t.flags & XG_SIM_TF_NEGA) xg_sim_negate(&x->u.r.a[0][0], 16 * 64);
    return true;
}
XG_FN void xg_sim_exec_wgmma(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    uint32_t col, regs, lane = 0;
    bool add = xg_sim_predicate(xg_sim_slot(w, v, in->c)) != 0;
    xg_sim_matrix m = xg_sim_matrix_of(xg_sim_mb_get(xg_sim_slot(w, v, in->b)));
    memset(&x, 0, sizeof x);
    x.t = xg_sim_tile_of(in);
    x.t.m = 16;
    if (v->id / 4 * 4 + 4 > w->l->warps) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "wgmma needs whole groups of four warps; the block has %u warps", w->l->warps);
        return;
    }
    regs = xg_sim_tile_regs(16 * 8, x.t.d);
    if (!xg_sim_wgmma_a(w, v, in, &x, list)) return;
    for (col = 0; col < x.t.n; col += 8) {
        const uint32_t *c = list + in->n - 2 * in->d2bytes + col / 8 * regs;
        if (!xg_sim_matrix_load(w, v, in, &x, &m, true, col, 8, x.t.k)) return;
        if (x.t.flags & XG_SIM_TF_NEGB) xg_sim_negate(&x.u.r.b[0][0], 64 * 8);
        if (add)
            xg_sim_work_load_c(&x, w, v, c, regs);
        else if (x.t.d == XG_SIM_EL_S32)
            memset(x.u.i.c, 0, sizeof x.u.i.c);
        else
            memset(x.u.r.c, 0, sizeof x.u.r.c);
        xg_sim_work_multiply(&x);
        xg_sim_work_store_d(&x, v, to + col / 8 * regs, regs);
    }
}

XG_FN void xg_sim_exec_bytes(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store); /* small.c */
XG_FN void xg_sim_exec_small(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in);
XG_FN void xg_sim_exec_tile(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    if (mask != 0xFFFFFFFFu || v->live != 0xFFFFFFFFu) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_INACTIVE,
            "all 32 threads of a warp must execute this instruction together; 0x%X do", mask);
        return;
    }
    switch (in->op & 255) {
    case XG_SIM_T_LOAD: xg_sim_exec_ldmatrix(w, v, in, false); return;
    case XG_SIM_T_STORE: xg_sim_exec_ldmatrix(w, v, in, true); return;
    case XG_SIM_T_MOVE: xg_sim_exec_movmatrix(w, v, in); return;
    case XG_SIM_T_WLOAD: xg_sim_exec_wmma_move(w, v, in, false); return;
    case XG_SIM_T_WSTORE: xg_sim_exec_wmma_move(w, v, in, true); return;
    case XG_SIM_T_WGSYNC: return;
    case XG_SIM_T_BYTES_LOAD: xg_sim_exec_bytes(w, v, in, false); return;
    case XG_SIM_T_BYTES_STORE: xg_sim_exec_bytes(w, v, in, true); return;
    default: break;
    }
    w->stats.tensor_operations++;
    if ((in->op & 255) == XG_SIM_T_SMALL)
        xg_sim_exec_small(w, v, in);
    else if ((in->op & 255) == XG_SIM_T_MMA)
        xg_sim_exec_mma(w, v, in);
    else if ((in->op & 255) == XG_SIM_T_VOLTA)
        xg_sim_exec_volta(w, v, in);
    else if ((in->op & 255) == XG_SIM_T_WMMA)
        xg_sim_exec_wmma(w, v, in);
    else
        xg_sim_exec_wgmma(w, v, in);
}

#endif /* XG_SIM_WGMMA_C */
