/* fuse/outer.c -- kernels that work on each part of an outer dimension for itself, and such a kernel of one part.
 *
 * An array is cut into parts along its outermost dimension that has more than one element: so many equal pieces of
 * memory, one behind the other. A fused computation may be cut if each part of its results needs, of each parameter,
 * either the same part or any of it (then all blocks read the whole: weights, scales). The indexing maps prove it:
 * where the result's dimension that is cut is d, an operand is cut along the dimension whose index is d itself, if d
 * stands nowhere else in the map; if d stands nowhere in it, the operand is read whole.
 *
 * - What is computed is either asked for as a whole by all readers, or cut along one dimension. Both, or two
 *   dimensions: it may not be cut.
 * - The number of parts divides every dimension that is cut. So 4 images of 49 places each may be cut as 196 rows, too.
 * - Constants and counting along the dimension that is cut are not cut: their parts differ. Nor is a ragged-dot: which
 *   group a row belongs to is a matter of all rows. */
#ifndef XG_FUSE_OUTER_C
#define XG_FUSE_OUTER_C
#include "fuse.h"
#include "permutation.c"

enum {
    XG_OUTER_UNASKED = -2
};

XG_FN bool xg_fuse_outer_in_order(const xg_shape *s) { return !s->layout || s->layout->descending; }
XG_FN const xg_shape *xg_outer_array(const xg_shape *s) {
    return s->type == XLAGPU_TUPLE && s->n_elems ? s->elems[0] : s;
}
/* The dimension that is cut; -1: it has one element. */
XG_FN int32_t xg_outer_dim(const xg_shape *s) {
    uint32_t k;
    for (k = 0; k < s->rank; k++)
        if (s->dims[xg_shape_major(s, k)] > 1) return (int32_t)xg_shape_major(s, k);
    return -1;
}

/* ---- which dimension of each instruction is cut ---- */

/* dims by place in program order, which an instruction's scratch points to */
typedef struct xg_outer_walk {
    xg_aff_ctx *x;
    int32_t *dims;
    int64_t parts;
} xg_outer_walk;

