/* sim/small.c -- tiles of floats of 8, 6 and 4 bits in the registers of a warp: ldmatrix and stmatrix of bytes, mma
 * with a .kind and with scales.
 *
 * Numbers as in matrix.c: a sum begins with C, adds the exact products (scales multiplied in) in the order of k in
 * double precision, and is rounded once. */
#ifndef XG_SIM_SMALL_C
#define XG_SIM_SMALL_C
#include "wgmma.c"

/* ---- ldmatrix, stmatrix ---- */

/* Sixteen elements of 4 or 6 bits, at the start of their 16 bytes, to a byte each. how: 1 of 4 bits, 2 of 6. */
XG_FN void xg_sim_unpack_elements(const uint8_t from[16], uint8_t to[16], uint32_t how) {
    uint32_t i, bits = how == 1 ? 4 : 6;
    for (i = 0; i < 16; i++) {
        uint32_t at = i * bits, x = (uint32_t)from[at / 8] | (uint32_t)from[at / 8 + 1] << 8;
        to[i] = (uint8_t)(x >> at % 8 & ((1u << bits) - 1));
    }
}
/* Byte e of register i of a lane: row and column of its matrix, whose rows are 16 bytes of memory.
 * As it stands: row lane / 4. Transposed: bytes of one column; of a store two columns of two rows, as mma leaves D. */
XG_FN xg_sim_at xg_sim_at_bytes(uint32_t lane, uint32_t i, uint32_t e, bool transposed, bool store) {
    xg_sim_at p;
    if (!transposed) {
        p.row = lane / 4;
        p.col = lane % 4 * 4 + e;
    } else if (store) {
        p.row = lane % 4 * 2 + (e & 1);
        p.col = lane / 4 + 8 * (e >> 1);
    } else {
        p.row = lane % 4 * 4 + e;
        p.col = lane / 4 + 8 * (i & 1);
    }
    return p;
}
XG_FN void xg_sim_exec_bytes(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store) {
    const uint32_t *list = w->m->list + in->list;
    uint32_t rows = in->imm & 255, how = in->imm >> 8 & 255, each = rows / 8, n = in->n / each, lanes = rows * n;
    uint32_t mask = lanes == 32 ? 0xFFFFFFFFu : (1u << lanes) - 1, i, e, lane, used = how == 1 ? 8 : how == 2 ? 12 : 16;
    bool transposed = in->imm >> 16 != 0;
    uint8_t tile[32][16], raw[16];
    uint32_t out[4][XG_SIM_WARP];
    xg_sim_reach r;
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), 0, (in->imm2 & 16) != 0, (xg_sim_space)(in->imm2 & 15),
            mask, 16, store, &r))
        return;
    for (i = 0; i < in->n; i++) /* sources first: a destination may have their slot */
        for (lane = 0; store && lane < XG_SIM_WARP; lane++)
            for (e = 0; e < 4; e++) {
                xg_sim_at p = xg_sim_at_bytes(lane, i % each, e, transposed, store);
                tile[i / each * rows + p.row][p.col] =
                    (uint8_t)(xg_sim_lane_u32(xg_sim_slot(w, v, list[i]), lane) >> (8 * e));
            }
    if (store) mask = xg_sim_rows_changed(w, &r, mask, (const char *)&tile[0][0]);
    if (mask && !xg_sim_shadow(w, v, in, &r, mask, used, store ? XG_SIM_WRITES : XG_SIM_READS, false)) return;
    if (store) {
        w->stats.shared_stores++;
        for (lane = 0; lane < lanes; lane++) memcpy(xg_sim_reach_at(&r, lane), tile[lane], 16);
        return;
    }
    w->stats.shared_loads++;
    for (lane = 0; lane < lanes; lane++) {
        memcpy(raw, xg_sim_reach_at(&r, lane), 16);
        if (how)
            xg_sim_unpack_elements(raw, tile[lane], how);
        else
            memcpy(tile[lane], raw, 16);
    }
    memset(out, 0, sizeof out);
    for (i = 0; i < in->n; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++)
            for (e = 0; e < 4; e++) {
                xg_sim_at p = xg_sim_at_bytes(lane, i % each, e, transposed, store);
                out[i][lane] |= (uint32_t)tile[i / each * rows + p.row][p.col] << (8 * e);
            }
    for (i = 0; i < in->n; i++) memcpy(v->regs + list[i], out[i], sizeof out[i]);
}

/* ---- mma ---- */

typedef struct xg_sim_small {
    double a[16][64], b[64][8], c[16][8];
} xg_sim_small_tile;

