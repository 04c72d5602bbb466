/* sched/tile_pack.h -- tile_pack.c: elements of 4 bits, of which the array in memory has several in one of its own. */
#ifndef XG_SCHED_TILE_PACK_H
#define XG_SCHED_TILE_PACK_H
#include "tile.h"

/* How the right side's elements of 4 bits lie in the array that has them packed: those of an element of it are
 * neighbours along k; or of a byte they are half of all k, or some columns, apart, and then stand in the tile's order
 * behind so many neighbours. */
typedef enum xg_tile_pack_way {
    XG_TILE_PACK_BESIDE,
    XG_TILE_PACK_HALVES,
    XG_TILE_PACK_COLUMNS
} xg_tile_pack_way;
enum {
    XG_TILE_PACK_KS = 32, /* that a fragment of bytes has */
    XG_TILE_PACK_NS = 64  /* columns of the warps of a block, of one fragment of bytes each */
};
typedef struct xg_tile_pack {
    xg_tile_pack_way way;
    int64_t each;           /* in an element of the array */
    int64_t last;           /* elements along columns, if the last tile lacks some; else 0 */
    bool is_signed, turned; /* turned: the highest bits come first */
    const xg_imap *map;     /* (variables) -> the elements' indices, those of `turned` by the other end */
    const xg_inst *from;    /* the array */
    xg_tile_form form;      /* that counts its elements; map[1] leads to its indices */
    xg_tile_form plain;     /* the product's own */
} xg_tile_pack;

/* A divisor of columns: as many as threads may write side by side divide it. */
XG_FN int64_t xg_tile_columns(const xg_tile_plan *p);
XG_FN const xg_imap *xg_tile_pack_inside(
    const xg_tile_plan *p, xg_aff_ctx *x, const xg_imap *map, const xg_aff *column);
XG_FN bool xg_tile_is_packed(const xg_inst *i); /* elements of 4 bits of an array of bytes or words, which are moved */
XG_FN void xg_tile_pack_find(xg_tile_plan *p, xg_aff_ctx *x); /* behind xg_tile_find_scale: sets pack, form */
XG_FN bool xg_tile_pack_is(const xg_tile_plan *p, xg_tile_pack_way way);
XG_FN int64_t xg_tile_pack_each(const xg_tile_plan *p, uint32_t side); /* elements in one of a side's array; 1: it is */
XG_FN int64_t xg_tile_pack_k(const xg_tile_plan *p, uint32_t side);    /* a step's k, in elements of the array */
XG_FN const xg_tile_form *xg_tile_pack_form(const xg_tile_plan *p, uint32_t side);
XG_FN int64_t xg_tile_pack_deep(
    const xg_tile_plan *p, const xg_tile_shape *s, int64_t vector); /* 1: the shape does not suit */
XG_FN bool xg_tile_pack_moves(const xg_tile_plan *p);               /* the left side's words of k change places */
/* Of a fragment of bytes the words of the pair's fragment of k `which`, as xg_tile_unit_widen gives them;
 * or, of numbers of a table in f32, its two halves. */
XG_FN void xg_tile_pack_widen(
    xg_tile_kernel *w, xg_kval *bytes, int64_t which, int64_t pair, xg_kval **wide, xg_kval **second);
XG_FN void xg_tile_pack_begin(xg_tile_kernel *w); /* w->table */

#endif /* XG_SCHED_TILE_PACK_H */
