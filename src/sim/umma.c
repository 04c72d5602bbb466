/* sim/umma.c -- the multiplications of tensor memory, tcgen05.mma; and the records of K_TENSOR.
 *
 * D lies in tensor memory, B in shared memory, A in either. A word of 32 bits says shapes and types, 64 bits say how a
 * matrix lies in shared memory. A multiplication reads each row of A and B in chunks of 16 bytes, spreads them out into
 * doubles (scales are multiplied in: all products are exact), and adds them to D row by row in the order of k.
 *
 * Where row r and column n of D lie: lane and column of tensor memory
 *   128 rows a block        lane r, column n
 *   64 rows, one block      lane r % 16 + r / 16 * 32 (16 lanes of each quarter), column n
 *   64 rows a block, else   lane r + 64 * (n / (N/2)), column n % (N/2)
 *   32 rows a block         lane r + 32 * (n / (N/4)), column n % (N/4)
 * and A, when it lies there too, in the same lanes.
 *
 * A scale of row or column i: lane i % 32 of each quarter, column i / 32, a byte of it. */
#ifndef XG_SIM_UMMA_C
#define XG_SIM_UMMA_C
#include "tensor.c"

enum {
    XG_SIM_UMMA_K = 64,    /* elements, at most */
    XG_SIM_UMMA_ROWS = 16, /* of A that are read together, at most */
    XG_SIM_UMMA_N = 256
};

/* One multiplication. */
typedef struct xg_sim_umma {
    xg_sim_worker *w;
    const xg_sim_warp *v;
    const xg_sim_ins *in;
    uint32_t lane, issuer, state;
    xg_sim_ummakind kind;
    uint32_t m, n, k, rows; /* rows: of D in a block */
    uint32_t parts;         /* of D's columns, side by side in the lanes: 1, 2 or 4 */
    bool quarters;          /* 16 lanes of each quarter */
    xg_sim_elem a, b, d;
    uint32_t a_bits, b_bits; /* of an element in its chunk */
    bool a_transposed, b_transposed, a_minus, b_minus, saturate, add;
    uint32_t d_at, a_at, scale_a, scale_b, scale_a_byte, scale_b_byte, scales; /* addresses in tensor memory */
    bool scale_ue8m0;
    uint64_t a_matrix, b_matrix;
} xg_sim_umma;

/* ---- matrices in shared memory ---- */

/* What a matrix descriptor says. */
typedef struct xg_sim_umma_matrix {
    uint32_t start, lead, stride, base, mode, span, per, atom;
    bool transposed;
} xg_sim_umma_matrix;
XG_FN xg_sim_umma_matrix xg_sim_umma_matrix_of(uint64_t d, bool transposed) {
    static const uint8_t modes[8] = {0, 4, 3, 0, 2, 0, 1, 0}; /* as in tensormap.c; 4: 128 bytes, 32 together */
    xg_sim_umma_matrix m;
    m.mode = modes[d >> 61];
    m.span = m.mode ? 16u << XG_MIN(m.mode, 3u) : 16;
    m.start = (uint32_t)(d & 0x3FFF) << 4;
    m.lead = (uint32_t)(d >> 16 & 0x3FFF) << 4;
    m.stride = (uint32_t)(d >> 32 & 0x3FFF) << 4;
    m.base = (uint32_t)(d >> 49 & 7) << 7;
    m.per = m.span / 16;
    m.atom = m.mode == 4 ? 4 : 8;
    m.transposed = transposed;
    return m;
}
/* The offset in shared memory of a chunk of 16 bytes: number `chunk` of row mn along k; transposed, chunk number mn of
 * row `chunk`, which counts along k. */
