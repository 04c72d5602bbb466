/* opt/gather_simplifier.c -- GatherSimplifier: gathers in their canonical form, and the form that scatters share with
 * them.
 *
 *     - start_indices is [batching dims and others that number windows, .., components]: index_vector_dim is the last
 *       one, and is there;
 *     - what numbers windows side by side in start_indices and result is one dim, but for batching dims and those along
 *       which a component counts;
 *     - start_index_map ascends; no component is for a dim that the window fills (it is clamped to 0), nor is one 0
 *       everywhere;
 *     - a component that counts (x[arange(n), i]) is a batching dim;
 *     - collapsed_slice_dims={}.
 *
 * It is XLA's, but for two things. XLA turns the operand and the result round, so that the indexed dims of the one and
 * the positions of the other come first: that moves data, and nothing here asks for it. And XLA writes batching dims as
 * components that count; a batching dim says more: it lies inside, two windows of different batches do not meet, and
 * along it a scatter into zeros can be a comparison. Around the new gather stand reshapes only.
 *
 * What it is for: rules ask for one form (algsimp/index.c: what counts in full is a slice), gathers that differ in form
 * alone are one after CSE, and indices that need not be read are not. It runs behind the simplification of the indices:
 * dims that were joined are not taken apart again where they turn out to count. Gathers of any form are right
 * everywhere else: hlo/windows.c reads them. */
#ifndef XG_OPT_GATHER_SIMPLIFIER_C
#define XG_OPT_GATHER_SIMPLIFIER_C
#include "opt.h"

/* Which old components stay, and which dims of the whole run with a position instead. single: positions that a dim of
 * the whole runs with, or a component counts. */
XG_FN bool xg_index_form_starts(const xg_inst *i, xg_windows *w, xg_index_form *f, bool *single) {
    bool changed = w->vector_dim != (int64_t)w->n_positions, taken[XG_RANK_MAX] = {false};
    uint32_t d;
    for (d = 0; d < w->whole->rank; d++)
        if (w->batch[d] >= 0) taken[w->batch[d]] = true;
    for (d = 0; d < w->whole->rank; d++) {
        xg_progression p;
        if (w->start[d] < 0) continue;
        p.step = -1;
        if (i->op == XG_GATHER && w->size[d] == w->whole->dims[d])
            p.first = p.step = 0;
        else if (!xg_progression_of(w, w->start[d], &p))
            p.step = -1;
        else if (p.dim >= 0)
            single[p.dim] = true;
        if (p.step == 1 && p.first == 0 && w->size[d] == 1 && !taken[p.dim] && w->counts[p.dim] == w->whole->dims[d]) {
            w->batch[d] = p.dim;
            taken[p.dim] = true;
        } else if (p.step != 0 || p.first != 0) {
            changed = changed || (uint32_t)w->start[d] != f->n_starts;
            f->component[f->n_starts] = w->start[d];
            f->starts[f->n_starts++] = d;
        }
    }
    for (d = 0; d < w->n_positions; d++) single[d] = single[d] || taken[d];
    return changed || f->n_starts != w->n_starts;
}

XG_APART XG_FN void xg_index_form_put(xg_index_form *f, int64_t size, bool inside) {
    if (inside) f->inside[f->n_inside++] = f->part_rank;
    f->part[f->part_rank++] = size;
}
/* The part: as it is, but for what is joined, dims that the window had lost, which are 1, and those that it loses since
 * they run with a position. */
XG_FN bool xg_index_form_of(const xg_inst *i, xg_index_form *f) {
    xg_windows w = xg_windows_of(i);
    bool changed, single[XG_RANK_MAX] = {false};
    uint32_t r, p, d, place[XG_RANK_MAX];
    memset(f, 0, sizeof *f);
    if (w.whole->dynamic || w.part->dynamic || w.indices->shape->dynamic ||
        w.part->rank + w.whole->rank > XG_RANK_MAX || w.n_positions >= XG_RANK_MAX)
        return false;
    changed = xg_index_form_starts(i, &w, f, single);
    for (r = p = d = 0; r < w.part->rank; r++) {
        if (p < w.n_positions && w.position[p] == r) {
            if (p && w.position[p - 1] + 1 == r && !single[p] && !single[p - 1] &&
                xg_mul64(f->positions[f->n_positions - 1], w.counts[p], &f->positions[f->n_positions - 1])) {
                f->part[f->part_rank - 1] *= w.counts[p];
                changed = true;
            } else {
                f->positions[f->n_positions++] = w.counts[p];
                xg_index_form_put(f, w.counts[p], false);
            }
            place[p++] = f->n_positions - 1;
            continue;
        }
        for (; w.inside[d] != (int32_t)r; d++)
            if (w.inside[d] < 0 && w.batch[d] < 0) {
                xg_index_form_put(f, 1, true);
                changed = true;
            }
        if (w.batch[d] < 0) xg_index_form_put(f, w.size[d], true); /* else it has just become one: 1 in the part */
        d++;
    }
    for (; d < w.whole->rank; d++)
        if (w.inside[d] < 0 && w.batch[d] < 0) {
            xg_index_form_put(f, 1, true);
            changed = true;
        }
    for (d = 0; d < w.whole->rank; d++) {
        if (w.batch[d] < 0) continue;
        f->whole_batch[f->n_batch] = d;
        f->indices_batch[f->n_batch++] = place[w.batch[d]];
    }
    return changed;
}

