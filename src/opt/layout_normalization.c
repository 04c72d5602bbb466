/* opt/layout_normalization.c -- LayoutNormalization, and ReshapeDecomposer with it: afterwards dimensions stand in the
 * order of the memory, and every move of data is seen.
 *
 * An instruction whose layout is not descending is made anew with its dimensions in physical order:
 * f32[10,20,30]{2,0,1} becomes f32[20,10,30]{2,1,0}. A bitcast gives the old shape to users that still want it, and the
 * next instruction takes it away again.
 * - Operands of another layout than the result's, and copies that change the layout, are transposed.
 * - A reshape is a bitcast where both layouts are descending; else the dimensions are transposed into that order before
 *   and out of it after.
 * - Transposes that move nothing (but dimensions of size 1) are bitcasts.
 * - A dot says in its lists which dimensions meet: they are renumbered. One whose result has yet another order keeps
 *   its layouts.
 * - What reads by index anyhow and has no rule here (convolution, gather, scatter ...) keeps its layouts: a bitcast
 *   stands at the border.
 *
 * Laws: the values and the layouts of parameters, results and everything that control flow carries stay. Only
 * computations whose instructions are steps of the program are touched. */
#ifndef XG_OPT_LAYOUT_NORMALIZATION_C
#define XG_OPT_LAYOUT_NORMALIZATION_C
#include "opt.h"

/* ---- physical order ---- */

XG_FN bool xg_layout_is_plain(const xg_shape *s) { return !s->layout || s->layout->descending; }

/* perm[k]: the logical dimension that stands at place k, most major first; at[d]: where logical dimension d stands. */
XG_FN void xg_layout_order(const xg_shape *s, int64_t *perm, int64_t *at) {
    uint32_t k;
    for (k = 0; k < s->rank; k++) {
        perm[k] = s->layout ? s->layout->minor_to_major[s->rank - 1 - k] : (int64_t)k;
        at[perm[k]] = (int64_t)k;
    }
}

XG_FN const xg_shape *xg_layout_with_dims(xg_module *m, const xg_shape *like, const int64_t *dims, uint32_t rank) {
    const xg_layout *l = like->layout;
    const xg_shape *s = xg_shape_default_layout(m, xg_shape_plain(m, like->type, dims, rank));
    if (!l || (!l->memory_space && !l->element_bits)) return s;
    return xg_shape_with_layout(
        m, s, xg_layout_make(m, s->layout->minor_to_major, rank, l->memory_space, l->element_bits, xg_str_of("", 0)));
}

/* The shape with its dimensions in physical order. */
XG_FN const xg_shape *xg_layout_physical(xg_module *m, const xg_shape *s) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], dims[XG_RANK_MAX];
    uint32_t k;
    if (xg_layout_is_plain(s)) return s;
    xg_layout_order(s, perm, at);
    for (k = 0; k < s->rank; k++) dims[k] = s->dims[perm[k]];
    return xg_layout_with_dims(m, s, dims, s->rank);
}

/* Can this pass speak of the shape? */
XG_FN bool xg_layout_is_known(const xg_shape *s) {
    return xg_shape_is_array(s) && !s->dynamic && (!s->layout || s->layout->extras.n == 0);
}

/* The dimensions of more than one element, from minor to major: how many of those stand before each in the shape, and
 * its size. */
XG_FN uint32_t xg_layout_sequence(const xg_shape *s, int64_t *which, int64_t *size) {
    int64_t number[XG_RANK_MAX], n = 0;
    uint32_t count = 0, k;
    for (k = 0; k < s->rank; k++) {
        number[k] = n;
        n += s->dims[k] != 1;
    }
    for (k = 0; k < s->rank; k++) {
        uint32_t d = s->layout ? (uint32_t)s->layout->minor_to_major[k] : s->rank - 1 - k;
        if (s->dims[d] == 1) continue;
        which[count] = number[d];
        size[count++] = s->dims[d];
    }
    return count;
}

/* Is the reshape of one to the other a bitcast? Sure where both are in plain order, or have the same dimensions in the
 * same order of memory, but for those of size 1. */
