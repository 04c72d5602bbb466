/* sim/wgmma.c -- multiplications of a warpgroup, with B and perhaps A in shared memory.
 *
 * The four warps of a group do not need each other here: each multiplies its 16 rows, when it comes to the instruction
 * (those that come together share the work on B). A part of 8 columns of D is one multiplication of matrix.c. Fence,
 * commit and wait move nothing: they say until when registers and shared memory belong to a multiplication (late.c).
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

/* ---- registers that are late (late.c) ---- */

/* A group is committed; or all but the last `keep` are waited for. */
XG_FN void xg_sim_late_sync(xg_sim_warp *v, bool commit, uint32_t keep) {
    uint32_t i, n = 0;
    for (i = 0; i < v->n_late; i++) {
        xg_sim_late l = v->late[i];
        l.groups += commit;
        if (commit || l.groups <= keep) v->late[n++] = l;
    }
    v->n_late = n;
}
/* The operation that the register of an asking record is late by; NULL: none. */
XG_FN const xg_sim_ins *xg_sim_late_by(const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *ask) {
    uint32_t i, k;
    for (i = 0; i < v->n_late; i++) {
        const uint32_t record = v->late[i].record;
        const xg_sim_ins *in = &w->m->code[record];
        if (record < v->f->begin || record > v->f->end) continue;
        for (k = ask->imm2 ? 0 : in->n - in->d2bytes; k < in->n; k++)
            if (w->m->list[in->list + k] == ask->a) return in;
    }
    return NULL;
}

/* ---- matrices in shared memory ---- */

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
/* The address of element k of row mn. */
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

/* ---- what shared memory a wgmma reads ---- */

/* Matrix A (of the whole group) or B in pieces of 16 bytes: how many, or where number i is. */
typedef struct xg_sim_pieces {
    xg_sim_matrix m;
    uint32_t n, beside, per, bits;
    bool turned;
} xg_sim_pieces;
XG_FN xg_sim_pieces xg_sim_pieces_of(const xg_sim_tile *t, uint64_t matrix, uint32_t b) {
    const uint32_t mns = b ? t->n : 64, k = b || !(t->flags & XG_SIM_TF_SPARSE) ? t->k : t->k / 2;
    xg_sim_pieces p;
    p.m = xg_sim_matrix_of(matrix);
    p.bits = xg_sim_elems[b ? t->b : t->a].bits;
    p.per = 128 / p.bits;
    p.turned = (t->flags & (b ? XG_SIM_TF_BROW : XG_SIM_TF_ACOL)) != 0;
    p.beside = (p.turned ? mns : k) / p.per;
    p.n = p.beside * (p.turned ? k : mns);
    return p;
}
XG_FN uint32_t xg_sim_piece_at(const xg_sim_pieces *p, uint32_t i) {
    const uint32_t outer = i / p->beside, inner = i % p->beside * p->per;
    return xg_sim_matrix_at(&p->m, p->turned, p->turned ? inner : outer, p->turned ? outer : inner, p->bits) & 0x3FFFF;
}
XG_FN void xg_sim_late_add(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_tile *t) {
    xg_sim_late *l;
    xg_sim_pieces p;
    uint32_t b;
    if (v->n_late == XG_SIM_LATE) memmove(v->late, v->late + 1, --v->n_late * sizeof *v->late);
    l = &v->late[v->n_late++];
    memset(l, 0, sizeof *l);
    l->record = (uint32_t)(in - w->m->code);
    w->lates = true;
    for (b = t->flags & XG_SIM_TF_AREG ? 1 : 0; b < 2; b++) {
        l->matrix[b] = xg_sim_mb_get(xg_sim_slot(w, v, b ? in->b : in->a));
        p = xg_sim_pieces_of(t, l->matrix[b], b);
        l->first[b] = xg_sim_piece_at(&p, 0) & ~127u; /* swizzles stay within 128 bytes */
        l->end[b] = (xg_sim_piece_at(&p, p.n - 1) | 127u) + 1;
    }
}
/* 16 bytes of a matrix; NULL after a fault. */
XG_FN const char *xg_sim_matrix_row(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t at, bool b) {
    if (at + 16 > w->l->shared_bytes) {
        xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_BOUNDS,
            "the matrix %s of wgmma reaches offset %u of shared memory, which has %u bytes", b ? "B" : "A", at,
            w->l->shared_bytes);
        return NULL;
    }
    if (w->copy_words && !w->l->unchecked_shared) xg_sim_copy_settle(w, v, at);
    if (!xg_sim_chunk_written(w, at) && !xg_sim_fresh_bytes(w, w, v, in, 0, 0x7FFFFFFF, at, 16, XG_SIM_READS))
        return NULL;
    if (!xg_sim_proxy(w, v, in, 0, at, 16, "multiplication")) return NULL;
    return w->shared + at;
}
/* Eight rows from mn, `count` elements of k, into `to` and on: rows of numbers as tiles.c has them. False after a
 * fault. */
