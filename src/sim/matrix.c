/* sim/matrix.c -- tiles of matrices in the registers of a warp: ldmatrix, stmatrix, movmatrix, mma, wmma.
 *
 * The idea. A multiplication spreads its registers out into plain arrays, multiplies 16 x K by K x 8, and packs the
 * result (tiles.c). Where an element lies is said by small functions (xg_sim_at_a, _c), the same for every type: a
 * register of A holds 32 / bits elements side by side in k. The fragments of wmma are ours to choose, as PTX leaves
 * them open: a thread holds consecutive elements of the row-major tile; where there are more registers than elements
 * they repeat. */
#ifndef XG_SIM_MATRIX_C
#define XG_SIM_MATRIX_C
#include "tiles.c"

/* A multiplication being done. Which of them is used: the elements of A say. */
typedef struct xg_sim_work {
    xg_sim_tile t;
    union {
        xg_sim_real r;
        xg_sim_ints i;
    } u;
} xg_sim_work;

/* ---- elements ---- */

/* Element (row, col) of A or B gets the bits x. */
XG_FN void xg_sim_work_put(xg_sim_work *w, bool b, uint32_t row, uint32_t col, uint64_t x) {
    xg_sim_elem e = b ? w->t.b : w->t.a;
    if (!xg_sim_elems[e].real) {
        *(b ? &w->u.i.b[row / 2][col][row & 1] : &w->u.i.a[row][col]) = (int16_t)xg_sim_tile_int(e, (uint32_t)x);
        return;
    }
    *(b ? &w->u.r.b[row][col] : &w->u.r.a[row][col]) =
        e == XG_SIM_EL_F64 ? xg_f64_of_bits(x) : (double)xg_sim_tile_float(e, (uint32_t)x);
}
XG_FN void xg_sim_work_put_c(xg_sim_work *w, uint32_t row, uint32_t col, uint64_t x) {
    if (w->t.c == XG_SIM_EL_S32)
        w->u.i.c[row][col] = (int32_t)(uint32_t)x;
    else
        w->u.r.c[row][col] =
            w->t.c == XG_SIM_EL_F64 ? xg_f64_of_bits(x) : (double)xg_sim_tile_float(w->t.c, (uint32_t)x);
}
XG_FN uint64_t xg_sim_work_get(const xg_sim_work *w, uint32_t row, uint32_t col) {
    double x;
    uint32_t bits;
    if (w->t.d == XG_SIM_EL_S32) {
        int64_t i = w->u.i.c[row][col];
        return w->t.flags & XG_SIM_TF_SATURATE ? (uint32_t)(int32_t)XG_MAX(XG_MIN(i, INT32_MAX), INT32_MIN)
                                               : (uint32_t)(uint64_t)i;
    }
    x = w->u.r.c[row][col];
    if (w->t.d == XG_SIM_EL_F64) return x != x ? 0xFFF8000000000000u : xg_f64_bits(x);
    if (w->t.d == XG_SIM_EL_F32) return xg_sim_tile_single(x);
    bits = xg_sim_tile_half(x);
    /* wmma of f16: infinities become the largest number */
    return w->t.flags & XG_SIM_TF_SATURATE && (bits & 0x7FFF) == 0x7C00 ? bits - 1 : bits;
}

/* C += A B. Exclusive or instead of the product, of single bits, has no function of its own. */
XG_FN void xg_sim_work_multiply(const xg_sim_tile_fns *fns, xg_sim_work *w) {
    const uint32_t m = XG_MIN(w->t.m, 16u), k = w->t.k;
    uint32_t i, j, q;
    if (xg_sim_elems[w->t.a].real)
        fns->multiply(&w->u.r, m, k, w->t.a == XG_SIM_EL_F64);
    else if (!(w->t.flags & XG_SIM_TF_XOR))
        fns->pair_multiply(&w->u.i, m, k);
    else
        for (i = 0; i < m; i++)
            for (q = 0; q < k; q++)
                for (j = 0; j < 8; j++) w->u.i.c[i][j] += w->u.i.a[i][q] ^ w->u.i.b[q / 2][j][q & 1];
}

