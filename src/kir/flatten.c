/* kir/flatten.c -- tensors become one-dimensional, so that an index is the place of an element in memory.
 *
 * The order is row-major over the dims a tensor has here, which emitters give in the order of the buffer. Elements stay
 * what they are. Only types and the indices of accesses change: an index becomes one apply_indexing of the old ones,
 * which xg_kir_simplify_indexing then composes. */
#ifndef XG_KIR_FLATTEN_C
#define XG_KIR_FLATTEN_C
#include "kir.h"
#include "../hlo/hlo.h"
#include "build.c"

XG_FN const xg_ktype *xg_kflat_type(xg_kmodule *m, const xg_ktype *t) {
    if (t->kind != XG_TK_TENSOR || t->rank == 1) return t;
    return xg_kir_tensor(m, t->elem, &t->elements, 1);
}

/* (d0, d1, ...) -> sum of d * stride, each d inside its dim. */
XG_APART XG_FN xg_imap *xg_kflat_map(xg_kmodule *m, const xg_ktype *t) {
    xg_imap *map = xg_imap_of_dims(m->aff, t->rank, 1);
    const xg_aff *sum = xg_aff_const(m->aff, 0);
    int64_t stride = 1;
    uint32_t k = t->rank;
    while (k-- > 0) {
        map->dims[k].range = xg_range_of(0, t->dims[k] - 1);
        sum = xg_aff_add_dim(m->aff, sum, k, stride);
        stride = XG_MAX(stride * t->dims[k], 1); /* the element count is below 2^63 */
    }
    if (!sum) xg_fail(m->ctx, XLAGPU_ERROR_LIMIT, "a tensor of rank %u is too large to be indexed", t->rank);
    map->results[0] = sum;
    return map;
}

/* Two applications of maps over the same variables to the same values. */
XG_FN bool xg_kflat_reads_alike(const xg_kop *a, const xg_kop *b) {
    const xg_imap *f = (const xg_imap *)a->p, *g = (const xg_imap *)b->p;
    uint32_t k;
    if (!xg_imap_ok(f) || !xg_imap_ok(g) || f->n_dims != g->n_dims || f->n_syms != g->n_syms || f->n_rts != g->n_rts ||
        a->n_operands != b->n_operands)
        return false;
    for (k = 0; k < a->n_operands; k++)
        if (a->operands[k].value != b->operands[k].value) return false;
    return true;
}
/* Plain sums inside of the dims need no rules. NULL: these are asked. */
XG_APART XG_FN const xg_imap *xg_kflat_plain(
    xg_aff_ctx *x, const xg_imap *map, const xg_aff *const *at, const xg_imap *flat) {
    xg_aff_env env = xg_imap_env(x, map);
    const xg_aff *sum = xg_aff_const(x, 0);
    xg_imap *to;
    uint32_t k;
    if (map->n_constraints || map->n_syms || map->n_rts) return NULL;
    for (k = 0; k < flat->n_dims && sum; k++) {
        if (!at[k] || !xg_range_within(xg_aff_range(&env, at[k]), flat->dims[k].range)) return NULL;
        sum = xg_aff_add_scaled(&env, sum, at[k], xg_aff_scale_of(flat->results[0], xg_aff_dim(x, k)));
    }
    if (!sum || sum->kind != XG_AFF_SUM || sum->terms->of->of) return NULL; /* quotients come first */
    to = xg_imap_of_dims(x, map->n_dims, 1);
    memcpy(to->dims, map->dims, map->n_dims * sizeof *to->dims);
    to->results[0] = sum;
    return to;
}
/* Indices that one map makes of what other maps made: their place where that is a plain sum of the former, which
 * nothing sees any more once all maps are one. NULL: it is not. */
