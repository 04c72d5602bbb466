/* spmd/factors.c -- the factor table: for each opcode, which dimensions of its operands and results go together.
 *
 * Where a dimension of an operand and one of a result have a factor in common, a tiling of one is a tiling of the
 * other. Propagation spreads shardings along factors, and the partitioner splits them: what it does then is said by
 * their kind. A dimension may be made of several factors, major first (reshape, grouped convolutions). */
#ifndef XG_SPMD_FACTORS_C
#define XG_SPMD_FACTORS_C
#include "spmd.h"

/* ---- making rules ---- */

XG_FN uint32_t xg_spmd_rule_factor(xg_arena *a, xg_spmd_rule *r, xg_factor_kind kind, int64_t size) {
    if (r->n_factors == r->cap) r->factors = (xg_factor *)xg_vec_grow(a, r->factors, &r->cap, sizeof *r->factors);
    r->factors[r->n_factors].kind = kind;
    r->factors[r->n_factors].size = size;
    return r->n_factors++;
}

/* A rule is written as a list of places, (array, dimension, factor), in any order of arrays and dimensions. */
typedef struct xg_spmd_rule_place {
    uint32_t array, dim, factor;
} xg_spmd_rule_place;
typedef struct xg_spmd_rule_maker {
    xg_arena *arena;
    const xg_inst *inst;
    xg_spmd_rule *rule;
    XG_VEC(xg_spmd_rule_place) places;
} xg_spmd_rule_maker;

XG_FN void xg_spmd_rule_put(xg_spmd_rule_maker *m, uint32_t array, uint32_t dim, uint32_t factor) {
    xg_spmd_rule_place p;
    p.array = array;
    p.dim = dim;
    p.factor = factor;
    xg_push(m->arena, xg_spmd_rule_place, &m->places, p);
}
XG_FN uint32_t xg_spmd_rule_add(xg_spmd_rule_maker *m, xg_factor_kind kind, int64_t size) {
    return xg_spmd_rule_factor(m->arena, m->rule, kind, size);
}
XG_FN const xg_spmd_rule_array *xg_spmd_rule_result(const xg_spmd_rule_maker *m, uint32_t k) {
    return &m->rule->arrays[m->rule->n_operands + k];
}
/* One factor for these dimensions of two or three arrays; -1: not in that one. */
XG_FN void xg_spmd_rule_join(
    xg_spmd_rule_maker *m, xg_factor_kind kind, int64_t operand0, int64_t operand1, int64_t result) {
    const xg_spmd_rule_array *of = operand0 >= 0   ? &m->rule->arrays[0]
                                   : operand1 >= 0 ? &m->rule->arrays[1]
                                                   : xg_spmd_rule_result(m, 0);
    int64_t dim = operand0 >= 0 ? operand0 : operand1 >= 0 ? operand1 : result;
    uint32_t f = xg_spmd_rule_add(m, kind, of->shape->dims[dim]);
    if (operand0 >= 0) xg_spmd_rule_put(m, 0, (uint32_t)operand0, f);
    if (operand1 >= 0) xg_spmd_rule_put(m, 1, (uint32_t)operand1, f);
    if (result >= 0) xg_spmd_rule_put(m, m->rule->n_operands, (uint32_t)result, f);
}

/* ---- rules by opcode ---- */

