/* spmd/assign.c -- which axes split which factors of an instruction.
 *
 * Candidates: the sharding of each of its arrays, spread to the factors, then filled up from the other arrays. For each
 * the bytes are counted that a device would send: to bring operands into the shardings that it asks for, to combine
 * partial results, and to bring results into the sharding that is wanted. The fewest win; among equals, the one that
 * splits the work most.
 *
 * An axis splits one factor only. Where a dimension is made of several factors, a minor one can be split once those
 * before it are split to single elements, and evenly. */
#ifndef XG_SPMD_ASSIGN_C
#define XG_SPMD_ASSIGN_C
#include "spmd.h"

XG_FN bool xg_spmd_split_splits(const xg_assignment *x, const xg_factor *f) {
    return f->kind == XG_FACTOR_PASS || f->kind == XG_FACTOR_REDUCE || (f->kind == XG_FACTOR_PERMUTE && !x->still);
}

/* The axes that a sharding gives to each factor of a dimension, with those of NEED factors. */
XG_FN void xg_spmd_split_project(const xg_spmd_mesh *mesh, const xg_spmd_rule *r, const xg_spmd_rule_array *t,
    uint32_t dim, const xg_sharding *s, xg_axes_list *out) { /* by place in the dimension */
    xg_axes_list axes = xg_sharding_axes_of(s, dim);
    uint32_t n = t->first[dim + 1] - t->first[dim], k, at = 0;
    for (k = 0; k < n; k++) {
        int64_t left = r->factors[t->factors[t->first[dim] + k]].size;
        out[k].n = 0;
        for (; at < axes.n && (n == 1 || left % mesh->size[axes.p[at]] == 0); at++) {
            out[k].p[out[k].n++] = axes.p[at];
            left /= n == 1 ? 1 : mesh->size[axes.p[at]];
        }
        if (left > 1) at = n == 1 ? at : axes.n; /* the next one is not to be reached */
    }
}

/* Adds to a factor what an array has beyond it, as far as the axes are free. */
XG_FN void xg_spmd_split_extend(xg_axes_list *f, const xg_axes_list *has, xg_axis_set *used) {
    uint32_t k;
    if (!xg_axes_begin(has, f)) return;
    for (k = f->n; k < has->n && !(*used >> has->p[k] & 1); k++) {
        f->p[f->n++] = has->p[k];
        *used |= (xg_axis_set)1 << has->p[k];
    }
}

XG_FN void xg_spmd_split_array(const xg_spmd_mesh *mesh, const xg_spmd_rule *r, uint32_t t, const xg_sharding *s,
    xg_assignment *x, xg_axis_set *used, xg_axes_list *stuck) {
    const xg_spmd_rule_array *a = &r->arrays[t];
    xg_axes_list has[XG_SPMD_AXES_MAX];
    uint32_t d, k, n;
    if (!s || s->kind != XG_SHARDING_TILED || s->rank != a->rank) return;
    for (d = 0; d < a->rank; d++) {
        n = a->first[d + 1] - a->first[d];
        if (n > XG_SPMD_AXES_MAX || s->start[d] == s->start[d + 1]) continue;
        xg_spmd_split_project(mesh, r, a, d, s, has);
        for (k = 0; k < n; k++) {
            uint32_t f = a->factors[a->first[d] + k];
            if (xg_spmd_split_splits(x, &r->factors[f]))
                xg_spmd_split_extend(&x->factors[f], &has[k], used);
            else if (stuck->n + has[k].n <= XG_SPMD_AXES_MAX)
                xg_axes_append(stuck, &has[k]);
        }
    }
}

/* What dimensions of several factors ask for. */
XG_FN void xg_spmd_split_settle(const xg_spmd_mesh *mesh, const xg_spmd_rule *r, xg_assignment *x) {
    uint32_t t, d, k, round;
    for (round = 0; round < 2; round++) /* a factor that was cut may be major in another array */
        for (t = 0; t < r->n_operands + r->n_results; t++)
            for (d = 0; d < r->arrays[t].rank; d++) {
                const xg_spmd_rule_array *a = &r->arrays[t];
                bool whole = true;
                if (a->first[d + 1] - a->first[d] < 2) continue;
                for (k = a->first[d]; k < a->first[d + 1]; k++) {
                    xg_axes_list *f = &x->factors[a->factors[k]];
                    if (!whole) f->n = 0;
                    while (f->n && r->factors[a->factors[k]].size % xg_axes_size(mesh, f)) f->n--;
                    whole = whole && xg_axes_size(mesh, f) == r->factors[a->factors[k]].size;
                }
            }
}

