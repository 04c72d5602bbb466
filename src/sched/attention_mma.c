/* sched/attention_mma.c -- the two products of attention on matrix units.
 *
 * A fragment of sums is 16 rows by 8 columns: a thread has two neighbours of row g, then of row g + 8. Two such
 * fragments side by side, packed, are what the unit takes as 16 rows by 16 of the next sum; so the weights never leave
 * their registers. Q and K lie in rows along the first sum; V's rows lie across the second one, and ldmatrix transposes
 * them. */
#ifndef XG_SCHED_ATTENTION_MMA_C
#define XG_SCHED_ATTENTION_MMA_C
#include "attention.h"

enum {
    XG_ATTENTION_UNIT_COLUMNS = 16, /* of two fragments, that one load of words serves */
    XG_ATTENTION_FRAGMENTS = 2 * XG_ATTENTION_EXTENT_MAX / XG_ATTENTION_UNIT_COLUMNS,
    XG_ATTENTION_AHEAD = 2 /* words of pairs of fragments that are read before the one that is multiplied */
};

/* The four words of a lane at base + place: by a map, be it the base alone, so that all of them have the same sums. */
XG_FN xg_kval *xg_attention_words(
    xg_attention_kernel *w, xg_kval *from, xg_kval *base, int64_t size, int64_t place, bool transposed) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    xg_kval *o[2], *v;
    o[0] = from;
    size -= place;
    o[1] = xg_tile_apply(w->t, &size, 1, xg_aff_add_k(x, xg_aff_dim_0(x), place), &base);
    v = xg_kir_value(xg_attention_b(w), XG_K_OP_LOAD_MATRIX, o, 2, xg_kir_vector(w->t->s.b.m, XG_E_I32, 4));
    v->def->flags = transposed ? XG_KMATRIX_TRANSPOSED : 0;
    return v;
}
XG_FN xg_kval *xg_attention_multiply(
    xg_attention_kernel *w, int32_t unit, xg_kval *x, xg_kval *y, int64_t which, xg_kval *sums) {
    xg_kval *o[3];
    o[0] = x;
    o[1] = y;
    o[2] = sums;
    sums = xg_kir_value(xg_attention_b(w), XG_K_OP_MMA, o, 3, sums->type);
    sums->def->flags = (uint32_t)unit;
    sums->def->a = which;
    return sums;
}
/* Where the matrix row lies that a lane points at: of 16 by 16 elements, whose first half of lanes goes along rows; the
 * k-th of a row whose pieces of 16 bytes go round, or, -1, the first one. */
XG_FN xg_kval *xg_attention_pointed(xg_attention_kernel *w, xg_kval *first, int64_t pitch, bool along, int64_t k) {
    xg_kval *half = xg_tile_quotient(w->t, w->lane, XG_ATTENTION_UNIT_COLUMNS), *row, *piece;
    xg_kval *low = xg_tile_rest(w->t, w->lane, XG_ATTENTION_UNIT_COLUMNS);
    xg_kb *b = xg_attention_b(w);
    if (along) { /* rows 0..15, then the same of the next eight columns */
        row = low;
        piece = half;
    } else { /* rows 0..7, the same of the next columns, then the next rows */
        row = xg_tile_join(w->t, half, XG_ATTENTION_EIGHT, xg_tile_rest(w->t, w->lane, XG_ATTENTION_EIGHT));
        piece = xg_tile_quotient(w->t, low, XG_ATTENTION_EIGHT);
    }
    row = xg_k2(b, XG_K_OP_ADDI, first, row);
    if (k >= 0) {
        piece = xg_k2(b, XG_K_OP_XORI, piece, xg_tile_rest(w->t, w->lane, XG_ATTENTION_EIGHT));
        xg_kval_set_range(piece, xg_range_of(0, XG_ATTENTION_EIGHT - 1));
        piece = xg_k2_int(b, XG_K_OP_XORI, piece, 2 * k);
        xg_kval_set_range(piece, xg_range_of(0, pitch / XG_ATTENTION_EIGHT - 1));
    }
    piece = xg_tile_join(w->t, piece, XG_ATTENTION_EIGHT, xg_elem_index_0(&w->t->s));
    return xg_tile_join(w->t, row, pitch, piece);
}
XG_FN xg_kval *xg_attention_no_sums(xg_attention_kernel *w) { return w->no_sums; }

