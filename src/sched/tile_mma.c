/* sched/tile_mma.c -- the main loop of a tile, on plain cores and on matrix units.
 *
 *     bring the first stages - 1 steps, each a group of copies
 *     for each step:
 *         wait until its group is there, and for all threads
 *         bring the step that is stages - 1 further on; multiply; put what went through registers into its buffer
 *
 * One barrier a step: a buffer is filled again when all have passed the barrier behind the step that it was read in.
 * A warp makes fragments of 16 rows, 16 columns and 32 bytes of k, whose words ldmatrix gives as mma takes them; its
 * fragments lie as far apart as all warps of the block together reach. */
#ifndef XG_SCHED_TILE_MMA_C
#define XG_SCHED_TILE_MMA_C
#include "tile_pack.h"

enum {
    XG_TILE_UNIT_ROWS = 8, /* of a matrix that ldmatrix loads */
    XG_TILE_UNIT_HALF = 16 /* lanes */
};

XG_FN int64_t xg_tile_unit_chunk(const xg_tile_plan *p) { return XG_TILE_ACCESS_BYTES / xg_type_bytes(p->held); }
XG_FN int64_t xg_tile_unit_word(const xg_tile_plan *p) { return XG_TILE_WORD_BYTES / xg_type_bytes(p->held); }
XG_FN int64_t xg_tile_unit_k(const xg_tile_plan *p) { return XG_KMMA_K_BYTES / xg_type_bytes(p->held); }

/* ---- where a thread stands ---- */

enum {
    XG_TILE_UNIT_WORDS = 16 /* of a row that neighbours store; as many store the same words of the next 16 rows */
};
/* Lanes count 16 words along k first, then two vectors of rows, then the other words and vectors. */
XG_FN xg_kval *xg_tile_unit_brick_line(xg_tile_kernel *w, uint32_t side, xg_kval *line) {
    xg_tile_rounds r = xg_tile_rounds_of(w->p, &w->p->fetch[side]);
    int64_t words = r.k_step / XG_TILE_UNIT_WORDS;
    xg_kval *low, *pair, *rest, *row;
    if (w->p->fetch[side].line) { /* those of a line come first */
        words = XG_MIN(r.k_step, r.k_units);
        row = xg_tile_quotient(w, line, words);
        return xg_tile_join(w, xg_tile_rest(w, line, words), r.row_step, row);
    }
    if (w->p->fetch[side].vectors < w->p->threads || r.k_step % XG_TILE_UNIT_WORDS || r.row_step < 2) return line;
    low = xg_tile_rest(w, line, XG_TILE_UNIT_WORDS);
    rest = xg_tile_quotient(w, line, XG_TILE_UNIT_WORDS);
    pair = xg_tile_rest(w, rest, 2);
    rest = xg_tile_quotient(w, rest, 2);
    low = xg_tile_join(w, xg_tile_rest(w, rest, words), XG_TILE_UNIT_WORDS, low);
    row = xg_tile_join(w, xg_tile_quotient(w, rest, words), 2, pair);
    return xg_tile_join(w, low, r.row_step, row);
}
/* Eight lanes store 16 bytes each at a time. With c pieces in a row of memory, or of it in a round of threads, they
 * reach 8 / c rows, which are to be c apart: rows lie an odd number of pieces apart. */
XG_FN xg_kval *xg_tile_unit_line(xg_tile_kernel *w, uint32_t side, xg_kval *line) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    int64_t k = xg_tile_pack_k(w->p, side), rows = t->by_rows ? t->rows : k;
    int64_t pieces = t->by_rows ? k / t->vector : xg_tile_power(t->rows / t->vector);
    int64_t inside = t->by_rows ? 1 : pieces; /* of a line of threads: what lies side by side comes first */
    xg_kval *in, *row, *apart;
    if (t->brick > 1) return xg_tile_unit_brick_line(w, side, line);
    if (t->by_rows != t->along_k || t->vector * xg_tile_unit_each(t) != XG_TILE_ACCESS_BYTES ||
        (pieces != 2 && pieces != 4))
        return line;
    if (w->p->threads / pieces < XG_TILE_UNIT_ROWS || rows < XG_TILE_UNIT_ROWS) return line;
    row = xg_tile_quotient(w, line, inside);
    in = xg_tile_rest(w, row, XG_TILE_UNIT_ROWS);
    apart = xg_tile_rest(w, in, XG_TILE_UNIT_ROWS / pieces);
    in = xg_tile_join(w, apart, pieces, xg_tile_quotient(w, in, XG_TILE_UNIT_ROWS / pieces));
    row = xg_tile_join(w, xg_tile_quotient(w, row, XG_TILE_UNIT_ROWS), XG_TILE_UNIT_ROWS, in);
    return xg_tile_join(w, row, inside, xg_tile_rest(w, line, inside));
}
/* The element of a buffer at which the matrix row lies that this lane points at, of the warp's first fragment. */
XG_FN xg_kval *xg_tile_unit_own(xg_tile_kernel *w, uint32_t side, xg_kval *lane, xg_kval *warp) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    xg_kval *half = xg_tile_quotient(w, lane, XG_TILE_UNIT_HALF), *low = xg_tile_rest(w, lane, XG_TILE_UNIT_HALF);
    xg_kval *pair = xg_tile_quotient(w, low, XG_TILE_UNIT_ROWS), *in = xg_tile_rest(w, lane, XG_TILE_UNIT_ROWS);
    xg_kval *crossed = xg_tile_join(w, half, XG_TILE_UNIT_ROWS, in), *row, *k;
    int64_t chunk = xg_tile_unit_chunk(w->p);
    bool rows_first = (side == 0) == t->by_rows; /* the 16 lanes of a half go along what lies apart in memory */
    if (xg_tile_is_across(w->p, side))           /* a k each, with 16 bytes of it */
        return xg_tile_join(w, lane, t->pitch, xg_tile_join(w, warp, chunk, xg_elem_index_0(&w->s)));
    if (t->by_rows) {
        row = xg_tile_join(w, warp, XG_KMMA_M, rows_first ? low : crossed);
        k = xg_tile_join(w, rows_first ? half : pair, chunk, xg_elem_index_0(&w->s));
        row = xg_tile_join(w, row, t->pitch, k);
        return t->slant ? xg_tile_join(w, warp, t->slant, row) : row;
    }
    k = rows_first ? low : crossed;
    if (xg_tile_unit_by_words(w->p, side)) {
        row = xg_tile_join(w, warp, XG_KMMA_M, xg_tile_quotient(w, lane, 4));
        row = xg_tile_join(w, row, xg_tile_unit_word(w->p), xg_elem_index_0(&w->s));
        return xg_tile_join(w, xg_tile_rest(w, lane, 4), t->pitch, row);
    }
    row = xg_tile_join(w, rows_first ? half : pair, XG_TILE_UNIT_ROWS, xg_elem_index_0(&w->s));
    row = xg_tile_join(w, warp, XG_KMMA_M, row);
    return xg_tile_join(w, k, t->pitch, row);
}
XG_FN void xg_tile_unit_threads(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_kval *lane = xg_tile_rest(w, w->thread, XG_WARP_LANES), *warp = xg_tile_quotient(w, w->thread, XG_WARP_LANES);
    xg_kval *across[2], *row, *column;
    uint32_t side;
    across[0] = xg_tile_quotient(w, warp, p->warps_n);
    across[1] = w->column = xg_tile_rest(w, warp, p->warps_n);
    w->quarter = xg_tile_quotient(w, lane, 4);
    if (xg_tile_is_tensor(p)) xg_tile_tensor_stand(w, across);
    for (side = 0; side < XG_TILE_SIDES && !p->shape.grouped; side++)
        w->own[side] = xg_tile_unit_own(w, side, lane, across[side]);
    row = xg_tile_join(
        w, across[0], xg_tile_is_tensor(p) ? (int64_t)XG_WARP_LANES : (int64_t)XG_KMMA_M, xg_tile_quotient(w, lane, 4));
    column = xg_tile_rest(w, lane, 4);
    column = xg_tile_join(w, column, xg_tile_is_across(p, 1) ? 4 : 2, xg_elem_index_0(&w->s));
    column = xg_tile_join(w, across[1], xg_tile_is_tensor(p) ? (int64_t)p->shape.tn : 2 * XG_KMMA_N, column);
    w->show = xg_tile_join(w, row, p->out_pitch, column);
}

