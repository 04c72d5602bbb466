/* spmd/partition.c -- SpmdPartitioner: the module that every device runs.
 *
 * Each computation is written anew, operands before users. For every array there is the part that a device has, and its
 * sharding: what an instruction is annotated with, or else what costs least. Operands are brought into the shardings
 * that the instruction needs, it is written for the parts, partial results are combined, and the result is brought into
 * the sharding that is wanted. Only the shardings of the entry's parameters and results, and those around manual
 * regions, are promises; all others are advice.
 *
 * Whatever there is no better way for is done with whole arrays on every device, and cut up afterwards. */
#ifndef XG_SPMD_PARTITION_C
#define XG_SPMD_PARTITION_C
#include "spmd.h"

/* ---- leaves ---- */

XG_FN xg_spmd_value **xg_spmd_parts_of(const xg_spmd *s, const xg_inst *i) {
    return (xg_spmd_value **)xg_map64_get(&s->parts, (uint64_t)i->id + 1);
}
XG_FN void xg_spmd_put(xg_spmd *s, const xg_inst *i, xg_spmd_value **parts) {
    xg_map64_put(&s->parts, (uint64_t)i->id + 1, parts);
}
XG_FN xg_spmd_value **xg_spmd_new_parts(xg_spmd *s, const xg_shape *shape) {
    return XG_NEW_N(s->arena, xg_spmd_value *, (size_t)shape->leaves + 1);
}
/* What is annotated, where it can be followed; NULL: nothing. */
XG_FN const xg_sharding **xg_spmd_wanted(xg_spmd *s, const xg_inst *i) {
    int64_t n = i->shape->leaves, k;
    xg_sharding **said = xg_sharding_of(s->arena, &s->mesh, i);
    const xg_sharding **out = XG_NEW_N(s->arena, const xg_sharding *, (size_t)n + 1);
    for (k = 0; said && k < n; k++) {
        if (said[k]->kind != XG_SHARDING_TILED) continue;
        said[k]->devices = NULL;
        said[k]->unreduced = 0; /* sums are made where they arise */
        out[k] = said[k];
    }
    return out;
}

/* A value of the shape from its leaves. */
XG_FN xg_inst *xg_spmd_pack(xg_spmd *s, const xg_shape *shape, xg_spmd_value *const *parts, int64_t *leaf) {
    xg_inst **elems;
    uint32_t k;
    if (shape->type != XLAGPU_TUPLE) return parts[(*leaf)++]->local;
    elems = XG_NEW_N(s->arena, xg_inst *, (size_t)shape->n_elems + 1);
    for (k = 0; k < shape->n_elems; k++) elems[k] = xg_spmd_pack(s, shape->elems[k], parts, leaf);
    return xg_hb_tuple(&s->b, elems, shape->n_elems);
}
XG_FN xg_inst *xg_spmd_packed(xg_spmd *s, const xg_shape *shape, xg_spmd_value *const *parts) {
    int64_t leaf = 0;
    return xg_spmd_pack(s, shape, parts, &leaf);
}
XG_FN xg_comp *xg_spmd_adder(xg_spmd *s, xlagpu_type t) {
    return xg_hb_reducer(&s->b, t == XLAGPU_PRED ? XG_OR : XG_ADD, t);
}
XG_FN const xg_sharding *xg_spmd_reduced(xg_spmd *s, const xg_sharding *is) {
    xg_sharding *out = xg_sharding_copy(s->arena, is);
    out->unreduced = 0;
    return out;
}
/* What one device has of a whole array, on all: the others bring nothing to the sum. */
XG_FN xg_inst *xg_spmd_from_one(xg_spmd *s, xg_inst *x, int64_t device) {
    int64_t *mine = XG_NEW_N(s->arena, int64_t, s->mesh.devices);
    xg_axes_list all;
    xg_inst *at, *one, *in, *neutral;
    for (all.n = 0; all.n < s->mesh.n; all.n++) all.p[all.n] = (uint8_t)all.n;
    mine[device] = 1;
    at = xg_spmd_by_device(s, mine);
    one = xg_hb_int_like(&s->b, at, 1);
    in = xg_hb_compare(&s->b, "EQ", at, one);
    in = xg_hb_splat(&s->b, in, x->shape->dims, x->shape->rank);
    neutral = xg_spmd_neutral(s, XG_ADD, x->shape->type);
    neutral = xg_hb_splat(&s->b, neutral, x->shape->dims, x->shape->rank);
    x = xg_hb_select(&s->b, in, x, neutral);
    return xg_spmd_all_reduce(s, x, &all, xg_spmd_adder(s, x->shape->type));
}