XG_FN bool xg_layout_same_order(const xg_shape *a, const xg_shape *b) {
    int64_t which_a[XG_RANK_MAX], size_a[XG_RANK_MAX], which_b[XG_RANK_MAX], size_b[XG_RANK_MAX];
    uint32_t n = xg_layout_sequence(a, which_a, size_a), k;
    if ((xg_layout_is_plain(a) && xg_layout_is_plain(b)) || a->elements <= 1) return true;
    if (n != xg_layout_sequence(b, which_b, size_b)) return false;
    for (k = 0; k < n && which_a[k] == which_b[k] && size_a[k] == size_b[k]; k++) {}
    return k == n;
}

/* ---- normalised operands ---- */

XG_FN xg_inst *xg_layout_bitcast(const xg_hb *b, xg_inst *x, const xg_shape *s) {
    if (x->shape == s) return x;
    if (x->op == XG_BITCAST && x->shape->type == s->type) {
        x = XG_OPERAND(x, 0);
        if (x->shape == s) return x;
    }
    return xg_hb_of(b, XG_BITCAST, s, x);
}

/* Moves only dimensions of size 1? */
XG_FN bool xg_layout_moves_nothing(const xg_shape *from, const int64_t *perm) {
    int64_t last = -1;
    uint32_t k;
    for (k = 0; k < from->rank; k++) {
        if (from->dims[perm[k]] == 1) continue;
        if (perm[k] < last) return false;
        last = perm[k];
    }
    return true;
}

/* A transpose of a shape in plain order to another. */
XG_FN xg_inst *xg_layout_transpose(const xg_hb *b, xg_inst *x, const int64_t *perm) {
    int64_t dims[XG_RANK_MAX];
    const xg_shape *to;
    xg_inst *i;
    uint32_t k;
    if (xg_perm_is_identity(perm, x->shape->rank)) return x;
    for (k = 0; k < x->shape->rank; k++) dims[k] = x->shape->dims[perm[k]];
    to = xg_layout_with_dims(b->comp->module, x->shape, dims, x->shape->rank);
    if (xg_layout_moves_nothing(x->shape, perm)) return xg_layout_bitcast(b, x, to);
    i = xg_hb_of(b, XG_TRANSPOSE, to, x);
    xg_inst_set_ints(i, XG_A_dimensions, perm, x->shape->rank);
    return i;
}

/* The operand with its dimensions in its own physical order. */
XG_FN xg_inst *xg_layout_own(const xg_hb *b, xg_inst *o) {
    return xg_layout_bitcast(b, o, xg_layout_physical(b->comp->module, o->shape));
}

/* The operand with its logical dimensions order[0], order[1] ... from major to minor. */
XG_FN xg_inst *xg_layout_as(const xg_hb *b, xg_inst *o, const int64_t *order) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], move[XG_RANK_MAX];
    uint32_t k;
    xg_layout_order(o->shape, perm, at);
    for (k = 0; k < o->shape->rank; k++) move[k] = at[order[k]];
    return xg_layout_transpose(b, xg_layout_own(b, o), move);
}

/* ---- one function for each kind of operation: the instruction in physical order, or NULL: it keeps its layouts
 * ---- */

/* A copy of the instruction with these operands, in the physical order of its shape. */
XG_FN xg_inst *xg_layout_again(const xg_hb *b, xg_inst *i, xg_inst *const *operands) {
    xg_inst *made = xg_inst_clone(i, i->comp, operands, i);
    made->shape = xg_layout_physical(b->comp->module, i->shape);
    return made;
}

/* Every operand of the result's rank in the result's order. */
XG_FN xg_inst *xg_layout_pointwise(const xg_hb *b, xg_inst *i, uint32_t n) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX];
    xg_inst **in = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + (size_t)1);
    uint32_t k;
    xg_layout_order(i->shape, perm, at);
    for (k = 0; k < i->n_operands; k++)
        in[k] = k < n && XG_OPERAND(i, k)->shape->rank == i->shape->rank ? xg_layout_as(b, XG_OPERAND(i, k), perm)
                                                                         : XG_OPERAND(i, k);
    return xg_layout_again(b, i, in);
}