XG_FN xg_sharding *xg_assigned(xg_arena *a, const xg_spmd_rule *r, const xg_assignment *x, uint32_t t) {
    const xg_spmd_rule_array *array = &r->arrays[t];
    xg_sharding *s = xg_sharding_new(a, array->rank);
    uint32_t d, k;
    for (d = 0; d < array->rank; d++) {
        xg_axes_list l;
        l.n = 0;
        for (k = array->first[d]; k < array->first[d + 1]; k++) xg_axes_append(&l, &x->factors[array->factors[k]]);
        xg_sharding_set_axes(s, d, &l);
    }
    return s;
}
XG_FN xg_axes_list xg_assigned_sums(const xg_spmd_rule *r, const xg_assignment *x) {
    xg_axes_list l;
    uint32_t k;
    l.n = 0;
    for (k = 0; k < r->n_factors; k++)
        if (r->factors[k].kind == XG_FACTOR_REDUCE) xg_axes_append(&l, &x->factors[k]);
    return l;
}

XG_FN xg_axes_list xg_spmd_split_scatter(const xg_spmd_mesh *mesh, const xg_shape *shape, const xg_sharding *natural,
    const xg_axes_list *sums, const xg_sharding *wanted, uint32_t *dim) {
    xg_axes_list none;
    uint32_t d, k, n;
    none.n = 0;
    for (d = 0; wanted && d < natural->rank; d++) {
        xg_axes_list has = xg_sharding_axes_of(natural, d), wants = xg_sharding_axes_of(wanted, d), more;
        if (!xg_axes_begin(&wants, &has)) continue;
        for (n = has.n; n < wants.n; n++) {
            for (k = 0; k < sums->n && sums->p[k] != wants.p[n]; k++) {}
            if (k == sums->n) break;
        }
        for (; n > has.n; n--) {
            more = xg_axes_cut(&wants, has.n, n);
            *dim = d;
            if (xg_tiles_nest(shape->dims[d], xg_axes_size(mesh, &has), xg_axes_size(mesh, &more))) return more;
        }
    }
    return none;
}

XG_FN void xg_axes_remove(xg_axes_list *l, const xg_axes_list *gone) {
    uint32_t k, j, n = 0;
    for (k = 0; k < l->n; k++) {
        for (j = 0; j < gone->n && gone->p[j] != l->p[k]; j++) {}
        if (j == gone->n) l->p[n++] = l->p[k];
    }
    l->n = n;
}

/* May a result be scattered while it is combined? */
XG_FN bool xg_spmd_split_scatters(const xg_inst *i) {
    int op;
    if (i->op == XG_DOT || i->op == XG_RAGGED_DOT || i->op == XG_SCALED_DOT || i->op == XG_CONVOLUTION) return true;
    if (i->op != XG_REDUCE || i->n_operands != 2) return false;
    op = xg_reducer_opcode(xg_attr_to_apply(i));
    return op == XG_ADD || op == XG_MULTIPLY || op == XG_MAXIMUM || op == XG_MINIMUM;
}

/* A combined result, then what is wanted. */
XG_APART XG_FN double xg_spmd_split_result_bytes(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i,
    const xg_shape *shape, const xg_sharding *natural, xg_axes_list sums, const xg_sharding *wanted) {
    double bytes = 0;
    while (sums.n && xg_spmd_split_scatters(i)) {
        uint32_t dim = 0;
        xg_axes_list some = xg_spmd_split_scatter(mesh, shape, natural, &sums, wanted, &dim), all;
        double g = (double)xg_axes_size(mesh, &some);
        xg_sharding *next;
        if (!some.n) break;
        bytes += xg_spmd_bytes(mesh, shape, natural) * (g - 1) / g;
        next = xg_sharding_copy(a, natural);
        all = xg_sharding_axes_of(next, dim);
        xg_axes_append(&all, &some);
        xg_sharding_set_axes(next, dim, &all);
        natural = next;
        xg_axes_remove(&sums, &some);
    }
    if (sums.n) {
        double g = (double)xg_axes_size(mesh, &sums);
        bytes += 2 * xg_spmd_bytes(mesh, shape, natural) * (g - 1) / g;
    }
    return bytes + (wanted ? xg_reshard_bytes(a, mesh, shape, natural, wanted) : 0);
}

/* An instruction to be split, and what its arrays are like. */
typedef struct xg_splitting {
    xg_arena *arena;
    const xg_spmd_mesh *mesh;
    const xg_inst *i;
    const xg_spmd_rule *r;
    const xg_sharding *const *arrays;
    const xg_spmd_value *const *values; /* of operands */
    xg_assignment best;
} xg_splitting;

