/* eval/contract.c -- ragged-dot and scaled-dot: dots whose operands come in groups of rows, or in blocks with scales.
 *
 * Both are brought to plain dots: a scale is multiplied into its operand (in double, then f32 or wider, which holds
 * every product of narrow floats exactly), a group of rows is cut out, contracted and put in place. Operands:
 * ragged-dot (lhs, rhs, group sizes), scaled-dot (lhs, rhs, lhs scale, rhs scale). */
#ifndef XG_EVAL_CONTRACT_C
#define XG_EVAL_CONTRACT_C
#include "eval.h"

/* An instruction made up to be evaluated: op over values of these shapes, with attributes of its own. */
typedef struct xg_made {
    xg_inst inst, operand[2];
    xg_use use[2];
} xg_made;

XG_FN void xg_made_dot(
    xg_eval_run *r, xg_made *m, const xg_inst *like, const xg_shape *result, const xg_shape *lhs, const xg_shape *rhs) {
    m->inst = *like;
    m->inst.op = XG_DOT;
    m->inst.shape = result;
    m->inst.n_operands = 2;
    m->inst.operands = m->use;
    m->inst.attrs = XG_NEW_N(&r->stack, xg_attr, like->n_attrs);
    if (like->n_attrs) memcpy(m->inst.attrs, like->attrs, like->n_attrs * sizeof *like->attrs);
    memset(m->use, 0, sizeof m->use);
    m->operand[0] = *XG_OPERAND(like, 0);
    m->operand[1] = *XG_OPERAND(like, 1);
    m->operand[0].shape = lhs;
    m->operand[1].shape = rhs;
    m->use[0].value = &m->operand[0];
    m->use[1].value = &m->operand[1];
}

/* ---- scaled-dot ---- */

/* v times its scale, each element of which scales a block. An f32 holds such products of 8-bit floats by powers of two;
 * else f64 does. */
XG_FN xg_value *xg_scaled_operand(xg_eval_run *r, xg_value **v, xg_value **scale) {
    const xg_shape *s = (*v)->shape, *t = (*scale)->shape;
    xg_value *wide = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)s->elements, sizeof(double))),
             *factors = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)t->elements, sizeof(double)));
    double *x = (double *)(void *)wide->data;
    const double *f = (const double *)(const void *)factors->data;
    int64_t at[XG_RANK_MAX] = {0}, strides[XG_RANK_MAX] = {0}, k;
    uint32_t d;
    xg_eval_convert_block(XLAGPU_F64, wide->data, s->type, xg_eval_dense(r, v), (size_t)s->elements);
    xg_eval_convert_block(XLAGPU_F64, factors->data, t->type, xg_eval_dense(r, scale), (size_t)t->elements);
    xg_eval_row_strides(t, strides);
    xg_eval_spend(r, s->elements);
    for (k = 0; k < s->elements; k++) {
        int64_t from = 0;
        for (d = 0; d < t->rank; d++) from += at[d] / (s->dims[d] / t->dims[d]) * strides[d];
        x[k] *= f[from];
        for (d = s->rank; d-- > 0;) {
            if (++at[d] < s->dims[d]) break;
            at[d] = 0;
        }
    }
    xg_eval_drop(r, factors);
    wide->shape = xg_shape_with_type(r->module, s, XLAGPU_F64);
    return wide;
}

XG_FN xg_value *xg_eval_scaled_dot(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_made m;
    xg_value *operands[2], *out;
    if (xg_type_class(in[0]->shape->type) != XGT_F || xg_type_class(in[1]->shape->type) != XGT_F)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "convert the operands to floats", "scales are for floats");
    operands[0] = xg_scaled_operand(r, &in[0], &in[2]);
    operands[1] = xg_scaled_operand(r, &in[1], &in[3]);
    xg_made_dot(r, &m, i, i->shape, operands[0]->shape, operands[1]->shape);
    out = xg_eval_dot(r, &m.inst, operands);
    xg_eval_drop(r, operands[0]);
    xg_eval_drop(r, operands[1]);
    xg_arena_reset(&r->stack, mark);
    return out;
}