XG_INLINE uint32_t xg_sim_umma_at(const xg_sim_umma_matrix *m, uint32_t mn, uint32_t chunk) {
    uint32_t a;
    if (!m->transposed)
        a = m->start + mn / 8 * m->stride + mn % 8 * m->span + chunk * (m->mode ? 16 : m->lead);
    else if (!m->mode)
        a = m->start + mn * m->stride + chunk / 8 * m->lead + chunk % 8 * 16;
    else
        a = m->start + mn / m->per * m->lead + chunk / m->atom * m->stride + chunk % m->atom * m->span +
            mn % m->per * 16;
    a -= m->base;
    a = m->mode == 4 ? a ^ (a >> 2 & 0x60u) : xg_sim_swizzle(a, m->mode);
    return (a + m->base) & 0x3FFFF;
}
XG_FN uint32_t xg_sim_umma_row_at(uint64_t descriptor, uint32_t row, uint32_t chunk) {
    const xg_sim_umma_matrix m = xg_sim_umma_matrix_of(descriptor, false);
    return xg_sim_umma_at(&m, row, chunk);
}
/* Sixteen bytes of a block's shared memory, of which the first `used` count; NULL after a fault. */
XG_FN const char *xg_sim_umma_chunk(xg_sim_worker *w, xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t at, uint32_t used) {
    if (at + 16 > w->l->shared_bytes) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
            "a matrix reaches offset %u of shared memory, which has %u bytes", at + 15, w->l->shared_bytes);
        return NULL;
    }
    if (of->copy_words && !w->l->unchecked_shared) xg_sim_copy_settle(of, v, at);
    if (!xg_sim_chunk_written(of, at) && !xg_sim_fresh_bytes(w, of, v, in, lane, 0x7FFFFFFF, at, used, XG_SIM_READS))
        return NULL;
    return xg_sim_proxy(of, v, in, lane, at, used, "multiplication") ? of->shared + at : NULL;
}

/* ---- elements ---- */

XG_FN double xg_sim_umma_value(xg_sim_elem e, uint32_t x) {
    if (xg_sim_elems[e].real) return (double)xg_sim_tile_float(e, x);
    return (double)xg_sim_tile_int(e, x);
}
/* The elements of a chunk as numbers. Those of 4 and 6 bits stand at its start without gaps. */
XG_FN void xg_sim_umma_numbers(
    const xg_sim_worker *w, const char *chunk, xg_sim_elem e, uint32_t bits, uint32_t n, double out[32]) {
    uint32_t i;
    if (xg_sim_elems[e].real && bits >= 8) {
        xg_sim_tile_fns_of(w)->rows(out, 16, chunk, 16, 1, e);
        return;
    }
    if (e == XG_SIM_EL_S8 && n == 16) {
        for (i = 0; i < 16; i++) out[i] = (double)(int8_t)chunk[i];
        return;
    }
    for (i = 0; i < n; i++) {
        uint32_t at = i * bits, x = (uint8_t)chunk[at / 8];
        if (at % 8 + bits > 8) x |= (uint32_t)(uint8_t)chunk[at / 8 + 1] << 8;
        out[i] = xg_sim_umma_value(e, x >> at % 8 & ((1u << bits) - 1));
    }
}

/* ---- the shape ---- */

