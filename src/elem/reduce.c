/* elem/reduce.c -- reduce, one element at a time: a loop over what is reduced, in row-major order, that carries the
 * accumulators.
 *
 * The reducer runs in its own types, as HLO says, with one exception: reduce carries a plain sum of floats narrower
 * than f32 in f32 and rounds once, since a long chain of roundings would lose what a tree of partial sums (which HLO
 * allows as well) keeps. */
#ifndef XG_ELEM_REDUCE_C
#define XG_ELEM_REDUCE_C
#include "elem.h"

/* ---- folding elements into accumulators: reduce and reduce-window ---- */

XG_FN xg_fold xg_fold_begin(xg_scope *s, const xg_inst *i, xg_elem *acc, xg_kval *const *at) {
    xg_fold f;
    uint32_t k;
    f.i = i;
    f.comp = xg_attr_to_apply(i);
    f.n = i->n_operands / 2;
    f.wide = f.n == 1 && i->op == XG_REDUCE ? xg_reducer_wide(f.comp, i->shape->type) : XLAGPU_INVALID;
    f.args = XG_NEW_N(s->e->arena, xg_elem, f.n * 2 + 1);
    for (k = 0; k < f.n; k++) acc[k] = xg_elem_of(s, XG_OPERAND(i, f.n + k), at);
    if (f.wide != XLAGPU_INVALID) acc[0] = xg_elem_convert_to(s, acc[0], i->shape->type, f.wide);
    return f;
}
/* acc = reducer(acc, x), x in f->args[n..2n). */
XG_FN void xg_fold_step(xg_scope *s, xg_fold *f, xg_elem *acc) {
    uint32_t k;
    if (f->wide != XLAGPU_INVALID) {
        acc[0].v =
            xg_k2(&s->b, XG_K_OP_ADDF, acc[0].v, xg_elem_convert_to(s, f->args[1], f->i->shape->type, f->wide).v);
        return;
    }
    for (k = 0; k < f->n; k++) f->args[k] = acc[k];
    xg_elem_call_comp(s, f->comp, f->args, acc, f->n);
}
XG_FN xg_elem xg_fold_end(xg_scope *s, const xg_fold *f, xg_elem *acc) {
    if (f->wide != XLAGPU_INVALID) acc[0] = xg_elem_convert_to(s, acc[0], f->wide, f->i->shape->type);
    return f->i->shape->type == XLAGPU_TUPLE ? xg_elem_give(s, acc, f->n) : acc[0];
}

/* ---- reduce ---- */

typedef struct xg_reduce_site {
    xg_fold fold;
    const xg_imap *map;
    uint32_t rank, n;
    xg_kval *const *at;
} xg_reduce_site;

XG_FN void xg_reduce_body(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_reduce_site *d = (xg_reduce_site *)data;
    xg_kval *vars[2 * XG_RANK_MAX], *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < d->rank; k++) vars[k] = d->at[k];
    for (k = 0; k < d->n; k++) vars[d->rank + k] = at[k];
    xg_elem_apply(s, d->map, vars, idx);
    for (k = 0; k < d->fold.n; k++) d->fold.args[d->fold.n + k] = xg_elem_of(s, XG_OPERAND(d->fold.i, k), idx);
    xg_fold_step(s, &d->fold, acc);
}

XG_FN xg_elem xg_elem_reduce(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_ints dims = xg_attr_dims(i);
    const xg_shape *in = XG_OPERAND(i, 0)->shape;
    xg_elem *acc = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1);
    int64_t counts[XG_RANK_MAX];
    xg_reduce_site d;
    uint32_t k;
    d.fold = xg_fold_begin(s, i, acc, at);
    d.map = xg_indexing_operand(s->e->m->aff, i, 0);
    d.rank = xg_indexing_output_shape(i, 0)->rank;
    d.n = dims.n;
    d.at = at;
    for (k = 0; k < dims.n; k++) counts[k] = in->dims[dims.p[k]];
    xg_elem_nest(s, counts, dims.n, xg_reduce_body, &d, acc, d.fold.n);
    return xg_fold_end(s, &d.fold, acc);
}

#endif /* XG_ELEM_REDUCE_C */