/* The leaves of a value of that global shape. */
XG_FN void xg_spmd_unpack(xg_spmd *s, xg_inst *value, const xg_shape *shape, const xg_sharding *const *shardings,
    xg_spmd_value **parts, int64_t *leaf) {
    uint32_t k;
    if (shape->type != XLAGPU_TUPLE) {
        const xg_sharding *is = shardings[*leaf];
        if (is->kind == XG_SHARDING_MAXIMAL && xg_shape_is_array(shape)) {
            value = xg_spmd_from_one(s, value, is->device);
            is = xg_sharding_new(s->arena, shape->rank);
        }
        if (is->unreduced && xg_shape_is_array(shape)) {
            xg_axes_list sums = xg_axes_of_set(&s->mesh, is->unreduced);
            value = xg_spmd_all_reduce(s, value, &sums, xg_spmd_adder(s, shape->type));
            is = xg_spmd_reduced(s, is);
        }
        parts[*leaf] = xg_spmd_part(s, value, shape, is);
        ++*leaf;
        return;
    }
    for (k = 0; k < shape->n_elems; k++)
        xg_spmd_unpack(s, xg_hb_element(&s->b, value, k), shape->elems[k], shardings, parts, leaf);
}
XG_FN const xg_shape *xg_spmd_local_tree(
    xg_spmd *s, const xg_shape *global, const xg_sharding *const *shardings, int64_t *leaf) {
    const xg_shape **elems;
    uint32_t k;
    if (global->type != XLAGPU_TUPLE) return xg_spmd_local_shape(s->m, &s->mesh, global, shardings[(*leaf)++]);
    elems = XG_NEW_N(s->arena, const xg_shape *, (size_t)global->n_elems + 1);
    for (k = 0; k < global->n_elems; k++) elems[k] = xg_spmd_local_tree(s, global->elems[k], shardings, leaf);
    return xg_shape_tuple(s->m, elems, global->n_elems);
}
/* No leaf without a sharding: replicated ones where there is none. */
XG_FN void xg_spmd_fill(xg_spmd *s, const xg_shape *shape, const xg_sharding **shardings) {
    const xg_shape **leaves = xg_shape_leaf_list(s->arena, shape);
    int64_t k;
    for (k = 0; k < shape->leaves; k++)
        if (!shardings[k]) shardings[k] = xg_sharding_new(s->arena, xg_shape_is_array(leaves[k]) ? leaves[k]->rank : 0);
}
XG_FN xg_spmd_value **xg_spmd_reshard_all(
    xg_spmd *s, const xg_shape *shape, xg_spmd_value *const *parts, const xg_sharding *const *to) {
    xg_spmd_value **out = xg_spmd_new_parts(s, shape);
    int64_t k;
    for (k = 0; k < shape->leaves; k++) out[k] = to[k] ? xg_spmd_reshard(s, parts[k], to[k]) : parts[k];
    return out;
}

/* ---- most instructions ---- */

/* An operand, all of it on every device. */
XG_FN xg_spmd_value *xg_spmd_whole(xg_spmd *s, const xg_inst *operand) {
    const xg_sharding **none = XG_NEW_N(s->arena, const xg_sharding *, (size_t)operand->shape->leaves + 1);
    xg_spmd_value **parts;
    xg_spmd_fill(s, operand->shape, none);
    parts = xg_spmd_reshard_all(s, operand->shape, xg_spmd_parts_of(s, operand), none);
    if (operand->shape->type != XLAGPU_TUPLE) return parts[0];
    return xg_spmd_part(s, xg_spmd_packed(s, operand->shape, parts), operand->shape, xg_sharding_new(s->arena, 0));
}