/* ---- where elements lie: element e of register i of a lane ---- */

typedef struct xg_sim_at {
    uint32_t row, col;
} xg_sim_at;
XG_FN xg_sim_at xg_sim_at_a(
    uint32_t lane, uint32_t i, uint32_t e, uint32_t per, uint32_t m) { /* per: elements of a register */
    xg_sim_at p;
    p.row = lane / 4 + (m > 8 ? 8 * (i & 1) : 0);
    p.col = lane % 4 * per + e + 4 * per * (m > 8 ? i >> 1 : i);
    return p;
}
XG_FN xg_sim_at xg_sim_at_c(uint32_t lane, uint32_t v) { /* v: the number of the element, not of the register */
    xg_sim_at p;
    p.row = lane / 4 + 8 * (v >> 1);
    p.col = lane % 4 * 2 + (v & 1);
    return p;
}

/* Element e of a register of 32 bits, or the register of 64. */
XG_FN uint64_t xg_sim_tile_bits(const char *slot, uint32_t lane, xg_sim_elem el, uint32_t e) {
    uint32_t bits = xg_sim_elems[el].bits;
    uint64_t x;
    if (bits == 64) {
        memcpy(&x, slot + (size_t)lane * 8, 8);
        return x;
    }
    x = xg_sim_lane_u32(slot, lane);
    return bits == 32 ? x : x >> (e * bits) & ((1u << bits) - 1);
}
XG_INLINE uint32_t xg_sim_tile_per(xg_sim_elem e) { return e == XG_SIM_EL_F64 ? 1 : 32u / xg_sim_elems[e].bits; }

/* ---- sparse A ---- */

/* The metadata of row r: 4 bits for each group of four (tf32: two, s4 and u4: eight) elements of A. */
XG_FN uint64_t xg_sim_metadata(const char *slot, const xg_sim_tile *t, uint32_t r) {
    uint32_t quad = r % 8 * 4, half = r / 8, which = xg_sim_selectors(t), first;
    uint64_t x = 0;
    bool byrow = xg_sim_elems[t->a].bits <= 8; /* words hold one row; otherwise two halves hold rows r and r + 8 */
    if (which == 4) return xg_sim_lane_u32(slot, quad + t->selector) >> (16 * half) & 0xFFFF;
    first = quad + 2 * t->selector;
    if (!byrow)
        return (xg_sim_lane_u32(slot, first) >> (16 * half) & 0xFFFF) |
               (uint64_t)(xg_sim_lane_u32(slot, first + 1) >> (16 * half) & 0xFFFF) << 16;
    x = xg_sim_lane_u32(slot, quad + (which == 2 ? 2 * t->selector : 0) + half);
    return which == 2 ? x : x | (uint64_t)xg_sim_lane_u32(slot, quad + 2 + half) << 32;
}
/* Where element c of a packed row stands in the whole row; NOREG when the metadata is wrong. */
XG_FN uint32_t xg_sim_sparse_col(const xg_sim_tile *t, uint64_t meta, uint32_t c) {
    uint32_t four, lo, hi;
    if (t->a == XG_SIM_EL_TF32) { /* one of two */
        four = (uint32_t)(meta >> (4 * c)) & 15;
        return four == 14 ? 2 * c + 1 : four == 4 ? 2 * c : XG_SIM_NOREG;
    }
    if (t->a == XG_SIM_EL_S4 || t->a == XG_SIM_EL_U4) { /* pairs */
        uint32_t pair = c / 2, group = pair / 2;
        four = (uint32_t)(meta >> (4 * group)) & 15;
        lo = four & 3;
        hi = four >> 2;
        if (t->flags & XG_SIM_TF_ORDERED && lo >= hi) return XG_SIM_NOREG;
        return 8 * group + 2 * (pair & 1 ? hi : lo) + (c & 1);
    }
    four = (uint32_t)(meta >> (4 * (c / 2))) & 15;
    lo = four & 3;
    hi = four >> 2;
    if (t->flags & XG_SIM_TF_ORDERED && lo >= hi) return XG_SIM_NOREG;
    return 4 * (c / 2) + (c & 1 ? hi : lo);
}
/* Spreads the packed row-major A of 16 rows, k / 2 bits patterns each, over the whole k. */
XG_FN bool xg_sim_work_expand(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x, const char *meta) {
    uint32_t r, c, half = x->t.k / 2;
    bool real = xg_sim_elems[x->t.a].real != 0;
    for (r = 0; r < 16; r++) {
        uint64_t m = xg_sim_metadata(meta, &x->t, r);
        double f[XG_SIM_TILE_REALS_K];
        int16_t i[XG_SIM_TILE_K];
        for (c = 0; c < half; c++) {
            if (real) {
                f[c] = x->u.r.a[r][c];
                x->u.r.a[r][c] = 0;
            } else {
                i[c] = x->u.i.a[r][c];
                x->u.i.a[r][c] = 0;
            }
        }
        for (c = half; c < x->t.k; c++) {
            if (real)
                x->u.r.a[r][c] = 0;
            else
                x->u.i.a[r][c] = 0;
        }
        for (c = 0; c < half; c++) {
            uint32_t to = xg_sim_sparse_col(&x->t, m, c);
            if (to == XG_SIM_NOREG) {
                xg_sim_fault(w, v, in, r % 8 * 4, XG_SIM_FAULT_OPERAND,
                    "the metadata of row %u of a sparse tile is none: 0x%llX", r, (unsigned long long)m);
                return false;
            }
            if (real)
                x->u.r.a[r][to] = f[c];
            else
                x->u.i.a[r][to] = i[c];
        }
    }
    return true;
}