XG_FN bool xg_sim_umma_bad(const xg_sim_umma *u, const char *what, uint32_t shape) {
    xg_sim_fault(u->w, u->v, u->in, u->lane, XG_SIM_FAULT_OPERAND, "%s (instruction descriptor 0x%08X)", what, shape);
    return false;
}
/* What a format of A or B means; EL_COUNT for none. */
XG_FN xg_sim_elem xg_sim_umma_type(xg_sim_ummakind kind, uint32_t format) {
    XG_TABLE const uint8_t small_floats[8] = {XG_SIM_EL_E4M3, XG_SIM_EL_E5M2, XG_SIM_EL_COUNT, XG_SIM_EL_E2M3,
        XG_SIM_EL_E3M2, XG_SIM_EL_E2M1, XG_SIM_EL_COUNT, XG_SIM_EL_COUNT};
    switch (kind) {
    case XG_SIM_U_F16: return format == 0 ? XG_SIM_EL_F16 : format == 1 ? XG_SIM_EL_BF16 : XG_SIM_EL_COUNT;
    case XG_SIM_U_TF32: return format == 2 ? XG_SIM_EL_TF32 : XG_SIM_EL_COUNT;
    case XG_SIM_U_I8: return format == 0 ? XG_SIM_EL_U8 : format == 1 ? XG_SIM_EL_S8 : XG_SIM_EL_COUNT;
    case XG_SIM_U_MXF4:
    case XG_SIM_U_MXF4NVF4: return format == 1 ? XG_SIM_EL_E2M1 : XG_SIM_EL_COUNT;
    default: return (xg_sim_elem)small_floats[format & 7];
    }
}
XG_FN bool xg_sim_umma_types(xg_sim_umma *u, uint32_t shape) {
    bool scaled = xg_sim_umma_kinds[u->kind].scaled != 0, tight = u->kind >= XG_SIM_U_MXF4;
    uint32_t d = shape >> 4 & 3;
    u->a = xg_sim_umma_type(u->kind, tight ? shape >> 7 & 3 : shape >> 7 & 7);
    u->b = xg_sim_umma_type(u->kind, tight ? shape >> 10 & 3 : shape >> 10 & 7);
    if (u->a == XG_SIM_EL_COUNT || u->b == XG_SIM_EL_COUNT)
        return xg_sim_umma_bad(u, "A or B has a type that this kind of multiplication does not take", shape);
    u->d = scaled || d == 1 ? XG_SIM_EL_F32 : d == 0 ? XG_SIM_EL_F16 : XG_SIM_EL_S32;
    if ((u->d == XG_SIM_EL_S32) != (u->kind == XG_SIM_U_I8) || (!scaled && d == 3) ||
        (u->d == XG_SIM_EL_F16 && (u->kind == XG_SIM_U_TF32 || u->a == XG_SIM_EL_BF16)))
        return xg_sim_umma_bad(u, "D has a type that this kind of multiplication does not give", shape);
    u->a_bits = xg_sim_elems[u->a].bits;
    u->b_bits = xg_sim_elems[u->b].bits;
    u->k = u->kind == XG_SIM_U_F16 ? 16 : u->kind == XG_SIM_U_TF32 ? 8 : tight ? 64 : 32;
    if (shape & 4) return xg_sim_umma_bad(u, "the descriptor says that A is sparse, the instruction does not", shape);
    if (tight && shape >> 31) return xg_sim_umma_bad(u, "a K of 96 is not simulated", shape);
    return true;
}
XG_APART XG_FN bool xg_sim_umma_shape(xg_sim_umma *u, uint32_t shape) {
    bool pair = (u->in->imm & XG_SIM_N_PAIR) != 0, ws = (u->in->imm & XG_SIM_U_STATIONARY) != 0;
    bool scaled = xg_sim_umma_kinds[u->kind].scaled != 0, fits;
    if (!xg_sim_umma_types(u, shape)) return false;
    u->a_minus = (shape >> 13 & 1) != 0;
    u->b_minus = (shape >> 14 & 1) != 0;
    u->a_transposed = (shape >> 15 & 1) != 0;
    u->b_transposed = (shape >> 16 & 1) != 0;
    u->saturate = !scaled && shape >> 3 & 1;
    u->n = (shape >> 17 & 63) * 8;
    u->m = (shape >> 24 & 31) * 16;
    if ((u->a_transposed && u->a_bits < 8) || (u->b_transposed && u->b_bits < 8))
        return xg_sim_umma_bad(u, "elements of less than 8 bits must be contiguous along K", shape);
    if (ws)
        fits = (u->m == 32 || u->m == 64 || u->m == 128) && (u->n == 64 || u->n == 128 || u->n == 256);
    else if (pair)
        fits = (u->m == 128 || u->m == 256) && u->n % 16 == 0 && u->n >= 16 && u->n <= 256;
    else
        fits = (u->m == 128 && u->n % (u->kind == XG_SIM_U_I8 && u->n > 24 ? 16u
                                          : scaled                         ? 8u
                                                                           : 16u) ==
                                   0) ||
               (u->m == 64 && !scaled && u->n % (u->kind == XG_SIM_U_I8 && u->n > 24 ? 16u : 8u) == 0);
    if (!fits || !u->n || u->n > 256) return xg_sim_umma_bad(u, "tcgen05.mma has no form with this M and N", shape);
    u->rows = pair ? u->m / 2 : u->m;
    u->quarters = !pair && !ws && u->m == 64;
    u->parts = u->quarters ? 1 : 128 / u->rows;
    if (scaled) {
        u->scale_ue8m0 = (shape >> 23 & 1) != 0;
        u->scale_a_byte = shape >> 29 & 3;
        u->scale_b_byte = shape >> 4 & 3;
        if (u->scales + XG_MAX(u->scale_a_byte, u->scale_b_byte) > 4)
            return xg_sim_umma_bad(u, "the scales of a row lie in one word of 32 bits", shape);
        if (!u->scale_ue8m0 && u->kind != XG_SIM_U_MXF4NVF4)
            return xg_sim_umma_bad(u, "this kind of multiplication has scales of type ue8m0", shape);
    }
    return true;
}
/* Lane and column of D, without the address. */
XG_FN xg_sim_at xg_sim_umma_place(const xg_sim_umma *u, uint32_t row, uint32_t n) {
    uint32_t width = u->n / u->parts;
    xg_sim_at p;
    p.row = u->quarters ? row % 16 + row / 16 * 32 : row + u->rows * (n / width);
    p.col = n % width;
    return p;
}

/* ---- A, B and their scales ---- */