/* Partial results of several arrays, or of no known operation: all of them, reduced once more. */
XG_APART XG_FN void xg_spmd_reduce_again(xg_spmd *s, const xg_inst *i, xg_inst **results, const xg_axes_list *sums) {
    uint32_t n = i->n_operands / 2, k;
    xg_inst **in = XG_NEW_N(s->arena, xg_inst *, i->n_operands), *again;
    int64_t dims[XG_RANK_MAX + 1], zero = 0;
    for (k = 0; k < n; k++) {
        const xg_shape *shape = results[k]->shape;
        dims[0] = 1;
        memcpy(dims + 1, shape->dims, shape->rank * sizeof *dims);
        in[k] = xg_spmd_all_gather(s, xg_hb_reshape(&s->b, results[k], dims, shape->rank + 1), 0, sums);
        in[n + k] = xg_spmd_whole(s, XG_OPERAND(i, n + k))->local;
    }
    again = xg_hb_op(&s->b, XG_REDUCE, i->shape, in, i->n_operands);
    xg_inst_set_one(again, XG_A_dimensions, zero);
    xg_inst_set_comp(again, XG_A_to_apply, xg_attr_to_apply(i));
    again = xg_hb_done(again);
    for (k = 0; k < n; k++) results[k] = n > 1 ? xg_hb_element(&s->b, again, k) : again;
}

/* The operation by which devices combine their partial results of an instruction; -1: none known. */
XG_FN int xg_spmd_combiner(const xg_inst *i) {
    if (i->op == XG_REDUCE) return i->n_operands == 2 ? xg_reducer_opcode(xg_attr_to_apply(i)) : -1;
    if (i->op == XG_SCATTER) return xg_reducer_opcode(xg_attr_to_apply(i));
    if (i->op == XG_TOPK) return -1;
    return i->shape->type == XLAGPU_PRED ? XG_OR : XG_ADD;
}

/* A result that each device of `sums` has a part of the sum of: combined, scattered where that is wanted. */
XG_APART XG_FN xg_spmd_value *xg_spmd_combine(
    xg_spmd *s, const xg_inst *i, xg_spmd_value *p, xg_axes_list sums, const xg_sharding *wanted) {
    int op = xg_spmd_combiner(i);
    xg_comp *by = xg_hb_reducer(&s->b, (xg_opcode)op, p->global->type);
    xg_inst *x = p->local;
    const xg_sharding *natural = p->s;
    while (sums.n && xg_spmd_split_scatters(i)) {
        uint32_t dim = 0;
        xg_axes_list some = xg_spmd_split_scatter(&s->mesh, p->global, natural, &sums, wanted, &dim), all;
        xg_sharding *next;
        if (!some.n) break;
        next = xg_sharding_copy(s->arena, natural);
        all = xg_sharding_axes_of(next, dim);
        xg_axes_append(&all, &some);
        xg_sharding_set_axes(next, dim, &all);
        x = xg_spmd_pad_dim(s, x, dim,
            xg_tile_size(p->global->dims[dim], xg_axes_size(&s->mesh, &all)) * xg_axes_size(&s->mesh, &some));
        x = xg_spmd_reduce_scatter(s, x, dim, &some, by);
        natural = next;
        xg_axes_remove(&sums, &some);
    }
    x = xg_spmd_all_reduce(s, x, &sums, by);
    return xg_spmd_part(s, x, p->global, natural);
}
/* The init value that partial sums did not start from. */
XG_FN void xg_spmd_add_init(xg_spmd *s, const xg_inst *i, xg_spmd_value *p) {
    xg_inst *init = xg_spmd_whole(s, XG_OPERAND(i, 1))->local;
    init = xg_hb_splat(&s->b, init, p->local->shape->dims, p->local->shape->rank);
    p->local = xg_hb_2(&s->b, xg_attr_to_apply(i)->root->op, init, p->local);
}

/* What reads memory instead of elements finds an array in the layout that its operand states: a value that only went
 * through a tuple is here the one it was before, in that one's layout. */
XG_FN xg_spmd_value *xg_spmd_laid_out(xg_spmd *s, const xg_inst *i, uint32_t k, xg_spmd_value *p) {
    const xg_layout *stated = XG_OPERAND(i, k)->shape->layout;
    const xg_shape *shape = p->local->shape;
    if ((i->op != XG_BITCAST && i->op != XG_CUSTOM_CALL) || !stated || shape->layout == stated) return p;
    shape = xg_shape_with_layout(s->m, shape, stated);
    return xg_spmd_part(s, xg_hb_of(&s->b, XG_COPY, shape, p->local), p->global, p->s);
}