XG_FN double xg_spmd_split_operand_bytes(
    const xg_splitting *q, const xg_assignment *x, uint32_t t, const xg_sharding *s) {
    const xg_spmd_value *from;
    double bytes = q->values[t] ? xg_spmd_value_bytes(q->arena, q->mesh, q->values[t], s, &from) : 0,
           part = xg_spmd_bytes(q->mesh, q->r->arrays[t].shape, s);
    return bytes + xg_halo_reach_bytes(q->arena, q->mesh, q->i, q->r, x, t, part);
}
XG_FN void xg_spmd_split_cost(const xg_splitting *q, xg_assignment *x) {
    const xg_spmd_rule *r = q->r;
    uint32_t t, k;
    xg_axes_list sums = xg_assigned_sums(r, x);
    x->bytes = 0;
    x->tiles = 1;
    for (k = 0; k < r->n_factors; k++) x->tiles *= xg_axes_size(q->mesh, &x->factors[k]);
    for (t = 0; t < r->n_operands + r->n_results; t++) {
        const xg_shape *shape = r->arrays[t].shape;
        xg_sharding *s = xg_assigned(q->arena, r, x, t);
        if (!xg_shape_is_array(shape)) continue;
        x->bytes += t >= r->n_operands
                        ? xg_spmd_split_result_bytes(q->arena, q->mesh, q->i, shape, s, sums, q->arrays[t])
                        : xg_spmd_split_operand_bytes(q, x, t, s);
    }
}

XG_FN xg_assignment xg_spmd_split_empty(xg_arena *a, const xg_spmd_rule *r) {
    xg_assignment x;
    x.factors = XG_NEW_N(a, xg_axes_list, (size_t)r->n_factors + 1);
    x.bytes = 0;
    x.tiles = 1;
    x.still = false;
    return x;
}

/* Axes of dimensions that cannot be split go to the first factor that takes them evenly and that is in every operand.
 */
XG_FN void xg_spmd_split_unstick(
    const xg_spmd_mesh *mesh, const xg_spmd_rule *r, xg_assignment *x, xg_axis_set used, const xg_axes_list *stuck) {
    uint32_t k, f;
    for (k = 0; k < stuck->n; k++) {
        if (used >> stuck->p[k] & 1) continue;
        for (f = 0; f < r->n_factors; f++)
            if (r->factors[f].kind == XG_FACTOR_PASS &&
                r->factors[f].size % (xg_axes_size(mesh, &x->factors[f]) * mesh->size[stuck->p[k]]) == 0) {
                x->factors[f].p[x->factors[f].n++] = stuck->p[k];
                used |= (xg_axis_set)1 << stuck->p[k];
                break;
            }
    }
}

enum {
    XG_ASSIGN_ARRAYS = 8 /* so many arrays may be the first: those behind are mostly like them */
};

XG_FN void xg_spmd_split_try(xg_splitting *q, xg_assignment *x) {
    xg_spmd_split_settle(q->mesh, q->r, x);
    xg_spmd_split_cost(q, x);
    if (!q->best.factors || x->bytes < q->best.bytes || (x->bytes == q->best.bytes && x->tiles > q->best.tiles))
        q->best = *x;
}
/* Led by one array: alone, then filled up from the others. */
XG_FN void xg_spmd_split_led(xg_splitting *q, uint32_t lead, bool still) {
    const xg_spmd_rule *r = q->r;
    uint32_t t, all = r->n_operands + r->n_results, round;
    for (round = 0; round < 2; round++) {
        xg_axis_set used = 0;
        xg_axes_list stuck;
        xg_assignment x = xg_spmd_split_empty(q->arena, r);
        stuck.n = 0;
        x.still = still;
        xg_spmd_split_array(q->mesh, r, lead, q->arrays[lead], &x, &used, &stuck);
        for (t = 0; t < all && round; t++) {
            uint32_t next = (t + r->n_operands) % all;
            if (next != lead) xg_spmd_split_array(q->mesh, r, next, q->arrays[next], &x, &used, &stuck);
        }
        if (stuck.n) {
            xg_assignment y = xg_spmd_split_empty(q->arena, r);
            y.still = still;
            memcpy(y.factors, x.factors, r->n_factors * sizeof *y.factors);
            xg_spmd_split_unstick(q->mesh, r, &y, used, &stuck);
            xg_spmd_split_try(q, &y);
        }
        xg_spmd_split_try(q, &x);
    }
}
XG_FN xg_assignment xg_spmd_split(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, const xg_spmd_rule *r,
    const xg_sharding *const *arrays, const xg_spmd_value *const *values) {
    xg_assignment x = xg_spmd_split_empty(a, r);
    xg_splitting q;
    uint32_t first, k, all = r->n_operands + r->n_results;
    bool moves = false;
    memset(&q, 0, sizeof q);
    q.arena = a;
    q.mesh = mesh;
    q.i = i;
    q.r = r;
    q.arrays = arrays;
    q.values = values;
    for (k = 0; k < r->n_factors; k++) moves = moves || r->factors[k].kind == XG_FACTOR_PERMUTE;
    xg_spmd_split_try(&q, &x);
    for (first = 0; first < XG_MIN(all, (uint32_t)XG_ASSIGN_ARRAYS) && r->known; first++) {
        uint32_t lead = (first + r->n_operands) % all; /* results first */
        if (!arrays[lead] || !arrays[lead]->start[arrays[lead]->rank]) continue;
        xg_spmd_split_led(&q, lead, false);
        if (moves) xg_spmd_split_led(&q, lead, true);
    }
    return q.best;
}

#endif /* XG_SPMD_ASSIGN_C */