/* jax.nn.scaled_matmul: both operands contract their last dimension; a first one of three is the batch. */
XG_FN xg_value *xg_call_block_scaled_dot(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    XG_TABLE const int64_t dims[3] = {0, 1, 2};
    XG_TABLE const xg_attr_key keys[4] = {
        XG_A_lhs_batch_dims, XG_A_rhs_batch_dims, XG_A_lhs_contracting_dims, XG_A_rhs_contracting_dims};
    const xg_shape *s = i->shape;
    uint32_t n = xg_shape_is_array(s) ? s->rank : 0, k, d;
    xg_inst dot = *i;
    if (i->n_operands != 4 || n < 2 || n > 3 || xg_type_class(s->type) != XGT_F) return NULL;
    for (k = 0; k < 4; k++) {
        const xg_shape *t = in[k]->shape, *of = in[k & 1]->shape;
        if (xg_type_class(t->type) != XGT_F || t->rank != n || t->dims[n - 1] > of->dims[n - 1] ||
            in[0]->shape->dims[n - 1] != of->dims[n - 1])
            return NULL;
        for (d = 0; d < n; d++)
            if (t->dims[d] != of->dims[d] && (t->dims[d] <= 0 || of->dims[d] % t->dims[d])) return NULL;
        if ((n == 3 && of->dims[0] != s->dims[0]) || of->dims[n - 2] != s->dims[n - 2 + (k & 1)]) return NULL;
    }
    dot.attrs = NULL;
    dot.n_attrs = 0;
    for (k = n == 3 ? 0 : 2; k < 4; k++) xg_inst_set_ints(&dot, keys[k], k < 2 ? dims : dims + n - 1, 1);
    return xg_eval_scaled_dot(r, &dot, in);
}

/* ---- ragged-dot ---- */

/* A box [from, from + dims) of v as a value of its own. */
XG_FN xg_value *xg_ragged_cut(xg_eval_run *r, xg_value **v, const int64_t *from, const int64_t *dims) {
    const xg_shape *s = (*v)->shape;
    const unsigned char *data = xg_eval_dense(r, v);
    xg_value *out = xg_eval_new(r, xg_shape_plain(r->module, s->type, dims, s->rank));
    xg_strided c;
    uint32_t d;
    c.rank = s->rank;
    c.bytes = (size_t)xg_type_bytes(s->type);
    xg_eval_row_strides(out->shape, c.to);
    xg_eval_row_strides(s, c.from);
    for (d = 0; d < c.rank; d++) {
        c.dims[d] = dims[d];
        data += (size_t)(from[d] * c.from[d]) * c.bytes;
    }
    if (out->shape->elements) xg_eval_copy(&c, out->data, data);
    return out;
}

/* Where a ragged dimension stands among the dimensions that group sizes may depend on, and how big everything is. */
typedef struct xg_ragged {
    xg_ints lc, rc, lb, rb, prefix; /* prefix: dimensions of lhs that lead the group sizes */
    uint32_t dim, group_dim;        /* ragged dimension of lhs; group dimension of rhs */
    bool contracting, batch;
    int64_t groups;
} xg_ragged;