XG_FN bool xg_sim_matrix_reals(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_work *x,
    const xg_sim_matrix *m, bool b, uint32_t mn, uint32_t count, double (*to)[XG_SIM_TILE_REALS_K]) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const xg_sim_elem e = b ? x->t.b : x->t.a;
    const uint32_t bits = xg_sim_elems[e].bits;
    const bool transposed = (x->t.flags & (b ? XG_SIM_TF_BROW : XG_SIM_TF_ACOL)) != 0;
    uint32_t i, k;
    for (k = 0; k < count; k += transposed ? 1 : 128 / bits)
        for (i = 0; i < (transposed ? 1u : 8u); i++) {
            const char *from =
                xg_sim_matrix_row(w, v, in, xg_sim_matrix_at(m, transposed, mn + i, k, bits) & 0x3FFFF, b);
            double row[8];
            uint32_t r;
            if (!from) return false;
            if (!transposed) {
                fns->rows(&to[i][k], XG_SIM_TILE_REALS_K, from, 16, 1, e);
                continue;
            }
            fns->rows(row, 8, from, 16, 1, e);
            for (r = 0; r < 8; r++) to[r][k] = row[r];
        }
    return true;
}
XG_FN bool xg_sim_matrix_ints(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_work *x,
    const xg_sim_matrix *m, bool b, uint32_t mn, uint32_t count, int16_t (*to)[XG_SIM_TILE_K]) {
    const xg_sim_elem e = b ? x->t.b : x->t.a;
    const uint32_t bits = xg_sim_elems[e].bits;
    uint32_t i, k;
    for (k = 0; k < count; k += 128 / bits)
        for (i = 0; i < 8; i++) {
            const char *from = xg_sim_matrix_row(w, v, in, xg_sim_matrix_at(m, false, mn + i, k, bits) & 0x3FFFF, b);
            if (!from) return false;
            xg_sim_tile_fns_of(w)->pair_rows(&to[i][k], XG_SIM_TILE_K, from, 16, 1, e);
        }
    return true;
}
XG_FN void xg_sim_negate(double *p, uint32_t n) {
    uint32_t i;
    for (i = 0; i < n; i++) p[i] = -p[i];
}
/* Eight columns of B, from col on. */
XG_FN bool xg_sim_wgmma_b(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x,
    const xg_sim_matrix *m, uint32_t col) {
    double reals[8][XG_SIM_TILE_REALS_K];
    int16_t ints[8][XG_SIM_TILE_K];
    uint32_t k;
    if (!xg_sim_elems[x->t.b].real) {
        if (!xg_sim_matrix_ints(w, v, in, x, m, true, col, x->t.k, ints)) return false;
        xg_sim_tile_fns_of(w)->pair_turn(x->u.i.b, (const int16_t(*)[XG_SIM_TILE_K])ints, x->t.k);
        return true;
    }
    if (x->t.flags & XG_SIM_TF_BROW) { /* rows of eight columns, as they are wanted */
        for (k = 0; k < x->t.k; k++) {
            const char *from = xg_sim_matrix_row(w, v, in, xg_sim_matrix_at(m, true, col, k, 16) & 0x3FFFF, true);
            if (!from) return false;
            xg_sim_tile_fns_of(w)->rows(x->u.r.b[k], 8, from, 16, 1, x->t.b);
        }
    } else {
        if (!xg_sim_matrix_reals(w, v, in, x, m, true, col, x->t.k, reals)) return false;
        xg_sim_tile_fns_of(w)->turn(x->u.r.b, (const double(*)[XG_SIM_TILE_REALS_K])reals, x->t.k);
    }
    if (x->t.flags & XG_SIM_TF_NEGB) xg_sim_negate(&x->u.r.b[0][0], 8 * x->t.k);
    return true;
}
XG_FN bool xg_sim_wgmma_a(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x, const uint32_t *list) {
    bool sparse = (x->t.flags & XG_SIM_TF_SPARSE) != 0;
    uint32_t i;
    if (x->t.flags & XG_SIM_TF_AREG)
        xg_sim_work_load_a(x, w, v, list, 4);
    else {
        xg_sim_matrix m = xg_sim_matrix_of(xg_sim_mb_get(xg_sim_slot(w, v, in->a)));
        const uint32_t row = v->id % 4 * 16, count = x->t.k >> sparse;
        const bool real = xg_sim_elems[x->t.a].real != 0;
        for (i = 0; i < 16; i += 8)
            if (real ? !xg_sim_matrix_reals(w, v, in, x, &m, false, row + i, count, &x->u.r.a[i])
                     : !xg_sim_matrix_ints(w, v, in, x, &m, false, row + i, count, &x->u.i.a[i]))
                return false;
    }
    if (sparse && !xg_sim_work_expand(w, v, in, x, xg_sim_slot(w, v, list[x->t.flags & XG_SIM_TF_AREG ? 4 : 0])))
        return false;
    if (x->t.flags & XG_SIM_TF_NEGA)
        for (i = 0; i < 16; i++) xg_sim_negate(x->u.r.a[i], x->t.k);
    return true;
}
/* Warps of a group multiply together when they name the same B: it is read and spread out once for all of them. */
XG_FN void xg_sim_exec_wgmma(xg_sim_worker *w, xg_sim_warp *v, uint32_t warps, const xg_sim_ins *in) {
    xg_sim_work x[XG_SIM_TOGETHER];
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    const xg_sim_matrix m = xg_sim_matrix_of(xg_sim_mb_get(xg_sim_slot(w, v, in->b)));
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    uint32_t col, regs, k;
    for (k = 0; k < warps; k++) {
        x[k].t = xg_sim_tile_of(in);
        x[k].t.m = 16;
        if (v[k].id / 4 * 4 + 4 > w->l->warps) {
            xg_sim_fault(w, &v[k], in, 0, XG_SIM_FAULT_OPERAND,
                "wgmma needs whole groups of four warps; the block has %u warps", w->l->warps);
            return;
        }
        if (v[k].touched && !w->l->unchecked_registers) {
            xg_sim_fault(w, &v[k], in, 0, XG_SIM_FAULT_ASYNC,
                "registers of this wgmma have been written since the last wgmma.fence, or there was none");
            return;
        }
        if (!xg_sim_wgmma_a(w, &v[k], in, &x[k], list)) return;
        xg_sim_late_add(w, &v[k], in, &x[k].t);
    }
    regs = xg_sim_tile_regs(16 * 8, x->t.d);
    for (col = 0; col < x->t.n; col += 8) {
        const uint32_t *c = list + in->n - 2 * in->d2bytes + col / 8 * regs;
        if (!xg_sim_wgmma_b(w, v, in, &x[0], &m, col)) return;
        for (k = 0; k < warps; k++) {
            if (k && xg_sim_elems[x->t.b].real)
                memcpy(x[k].u.r.b, x->u.r.b, x->t.k * sizeof x->u.r.b[0]);
            else if (k)
                memcpy(x[k].u.i.b, x->u.i.b, x->t.k / 2 * sizeof x->u.i.b[0]);
            if (xg_sim_predicate(xg_sim_slot(w, &v[k], in->c)))
                xg_sim_work_load_c(&x[k], w, &v[k], c, regs);
            else if (x->t.d == XG_SIM_EL_S32)
                memset(x[k].u.i.c, 0, sizeof x->u.i.c);
            else
                memset(x[k].u.r.c, 0, sizeof x->u.r.c);
            xg_sim_work_multiply(fns, &x[k]);
            xg_sim_work_store_d(&x[k], w, &v[k], to + col / 8 * regs, regs);
        }
    }
}
/* Has warp v executed this wgmma, and waited for none behind it? */
XG_FN bool xg_sim_late_has(const xg_sim_warp *v, const xg_sim_late *l) {
    uint32_t i;
    for (i = 0; i < v->n_late; i++)
        if (v->late[i].record == l->record && v->late[i].matrix[1] == l->matrix[1]) return true;
    return false;
}
/* Bytes [at, at + n) of shared memory of the block `of` are about to be written, which no wgmma may read any more;
 * false after a fault. A multiplication of a group is over when one of its warps has waited for it. */