/* Tiles are larger than the nearest caches: what the next rows will read is asked for now. */
XG_FN void xg_sim_umma_ahead(const xg_sim_worker *of, size_t at) {
    if (at + 16 > of->l->shared_bytes) return;
    XG_PREFETCH(of->shared + at);
    XG_PREFETCH(of->marks + at / 4);
    XG_PREFETCH(of->shadow + at);
    if (of->copy_words) XG_PREFETCH(of->copy_words + at / 4);
}
/* `count` rows of A or columns of B from number mn on: those that a chunk holds side by side when the matrix is
 * transposed, else one. Element k of number r goes to out[r * row + k * step]. False after a fault. */
XG_FN bool xg_sim_umma_rows(const xg_sim_umma *u, xg_sim_worker *of, bool b, uint32_t mn, uint32_t count, double *out,
    size_t row, size_t step) {
    xg_sim_elem e = b ? u->b : u->a;
    uint32_t bits = b ? u->b_bits : u->a_bits, k, i, per = 128 / bits;
    uint32_t held = bits < 8 && u->kind < XG_SIM_U_MXF4 ? 16 : per; /* of a chunk; padded where they are small */
    bool transposed = b ? u->b_transposed : u->a_transposed, minus = b ? u->b_minus : u->a_minus;
    uint64_t matrix = b ? u->b_matrix : u->a_matrix;
    const xg_sim_umma_matrix m = xg_sim_umma_matrix_of(matrix, transposed);
    size_t ahead = (size_t)(matrix >> 32 & 0x3FFF) << (transposed ? 5 : 4); /* the next 16 of k, or rows */
    for (k = 0; k < u->k; k += transposed ? 1 : held) {
        uint32_t at = transposed ? xg_sim_umma_at(&m, mn / per, k) : xg_sim_umma_at(&m, mn, k / held);
        uint32_t n = transposed ? count : XG_MIN(held, u->k - k);
        size_t apart = transposed ? row : step;
        const char *bytes = xg_sim_umma_chunk(u->w, of, u->v, u->in, u->lane, at, held * bits / 8);
        double x[32], *to = out + k * step;
        if (!bytes) return false;
        xg_sim_umma_ahead(of, at + ahead);
        if (apart == 1 && n == held && !minus) { /* where they are wanted */
            xg_sim_umma_numbers(of, bytes, e, bits, held, to);
            continue;
        }
        xg_sim_umma_numbers(of, bytes, e, bits, held, x);
        for (i = 0; i < n; i++) to[i * apart] = minus ? -x[i] : x[i];
    }
    return true;
}
/* How many rows of A or columns of B are read together, of those up to `end`. */
XG_FN uint32_t xg_sim_umma_beside(const xg_sim_umma *u, bool b, uint32_t mn, uint32_t end) {
    uint32_t per = 128 / (b ? u->b_bits : u->a_bits);
    return (b ? u->b_transposed : u->a_transposed) ? XG_MIN(per, end - mn) : 1;
}
/* A lane of A in tensor memory. Small elements have a byte each unless all are packed. */
XG_FN bool xg_sim_umma_lane(const xg_sim_umma *u, xg_sim_worker *of, uint32_t row, double *out) {
    uint32_t bits = u->a_bits < 8 && u->kind < XG_SIM_U_MXF4 ? 8 : u->a_bits, words = u->k * bits / 32, k;
    uint32_t column = u->a_at & 0xFFFF, *cells, i;
    if (!xg_sim_cells_check(u->w, of, u->v, u->in, u->lane, row, column, words, XG_SIM_TENSOR_TAKES, u->issuer))
        return false;
    cells = of->tensor->cells + row * XG_SIM_TENSOR_COLUMNS + column;
    for (i = 0; i < words; i++) xg_sim_cell_lend(of, row, column + i, u->state);
    for (k = 0; k < u->k; k++) {
        uint32_t at = k * bits, x = cells[at / 32] >> at % 32;
        if (bits == 8 && u->a_bits == 4) x >>= 2; /* in the middle of its byte */
        x = bits == 32 ? x : x & ((1u << u->a_bits) - 1);
        out[k] = xg_sim_umma_value(u->a, x);
        if (u->a_minus) out[k] = -out[k];
    }
    return true;
}
/* Multiplies the scales of row or column i, which lies in a quarter of the lanes, into k numbers. */
XG_FN bool xg_sim_umma_scale(
    const xg_sim_umma *u, xg_sim_worker *of, bool b, uint32_t quarter, uint32_t i, double *out, size_t step) {
    uint32_t address = b ? u->scale_b : u->scale_a, byte = b ? u->scale_b_byte : u->scale_a_byte;
    uint32_t row = quarter * 32 + i % 32, column = (address & 0xFFFF) + i / 32, k, each = u->k / XG_MAX(1u, u->scales);
    uint32_t word;
    if (!u->scales) return true;
    if (!xg_sim_cells_check(u->w, of, u->v, u->in, u->lane, row, column, 1, XG_SIM_TENSOR_TAKES, u->issuer))
        return false;
    word = of->tensor->cells[row * XG_SIM_TENSOR_COLUMNS + column];
    xg_sim_cell_lend(of, row, column, u->state);
    for (k = 0; k < u->k; k++)
        out[k * step] *= xg_sim_scale_float(!u->scale_ue8m0, word >> (8 * (byte + k / each)) & 255);
    return true;
}
/* All columns of B: of a pair, the first half lies in the even block's shared memory and the second in the odd one's.
 */