/* An element as it stands in its byte, or in its half of one. */
XG_FN double xg_sim_small_value(xg_sim_elem e, uint32_t x, bool packed) {
    if (e == XG_SIM_EL_E2M1) x = packed ? x : x >> 2 & 15; /* in the middle of its byte */
    return (double)xg_sim_tile_float(e, x);
}
XG_FN double xg_sim_scale_float(bool ue4m3, uint32_t x) {
    if (ue4m3) return (double)xg_sim_tile_float(XG_SIM_EL_E4M3, x & 0x7F);
    return x == 255 ? xg_f64_of_bits(0x7FF8000000000000u) : xg_f64_of_bits((uint64_t)(x + 1023 - 127) << 52);
}
/* Element e of register i of B. */
XG_FN xg_sim_at xg_sim_at_b(uint32_t lane, uint32_t i, uint32_t e, uint32_t per) {
    xg_sim_at p;
    p.row = lane % 4 * per + e + 4 * per * i;
    p.col = lane / 4;
    return p;
}
XG_FN void xg_sim_small_load(
    xg_sim_small_tile *x, const xg_sim_tile *t, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list) {
    uint32_t bits = t->k == 64 ? 4 : 8, per = 32 / bits, i, lane, e;
    for (i = 0; i < 6; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++)
            for (e = 0; e < per; e++) {
                uint32_t y = xg_sim_lane_u32(xg_sim_slot(w, v, list[i]), lane) >> (e * bits) & ((1u << bits) - 1);
                xg_sim_at p = i < 4 ? xg_sim_at_a(lane, i, e, per, 16) : xg_sim_at_b(lane, i - 4, e, per);
                if (i < 4)
                    x->a[p.row][p.col] = xg_sim_small_value(t->a, y, bits == 4);
                else
                    x->b[p.row][p.col] = xg_sim_small_value(t->b, y, bits == 4);
            }
}
/* The scales of a row of A, or of a column of B, into `out`. list: the register, its byte, its threads. False after a
 * fault. */
XG_FN bool xg_sim_small_scales_of(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_tile *t,
    const uint32_t *list, bool b, uint32_t i, double out[4]) {
    uint32_t n = t->selector & 7, k, lane, word;
    uint16_t byte, threads;
    memcpy(&byte, xg_sim_slot(w, v, list[1]), 2);
    memcpy(&threads, xg_sim_slot(w, v, list[2]), 2);
    if (byte + n > 4 || byte % n || threads > (b ? 3 : 1)) {
        xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_OPERAND, "the scales of %s cannot be byte %u of the threads %u",
            b ? "B" : "A", byte, threads);
        return false;
    }
    lane = b ? i * 4 + threads : i % 8 * 4 + 2u * threads + i / 8;
    word = xg_sim_lane_u32(xg_sim_slot(w, v, list[0]), lane);
    for (k = 0; k < n; k++) out[k] = xg_sim_scale_float((t->selector & 8) != 0, word >> (8 * (byte + k)) & 255);
    return true;
}
XG_FN bool xg_sim_small_scale(xg_sim_small_tile *x, xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in,
    const xg_sim_tile *t, const uint32_t *list) {
    uint32_t n = t->selector & 7, each = t->k / XG_MAX(n, 1u), i, k;
    double s[4];
    for (i = 0; n && i < 16; i++) {
        if (!xg_sim_small_scales_of(w, v, in, t, list, false, i, s)) return false;
        for (k = 0; k < t->k; k++) x->a[i][k] *= s[k / each];
    }
    for (i = 0; n && i < 8; i++) {
        if (!xg_sim_small_scales_of(w, v, in, t, list + 3, true, i, s)) return false;
        for (k = 0; k < t->k; k++) x->b[k][i] *= s[k / each];
    }
    return true;
}
XG_FN void xg_sim_exec_small(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    const uint32_t *list = w->m->list + in->list;
    xg_sim_small_tile x;
    xg_sim_work y; /* C and D go through it */
    uint32_t i, j, k, nc;
    memset(&y, 0, sizeof y);
    y.t = xg_sim_tile_of(in);
    nc = xg_sim_tile_regs(16 * 8, y.t.c);
    xg_sim_small_load(&x, &y.t, w, v, list);
    if (!xg_sim_small_scale(&x, w, v, in, &y.t, list + 6 + nc)) return;
    xg_sim_work_load_c(&y, w, v, list + 6, nc);
    for (i = 0; i < 16; i++)
        for (k = 0; k < y.t.k; k++)
            for (j = 0; j < 8; j++) y.u.r.c[i][j] += x.a[i][k] * x.b[k][j];
    xg_sim_work_store_d(&y, w, v, list + in->n - in->d2bytes, in->d2bytes);
}

#endif /* XG_SIM_SMALL_C */