XG_APART XG_FN void xg_ragged_of(xg_eval_run *r, const xg_inst *i, const xg_value *sizes, xg_ragged *g) {
    int64_t *prefix = XG_NEW_N(&r->stack, int64_t, XG_RANK_MAX);
    uint32_t n = 0, k;
    g->lc = xg_attr_ints(i, XG_A_lhs_contracting_dims);
    g->rc = xg_attr_ints(i, XG_A_rhs_contracting_dims);
    g->lb = xg_attr_ints(i, XG_A_lhs_batch_dims);
    g->rb = xg_attr_ints(i, XG_A_rhs_batch_dims);
    g->dim = (uint32_t)xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0];
    g->contracting = xg_ints_has(g->lc, g->dim);
    g->batch = xg_ints_has(g->lb, g->dim);
    g->group_dim = g->contracting || g->batch ? 0 : (uint32_t)xg_attr_ints(i, XG_A_rhs_group_dims).p[0];
    g->groups = sizes->shape->dims[sizes->shape->rank - 1];
    for (k = 0; k < g->lb.n && g->lb.p[k] != g->dim; k++) prefix[n++] = g->lb.p[k];
    if (g->contracting)
        for (k = 0; k < g->lc.n && g->lc.p[k] != g->dim; k++) prefix[n++] = g->lc.p[k];
    if (!g->contracting && !g->batch)
        for (k = 0; k < g->dim; k++)
            if (!xg_ints_has(g->lc, k) && !xg_ints_has(g->lb, k)) prefix[n++] = k;
    g->prefix.p = prefix;
    g->prefix.n = sizes->shape->rank > 1 ? n : 0;
    for (k = 0; k < g->prefix.n; k++)
        if (xg_ints_has(g->lc, prefix[k]))
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "make it a batch dimension, then add up",
                "group sizes that depend on a contracted dimension are not evaluated");
}

/* The dimension of rhs that is paired with dimension d of lhs; -1: a free one. */
XG_FN int64_t xg_ragged_partner(const xg_ragged *g, int64_t d) {
    uint32_t k;
    for (k = 0; k < g->lc.n; k++)
        if (g->lc.p[k] == d) return g->rc.p[k];
    for (k = 0; k < g->lb.n; k++)
        if (g->lb.p[k] == d) return g->rb.p[k];
    return -1;
}
/* The dimension of the dot's result that a batch or free dimension of lhs becomes. */
XG_FN uint32_t xg_ragged_result_dim(const xg_ragged *g, int64_t d) {
    uint32_t k, n = 0;
    for (k = 0; k < g->lb.n; k++)
        if (g->lb.p[k] == d) return k;
    for (k = 0; k < (uint32_t)d; k++)
        if (!xg_ints_has(g->lc, k) && !xg_ints_has(g->lb, k)) n++;
    return g->lb.n + n;
}