XG_FN int32_t *xg_outer_of(const xg_inst *i) { return (int32_t *)i->scratch; }
XG_FN bool xg_outer_ask(xg_outer_walk *w, const xg_inst *i, int32_t dim) {
    const xg_shape *s = xg_outer_array(i->shape);
    int32_t *had = xg_outer_of(i);
    if (*had != XG_OUTER_UNASKED && *had != dim) return false;
    *had = dim;
    if (dim >= 0) w->parts = xg_gcd(w->parts, s->dims[dim]);
    return dim < 0 || w->parts > 1;
}
/* Another name for the same elements: the dimension before which there are as many. */
XG_FN int32_t xg_outer_renamed(const xg_shape *from, int32_t dim, const xg_shape *to) {
    int64_t before = 1, n = 1;
    uint32_t k;
    for (k = 0; xg_shape_major(from, k) != (uint32_t)dim; k++) before *= from->dims[xg_shape_major(from, k)];
    for (k = 0; k < to->rank && (n < before || to->dims[xg_shape_major(to, k)] == 1); k++)
        n *= to->dims[xg_shape_major(to, k)];
    return k < to->rank && n == before ? (int32_t)xg_shape_major(to, k) : XG_OUTER_UNASKED;
}
/* The operand's dimension that a broadcast spreads along `dim`. */
XG_FN int32_t xg_outer_spread(const xg_inst *i, int32_t dim) {
    xg_ints dims = xg_attr_dims(i);
    uint32_t k;
    for (k = 0; k < dims.n; k++)
        if (dims.p[k] == dim) return (int32_t)k;
    return XG_WHOLE;
}
/* The dimension of operand k that goes along with dimension `dim` of the result; UNASKED: there is none. */
XG_FN int32_t xg_outer_along(xg_outer_walk *w, const xg_inst *i, uint32_t k, int32_t dim) {
    const xg_shape *to = xg_outer_array(i->shape), *from = xg_outer_array(XG_OPERAND(i, k)->shape);
    const xg_aff *d = xg_aff_dim(w->x, (uint32_t)dim);
    const xg_imap *map;
    int32_t at = XG_WHOLE;
    uint32_t j;
    if (i->op == XG_GET_TUPLE_ELEMENT) return dim;
    if (i->op == XG_BITCAST || i->op == XG_RESHAPE)
        return xg_in_place_renames(i) ? xg_outer_renamed(to, dim, from) : XG_OUTER_UNASKED;
    if (xg_op_flags(i->op) & XGF_EW) return from->rank == to->rank ? dim : XG_WHOLE;
    if (i->op == XG_BROADCAST) return xg_outer_spread(i, dim);
    map = xg_indexing_operand(w->x, i, k);
    if (i->op == XG_RAGGED_DOT || !xg_imap_ok(map) || map->n_results != from->rank) return XG_OUTER_UNASKED;
    if (map->dims[dim].range.lo > 0 || map->dims[dim].range.hi < to->dims[dim] - 1)
        return XG_OUTER_UNASKED; /* not every part reads it */
    for (j = 0; j < map->n_constraints; j++)
        if (xg_aff_uses(map->constraints[j].expr, d)) return XG_OUTER_UNASKED;
    for (j = 0; j < map->n_results; j++) {
        if (!xg_aff_uses(map->results[j], d)) continue;
        if (map->results[j] != d || at >= 0 || from->dims[j] != to->dims[dim]) return XG_OUTER_UNASKED;
        at = (int32_t)j;
    }
    return at;
}
XG_FN bool xg_outer_inst(xg_outer_walk *w, const xg_inst *i) {
    int32_t dim = *xg_outer_of(i), at;
    uint32_t k;
    if (dim == XG_OUTER_UNASKED) return true;
    if (dim >= 0 && (i->op == XG_CONSTANT || (i->op == XG_IOTA && xg_attr_int(i, XG_A_iota_dimension, -1) == dim)))
        return false;
    if (dim >= 0 && i->op == XG_PARAMETER && xg_outer_dim(i->shape) != dim) return false;
    for (k = 0; k < i->n_operands; k++) {
        at = dim == XG_WHOLE ? XG_WHOLE : xg_outer_along(w, i, k, dim);
        if (at == XG_OUTER_UNASKED || !xg_outer_ask(w, XG_OPERAND(i, k), at)) return false;
    }
    return true;
}
/* From the results down: into how many parts the computation may be cut at most; 0: not at all. */
XG_FN int64_t xg_outer_walk_comp(xg_arena *a, const xg_comp *c, xg_outer_walk *w) {
    const xg_inst *i;
    uint32_t at = 0, k;
    w->x = xg_aff_new(a);
    w->dims = XG_NEW_N(a, int32_t, c->n_insts + (size_t)1);
    w->parts = 0;
    XG_FOR_INSTS(j, c) {
        w->dims[at] = XG_OUTER_UNASKED;
        j->scratch = &w->dims[at++];
    }
    for (k = 0; k < (c->root->op == XG_TUPLE ? c->root->n_operands : 1); k++) {
        const xg_inst *root = c->root->op == XG_TUPLE ? XG_OPERAND(c->root, k) : c->root;
        int32_t dim = xg_shape_is_array(root->shape) ? xg_outer_dim(root->shape) : -1;
        if (dim < 0 || !xg_outer_ask(w, root, dim)) return 0;
    }
    for (i = c->last; i; i = i->prev)
        if (i->op != XG_TUPLE && !xg_outer_inst(w, i)) return 0;
    return w->parts > 1 ? w->parts : 0;
}

XG_FN int64_t xg_fuse_outer(xg_arena *a, const xg_comp *c, int32_t *dims) {
    xg_mark mark = xg_arena_mark(a);
    xg_outer_walk w;
    int64_t parts = xg_outer_walk_comp(a, c, &w);
    if (parts && dims) memcpy(dims, w.dims, c->n_insts * sizeof *dims);
    xg_arena_reset(a, mark);
    return parts;
}
XG_FN int64_t xg_fuse_outer_params(xg_arena *a, const xg_comp *c, int32_t *params) {
    xg_mark mark = xg_arena_mark(a);
    xg_outer_walk w;
    int64_t parts = xg_outer_walk_comp(a, c, &w);
    uint32_t k;
    for (k = 0; parts && k < c->n_params; k++) params[k] = *xg_outer_of(c->params[k]) >= 0 ? XG_CUT : XG_WHOLE;
    xg_arena_reset(a, mark);
    return parts;
}

/* ---- the computation of one part ---- */

