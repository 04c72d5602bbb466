/* hlo/infer_movement.c -- the result shapes of opcodes that move elements without computing.
 *
 * Where XLA wants the shape stated (bitcast, reshape, broadcast), the rule checks it against the operand and gives it
 * back. */
#ifndef XG_HLO_INFER_MOVEMENT_C
#define XG_HLO_INFER_MOVEMENT_C
#include "infer_common.c"

static bool xg_infer_has_dynamic(const xg_shape *s) { return s->dynamic != NULL; }
static bool xg_infer_has_unbounded(const xg_shape *s) {
    uint32_t k;
    for (k = 0; s->dynamic && k < s->rank; k++)
        if (s->dynamic[k] == XG_DIM_UNBOUNDED) return true;
    return false;
}

/* ---- views ---- */

/* Bits of so many elements in memory: narrow integers take a byte each unless the layout packs them. */
static int64_t xg_infer_storage_bits(const xg_inst *i, const xg_shape *s, int64_t elements) {
    int64_t bits = s->layout && s->layout->element_bits ? s->layout->element_bits : (int64_t)xg_type_bytes(s->type) * 8;
    return xg_want_product(i, elements, bits);
}
/* The memory of a bitcast is as large on both sides, with the padding of tiles or, where tiles are to be ignored,
 * without. */
XG_FN bool xg_bitcast_sees_tiles(const xg_inst *i) {
    const xg_shape *to = i->shape, *from = XG_OPERAND(i, 0)->shape;
    xg_arena *a = i->comp->module->arena;
    if (!xg_layout_has_tiles(to->layout) && !xg_layout_has_tiles(from->layout)) return false;
    return xg_infer_storage_bits(i, to, xg_tiled_elements(a, to)) ==
           xg_infer_storage_bits(i, from, xg_tiled_elements(a, from));
}
static const xg_shape *xg_infer_bitcast(xg_module *m, const xg_inst *i) {
    const xg_shape *given = xg_want_given_array(i), *s = xg_want_array_0(i);
    if (!xg_infer_has_dynamic(given) && !xg_infer_has_dynamic(s))
        XG_RULE(i,
            xg_infer_storage_bits(i, given, given->elements) == xg_infer_storage_bits(i, s, s->elements) ||
                xg_bitcast_sees_tiles(i),
            "a bitcast keeps the bytes: %s cannot become %s", xg_infer_text(i, s), xg_infer_text(i, given));
    if (s->type != given->type && (xg_type_bits(s->type) < 8 || xg_type_bits(given->type) < 8))
        XG_RULE_HINT(i, s->elements * xg_type_bits(s->type) == given->elements * xg_type_bits(given->type),
            "use convert", "a bitcast keeps the bits: %s cannot become %s", xg_infer_text(i, s),
            xg_infer_text(i, given));
    return xg_shape_default_layout(m, given);
}