/* Attributes that list dimensions: each at its place in the order of `at`. */
XG_FN void xg_layout_map_dims(xg_inst *made, const int64_t *at) {
    xg_ints dims = xg_attr_dims(made);
    int64_t mapped[XG_RANK_MAX];
    uint32_t k, j;
    for (k = 0; k < dims.n; k++) mapped[k] = at[dims.p[k]];
    for (k = 1; k < dims.n; k++)
        for (j = k; j && mapped[j - 1] > mapped[j]; j--) {
            int64_t t = mapped[j];
            mapped[j] = mapped[j - 1];
            mapped[j - 1] = t;
        }
    xg_inst_set_ints(made, XG_A_dimensions, mapped, dims.n);
}

XG_FN xg_inst *xg_layout_concat_or_reverse(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX];
    xg_inst *made = xg_layout_pointwise(b, i, i->n_operands);
    xg_layout_order(i->shape, perm, at);
    xg_layout_map_dims(made, at);
    return made;
}

/* What an attribute says of each dimension, `size` bytes each, in the order of the memory. */
XG_FN void *xg_layout_by_dim(const xg_hb *b, const xg_inst *i, const void *p, size_t size) {
    uint32_t rank = i->shape->rank, k;
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX];
    char *to = XG_NEW_N(b->comp->module->arena, char, rank *size + 1);
    xg_layout_order(i->shape, perm, at);
    for (k = 0; k < rank; k++) memcpy(to + k * size, (const char *)p + (size_t)perm[k] * size, size);
    return to;
}
XG_FN xg_inst *xg_layout_slice(const xg_hb *b, xg_inst *i) {
    xg_slices *s = XG_NEW(b->comp->module->arena, xg_slices);
    xg_inst *made = xg_layout_pointwise(b, i, 1);
    xg_attr a = *xg_inst_attr(i, XG_A_slice);
    s->n = i->shape->rank;
    s->p = (const xg_slice_dim *)xg_layout_by_dim(b, i, a.v.slices->p, sizeof *s->p);
    a.v.slices = s;
    xg_inst_set_attr(made, a);
    return made;
}
XG_FN xg_inst *xg_layout_pad(const xg_hb *b, xg_inst *i) {
    xg_pads *p = XG_NEW(b->comp->module->arena, xg_pads);
    xg_inst *made = xg_layout_pointwise(b, i, 1);
    xg_attr a = *xg_inst_attr(i, XG_A_padding);
    p->n = i->shape->rank;
    p->p = (const xg_pad_dim *)xg_layout_by_dim(b, i, a.v.pads->p, sizeof *p->p);
    a.v.pads = p;
    xg_inst_set_attr(made, a);
    return made;
}
/* What is folded first decides to what the result is rounded: the dimensions of the window keep their order. */
XG_FN bool xg_layout_folds_alike(const xg_inst *i, const xg_window *w) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], last = -1;
    uint32_t k;
    xg_layout_order(i->shape, perm, at);
    for (k = 0; k < i->shape->rank; k++) {
        if (w->p[perm[k]].size == 1) continue;
        if (perm[k] < last) return false;
        last = perm[k];
    }
    return true;
}
XG_FN xg_inst *xg_layout_window(const xg_hb *b, xg_inst *i) {
    const xg_attr *old = xg_inst_attr(i, XG_A_window);
    xg_window *w;
    xg_inst *made;
    xg_attr a;
    if (i->n_operands != 2 || !old || old->v.window->n != i->shape->rank || !xg_layout_folds_alike(i, old->v.window))
        return NULL;
    made = xg_layout_pointwise(b, i, 1);
    w = XG_NEW(b->comp->module->arena, xg_window);
    a = *old;
    w->n = i->shape->rank;
    w->p = (const xg_window_dim *)xg_layout_by_dim(b, i, a.v.window->p, sizeof *w->p);
    a.v.window = w;
    xg_inst_set_attr(made, a);
    return made;
}

/* dynamic-slice and dynamic-update-slice: `first` operands are arrays, then come the starts, one a dimension. */
XG_FN xg_inst *xg_layout_dynamic(const xg_hb *b, xg_inst *i, uint32_t first) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], sizes[XG_RANK_MAX];
    xg_ints old = xg_attr_ints(i, XG_A_dynamic_slice_sizes);
    xg_inst *made;
    uint32_t k;
    if (i->n_operands != first + i->shape->rank) return NULL;
    xg_layout_order(i->shape, perm, at);
    made = xg_layout_pointwise(b, i, first);
    for (k = 0; k < i->shape->rank; k++) {
        xg_inst_set_operand(made, first + k, XG_OPERAND(i, first + perm[k]));
        if (old.n) sizes[k] = old.p[perm[k]];
    }
    if (old.n) xg_inst_set_ints(made, XG_A_dynamic_slice_sizes, sizes, old.n);
    return made;
}

