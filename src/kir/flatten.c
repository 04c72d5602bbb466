/* kir/flatten.c -- tensors become one-dimensional, so that an index is the place of an element in memory.
 *
 * The order is row-major over the dims a tensor has here, which emitters give in the order of the buffer. Elements stay what they are. Only
 * types and the indices of accesses change: an index becomes one apply_indexing of the old ones, which xg_kir_simplify_indexing then composes. */
#ifndef XG_KIR_FLATTEN_C
#define XG_KIR_FLATTEN_C
#include "kir.h"

XG_FN const xg_ktype *xg_kflat_type(xg_kmodule *m, const xg_ktype *t) {
    if (t->kind != XG_TK_TENSOR || t->rank == 1) return t;
    return xg_kir_tensor(m, t->elem, &t->elements, 1);
}

/* (d0, d1, ...) -> sum of d * stride, each d inside its dim. */
XG_FN xg_imap *xg_kflat_map(xg_kmodule *m, const xg_ktype *t) {
    xg_imap *map = xg_imap_new(m->aff, t->rank, 0, 0, 1, 0);
    const xg_aff *sum = xg_aff_const(m->aff, 0);
    int64_t stride = 1;
    uint32_t k = t->rank;
    while (k-- > 0) {
        map->dims[k].range = xg_range_of(0, t->dims[k] - 1);
        sum = xg_aff_add(m->aff, sum, xg_aff_mul(m->aff, xg_aff_dim(m->aff, k), stride));
        stride = XG_MAX(stride * t->dims[k], 1); /* the element count is below 2^63 */
    }
    if (!sum) xg_fail(m->ctx, XLAGPU_ERROR_LIMIT, "a tensor of rank %u is too large to be indexed", t->rank);
    map->results[0] = sum;
    return map;
}

/* Replaces the indices from operand `from` on by one, through the map of the tensor's old type. */
XG_FN void xg_kflat_access(xg_kmodule *m, xg_kop *op, uint32_t from, const xg_ktype *tensor, const xg_imap *map) {
    xg_kb b = xg_kb_before(m, op);
    xg_kval **v = XG_NEW_N(m->temp, xg_kval *, op->n_operands + 1), *index;
    uint32_t k;
    for (k = from; k < op->n_operands; k++) v[k - from] = op->operands[k].value;
    index = map ? xg_kapply(&b, map, v)->results : xg_kconst_int(&b, XG_E_INDEX, 0);
    if (!tensor->rank) { /* there is no index yet */
        xg_kop *to;
        for (k = 0; k < from; k++) v[k] = op->operands[k].value;
        v[from] = index;
        to = xg_kop_rebuild(m, op, v, from + 1, &op->results[0].type, 1);
        xg_kval_copy_facts(to->results, op->results);
        xg_kval_replace(op->results, to->results);
        xg_kop_remove(op);
        return;
    }
    xg_kop_set_operand(op, from, index);
    xg_kop_shorten(op, from + 1);
}

XG_FN void xg_kflat_region_types(xg_kmodule *m, xg_kregion *r) {
    uint32_t k, i;
    xg_kop *op;
    for (k = 0; k < r->n_args; k++) r->args[k].type = xg_kflat_type(m, r->args[k].type);
    for (op = r->first; op; op = op->next) {
        for (k = 0; k < op->n_results; k++) op->results[k].type = xg_kflat_type(m, op->results[k].type);
        for (i = 0; i < op->n_regions; i++) xg_kflat_region_types(m, op->regions[i]);
    }
}

XG_FN void xg_kir_flatten_tensors(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kops ops;
        const xg_ktype **of;
        xg_map64 maps; /* by the tensor's type */
        uint32_t k;
        memset(&ops, 0, sizeof ops);
        xg_kops_collect_of(m->temp, &ops, f->body, XG_K_OP_EXTRACT);
        xg_kops_collect_of(m->temp, &ops, f->body, XG_K_OP_INSERT);
        xg_kops_collect_of(m->temp, &ops, f->body, XG_K_OP_ATOMIC_RMW);
        of = XG_NEW_N(m->temp, const xg_ktype *, ops.n + 1);
        for (k = 0; k < ops.n; k++) of[k] = ops.p[k]->operands[ops.p[k]->op == XG_K_OP_INSERT].value->type;
        xg_kflat_region_types(m, f->body);
        for (k = 0; k < f->n_results; k++) f->results[k] = xg_kflat_type(m, f->results[k]);
        xg_map64_init(&maps, m->temp);
        for (k = 0; k < ops.n; k++) if (of[k]->rank != 1) {
            xg_imap *map = of[k]->rank && of[k]->elements ? (xg_imap *)xg_map64_get(&maps, of[k]->id + (uint64_t)1) : NULL;
            if (!map && of[k]->rank && of[k]->elements) xg_map64_put(&maps, of[k]->id + (uint64_t)1, map = xg_kflat_map(m, of[k]));
            xg_kflat_access(m, ops.p[k], ops.p[k]->op == XG_K_OP_INSERT ? 2 : 1, of[k], map);
        }
    }
}

#endif /* XG_KIR_FLATTEN_C */