XG_FN bool xg_sim_late_reads(xg_sim_worker *w, const xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, size_t at, size_t n) {
    uint32_t g, e, b, i, from, k;
    for (g = 0; g + 4 <= w->l->warps && !w->l->unchecked_shared; g += 4)
        for (e = 0; e < 2 * of->warps[g].n_late; e++) {
            const xg_sim_late *l = &of->warps[g].late[e / 2];
            xg_sim_tile t;
            xg_sim_pieces p;
            b = e & 1;
            if (at >= l->end[b] || at + n <= l->first[b]) continue;
            for (k = 1; k < 4 && xg_sim_late_has(&of->warps[g + k], l); k++) {}
            t = xg_sim_tile_of(&w->m->code[l->record]);
            p = xg_sim_pieces_of(&t, l->matrix[b], b);
            for (i = 0; k == 4 && i < p.n; i++) {
                from = xg_sim_piece_at(&p, i);
                if (at >= from + 16 || at + n <= from) continue;
                xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASYNC,
                    "write of shared memory at offset %zu, which the wgmma at line %zu is still to read: wait for it "
                    "first",
                    XG_MAX(at, (size_t)from), xg_sim_line_of(w, &w->m->code[l->record]));
                return false;
            }
        }
    return true;
}
/* The whole warps of a team execute a tile's record. True when it is a wgmma that they can execute together, and then
 * it is done. */
XG_FN bool xg_sim_tile_together(xg_sim_worker *w, xg_sim_warp *v, uint32_t warps, const xg_sim_ins *in) {
    uint32_t k;
    if ((in->op & 255) != XG_SIM_T_WGMMA || warps > XG_SIM_TOGETHER || in->flags & XG_SIM_GUARDED) return false;
    for (k = 0; k < warps; k++)
        if (v[k].mask != 0xFFFFFFFFu || v[k].live != 0xFFFFFFFFu ||
            xg_sim_mb_get(xg_sim_slot(w, &v[k], in->b)) != xg_sim_mb_get(xg_sim_slot(w, v, in->b)))
            return false;
    w->stats.tensor_operations += warps;
    xg_sim_exec_wgmma(w, v, warps, in);
    return true;
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
    case XG_SIM_T_WGSYNC:
        if (in->imm == XG_SIM_WG_FENCE)
            v->touched = false;
        else
            xg_sim_late_sync(v, in->imm == XG_SIM_WG_COMMIT, in->imm2);
        return;
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
        xg_sim_exec_wgmma(w, v, 1, in);
}

#endif /* XG_SIM_WGMMA_C */