XG_FN xg_inst *xg_layout_iota(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX];
    xg_inst *made = xg_layout_again(b, i, NULL);
    xg_layout_order(i->shape, perm, at);
    xg_inst_set_int(made, XG_A_iota_dimension, at[xg_attr_or_0(i, XG_A_iota_dimension)]);
    return made;
}

/* The operand's dimensions in the order in which they stand in the result. */
XG_FN xg_inst *xg_layout_broadcast(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], order[XG_RANK_MAX];
    xg_ints dims = xg_attr_dims(i);
    xg_inst *in, *made;
    uint32_t k, j, n = 0;
    xg_layout_order(i->shape, perm, at);
    for (k = 0; k < i->shape->rank; k++)
        for (j = 0; j < dims.n; j++)
            if (dims.p[j] == perm[k]) order[n++] = (int64_t)j;
    in = xg_layout_as(b, XG_OPERAND(i, 0), order);
    made = xg_layout_again(b, i, &in);
    xg_layout_map_dims(made, at);
    return made;
}

/* Reduces in the operand's order; the result is transposed if it should have another. */
XG_FN xg_inst *xg_layout_reduce(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], out_perm[XG_RANK_MAX], out_at[XG_RANK_MAX], dims[XG_RANK_MAX],
        place[XG_RANK_MAX], move[XG_RANK_MAX];
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    xg_ints reduced = xg_attr_dims(i);
    xg_inst *in[2], *made;
    uint32_t k, n = 0;
    int64_t kept = 0;
    if (i->n_operands != 2 || !xg_layout_is_known(s)) return NULL;
    xg_layout_order(s, perm, at);
    in[0] = xg_layout_own(b, XG_OPERAND(i, 0));
    in[1] = XG_OPERAND(i, 1);
    /* place[d]: where the kept logical dimension number d is among the kept ones in physical order */
    for (k = 0; k < s->rank; k++) {
        uint32_t j, before = 0;
        bool gone = false;
        for (j = 0; j < reduced.n; j++) {
            gone = gone || reduced.p[j] == perm[k];
            before += reduced.p[j] < perm[k];
        }
        if (gone) continue;
        place[perm[k] - before] = kept++;
        dims[n++] = s->dims[perm[k]];
    }
    made = xg_inst_clone(i, i->comp, in, i);
    made->shape = xg_layout_with_dims(b->comp->module, i->shape, dims, n);
    xg_layout_map_dims(made, at);
    xg_layout_order(i->shape, out_perm, out_at);
    for (k = 0; k < n; k++) move[k] = place[out_perm[k]];
    return xg_layout_transpose(b, made, move);
}

XG_FN xg_inst *xg_layout_transposed(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], order[XG_RANK_MAX];
    xg_ints dims = xg_attr_dims(i);
    uint32_t k;
    xg_layout_order(i->shape, perm, at);
    for (k = 0; k < i->shape->rank; k++) order[k] = dims.p[perm[k]];
    return xg_layout_as(b, XG_OPERAND(i, 0), order);
}

XG_FN xg_inst *xg_layout_reshaped(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX], plain[XG_RANK_MAX];
    xg_inst *x = XG_OPERAND(i, 0);
    uint32_t k;
    if (xg_layout_same_order(x->shape, i->shape))
        return xg_layout_bitcast(b, xg_layout_own(b, x), xg_layout_physical(b->comp->module, i->shape));
    for (k = 0; k < XG_RANK_MAX; k++) plain[k] = (int64_t)k;
    x = xg_layout_as(b, x, plain);
    x = xg_layout_bitcast(b, x, xg_layout_with_dims(b->comp->module, i->shape, i->shape->dims, i->shape->rank));
    xg_layout_order(i->shape, perm, at);
    return xg_layout_transpose(b, x, perm);
}