/* Dimension by dimension; scalars beside arrays have none. */
XG_FN void xg_spmd_rule_elementwise(xg_spmd_rule_maker *m) {
    const xg_spmd_rule_array *out = xg_spmd_rule_result(m, 0);
    uint32_t d, k, all = m->rule->n_operands + m->rule->n_results;
    for (d = 0; d < out->rank; d++) {
        uint32_t f = xg_spmd_rule_add(m, XG_FACTOR_PASS, out->shape->dims[d]);
        for (k = 0; k < all; k++)
            if (m->rule->arrays[k].rank == out->rank) xg_spmd_rule_put(m, k, d, f);
    }
}
/* All arrays of a rank go together, but for these dimensions of them. */
XG_FN void xg_spmd_rule_along(xg_spmd_rule_maker *m, xg_ints need) {
    uint32_t d, k, all = m->rule->n_operands + m->rule->n_results, rank = m->rule->arrays[0].rank;
    for (d = 0; d < rank; d++) {
        uint32_t f = UINT32_MAX;
        if (!xg_ints_at(need, d, NULL)) f = xg_spmd_rule_add(m, XG_FACTOR_PASS, m->rule->arrays[0].shape->dims[d]);
        for (k = 0; k < all; k++)
            if (m->rule->arrays[k].rank == rank && f != UINT32_MAX) xg_spmd_rule_put(m, k, d, f);
    }
}
XG_FN void xg_spmd_rule_sort(xg_spmd_rule_maker *m) { xg_spmd_rule_along(m, xg_attr_dims(m->inst)); }
XG_FN void xg_spmd_rule_last(xg_spmd_rule_maker *m, uint32_t n) { /* all but the last n dimensions */
    int64_t last[XG_RANK_MAX];
    xg_ints need;
    uint32_t k, rank = m->rule->arrays[0].rank;
    need.p = last;
    need.n = XG_MIN(n, rank);
    for (k = 0; k < need.n; k++) last[k] = rank - 1 - k;
    xg_spmd_rule_along(m, need);
}
/* Along the rows, devices have the largest of their parts. */
XG_FN void xg_spmd_rule_topk(xg_spmd_rule_maker *m) {
    const xg_spmd_rule_array *in = &m->rule->arrays[0];
    xg_spmd_rule_last(m, 1);
    if (in->rank && m->rule->n_results == 2 && xg_top_has_last(in->shape->type))
        xg_spmd_rule_put(m, 0, in->rank - 1, xg_spmd_rule_add(m, XG_FACTOR_REDUCE, in->shape->dims[in->rank - 1]));
}
XG_FN void xg_spmd_rule_matrices(xg_spmd_rule_maker *m) { xg_spmd_rule_last(m, 2); }
XG_FN void xg_spmd_rule_fft(xg_spmd_rule_maker *m) { xg_spmd_rule_last(m, xg_attr_ints(m->inst, XG_A_fft_length).n); }

XG_APART XG_FN void xg_spmd_rule_dot(xg_spmd_rule_maker *m) {
    xg_dot_dims d = xg_dot_dims_of(m->inst);
    uint32_t k, at = 0;
    for (k = 0; k < d.lb.n; k++, at++) xg_spmd_rule_join(m, XG_FACTOR_PASS, d.lb.p[k], d.rb.p[k], at);
    for (k = 0; k < m->rule->arrays[0].rank; k++)
        if (!xg_ints_at(d.lb, k, NULL) && !xg_ints_at(d.lc, k, NULL)) xg_spmd_rule_join(m, XG_FACTOR_PASS, k, -1, at++);
    for (k = 0; k < m->rule->arrays[1].rank; k++)
        if (!xg_ints_at(d.rb, k, NULL) && !xg_ints_at(d.rc, k, NULL)) xg_spmd_rule_join(m, XG_FACTOR_PASS, -1, k, at++);
    for (k = 0; k < d.lc.n; k++) xg_spmd_rule_join(m, XG_FACTOR_REDUCE, d.lc.p[k], d.rc.p[k], -1);
}

/* What groups divide needs to be whole: which group an element belongs to is known by their sizes only. */
XG_FN void xg_spmd_rule_ragged_dot(xg_spmd_rule_maker *m) {
    xg_dot_dims d = xg_dot_dims_of(m->inst);
    int64_t ragged = xg_attr_ints(m->inst, XG_A_lhs_ragged_dims).p[0];
    xg_ints groups = xg_attr_ints(m->inst, XG_A_rhs_group_dims);
    bool alike = m->rule->arrays[2].rank == 1; /* else sizes depend on the dimensions of the left side */
    uint32_t k, at = xg_ints_at(d.lc, ragged, NULL);
    for (k = 0; k < d.lb.n; k++, at++)
        if (alike && d.lb.p[k] != ragged) xg_spmd_rule_join(m, XG_FACTOR_PASS, d.lb.p[k], d.rb.p[k], at);
    for (k = 0; k < m->rule->arrays[0].rank; k++) {
        if (xg_ints_at(d.lb, k, NULL) || xg_ints_at(d.lc, k, NULL)) continue;
        if (alike && k != ragged) xg_spmd_rule_join(m, XG_FACTOR_PASS, k, -1, at);
        at++;
    }
    for (k = 0; k < m->rule->arrays[1].rank; k++)
        if (!xg_ints_at(d.rb, k, NULL) && !xg_ints_at(d.rc, k, NULL) && !xg_ints_at(groups, k, NULL))
            xg_spmd_rule_join(m, XG_FACTOR_PASS, -1, k, at++);
    for (k = 0; k < d.lc.n; k++)
        if (alike && d.lc.p[k] != ragged) xg_spmd_rule_join(m, XG_FACTOR_REDUCE, d.lc.p[k], d.rc.p[k], -1);
}

/* One role of a product with scales: dimensions of both sides and of the result, -1 where there is none. A scale for
 * each block makes two factors of it: blocks, and what is in them. */