/* The first of the warp's rows in an array; side: of a pair's one, or NULL. */
XG_FN xg_kval *xg_attention_fixed_rows(xg_attention_kernel *w, xg_kval *side) {
    xg_kval *at = xg_tile_join(w->t, w->across, w->p->warp_rows, xg_elem_index_0(&w->t->s));
    return side ? xg_tile_join(w->t, side, xg_attention_side_rows(w->p), at) : at;
}
/* The warp's block-th sixteen of the tile's rows, and sixteen columns of them, in an array of rows of that pitch. */
XG_FN xg_kval *xg_attention_fixed_words(
    xg_attention_kernel *w, xg_kval *from, xg_kval *side, int64_t pitch, int64_t block, int64_t k) {
    int64_t place = block * XG_ATTENTION_ROWS * pitch, rows = w->p->tile;
    xg_kval *at = xg_attention_fixed_rows(w, side);
    at = xg_attention_pointed(w, at, pitch, true, w->p->swizzled ? k : -1);
    if (!w->p->swizzled) place += k * XG_ATTENTION_UNIT_COLUMNS;
    if (side) rows += xg_attention_side_rows(w->p);
    return xg_attention_words(w, from, at, rows * pitch, place, false);
}
XG_FN xg_kval *xg_attention_lined_words(
    xg_attention_kernel *w, xg_kval *from, int64_t pitch, int64_t place, int64_t k) {
    xg_kval *at = xg_attention_pointed(w, xg_attention_fixed_rows(w, NULL), pitch, true, k);
    return xg_attention_words(w, from, at, place + w->p->tile * pitch, place, false);
}
XG_FN xg_kval **xg_attention_kept_words(
    xg_attention_kernel *w, xg_kval *from, xg_kval *side, int64_t pitch, int64_t width) {
    int64_t rounds = width / XG_ATTENTION_UNIT_COLUMNS, n = w->p->shape.blocks * rounds, k;
    xg_kval **kept = XG_NEW_N(w->t->e->arena, xg_kval *, (size_t)n);
    for (k = 0; k < n; k++) kept[k] = xg_attention_fixed_words(w, from, side, pitch, k / rounds, k % rounds);
    return kept;
}
XG_FN void xg_attention_keep_query(xg_attention_kernel *w) {
    if (!xg_attention_keeps_query(w->p)) return;
    xg_attention_wait(w);
    w->kept = xg_attention_kept_words(w, w->query, NULL, w->p->query_pitch, w->p->depth);
}
/* The four sums of a fragment of eight columns, to their rows. */
XG_FN void xg_attention_take(xg_attention_kernel *w, xg_kval ***to, int64_t fragment, xg_kval *v) {
    int64_t i;
    for (i = 0; i < XG_ATTENTION_SUMS; i++)
        to[i / XG_ATTENTION_PAIR][XG_ATTENTION_PAIR * fragment + i % XG_ATTENTION_PAIR] = xg_attention_lane(w, v, i);
}
/* A matrix of a step, of which words are read in the order in which they are multiplied, some of them ahead: what waits
 * for them are multiplications, which stay where they are. */