XG_FN bool xg_sim_umma_load_b(const xg_sim_umma *u, xg_sim_worker *of) {
    bool pair = (u->in->imm & XG_SIM_N_PAIR) != 0;
    uint32_t n, each = pair ? u->n / 2 : u->n, width = u->n / u->parts, count, i;
    double *b = of->tensor->b;
    for (n = 0; n < u->n; n += count) {
        xg_sim_worker *from = pair ? of->cluster->peers[(of->rank & ~1u) + n / each] : of;
        count = xg_sim_umma_beside(u, true, n % each, each);
        if (!xg_sim_umma_rows(u, from, true, n % each, count, b + n, 1, XG_SIM_UMMA_N)) return false;
        /* a part of the columns has its scales in its own lanes */
        for (i = n; u->scales && i < n + count; i++)
            if (!xg_sim_umma_scale(u, of, true, i / width * (4 / u->parts), i % width, b + i, XG_SIM_UMMA_N))
                return false;
    }
    return true;
}

/* ---- D ---- */

/* What a row of D begins with: what it holds, or zeros. */
XG_FN void xg_sim_umma_sums(const xg_sim_umma *u, const xg_sim_worker *of, uint32_t at, uint32_t n, double *sum) {
    const uint32_t *cells = of->tensor->cells + at;
    uint32_t i;
    if (!u->add)
        memset(sum, 0, n * sizeof *sum);
    else if (u->d == XG_SIM_EL_F32 || u->d == XG_SIM_EL_S32)
        xg_sim_tile_fns_of(of)->widen(sum, cells, n, u->d == XG_SIM_EL_S32);
    else
        for (i = 0; i < n; i++) sum[i] = xg_sim_umma_value(u->d, cells[i] & 0xFFFF);
}
/* A sum as an f16 or s32. */
XG_FN uint32_t xg_sim_umma_put(const xg_sim_umma *u, double x) {
    if (u->d == XG_SIM_EL_F16)
        return (uint32_t)xg_sim_pack(xg_sim_unpack(xg_f64_bits(x), XG_SIM_IS_F64), XG_SIM_IS_F16, XG_SIM_RN, false);
    if (u->saturate) x = x > 2147483647.0 ? 2147483647.0 : x < -2147483648.0 ? -2147483648.0 : x;
    return (uint32_t)(uint64_t)(int64_t)x;
}
/* One row of a part of D. False after a fault. */
XG_FN bool xg_sim_umma_d(const xg_sim_umma *u, xg_sim_worker *of, uint32_t row, uint32_t part, const double *a) {
    uint32_t width = u->n / u->parts, n, factor = u->in->imm2;
    xg_sim_at p = xg_sim_umma_place(u, row, part * width);
    uint32_t lane = p.row + (u->d_at >> 16), column = u->d_at & 0xFFFF, at = lane * XG_SIM_TENSOR_COLUMNS + column;
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(of);
    double sum[XG_SIM_UMMA_N];
    if (u->in->imm & XG_SIM_U_MASKED) {
        uint32_t word = (u->in->imm & XG_SIM_N_PAIR && of->rank & 1 ? 4 : 0) + lane / 32;
        const char *slot = xg_sim_slot(u->w, u->v, u->w->m->list[u->in->list + XG_SIM_U_MASK + word]);
        if (xg_sim_lane_u32(slot, u->lane) >> lane % 32 & 1) return true;
    }
    if (!xg_sim_cells_check(u->w, of, u->v, u->in, u->lane, lane, column, width,
            u->add ? XG_SIM_TENSOR_TAKES : XG_SIM_TENSOR_PUTS, u->issuer))
        return false;
    xg_sim_umma_sums(u, of, at, width, sum);
    for (n = 0; factor && n < width; n++) sum[n] /= (double)(1u << factor);
    fns->row_add(sum, a, of->tensor->b + part * width, XG_SIM_UMMA_N, u->k, width);
    if (u->d == XG_SIM_EL_F32 || (u->d == XG_SIM_EL_S32 && !u->saturate))
        (fns->round)(of->tensor->cells + at, sum, width, u->d == XG_SIM_EL_S32);
    else
        for (n = 0; n < width; n++) of->tensor->cells[at + n] = xg_sim_umma_put(u, sum[n]);
    xg_sim_cells_set(of, lane, column, width, u->state);
    return true;
}
/* Row r of D, by row a of A or the lanes of tensor memory that hold it. False after a fault. */
XG_FN bool xg_sim_umma_d_row(const xg_sim_umma *u, xg_sim_worker *of, uint32_t row, double *a) {
    bool in_tensor = (u->in->imm & XG_SIM_U_IN_TENSOR) != 0;
    uint32_t part;
    if (!in_tensor && !xg_sim_umma_scale(u, of, false, 0, row, a, 1)) return false;
    for (part = 0; part < u->parts; part++) {
        uint32_t lane = xg_sim_umma_place(u, row, part * (u->n / u->parts)).row + (u->a_at >> 16);
        if (in_tensor && (!xg_sim_umma_lane(u, of, lane, a) || !xg_sim_umma_scale(u, of, false, 0, row, a, 1)))
            return false;
        if (!xg_sim_umma_d(u, of, row, part, a)) return false;
    }
    return true;
}
/* The part of a multiplication whose D lies in a block. False after a fault. */
XG_FN bool xg_sim_umma_in_block(const xg_sim_umma *u, xg_sim_worker *of) {
    uint32_t row, count = 1, i;
    double *a = of->tensor->a;
    if (!xg_sim_umma_load_b(u, of)) return false;
    for (row = 0; row < u->rows; row += count) {
        if (!(u->in->imm & XG_SIM_U_IN_TENSOR)) {
            count = xg_sim_umma_beside(u, false, row, u->rows);
            if (!xg_sim_umma_rows(u, of, false, row, count, a, XG_SIM_UMMA_K, 1)) return false;
        }
        for (i = 0; i < count; i++)
            if (!xg_sim_umma_d_row(u, of, row + i, a + i * XG_SIM_UMMA_K)) return false;
    }
    return true;
}