XG_FN void xg_spmd_rule_scaled(xg_spmd_rule_maker *m, xg_factor_kind kind, int64_t l, int64_t r, int64_t out) {
    int64_t dims[5], blocks = 1, n = m->rule->arrays[l >= 0 ? 0 : 1].shape->dims[l >= 0 ? l : r];
    uint32_t major, minor, t;
    dims[0] = dims[2] = l;
    dims[1] = dims[3] = r;
    dims[4] = out;
    for (t = 2; t < 4; t++) {
        const xg_spmd_rule_array *a = &m->rule->arrays[t];
        int64_t has = a->rank && dims[t] >= 0 ? a->shape->dims[dims[t]] : 1;
        if (has == 1) dims[t] = -1;
        if (has > 1 && blocks > 1 && has != blocks) return; /* blocks of two sizes: needed whole */
        blocks = has > 1 ? has : blocks;
    }
    if (blocks == 1) blocks = n;
    major = xg_spmd_rule_add(m, kind, blocks);
    minor = blocks < n ? xg_spmd_rule_add(m, kind, n / blocks) : major;
    for (t = 0; t < 5; t++) {
        if (dims[t] < 0) continue;
        xg_spmd_rule_put(m, t, (uint32_t)dims[t], major);
        if (minor != major && (t < 2 || t == 4)) xg_spmd_rule_put(m, t, (uint32_t)dims[t], minor);
    }
}
XG_FN void xg_spmd_rule_scaled_dot(xg_spmd_rule_maker *m) {
    xg_dot_dims d = xg_dot_dims_of(m->inst);
    uint32_t k, at = 0;
    for (k = 0; k < d.lb.n; k++) xg_spmd_rule_scaled(m, XG_FACTOR_PASS, d.lb.p[k], d.rb.p[k], at++);
    for (k = 0; k < m->rule->arrays[0].rank; k++)
        if (!xg_ints_at(d.lb, k, NULL) && !xg_ints_at(d.lc, k, NULL))
            xg_spmd_rule_scaled(m, XG_FACTOR_PASS, k, -1, at++);
    for (k = 0; k < m->rule->arrays[1].rank; k++)
        if (!xg_ints_at(d.rb, k, NULL) && !xg_ints_at(d.rc, k, NULL))
            xg_spmd_rule_scaled(m, XG_FACTOR_PASS, -1, k, at++);
    for (k = 0; k < d.lc.n; k++) xg_spmd_rule_scaled(m, XG_FACTOR_REDUCE, d.lc.p[k], d.rc.p[k], -1);
}

/* Features go together; where statistics are made, the other dimensions are needed whole. */
XG_FN void xg_spmd_rule_batch_norm(xg_spmd_rule_maker *m) {
    int64_t feature = xg_attr_or_0(m->inst, XG_A_feature_index);
    uint32_t d, k, all = m->rule->n_operands + m->rule->n_results, rank = m->rule->arrays[0].rank;
    for (d = 0; d < rank; d++) {
        bool alone = d != feature;
        uint32_t f;
        if (alone && m->inst->op != XG_BATCH_NORM_INFERENCE) continue;
        f = xg_spmd_rule_add(m, XG_FACTOR_PASS, m->rule->arrays[0].shape->dims[d]);
        for (k = 0; k < all; k++)
            if (m->rule->arrays[k].rank == rank)
                xg_spmd_rule_put(m, k, d, f);
            else if (!alone)
                xg_spmd_rule_put(m, k, 0, f);
    }
}