/* ---- mma ---- */

/* Four lanes have the elements of one row of A, or of one column of B, side by side: 16 bytes of a register's slot. */
XG_FN void xg_sim_work_load_a(
    xg_sim_work *x, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const xg_sim_elem e = x->t.a;
    const uint32_t per = xg_sim_tile_per(e), step = e == XG_SIM_EL_F64 ? 32 : 16;
    uint32_t i;
    for (i = 0; i < regs; i++) {
        const xg_sim_at at = xg_sim_at_a(0, i, 0, per, x->t.m);
        const char *slot = xg_sim_slot(w, v, list[i]);
        if (xg_sim_elems[e].real)
            fns->rows(&x->u.r.a[at.row][at.col], XG_SIM_TILE_REALS_K, slot, step, 8, e);
        else
            fns->pair_rows(&x->u.i.a[at.row][at.col], XG_SIM_TILE_K, slot, step, 8, e);
    }
}
XG_FN void xg_sim_work_load_b(
    xg_sim_work *x, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const xg_sim_elem e = x->t.b;
    const uint32_t per = xg_sim_tile_per(e), step = e == XG_SIM_EL_F64 ? 32 : 16;
    double reals[8][XG_SIM_TILE_REALS_K];
    int16_t ints[8][XG_SIM_TILE_K];
    uint32_t i;
    for (i = 0; i < regs; i++) {
        const char *slot = xg_sim_slot(w, v, list[i]);
        if (xg_sim_elems[e].real)
            fns->rows(&reals[0][4 * per * i], XG_SIM_TILE_REALS_K, slot, step, 8, e);
        else
            fns->pair_rows(&ints[0][4 * per * i], XG_SIM_TILE_K, slot, step, 8, e);
    }
    if (xg_sim_elems[e].real)
        fns->turn(x->u.r.b, (const double(*)[XG_SIM_TILE_REALS_K])reals, x->t.k);
    else
        fns->pair_turn(x->u.i.b, (const int16_t(*)[XG_SIM_TILE_K])ints, x->t.k);
}
/* A tile of C of 8 columns from its registers, and D back into them. */
XG_FN void xg_sim_work_load_c(
    xg_sim_work *x, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    uint32_t i, lane;
    if (x->t.c == XG_SIM_EL_F32) {
        for (i = 0; i < regs; i += 2)
            fns->c_rows(&x->u.r.c[4 * i], xg_sim_slot(w, v, list[i]), xg_sim_slot(w, v, list[i + 1]));
        return;
    }
    if (x->t.c == XG_SIM_EL_F16) {
        for (i = 0; i < regs; i++) fns->rows(x->u.r.c[8 * i], 8, xg_sim_slot(w, v, list[i]), 16, 8, XG_SIM_EL_F16);
        return;
    }
    if (x->t.c == XG_SIM_EL_S32) {
        for (i = 0; i < regs; i += 2)
            fns->int_c_rows(&x->u.i.c[4 * i], xg_sim_slot(w, v, list[i]), xg_sim_slot(w, v, list[i + 1]));
        return;
    }
    for (i = 0; i < regs; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++)
            memcpy(&x->u.r.c[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + (i & 1)],
                xg_sim_slot(w, v, list[i]) + (size_t)lane * 8, 8);
}
XG_FN void xg_sim_work_store_d(
    const xg_sim_work *x, const xg_sim_worker *w, xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const double(*c)[8] = (const double(*)[8])x->u.r.c;
    uint32_t i, lane;
    if (x->t.d == XG_SIM_EL_F32) {
        for (i = 0; i < regs; i += 2) fns->d_rows(c + 4 * i, v->regs + list[i], v->regs + list[i + 1]);
        return;
    }
    if (x->t.d == XG_SIM_EL_F16) {
        for (i = 0; i < regs; i++) fns->half_rows(c + 8 * i, v->regs + list[i]);
        return;
    }
    if (x->t.d == XG_SIM_EL_S32) {
        for (i = 0; i < regs; i += 2)
            fns->int_d_rows((const int64_t(*)[8])x->u.i.c + 4 * i, v->regs + list[i], v->regs + list[i + 1],
                (x->t.flags & XG_SIM_TF_SATURATE) != 0);
        return;
    }
    for (i = 0; i < regs; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            const uint32_t row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + (i & 1);
            const uint64_t bits = xg_sim_work_get(x, row, col);
            memcpy(v->regs + list[i] + (size_t)lane * 8, &bits, 8);
        }
}
XG_FN void xg_sim_exec_mma(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list;
    uint32_t sparse, na, nb, nc;
    x.t = xg_sim_tile_of(in);
    sparse = (x.t.flags & XG_SIM_TF_SPARSE) != 0;
    na = xg_sim_tile_regs(x.t.m * x.t.k / (1 + sparse), x.t.a);
    nb = xg_sim_tile_regs(x.t.k * x.t.n, x.t.b);
    nc = xg_sim_tile_regs(x.t.m * x.t.n, x.t.c);
    xg_sim_work_load_a(&x, w, v, list, na);
    xg_sim_work_load_b(&x, w, v, list + na, nb);
    xg_sim_work_load_c(&x, w, v, list + na + nb, nc);
    if (sparse && !xg_sim_work_expand(w, v, in, &x, xg_sim_slot(w, v, list[na + nb + nc]))) return;
    xg_sim_work_multiply(xg_sim_tile_fns_of(w), &x);
    xg_sim_work_store_d(&x, w, v, list + in->n - in->d2bytes, in->d2bytes);
}

