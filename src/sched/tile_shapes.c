/* sched/tile_shapes.c -- the shapes of plain cores' tiles, and a processor's: those that the plan compares. */
#ifndef XG_SCHED_TILE_SHAPES_C
#define XG_SCHED_TILE_SHAPES_C
#include "tile.h"

/* Tiles of plain cores, by bytes of what is summed (up to four, eight, sixteen): of a block m n k, of a thread tm tn,
 * and in how many slices a step's k is summed up. */
/* clang-format off */
#define XG_TILE_SHAPES(X) \
    X(4, 128, 128, 32, 8, 8, 1) \
    X(4, 128, 128, 16, 8, 8, 1) \
    X(4, 64, 128, 16, 8, 8, 1) \
    X(4, 128, 64, 16, 8, 8, 1) \
    X(4, 64, 64, 16, 8, 4, 1) \
    X(4, 32, 64, 16, 8, 8, 1) \
    X(4, 64, 32, 16, 8, 8, 1) \
    X(4, 32, 64, 16, 8, 4, 1) \
    X(4, 64, 32, 16, 8, 4, 1) \
    X(4, 32, 64, 16, 4, 4, 1) \
    X(4, 64, 32, 16, 4, 4, 1) \
    X(4, 32, 32, 32, 4, 4, 1) \
    X(4, 16, 128, 16, 4, 4, 1) \
    X(4, 16, 64, 32, 4, 4, 1) \
    X(4, 128, 16, 16, 4, 4, 1) \
    X(4, 64, 16, 32, 4, 4, 1) \
    X(4, 16, 32, 32, 4, 4, 1) \
    X(4, 8, 64, 32, 4, 4, 1) \
    X(4, 64, 8, 32, 4, 4, 1) \
    X(4, 4, 128, 16, 4, 4, 1) \
    X(4, 128, 4, 16, 4, 4, 1) \
    X(4, 16, 128, 64, 8, 8, 8) \
    X(4, 16, 64, 128, 8, 8, 16) \
    X(4, 16, 64, 64, 8, 8, 8) \
    X(4, 32, 16, 128, 8, 8, 32) \
    X(4, 16, 32, 128, 4, 4, 8) \
    X(4, 32, 16, 128, 4, 4, 8) \
    X(4, 16, 16, 256, 4, 4, 16) \
    X(4, 16, 16, 256, 4, 4, 32) \
    X(4, 8, 32, 128, 4, 4, 16) \
    X(4, 8, 32, 64, 4, 4, 16) \
    X(4, 32, 8, 64, 4, 4, 16) \
    X(4, 16, 32, 64, 4, 4, 8) \
    X(4, 16, 16, 128, 4, 4, 16) \
    X(4, 16, 32, 256, 8, 4, 16) \
    X(4, 32, 32, 128, 8, 8, 16) \
    X(4, 16, 16, 256, 8, 4, 16) \
    X(4, 32, 8, 128, 4, 4, 16) \
    X(4, 8, 16, 256, 4, 4, 32) \
    X(4, 16, 8, 256, 4, 4, 32) \
    X(4, 8, 16, 512, 4, 4, 32) \
    X(4, 16, 8, 512, 4, 4, 32) \
    X(4, 8, 16, 512, 4, 4, 16) \
    X(4, 16, 8, 512, 4, 4, 16) \
    X(4, 4, 32, 128, 4, 4, 32) \
    X(4, 32, 4, 128, 4, 4, 32) \
    X(4, 4, 16, 256, 4, 4, 32) \
    X(4, 16, 4, 256, 4, 4, 32) \
    X(4, 4, 16, 512, 4, 4, 64) \
    X(4, 16, 4, 512, 4, 4, 64) \
    X(8, 64, 64, 16, 4, 8, 1) \
    X(8, 32, 64, 16, 4, 4, 1) \
    X(8, 64, 32, 16, 4, 4, 1) \
    X(8, 32, 32, 16, 4, 4, 1) \
    X(8, 16, 32, 16, 4, 4, 1) \
    X(8, 32, 16, 16, 4, 4, 1) \
    X(8, 16, 64, 16, 4, 4, 1) \
    X(8, 8, 64, 16, 4, 4, 1) \
    X(8, 64, 8, 16, 4, 4, 1) \
    X(8, 4, 128, 16, 4, 4, 1) \
    X(8, 128, 4, 16, 4, 4, 1) \
    X(8, 16, 32, 64, 4, 4, 8) \
    X(8, 32, 16, 64, 4, 4, 8) \
    X(8, 8, 32, 64, 4, 4, 16) \
    X(8, 32, 8, 64, 4, 4, 16) \
    X(8, 4, 32, 64, 4, 4, 16) \
    X(8, 32, 4, 64, 4, 4, 16) \
    X(16, 32, 32, 8, 4, 4, 1) \
    X(16, 16, 32, 8, 4, 4, 1) \
    X(16, 8, 64, 8, 4, 4, 1) \
    X(16, 64, 8, 8, 4, 4, 1) \
    X(16, 4, 128, 8, 4, 4, 1) \
    X(16, 128, 4, 8, 4, 4, 1)