/* In a dimension of several factors: those of one element are left out. */
XG_FN void xg_spmd_rule_put_some(xg_spmd_rule_maker *m, uint32_t array, uint32_t dim, uint32_t factor) {
    if (m->rule->factors[factor].size > 1) xg_spmd_rule_put(m, array, dim, factor);
}
/* Groups are the major factor of the features and batches that they divide. */
XG_APART XG_FN void xg_spmd_rule_convolution(xg_spmd_rule_maker *m) {
    const xg_dim_labels *l = xg_inst_attr(m->inst, XG_A_dim_labels)->v.labels;
    const xg_window *w = xg_inst_attr(m->inst, XG_A_window) ? xg_inst_attr(m->inst, XG_A_window)->v.window : NULL;
    int64_t groups = xg_attr_or_1(m->inst, XG_A_feature_group_count),
            batches = xg_attr_or_1(m->inst, XG_A_batch_group_count);
    const int64_t *in = m->rule->arrays[0].shape->dims, *kernel = m->rule->arrays[1].shape->dims;
    uint32_t g = xg_spmd_rule_add(m, XG_FACTOR_PASS, groups), b = xg_spmd_rule_add(m, XG_FACTOR_PASS, batches),
             batch = xg_spmd_rule_add(m, XG_FACTOR_PASS, in[l->input_batch] / batches),
             feature = xg_spmd_rule_add(m, XG_FACTOR_REDUCE, in[l->input_feature] / groups),
             out = xg_spmd_rule_add(m, XG_FACTOR_PASS, kernel[l->kernel_output] / (groups * batches)), k;
    xg_spmd_rule_put_some(m, 0, (uint32_t)l->input_batch, b);
    xg_spmd_rule_put_some(m, 0, (uint32_t)l->input_batch, batch);
    xg_spmd_rule_put_some(m, 0, (uint32_t)l->input_feature, g);
    xg_spmd_rule_put_some(m, 0, (uint32_t)l->input_feature, feature);
    xg_spmd_rule_put_some(m, 1, (uint32_t)l->kernel_input, feature);
    xg_spmd_rule_put_some(m, 1, (uint32_t)l->kernel_output, g);
    xg_spmd_rule_put_some(m, 1, (uint32_t)l->kernel_output, b);
    xg_spmd_rule_put_some(m, 1, (uint32_t)l->kernel_output, out);
    xg_spmd_rule_put_some(m, 2, (uint32_t)l->output_batch, batch);
    xg_spmd_rule_put_some(m, 2, (uint32_t)l->output_feature, g);
    xg_spmd_rule_put_some(m, 2, (uint32_t)l->output_feature, b);
    xg_spmd_rule_put_some(m, 2, (uint32_t)l->output_feature, out);
    for (k = 0; w && k < l->input_spatial.n; k++) {
        int64_t at = l->input_spatial.p[k], by = l->kernel_spatial.p[k], to = l->output_spatial.p[k];
        if (xg_window_is_trivial(&w->p[k]))
            xg_spmd_rule_join(m, XG_FACTOR_PASS, at, -1, to);
        else if ((m->inst->shape->dims[to] >= kernel[by]) != m->rule->other) {
            xg_spmd_rule_join(m, XG_FACTOR_PERMUTE, at, -1, to);
            xg_spmd_rule_join(m, XG_FACTOR_REDUCE, -1, by, -1);
        } else { /* the window is the larger one, as in the gradient of a kernel */
            xg_spmd_rule_join(m, XG_FACTOR_REDUCE, at, by, -1);
            xg_spmd_rule_join(m, XG_FACTOR_PERMUTE, -1, -1, to);
        }
    }
}

XG_FN bool xg_spmd_rule_reduces(const xg_spmd_rule_maker *m) { /* partial results can be combined */
    return xg_reducer_start_of(m->inst, m->arena) != XG_REDUCER_UNKNOWN;
}
XG_FN void xg_spmd_rule_reduce(xg_spmd_rule_maker *m) {
    xg_ints dims = xg_attr_dims(m->inst);
    uint32_t n = m->rule->n_operands / 2, d, k, at = 0;
    xg_factor_kind kind = xg_spmd_rule_reduces(m) ? XG_FACTOR_REDUCE : XG_FACTOR_NEED;
    for (d = 0; d < m->rule->arrays[0].rank; d++) {
        bool gone = xg_ints_at(dims, d, NULL);
        uint32_t f = xg_spmd_rule_add(m, gone ? kind : XG_FACTOR_PASS, m->rule->arrays[0].shape->dims[d]);
        for (k = 0; k < n; k++) xg_spmd_rule_put(m, k, d, f);
        for (k = 0; k < m->rule->n_results && !gone; k++) xg_spmd_rule_put(m, m->rule->n_operands + k, at, f);
        at += !gone;
    }
}

XG_FN void xg_spmd_rule_reduce_window(xg_spmd_rule_maker *m) {
    const xg_window *w = xg_inst_attr(m->inst, XG_A_window)->v.window;
    uint32_t n = m->rule->n_operands / 2, d, k;
    for (d = 0; d < w->n; d++) {
        uint32_t f = xg_spmd_rule_add(
            m, xg_window_is_trivial(&w->p[d]) ? XG_FACTOR_PASS : XG_FACTOR_PERMUTE, m->rule->arrays[0].shape->dims[d]);
        for (k = 0; k < n; k++) xg_spmd_rule_put(m, k, d, f);
        for (k = 0; k < m->rule->n_results; k++) xg_spmd_rule_put(m, m->rule->n_operands + k, d, f);
    }
}
/* 1: nothing loses against the lowest number; -1: nothing against the highest */
XG_FN int xg_select_never(const xg_inst *i) {
    const xg_comp *c = xg_attr_comp(i, XG_A_select);
    xg_str direction;
    if (c->root->op != XG_COMPARE || !xg_reducer_is_plain(c) || xg_type_class(i->shape->type) == XGT_C) return 0;
    direction = xg_attr_str(c->root, XG_A_direction);
    return (xg_word_in("GE GT", direction) >= 0      ? 1
               : xg_word_in("LE LT", direction) >= 0 ? -1
                                                     : 0) *
           (XG_OPERAND(c->root, 0) == c->params[0] ? 1 : -1);
}
XG_FN void xg_spmd_rule_select_and_scatter(xg_spmd_rule_maker *m) {
    const xg_attr *a = xg_inst_attr(m->inst, XG_A_window);
    bool near_by = xg_select_never(m->inst) && xg_reducer_opcode(xg_attr_comp(m->inst, XG_A_scatter)) == XG_ADD;
    uint32_t d;
    for (d = 0; d < m->rule->arrays[0].rank; d++)
        if (!a || xg_window_is_trivial(&a->v.window->p[d]))
            xg_spmd_rule_join(m, XG_FACTOR_PASS, d, d, d);
        else if (near_by)
            xg_spmd_rule_join(m, XG_FACTOR_PERMUTE, d, d, d);
}