XG_APART XG_FN void xg_spmd_generic(xg_spmd *s, const xg_inst *i) {
    xg_spmd_rule *r = xg_spmd_rule_of(s->arena, i), *other = xg_spmd_rule_other(s->arena, i);
    const xg_sharding **wanted = xg_spmd_wanted(s, i),
                      **arrays = XG_NEW_N(s->arena, const xg_sharding *, (size_t)r->n_operands + r->n_results + 1),
                      **natural = XG_NEW_N(s->arena, const xg_sharding *, (size_t)r->n_results + 1);
    const xg_spmd_value **values = XG_NEW_N(s->arena, const xg_spmd_value *, (size_t)r->n_operands + 1);
    xg_spmd_value **in = XG_NEW_N(s->arena, xg_spmd_value *, (size_t)r->n_operands + 1),
                  **out = xg_spmd_new_parts(s, i->shape);
    xg_axis_set manual = 0;
    xg_assignment x;
    xg_axes_list sums;
    xg_inst *local;
    int64_t leaf = 0;
    uint32_t k;
    for (k = 0; k < r->n_operands; k++)
        if (xg_shape_is_array(XG_OPERAND(i, k)->shape)) {
            values[k] = xg_spmd_parts_of(s, XG_OPERAND(i, k))[0];
            arrays[k] = values[k]->s;
            manual |= arrays[k]->manual;
        }
    for (k = 0; k < r->n_results; k++) arrays[r->n_operands + k] = wanted[k];
    x = xg_spmd_split(s->arena, &s->mesh, i, r, arrays, values);
    if (other && x.bytes > 0) {
        xg_assignment y = xg_spmd_split(s->arena, &s->mesh, i, other, arrays, values);
        if (y.bytes < x.bytes) {
            x = y;
            r = other;
        }
    }
    for (k = 0; k < r->n_operands; k++)
        in[k] = xg_shape_is_array(XG_OPERAND(i, k)->shape)
                    ? xg_spmd_reshard(s, xg_spmd_parts_of(s, XG_OPERAND(i, k))[0], xg_assigned(s->arena, r, &x, k))
                    : xg_spmd_whole(s, XG_OPERAND(i, k));
    for (k = 0; k < r->n_operands; k++) in[k] = xg_spmd_laid_out(s, i, k, in[k]);
    local = xg_spmd_local(s, i, r, &x, in);
    for (k = 0; k < r->n_results; k++) {
        xg_sharding *n = xg_assigned(s->arena, r, &x, r->n_operands + k);
        n->manual = manual;
        natural[k] = n;
    }
    xg_spmd_unpack(s, local, i->shape, natural, out, &leaf);
    sums = xg_assigned_sums(r, &x);
    if (sums.n && xg_spmd_combiner(i) < 0) {
        xg_inst **results = XG_NEW_N(s->arena, xg_inst *, (size_t)r->n_results + 1);
        for (k = 0; k < r->n_results; k++) results[k] = out[k]->local;
        if (i->op == XG_TOPK)
            xg_spmd_top_again(s, i, results, &sums);
        else
            xg_spmd_reduce_again(s, i, results, &sums);
        for (k = 0; k < r->n_results; k++) out[k]->local = results[k];
    } else if (sums.n)
        out[0] = xg_spmd_combine(s, i, out[0], sums, wanted[0]);
    if (sums.n && xg_local_starts_neutral(i, &sums, s->arena)) xg_spmd_add_init(s, i, out[0]);
    xg_spmd_put(s, i, xg_spmd_reshard_all(s, i->shape, out, wanted));
}

