/* opt/tiled_layouts.c -- arrays whose layouts have tiles, as arrays that lie densely in the order of their dimensions.
 *
 * Only a bitcast sees tiles: it takes the memory of one layout under another. It becomes the moves that this stands
 * for: the operand in its physical order, padded and split by each tile, is one long array; that array, joined and cut
 * the other way round, is the result. Padding reads as zero. Where the two memories are of different size with their
 * tiles and of equal size without, the bitcast ignores tiles, as XLA:GPU does.
 *
 * Then all layouts lose their tiles, and with them what else other devices write there (widths of elements, index
 * types, split configurations, metadata prefixes): parameters, results, constants and the operands of custom calls lie
 * densely, each element in the bytes of its type.
 * Memory spaces but that of the host (5) are the device's memory. A pinned buffer, b(f32[4]), is the array that it
 * holds: an instruction that writes to it gives it back as a result.
 *
 * A fusion's parameter whose layout is not its operand's, and a root whose layout is not the fusion's, are copied
 * inside of the fusion where a bitcast would see the difference: a bitcast means the layout that is written there. */
#ifndef XG_OPT_TILED_LAYOUTS_C
#define XG_OPT_TILED_LAYOUTS_C
#include "opt.h"

enum {
    XG_TILED_HOST_SPACE = 5
};

/* ---- bitcasts ---- */

XG_FN bool xg_tiled_is_bitcast(const xg_inst *i) {
    const xg_shape *from, *to = i->shape;
    if (i->op != XG_BITCAST) return false;
    from = XG_OPERAND(i, 0)->shape;
    return xg_shape_is_array(from) && xg_shape_is_array(to) && !from->dynamic && !to->dynamic &&
           xg_bitcast_sees_tiles(i);
}

/* Pads at the end of each dimension, or cuts there. */
XG_FN xg_inst *xg_tiled_resize(const xg_hb *b, xg_inst *x, const int64_t *size) {
    xg_pad_dim pads[XG_RANK_MAX];
    bool same = true;
    uint32_t k;
    memset(pads, 0, sizeof pads);
    for (k = 0; k < x->shape->rank; k++) {
        pads[k].high = size[k] - x->shape->dims[k];
        same = same && pads[k].high == 0;
    }
    return same ? x : xg_hb_pad(b, x, xg_hb_int(b, x->shape->type, 0), pads);
}
/* The tiles between the places and the numbers of tiles: (numbers..., places...) from (number, place)... or back. */
XG_FN xg_inst *xg_tiled_sort_split(const xg_hb *b, xg_inst *x, uint32_t first, uint32_t tiled, bool apart) {
    int64_t perm[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < first; k++) perm[k] = k;
    for (k = 0; k < tiled; k++) {
        if (apart) {
            perm[first + k] = first + 2 * k;
            perm[first + tiled + k] = first + 2 * k + 1;
        } else {
            perm[first + 2 * k] = first + k;
            perm[first + 2 * k + 1] = first + tiled + k;
        }
    }
    return xg_hb_transpose(b, x, perm);
}
/* The sizes of the dimensions that a tile splits: padded to its multiples, and as (number, place) pairs. */
XG_FN void xg_tiled_sizes(const xg_tiled_dims *d, int64_t *padded, int64_t *pairs) {
    uint32_t first = d->n - d->tiled, k;
    for (k = 0; k < first; k++) padded[k] = pairs[k] = d->size[k];
    for (k = 0; k < d->tiled; k++) {
        int64_t n = (d->size[first + k] + d->tile[k] - 1) / d->tile[k];
        padded[first + k] = n * d->tile[k];
        pairs[first + 2 * k] = n;
        pairs[first + 2 * k + 1] = d->tile[k];
    }
}
XG_FN int64_t xg_tiled_order(const xg_shape *s, int64_t *order, int64_t *place, int64_t *dims) {
    int64_t n = 1;
    uint32_t k;
    for (k = 0; k < s->rank; k++) {
        order[k] = s->layout ? s->layout->minor_to_major[s->rank - 1 - k] : (int64_t)k;
        place[order[k]] = k;
        dims[k] = s->dims[order[k]];
        n *= dims[k];
    }
    return n;
}