XG_FN void xg_spmd_rule_broadcast(xg_spmd_rule_maker *m) {
    xg_ints dims = xg_attr_dims(m->inst);
    uint32_t d, at;
    for (d = 0; d < m->inst->shape->rank; d++) {
        if (xg_ints_at(dims, d, &at))
            xg_spmd_rule_join(m, XG_FACTOR_PASS, at, -1, d);
        else
            xg_spmd_rule_join(m, XG_FACTOR_PASS, -1, -1, d);
    }
}
XG_FN void xg_spmd_rule_transpose(xg_spmd_rule_maker *m) {
    xg_ints dims = xg_attr_dims(m->inst);
    uint32_t d;
    for (d = 0; d < dims.n; d++) xg_spmd_rule_join(m, XG_FACTOR_PASS, dims.p[d], -1, d);
}
/* An array made of nothing: any part of it can be made. */
XG_FN void xg_spmd_rule_source(xg_spmd_rule_maker *m) {
    uint32_t d;
    for (d = 0; d < m->inst->shape->rank; d++) xg_spmd_rule_join(m, XG_FACTOR_PASS, -1, -1, d);
}

/* Blocks of the first dimensions, whatever lies behind them. */
XG_FN void xg_spmd_rule_blocks(xg_spmd_rule_maker *m) {
    const xg_shape *in = m->rule->arrays[0].shape, *out = m->inst->shape;
    xg_reshape_group g;
    memset(&g, 0, sizeof g);
    while (in->elements && xg_reshape_group_next(in, out, &g))
        if (g.in < g.in_end && g.out < g.out_end) {
            bool same = in->dims[g.in] == g.size && out->dims[g.out] == g.size;
            xg_spmd_rule_join(m, same ? XG_FACTOR_PASS : XG_FACTOR_PERMUTE, g.in, -1, g.out);
        }
}
/* Both shapes are walked from their major ends, and each takes off what the two have in common. Where they have nothing
 * in common, dimensions go alone until so many elements have passed on both sides. */
XG_FN void xg_spmd_rule_reshape(xg_spmd_rule_maker *m) {
    const xg_shape *in = m->rule->arrays[0].shape, *out = m->inst->shape;
    uint32_t i = 0, o = 0, f;
    int64_t left = 0, want = 0;
    if (m->rule->other) {
        xg_spmd_rule_blocks(m);
        return;
    }
    if (!in->elements) return;
    for (;;) {
        int64_t both;
        while (left <= 1 && i < in->rank) left = in->dims[i++];
        while (want <= 1 && o < out->rank) want = out->dims[o++];
        if (left <= 1 || want <= 1) return;
        both = xg_gcd(left, want);
        if (both == 1) { /* until they meet again */
            int64_t a = left, b = want;
            if (a != in->dims[i - 1]) xg_spmd_rule_put(m, 0, i - 1, xg_spmd_rule_add(m, XG_FACTOR_NEED, a));
            if (b != out->dims[o - 1]) xg_spmd_rule_put(m, 1, o - 1, xg_spmd_rule_add(m, XG_FACTOR_NEED, b));
            while (a != b) {
                if (a < b)
                    a *= in->dims[i++];
                else
                    b *= out->dims[o++];
            }
            left = want = 1;
            continue;
        }
        f = xg_spmd_rule_add(m, XG_FACTOR_PASS, both);
        xg_spmd_rule_put(m, 0, i - 1, f);
        xg_spmd_rule_put(m, 1, o - 1, f);
        left /= both;
        want /= both;
    }
}
XG_FN void xg_spmd_rule_bitcast_convert(xg_spmd_rule_maker *m) { /* the wider of both has a dimension less */
    uint32_t d, rank = XG_MIN(m->rule->arrays[0].rank, m->inst->shape->rank);
    for (d = 0; d < rank; d++) xg_spmd_rule_join(m, XG_FACTOR_PASS, d, -1, d);
}
XG_FN void xg_spmd_rule_concatenate(xg_spmd_rule_maker *m) {
    xg_ints dims = xg_attr_dims(m->inst);
    uint32_t d, k;
    for (d = 0; d < m->inst->shape->rank; d++) {
        uint32_t f = xg_spmd_rule_add(
            m, xg_ints_at(dims, d, NULL) ? XG_FACTOR_PERMUTE : XG_FACTOR_PASS, m->inst->shape->dims[d]);
        for (k = 0; k <= m->rule->n_operands; k++) xg_spmd_rule_put(m, k, d, f);
    }
}