/* mma.m8n8k4 of f16: four multiplications, each by eight threads, those of two quads. */
XG_FN void xg_sim_exec_volta(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    uint32_t group, k, i, lane, out[8][XG_SIM_WARP];
    x.t = xg_sim_tile_of(in);
    for (group = 0; group < 4; group++) {
        for (k = 0; k < 8; k++) {
            uint32_t high = 4 * (k / 4);
            lane = group * 4 + k % 4 + 16 * (k / 4);
            for (i = 0; i < 4; i++) {
                uint32_t a = (uint32_t)xg_sim_tile_bits(xg_sim_slot(w, v, list[i / 2]), lane, XG_SIM_EL_F16, i & 1),
                         b = (uint32_t)xg_sim_tile_bits(xg_sim_slot(w, v, list[2 + i / 2]), lane, XG_SIM_EL_F16, i & 1);
                if (x.t.flags & XG_SIM_TF_ACOL)
                    xg_sim_work_put(&x, false, i + high, lane % 4, a);
                else
                    xg_sim_work_put(&x, false, lane % 4 + high, i, a);
                if (x.t.flags & XG_SIM_TF_BROW)
                    xg_sim_work_put(&x, true, lane % 4, i + high, b);
                else
                    xg_sim_work_put(&x, true, i, lane % 4 + high, b);
            }
            for (i = 0; i < 8; i++) {
                if (x.t.c == XG_SIM_EL_F16)
                    xg_sim_work_put_c(&x, lane % 4 + high, i,
                        xg_sim_tile_bits(xg_sim_slot(w, v, list[4 + i / 2]), lane, XG_SIM_EL_F16, i & 1));
                else
                    xg_sim_work_put_c(&x, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1),
                        xg_sim_tile_bits(xg_sim_slot(w, v, list[4 + i]), lane, XG_SIM_EL_F32, 0));
            }
        }
        xg_sim_work_multiply(xg_sim_tile_fns_of(w), &x);
        for (k = 0; k < 8; k++) {
            uint32_t high = 4 * (k / 4);
            lane = group * 4 + k % 4 + 16 * (k / 4);
            for (i = 0; i < in->d2bytes; i++) {
                if (x.t.d == XG_SIM_EL_F16)
                    out[i][lane] = (uint32_t)(xg_sim_work_get(&x, lane % 4 + high, 2 * i) |
                                              xg_sim_work_get(&x, lane % 4 + high, 2 * i + 1) << 16);
                else
                    out[i][lane] =
                        (uint32_t)xg_sim_work_get(&x, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1));
            }
        }
    }
    for (i = 0; i < in->d2bytes; i++) memcpy(v->regs + to[i], out[i], sizeof out[i]);
}