XG_FN const xg_shape *xg_outer_part(xg_module *m, const xg_shape *s, int32_t dim, int64_t parts) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        const xg_shape **elems = XG_NEW_N(m->arena, const xg_shape *, s->n_elems + (size_t)1);
        for (k = 0; k < s->n_elems; k++) elems[k] = xg_outer_part(m, s->elems[k], dim, parts);
        return xg_shape_tuple(m, elems, s->n_elems);
    }
    for (k = 0; k < s->rank; k++) dims[k] = (int32_t)k == dim ? s->dims[k] / parts : s->dims[k];
    return xg_shape_array(m, s->type, dims, s->rank, NULL, s->layout);
}
/* What attributes say of the dimension that is cut. */
XG_FN void xg_outer_attributes(xg_module *m, xg_inst *i, const xg_inst *whole, int32_t dim, int64_t parts) {
    if (i->op == XG_SLICE) {
        const xg_slices *had = xg_inst_attr(i, XG_A_slice)->v.slices;
        xg_slices *s = XG_NEW(m->arena, xg_slices);
        xg_slice_dim *p = XG_NEW_N(m->arena, xg_slice_dim, had->n + (size_t)1);
        xg_attr a = *xg_inst_attr(i, XG_A_slice);
        memcpy(p, had->p, had->n * sizeof *p);
        p[dim].limit /= parts;
        s->n = had->n;
        s->p = p;
        a.v.slices = s;
        xg_inst_set_attr(i, a);
    } else if (i->op == XG_DYNAMIC_SLICE || i->op == XG_GATHER) {
        xg_attr_key key = i->op == XG_GATHER ? XG_A_slice_sizes : XG_A_dynamic_slice_sizes;
        xg_ints had = xg_attr_ints(i, key);
        int64_t sizes[XG_RANK_MAX];
        xg_windows w;
        uint32_t k;
        memset(&w, 0, sizeof w);
        if (i->op == XG_GATHER) w = xg_windows_of(whole);
        for (k = 0; k < had.n; k++)
            sizes[k] = had.p[k] / ((i->op == XG_GATHER ? w.inside[k] : (int32_t)k) == dim ? parts : 1);
        xg_inst_set_ints(i, key, sizes, had.n);
    }
}
/* The tuple of results, whose elements are cut each along its own dimension. */
XG_FN const xg_shape *xg_fuse_outer_shape(xg_module *m, const xg_shape *s, int64_t parts) {
    const xg_shape **elems;
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return xg_outer_part(m, s, xg_outer_dim(s), parts);
    elems = XG_NEW_N(m->arena, const xg_shape *, s->n_elems + (size_t)1);
    for (k = 0; k < s->n_elems; k++) elems[k] = xg_outer_part(m, s->elems[k], xg_outer_dim(s->elems[k]), parts);
    return xg_shape_tuple(m, elems, s->n_elems);
}
XG_APART XG_FN xg_comp *xg_fuse_outer_part(xg_arena *a, const xg_comp *c, int64_t parts) {
    xg_module *m = c->module;
    xg_comp *to = xg_comp_new(m, c->name, NULL);
    xg_inst **made = XG_NEW_N(a, xg_inst *, c->n_insts + (size_t)1), **operands;
    xg_outer_walk w;
    int64_t most = xg_outer_walk_comp(a, c, &w);
    uint32_t k;
    if (!most || most % parts)
        xg_fail(m->ctx, XLAGPU_ERROR_INTERNAL, "%s cannot be cut into %lld parts", c->name.p, (long long)parts);
    XG_FOR_INSTS(i, c) {
        int32_t dim = *xg_outer_of(i);
        xg_inst *part;
        if (dim == XG_OUTER_UNASKED && i->op != XG_PARAMETER && i != c->root) continue;
        operands = XG_NEW_N(a, xg_inst *, i->n_operands + (size_t)1);
        for (k = 0; k < i->n_operands; k++) operands[k] = made[xg_outer_of(XG_OPERAND(i, k)) - w.dims];
        part = xg_inst_clone((xg_inst *)i, to, operands, NULL);
        if (i->op == XG_TUPLE)
            part->shape = xg_fuse_outer_shape(m, i->shape, parts);
        else if (dim >= 0) {
            part->shape = xg_outer_part(m, i->shape, dim, parts);
            xg_outer_attributes(m, part, i, dim, parts);
        }
        made[xg_outer_of(i) - w.dims] = part;
    }
    to->root = made[xg_outer_of(c->root) - w.dims];
    return to;
}

#endif /* XG_FUSE_OUTER_C */