/* The indices in that form. */
XG_FN xg_inst *xg_index_form_indices(const xg_hb *b, const xg_windows *w, const xg_index_form *f) {
    xg_inst *x = (xg_inst *)(uintptr_t)w->indices, *part[XG_RANK_MAX];
    int64_t perm[XG_RANK_MAX + 1], dims[XG_RANK_MAX + 1];
    uint32_t k;
    for (k = 0; k < w->n_positions; k++) {
        perm[k] = w->place[k];
        dims[k] = w->counts[k];
    }
    perm[k] = w->vector_dim;
    dims[k] = w->n_starts;
    x = x->shape->rank > w->n_positions ? xg_hb_transpose(b, x, perm) : xg_hb_reshape(b, x, dims, w->n_positions + 1);
    for (k = 0; k < f->n_starts && f->component[k] == (int32_t)k; k++) {}
    if (k < f->n_starts || f->n_starts != w->n_starts) {
        for (k = 0; k < f->n_starts; k++)
            part[k] = xg_hb_slice_dim(b, x, w->n_positions, f->component[k], f->component[k] + 1);
        x = f->n_starts ? xg_hb_concat(b, part, f->n_starts, w->n_positions)
                        : xg_hb_slice_dim(b, x, w->n_positions, 0, 0);
    }
    for (k = 0; k < f->n_positions; k++) dims[k] = f->positions[k];
    dims[k] = f->n_starts;
    return xg_hb_reshape(b, x, dims, f->n_positions + 1);
}

XG_FN void xg_index_form_set(xg_inst *i, const xg_index_form *f) {
    bool scatter = i->op == XG_SCATTER;
    xg_attr_key whole = scatter ? XG_A_input_batching_dims : XG_A_operand_batching_dims,
                indices = scatter ? XG_A_scatter_indices_batching_dims : XG_A_start_indices_batching_dims;
    xg_inst_set_ints(i, scatter ? XG_A_update_window_dims : XG_A_offset_dims, f->inside, f->n_inside);
    xg_inst_set_ints(i, scatter ? XG_A_inserted_window_dims : XG_A_collapsed_slice_dims, NULL, 0);
    xg_inst_set_ints(i, scatter ? XG_A_scatter_dims_to_operand_dims : XG_A_start_index_map, f->starts, f->n_starts);
    xg_inst_set_int(i, XG_A_index_vector_dim, f->n_positions);
    if (f->n_batch == 0) return;
    xg_inst_set_ints(i, whole, f->whole_batch, f->n_batch);
    xg_inst_set_ints(i, indices, f->indices_batch, f->n_batch);
}

XG_FN bool xg_gather_matches(const xg_inst *i) {
    xg_index_form f;
    return i->op == XG_GATHER && !xg_ints_has(xg_attr_ints(i, XG_A_slice_sizes), 0) && xg_index_form_of(i, &f);
}
XG_FN xg_inst *xg_gather_simplify(const xg_hb *b, xg_inst *i) {
    xg_windows w = xg_windows_of(i);
    xg_index_form f;
    xg_inst *in[2], *made;
    if (!xg_index_form_of(i, &f)) return NULL;
    in[0] = XG_OPERAND(i, 0);
    in[1] = xg_index_form_indices(b, &w, &f);
    made = xg_inst_clone(i, b->comp, in, b->before);
    made->shape = xg_hb_shape(b, i->shape->type, f.part, f.part_rank);
    xg_index_form_set(made, &f);
    return xg_hb_reshape(b, made, i->shape->dims, i->shape->rank);
}
XG_FN bool xg_opt_gather_simplifier(xg_module *m) {
    return xg_opt_expand_made(m, xg_gather_matches, xg_gather_simplify, XG_GATHER);
}

#endif /* XG_OPT_GATHER_SIMPLIFIER_C */