typedef struct xg_attention_reader {
    xg_kval *from, *base[2], *words[XG_ATTENTION_AHEAD + 1];
    int64_t pitch, inner, outer, n; /* elements from a pair of fragments to the next, and of an outer round; of all */
    bool transposed;                /* outer rounds go along keys, else pairs do */
} xg_attention_reader;
/* Begins it; returns how many sixteens of keys there are. */
XG_FN int64_t xg_attention_open_reader(xg_attention_kernel *w, xg_attention_reader *r, xg_kval *from,
    xg_kval *const *rows, int64_t pitch, bool transposed) {
    uint32_t k;
    memset(r, 0, sizeof *r);
    r->from = from;
    r->pitch = pitch;
    r->transposed = transposed;
    r->inner = XG_ATTENTION_UNIT_COLUMNS * (transposed ? 1 : pitch);
    r->outer = XG_ATTENTION_UNIT_COLUMNS * (transposed ? pitch : 1);
    for (k = 0; k < 2 && rows[k]; k++) r->base[k] = xg_attention_pointed(w, rows[k], pitch, transposed, -1);
    return w->p->own / XG_ATTENTION_UNIT_COLUMNS * k;
}
XG_FN void xg_attention_ahead(xg_attention_kernel *w, xg_attention_reader *r, int64_t pairs, int64_t i) {
    int64_t own = w->p->own / XG_ATTENTION_UNIT_COLUMNS, at[2], *key = &at[!r->transposed], place;
    int64_t size = xg_attention_side_rows(w->p) * (1 + xg_attention_is_paired(w->p)) * r->pitch;
    xg_kval *base;
    if (i >= r->n) return;
    at[0] = i / pairs;
    at[1] = i % pairs;
    base = r->base[*key >= own];
    *key %= own;
    place = at[0] * r->outer + at[1] * r->inner;
    r->words[i % (XG_ATTENTION_AHEAD + 1)] = xg_attention_words(w, r->from, base, size, place, r->transposed);
}
/* The words of pair i of all. */
XG_FN xg_kval *xg_attention_next(xg_attention_kernel *w, xg_attention_reader *r, int64_t pairs, int64_t i) {
    int64_t k;
    for (k = i ? XG_ATTENTION_AHEAD : 0; k <= XG_ATTENTION_AHEAD; k++) xg_attention_ahead(w, r, pairs, i + k);
    return r->words[i % (XG_ATTENTION_AHEAD + 1)];
}
/* Two fragments' sums of each block of a warp's rows. */
XG_FN void xg_attention_multiply_pair(xg_attention_kernel *w, int32_t unit, xg_kval *const *x, xg_kval *y,
    xg_kval *(*sums)[XG_ATTENTION_FRAGMENTS], int64_t j) {
    int64_t i;
    for (i = 0; i < w->p->halves; i++) {
        xg_kval **sum = &sums[i / 2][2 * j + i % 2];
        *sum = xg_attention_multiply(w, unit, x[i / 2], y, i % 2, *sum);
    }
}
XG_FN void xg_attention_fixed_blocks(xg_attention_kernel *w, const xg_attention_product *o, int64_t k, xg_kval **x) {
    int64_t blocks = w->p->halves / XG_ATTENTION_HALVES, n;
    for (n = 0; n < blocks && k < o->width / XG_ATTENTION_UNIT_COLUMNS; n++)
        x[n] = o->kept ? o->kept[n * (o->width / XG_ATTENTION_UNIT_COLUMNS) + k]
                       : xg_attention_fixed_words(w, o->fixed, NULL, o->fixed_pitch, n, k);
}
XG_FN void xg_attention_unit_product(xg_attention_kernel *w, const xg_attention_product *o) {
    int64_t rounds = o->width / XG_ATTENTION_UNIT_COLUMNS, pairs, k, j, i;
    int64_t blocks = w->p->halves / XG_ATTENTION_HALVES, n;
    xg_kval *sums[XG_ATTENTION_HALVES][XG_ATTENTION_FRAGMENTS];
    xg_kval *x[2][XG_ATTENTION_HALVES], *y, **to[XG_ATTENTION_HALVES_MAX];
    xg_attention_reader r;
    pairs = xg_attention_open_reader(w, &r, o->step, o->rows, o->pitch, false);
    r.n = rounds * pairs;
    for (n = 0; n < blocks; n++)
        for (j = 0; j < 2 * pairs; j++) sums[n][j] = xg_attention_no_sums(w);
    xg_attention_fixed_blocks(w, o, 0, x[0]);
    for (k = 0; k < rounds; k++)
        for (j = 0; j < pairs; j++) {
            y = xg_attention_next(w, &r, pairs, k * pairs + j);
            if (j == 0) xg_attention_fixed_blocks(w, o, k + 1, x[(k + 1) % 2]);
            xg_attention_multiply_pair(w, w->f->unit, x[k % 2], y, sums, j);
        }
    for (i = 0; i < w->p->halves; i++) to[i] = o->to[i];
    for (n = 0; n < blocks; n++)
        for (j = 0; j < 2 * pairs; j++) xg_attention_take(w, &to[n * XG_ATTENTION_HALVES], j, sums[n][j]);
}
XG_FN void xg_attention_unit_scores(xg_attention_kernel *w) {
    xg_attention_product o = xg_attention_scores_product(w);
    xg_attention_unit_product(w, &o);
}
XG_FN bool xg_attention_packs(const xg_attention_form *f) {
    enum {
        PAIRS_CC = 80
    };
    return f->comp->module->device.cc >= PAIRS_CC;
}
/* Two neighbours as a word; of what was rounded, or is to be, by one instruction. */
XG_FN xg_kval *xg_attention_word(xg_attention_kernel *w, xg_kval *const *two) {
    const xg_ktype *word = xg_kir_scalar(w->t->s.b.m, XG_E_I32);
    xg_kval *o[XG_ATTENTION_PAIR];
    uint32_t k, n = 0;
    for (k = 0; k < XG_ATTENTION_PAIR && xg_attention_packs(w->f); k++) {
        o[k] = xg_kval_by(two[k], XG_K_OP_TRUNCF) ? XG_KOPERAND(two[k]->def, 0) : two[k];
        n += o[k]->type->elem == XG_E_F32;
    }
    if (n == XG_ATTENTION_PAIR)
        return xg_kir_value(
            xg_attention_b(w), w->f->held == XLAGPU_F16 ? XG_K_OP_CVTH2 : XG_K_OP_CVTBF2, o, XG_ATTENTION_PAIR, word);
    o[0] = xg_attention_paired(w, two);
    return xg_kir_value(xg_attention_b(w), XG_K_OP_BITCAST, o, 1, word);
}
XG_FN void xg_attention_make_words(xg_attention_kernel *w, xg_kval **row) {
    int64_t words = w->p->own / XG_ATTENTION_EIGHT, c;
    for (c = 0; c < words; c++) row[c] = xg_attention_word(w, &row[XG_ATTENTION_PAIR * c]);
}
/* What so many pieces leave of a number of f32: bf16, or, beside f16, tf32, as units cut them off. The rest has 2^-24
 * of them more: so it has the number's sign and is not 0 (which times infinity would be NaN). */