/* Where the free dimensions of the operand, in the order of perm, stand in the result of the dot as it was: out[0],
 * out[1] ... */
XG_FN uint32_t xg_layout_dot_free(
    const xg_shape *s, xg_ints batch, xg_ints contracted, const int64_t *perm, uint32_t first, int64_t *out) {
    int64_t place[XG_RANK_MAX];
    uint32_t k, n = 0;
    memset(place, 0, sizeof place);
    for (k = 0; k < batch.n; k++) place[batch.p[k]] = -1;
    for (k = 0; k < contracted.n; k++) place[contracted.p[k]] = -1;
    for (k = 0; k < s->rank; k++)
        if (place[k] >= 0) place[k] = first + n++;
    for (k = 0, n = 0; k < s->rank; k++)
        if (place[perm[k]] >= 0) out[n++] = place[perm[k]];
    return n;
}
/* The lists of the dot with the operands in their physical orders. The result has their free dimensions in that order;
 * where the memory wants those of the right operand first, the operands change places. What fits neither way keeps its
 * layouts. */
XG_FN xg_inst *xg_layout_dot(const xg_hb *b, xg_inst *i) {
    xg_dot_dims was = xg_dot_dims_of(i), now;
    xg_inst *in[2];
    int64_t lists[4][XG_RANK_MAX], perm[2][XG_RANK_MAX], at[2][XG_RANK_MAX], want[XG_RANK_MAX], want_at[XG_RANK_MAX],
        have[2][XG_RANK_MAX];
    const xg_ints *from[4];
    xg_ints *to[4];
    uint32_t k, j, n = was.lb.n, lhs, rhs, way;
    from[0] = &was.lb;
    from[1] = &was.lc;
    from[2] = &was.rb;
    from[3] = &was.rc;
    for (k = 0; k < 2; k++) xg_layout_order(XG_OPERAND(i, k)->shape, perm[k], at[k]);
    xg_layout_order(i->shape, want, want_at);
    for (k = 0; k < n; k++) { /* batch dimensions come first, in any order of theirs */
        if (want[k] >= (int64_t)n) return NULL;
        have[0][k] = have[1][k] = want[k];
    }
    lhs = xg_layout_dot_free(XG_OPERAND(i, 0)->shape, was.lb, was.lc, perm[0], n, have[0] + n);
    rhs = xg_layout_dot_free(XG_OPERAND(i, 1)->shape, was.rb, was.rc, perm[1], n + lhs, have[0] + n + lhs);
    memcpy(have[1] + n, have[0] + n + lhs, rhs * sizeof **have);
    memcpy(have[1] + n + rhs, have[0] + n, lhs * sizeof **have);
    for (way = 0; way < 2 && memcmp(have[way], want, i->shape->rank * sizeof *want) != 0; way++) {}
    if (way == 2 || (way == 1 && !xg_dot_is_symmetric(i))) return NULL;
    to[0] = way ? &now.rb : &now.lb;
    to[1] = way ? &now.rc : &now.lc;
    to[2] = way ? &now.lb : &now.rb;
    to[3] = way ? &now.lc : &now.rc;
    for (k = 0; k < 4; k++) {
        for (j = 0; j < from[k]->n; j++) lists[k][j] = at[k / 2][from[k]->p[k % 2 ? j : (uint32_t)want[j]]];
        to[k]->p = lists[k];
        to[k]->n = from[k]->n;
    }
    for (k = 0; k < 2; k++) in[way ? 1 - k : k] = xg_layout_own(b, XG_OPERAND(i, k));
    return xg_hb_dot(b, in[0], in[1], now, i->shape->type, i);
}