/* ---- bytes that are turned ---- */

XG_FN xg_kval *xg_tile_unit_bytes(xg_tile_kernel *w, xg_kval *x, xg_kval *y, int64_t digits) {
    return xg_k3(&w->s.b, XG_K_OP_PRMT, x, y, xg_kconst_i32(&w->s.b, digits));
}
/* Four words of four bytes each become those of first bytes, of second ones ... */
XG_FN void xg_tile_unit_turn(xg_tile_kernel *w, xg_kval **v) {
    enum {
        FIRST_TWO = 0x5140, /* bytes 0 and 1 of both, alternating */
        LAST_TWO = 0x7362,
        LOW_HALVES = 0x5410,
        HIGH_HALVES = 0x7632
    };
    xg_kval *a = xg_tile_unit_bytes(w, v[0], v[1], FIRST_TWO), *b = xg_tile_unit_bytes(w, v[2], v[3], FIRST_TWO);
    xg_kval *c = xg_tile_unit_bytes(w, v[0], v[1], LAST_TWO), *d = xg_tile_unit_bytes(w, v[2], v[3], LAST_TWO);
    v[0] = xg_tile_unit_bytes(w, a, b, LOW_HALVES);
    v[1] = xg_tile_unit_bytes(w, a, b, HIGH_HALVES);
    v[2] = xg_tile_unit_bytes(w, c, d, LOW_HALVES);
    v[3] = xg_tile_unit_bytes(w, c, d, HIGH_HALVES);
}
/* The brick of some rounds, whose first one along k this is. */
XG_FN void xg_tile_unit_put_brick(xg_tile_kernel *w, xg_tile_spots *s, int64_t row_round, int64_t k_round) {
    const xg_tile_fetch *t = &w->p->fetch[s->side];
    int64_t lanes = t->brick * xg_tile_unit_each(t) / xg_type_bytes(w->p->held);
    const xg_ktype *type = xg_kir_vector(w->s.b.m, xg_kelem_of(w->p->held), lanes);
    const xg_ktype *one = xg_kir_scalar(w->s.b.m, XG_E_I32);
    xg_kval *v[4], *o[2];
    int64_t word, k;
    for (word = 0; word < t->vector / 4; word++) {
        for (k = 0; k < t->brick; k++) {
            o[0] = w->staged[s->side][(k_round + k) * s->q.rounds[0] + row_round].v;
            o[1] = xg_elem_index(&w->s, word);
            v[k] = xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, one);
        }
        xg_tile_unit_turn(w, v);
        for (k = 0; k < 4; k++) {
            o[0] = xg_kir_of(&w->s.b, XG_K_OP_BITCAST, v[k], type);
            xg_tile_put_vector(w, o[0], xg_tile_spots_at(w, s, row_round, k_round, word * 4 + k));
        }
    }
}
XG_FN void xg_tile_unit_put_bricks(xg_tile_kernel *w, xg_tile_spots *s) {
    int64_t row, k;
    for (k = 0; k < s->q.rounds[1]; k += w->p->fetch[s->side].brick)
        for (row = 0; row < s->q.rounds[0]; row++) xg_tile_unit_put_brick(w, s, row, k);
}

/* ---- what a step waits for, and brings ---- */

XG_FN bool xg_tile_unit_copies(const xg_tile_plan *p) { return p->fetch[0].async || p->fetch[1].async; }
XG_FN void xg_tile_unit_commit(xg_tile_kernel *w) {
    if (xg_tile_unit_copies(w->p)) xg_kir_do_0(&w->s.b, XG_K_OP_ASYNC_COMMIT);
}
/* The next step's operands are there, for all threads. */
XG_FN void xg_tile_unit_await(xg_tile_kernel *w, int64_t but) {
    if (xg_tile_unit_copies(w->p)) xg_kir_do_0(&w->s.b, XG_K_OP_ASYNC_WAIT_GROUP)->b = but;
    xg_tile_wait(w);
}
/* A step that is to come, if there is one, on its way to its buffer. */
XG_FN void xg_tile_unit_bring_next(xg_tile_kernel *w, xg_kval *next, xg_kval *spare) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_tile_bring_nothing(w);
    xg_tile_carry_staged(w, &f);
    xg_flow_slot(&f, &w->shared);
    xg_flow_if(&f, xg_kcmpi_(&w->s.b, XG_CI_SLT, next, w->steps));
    xg_tile_bring_step(w, next, spare);
    xg_flow_end(&f);
    xg_tile_unit_commit(w);
}

/* ---- multiply ---- */