XG_FN xg_kval *xg_attention_rest(xg_attention_kernel *w, xg_kval *x, int64_t pieces) {
    enum {
        BF16 = ~0xFFFF,
        TF32 = ~0x1FFF
    };
    static const double LESS = 1.0 / (1 << 24) - 1;
    xg_kb *b = xg_attention_b(w);
    xg_kval *v;
    for (; pieces; pieces--) {
        v = xg_kcast(b, XG_K_OP_BITCAST, x, XG_E_I32);
        v = xg_kcast(
            b, XG_K_OP_BITCAST, xg_k2_int(b, XG_K_OP_ANDI, v, xg_attention_splits(w->f) ? TF32 : BF16), XG_E_F32);
        x = xg_k3(b, XG_K_OP_FMA, v, xg_kconst_float(b, XG_E_F32, LESS), x);
    }
    return x;
}
/* Of two numbers of f32 as a word: the upper halves of what the pieces before this one leave. Of two the last is
 * rounded. */
XG_FN xg_kval *xg_attention_piece_word(xg_attention_kernel *w, xg_kval *const *two, int64_t piece, int64_t pieces) {
    enum {
        DIGITS = 0x7632
    };
    xg_kb *b = xg_attention_b(w);
    xg_kval *rest[XG_ATTENTION_PAIR];
    int64_t k;
    for (k = 0; k < XG_ATTENTION_PAIR; k++) rest[k] = xg_attention_rest(w, two[k], piece);
    if (pieces < XG_TILE_PIECES && piece) return xg_attention_word(w, rest);
    for (k = 0; k < XG_ATTENTION_PAIR; k++) rest[k] = xg_kcast(b, XG_K_OP_BITCAST, rest[k], XG_E_I32);
    return xg_k3(b, XG_K_OP_PRMT, rest[0], rest[1], xg_kconst_i32(b, DIGITS));
}
/* Of two fragments' words of f16 those of the k-th eight keys, as tf32. */
XG_FN xg_kval *xg_attention_split_words(xg_attention_kernel *w, xg_kval *y, int64_t k) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *v = xg_kconst_bits(b, xg_kir_vector(w->t->s.b.m, XG_E_I32, XG_ATTENTION_SUMS), 0), *x;
    int64_t i;
    for (i = 0; i < XG_ATTENTION_SUMS; i++) {
        x = xg_attention_lane(w, y, i / 2 * 2 + k);
        x = xg_kir_of(b, XG_K_OP_BITCAST, x, xg_kir_vector(w->t->s.b.m, XG_E_F16, XG_ATTENTION_PAIR));
        x = xg_kcast(b, XG_K_OP_EXTF, xg_attention_lane(w, x, i % 2), XG_E_F32);
        v = xg_attention_insert(w, xg_kcast(b, XG_K_OP_BITCAST, x, XG_E_I32), v, i);
    }
    return v;
}
/* Sixteen rows by sixteen keys of weights, or of words of two, as the unit takes them: a piece of so many. As tf32 by
 * eight keys: which of them is which of a sum does not matter, so a thread's two neighbours stand in both halves. */