/* ---- what is lent ---- */

XG_FN void xg_sim_umma_mark_word(xg_sim_worker *of, size_t at, bool lend) {
    const uint32_t lent = XG_SIM_LENT * 0x01010101u;
    if (lend && xg_sim_word_written(of, at)) {
        memcpy(of->shadow + at, &lent, 4);
        of->marks[at / 4] |= XG_SIM_TAG_BYTES;
    } else if (!lend && xg_sim_word_states(of, at) == lent)
        of->marks[at / 4] &= ~XG_SIM_TAG_BYTES;
    else if (xg_sim_byte_state(of, at) == (lend ? XG_SIM_WRITTEN : XG_SIM_LENT))
        xg_sim_set_bytes(of, at, 4, lend ? XG_SIM_LENT : XG_SIM_WRITTEN, true);
}
/* Sixteen bytes that have one state are the usual case. */
XG_FN void xg_sim_umma_mark_chunk(xg_sim_worker *of, size_t at, bool lend) {
    const uint64_t lent = XG_SIM_LENT * 0x0101010101010101u;
    uint32_t *tags = of->marks + at / 4, i;
    uint64_t states[2];
    memcpy(states, of->shadow + at, 16);
    if (lend && xg_sim_chunk_written(of, at)) {
        states[0] = states[1] = lent;
        memcpy(of->shadow + at, states, 16);
        for (i = 0; i < 4; i++) tags[i] |= XG_SIM_TAG_BYTES;
    } else if (!lend && tags[0] & tags[1] & tags[2] & tags[3] & XG_SIM_TAG_BYTES && states[0] == lent &&
               states[1] == lent)
        for (i = 0; i < 4; i++) tags[i] &= ~XG_SIM_TAG_BYTES;
    else
        for (i = 0; i < 16; i += 4) xg_sim_umma_mark_word(of, at + i, lend);
}
/* Each chunk of the matrices in shared memory becomes LENT, or, when the operation is complete, WRITTEN again. */
XG_FN void xg_sim_umma_mark_matrix(
    xg_sim_worker *of, uint64_t d, bool transposed, uint32_t mns, uint32_t chunks, bool lend) {
    const xg_sim_umma_matrix m = xg_sim_umma_matrix_of(d, transposed);
    uint32_t mn, chunk;
    for (mn = 0; mn < mns; mn++)
        for (chunk = 0; chunk < chunks; chunk++) {
            uint32_t at = xg_sim_umma_at(&m, mn, chunk);
            if (at + 16 <= of->l->shared_bytes) xg_sim_umma_mark_chunk(of, at, lend);
        }
}
XG_FN void xg_sim_umma_mark(const xg_sim_lease *l, bool lend) {
    uint32_t i;
    for (i = 0; i < 2; i++) {
        if (!l->of[i]) continue;
        if (l->a_rows) xg_sim_umma_mark_matrix(l->of[i], l->a, l->a_transposed, l->a_rows, l->a_chunks, lend);
        xg_sim_umma_mark_matrix(l->of[i], l->b, l->b_transposed, l->b_rows, l->b_chunks, lend);
    }
}
/* An operation has been issued that reads shared memory until it is complete. */
XG_APART XG_FN void xg_sim_umma_lend(const xg_sim_umma *u) {
    xg_sim_cluster *c = u->w->cluster;
    bool pair = (u->in->imm & XG_SIM_N_PAIR) != 0;
    uint32_t a_per = 128 / u->a_bits, b_per = 128 / u->b_bits, columns = pair ? u->n / 2 : u->n;
    uint32_t chunks = u->kind >= XG_SIM_U_MXF4 ? 2 : u->k * XG_MAX(8u, u->a_bits) / 128;
    xg_sim_lease *l;
    if (u->w->l->unchecked_shared) return;
    if (c->n_leases == XG_SIM_LEASES) { /* the oldest is given back too early: faults may be missed */
        xg_sim_umma_mark(&c->leases[0], false);
        memmove(c->leases, c->leases + 1, --c->n_leases * sizeof *c->leases);
    }
    l = &c->leases[c->n_leases++];
    memset(l, 0, sizeof *l);
    l->issuer = u->issuer;
    l->operation = c->issuers[u->issuer].issued;
    l->of[0] = u->w;
    l->of[1] = pair ? xg_sim_tensor_peer(u->w) : NULL;
    l->a = u->a_matrix;
    l->b = u->b_matrix;
    l->a_transposed = u->a_transposed;
    l->b_transposed = u->b_transposed;
    if (!(u->in->imm & XG_SIM_U_IN_TENSOR)) {
        l->a_rows = (uint16_t)(u->a_transposed ? u->rows / a_per : u->rows);
        l->a_chunks = (uint16_t)(u->a_transposed ? u->k : chunks);
    }
    l->b_rows = (uint16_t)(u->b_transposed ? columns / b_per : columns);
    l->b_chunks = (uint16_t)(u->b_transposed ? u->k : chunks);
    xg_sim_umma_mark(l, true);
}
/* The operations of an issuer up to this one are complete. */
XG_FN void xg_sim_umma_complete(xg_sim_cluster *c, uint32_t issuer, uint32_t operation) {
    uint32_t i, n = 0;
    if (c->issuers[issuer].done < operation) c->issuers[issuer].done = operation;
    for (i = 0; i < c->n_leases; i++) {
        if (c->leases[i].issuer == issuer && c->leases[i].operation <= operation)
            xg_sim_umma_mark(&c->leases[i], false);
        else
            c->leases[n++] = c->leases[i];
    }
    c->n_leases = n;
}