/* Equal widths keep the dimensions; a narrower result gains a minor dimension of the ratio, a wider one loses it. */
static const xg_shape *xg_infer_bitcast_convert(xg_module *m, const xg_inst *i) {
    const xg_shape *given = xg_want_given_array(i), *s = xg_want_array_0(i);
    int from = xg_type_bits(s->type), to = xg_type_bits(given->type);
    xg_draft d;
    XG_RULE_HINT(i, (xg_type_class(s->type) == XGT_C) == (xg_type_class(given->type) == XGT_C),
        "use real, imag or complex", "%s and %s cannot be bitcast: only one is complex", xg_type_name(s->type),
        xg_type_name(given->type));
    XG_RULE(i, from > 0 && to > 0 && from % to * (to % from) == 0, "the widths of %s and %s do not divide each other",
        xg_type_name(s->type), xg_type_name(given->type));
    xg_draft_of(&d, s);
    d.type = given->type;
    if (from > to) xg_draft_push(i, &d, from / to, XG_DIM_STATIC);
    if (from < to) {
        XG_RULE(i, d.rank > 0 && (d.size[d.rank - 1] == to / from || d.dynamic[d.rank - 1] == XG_DIM_UNBOUNDED),
            "the last dimension of %s must be %d to become %s", xg_infer_text(i, s), to / from,
            xg_type_name(given->type));
        d.rank--;
    }
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_reshape(xg_module *m, const xg_inst *i) {
    const xg_shape *given = xg_want_given_array(i), *s = xg_want_array_0(i);
    XG_RULE_HINT(i, given->type == s->type, "use bitcast-convert or convert",
        "a reshape keeps the element type: %s cannot become %s", xg_infer_text(i, s), xg_infer_text(i, given));
    if (!xg_infer_has_unbounded(given) && !xg_infer_has_unbounded(s))
        XG_RULE(i, given->elements == s->elements, "a reshape keeps the number of elements: %s has %lld, %s has %lld",
            xg_infer_text(i, s), (long long)s->elements, xg_infer_text(i, given), (long long)given->elements);
    if (xg_inst_attr(i, XG_A_inferred_dimension)) {
        int64_t d = xg_attr_int(i, XG_A_inferred_dimension, -1);
        XG_RULE(i, d >= -1 && d < (int64_t)given->rank, "inferred_dimension=%lld is not a dimension of %s",
            (long long)d, xg_infer_text(i, given));
    }
    return xg_shape_default_layout(m, given);
}

static const xg_shape *xg_infer_dynamic_reshape(xg_module *m, const xg_inst *i) {
    const xg_shape *given = xg_want_given_array(i), *s = xg_want_array_0(i);
    uint32_t k;
    XG_RULE(i, given->type == s->type, "a reshape keeps the element type: %s cannot become %s", xg_infer_text(i, s),
        xg_infer_text(i, given));
    XG_RULE(i, given->elements == s->elements, "a reshape keeps the number of elements: %s cannot become %s",
        xg_infer_text(i, s), xg_infer_text(i, given));
    XG_RULE(i, i->n_operands == given->rank + 1,
        "there must be one size operand for each dimension of %s, but there are %u", xg_infer_text(i, given),
        i->n_operands - 1);
    for (k = 1; k < i->n_operands; k++) xg_want_scalar(i, k, XLAGPU_S32, "the size of a dimension");
    return xg_shape_default_layout(m, given);
}

static const xg_shape *xg_infer_broadcast(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i), *given = i->shape;
    xg_ints dims = xg_attr_dims(i);
    uint32_t k;
    XG_RULE_HINT(i, dims.n == s->rank, "dimensions= maps each dimension of the operand to one of the result",
        "dimensions=%s must have one entry for each dimension of %s", xg_infer_ints_text(i, dims), xg_infer_text(i, s));
    XG_RULE_HINT(
        i, given || s->rank == 0, "write it between '=' and the opcode", "the shape of the result must be stated");
    if (!given) return xg_shape_default_layout(m, s);
    XG_RULE_HINT(i, xg_shape_is_array(given) && given->type == s->type, "put a convert before it",
        "a broadcast keeps the element type: %s cannot become %s", xg_infer_text(i, s), xg_infer_text(i, given));
    xg_want_dims(i, "dimensions", dims, given->rank, false);
    for (k = 0; k < dims.n; k++)
        XG_RULE(i, xg_shape_dim_agrees(s, k, given, dims.p[k]), "dimension %u of %s does not fit dimension %lld of %s",
            k, xg_infer_text(i, s), (long long)dims.p[k], xg_infer_text(i, given));
    return xg_shape_default_layout(m, given);
}

/* ---- permutations ---- */