XG_FN xg_kval *xg_attention_packed_piece(
    xg_attention_kernel *w, xg_kval **const *weights, int64_t k, int64_t piece, int64_t pieces) {
    xg_kval *v = xg_kconst_bits(xg_attention_b(w), xg_kir_vector(w->t->s.b.m, XG_E_I32, XG_ATTENTION_SUMS), 0), *word;
    bool split = pieces > 1 && xg_attention_splits(w->f);
    int64_t i;
    for (i = 0; i < XG_ATTENTION_SUMS; i++) {
        xg_kval **two = &weights[i % 2][split ? 2 * k + i / 2 : XG_ATTENTION_PAIR * (2 * k + i / 2)];
        word = weights[i % 2][2 * k + i / 2];
        if (split)
            word = xg_kcast(xg_attention_b(w), XG_K_OP_BITCAST, xg_attention_rest(w, *two, piece), XG_E_I32);
        else if (pieces > 1)
            word = xg_attention_piece_word(w, two, piece, pieces);
        else if (word->type->elem != XG_E_I32)
            word = xg_attention_word(w, two);
        v = xg_attention_insert(w, word, v, i);
    }
    return v;
}
XG_FN xg_kval *xg_attention_packed(xg_attention_kernel *w, xg_kval **const *weights, int64_t k) {
    return xg_attention_packed_piece(w, weights, k, 0, 1);
}
/* What a fragment of eight columns has, as the unit takes it. */
XG_FN xg_kval *xg_attention_out_sums(xg_attention_kernel *w, xg_kval **const *out, int64_t fragment) {
    xg_kval *sums = xg_attention_no_sums(w);
    int64_t i;
    for (i = 0; i < XG_ATTENTION_SUMS; i++) {
        int64_t column = XG_ATTENTION_PAIR * fragment + i % XG_ATTENTION_PAIR;
        sums = xg_attention_insert(w, out[i / XG_ATTENTION_PAIR][column], sums, i);
    }
    return sums;
}
XG_FN void xg_attention_unit_sum(xg_attention_kernel *w, const xg_attention_summed *o) {
    int64_t rounds, pairs = o->width / XG_ATTENTION_UNIT_COLUMNS, k, j, i;
    xg_kval *sums[XG_ATTENTION_HALVES][XG_ATTENTION_FRAGMENTS];
    xg_kval *x[2 * XG_TILE_PIECES][XG_ATTENTION_HALVES], *y, *v, **to[XG_ATTENTION_HALVES_MAX];
    int64_t blocks = w->p->halves / XG_ATTENTION_HALVES, n, piece;
    bool split = o->pieces > 1 && xg_attention_splits(w->f); /* by eight keys, not sixteen */
    int64_t pieces = o->pieces << split;
    xg_attention_reader r;
    rounds = xg_attention_open_reader(w, &r, o->step, o->rows, o->pitch, true);
    r.n = rounds * pairs;
    for (i = 0; i < w->p->halves; i++) to[i] = o->to[i];
    for (n = 0; n < blocks; n++)
        for (j = 0; j < 2 * pairs; j++) sums[n][j] = xg_attention_out_sums(w, &to[n * XG_ATTENTION_HALVES], j);
    for (k = 0; k < rounds; k++) {
        for (piece = 0; piece < pieces; piece++)
            for (n = 0; n < blocks; n++) {
                xg_kval **const *weights = &o->weights[n * XG_ATTENTION_HALVES];
                x[piece][n] = xg_attention_packed_piece(
                    w, weights, (k << split) + piece / o->pieces, piece % o->pieces, o->pieces);
            }
        for (j = 0; j < pairs; j++) {
            y = xg_attention_next(w, &r, pairs, k * pairs + j);
            for (piece = pieces; piece-- > 0;) {
                v = split ? xg_attention_split_words(w, y, piece / o->pieces) : y;
                xg_attention_multiply_pair(w, split ? (int32_t)XG_KMMA_TF32 : w->f->unit, x[piece], v, sums, j);
            }
        }
    }
    for (n = 0; n < blocks; n++)
        for (j = 0; j < 2 * pairs; j++) xg_attention_take(w, &to[n * XG_ATTENTION_HALVES], j, sums[n][j]);
}
XG_FN void xg_attention_unit_out(xg_attention_kernel *w) {
    xg_attention_summed o = xg_attention_out_summed(w);
    xg_attention_unit_sum(w, &o);
}

#endif /* XG_SCHED_ATTENTION_MMA_C */