/* The array as its memory: one dimension, with the padding. */
XG_FN xg_inst *xg_tiled_flatten(const xg_hb *b, xg_inst *x) {
    xg_arena *a = b->comp->module->arena;
    const xg_tiles *t = xg_tiles_of(a, x->shape->layout);
    int64_t order[XG_RANK_MAX], place[XG_RANK_MAX], padded[XG_RANK_MAX], pairs[XG_RANK_MAX];
    int64_t all = xg_tiled_elements(a, x->shape);
    xg_tiled_dims d;
    uint32_t k;
    xg_tiles_begin(x->shape, &d);
    xg_tiled_order(x->shape, order, place, padded);
    x = xg_hb_transpose(b, x, order);
    for (k = 0; k < t->n; k++) {
        xg_tile_prepare(&t->p[k], &d);
        xg_tiled_sizes(&d, padded, pairs);
        x = xg_tiled_resize(b, xg_hb_reshape(b, x, d.size, d.n), padded);
        x = xg_tiled_sort_split(b, xg_hb_reshape(b, x, pairs, d.n + d.tiled), d.n - d.tiled, d.tiled, true);
        xg_tile_split(&d);
    }
    x = xg_hb_reshape(b, x, &x->shape->elements, 1);
    return xg_tiled_resize(b, x, &all);
}
/* Takes tile k and those behind it back, which began with the dimensions d. */
XG_FN xg_inst *xg_tiled_untile(const xg_hb *b, xg_inst *x, const xg_tiles *t, uint32_t k, xg_tiled_dims d) {
    int64_t padded[XG_RANK_MAX], pairs[XG_RANK_MAX], before[XG_RANK_MAX];
    uint32_t n = d.n;
    memcpy(before, d.size, n * sizeof *before);
    if (k < t->n) {
        xg_tiled_dims next;
        xg_tile_prepare(&t->p[k], &d);
        xg_tiled_sizes(&d, padded, pairs);
        next = d;
        xg_tile_split(&next);
        x = xg_tiled_untile(b, x, t, k + 1, next);
        x = xg_hb_reshape(b, xg_tiled_sort_split(b, x, d.n - d.tiled, d.tiled, false), padded, d.n);
        x = xg_tiled_resize(b, x, d.size);
    } else {
        int64_t all = 1;
        for (k = 0; k < n; k++) all *= before[k];
        x = xg_tiled_resize(b, x, &all);
    }
    return xg_hb_reshape(b, x, before, n);
}
XG_FN xg_inst *xg_tiled_unflatten(const xg_hb *b, xg_inst *x, const xg_shape *to) {
    int64_t order[XG_RANK_MAX], place[XG_RANK_MAX], dims[XG_RANK_MAX];
    xg_tiled_dims d;
    xg_tiles_begin(to, &d);
    xg_tiled_order(to, order, place, dims);
    x = xg_tiled_untile(b, x, xg_tiles_of(b->comp->module->arena, to->layout), 0, d);
    return xg_hb_transpose(b, x, place);
}

XG_FN xg_inst *xg_tiled_expand(const xg_hb *b, xg_inst *i) {
    xg_module *m = b->comp->module;
    const xg_shape *to = i->shape;
    xg_inst *x = XG_OPERAND(i, 0);
    int64_t elements = xg_tiled_elements(m->arena, to);
    if (!to->elements || !x->shape->elements) return xg_hb_splat(b, xg_hb_int(b, to->type, 0), to->dims, to->rank);
    if (x->shape->layout == to->layout && xg_shape_compatible(x->shape, to)) return x;
    x = xg_tiled_flatten(b, x);
    if (x->shape->type != to->type) x = xg_hb_of(b, XG_BITCAST, xg_hb_shape(b, to->type, &elements, 1), x);
    return xg_tiled_unflatten(b, x, to);
}

/* ---- layouts without tiles ---- */

XG_FN const xg_shape *xg_tiled_strip(xg_module *m, const xg_shape *s) {
    const xg_layout *l = s->layout;
    const xg_shape **elems;
    int64_t space;
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        elems = XG_NEW_N(m->arena, const xg_shape *, s->n_elems + (size_t)1);
        for (k = 0; k < s->n_elems; k++) elems[k] = xg_tiled_strip(m, s->elems[k]);
        return xg_shape_tuple(m, elems, s->n_elems);
    }
    if (s->type == XLAGPU_BUFFER) return xg_tiled_strip(m, xg_shape_held(s));
    if (!l) return s;
    space = l->memory_space == XG_TILED_HOST_SPACE ? XG_TILED_HOST_SPACE : 0;
    if (!l->extras.n && !l->element_bits && space == l->memory_space) return s;
    return xg_shape_with_layout(m, s, xg_layout_make(m, l->minor_to_major, l->rank, space, 0, xg_str_of("", 0)));
}
XG_FN void xg_tiled_strip_shapes(xg_module *m, xg_inst *i, xg_attr_key key) {
    const xg_attr *a = xg_inst_attr(i, key);
    xg_attr made;
    uint32_t k;
    if (!a) return;
    made = *a;
    if (xg_attr_kind_of(key) == XG_K_SHAPE) {
        made.v.shape = xg_tiled_strip(m, a->v.shape);
    } else {
        xg_shapes *list = XG_NEW(m->arena, xg_shapes);
        list->n = a->v.shapes->n;
        list->p = XG_NEW_N(m->arena, const xg_shape *, list->n + (size_t)1);
        for (k = 0; k < list->n; k++) list->p[k] = xg_tiled_strip(m, a->v.shapes->p[k]);
        made.v.shapes = list;
    }
    xg_inst_set_attr(i, made);
}

XG_FN bool xg_opt_tiled_layouts(xg_module *m) {
    xg_comp *c;
    if (!m->made_extras) return false;
    if (m->made[XG_BITCAST]) xg_opt_expand(m, xg_tiled_is_bitcast, xg_tiled_expand);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            i->shape = xg_tiled_strip(m, i->shape);
            xg_tiled_strip_shapes(m, i, XG_A_operand_layout_constraints);
            xg_tiled_strip_shapes(m, i, XG_A_outfeed_shape);
        }
    m->entry_params = xg_tiled_strip(m, m->entry_params);
    m->entry_result = xg_tiled_strip(m, m->entry_result);
    m->made_extras = false;
    return true;
}

#endif /* XG_OPT_TILED_LAYOUTS_C */