/* The same number everywhere can be made in any size. */
XG_APART XG_FN void xg_spmd_constant(xg_spmd *s, const xg_inst *i) {
    const xg_literal *l = i->literal;
    const xg_sharding **wanted = xg_spmd_wanted(s, i);
    xg_spmd_value **parts = xg_spmd_new_parts(s, i->shape);
    size_t bytes = l->data ? (size_t)xg_type_bytes(l->shape->type) : 0;
    int64_t k = 1;
    if (i->shape->type == XLAGPU_TUPLE || !bytes || !wanted[0] || !wanted[0]->start[i->shape->rank]) {
        int64_t leaf = 0;
        const xg_sharding **none = XG_NEW_N(s->arena, const xg_sharding *, (size_t)i->shape->leaves + 1);
        xg_inst *c = xg_inst_clone((xg_inst *)(uintptr_t)i, s->b.comp, NULL, NULL);
        xg_inst_remove_attr(c, XG_A_sharding);
        xg_spmd_fill(s, i->shape, none);
        xg_spmd_unpack(s, c, i->shape, none, parts, &leaf);
        xg_spmd_put(s, i, xg_spmd_reshard_all(s, i->shape, parts, wanted));
        return;
    }
    while (k < i->shape->elements && memcmp((const char *)l->data + (size_t)k * bytes, l->data, bytes) == 0) k++;
    if (k >= i->shape->elements && i->shape->elements) {
        xg_literal *one = xg_literal_new(s->m->arena, xg_shape_scalar(s->m, i->shape->type));
        const xg_shape *shape = xg_spmd_local_shape(s->m, &s->mesh, i->shape, wanted[0]);
        memcpy(one->data, l->data, bytes);
        parts[0] = xg_spmd_part(
            s, xg_hb_splat(&s->b, xg_hb_literal(&s->b, one), shape->dims, shape->rank), i->shape, wanted[0]);
    } else {
        xg_inst *c = xg_inst_clone((xg_inst *)(uintptr_t)i, s->b.comp, NULL, NULL);
        xg_inst_remove_attr(c, XG_A_sharding);
        parts[0] =
            xg_spmd_reshard(s, xg_spmd_part(s, c, i->shape, xg_sharding_new(s->arena, i->shape->rank)), wanted[0]);
    }
    xg_spmd_put(s, i, parts);
}

/* ---- tuples ---- */

XG_FN void xg_spmd_tuple(xg_spmd *s, const xg_inst *i) {
    xg_spmd_value **parts = xg_spmd_new_parts(s, i->shape);
    const xg_sharding **wanted = xg_spmd_wanted(s, i);
    uint32_t k;
    int64_t at = 0, j;
    for (k = 0; k < i->n_operands; k++) {
        xg_spmd_value **in = xg_spmd_parts_of(s, XG_OPERAND(i, k));
        for (j = 0; j < XG_OPERAND(i, k)->shape->leaves; j++) parts[at++] = in[j];
    }
    (void)wanted; /* its elements are annotated themselves, and users say what they want */
    xg_spmd_put(s, i, parts);
}
XG_FN void xg_spmd_element(xg_spmd *s, const xg_inst *i) {
    const xg_shape *tuple = XG_OPERAND(i, 0)->shape;
    uint32_t at = xg_shape_leaf_at(tuple, xg_attr_index(i));
    xg_spmd_put(
        s, i, xg_spmd_reshard_all(s, i->shape, xg_spmd_parts_of(s, XG_OPERAND(i, 0)) + at, xg_spmd_wanted(s, i)));
}
XG_FN void xg_spmd_barrier(xg_spmd *s, const xg_inst *i) {
    xg_spmd_value **in = xg_spmd_parts_of(s, XG_OPERAND(i, 0)), **out = xg_spmd_new_parts(s, i->shape);
    const xg_sharding **same = XG_NEW_N(s->arena, const xg_sharding *, (size_t)i->shape->leaves + 1);
    xg_inst *x = xg_spmd_packed(s, i->shape, in), *y = xg_inst_clone((xg_inst *)(uintptr_t)i, s->b.comp, &x, NULL);
    int64_t k, leaf = 0;
    for (k = 0; k < i->shape->leaves; k++) same[k] = in[k]->s;
    y->shape = xg_spmd_local_tree(s, i->shape, same, &leaf); /* in its own layout: a bitcast may read it */
    leaf = 0;
    xg_inst_remove_attr(y, XG_A_sharding);
    xg_spmd_unpack(s, y, i->shape, same, out, &leaf);
    xg_spmd_put(s, i, out);
}

/* ---- custom calls about shardings ---- */