/* Group sizes at one place of the prefix: rows [start, start + size) of each group in turn. */
XG_APART XG_FN void xg_ragged_place(xg_eval_run *r, const xg_inst *i, const xg_ragged *g, xg_value **in, xg_value *out,
    const int64_t *at, int64_t sizes_at) {
    const xg_shape *l = in[0]->shape, *rs = in[1]->shape;
    int64_t lf[XG_RANK_MAX] = {0}, ld[XG_RANK_MAX], rf[XG_RANK_MAX] = {0}, rd[XG_RANK_MAX], of[XG_RANK_MAX] = {0},
            od[XG_RANK_MAX], group, start = 0;
    uint32_t k, d, lead = g->contracting ? 1 : 0;
    for (d = 0; d < l->rank; d++) ld[d] = l->dims[d];
    for (d = 0; d < rs->rank; d++) rd[d] = rs->dims[d];
    for (d = 0; d < out->shape->rank; d++) od[d] = out->shape->dims[d];
    for (k = 0; k < g->prefix.n; k++) {
        int64_t p = xg_ragged_partner(g, g->prefix.p[k]);
        lf[g->prefix.p[k]] = at[k];
        ld[g->prefix.p[k]] = 1;
        if (p >= 0) {
            rf[p] = at[k];
            rd[p] = 1;
        }
        if (!xg_ints_has(g->lc, g->prefix.p[k])) {
            d = lead + xg_ragged_result_dim(g, g->prefix.p[k]);
            of[d] = at[k];
            od[d] = 1;
        }
    }
    for (group = 0; group < g->groups; group++) {
        int64_t size = xg_eval_int_at(in[2], sizes_at + group), p = xg_ragged_partner(g, g->dim), dims[XG_RANK_MAX];
        xg_value *operands[2], *part;
        xg_made m;
        xg_strided c;
        if (size < 0 || size > l->dims[g->dim] - start)
            xg_hlo_wrong(i, "group %lld has %lld of %lld rows", (long long)group, (long long)size,
                (long long)(l->dims[g->dim] - start));
        lf[g->dim] = start;
        ld[g->dim] = size;
        if (p >= 0) {
            rf[p] = start;
            rd[p] = size;
        }
        if (!g->contracting && !g->batch) {
            rf[g->group_dim] = group;
            rd[g->group_dim] = 1;
        }
        operands[0] = xg_ragged_cut(r, &in[0], lf, ld);
        operands[1] = xg_ragged_cut(r, &in[1], rf, rd);
        if (!g->contracting && !g->batch) { /* the group dimension is gone from the matrix */
            for (k = d = 0; d < rs->rank; d++)
                if (d != g->group_dim) dims[k++] = rd[d];
            part = xg_eval_share(r, xg_shape_plain(r->module, rs->type, dims, k), operands[1]);
            xg_eval_drop(r, operands[1]);
            operands[1] = part;
        }
        if (g->contracting) {
            of[0] = group;
            od[0] = 1;
        } else {
            d = xg_ragged_result_dim(g, g->dim);
            of[d] = start;
            od[d] = size;
        }
        for (d = 0; d + lead < out->shape->rank; d++) dims[d] = od[d + lead];
        xg_made_dot(r, &m, i, xg_shape_plain(r->module, out->shape->type, dims, out->shape->rank - lead),
            operands[0]->shape, operands[1]->shape);
        if (!g->contracting && !g->batch) {
            xg_attr_key keys[2] = {XG_A_rhs_contracting_dims, XG_A_rhs_batch_dims};
            for (k = 0; k < 2; k++) {
                xg_ints old = k ? g->rb : g->rc;
                for (d = 0; d < old.n; d++) dims[d] = old.p[d] - (old.p[d] > (int64_t)g->group_dim);
                if (old.n) xg_inst_set_ints(&m.inst, keys[k], dims, old.n);
            }
        }
        part = xg_eval_dot(r, &m.inst, operands);
        c.rank = out->shape->rank;
        c.bytes = (size_t)xg_type_bytes(out->shape->type);
        xg_eval_row_strides(out->shape, c.to);
        c.from[0] = 0;
        xg_eval_row_strides(part->shape, c.from + lead);
        for (p = 0, d = 0; d < c.rank; d++) {
            c.dims[d] = od[d];
            p += of[d] * c.to[d];
        }
        if (part->shape->elements) xg_eval_copy(&c, out->data + (size_t)p * c.bytes, part->data);
        xg_eval_drop(r, part);
        xg_eval_drop(r, operands[0]);
        xg_eval_drop(r, operands[1]);
        start += size;
    }
}

/* Rows after the last group give zeros. */
XG_FN xg_value *xg_eval_ragged_dot(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value *out = xg_eval_zero(r, i->shape);
    int64_t at[XG_RANK_MAX] = {0}, sizes_at = 0;
    xg_ragged g;
    uint32_t k;
    xg_ragged_of(r, i, in[2], &g);
    for (k = 0; k < g.prefix.n; k++)
        if (!in[0]->shape->dims[g.prefix.p[k]]) {
            xg_arena_reset(&r->stack, mark);
            return out;
        }
    for (;;) {
        xg_mark inner = xg_arena_mark(&r->stack);
        xg_ragged_place(r, i, &g, in, out, at, sizes_at);
        xg_arena_reset(&r->stack, inner);
        sizes_at += g.groups;
        for (k = g.prefix.n; k-- > 0;) {
            if (++at[k] < in[0]->shape->dims[g.prefix.p[k]]) break;
            at[k] = 0;
        }
        if (k == UINT32_MAX) break;
    }
    xg_arena_reset(&r->stack, mark);
    return out;
}

#endif /* XG_EVAL_CONTRACT_C */