/* ---- the records ---- */

XG_FN uint32_t xg_sim_umma_u32(const xg_sim_umma *u, xg_sim_umma_operand i) {
    return xg_sim_lane_u32(xg_sim_slot(u->w, u->v, u->w->m->list[u->in->list + (uint32_t)i]), u->lane);
}
XG_FN uint64_t xg_sim_umma_u64(const xg_sim_umma *u, xg_sim_umma_operand i) {
    return xg_sim_mb_get(xg_sim_slot(u->w, u->v, u->w->m->list[u->in->list + (uint32_t)i]) + (size_t)u->lane * 8);
}
XG_APART XG_FN bool xg_sim_umma_issue(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_umma u;
    memset(&u, 0, sizeof u);
    u.w = w;
    u.v = v;
    u.in = in;
    u.lane = lane;
    u.kind = (xg_sim_ummakind)(in->imm & 15);
    u.scales = in->imm >> XG_SIM_U_SCALES & 7;
    u.d_at = xg_sim_umma_u32(&u, XG_SIM_U_D);
    if (in->imm & XG_SIM_U_IN_TENSOR)
        u.a_at = xg_sim_umma_u32(&u, XG_SIM_U_A);
    else
        u.a_matrix = xg_sim_umma_u64(&u, XG_SIM_U_A);
    u.b_matrix = xg_sim_umma_u64(&u, XG_SIM_U_B);
    u.add = xg_sim_umma_u32(&u, XG_SIM_U_ADD) != 0;
    u.scale_a = xg_sim_umma_u32(&u, XG_SIM_U_SCALE_A);
    u.scale_b = xg_sim_umma_u32(&u, XG_SIM_U_SCALE_B);
    if (!xg_sim_tensor_group(w, v, in, lane) || !xg_sim_umma_shape(&u, xg_sim_umma_u32(&u, XG_SIM_U_SHAPE)))
        return false;
    if (u.d_at >> 16 && !(u.quarters && u.d_at >> 16 == 16))
        return xg_sim_umma_bad(
            &u, "D of this shape begins at lane 0 of tensor memory", xg_sim_umma_u32(&u, XG_SIM_U_SHAPE));
    u.issuer = xg_sim_issuer_of(w, v, lane);
    w->cluster->issuers[u.issuer].issued++;
    u.state = xg_sim_operation_state(w->cluster, u.issuer);
    if (!xg_sim_umma_in_block(&u, w)) return false;
    if (in->imm & XG_SIM_N_PAIR && !xg_sim_umma_in_block(&u, xg_sim_tensor_peer(w))) return false;
    xg_sim_umma_lend(&u);
    if (XG_UNLIKELY(w->tracer != NULL)) {
        uint32_t blocks = in->imm & XG_SIM_N_PAIR ? 2 : 1, a = in->imm & XG_SIM_U_IN_TENSOR ? 0 : u.rows;
        uint32_t bits = a * u.k * u.a_bits + u.n / blocks * u.k * u.b_bits;
        xg_sim_trace_umma(w, v, xg_sim_trace_tensor_of(xg_str_z(xg_sim_elems[u.a].text)), (uint64_t)u.m * u.n * u.k,
            bits / (8 * XG_SIM_TRACE_LINE_BYTES), blocks);
    }
    return true;
}