enum {
    XG_TILE_UNIT_OWN,
    XG_TILE_UNIT_BUFFER,
    XG_TILE_UNIT_K,
    XG_TILE_UNIT_DIMS
};
/* Where fragments are read: `first` further on along k than the variable says; of `deep` that are read together, which.
 */
typedef struct xg_tile_unit_at {
    xg_kval *at[XG_TILE_UNIT_DIMS];
    int64_t counts[XG_TILE_UNIT_DIMS], first, which;
} xg_tile_unit_at;
/* The four words of a fragment whose k has its rows side by side: of rows and k that lie 8 and 4 apart. */
XG_FN xg_kval *xg_tile_unit_words(xg_tile_kernel *w, uint32_t side, const xg_tile_unit_at *at, const xg_aff *place) {
    enum {
        WORDS = 4,
        K_APART = 4
    };
    int64_t k_on = K_APART * w->p->fetch[side].pitch, each = xg_tile_unit_word(w->p), on[2], k;
    const xg_ktype *type = xg_kir_vector(w->s.b.m, XG_E_I32, WORDS), *one = xg_kir_scalar(w->s.b.m, XG_E_I32);
    const xg_ktype *part = xg_kir_vector(w->s.b.m, xg_kelem_of(w->p->held), each);
    xg_kval *words = xg_kconst_bits(&w->s.b, type, 0), *o[3], *index;
    on[side] = XG_TILE_UNIT_ROWS * each; /* of the first matrix rows come first, of the second k */
    on[1 - side] = k_on;
    for (k = 0; k < WORDS; k++) {
        const xg_aff *own = xg_aff_add_k(w->s.b.m->aff, place, k % 2 * on[0] + k / 2 * on[1]);
        index = xg_tile_apply(w, at->counts, XG_TILE_UNIT_DIMS, own, at->at);
        o[0] = w->shared;
        o[1] = index;
        o[0] = each > 1 ? xg_kir_value(&w->s.b, XG_K_OP_READ, o, 2, part) : xg_kextract(&w->s.b, w->shared, &index, 1);
        o[0] = xg_kir_value(&w->s.b, XG_K_OP_BITCAST, o, 1, one);
        o[1] = words;
        o[2] = xg_elem_index(&w->s, k);
        words = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, type);
    }
    return words;
}
/* Where fragment `k` of a side lies; or itself, of single words. */
XG_FN xg_kval *xg_tile_unit_point(xg_tile_kernel *w, uint32_t side, xg_tile_unit_at *at, int64_t k) {
    const xg_tile_plan *p = w->p;
    const xg_tile_fetch *t = &p->fetch[side];
    xg_aff_ctx *x = w->s.b.m->aff;
    bool columns = side && xg_tile_pack_is(p, XG_TILE_PACK_COLUMNS); /* fragments are of one k and the next */
    int64_t apart = columns ? 0 : k * (side ? p->columns : p->rows), deep = xg_tile_unit_k(p);
    const xg_aff *place = xg_aff_dim(x, XG_TILE_UNIT_OWN), *along = xg_aff_dim(x, XG_TILE_UNIT_K);
    bool patch = p->shape.patch && !side;
    apart *= XG_KMMA_M * (t->by_rows ? t->pitch : 1) + t->slant;
    if (xg_tile_is_across(p, side)) { /* a fragment is 16 bytes of as many k as two others have */
        apart /= 2;
        deep *= 2;
    } else if (t->late && !t->by_rows) { /* ... or one of words, of eight k each */
        apart *= xg_tile_unit_word(p);
        deep /= 2;
    }
    if (!patch) {
        place = xg_aff_add_k(x, place, t->offset + apart);
        place = xg_aff_add_dim(x, place, XG_TILE_UNIT_BUFFER, xg_tile_buffer(p, side));
    }
    along = xg_aff_add_k(x, along, at->first);
    if (columns) along = xg_aff_add_k(x, xg_aff_mul(x, along, 2), k);
    if (!t->late) along = xg_aff_add_k(x, xg_aff_mul(x, along, p->deep), at->which);
    if (!patch) place = xg_aff_add_mul(x, place, along, deep * (t->by_rows ? 1 : t->pitch));
    at->at[XG_TILE_UNIT_OWN] = w->own[side];
    if (patch)
        at->at[XG_TILE_UNIT_OWN] =
            xg_tile_patch_at(w, k, at->at[XG_TILE_UNIT_K], at->first, at->at[XG_TILE_UNIT_BUFFER]);
    at->counts[XG_TILE_UNIT_OWN] = patch ? p->shared : xg_tile_buffer(p, side);
    if (xg_tile_unit_by_words(p, side)) return xg_tile_unit_words(w, side, at, place);
    return xg_tile_apply(w, at->counts, XG_TILE_UNIT_DIMS, place, at->at);
}
/* What lies there. */
XG_FN xg_kval *xg_tile_unit_load(xg_tile_kernel *w, uint32_t side, xg_kval *point) {
    xg_kval *o[2];
    if (xg_tile_unit_by_words(w->p, side)) return point;
    o[0] = w->shared;
    o[1] = point;
    point = xg_kir_value(&w->s.b, XG_K_OP_LOAD_MATRIX, o, 2, xg_kir_vector(w->s.b.m, XG_E_I32, 4));
    point->def->flags = w->p->fetch[side].by_rows ? 0 : XG_KMATRIX_TRANSPOSED;
    return point;
}
XG_FN xg_kval *xg_tile_unit_fragment(xg_tile_kernel *w, uint32_t side, xg_tile_unit_at *at, int64_t k) {
    return xg_tile_unit_load(w, side, xg_tile_unit_point(w, side, at, k));
}
/* A warp's fragments of one k: rows, then pairs of columns. */
typedef struct xg_tile_unit_factors {
    xg_kval **a, **b, **bytes;          /* bytes: of which b is made, where several k are read together */
    int64_t rows, pairs, chains, apart; /* of each chain; chains, and from one's k to the next one's */
    int64_t deep;                       /* there is one chain, of so many k */
} xg_tile_unit_factors;
XG_FN xg_kval *xg_tile_unit_take(xg_tile_kernel *w, xg_kval *words, int64_t k) {
    xg_kval *o[2];
    o[0] = words;
    o[1] = xg_elem_index(&w->s, k);
    return xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->s.b.m, XG_E_I32));
}
XG_FN xg_kval *xg_tile_unit_place(xg_tile_kernel *w, xg_kval *word, xg_kval *words, int64_t k) {
    xg_kval *o[3];
    o[0] = word;
    o[1] = words;
    o[2] = xg_elem_index(&w->s, k);
    return xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, words->type);
}
/* A word whose halves both have these bits. */
XG_FN xg_kval *xg_tile_unit_twice(xg_tile_kernel *w, int64_t bits) {
    enum {
        TWICE = 0x10001
    };
    return xg_kconst_i32(&w->s.b, (int32_t)(uint32_t)(bits * TWICE));
}
/* Integers in the low bytes, or 4 bits, of a word's halves, as floats of 16 bits. Behind the exponent of 2^10 a byte is
 * an f16 that is 1024 too large; of bf16 seven digits fit behind that of 2^7, and the eighth one makes 256 of 128 in
 * another number, which is subtracted. A sign counts as if it were turned and 128, or 8, too much. */