XG_FN const xg_imap *xg_kflat_at_once(xg_kmodule *m, xg_kval *const *v, const xg_ktype *tensor, const xg_imap *flat) {
    const xg_kop *op = v[0]->def;
    const xg_aff *at[XG_RANK_MAX];
    const xg_imap *map, *plain;
    uint32_t k, i;
    bool chain = false;
    for (k = 0; k < tensor->rank; k++)
        if (!v[k]->def || v[k]->def->op != XG_K_OP_APPLY || !xg_kflat_reads_alike(op, v[k]->def)) return NULL;
    map = (const xg_imap *)op->p;
    for (k = 0; k < op->n_operands; k++)
        chain = chain || (op->operands[k].value->def && op->operands[k].value->def->op == XG_K_OP_APPLY);
    if (!chain) return NULL;
    for (k = 0; k < tensor->rank; k++) at[k] = ((const xg_imap *)v[k]->def->p)->results[v[k]->index];
    plain = xg_kflat_plain(m->aff, map, at, flat);
    if (plain) return plain;
    map = xg_imap_compose(m->aff, xg_imap_with_results(m->aff, map, at, tensor->rank), flat);
    if (!xg_imap_ok(map) || map->n_dims + map->n_syms + map->n_rts != op->n_operands ||
        map->results[0]->kind != XG_AFF_SUM)
        return NULL;
    for (i = 0; i < map->results[0]->n; i++)
        if (map->results[0]->terms[i].of->kind == XG_AFF_DIV || map->results[0]->terms[i].of->kind == XG_AFF_MOD)
            return NULL;
    return map;
}
/* Replaces the indices from operand `from` on by one, through the map of the tensor's old type. */
XG_FN void xg_kflat_access(xg_kmodule *m, xg_kop *op, uint32_t from, const xg_ktype *tensor, const xg_imap *map) {
    xg_kb b = xg_kb_before(m, op);
    const xg_kop *maker = from < op->n_operands ? op->operands[from].value->def : NULL;
    xg_kval **v = XG_NEW_N(m->temp, xg_kval *, XG_MAX(op->n_operands, maker ? maker->n_operands : 0) + 1), *index;
    const xg_imap *sum;
    uint32_t k;
    for (k = from; k < op->n_operands; k++) v[k - from] = op->operands[k].value;
    sum = map && maker ? xg_kflat_at_once(m, v, tensor, map) : NULL;
    if (sum)
        for (k = 0; k < maker->n_operands; k++) v[k] = maker->operands[k].value;
    index = map ? xg_kapply(&b, sum ? sum : map, v)->results : xg_kconst_int(&b, XG_E_INDEX, 0);
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

/* The scratch of a value that changes its type keeps the old one. */
XG_APART XG_FN void xg_kflat_values(xg_kmodule *m, xg_kval *v, uint32_t n) {
    for (; n--; v++) {
        v->scratch = (void *)(uintptr_t)v->type;
        v->type = xg_kflat_type(m, v->type);
    }
}
/* Gives what reads and writes elements, too. */
XG_FN void xg_kflat_region(xg_kmodule *m, xg_kops *ops, xg_kregion *r) {
    uint32_t i;
    xg_kop *op;
    xg_kflat_values(m, r->args, r->n_args);
    for (op = r->first; op; op = op->next) {
        if (op->op == XG_K_OP_EXTRACT || op->op == XG_K_OP_INSERT) xg_push(m->temp, xg_kop *, ops, op);
        xg_kflat_values(m, op->results, op->n_results);
        for (i = 0; i < op->n_regions; i++) xg_kflat_region(m, ops, op->regions[i]);
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
        xg_kflat_region(m, &ops, f->body);
        xg_kops_collect_of(m->temp, &ops, f->body, XG_K_OP_ATOMIC_RMW, XG_K_OP_ATOMIC_RMW);
        of = XG_NEW_N(m->temp, const xg_ktype *, ops.n + 1);
        for (k = 0; k < ops.n; k++)
            of[k] = (const xg_ktype *)ops.p[k]->operands[ops.p[k]->op == XG_K_OP_INSERT].value->scratch;
        for (k = 0; k < f->n_results; k++) f->results[k] = xg_kflat_type(m, f->results[k]);
        xg_map64_init(&maps, m->temp);
        for (k = 0; k < ops.n; k++)
            if (of[k]->rank != 1) {
                xg_imap *map =
                    of[k]->rank && of[k]->elements ? (xg_imap *)xg_map64_get(&maps, of[k]->id + (uint64_t)1) : NULL;
                if (!map && of[k]->rank && of[k]->elements)
                    xg_map64_put(&maps, of[k]->id + (uint64_t)1, map = xg_kflat_map(m, of[k]));
                xg_kflat_access(m, ops.p[k], ops.p[k]->op == XG_K_OP_INSERT ? 2 : 1, of[k], map);
            }
    }
}

#endif /* XG_KIR_FLATTEN_C */