XG_FN void xg_spmd_constraint(xg_spmd *s, const xg_inst *i) {
    xg_spmd_put(s, i, xg_spmd_reshard_all(s, i->shape, xg_spmd_parts_of(s, XG_OPERAND(i, 0)), xg_spmd_wanted(s, i)));
}
/* Axes that stay when those of a manual region go. */
XG_FN xg_sharding *xg_spmd_without(xg_spmd *s, const xg_sharding *of, xg_axis_set gone) {
    xg_sharding *out = xg_sharding_new(s->arena, of->rank);
    uint32_t d, k;
    for (d = 0; d < of->rank; d++) {
        xg_axes_list l = xg_sharding_axes_of(of, d), kept;
        for (k = kept.n = 0; k < l.n; k++)
            if (!(gone >> l.p[k] & 1)) kept.p[kept.n++] = l.p[k];
        xg_sharding_set_axes(out, d, &kept);
    }
    out->manual = of->manual;
    return out;
}
/* Into a manual region: the part is the array there. */
XG_APART XG_FN void xg_spmd_enter(xg_spmd *s, const xg_inst *i) {
    const xg_inst *operand = XG_OPERAND(i, 0);
    const xg_sharding **outside = xg_spmd_wanted(s, operand);
    xg_sharding **said = xg_sharding_of(s->arena, &s->mesh, i), *inside;
    xg_spmd_value *p = xg_spmd_parts_of(s, operand)[0], **out = xg_spmd_new_parts(s, i->shape);
    if (outside[0]) p = xg_spmd_reshard(s, p, outside[0]);
    inside = xg_spmd_without(s, p->s, said ? said[0]->manual : 0);
    inside->manual = said ? said[0]->manual : 0;
    out[0] = xg_spmd_part(s, p->local, i->shape, inside);
    if (!xg_shape_compatible(xg_spmd_local_shape(s->m, &s->mesh, i->shape, inside), p->local->shape))
        xg_hlo_invalid(i, "its operand's sharding says which part a device has",
            "its shape is not the part of its operand that its sharding says");
    xg_spmd_put(s, i, out);
}
XG_APART XG_FN void xg_spmd_leave(xg_spmd *s, const xg_inst *i) {
    xg_spmd_value *p = xg_spmd_parts_of(s, XG_OPERAND(i, 0))[0], **out = xg_spmd_new_parts(s, i->shape);
    const xg_sharding **outside = xg_spmd_wanted(s, i);
    xg_axis_set gone;
    xg_sharding *all;
    xg_spmd_fill(s, i->shape, outside);
    gone = p->s->manual & ~outside[0]->manual;
    if (!p->s->manual) gone = xg_sharding_used(outside[0]); /* the same on all devices: a constant */
    p = xg_spmd_reshard(s, p, xg_spmd_without(s, outside[0], gone));
    all = xg_sharding_copy(s->arena, outside[0]);
    out[0] = xg_spmd_part(s, p->local, i->shape, all);
    if (!xg_shape_compatible(xg_spmd_local_shape(s->m, &s->mesh, i->shape, all), p->local->shape))
        xg_hlo_invalid(
            i, "its sharding says which part a device has", "its operand is not the part of it that its sharding says");
    xg_spmd_put(s, i, out);
}

#define XG_SPMD_CALLS(X) \
    X("Sharding", constraint) \
    X("SPMDFullToShardShape", enter) \
    X("SPMDShardToFullShape", leave)
XG_FN bool xg_spmd_call_of(xg_spmd *s, const xg_inst *i) {
    xg_str target = xg_attr_str(i, XG_A_custom_call_target);
#define X(name, fn) \
    if (xg_str_is(target, name)) { \
        xg_spmd_##fn(s, i); \
        return true; \
    }
    XG_SPMD_CALLS(X)
#undef X
    return false;
}

/* ---- computations ---- */

XG_FN void xg_spmd_inst(xg_spmd *s, const xg_inst *i);

/* Parts of a sum, of which all but one are nothing. */
XG_FN xg_spmd_value *xg_spmd_unreduce(xg_spmd *s, const xg_spmd_value *p, const xg_sharding *to) {
    xg_axes_list sums = xg_axes_of_set(&s->mesh, to->unreduced);
    xg_inst *neutral = xg_spmd_neutral(s, p->global->type == XLAGPU_PRED ? XG_OR : XG_ADD, p->global->type);
    return xg_spmd_part(s, xg_spmd_on_first(s, p->local, &sums, neutral), p->global, to);
}
/* The computation on parts: parameters in these shardings, by parameter and leaf; results in those, or, where they are
 * NULL, as they come, which is written there. */