XG_FN xg_kval *xg_tile_unit_halves(xg_tile_kernel *w, xg_kval *x, bool is_signed, int bits) {
    enum {
        F16_BASE = 0x6400, /* 1024 as f16 */
        DIGITS = 0x7F,
        SIGN = 0x80,
        BASE = 0x4300, /* 128 as bf16 */
        TWO_BASES = 0x4380,
        MINUS_BASE = 0xC300
    };
    xg_kb *b = &w->s.b;
    bool half = w->p->held == XLAGPU_F16;
    xg_kval *low, *high, *base = xg_tile_unit_twice(w, (half ? F16_BASE : BASE) | (is_signed ? 1 << (bits - 1) : 0));
    if (half || bits < XG_TILE_UNIT_BITS) {
        x = xg_k3(b, XG_K_OP_MASKXOR, x, xg_tile_unit_twice(w, (1 << bits) - 1), base);
        return xg_k2(b, half ? XG_K_OP_SUBH2 : XG_K_OP_SUBBF2, x, base);
    }
    base = xg_tile_unit_twice(w, BASE);
    high = is_signed ? base : xg_tile_unit_twice(w, TWO_BASES);
    low = xg_k3(b, XG_K_OP_MASKXOR, x, xg_tile_unit_twice(w, DIGITS), base);
    high = xg_k3(b, XG_K_OP_MASKXOR, x, xg_tile_unit_twice(w, SIGN), high);
    low = xg_k2(b, XG_K_OP_SUBBF2, low, high);
    return is_signed ? low : xg_k2(b, XG_K_OP_SUBBF2, low, xg_tile_unit_twice(w, MINUS_BASE));
}
XG_FN bool xg_tile_unit_has_floats(const xg_tile_plan *p, xlagpu_type from) {
    const xg_float_format *f = xg_float_format_of(from);
    bool plain = f && f->bits == XG_TILE_UNIT_BITS && f->has_sign && !f->nan_is_negative_zero;
    return plain && xg_type_bits(p->held) == 16 && p->unit != XG_TILE_NO_UNIT;
}
/* A float's bits without the sign, shifted to where the wider mantissa begins, are its value by a power of two too
 * small, subnormal or not: one multiplication makes two of them right. By a factor more, what has no finite value alone
 * overflows, and infinity's difference from itself has the exponent's other bits. A bf16 of a format without infinities
 * is NaN there: infinity times zero, which is added. */
XG_FN void xg_tile_unit_floats(xg_tile_kernel *w, uint32_t side, xg_kval *x, bool across, xg_kval **two) {
    enum {
        MAGNITUDE = 0x7F,
        SIGN = 0x8000,
        BYTE = 0x10,    /* digits of two bytes of x, a second one ... */
        SECOND = 0x100, /* ... in the upper half; */
        ZEROS = 0x0404, /* in front of each a byte of zero; ... */
        SIGNS = 0x8080  /* ... or behind each eight times its sign, in its place */
    };
    const xg_float_format *f = xg_float_format_of(w->p->fetch[side].from->shape->type);
    const xg_float_format *to = xg_float_format_of(w->p->held);
    bool half = w->p->held == XLAGPU_F16, narrow = to->exponent_bits > f->exponent_bits;
    xg_kopcode multiply = half ? XG_K_OP_MULH2 : XG_K_OP_MULBF2, subtract = half ? XG_K_OP_SUBH2 : XG_K_OP_SUBBF2;
    int64_t shift = to->mantissa_bits - f->mantissa_bits, one = (int64_t)1 << to->mantissa_bits, k;
    int64_t top = ((int64_t)f->max_bits >> f->mantissa_bits) - f->bias + to->bias; /* the largest exponent */
    int64_t factor = (2 * to->bias - f->bias) * one, most = (3 * to->bias - top) * one;
    int64_t others = (((int64_t)1 << to->exponent_bits) - 1 - top - f->has_infinity) * one;
    xg_kval *zero = xg_kconst_i32(&w->s.b, 0), *v, *beyond;
    xg_kb *b = &w->s.b;
    if (!f->has_infinity) most += one / 8;
    for (k = 0; k < 2; k++) {
        int64_t digits = across ? k + (k + 2) * SECOND : 2 * k + (2 * k + 1) * SECOND;
        digits = narrow ? digits * (BYTE + 1) + SIGNS : digits * BYTE + ZEROS;
        two[k] = v = xg_tile_unit_bytes(w, x, zero, digits);
        if (!narrow) continue;
        v = xg_k2_int(b, XG_K_OP_SHLI, v, shift);
        v = xg_k2(b, XG_K_OP_ANDI, v, xg_tile_unit_twice(w, SIGN | MAGNITUDE << shift));
        v = xg_k2(b, multiply, v, xg_tile_unit_twice(w, factor));
        beyond = xg_k2(b, multiply, v, xg_tile_unit_twice(w, most));
        if (f->has_infinity || half) {
            beyond = xg_k2(b, subtract, beyond, beyond);
            two[k] = xg_k3(b, XG_K_OP_MASKXOR, beyond, xg_tile_unit_twice(w, others), v);
        } else
            two[k] = xg_k3(b, XG_K_OP_FMABF2, beyond, zero, v);
    }
}
/* Two words of bytes as four of 16 bits: those of one k and the next one after the other, or, `across`, of every other
 * byte. */