XG_FN void xg_spmd_rule_slice(xg_spmd_rule_maker *m) {
    const xg_slices *s = xg_inst_attr(m->inst, XG_A_slice)->v.slices;
    const int64_t *in = m->rule->arrays[0].shape->dims;
    uint32_t d;
    for (d = 0; d < s->n; d++) {
        bool whole = s->p[d].start == 0 && s->p[d].limit == in[d] && s->p[d].stride == 1;
        xg_spmd_rule_join(m, whole ? XG_FACTOR_PASS : XG_FACTOR_PERMUTE, d, -1, d);
    }
}
XG_FN void xg_spmd_rule_pad(xg_spmd_rule_maker *m) {
    const xg_pads *p = xg_inst_attr(m->inst, XG_A_padding)->v.pads;
    uint32_t d;
    for (d = 0; d < p->n; d++) {
        bool none = !p->p[d].low && !p->p[d].high && !p->p[d].interior;
        xg_spmd_rule_join(m, none ? XG_FACTOR_PASS : XG_FACTOR_PERMUTE, d, -1, d);
    }
}
XG_FN void xg_spmd_rule_reverse(xg_spmd_rule_maker *m) {
    xg_ints dims = xg_attr_dims(m->inst);
    uint32_t d;
    for (d = 0; d < m->inst->shape->rank; d++)
        xg_spmd_rule_join(m, xg_ints_at(dims, d, NULL) ? XG_FACTOR_PERMUTE : XG_FACTOR_PASS, d, -1, d);
}

/* Where a slice is as long as the array, it begins at 0. Else each device looks for what it has of the slice. */
XG_FN void xg_spmd_rule_dynamic_slice(xg_spmd_rule_maker *m) {
    const xg_shape *in = m->rule->arrays[0].shape, *out = m->inst->shape;
    uint32_t d;
    for (d = 0; d < in->rank; d++) {
        if (in->dims[d] == out->dims[d])
            xg_spmd_rule_join(m, XG_FACTOR_PASS, d, -1, d);
        else
            xg_spmd_rule_join(m, XG_FACTOR_REDUCE, d, -1, -1);
    }
}
XG_FN void xg_spmd_rule_dynamic_update_slice(xg_spmd_rule_maker *m) {
    const xg_shape *in = m->rule->arrays[0].shape, *update = m->rule->arrays[1].shape;
    uint32_t d;
    for (d = 0; d < in->rank; d++)
        xg_spmd_rule_join(m, XG_FACTOR_PASS, d, in->dims[d] == update->dims[d] ? (int64_t)d : -1, d);
}