XG_APART XG_FN void xg_sim_exec_tensor(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i;
    bool ok = true;
    if (in->op < XG_SIM_N_COPY && in->op != XG_SIM_N_FENCE && (mask != 0xFFFFFFFFu || v->live != 0xFFFFFFFFu)) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_INACTIVE,
            "all 32 threads of a warp must execute this instruction together; 0x%X do", mask);
        return;
    }
    switch (in->op) {
    case XG_SIM_N_FREE: xg_sim_tensor_free_columns(w, v, in); return;
    case XG_SIM_N_RELINQUISH:
        if (xg_sim_tensor_group(w, v, in, 0)) w->tensor->relinquished = true;
        return;
    case XG_SIM_N_LOAD: xg_sim_tensor_transfer(w, v, in, false); return;
    case XG_SIM_N_STORE: xg_sim_tensor_transfer(w, v, in, true); return;
    case XG_SIM_N_WAIT_STORE:
        w->tensor->waits[v->id]++;
        w->tensor->waited[v->id] = w->shared_tag;
        return;
    case XG_SIM_N_WAIT_LOAD:
    case XG_SIM_N_FENCE: return;
    default: break;
    }
    if (in->op == XG_SIM_N_MMA) w->stats.tensor_operations++;
    for (i = 0; i < XG_SIM_WARP && ok; i++) {
        if (!(mask >> i & 1)) continue;
        if (in->op == XG_SIM_N_MMA)
            ok = xg_sim_umma_issue(w, v, in, i);
        else if (in->op == XG_SIM_N_COPY)
            ok = xg_sim_tensor_group(w, v, in, i) && xg_sim_tensor_copy_lane(w, v, in, i);
        else if (in->op == XG_SIM_N_SHIFT)
            ok = xg_sim_tensor_group(w, v, in, i) && xg_sim_tensor_shift_lane(w, v, in, i);
        else
            ok = xg_sim_tensor_group(w, v, in, i) && xg_sim_tensor_commit_lane(w, v, in, i);
    }
}

#endif /* XG_SIM_UMMA_C */