/* On a host's processor, in front of those, one table for each width of its registers: a thread's sums fill half of
 * them (16 of 64 bytes; 8 of 32, or 16 of 16 bytes), and a step has several lines of each row of an operand: the first
 * one is waited for, the processor brings the next ones itself. */
#define XG_TILE_WIDE_SHAPES(X) \
    X(4, 256, 128, 64, 8, 32, 1) \
    X(4, 128, 128, 64, 8, 32, 1) \
    X(4, 64, 128, 64, 8, 32, 1) \
    X(4, 128, 64, 64, 8, 32, 1) \
    X(4, 64, 64, 64, 8, 32, 1) \
    X(4, 32, 64, 64, 8, 32, 1) \
    X(4, 64, 32, 64, 8, 32, 1) \
    X(4, 32, 32, 64, 8, 32, 1) \
    X(4, 16, 64, 64, 8, 32, 1) \
    X(4, 8, 128, 64, 8, 32, 1) \
    X(4, 64, 16, 64, 8, 16, 1) \
    X(8, 64, 64, 32, 8, 16, 1) \
    X(8, 32, 32, 32, 8, 16, 1)
#define XG_TILE_CPU_SHAPES(X) \
    X(4, 128, 128, 64, 4, 16, 1) \
    X(4, 64, 128, 64, 4, 16, 1) \
    X(4, 128, 64, 64, 4, 16, 1) \
    X(4, 64, 64, 64, 4, 16, 1) \
    X(4, 32, 64, 64, 4, 16, 1) \
    X(4, 64, 32, 64, 4, 16, 1) \
    X(4, 16, 64, 64, 4, 16, 1) \
    X(8, 64, 64, 32, 4, 8, 1)
/* clang-format on */

/* The k-th shape for a type of sum on plain cores; NULL behind the last. */
XG_FN const xg_tile_row *xg_tile_plain_row(const xg_tile_plan *p, int64_t bytes, size_t k) {
#define X(of, m, n, k, tm, tn, slices) {m, n, k, tm, tn, XG_TILE_PLAIN_STAGES, slices, XG_TILE_ROW_SUM * (of)},
    static const xg_tile_row shapes[] = {XG_TILE_WIDE_SHAPES(X) XG_TILE_CPU_SHAPES(X) XG_TILE_SHAPES(X)};
#undef X
#define X(of, m, n, k, tm, tn, slices) +1
    enum {
        WIDE = XG_TILE_WIDE_SHAPES(X),
        NARROW = XG_TILE_CPU_SHAPES(X)
    };
#undef X
    int64_t want = XG_TILE_ROW_SUM * (bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16);
    bool floats = (xg_type_class(p->form.sum) & XGT_F) != 0; /* sums of others are single numbers */
    bool wide = p->on_processor && floats && p->device->f32_rate >= XG_TILE_WIDE_RATE;
    size_t at = wide ? 0 : p->on_processor ? WIDE : WIDE + NARROW;
    for (; at < XG_COUNT(shapes); at++) {
        if (wide && at == WIDE) at += NARROW;
        if (shapes[at].how == want && !k--) return &shapes[at];
    }
    return NULL;
}

#endif /* XG_SCHED_TILE_SHAPES_C */