/* ---- wmma ---- */

/* The element that number q of a lane is: rows * cols of them over 32 lanes, then again. */
XG_FN xg_sim_at xg_sim_at_wmma(uint32_t lane, uint32_t q, uint32_t rows, uint32_t cols) {
    uint32_t each = rows * cols / XG_SIM_WARP, n = lane * each + q % each;
    xg_sim_at p;
    p.row = n / cols;
    p.col = n % cols;
    return p;
}
/* Element (row, col). Of B with elements smaller than a byte a thread holds consecutive elements of the columns, as
 * memory has them. */
XG_FN uint64_t xg_sim_wmma_bits(const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, xg_sim_elem el,
    uint32_t rows, uint32_t cols, uint32_t row, uint32_t col, bool b) {
    uint32_t each = rows * cols / XG_SIM_WARP, n = b && xg_sim_elems[el].bits < 8 ? col * rows + row : row * cols + col,
             per = xg_sim_tile_per(el), q = n % each;
    return xg_sim_tile_bits(xg_sim_slot(w, v, list[q / per]), n / each, el, q % per);
}
/* One part of 16 x 8 of D (8 x 8 where a tile has no more rows). */
XG_FN void xg_sim_wmma_part(const xg_sim_worker *w, const xg_sim_warp *v, xg_sim_work *x, const uint32_t *list,
    uint32_t na, uint32_t nb, uint32_t row, uint32_t col) {
    uint32_t i, j, k, m = XG_MIN(x->t.m, 16u);
    for (k = 0; k < x->t.k; k++) {
        for (i = 0; i < m; i++)
            xg_sim_work_put(x, false, i, k, xg_sim_wmma_bits(w, v, list, x->t.a, x->t.m, x->t.k, row + i, k, false));
        for (j = 0; j < 8; j++)
            xg_sim_work_put(x, true, k, j, xg_sim_wmma_bits(w, v, list + na, x->t.b, x->t.k, x->t.n, k, col + j, true));
    }
    for (i = 0; i < m; i++)
        for (j = 0; j < 8; j++)
            xg_sim_work_put_c(
                x, i, j, xg_sim_wmma_bits(w, v, list + na + nb, x->t.c, x->t.m, x->t.n, row + i, col + j, false));
    xg_sim_work_multiply(xg_sim_tile_fns_of(w), x);
}
XG_FN void xg_sim_exec_wmma(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    uint64_t out[32][32];
    uint32_t i, j, row, col, na, nb, q, lane, per, m;
    size_t r;
    x.t = xg_sim_tile_of(in);
    m = XG_MIN(x.t.m, 16u);
    na = nb = 0;
    for (r = 0; r < XG_COUNT(xg_sim_wmmas); r++) {
        const xg_sim_wmma_row *k = &xg_sim_wmmas[r];
        if (k->m == x.t.m && k->n == x.t.n && k->k == x.t.k && xg_sim_in_choice(k->ab, xg_sim_elems[x.t.a].text)) {
            na = k->a;
            nb = k->b;
        }
    }
    for (row = 0; row < x.t.m; row += m)
        for (col = 0; col < x.t.n; col += 8) {
            xg_sim_wmma_part(w, v, &x, list, na, nb, row, col);
            for (i = 0; i < m; i++)
                for (j = 0; j < 8; j++) out[row + i][col + j] = xg_sim_work_get(&x, i, j);
        }
    per = xg_sim_tile_per(x.t.d);
    for (i = 0; i < in->d2bytes; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            uint64_t bits = 0;
            for (q = 0; q < per; q++) {
                xg_sim_at at = xg_sim_at_wmma(lane, i * per + q, x.t.m, x.t.n);
                bits |= out[at.row][at.col] << (16 * q);
            }
            if (x.t.d == XG_SIM_EL_F64)
                memcpy(v->regs + to[i] + (size_t)lane * 8, &bits, 8);
            else
                xg_sim_put_u32(v->regs + to[i], lane, (uint32_t)bits);
        }
}