XG_FN xg_comp *xg_spmd_comp(
    xg_spmd *s, const xg_comp *c, const xg_sharding **const *params, const xg_sharding **results, xg_comp *before) {
    xg_spmd outer = *s;
    xg_comp *to = xg_comp_new(s->m, c->name, before);
    xg_spmd_value **root;
    int64_t k;
    uint32_t p;
    s->b = xg_hb_end(to, NULL);
    s->id = NULL;
    s->tables = NULL;
    for (p = 0; p < c->n_params; p++) {
        xg_inst *from = c->params[p];
        int64_t leaf = 0;
        xg_spmd_value **parts = xg_spmd_new_parts(s, from->shape);
        const xg_shape *shape = xg_spmd_local_tree(s, from->shape, params[p], &leaf);
        xg_inst *param = xg_comp_add_param(to, shape, from->name);
        leaf = 0;
        xg_spmd_unpack(s, param, from->shape, params[p], parts, &leaf);
        xg_spmd_put(s, from, parts);
    }
    XG_FOR_INSTS(i, c) {
        s->b.from = i;
        if (i->op != XG_PARAMETER) xg_spmd_inst(s, i);
    }
    s->b.from = c->root;
    root = xg_spmd_reshard_all(s, c->root->shape, xg_spmd_parts_of(s, c->root), results);
    for (k = 0; k < c->root->shape->leaves; k++) {
        if (results[k] && results[k]->unreduced) root[k] = xg_spmd_unreduce(s, root[k], results[k]);
        results[k] = root[k]->s;
    }
    to->root = xg_spmd_packed(s, c->root->shape, root);
    outer.channel = s->channel;
    outer.parts = s->parts;
    *s = outer;
    return to;
}

XG_APART XG_FN void xg_spmd_while(xg_spmd *s, const xg_inst *i) {
    const xg_sharding **state = xg_spmd_wanted(s, i), **done = XG_NEW_N(s->arena, const xg_sharding *, 2);
    xg_spmd_value **in = xg_spmd_parts_of(s, XG_OPERAND(i, 0)), **out = xg_spmd_new_parts(s, i->shape);
    xg_comp *body, *condition;
    int64_t k, leaf = 0;
    xg_inst *init;
    for (k = 0; k < i->shape->leaves; k++)
        if (!state[k]) {
            xg_sharding *same = xg_sharding_copy(s->arena, in[k]->s);
            same->devices = NULL;
            state[k] = same;
        }
    in = xg_spmd_reshard_all(s, i->shape, in, state);
    init = xg_spmd_packed(s, i->shape, in);
    done[0] = xg_sharding_new(s->arena, 0);
    body = xg_spmd_comp(s, xg_attr_comp(i, XG_A_body), &state, state, s->b.comp);
    condition = xg_spmd_comp(s, xg_attr_comp(i, XG_A_condition), &state, done, s->b.comp);
    xg_spmd_unpack(s, xg_hb_while(&s->b, init, condition, body), i->shape, state, out, &leaf);
    xg_spmd_put(s, i, out);
}

/* Branches take what they are given, and all hand on the same. */
XG_APART XG_FN void xg_spmd_conditional(xg_spmd *s, const xg_inst *i) {
    xg_comps branches = xg_opt_control_comps(s->arena, i);
    xg_inst **in = XG_NEW_N(s->arena, xg_inst *, i->n_operands), *local;
    const xg_sharding **results = xg_spmd_wanted(s, i);
    xg_spmd_value **out = xg_spmd_new_parts(s, i->shape);
    int64_t leaf = 0, j;
    uint32_t k;
    xg_spmd_fill(s, i->shape, results);
    in[0] = xg_spmd_whole(s, XG_OPERAND(i, 0))->local;
    local = NULL;
    for (k = 0; k < branches.n; k++) {
        const xg_inst *operand = XG_OPERAND(i, k + 1);
        xg_spmd_value **parts = xg_spmd_parts_of(s, operand);
        const xg_sharding **params = XG_NEW_N(s->arena, const xg_sharding *, (size_t)operand->shape->leaves + 1);
        for (j = 0; j < operand->shape->leaves; j++) params[j] = parts[j]->s;
        in[k + 1] = xg_spmd_packed(s, operand->shape, parts);
        branches.p[k] = xg_spmd_comp(s, branches.p[k], &params, results, s->b.comp);
    }
    local = xg_inst_clone((xg_inst *)(uintptr_t)i, s->b.comp, in, NULL);
    xg_inst_remove_attr(local, XG_A_sharding);
    xg_opt_set_control_comps(local, &branches);
    local->shape = xg_spmd_local_tree(s, i->shape, results, &leaf);
    leaf = 0;
    xg_spmd_unpack(s, local, i->shape, results, out, &leaf);
    xg_spmd_put(s, i, out);
}