XG_FN void xg_spmd_rule_gather(xg_spmd_rule_maker *m) {
    xg_windows w = xg_windows_of(m->inst);
    uint32_t d, p;
    xg_axis_set batch = 0; /* of numbering dimensions */
    for (d = 0; d < w.whole->rank; d++) {
        if (w.batch[d] >= 0) {
            xg_spmd_rule_join(m, XG_FACTOR_PASS, d, w.place[w.batch[d]], w.position[w.batch[d]]);
            batch |= (xg_axis_set)1 << (w.batch[d] & 31);
        } else if (w.inside[d] >= 0 && w.size[d] == w.whole->dims[d])
            xg_spmd_rule_join(m, XG_FACTOR_PASS, d, -1, w.inside[d]);
        else if (w.start[d] >= 0)
            xg_spmd_rule_join(m, XG_FACTOR_REDUCE, d, -1, -1);
    }
    for (p = 0; p < w.n_positions; p++)
        if (p >= 32 || !(batch >> p & 1)) xg_spmd_rule_join(m, XG_FACTOR_PASS, -1, w.place[p], w.position[p]);
}
XG_FN void xg_spmd_rule_scatter(xg_spmd_rule_maker *m) {
    xg_windows w = xg_windows_of(m->inst);
    uint32_t n = m->rule->n_results, d, p, k, f;
    xg_axis_set batch = 0;
    for (d = 0; d < w.whole->rank; d++) {
        bool part = w.batch[d] < 0 && w.inside[d] >= 0 && w.size[d] != w.whole->dims[d]; /* windows lie across parts */
        if (part && w.start[d] < 0) continue;
        f = xg_spmd_rule_add(m, XG_FACTOR_PASS, w.whole->dims[d]);
        for (k = 0; k < n; k++) {
            xg_spmd_rule_put(m, k, d, f);
            xg_spmd_rule_put(m, m->rule->n_operands + k, d, f);
            if (w.inside[d] >= 0 && !part) xg_spmd_rule_put(m, n + 1 + k, (uint32_t)w.inside[d], f);
            if (w.batch[d] >= 0) xg_spmd_rule_put(m, n + 1 + k, w.position[w.batch[d]], f);
        }
        if (w.batch[d] < 0) continue;
        xg_spmd_rule_put(m, n, w.place[w.batch[d]], f);
        batch |= (xg_axis_set)1 << (w.batch[d] & 31);
    }
    for (p = 0; p < w.n_positions; p++) {
        int op = n == 1 ? xg_reducer_opcode(xg_attr_to_apply(m->inst)) : -1;
        if (p < 32 && (batch >> p & 1)) continue;
        if (op != XG_ADD && op != XG_MULTIPLY && op != XG_MAXIMUM && op != XG_MINIMUM) continue;
        f = xg_spmd_rule_add(m, XG_FACTOR_REDUCE, w.counts[p]);
        xg_spmd_rule_put(m, n, w.place[p], f);
        for (k = 0; k < n; k++) xg_spmd_rule_put(m, n + 1 + k, w.position[p], f);
    }
}

/* Calls that give what they are given, somewhere else or in another layout. */
#define XG_SPMD_COPY_TARGETS(X) \
    X("LayoutConstraint") \
    X("MoveToHost") \
    X("MoveToDevice") X("annotate_device_placement") X("PinToDevice") X("PinToDeviceSram") X("UnpinFromDevice")
XG_FN bool xg_spmd_copies(const xg_inst *i) {
    xg_str target = xg_attr_str(i, XG_A_custom_call_target);
#define X(name) \
    if (xg_str_is(target, name)) return i->n_operands == 1 && xg_shape_same_dims(i->shape, XG_OPERAND(i, 0)->shape);
    XG_SPMD_COPY_TARGETS(X)
#undef X
    return false;
}

/* THE factor table. Elementwise opcodes (by their flag) have the rule `elementwise`; what stands in neither needs whole
 * arrays. */
/* clang-format off */
#define XG_SPMD_RULES(X) \
    X(MAP, elementwise) X(ALL_REDUCE, elementwise) X(COLLECTIVE_PERMUTE, elementwise) \
    X(COLLECTIVE_BROADCAST, elementwise) X(SET_DIMENSION_SIZE, elementwise) \
    X(ADD_DEPENDENCY, elementwise) \
    X(DOT, dot) X(RAGGED_DOT, ragged_dot) X(SCALED_DOT, scaled_dot) X(CONVOLUTION, convolution) \
    X(REDUCE, reduce) X(REDUCE_WINDOW, reduce_window) X(SELECT_AND_SCATTER, select_and_scatter) \
    X(BROADCAST, broadcast) X(TRANSPOSE, transpose) X(RESHAPE, reshape) X(BITCAST_CONVERT, bitcast_convert) \
    X(CONCATENATE, concatenate) X(SLICE, slice) X(PAD, pad) X(REVERSE, reverse) X(IOTA, source) \
    X(DYNAMIC_SLICE, dynamic_slice) X(DYNAMIC_UPDATE_SLICE, dynamic_update_slice) \
    X(GATHER, gather) X(SCATTER, scatter) \
    X(BATCH_NORM_INFERENCE, batch_norm) X(BATCH_NORM_TRAINING, batch_norm) X(BATCH_NORM_GRAD, batch_norm) \
    X(SORT, sort) X(TOPK, topk) X(FFT, fft) X(CHOLESKY, matrices) X(TRIANGULAR_SOLVE, matrices)
/* clang-format on */

XG_APART XG_FN bool xg_spmd_rule_write(xg_spmd_rule_maker *m) {
    switch (m->inst->op) {
#define X(op, rule) \
    case XG_##op: xg_spmd_rule_##rule(m); return true;
        XG_SPMD_RULES(X)
#undef X
    default: break;
    }
    if (!(xg_op_flags(m->inst->op) & XGF_EW) && !(m->inst->op == XG_CUSTOM_CALL && xg_spmd_copies(m->inst)))
        return false;
    xg_spmd_rule_elementwise(m);
    return true;
}