XG_FN void xg_tile_unit_widen(xg_tile_kernel *w, xg_kval **bytes, bool across, xg_kval **wide) {
    enum {
        FIRST = 0x4140, /* beside bytes of zero */
        SECOND = 0x4342,
        BYTE_BITS = 8
    };
    xlagpu_type from = w->p->fetch[1].from->shape->type;
    xg_kval *zero = xg_kconst_i32(&w->s.b, 0);
    int64_t k;
    for (k = 0; k < 4; k++) {
        xg_kval *x = bytes[k / 2];
        if (xg_type_class(from) == XGT_F) {
            if (k % 2 == 0) xg_tile_unit_floats(w, 1, x, across, wide + k);
            continue;
        }
        if (!across)
            x = xg_tile_unit_bytes(w, x, zero, k % 2 ? SECOND : FIRST);
        else if (k % 2)
            x = xg_k2_int(&w->s.b, XG_K_OP_SHRUI, x, BYTE_BITS);
        wide[k] = xg_tile_unit_halves(w, x, xg_type_signed(from), XG_TILE_UNIT_BITS);
    }
}
/* Of bytes, a pair's fragment of one k or of the next. Where a row has its k side by side, a word is four of them; else
 * it is two of each of two columns, of which the first is one of the first matrix. */
XG_FN xg_kval *xg_tile_unit_late(xg_tile_kernel *w, xg_kval *bytes, int64_t which, int64_t pair) {
    bool across = xg_tile_is_across(w->p, 1);
    xg_kval *words = xg_kconst_bits(&w->s.b, bytes->type, 0), *two[2], *wide[4], *second[4] = {NULL, NULL, NULL, NULL};
    int64_t k;
    for (k = 0; k < 2 && !w->p->pack; k++) two[k] = xg_tile_unit_take(w, bytes, across ? 2 * which + k : 2 * k + which);
    if (w->p->pack)
        xg_tile_pack_widen(w, bytes, which, pair, wide, second);
    else
        xg_tile_unit_widen(w, two, across, wide);
    for (k = 0; k < 4; k++) {
        if (w->scale) wide[k] = xg_tile_scale_word(w, wide[k], second[k], which, 2 * pair + (across ? k % 2 : k / 2));
        words = xg_tile_unit_place(w, wide[k], words, across ? k % 2 * 2 + k / 2 : k);
    }
    return words;
}
XG_FN void xg_tile_unit_read(xg_tile_kernel *w, xg_tile_unit_at *at, xg_tile_unit_factors *v) {
    int64_t first = at->first, chain, k, d;
    for (chain = 0; chain < v->chains; chain++) {
        at->first = first + chain * v->apart;
        for (d = 0; d < v->deep; d++) {
            xg_kval **a = v->a + (chain + d) * v->rows;
            for (k = 0, at->which = d; k < v->rows; k++) a[k] = xg_tile_unit_point(w, 0, at, k);
            for (k = 0; k < v->rows; k++)
                a[k] = xg_tile_unit_load(w, 0, a[k]); /* none waits for the next one's place */
        }
        at->which = 0;
        for (k = 0; k < v->pairs; k++)
            (v->deep > 1 ? v->bytes : v->b)[chain * v->pairs + k] = xg_tile_unit_fragment(w, 1, at, k);
    }
    at->first = first;
}
/* Fragment n of those that bytes become, if there is one. */
XG_FN void xg_tile_unit_make(xg_tile_kernel *w, const xg_tile_unit_factors *v, int64_t n) {
    int64_t which = n / v->pairs, pair = n % v->pairs;
    if (v->deep > 1 && which < v->deep)
        v->b[n] =
            xg_tile_unit_late(w, v->bytes[xg_tile_pack_is(w->p, XG_TILE_PACK_COLUMNS) ? which / 2 : pair], which, pair);
}
/* Products after which the next fragment is made of bytes: a warp waits for a slow unit at each of them, and makes one
 * in that time; beside a quick one it makes all at once, whose chains overlap. */
XG_FN int64_t xg_tile_unit_between(const xg_tile_plan *p, const xg_tile_unit_factors *v) {
    enum {
        SLOW_RATE = 256 /* multiply-adds a clock: a product takes as long as to make half a fragment */
    };
    return xg_tile_unit_rate(p, p->device) <= SLOW_RATE * 1000 ? 2 * v->rows : 0;
}
/* What stands among products, behind the first ones: the unit then works while addresses are computed. */
typedef struct xg_tile_unit_among {
    xg_tile_unit_at *at;   /* where the next fragments are read; NULL: they have been */
    xg_kval *step, *spare; /* a step that is brought; NULL: none is */
    bool in_place;         /* each fragment is read where the last product has taken the one before */
} xg_tile_unit_among;
/* Unless it is NULL, the next k's bytes become fragments meanwhile. */
XG_FN void xg_tile_unit_products(
    xg_tile_kernel *w, const xg_tile_unit_factors *v, xg_tile_unit_factors *next, const xg_tile_unit_among *among) {
    enum {
        FIRST = 4 /* products: as long as an address takes */
    };
    int64_t i, j, between = xg_tile_unit_between(w->p, v), made = 0, until, n = 0;
    xg_kval *o[3];
    for (i = 0; i < v->chains * v->deep * v->rows; i++)
        for (j = 0; j < 2 * v->pairs; j++) {
            xg_kval **sum = &w->sums[i % (w->p->chains * v->rows) * 2 * v->pairs + j].v;
            o[0] = v->a[i];
            o[1] = v->b[i / v->rows * v->pairs + j / 2];
            o[2] = *sum;
            *sum = xg_kir_value(&w->s.b, XG_K_OP_MMA, o, 3, (*sum)->type);
            (*sum)->def->flags = (uint32_t)w->p->unit;
            (*sum)->def->a = j % 2;
            until = between ? (i * 2 * v->pairs + j) / between + 1 : v->deep * v->pairs;
            for (; next && made < until; made++) xg_tile_unit_make(w, next, made);
            if (among && among->in_place) {
                if (j == 0) next->a[i] = xg_tile_unit_point(w, 0, among->at, i); /* is computed beside the others */
                if (j + 1 == 2 * v->pairs) next->a[i] = xg_tile_unit_load(w, 0, next->a[i]);
                if (i + 1 == v->rows && j % 2) next->b[j / 2] = xg_tile_unit_fragment(w, 1, among->at, j / 2);
            }
            if (!among || among->in_place || ++n != FIRST) continue;
            if (among->at) xg_tile_unit_read(w, among->at, next);
            if (among->step) xg_tile_unit_bring_next(w, among->step, among->spare);
        }
}
/* Fragments of one k, without values, and where the first ones of a buffer are read; their number. */
XG_FN int64_t xg_tile_unit_open(xg_tile_kernel *w, xg_kval *buffer, xg_tile_unit_at *at, xg_tile_unit_factors *v) {
    const xg_tile_plan *p = w->p;
    int64_t fragments;
    at->first = at->which = 0;
    at->counts[XG_TILE_UNIT_BUFFER] = p->shape.stages;
    at->counts[XG_TILE_UNIT_K] = v->apart = xg_tile_unit_times(p);
    at->at[XG_TILE_UNIT_BUFFER] = buffer;
    at->at[XG_TILE_UNIT_K] = xg_elem_index_0(&w->s);
    v->rows = p->shape.tm / XG_KMMA_M;
    v->pairs = p->shape.tn / (2 * XG_KMMA_N);
    v->chains = p->deep > 1 ? 1 : p->chains; /* fragments that are read together are of different ones */
    v->deep = p->deep;
    fragments = v->chains * v->deep * (v->rows + v->pairs);
    v->a = XG_NEW_N(w->e->arena, xg_kval *, fragments + v->pairs);
    v->b = v->a + v->chains * v->deep * v->rows;
    v->bytes = v->a + fragments;
    return fragments;
}
XG_FN void xg_tile_unit_read_first(xg_tile_kernel *w, xg_tile_unit_at *at, xg_tile_unit_factors *v) {
    int64_t k;
    xg_tile_unit_read(w, at, v);
    for (k = 0; k < v->deep * v->pairs; k++) xg_tile_unit_make(w, v, k);
}
/* Multiplies what lies in `buffer`, and brings step `next_step` (NULL: none) into `spare`. Copies are issued while the
 * first fragments are on their way; or, where fragments are carried from step to step, among the last products, with
 * the first ones of the step in `behind` (NULL: none are carried): nobody needs what `buffer` has any more. */