XG_APART XG_FN void xg_spmd_inst(xg_spmd *s, const xg_inst *i) {
    switch (i->op) {
    case XG_CONSTANT: xg_spmd_constant(s, i); return;
    case XG_TUPLE: xg_spmd_tuple(s, i); return;
    case XG_GET_TUPLE_ELEMENT: xg_spmd_element(s, i); return;
    case XG_OPT_BARRIER:
    case XG_DOMAIN: xg_spmd_barrier(s, i); return;
    case XG_WHILE: xg_spmd_while(s, i); return;
    case XG_CONDITIONAL: xg_spmd_conditional(s, i); return;
    case XG_CUSTOM_CALL:
        if (xg_spmd_call_of(s, i)) return;
        break;
    default: break;
    }
    xg_spmd_generic(s, i);
}

/* ---- the module ---- */

XG_FN bool xg_spmd_has_shardings(const xg_module *m) {
    const xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_inst_attr(i, XG_A_sharding)) return true;
    return m->num_partitions > 1;
}

/* A parameter's or result's shardings as they are promised: with tables of devices, and on one device alone. */
XG_FN const xg_sharding **xg_spmd_promised(xg_spmd *s, const xg_inst *i) {
    xg_sharding **said = xg_sharding_of(s->arena, &s->mesh, i);
    const xg_sharding **out = XG_NEW_N(s->arena, const xg_sharding *, (size_t)i->shape->leaves + 1);
    int64_t k;
    for (k = 0; said && k < i->shape->leaves; k++)
        if (said[k]->kind != XG_SHARDING_UNKNOWN) out[k] = said[k];
    xg_spmd_fill(s, i->shape, out);
    return out;
}

XG_FN void xg_spmd_entry(xg_spmd *s) {
    xg_module *m = s->m;
    xg_comp *from = m->entry, *to;
    const xg_sharding ***params = XG_NEW_N(s->arena, const xg_sharding **, (size_t)from->n_params + 1),
                      **results = xg_spmd_promised(s, from->root);
    const xg_shape **shapes = XG_NEW_N(s->arena, const xg_shape *, (size_t)from->n_params + 1);
    const xg_attr *a = xg_inst_attr(from->root, XG_A_sharding);
    int64_t leaf = 0;
    uint32_t k;
    for (k = 0; k < from->n_params; k++) params[k] = xg_spmd_promised(s, from->params[k]);
    to = xg_spmd_comp(s, from, params, results, NULL);
    m->entry = to;
    if (a) xg_inst_set_attr(to->root, *a);
    for (k = 0; k < from->n_params; k++) {
        a = xg_inst_attr(from->params[k], XG_A_sharding);
        if (a) xg_inst_set_attr(to->params[k], *a);
        leaf = 0;
        shapes[k] = xg_spmd_local_tree(s, m->entry_params->elems[k], params[k], &leaf);
    }
    m->entry_params = xg_shape_tuple(m, shapes, from->n_params);
    leaf = 0;
    m->entry_result = xg_spmd_local_tree(s, m->entry_result, results, &leaf);
}

XG_FN bool xg_spmd_partitioner(xg_module *m) {
    xg_spmd s;
    if (!xg_spmd_has_shardings(m)) return false;
    xg_spmd_prepare(m);
    memset(&s, 0, sizeof s);
    s.m = m;
    s.arena = m->work;
    s.mesh = xg_mesh_of_module(m);
    s.channel = 1;
    xg_map64_init(&s.parts, s.arena);
    xg_spmd_entry(&s);
    m->num_partitions = s.mesh.devices;
    (void)xg_opt_tuple_simplifier(m);
    (void)xg_opt_dce(m);
    return true;
}

#endif /* XG_SPMD_PARTITION_C */