static const xg_shape *xg_infer_transpose(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    xg_ints p = xg_attr_dims(i);
    xg_draft d;
    uint32_t k;
    XG_RULE(i, p.n == s->rank, "dimensions=%s must be a permutation of the %u dimensions of %s",
        xg_infer_ints_text(i, p), s->rank, xg_infer_text(i, s));
    xg_want_dims(i, "dimensions", p, s->rank, false);
    d.type = s->type;
    d.rank = s->rank;
    for (k = 0; k < p.n; k++) {
        d.size[k] = s->dims[p.p[k]];
        d.dynamic[k] = xg_shape_dim_kind(s, p.p[k]);
    }
    return xg_draft_shape(m, &d);
}
static const xg_shape *xg_infer_reverse(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    xg_want_dims(i, "dimensions", xg_attr_dims(i), s->rank, false);
    return xg_shape_default_layout(m, s);
}

/* ---- slices and their inverses ---- */

static const xg_shape *xg_infer_slice(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    const xg_attr *a = xg_inst_attr(i, XG_A_slice);
    const xg_slices *v = a ? a->v.slices : NULL;
    xg_draft d;
    uint32_t k;
    XG_RULE(i, v && v->n == s->rank, "slice= must have one entry for each dimension of %s, but has %u",
        xg_infer_text(i, s), v ? v->n : 0);
    xg_draft_of(&d, s);
    for (k = 0; k < s->rank; k++) {
        const xg_slice_dim *w = &v->p[k];
        bool open = d.dynamic[k] == XG_DIM_UNBOUNDED;
        XG_RULE(i, w->start >= 0, "slice [%lld:%lld] of dimension %u starts before 0", (long long)w->start,
            (long long)w->limit, k);
        XG_RULE(i, w->start <= w->limit, "slice [%lld:%lld] of dimension %u ends before it starts", (long long)w->start,
            (long long)w->limit, k);
        XG_RULE(i, open || w->limit <= s->dims[k], "slice [%lld:%lld] goes over dimension %u of %s",
            (long long)w->start, (long long)w->limit, k, xg_infer_text(i, s));
        XG_RULE(i, w->stride >= 1, "the stride of slice dimension %u must be at least 1, but is %lld", k,
            (long long)w->stride);
        d.size[k] = w->limit == w->start ? 0 : (w->limit - w->start - 1) / w->stride + 1;
        /* one element of a dynamic dimension is there or the program is wrong */
        if (open || d.size[k] == 1) d.dynamic[k] = XG_DIM_STATIC;
    }
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_pad(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    const xg_attr *a = xg_inst_attr(i, XG_A_padding);
    const xg_pads *v = a ? a->v.pads : NULL;
    xg_draft d;
    uint32_t k;
    xg_want_scalar(i, 1, s->type, "the padding value");
    XG_RULE(i, (v ? v->n : 0) == s->rank, "padding= must have one entry for each dimension of %s, but has %u",
        xg_infer_text(i, s), v ? v->n : 0);
    xg_draft_of(&d, s);
    for (k = 0; k < s->rank; k++) {
        const xg_pad_dim *w = &v->p[k];
        XG_RULE(i, w->interior >= 0, "the interior padding %lld of dimension %u must not be negative",
            (long long)w->interior, k);
        if (d.dynamic[k] == XG_DIM_UNBOUNDED) continue;
        d.size[k] = xg_want_sum(i, d.size[k], xg_want_product(i, w->interior, d.size[k] > 0 ? d.size[k] - 1 : 0));
        d.size[k] = xg_want_sum(i, xg_want_sum(i, d.size[k], w->low), w->high);
        XG_RULE(i, d.size[k] >= 0, "padding %lld_%lld_%lld leaves a negative size of dimension %u of %s",
            (long long)w->low, (long long)w->high, (long long)w->interior, k, xg_infer_text(i, s));
    }
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_concatenate(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    int64_t c;
    xg_draft d;
    uint32_t k, r;
    XG_RULE_HINT(i, s->rank > 0, "reshape them to f32[1] and the like", "scalars cannot be concatenated");
    c = xg_want_dim(i, s->rank);
    xg_draft_of(&d, s);
    for (k = 1; k < i->n_operands; k++) {
        const xg_shape *t = xg_want_array(i, k);
        bool ok = t->rank == d.rank;
        xg_want_same_type(i, 0, k);
        for (r = 0; ok && r < d.rank; r++)
            if ((int64_t)r != c)
                ok = xg_draft_merge_dim(&d.size[r], &d.dynamic[r], t->dims[r], xg_shape_dim_kind(t, r));
        XG_RULE(i, ok, "operands 0 and %u differ in more than dimension %lld: %s and %s", k, (long long)c,
            xg_infer_text(i, s), xg_infer_text(i, t));
        if (d.dynamic[c] == XG_DIM_UNBOUNDED || xg_shape_dim_kind(t, c) == XG_DIM_UNBOUNDED) {
            d.size[c] = 0;
            d.dynamic[c] = XG_DIM_UNBOUNDED;
            continue;
        }
        d.size[c] = xg_want_sum(i, d.size[c], t->dims[c]);
        if (xg_shape_dim_kind(t, c) != XG_DIM_STATIC) d.dynamic[c] = XG_DIM_BOUNDED;
    }
    return xg_draft_shape(m, &d);
}

/* Start indices from operand `from` on: one integer scalar for each dimension, or all of them in one vector. */
static void xg_want_starts(const xg_inst *i, uint32_t from, uint32_t rank) {
    uint32_t n = i->n_operands - from, k;
    if (n == 1 && xg_shape_is_array(xg_infer_operand(i, from)) && xg_infer_operand(i, from)->rank == 1) {
        const xg_shape *v = xg_infer_operand(i, from);
        XG_RULE(i, xg_infer_is_int(v->type), "the start indices must be integers, but are %s", xg_infer_text(i, v));
        XG_RULE(i, v->dims[0] == (int64_t)rank, "there must be %u start indices, but operand %u is %s", rank, from,
            xg_infer_text(i, v));
        return;
    }
    XG_RULE(i, n == rank, "there must be one start index for each of %u dimensions, but there are %u", rank, n);
    for (k = from; k < i->n_operands; k++) {
        const xg_shape *s = xg_want_scalar(i, k, XLAGPU_INVALID, "a start index");
        XG_RULE(i, xg_infer_is_int(s->type), "the start indices must be integers, but operand %u is %s", k,
            xg_infer_text(i, s));
        xg_want_same_type(i, from, k);
    }
}

static const xg_shape *xg_infer_dynamic_slice(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    xg_ints sizes = xg_attr_ints(i, XG_A_dynamic_slice_sizes);
    xg_draft d;
    uint32_t k;
    xg_want_starts(i, 1, s->rank);
    XG_RULE(i, sizes.n == s->rank, "dynamic_slice_sizes=%s must have one entry for each dimension of %s",
        xg_infer_ints_text(i, sizes), xg_infer_text(i, s));
    xg_draft_of(&d, s);
    for (k = 0; k < s->rank; k++) {
        bool open = d.dynamic[k] == XG_DIM_UNBOUNDED;
        XG_RULE(i, sizes.p[k] >= 0 && (open || sizes.p[k] <= s->dims[k]),
            "slice size %lld does not fit dimension %u of %s", (long long)sizes.p[k], k, xg_infer_text(i, s));
        if (open || sizes.p[k] != s->dims[k]) d.dynamic[k] = XG_DIM_STATIC;
        d.size[k] = sizes.p[k];
    }
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_dynamic_update_slice(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i), *u = xg_want_array(i, 1);
    uint32_t k;
    xg_want_same_type(i, 0, 1);
    XG_RULE(i, u->rank == s->rank, "the update %s must have as many dimensions as %s", xg_infer_text(i, u),
        xg_infer_text(i, s));
    for (k = 0; k < s->rank; k++)
        XG_RULE(i, u->dims[k] <= s->dims[k] || xg_shape_dim_kind(s, k) == XG_DIM_UNBOUNDED,
            "the update %s does not fit into %s in dimension %u", xg_infer_text(i, u), xg_infer_text(i, s), k);
    xg_want_starts(i, 2, s->rank);
    return xg_shape_default_layout(m, s);
}

/* ---- gather and scatter ---- */

/* The two sides of gather and scatter speak of the same things under different names. */
typedef struct xg_infer_index_dims {
    const char *window_name, *gone_name, *map_name, *batch_name, *index_batch_name;
    xg_ints window;             /* offset_dims: dimensions of the slices' side that lie in a window */
    xg_ints gone;               /* collapsed or inserted: dimensions of the operand that a window lacks */
    xg_ints map;                /* the operand's dimension of each component of an index */
    xg_ints batch, index_batch; /* dimensions of the operand and of the indices that run together */
    int64_t vector_dim;         /* the dimension of the indices that holds the components; their rank: none does */
} xg_infer_index_dims;

/* Checks all that the two have in common. */
static void xg_want_index_dims(const xg_inst *i, const xg_infer_index_dims *v, const xg_shape *s, const xg_shape *x) {
    int64_t components;
    uint32_t k;
    XG_RULE(i, xg_infer_is_int(x->type), "the indices must be integers, but are %s", xg_infer_text(i, x));
    XG_RULE(i, v->vector_dim >= 0 && v->vector_dim <= (int64_t)x->rank,
        "index_vector_dim=%lld must be a dimension of the indices %s, or their rank", (long long)v->vector_dim,
        xg_infer_text(i, x));
    components = v->vector_dim < (int64_t)x->rank ? x->dims[v->vector_dim] : 1;
    if (v->vector_dim == (int64_t)x->rank || xg_shape_dim_kind(x, v->vector_dim) == XG_DIM_STATIC)
        XG_RULE(i, (int64_t)v->map.n == components, "%s=%s must have %lld entries, as many as an index has components",
            v->map_name, xg_infer_ints_text(i, v->map), (long long)components);
    xg_want_dims(i, v->map_name, v->map, s->rank, false);
    xg_want_dims(i, v->gone_name, v->gone, s->rank, true);
    xg_want_dims(i, v->batch_name, v->batch, s->rank, true);
    xg_want_dims(i, v->index_batch_name, v->index_batch, x->rank, false);
    XG_RULE(i, v->batch.n == v->index_batch.n, "%s=%s and %s=%s must have as many entries", v->batch_name,
        xg_infer_ints_text(i, v->batch), v->index_batch_name, xg_infer_ints_text(i, v->index_batch));
    for (k = 0; k < v->batch.n; k++) {
        XG_RULE(i, !xg_ints_has(v->gone, v->batch.p[k]), "dimension %lld is in both %s and %s",
            (long long)v->batch.p[k], v->gone_name, v->batch_name);
        XG_RULE(i, !xg_ints_has(v->map, v->batch.p[k]), "dimension %lld is in both %s and %s", (long long)v->batch.p[k],
            v->map_name, v->batch_name);
        XG_RULE(i, v->index_batch.p[k] != v->vector_dim, "%s=%s must not name index_vector_dim", v->index_batch_name,
            xg_infer_ints_text(i, v->index_batch));
        XG_RULE(i, xg_shape_dim_agrees(s, v->batch.p[k], x, v->index_batch.p[k]),
            "the batch dimensions %lld of %s and %lld of %s must be equal", (long long)v->batch.p[k],
            xg_infer_text(i, s), (long long)v->index_batch.p[k], xg_infer_text(i, x));
    }
}

static const xg_shape *xg_infer_gather(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i), *x = xg_want_array(i, 1);
    xg_ints sizes = xg_attr_ints(i, XG_A_slice_sizes);
    xg_infer_index_dims v = {"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
        "start_indices_batching_dims", {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0};
    int64_t batch_rank, rank, w = 0, b = 0, k;
    xg_draft d;
    v.window = xg_attr_ints(i, XG_A_offset_dims);
    v.gone = xg_attr_ints(i, XG_A_collapsed_slice_dims);
    v.map = xg_attr_ints(i, XG_A_start_index_map);
    v.batch = xg_attr_ints(i, XG_A_operand_batching_dims);
    v.index_batch = xg_attr_ints(i, XG_A_start_indices_batching_dims);
    v.vector_dim = xg_attr_int(i, XG_A_index_vector_dim, -1);
    xg_want_index_dims(i, &v, s, x);
    XG_RULE(i, sizes.n == s->rank, "slice_sizes=%s must have one entry for each dimension of %s",
        xg_infer_ints_text(i, sizes), xg_infer_text(i, s));
    XG_RULE(i, sizes.n == v.window.n + v.gone.n + v.batch.n,
        "offset_dims=%s must have one entry for each dimension of %s that is neither in collapsed_slice_dims nor in "
        "operand_batching_dims",
        xg_infer_ints_text(i, v.window), xg_infer_text(i, s));
    for (k = 0; k < (int64_t)s->rank; k++) {
        bool gone = xg_ints_has(v.gone, k) || xg_ints_has(v.batch, k);
        XG_RULE(i, sizes.p[k] >= 0 && (sizes.p[k] <= s->dims[k] || xg_shape_dim_kind(s, k) == XG_DIM_UNBOUNDED),
            "slice size %lld does not fit dimension %lld of %s", (long long)sizes.p[k], (long long)k,
            xg_infer_text(i, s));
        XG_RULE(i, !gone || sizes.p[k] <= 1,
            "slice_sizes=%s must be 1 in dimension %lld, which is collapsed or a batch dimension",
            xg_infer_ints_text(i, sizes), (long long)k);
    }
    batch_rank = (int64_t)x->rank - (v.vector_dim < (int64_t)x->rank);
    rank = batch_rank + v.window.n;
    if (rank > XG_RANK_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "the result would have more than %d dimensions", (int)XG_RANK_MAX);
    xg_want_dims(i, "offset_dims", v.window, (uint32_t)rank, true);
    d.type = s->type;
    d.rank = 0;
    for (k = 0; k < rank; k++) {
        if (xg_ints_has(v.window, k)) {
            while (xg_ints_has(v.gone, w) || xg_ints_has(v.batch, w)) w++;
            xg_draft_push(i, &d, sizes.p[w],
                sizes.p[w] == s->dims[w] && xg_shape_dim_kind(s, w) == XG_DIM_BOUNDED ? (uint8_t)XG_DIM_BOUNDED
                                                                                      : (uint8_t)XG_DIM_STATIC);
            w++;
        } else {
            if (b == v.vector_dim) b++;
            xg_draft_push(i, &d, x->dims[b], xg_shape_dim_kind(x, b));
            b++;
        }
    }
    return xg_draft_shape(m, &d);
}

/* One pair of operand and updates. */
static void xg_want_update(
    const xg_inst *i, const xg_infer_index_dims *v, const xg_shape *s, const xg_shape *x, const xg_shape *u) {
    int64_t rank = (int64_t)x->rank - (v->vector_dim < (int64_t)x->rank) + v->window.n, w = 0, b = 0, k;
    XG_RULE(i, (int64_t)u->rank == rank,
        "the updates %s must have %lld dimensions: those of the indices %s but index_vector_dim, and "
        "update_window_dims=%s",
        xg_infer_text(i, u), (long long)rank, xg_infer_text(i, x), xg_infer_ints_text(i, v->window));
    xg_want_dims(i, "update_window_dims", v->window, u->rank, true);
    XG_RULE(i, v->window.n + v->gone.n + v->batch.n == s->rank,
        "update_window_dims=%s must have one entry for each dimension of %s that is neither in inserted_window_dims "
        "nor in input_batching_dims",
        xg_infer_ints_text(i, v->window), xg_infer_text(i, s));
    for (k = 0; k < (int64_t)u->rank; k++) {
        if (xg_ints_has(v->window, k)) {
            while (xg_ints_has(v->gone, w) || xg_ints_has(v->batch, w)) w++;
            XG_RULE(i, u->dims[k] <= s->dims[w] || xg_shape_dim_kind(s, w) == XG_DIM_UNBOUNDED,
                "dimension %lld of the updates %s is larger than dimension %lld of %s", (long long)k,
                xg_infer_text(i, u), (long long)w, xg_infer_text(i, s));
            w++;
        } else {
            if (b == v->vector_dim) b++;
            XG_RULE(i, xg_shape_dim_agrees(u, k, x, b),
                "dimension %lld of the updates %s must equal dimension %lld of the indices %s", (long long)k,
                xg_infer_text(i, u), (long long)b, xg_infer_text(i, x));
            b++;
        }
    }
}

static const xg_shape *xg_infer_scatter(xg_module *m, const xg_inst *i) {
    xg_infer_index_dims v = {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
        "input_batching_dims", "scatter_indices_batching_dims", {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0};
    uint32_t n = i->n_operands / 2, k;
    const xg_shape *s, *x;
    XG_RULE(i, i->n_operands % 2 == 1,
        "there must be as many operands as updates around the indices, but there are %u operands in all",
        i->n_operands);
    xg_want_arrays(i);
    s = xg_infer_operand(i, 0);
    x = xg_infer_operand(i, n);
    v.window = xg_attr_ints(i, XG_A_update_window_dims);
    v.gone = xg_attr_ints(i, XG_A_inserted_window_dims);
    v.map = xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims);
    v.batch = xg_attr_ints(i, XG_A_input_batching_dims);
    v.index_batch = xg_attr_ints(i, XG_A_scatter_indices_batching_dims);
    v.vector_dim = xg_attr_int(i, XG_A_index_vector_dim, -1);
    xg_want_index_dims(i, &v, s, x);
    for (k = 0; k < n; k++) {
        XG_RULE(i, xg_shape_dims_agree(xg_infer_operand(i, k), s),
            "operands 0 and %u must have the same dimensions, but are %s and %s", k, xg_infer_text(i, s),
            xg_infer_operand_text(i, k));
        XG_RULE(i, xg_shape_dims_agree(xg_infer_operand(i, n + 1 + k), xg_infer_operand(i, n + 1)),
            "the updates must have the same dimensions, but are %s and %s", xg_infer_operand_text(i, n + 1),
            xg_infer_operand_text(i, n + 1 + k));
        xg_want_same_type(i, k, n + 1 + k);
    }
    xg_want_update(i, &v, s, x, xg_infer_operand(i, n + 1));
    xg_want_reducer(i, XG_A_to_apply, n + 1, 0, n);
    return xg_infer_tuple_of(m, i, n, true);
}

/* ---- sizes of dimensions ---- */

static const xg_shape *xg_infer_get_dimension_size(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    int64_t d = xg_want_dim(i, s->rank);
    XG_RULE(i, s->dims[d] <= INT32_MAX, "dimension %lld of %s does not fit the s32[] result", (long long)d,
        xg_infer_text(i, s));
    return xg_infer_scalar(m, XLAGPU_S32);
}
static const xg_shape *xg_infer_set_dimension_size(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    int64_t c = xg_want_dim(i, s->rank);
    xg_draft d;
    xg_want_scalar(i, 1, XLAGPU_S32, "the size");
    xg_draft_of(&d, s);
    if (d.dynamic[c] == XG_DIM_STATIC) d.dynamic[c] = XG_DIM_BOUNDED;
    return xg_draft_shape(m, &d);
}

#endif /* XG_HLO_INFER_MOVEMENT_C */