XG_FN void xg_tile_unit_multiply(
    xg_tile_kernel *w, xg_kval *buffer, xg_kval *next_step, xg_kval *spare, xg_kval *behind) {
    const xg_tile_plan *p = w->p;
    int64_t times = xg_tile_unit_times(p), k, fragments;
    bool place = xg_tile_unit_reads_in_place(p), ahead = times > 1 && (place || xg_tile_unit_reads_ahead(p));
    xg_kval *zero = xg_elem_index_0(&w->s);
    xg_flow f = xg_flow_begin(&w->s);
    xg_tile_unit_factors now, next;
    xg_tile_unit_at at, first;
    xg_tile_unit_among among;
    fragments = xg_tile_unit_open(w, behind, &first, &next);
    (void)xg_tile_unit_open(w, buffer, &at, &now);
    memset(&among, 0, sizeof among);
    at.counts[XG_TILE_UNIT_K] = times -= ahead;
    if (behind)
        memcpy(now.a, w->ahead, (size_t)fragments * sizeof *now.a);
    else if (ahead)
        xg_tile_unit_read_first(w, &at, &now);
    for (k = 0; k < fragments && ahead; k++) xg_flow_slot(&f, &now.a[k]);
    at.first = ahead;
    if (next_step && !behind) xg_tile_unit_bring_next(w, next_step, spare);
    if (times > 1 || ahead) {
        for (k = 0; k < p->n_sums; k++) xg_flow_elem(&f, &w->sums[k]);
        at.at[XG_TILE_UNIT_K] = xg_flow_for(&f, zero, xg_elem_index(&w->s, times), 1, times);
        f.op->flags = KL_UNROLL_LOWERED;
    }
    among.in_place = place;
    if (behind || place)
        among.at = &at;
    else if (ahead)
        xg_tile_unit_read(w, &at, &next);
    if (!ahead) xg_tile_unit_read_first(w, &at, &now);
    xg_tile_unit_products(w, &now, ahead ? &next : NULL, ahead && among.at ? &among : NULL);
    if (ahead) memcpy(now.a, next.a, (size_t)fragments * sizeof *now.a);
    xg_flow_end(&f);
    if (behind) xg_tile_unit_await(w, p->shape.stages - 2);
    among.at = &first;
    among.step = next_step;
    among.spare = spare;
    if (ahead) xg_tile_unit_products(w, &now, behind ? &next : NULL, behind ? &among : NULL);
    if (behind) memcpy(w->ahead, next.a, (size_t)fragments * sizeof *now.a);
}

/* ---- all steps ---- */

/* All blocks of the cluster have begun, so that others may write to their shared memory: known while operands come. */
XG_FN void xg_tile_greet(xg_tile_kernel *w) {
    xg_kop *op = xg_shared_wait(&w->s.b, NULL, 0);
    op->a = XG_KTEAM_CLUSTER;
    op->b = XG_KTEAM_RELAXED;
}
/* A few steps are straight code where threads bring a picture's elements one by one: which place of the window each
 * lies below, and so most of its address and guard, is known then. */