XG_FN xg_inst *xg_layout_normal(const xg_hb *b, xg_inst *i) {
    int64_t perm[XG_RANK_MAX], at[XG_RANK_MAX];
    switch (i->op) {
    case XG_COPY:
        if (XG_OPERAND(i, 0)->shape->layout == i->shape->layout) return xg_layout_pointwise(b, i, 1);
        xg_layout_order(i->shape, perm, at);
        return xg_layout_as(b, XG_OPERAND(i, 0), perm);
    case XG_BITCAST:
        return xg_layout_bitcast(b, xg_layout_own(b, XG_OPERAND(i, 0)), xg_layout_physical(b->comp->module, i->shape));
    case XG_RESHAPE: return xg_layout_reshaped(b, i);
    case XG_TRANSPOSE: return xg_layout_transposed(b, i);
    case XG_BROADCAST: return xg_layout_broadcast(b, i);
    case XG_REVERSE:
    case XG_CONCATENATE: return xg_layout_concat_or_reverse(b, i);
    case XG_SLICE: return xg_layout_slice(b, i);
    case XG_PAD: return xg_layout_pad(b, i);
    case XG_REDUCE_WINDOW: return xg_layout_window(b, i);
    case XG_DYNAMIC_SLICE: return xg_layout_dynamic(b, i, 1);
    case XG_DYNAMIC_UPDATE_SLICE: return xg_layout_dynamic(b, i, 2);
    case XG_IOTA: return xg_layout_iota(b, i);
    case XG_REDUCE: return xg_layout_reduce(b, i);
    case XG_DOT: return xg_layout_dot(b, i);
    case XG_BITCAST_CONVERT:
        return xg_type_bits(XG_OPERAND(i, 0)->shape->type) == xg_type_bits(i->shape->type)
                   ? xg_layout_pointwise(b, i, 1)
                   : NULL;
    case XG_MAP: return xg_layout_pointwise(b, i, i->n_operands);
    default: return xg_op_flags(i->op) & XGF_EW ? xg_layout_pointwise(b, i, i->n_operands) : NULL;
    }
}

/* ---- the pass ---- */

/* A broadcast whose rows are an array's columns (a bias of scores by heads), read again and again: turned once. */
XG_FN bool xg_layout_turns(const xg_inst *i) {
    xg_ints dims = xg_attr_dims(i);
    uint32_t k;
    for (k = 0; k + 1 < dims.n; k++)
        if (dims.p[k] + 1 == (int64_t)i->shape->rank)
            return i->shape->elements / 16 >= XG_OPERAND(i, 0)->shape->elements;
    return false;
}
/* Nothing to do: all plain, and no operation that may be a bitcast. */
XG_FN bool xg_layout_is_normal(const xg_inst *i) {
    const xg_inst *o = i->n_operands ? XG_OPERAND(i, 0) : NULL;
    uint32_t k;
    if (i->op == XG_BROADCAST && xg_layout_turns(i)) return false;
    if (i->op == XG_RESHAPE || (i->op == XG_TRANSPOSE && xg_layout_moves_nothing(o->shape, xg_attr_dims(i).p)))
        return false;
    if (i->op == XG_BITCAST) return true;
    if (!xg_layout_is_plain(i->shape)) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_layout_is_plain(XG_OPERAND(i, k)->shape)) return false;
    return true;
}

XG_FN bool xg_layout_is_movable(const xg_inst *i) {
    uint32_t k;
    if (!xg_layout_is_known(i->shape) || xg_inst_order(i)) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_layout_is_known(XG_OPERAND(i, k)->shape)) return false;
    return true;
}

XG_FN bool xg_layout_normalize_comp(xg_comp *c) {
    xg_inst *i, *next, *before;
    bool changed = false;
    for (i = c->first; i; i = next) {
        xg_inst *made;
        xg_hb b = xg_hb_at(i);
        next = xg_inst_behind(i);
        if (!xg_layout_is_movable(i) || xg_layout_is_normal(i)) continue;
        made = xg_layout_normal(&b, i);
        if (!made) continue;
        made = made->shape == i->shape ? made : xg_layout_bitcast(&b, made, i->shape);
        xg_inst_replace(i, made);
        xg_inst_remove(i);
        changed = true;
    }
    for (i = c->last; changed && i; i = before) { /* bitcasts that nothing wanted in the end */
        before = xg_inst_before(i);
        if (i->op == XG_BITCAST && !i->first_use && i != c->root) xg_inst_remove(i);
    }
    return changed;
}

XG_FN bool xg_opt_layout_normalization(xg_module *m) {
    return (m->made_layout || m->made[XG_RESHAPE] || m->made[XG_TRANSPOSE]) &&
           xg_opt_each_sequence(m, xg_layout_normalize_comp);
}

#endif /* XG_OPT_LAYOUT_NORMALIZATION_C */