XG_FN void xg_spmd_rule_begin_array(xg_arena *a, xg_spmd_rule_array *t, const xg_shape *s) {
    t->shape = s;
    t->rank = xg_shape_is_array(s) ? s->rank : 0;
    t->first = XG_NEW_N(a, uint32_t, t->rank + 1);
}

/* Sorts the places into the arrays; a dimension that none names is alone, and needed. */
XG_FN void xg_spmd_rule_settle(xg_spmd_rule_maker *m) {
    xg_spmd_rule *r = m->rule;
    uint32_t all = r->n_operands + r->n_results, t, d, k, n;
    for (t = 0; t < all; t++) {
        xg_spmd_rule_array *x = &r->arrays[t];
        XG_VEC(uint32_t) factors = {NULL, 0, 0};
        for (d = 0; d < x->rank; d++) {
            x->first[d] = factors.n;
            for (k = n = 0; k < m->places.n; k++)
                if (m->places.p[k].array == t && m->places.p[k].dim == d) {
                    xg_push(m->arena, uint32_t, &factors, m->places.p[k].factor);
                    n++;
                }
            if (!n) xg_push(m->arena, uint32_t, &factors, xg_spmd_rule_add(m, XG_FACTOR_NEED, x->shape->dims[d]));
            /* how much of it there is, is known only when it runs: it has no parts of a size */
            for (k = x->first[d]; x->shape->dynamic && x->shape->dynamic[d] != XG_DIM_STATIC && k < factors.n; k++)
                r->factors[factors.p[k]].kind = XG_FACTOR_NEED;
        }
        x->first[x->rank] = factors.n;
        x->factors = factors.p;
    }
}

XG_FN xg_spmd_rule *xg_spmd_rule_make(xg_arena *a, const xg_inst *i, bool other) {
    const xg_shape **leaves = xg_shape_leaf_list(a, i->shape);
    xg_spmd_rule_maker m;
    uint32_t k;
    memset(&m, 0, sizeof m);
    m.arena = a;
    m.inst = i;
    m.rule = XG_NEW(a, xg_spmd_rule);
    m.rule->n_operands = i->n_operands;
    m.rule->n_results = (uint32_t)i->shape->leaves;
    m.rule->arrays = XG_NEW_N(a, xg_spmd_rule_array, (size_t)i->n_operands + m.rule->n_results + 1);
    for (k = 0; k < i->n_operands; k++) xg_spmd_rule_begin_array(a, &m.rule->arrays[k], XG_OPERAND(i, k)->shape);
    for (k = 0; k < m.rule->n_results; k++) xg_spmd_rule_begin_array(a, &m.rule->arrays[i->n_operands + k], leaves[k]);
    m.rule->other = other;
    m.rule->known = xg_spmd_rule_write(&m);
    xg_spmd_rule_settle(&m);
    return m.rule;
}
XG_FN xg_spmd_rule *xg_spmd_rule_of(xg_arena *a, const xg_inst *i) { return xg_spmd_rule_make(a, i, false); }
XG_FN xg_spmd_rule *xg_spmd_rule_other(xg_arena *a, const xg_inst *i) {
    return i->op == XG_RESHAPE || i->op == XG_CONVOLUTION ? xg_spmd_rule_make(a, i, true) : NULL;
}

/* "[a*b,c] [c] -> [a,c]; a 8 reduce" */
XG_FN void xg_spmd_rule_put_factor(xg_buf *b, uint32_t f) {
    xg_putc(b, (char)('a' + f % 26));
    if (f >= 26) xg_put_i64(b, f / 26);
}
XG_FN void xg_spmd_rule_print(xg_buf *b, const xg_spmd_rule *r) {
    XG_TABLE const char *const kinds[] = {"", " reduce", " need", " permute"};
    uint32_t t, d, k;
    for (t = 0; t < r->n_operands + r->n_results; t++) {
        const xg_spmd_rule_array *x = &r->arrays[t];
        xg_puts(b, t == r->n_operands ? " -> [" : t ? " [" : "[");
        for (d = 0; d < x->rank; d++)
            for (k = x->first[d]; k < x->first[d + 1]; k++) {
                xg_puts(b, k == x->first[d] ? d ? "," : "" : "*");
                xg_spmd_rule_put_factor(b, x->factors[k]);
            }
        xg_putc(b, ']');
    }
    for (k = 0; k < r->n_factors; k++) {
        xg_puts(b, k ? ", " : ": ");
        xg_spmd_rule_put_factor(b, k);
        xg_printf(b, "=%lld%s", (long long)r->factors[k].size, kinds[r->factors[k].kind]);
    }
}

#endif /* XG_SPMD_FACTORS_C */