XG_FN bool xg_tile_unit_is_straight(const xg_tile_plan *p) {
    enum {
        STEPS = 12
    };
    return p->fetch[0].vector == 1 && p->steps <= STEPS && p->form.group[XG_TILE_K].n > 1 && !p->on_processor &&
           xg_tile_sharers(p) == 1 && !p->skips && !p->n_scales && !xg_tile_sums_groups(p);
}
/* One of `ahead` steps in front of the loop. */
XG_FN void xg_tile_unit_first_step(xg_tile_kernel *w, xg_kval *step, int64_t ahead) {
    xg_flow some = xg_flow_of(&w->s, &w->shared);
    bool alone = w->inbox && ahead == 1; /* each block of a cluster has a step */
    if (!alone && (w->p->steps < ahead || xg_tile_sums_groups(w->p) || w->p->skips || w->p->all_steps % w->p->steps))
        xg_flow_if(&some, xg_kcmpi_(&w->s.b, XG_CI_SLT, step, w->steps));
    if (w->p->on_processor)
        xg_tile_pass_step(w, step, step);
    else {
        xg_tile_bring_step(w, step, step);
        if (alone) xg_tile_greet(w);
        xg_tile_put_step(w, step);
    }
    xg_flow_end(&some);
    xg_tile_unit_commit(w);
}
XG_FN void xg_tile_unit_first(xg_tile_kernel *w, int64_t ahead) {
    xg_kval *zero = xg_elem_index_0(&w->s), *step = zero;
    xg_flow f = xg_flow_begin(&w->s);
    int64_t k, straight = xg_tile_unit_is_straight(w->p) ? ahead - 1 : 0;
    if (ahead > 1 && !straight) {
        xg_flow_slot(&f, &w->shared);
        f.rolled = true;
        step = xg_flow_for(&f, zero, xg_elem_index(&w->s, ahead), 1, ahead);
        f.op->flags |= KL_STEP_POINTERS;
    }
    for (k = 0; k < straight; k++) xg_tile_unit_first_step(w, xg_elem_index(&w->s, k), ahead);
    xg_tile_unit_first_step(w, straight ? xg_elem_index(&w->s, straight) : step, ahead);
    xg_flow_end(&f);
    if (w->inbox && ahead > 1) xg_tile_greet(w);
}
/* With the step's operands in `buffer`; see xg_tile_unit_multiply. */
XG_FN void xg_tile_unit_add(xg_tile_kernel *w, xg_kval *buffer, xg_kval *next, xg_kval *spare, xg_kval *behind) {
    if (w->p->unit != XG_TILE_NO_UNIT) {
        xg_tile_unit_multiply(w, buffer, next, spare, behind);
        return;
    }
    if (next) xg_tile_unit_bring_next(w, next, spare);
    xg_tile_multiply(w, buffer);
}
XG_FN xg_kval *xg_tile_unit_buffer(xg_tile_kernel *w, xg_kval *carried, xg_kval *step) {
    if (!carried) return xg_tile_rest(w, step, w->p->shape.stages);
    carried = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, carried, XG_E_INDEX);
    xg_kval_set_range(carried, xg_range_of(0, w->p->shape.stages - 1));
    return carried;
}
XG_FN void xg_tile_unit_step(xg_tile_kernel *w, xg_kval *step) {
    int64_t stages = w->p->shape.stages;
    size_t n = (size_t)xg_tile_scale_numbers(w->p);
    xg_kval *next, *spare, *buffer, *behind = NULL, **numbers = w->numbers;
    bool varies = w->scale && xg_tile_scale_varies(w->p);
    if (!w->ahead) xg_tile_unit_await(w, stages - 2);
    if (w->p->shape.patch) xg_tile_patch_look(w, step);
    next = xg_kaddi_int(&w->s.b, step, stages - !w->ahead);
    spare = xg_tile_unit_buffer(w, w->spare, w->ahead ? step : next);
    buffer = xg_tile_unit_buffer(w, w->buffer, step);
    if (w->ahead) { /* behind the last step there is nothing: what is read then, of the same buffer, nobody needs */
        behind = xg_k2_int(&w->s.b, XG_K_OP_SUBI, w->steps, 1);
        behind = xg_k2(&w->s.b, XG_K_OP_MINSI, xg_kaddi_int(&w->s.b, step, 1), behind);
        behind = xg_tile_rest(w, behind, stages);
    }
    if (varies) { /* those of the steps behind this one are on their way beside its products */
        xg_tile_scale_spread(w, step);
        memmove(numbers, numbers + n, (XG_TILE_SCALE_AHEAD - 1) * n * sizeof *numbers);
        xg_tile_scale_read(
            w, xg_kaddi_int(&w->s.b, step, XG_TILE_SCALE_AHEAD), numbers + (XG_TILE_SCALE_AHEAD - 1) * n);
    }
    xg_tile_unit_add(w, buffer, next, spare, behind);
    xg_tile_put_step(w, spare);
    if (!w->spare) return;
    w->spare = w->buffer;
    next = xg_kaddi_int(&w->s.b, w->buffer, 1);
    buffer = xg_kconst_i32(&w->s.b, 0);
    w->buffer = xg_kselect(&w->s.b, xg_kcmpi_int(&w->s.b, XG_CI_SLT, next, stages), next, buffer);
}
/* Threads that run one after the other do not wait for memory together: a step comes when the one before it is done,
 * into the same buffer, by a loop of its own, in which the loads of many threads are on their way. */
XG_FN void xg_tile_lone_step(xg_tile_kernel *w, xg_kval *step) {
    xg_flow some = xg_flow_of(&w->s, &w->shared);
    xg_kval *buffer = xg_elem_index_0(&w->s);
    xg_tile_wait(w);
    xg_flow_if(&some, xg_kcmpi_int(&w->s.b, XG_CI_SGT, step, 0)); /* the first one is there */
    xg_tile_pass_step(w, step, buffer);
    xg_flow_end(&some);
    xg_tile_wait(w);
    xg_tile_multiply(w, buffer);
}
/* Shared memory becomes that of sums. */
XG_FN void xg_tile_unit_end(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xlagpu_type shown = xg_tile_shown_type(p);
    int64_t n = p->shared * xg_type_bytes(p->held) / xg_type_bytes(shown);
    xg_tile_wait(w);
    w->shared = xg_kir_of(&w->s.b, XG_K_OP_VIEW, w->shared, xg_kir_tensor(w->s.b.m, xg_kelem_of(shown), &n, 1));
}
XG_FN void xg_tile_unit_loop(xg_tile_kernel *w, void (*one)(xg_tile_kernel *w, xg_kval *step)) {
    const xg_tile_plan *p = w->p;
    xg_flow f = xg_flow_begin(&w->s);
    int64_t k;
    for (k = 0; k < p->steps && xg_tile_unit_is_straight(p); k++) one(w, xg_elem_index(&w->s, k));
    if (k) return;
    for (; k < p->n_sums; k++) xg_flow_elem(&f, &w->sums[k]);
    if (w->scale && xg_tile_scale_varies(p))
        xg_flow_slots(&f, w->numbers, XG_TILE_SCALE_AHEAD * (uint32_t)xg_tile_scale_numbers(p));
    xg_flow_slots(&f, w->ahead, (uint32_t)w->n_ahead);
    xg_flow_slot(&f, &w->shared);
    if (xg_tile_power(p->shape.stages) < p->shape.stages && !w->ahead) { /* a buffer's number is no rest to be found */
        w->buffer = xg_kconst_i32(&w->s.b, 0);
        w->spare = xg_kconst_i32(&w->s.b, p->shape.stages - 1);
        xg_flow_slot(&f, &w->buffer);
        xg_flow_slot(&f, &w->spare);
    }
    f.rolled = w->looping = true;
    one(w, xg_tile_steps_for(w, &f));
    f.op->flags |= KL_STEP_POINTERS;
    xg_flow_end(&f);
}
/* What a sum begins with: a number, or with matrix units four of them. */
XG_FN xg_elem xg_tile_unit_none(xg_tile_kernel *w) {
    bool plain = w->p->unit == XG_TILE_NO_UNIT;
    if (xg_tile_is_paired(w->p)) return xg_elem_real(xg_kconst_int(&w->s.b, XG_E_I64, 0));
    if (plain && w->p->lanes == 1) return xg_tile_zero(w);
    return xg_elem_real(
        xg_kconst_bits(&w->s.b, xg_kir_vector(w->s.b.m, xg_kelem_of(w->p->form.sum), plain ? w->p->lanes : 4), 0));
}
XG_APART XG_FN void xg_tile_unit_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_elem none = xg_tile_unit_none(w);
    xg_tile_unit_factors first;
    xg_tile_unit_at at;
    int64_t k, n;
    for (k = 0; k < p->n_sums; k++) w->sums[k] = none;
    if (p->shape.patch) xg_tile_patch_begin(w);
    xg_tile_unit_first(w, XG_MAX(p->shape.stages - !xg_tile_unit_carries(p), 1));
    if (p->shape.patch && p->patch.of == XG_TILE_M) xg_tile_patch_rows_begin(w);
    if (p->table) xg_tile_pack_begin(w);
    if ((n = xg_tile_scale_numbers(p)) > 0) {
        w->scale = XG_NEW_N(w->e->arena, xg_kval *, (1 + XG_TILE_SCALE_AHEAD) * n);
        w->numbers = w->scale + n;
        for (k = 0; k < XG_TILE_SCALE_AHEAD; k++) xg_tile_scale_read(w, xg_elem_index(&w->s, k), w->numbers + k * n);
        xg_tile_scale_spread(w, xg_elem_index_0(&w->s));
    }
    if (xg_tile_unit_carries(p)) {
        w->n_ahead = xg_tile_unit_open(w, xg_elem_index_0(&w->s), &at, &first);
        w->ahead = first.a;
        xg_tile_unit_await(w, p->shape.stages - 1);
        xg_tile_unit_read_first(w, &at, &first);
    }
    if (p->steps == 1) {
        xg_tile_unit_await(w, 0);
        if (p->shape.patch) xg_tile_patch_look(w, xg_elem_index_0(&w->s));
        xg_tile_unit_add(w, xg_elem_index_0(&w->s), NULL, NULL, NULL);
    } else
        xg_tile_unit_loop(w, p->shape.stages == 1 ? xg_tile_lone_step : xg_tile_unit_step);
    if (p->unit == XG_TILE_NO_UNIT)
        xg_tile_wait(w);
    else
        xg_tile_unit_end(w);
}