/* A set of places; more room than a tile has elements. */
enum {
    XG_SIM_PLACES = 1024
};
XG_FN uint32_t xg_sim_places_add(uint64_t *places, uint64_t place) { /* 1: it is new */
    uint32_t k = (uint32_t)(place ^ place >> 7) & (XG_SIM_PLACES - 1);
    for (; places[k]; k = (k + 1) & (XG_SIM_PLACES - 1))
        if (places[k] == place) return 0;
    places[k] = place;
    return 1;
}
/* wmma.load and wmma.store: element by element; of elements smaller than a byte, register by register. */
XG_FN void xg_sim_exec_wmma_move(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store) {
    uint64_t sectors[XG_SIM_PLACES], lines[XG_SIM_PLACES];
    uint32_t n_sectors = 0, n_lines = 0;
    bool shared;
    xg_sim_tile t = xg_sim_tile_of(in);
    const uint32_t *list = w->m->list + in->list;
    uint32_t which = t.flags >> 1, rows = which == 1 ? t.k : t.m, cols = which == 0 ? t.k : t.n,
             bits = xg_sim_elems[t.a].bits, step = bits < 8 ? 32 / bits : 1, bytes = bits < 8 ? 4 : bits / 8;
    uint32_t where = in->op >> 8, lane, q, total = XG_MAX(1u, rows * cols / XG_SIM_WARP), regs = in->n,
             per = xg_sim_tile_per(t.a);
    bool col = (t.flags & 1) != 0;
    /* read before anything is written: a result may have its slot */
    uint32_t ld = in->flags & 16 ? xg_sim_lane_u32(xg_sim_slot(w, v, in->b), 0) : col ? rows : cols;
    uint64_t base = xg_sim_lane_address(xg_sim_slot(w, v, in->a), 0, (where & 16) != 0, 0);
    memset(sectors, 0, sizeof sectors);
    memset(lines, 0, sizeof lines);
    for (q = 0; q < regs * per; q += step) {
        xg_sim_reach r;
        if (store && q >= total) break;
        memset(&r, 0, sizeof r);
        r.shape = XG_SIM_ANY;
        r.bytes = bytes;
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            xg_sim_at at = xg_sim_at_wmma(lane, q, rows, cols);
            if (bits < 8 && which == 1) {
                uint32_t n = lane * total + q % total;
                at.col = n / rows;
                at.row = n % rows;
            } /* as xg_sim_wmma_bits has it */
            r.to.p[lane] = xg_sim_reach_lane(w, v, in, lane, (xg_sim_space)(where & 15),
                base + (uint64_t)(col ? at.col * (uint64_t)ld + at.row : at.row * (uint64_t)ld + at.col) * bits / 8,
                bytes, store);
            if (!r.to.p[lane]) return;
            if (q >= total) continue; /* registers beyond the tile hold it again */
            n_sectors += xg_sim_places_add(sectors, (uint64_t)(uintptr_t)r.to.p[lane] >> 5);
            n_lines += xg_sim_places_add(lines, (uint64_t)(uintptr_t)r.to.p[lane] >> 7);
        }
        if (!xg_sim_shadow(w, v, in, &r, 0xFFFFFFFFu, bytes, store ? XG_SIM_WRITES : XG_SIM_READS, false)) return;
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            char *slot = store ? NULL : v->regs + list[q / per] + (size_t)lane * (bits == 64 ? 8 : 4);
            if (store)
                memcpy(r.to.p[lane],
                    xg_sim_slot(w, v, list[q / per]) + (size_t)lane * (bits == 64 ? 8 : 4) + (q % per) * bytes, bytes);
            else
                memcpy(slot + (q % per) * bytes, r.to.p[lane], bytes);
        }
    }
    shared = xg_sim_owner(w, (const char *)(uintptr_t)base) || (where & 15) == XG_SIM_SHARED;
    if (shared) {
        w->stats.shared_transactions += XG_MAX(n_lines, (rows * cols * bits / 8 + 127) / 128);
        *(store ? &w->stats.shared_stores : &w->stats.shared_loads) += 1;
        return;
    }
    w->stats.sectors += n_sectors;
    w->stats.minimum_sectors += XG_MIN(n_sectors, (rows * cols * bits / 8 + 31) / 32);
    w->stats.global_transactions += n_lines;
    *(store ? &w->stats.global_stores : &w->stats.global_loads) += 1;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Of the lanes that store rows of 16 bytes, those whose row changes something: the others disturb no other warp. */
