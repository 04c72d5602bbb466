/* fuse/sort_slices.c -- a sort of which only parts of the rows are taken writes no more than those.
 *
 *     slice(sort(x), 0:k)  ==>  fusion { slice(sort(x), 0:k) }
 *
 * The slices have to leave all dimensions but the sorted one as they are, and the rows have to be those of one block
 * (the others become several sorts). It runs before priority fusion, which would make the slices part of whatever reads
 * them, and leave the whole of the sorted rows in memory between. */
#ifndef XG_FUSE_SORT_SLICES_C
#define XG_FUSE_SORT_SLICES_C
#include "fuse.h"
#include "sort_passes.c"

enum {
    XG_SORT_SLICES_MAX = 16
};

/* Rows: all of them, and some neighbours of each. */
XG_FN bool xg_sort_slice_is_of_rows(const xg_inst *slice, uint32_t dim) {
    const xg_slice_dim *d;
    uint32_t k;
    if (slice->op != XG_SLICE || slice->shape->elements == 0) return false;
    d = xg_inst_attr(slice, XG_A_slice)->v.slices->p;
    for (k = 0; k < slice->shape->rank; k++)
        if (d[k].stride != 1 || (k != dim && slice->shape->dims[k] != XG_OPERAND(slice, 0)->shape->dims[k]))
            return false;
    return true;
}
/* The results of the fusion that `array`, an output of the sort, gives: its slices, or itself where it is not
 * sliced. */
XG_FN bool xg_sort_slices_of(xg_inst *array, uint32_t dim, xg_inst **results, uint32_t *n, uint32_t *sliced) {
    uint32_t slices = 0, others = 0;
    XG_FOR_USES(u, array) {
        if (xg_sort_slice_is_of_rows(u->user, dim))
            slices++;
        else
            others++;
    }
    if (array == array->comp->root || others) {
        if (slices || *n == XG_SORT_SLICES_MAX) return false;
        results[(*n)++] = array;
        return true;
    }
    if (*n + slices > XG_SORT_SLICES_MAX) return false;
    XG_FOR_USES(v, array) {
        if (v->user->first_use || v->user == array->comp->root) results[(*n)++] = v->user;
        ++*sliced;
    }
    return true;
}
XG_FN bool xg_sort_find_slices(xg_inst *sort, xg_inst **results, uint32_t *n) {
    uint32_t dim = (uint32_t)xg_attr_dims(sort).p[0], sliced = 0;
    *n = 0;
    if (xg_fuse_sort_is_long(sort) || sort == sort->comp->root || xg_inst_attr(sort, XG_A_backend_config) ||
        xg_inst_order(sort))
        return false;
    if (sort->shape->type != XLAGPU_TUPLE) return xg_sort_slices_of(sort, dim, results, n, &sliced) && sliced && *n;
    XG_FOR_USES(u, sort)
        if (u->user->op != XG_GET_TUPLE_ELEMENT || !xg_sort_slices_of(u->user, dim, results, n, &sliced)) return false;
    return sliced && *n;
}

/* The same instruction inside, of `in`. */
XG_FN xg_inst *xg_sort_inside(xg_inst *i, xg_comp *c, xg_inst *in) { return xg_inst_clone(i, c, &in, NULL); }
XG_APART XG_FN void xg_sort_fuse_slices(xg_inst *sort, xg_inst *const *results, uint32_t n) {
    xg_module *m = sort->comp->module;
    xg_comp *c = xg_comp_new(m, XG_STR("fused_sort"), sort->comp);
    xg_inst **inside = XG_NEW_N(m->arena, xg_inst *, XG_MAX(sort->n_operands, n) + 1),
            **outside = XG_NEW_N(m->arena, xg_inst *, sort->n_operands + 1), *whole, *fusion;
    xg_hb end = xg_hb_end(c, sort), at = xg_hb_at(sort);
    uint32_t k, j;
    for (k = 0; k < sort->n_operands; k++) {
        for (j = 0; j < k && XG_OPERAND(sort, j) != XG_OPERAND(sort, k); j++) {}
        if (j < k) {
            inside[k] = inside[j];
            continue;
        }
        outside[c->n_params] = XG_OPERAND(sort, k);
        inside[k] = xg_comp_add_param(c, XG_OPERAND(sort, k)->shape, XG_STR("param"));
    }
    j = c->n_params;
    whole = xg_inst_clone(sort, c, inside, NULL);
    for (k = 0; k < n; k++) {
        xg_inst *array = results[k]->op == XG_SLICE ? XG_OPERAND(results[k], 0) : results[k],
                *value = array == sort ? whole : xg_sort_inside(array, c, whole);
        inside[k] = results[k] == array ? value : xg_sort_inside(results[k], c, value);
    }
    c->root = n == 1 ? inside[0] : xg_hb_tuple(&end, inside, n);
    fusion = xg_hb_op(&at, XG_FUSION, c->root->shape, outside, j);
    xg_inst_set_text(fusion, XG_A_kind, "kLoop");
    xg_inst_set_comp(fusion, XG_A_calls, c);
    for (k = 0; k < n; k++) xg_inst_replace(results[k], n == 1 ? fusion : xg_hb_element(&at, fusion, k));
}
XG_FN bool xg_sort_slices_comp(xg_comp *c) {
    xg_inst *i = c->first, *next, *results[XG_SORT_SLICES_MAX];
    uint32_t n;
    bool changed = false;
    for (; i; i = next) {
        next = xg_inst_behind(i);
        if (i->op != XG_SORT || !xg_sort_find_slices(i, results, &n)) continue;
        xg_sort_fuse_slices(i, results, n);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_fuse_sort_slices(xg_module *m) {
    bool changed = m->made[XG_SORT] && m->made[XG_SLICE] && xg_opt_each_sequence(m, xg_sort_slices_comp);
    return changed ? (xg_opt_dce(m), true) : false;
}

#endif /* XG_FUSE_SORT_SLICES_C */