/* ---- the result ---- */

/* Sum `which` of those of matrix `n`, of all chains. */
XG_FN xg_kval *xg_tile_unit_sum(xg_tile_kernel *w, int64_t n, int64_t which) {
    int64_t each = w->p->n_sums / w->p->chains;
    const xg_ktype *one = xg_kir_scalar(w->s.b.m, w->sums[n].v->type->elem);
    xg_elem sum = xg_elem_real(NULL);
    xg_kval *o[2];
    for (; n < w->p->n_sums; n += each) {
        xg_elem next;
        o[0] = w->sums[n].v;
        o[1] = xg_elem_index(&w->s, which);
        next = xg_elem_real(xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, one));
        sum = sum.v ? xg_tile_plus(w, sum, next) : next;
    }
    return sum.v;
}
/* Two neighbours of the sums of each of some matrices from `n` on, alternating. */
XG_FN xg_kval *xg_tile_unit_beside(xg_tile_kernel *w, int64_t n, int64_t matrices, int64_t first) {
    bool narrow = xg_tile_shown_type(w->p) != w->p->form.sum;
    const xg_ktype *type = xg_kir_vector(w->s.b.m, xg_kelem_of(xg_tile_shown_type(w->p)), 2 * matrices);
    xg_kval *all = xg_kconst_bits(&w->s.b, type, 0), *o[3];
    int64_t k;
    for (k = 0; k < 2 * matrices; k++) {
        o[0] = xg_tile_unit_sum(w, n + k % matrices, first + k / matrices);
        if (narrow) o[0] = xg_emit_join(&w->s.b, xg_tile_ended(w, xg_elem_real(o[0])));
        o[1] = all;
        o[2] = xg_elem_index(&w->s, k);
        all = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, type);
    }
    return all;
}
XG_FN xg_kval *xg_tile_unit_pair(xg_tile_kernel *w, int64_t n, int64_t first) {
    return xg_tile_unit_beside(w, n, 1, first);
}
/* The sums of a fragment of the warp's rows into shared memory, `from` rows from its beginning on. */
XG_FN void xg_tile_unit_show_one(xg_tile_kernel *w, int64_t fragment, int64_t from) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t tiles = p->shape.tn / XG_KMMA_N, count = p->shape.m / p->parts * p->out_pitch, j, h;
    int64_t matrices = xg_tile_is_across(p, 1) ? 2 : 1; /* a lane has four columns side by side, two of each */
    int64_t own = xg_tile_is_tensor(p) ? xg_tile_tensor_width(p, fragment) / XG_KMMA_N : tiles;
    xg_kval *at = w->show;
    for (j = 0; j < own; j += matrices) {
        if (xg_tile_is_tensor(p)) {
            xg_tile_tensor_read(w, fragment, j * XG_KMMA_N);
            if (j * XG_KMMA_N % XG_KWGMMA_M == 0) at = xg_tile_tensor_show(w, fragment, j * XG_KMMA_N);
        }
        for (h = 0; h < 2; h++) {
            int64_t column = j / 2 * (xg_tile_is_tensor(p) ? 1 : p->columns) * 2 * XG_KMMA_N + j % 2 * XG_KMMA_N;
            int64_t place = (from + h * XG_TILE_UNIT_ROWS) * p->out_pitch + column;
            xg_kval *beside = xg_tile_unit_beside(w, fragment * tiles + j, matrices, 2 * h);
            xg_tile_put_vector(w, beside, xg_tile_apply(w, &count, 1, xg_aff_add_k(x, xg_aff_dim_0(x), place), &at));
        }
    }
}
/* As many fragments of rows as make a part of the tile. */
XG_FN void xg_tile_unit_show(xg_tile_kernel *w, int64_t part) {
    int64_t n = w->p->shape.tm / XG_KMMA_M / w->p->parts, k, apart = xg_tile_is_tensor(w->p) ? 1 : w->p->rows;
    for (k = 0; k < n; k++) xg_tile_unit_show_one(w, part * n + k, k * apart * XG_KMMA_M);
}

#endif /* XG_SCHED_TILE_MMA_C */