XG_FN uint32_t xg_sim_rows_changed(const xg_sim_worker *w, const xg_sim_reach *r, uint32_t mask, const char *rows) {
    uint32_t lane, i;
    for (lane = 0; lane < XG_SIM_WARP; lane++) {
        const char *p;
        xg_sim_worker *of;
        if (!(mask >> lane & 1)) continue;
        p = xg_sim_reach_at(r, lane);
        of = xg_sim_owner(w, p);
        if (!of || memcmp(p, rows + (size_t)lane * 16, 16) != 0) continue;
        for (i = 0; i < 16 && xg_sim_byte_state(of, (size_t)(p - of->shared) + i) == XG_SIM_WRITTEN; i++) {}
        if (i == 16) mask &= ~(1u << lane);
    }
    return mask;
}
/* Lanes 8j to 8j+7 give the rows of matrix j, 16 bytes each; a lane's register j holds elements 2c and 2c+1 of row lane
 * / 4, or transposed of the column: a register's slot is the matrix as it is, or turned. */
/* Eight rows of eight items of 16 bits, turned. */
XG_FN void xg_sim_turn_halves(char *to, const char *from) {
#if XG_SIM_X86
    const __m128i *p = (const __m128i *)(const void *)from;
    __m128i *q = (__m128i *)(void *)to, x[8], y[8];
    int i;
    for (i = 0; i < 4; i++) {
        const __m128i a = _mm_loadu_si128(p + i), b = _mm_loadu_si128(p + i + 4);
        x[2 * i] = _mm_unpacklo_epi16(a, b);
        x[2 * i + 1] = _mm_unpackhi_epi16(a, b);
    }
    for (i = 0; i < 4; i++) {
        y[2 * i] = _mm_unpacklo_epi16(x[i], x[i + 4]);
        y[2 * i + 1] = _mm_unpackhi_epi16(x[i], x[i + 4]);
    }
    for (i = 0; i < 4; i++) {
        _mm_storeu_si128(q + 2 * i, _mm_unpacklo_epi16(y[i], y[i + 4]));
        _mm_storeu_si128(q + 2 * i + 1, _mm_unpackhi_epi16(y[i], y[i + 4]));
    }
#else
    uint32_t i, k;
    for (i = 0; i < 8; i++)
        for (k = 0; k < 8; k++) memcpy(to + 16 * i + 2 * k, from + 16 * k + 2 * i, 2);
#endif
}
XG_FN void xg_sim_exec_ldmatrix(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store) {
    const uint32_t *list = w->m->list + in->list;
    uint32_t n = in->n, mask = n == 4 ? 0xFFFFFFFFu : (1u << (8 * n)) - 1, j, row;
    char tiles[4][128];
    xg_sim_reach r;
    memset(tiles, 0, sizeof tiles);
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), 0, (in->imm2 & 16) != 0, (xg_sim_space)(in->imm2 & 15),
            mask, 16, store, &r))
        return;
    if (!store) {
        if (!xg_sim_shadow(w, v, in, &r, mask, 16, XG_SIM_READS, false)) return;
        w->stats.shared_loads++;
        if (r.shape == XG_SIM_FEW)
            for (row = 0; row < 8 * n; row++) memcpy((char *)tiles + 16 * row, r.at + r.to.off[row], 16);
        else
            for (row = 0; row < 8 * n; row++) memcpy((char *)tiles + 16 * row, xg_sim_reach_at(&r, row), 16);
        for (j = 0; j < n; j++)
            if (in->imm)
                xg_sim_turn_halves(v->regs + list[j], tiles[j]);
            else
                memcpy(v->regs + list[j], tiles[j], 128);
        return;
    }
    w->stats.shared_stores++;
    for (j = 0; j < n; j++)
        if (in->imm)
            xg_sim_turn_halves(tiles[j], xg_sim_slot(w, v, list[j]));
        else
            memcpy(tiles[j], xg_sim_slot(w, v, list[j]), 128);
    mask = xg_sim_rows_changed(w, &r, mask, tiles[0]);
    if (mask && !xg_sim_shadow(w, v, in, &r, mask, 16, XG_SIM_WRITES, false)) return;
    for (row = 0; row < 8 * n; row++) memcpy(xg_sim_reach_at(&r, row), tiles[row / 8] + row % 8 * 16, 16);
}
XG_FN void xg_sim_exec_movmatrix(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    const uint32_t *list = w->m->list + in->list;
    uint32_t lane, from[XG_SIM_WARP];
    memcpy(from, xg_sim_slot(w, v, list[0]), sizeof from);
    for (lane = 0; lane < XG_SIM_WARP; lane++) { /* element (row, col) is half col & 1 of lane 4 row + col / 2 */
        uint32_t row = lane / 4, col = lane % 4 * 2, lo = from[col * 4 + row / 2] >> (row & 1) * 16 & 0xFFFF,
                 hi = from[(col + 1) * 4 + row / 2] >> (row & 1) * 16 & 0xFFFF;
        xg_sim_put_u32(v->regs + list[1], lane, lo | hi << 16);
    }
}

#endif /* XG_SIM_MATRIX_C */
