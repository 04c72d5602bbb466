/* sched/dnn_attention.c -- attention that cuDNN makes: a fusion of attention_pass.c as a graph of its operations.
 *
 * Taken is softmax(scale Q K + bias, masked above the diagonal) V of bf16 or f16, all but Q, K, V, bias and result in
 * f32, with the weights rounded once, behind their division by the sum: as the library's kernels have it. Scale, bias
 * and mask may be missing. Queries of several heads may share keys and values.
 *
 * The library's arrays have four dimensions: batch, head, position, lane, each with a stride. Where elements lie is
 * read off the maps of the stages (attention_form.c): batch and rows are split into the dimensions of the second dot,
 * and in each of these every array must have one stride. */
#ifndef XG_SCHED_DNN_ATTENTION_C
#define XG_SCHED_DNN_ATTENTION_C
#include "attention_form.c"
#include "attention_mask.c"
#include "library.h"
#include "../expand/dnn.h"

/* Of the rate of matrix units. The figures are from the maker's own table of cuDNN 9.19 on an H200, bf16, 64 heads of
 * 128 lanes, 8 of keys: github.com/NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training/results/
 * h200_919_only_cudnn. */
enum {
    XG_SDPA_PERMILLE = 846,  /* 702 TFLOP/s of 16384 rows and keys without mask, of 829.5 that cost/device.c has held */
    XG_SDPA_ENDS_KEYS = 200, /* a block's way in and out, as so many keys more: 633 TFLOP/s of 2048, 671 of 4096 */
    XG_SDPA_CAUSAL_KEYS = 190, /* ... and what it does beyond the diagonal: 484 of 2048, 591 of 4096, 644 of 8192 */
    /* Of our plan's formula, which is made to compare our own forms: what --emit=times predicts of the kernel on an
     * H100, 64 heads of 128 lanes: 214 of 167 us and 12.7 of 9.94 ms without mask, 138 of 98 us and 7.07 of 5.01 ms
     * with it. */
    XG_SDPA_OWN_PERMILLE = 1280,
    XG_SDPA_OWN_MASKED_PERMILLE = 1410,
    XG_SDPA_ROWS = 128,       /* of a block */
    XG_SDPA_CC = 80,          /* compute capability that it needs */
    XG_SDPA_ALIGN = 8,        /* lanes: 16 bytes */
    XG_SDPA_LANES_WIDE = 256, /* of a head from sm_90 on */
    XG_SDPA_LANES = 128,      /* ... and before */
    XG_SDPA_DEPTH = 16,       /* operations one behind the other that make a place */
    XG_SDPA_VARS = 8          /* dimensions that batch and rows are split into */
};
/* X(NAME): the arrays. */
enum {
    XG_SDPA_Q,
    XG_SDPA_K,
    XG_SDPA_V,
    XG_SDPA_O,
    XG_SDPA_BIAS,
    XG_SDPA_ARRAYS
};
typedef struct xg_sdpa_var {
    int64_t size, stride[XG_SDPA_ARRAYS];
    bool shared; /* keys and values are the same for all of it */
} xg_sdpa_var;
typedef struct xg_sdpa {
    xg_attention_form *f;
    xg_arena *arena;
    xg_aff_ctx *x;
    const char *why; /* not; NULL: it is taken */
    double scale, masked;
    const xg_aff *bound; /* of the five numbers: it is negative where scores are masked; NULL: they are not */
    const xg_inst *array[XG_SDPA_ARRAYS];  /* parameters, and the result; NULL: no bias */
    const xg_imap *offset[XG_SDPA_ARRAYS]; /* of the five numbers */
    int64_t lanes[XG_SDPA_ARRAYS];         /* that the last of the five numbers counts */
    /* what the library is told */
    int64_t batch, heads, groups, rows; /* groups: heads that share keys */
    int64_t stride[XG_SDPA_ARRAYS][4];
} xg_sdpa;

XG_ONE_COPY XG_FN bool xg_sdpa_not(xg_sdpa *s, const char *why) {
    if (!s->why) s->why = why;
    return false;
}

/* ---- the formula ---- */

XG_FN xg_inst *xg_sdpa_peel(xg_inst *i) {
    while (xg_attention_moves(i) || (i->op == XG_CONVERT && XG_OPERAND(i, 0)->shape->type == i->shape->type))
        i = XG_OPERAND(i, 0);
    return i;
}
/* Of a row's number, spread along the row. */
XG_FN bool xg_sdpa_is_spread(xg_inst *i, const xg_inst *of) {
    while (xg_attention_moves(i) || i->op == XG_BROADCAST) i = XG_OPERAND(i, 0);
    return i == of;
}
/* convert(exp(s - max) / sum), the scores' maximum and the sum themselves. */
XG_FN bool xg_sdpa_softmax(xg_sdpa *s) {
    const xg_attention *a = &s->f->match;
    xg_inst *w = xg_sdpa_peel(XG_OPERAND(a->out_dot, a->weights));
    if (!a->sum || !xg_sdpa_is_spread(XG_OPERAND(a->difference, 1), a->max) || XG_OPERAND(a->exp, 0) != a->difference ||
        a->exp->shape->type != XLAGPU_F32 || XG_OPERAND(a->sum, 0) != a->exp)
        return xg_sdpa_not(s, "it is no softmax as cuDNN has it");
    if (w->op != XG_CONVERT || w->shape->type != s->f->held)
        return xg_sdpa_not(s, "its weights are not rounded as cuDNN's are");
    w = xg_sdpa_peel(XG_OPERAND(w, 0));
    if (w->op != XG_DIVIDE || xg_sdpa_peel(XG_OPERAND(w, 0)) != a->exp || !xg_sdpa_is_spread(XG_OPERAND(w, 1), a->sum))
        return xg_sdpa_not(s, "its weights are not divided by their sum alone");
    return true;
}
/* x - y, or 1 less, which is not negative where the comparison says `holds`. */
XG_FN bool xg_sdpa_bound(xg_sdpa *s, xg_attention_site *w, const xg_inst *compare, const xg_imap *map, bool holds) {
    static const char directions[][3] = {"GE", "LT", "GT", "LE"}; /* each with its opposite behind it */
    xg_str direction = xg_attr_str(compare, XG_A_direction);
    xg_attention_integer v;
    int64_t sign;
    uint32_t k;
    for (k = 0; k < XG_COUNT(directions) && !xg_str_is(direction, directions[k]); k++) {}
    if (k == XG_COUNT(directions)) return false;
    if (!holds) k ^= 1;
    sign = k == 0 || k == 2 ? 1 : -1;
    memset(&v, 0, sizeof v);
    v.e = xg_aff_const(w->x, k == 1 || k == 2 ? -1 : 0);
    if (!xg_attention_integer_of(w, XG_OPERAND(compare, 0), map, sign, XG_SDPA_DEPTH, &v) ||
        !xg_attention_integer_of(w, XG_OPERAND(compare, 1), map, -sign, XG_SDPA_DEPTH, &v) || v.n)
        return false;
    s->bound = v.e;
    return true;
}
/* A selection between scores and a number by a comparison of places. */
XG_FN bool xg_sdpa_mask(xg_sdpa *s, xg_attention_site *w, const xg_inst *i, const xg_imap *map, uint32_t *next) {
    const xg_inst *c = XG_OPERAND(i, 0);
    *next = xg_attention_masked(i);
    map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, 0));
    for (; xg_attention_moves(c) || c->op == XG_BROADCAST; c = XG_OPERAND(c, 0))
        map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, c, 0));
    if (s->bound || c->op != XG_COMPARE || !xg_attention_constant(XG_OPERAND(i, 3 - *next), &s->masked) ||
        s->scale != 1 || s->array[XG_SDPA_BIAS] || !xg_sdpa_bound(s, w, c, map, *next == 1))
        return xg_sdpa_not(s, "its mask is not that above the diagonal");
    return true;
}
/* Offset of the parameter's elements by the five numbers, at which `map` leads to i; false: it is computed. */
XG_FN bool xg_sdpa_place(xg_sdpa *s, xg_attention_site *w, uint32_t array, const xg_inst *i, const xg_imap *map) {
    const xg_inst *from;
    for (from = i; from->op != XG_PARAMETER; from = XG_OPERAND(from, 0))
        if (!xg_attention_moves(from) && from->op != XG_BROADCAST && from->op != XG_SLICE &&
            !(from->op == XG_CONVERT && xg_tile_holds(XG_OPERAND(from, 0)->shape->type, from->shape->type)))
            return xg_sdpa_not(s, "an operand of it is computed");
    from = xg_attention_source(w, i, &map);
    if (!from || !xg_index_has_order(from->shape)) return xg_sdpa_not(s, "an operand of it has no plain layout");
    s->array[array] = from;
    s->offset[array] = xg_indexing_flatten(w->x, map, from->shape);
    return xg_imap_ok(s->offset[array]) || xg_sdpa_not(s, "an operand of it has no plain layout");
}
XG_FN bool xg_sdpa_bias(xg_sdpa *s, xg_attention_site *w, const xg_inst *i, const xg_imap *map, uint32_t *next) {
    uint32_t with;
    *next = xg_attention_depends(XG_OPERAND(i, 0), s->f->match.scores_dot) ? 0 : 1;
    with = 1 - *next;
    if (s->array[XG_SDPA_BIAS] || s->scale != 1) return xg_sdpa_not(s, "more than a bias is added to its scores");
    map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, with));
    if (!xg_sdpa_place(s, w, XG_SDPA_BIAS, XG_OPERAND(i, with), map)) return false;
    return s->array[XG_SDPA_BIAS]->shape->type == s->f->held || s->array[XG_SDPA_BIAS]->shape->type == XLAGPU_F32 ||
           xg_sdpa_not(s, "its bias is of another type");
}
XG_FN bool xg_sdpa_scale(xg_sdpa *s, const xg_inst *i, uint32_t *next) {
    double v;
    *next = i->op == XG_MULTIPLY && xg_attention_uniform(XG_OPERAND(i, 0)) ? 1 : 0;
    if (!xg_attention_constant(XG_OPERAND(i, 1 - *next), &v) || s->scale != 1)
        return xg_sdpa_not(s, "its scores are multiplied by more than one number");
    s->scale = i->op == XG_DIVIDE ? 1 / v : v;
    return true;
}
/* From the scores to the first dot: a mask, a bias, a scale, in this order. */
XG_FN bool xg_sdpa_scores(xg_sdpa *s, xg_attention_site *w) {
    const xg_inst *i = s->f->stages[XG_ATTENTION_SCORES].root;
    const xg_imap *map = s->f->stages[XG_ATTENTION_SCORES].map;
    xg_attention_count(w, 1, 1);
    while (i != s->f->match.scores_dot) {
        uint32_t next = 0;
        bool taken = i->op == XG_SELECT                           ? xg_sdpa_mask(s, w, i, map, &next)
                     : i->op == XG_ADD                            ? xg_sdpa_bias(s, w, i, map, &next)
                     : i->op == XG_MULTIPLY || i->op == XG_DIVIDE ? xg_sdpa_scale(s, i, &next)
                                                                  : xg_attention_moves(i);
        if (!taken) return xg_sdpa_not(s, "its scores are another function of the products than cuDNN has");
        map = xg_imap_compose(w->x, map, xg_indexing_operand(w->x, i, next));
        i = XG_OPERAND(i, next);
        if (i->shape->type != XLAGPU_F32) return xg_sdpa_not(s, "its scores are rounded");
    }
    return true;
}
XG_FN bool xg_sdpa_result(xg_sdpa *s, xg_attention_site *w) {
    const xg_attention_stage *stage = &s->f->stages[XG_ATTENTION_RESULT];
    const xg_inst *i = stage->root;
    if (s->f->n_stats) return xg_sdpa_not(s, "the maximum or sum of its rows is read");
    for (; i != s->f->match.out_dot; i = XG_OPERAND(i, 0))
        if (!xg_attention_moves(i) && i->op != XG_CONVERT) return xg_sdpa_not(s, "more is done to its result");
    if (stage->root->shape->type != s->f->held || !xg_index_has_order(stage->root->shape))
        return xg_sdpa_not(s, "its result is of another type or layout");
    s->array[XG_SDPA_O] = stage->root;
    s->lanes[XG_SDPA_O] = 1;
    s->offset[XG_SDPA_O] = xg_indexing_flatten(w->x, stage->map, stage->root->shape);
    return xg_imap_ok(s->offset[XG_SDPA_O]) || xg_sdpa_not(s, "its result is of another type or layout");
}
XG_FN bool xg_sdpa_operands(xg_sdpa *s, xg_attention_site *w) {
    uint32_t k;
    for (k = XG_SDPA_Q; k <= XG_SDPA_V; k++) {
        xg_attention_stage *stage = &s->f->stages[XG_ATTENTION_QUERY + k];
        xg_attention_count(w, k == XG_SDPA_V ? s->f->columns : s->f->depth, stage->lanes);
        s->lanes[k] = stage->lanes;
        if (!xg_sdpa_place(s, w, k, stage->root, stage->map)) return false;
        if (s->array[k]->shape->type != s->f->held) return xg_sdpa_not(s, "an operand of it is of another type");
    }
    return true;
}

/* ---- dimensions ---- */

/* Batch and rows as products of dimensions, outermost first; after them key, vector and lane are counted. */
typedef struct xg_sdpa_split {
    int64_t size[XG_SDPA_VARS];
    uint32_t batch, n; /* of the batch; of both */
} xg_sdpa_split;

/* To the five numbers, in the ranges that `to` has. */
XG_FN const xg_imap *xg_sdpa_numbers(const xg_sdpa *s, const xg_sdpa_split *p, const xg_imap *to) {
    xg_imap *m = xg_imap_of_dims(s->x, p->n + 3, XG_ATTENTION_DIMS);
    uint32_t k;
    m->results[XG_ATTENTION_BATCH] = m->results[XG_ATTENTION_ROW] = xg_aff_const(s->x, 0);
    for (k = 0; k < p->n; k++) {
        const xg_aff **whole = &m->results[k < p->batch ? XG_ATTENTION_BATCH : XG_ATTENTION_ROW];
        m->dims[k].range = xg_range_of(0, p->size[k] - 1);
        *whole = xg_aff_add_mul(s->x, xg_aff_dim(s->x, k), *whole, p->size[k]);
    }
    for (k = 0; k < 3; k++) {
        m->dims[p->n + k].range = to->dims[XG_ATTENTION_KEY + k].range;
        m->results[XG_ATTENTION_KEY + k] = xg_aff_dim(s->x, p->n + k);
    }
    return xg_imap_simplify(s->x, m);
}
/* The stride of each dimension; false: the offset is no sum of them. Dimensions of 1 have 0. */
XG_FN bool xg_sdpa_strides(const xg_sdpa *s, const xg_sdpa_split *p, const xg_imap *offset, int64_t *strides) {
    const xg_imap *m = xg_imap_compose(s->x, xg_sdpa_numbers(s, p, offset), offset);
    const xg_aff *rest;
    uint32_t k;
    if (!xg_imap_ok(m) || m->n_constraints || m->n_syms + m->n_rts) return false;
    rest = m->results[0];
    for (k = 0; k < p->n + 3; k++) {
        const xg_aff *dim = xg_aff_dim(s->x, k);
        if (!xg_indexing_stride(m->results[0], dim, &strides[k])) return false;
        rest = xg_aff_sub(s->x, rest, xg_aff_mul(s->x, dim, strides[k]));
    }
    return rest == xg_aff_const(s->x, 0);
}
/* The mask lets a row have the keys up to its own place along dimension `at`. */
XG_FN bool xg_sdpa_is_diagonal(const xg_sdpa *s, const xg_sdpa_split *p, uint32_t at) {
    xg_imap *bound;
    const xg_imap *m;
    uint32_t k;
    if (!s->bound) return true;
    bound = xg_imap_of_dims(s->x, XG_ATTENTION_DIMS, 1);
    bound->dims[XG_ATTENTION_BATCH].range = xg_range_of(0, s->f->batch - 1);
    bound->dims[XG_ATTENTION_ROW].range = xg_range_of(0, s->f->rows - 1);
    bound->dims[XG_ATTENTION_KEY].range = xg_range_of(0, s->f->keys - 1);
    for (k = XG_ATTENTION_VECTOR; k < XG_ATTENTION_DIMS; k++) bound->dims[k].range = xg_range_of(0, 0);
    bound->results[0] = s->bound;
    m = xg_imap_compose(s->x, xg_sdpa_numbers(s, p, bound), xg_imap_simplify(s->x, bound));
    return xg_imap_ok(m) && m->results[0] == xg_aff_sub(s->x, xg_aff_dim(s->x, at), xg_aff_dim(s->x, p->n));
}
/* Neighbours that lie in all arrays as one dimension would. */
XG_FN bool xg_sdpa_joins(const xg_sdpa_var *outer, const xg_sdpa_var *inner) {
    uint32_t k;
    for (k = 0; k < XG_SDPA_ARRAYS; k++)
        if (outer->stride[k] != inner->stride[k] * inner->size) return false;
    return outer->shared == inner->shared;
}
XG_FN uint32_t xg_sdpa_joined(xg_sdpa_var *v, uint32_t n) {
    uint32_t k, to = 0;
    for (k = 0; k < n; k++) {
        if (to && xg_sdpa_joins(&v[to - 1], &v[k])) {
            int64_t size = v[to - 1].size * v[k].size;
            v[to - 1] = v[k];
            v[to - 1].size = size;
        } else
            v[to++] = v[k];
    }
    return to;
}
/* Batches and heads of what is left; heads that share keys are innermost. */
XG_FN bool xg_sdpa_heads(xg_sdpa *s, xg_sdpa_var *v, uint32_t n) {
    xg_sdpa_var none, *batch = &none, *keys = &none, *group = &none;
    uint32_t k, own;
    memset(&none, 0, sizeof none);
    none.size = 1;
    for (own = 0; own < n && !v[own].shared; own++) {}
    if (own > 2 || n - own > 1) return false;
    if (own < n) group = &v[own];
    if (own == 2) batch = &v[0];
    if (own) keys = &v[own - 1];
    if (own == 1 && own < n) { /* else it is the batch, of heads that all share their keys */
        bool apart = false;
        for (k = 0; k < XG_SDPA_ARRAYS; k++)
            if (k != XG_SDPA_K && k != XG_SDPA_V) apart |= keys->stride[k] != group->stride[k] * group->size;
        if (apart) {
            batch = keys;
            keys = &none;
        }
    }
    s->batch = batch->size;
    s->groups = group->size;
    s->heads = keys->size * group->size;
    for (k = 0; k < XG_SDPA_ARRAYS; k++) {
        bool fewer = k == XG_SDPA_K || k == XG_SDPA_V || group->size == 1;
        if (!fewer && keys->size > 1 && keys->stride[k] != group->stride[k] * group->size) return false;
        s->stride[k][0] = batch->stride[k];
        s->stride[k][1] = fewer ? keys->stride[k] : group->stride[k];
    }
    return true;
}
/* Dimension `rows` is that of positions, all others are of batches and heads. */
XG_FN bool xg_sdpa_settle(xg_sdpa *s, const xg_sdpa_split *p, int64_t (*strides)[XG_SDPA_VARS + 3], uint32_t rows) {
    xg_sdpa_var v[XG_SDPA_VARS];
    uint32_t k, j, n = 0, pass;
    for (pass = 0; pass < 2; pass++)
        for (k = 0; k < p->n; k++) {
            bool shared = !strides[XG_SDPA_K][k] && !strides[XG_SDPA_V][k];
            if (k == rows || p->size[k] == 1 || shared != (pass == 1)) continue;
            v[n].size = p->size[k];
            v[n].shared = shared;
            for (j = 0; j < XG_SDPA_ARRAYS; j++) v[n].stride[j] = strides[j][k];
            n++;
        }
    if (!xg_sdpa_heads(s, v, xg_sdpa_joined(v, n))) return false;
    s->rows = rows < p->n ? p->size[rows] : 1;
    for (j = 0; j < XG_SDPA_ARRAYS; j++) {
        bool keys = j == XG_SDPA_K || j == XG_SDPA_V;
        s->stride[j][2] = keys ? strides[j][p->n] : rows < p->n ? strides[j][rows] : 0;
        s->stride[j][3] = j == XG_SDPA_BIAS ? strides[j][p->n] : strides[j][p->n + (s->lanes[j] > 1 ? 2 : 1)];
        if (rows < p->n && keys && strides[j][rows]) return false;
    }
    return true;
}
XG_FN bool xg_sdpa_fits(xg_sdpa *s, const xg_sdpa_split *p) {
    int64_t strides[XG_SDPA_ARRAYS][XG_SDPA_VARS + 3];
    uint32_t k;
    memset(strides, 0, sizeof strides);
    for (k = 0; k < XG_SDPA_ARRAYS; k++)
        if (s->array[k] && !xg_sdpa_strides(s, p, s->offset[k], strides[k])) return false;
    for (k = p->batch; k < p->n; k++)
        if (xg_sdpa_is_diagonal(s, p, k) && xg_sdpa_settle(s, p, strides, k)) return true;
    return false;
}
/* The same with one dimension as two, of sizes that an array has; what was merged before comes apart so. */
XG_FN bool xg_sdpa_fits_split(xg_sdpa *s, const xg_sdpa_split *p, int64_t by) {
    uint32_t k, j;
    for (k = 0; k < p->n && p->n < XG_SDPA_VARS; k++) {
        xg_sdpa_split two = *p;
        if (by <= 1 || by >= p->size[k] || p->size[k] % by) continue;
        for (j = two.n++; j > k; j--) two.size[j] = two.size[j - 1];
        two.batch += k < p->batch;
        two.size[k] = p->size[k] / by;
        two.size[k + 1] = by;
        if (xg_sdpa_fits(s, &two)) return true;
        two.size[k] = by;
        two.size[k + 1] = p->size[k] / by;
        if (xg_sdpa_fits(s, &two)) return true;
    }
    return false;
}
XG_FN bool xg_sdpa_dimensions(xg_sdpa *s) {
    const xg_tile_form *out = &s->f->dots[1];
    const xg_tile_group *g[2];
    xg_sdpa_split p;
    uint32_t k, j;
    memset(&p, 0, sizeof p);
    g[0] = &out->group[XG_TILE_B];
    g[1] = &out->group[out->operand[0] == s->f->match.weights ? XG_TILE_M : XG_TILE_N];
    if (g[0]->n + g[1]->n + 1 > XG_SDPA_VARS) return xg_sdpa_not(s, "it has too many dimensions");
    for (k = 0; k < 2; k++) {
        for (j = 0; j < g[k]->n; j++) p.size[p.n++] = g[k]->axes[j].extent;
        if (k && p.n == p.batch) p.size[p.n++] = 1;
        if (!k) p.batch = p.n;
    }
    if (xg_sdpa_fits(s, &p)) return true;
    for (k = 0; k < XG_SDPA_ARRAYS; k++)
        for (j = 0; s->array[k] && j < s->array[k]->shape->rank; j++)
            if (xg_sdpa_fits_split(s, &p, s->array[k]->shape->dims[j])) return true;
    s->bound = NULL; /* to say which of the two it is */
    return xg_sdpa_not(s, xg_sdpa_fits(s, &p) ? "its mask is not that above the diagonal"
                                              : "its arrays do not lie as batch, head, position and lane");
}
/* What the library asks of arrays. */
XG_FN bool xg_sdpa_is_aligned(xg_sdpa *s, const xg_device *d) {
    int64_t most = d->cc / 10 == 9 || d->cc / 10 == 10 ? XG_SDPA_LANES_WIDE : XG_SDPA_LANES;
    uint32_t k, j;
    if (d->cc < XG_SDPA_CC || s->f->depth % XG_SDPA_ALIGN || s->f->columns % XG_SDPA_ALIGN || s->f->depth > most ||
        s->f->columns > most)
        return xg_sdpa_not(s, "cuDNN has no head of so many lanes on this target");
    for (k = XG_SDPA_Q; k <= XG_SDPA_O; k++) {
        if (s->stride[k][3] != 1) return xg_sdpa_not(s, "the lanes of its heads do not lie side by side");
        for (j = 0; j < 3; j++)
            if (s->stride[k][j] % XG_SDPA_ALIGN) return xg_sdpa_not(s, "its rows are not aligned to 16 bytes");
        for (j = 0; j < k; j++)
            if (s->array[j] == s->array[k]) return xg_sdpa_not(s, "two of its operands are one array");
    }
    return true;
}
/* Of a form that xg_attention_form_of has made; else s->why says why not. */
XG_FN bool xg_sdpa_of(xg_sdpa *s, xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_device *d) {
    xg_attention_site w;
    memset(s, 0, sizeof *s);
    memset(&w, 0, sizeof w);
    s->f = w.f = f;
    s->arena = w.arena = a;
    s->x = w.x = x;
    s->scale = 1;
    if (f->sum != XLAGPU_F32 || (f->held != XLAGPU_F16 && f->held != XLAGPU_BF16) || f->rows > INT32_MAX ||
        f->keys > INT32_MAX || f->batch > INT32_MAX)
        return xg_sdpa_not(s, "it is not of f16 or bf16");
    return xg_sdpa_softmax(s) && xg_sdpa_operands(s, &w) && xg_sdpa_scores(s, &w) && xg_sdpa_result(s, &w) &&
           xg_sdpa_dimensions(s) && xg_sdpa_is_aligned(s, d);
}

/* ---- time ---- */

/* Picoseconds: tiles of rows over the multiprocessors, or all arrays once, if that takes longer. */
XG_FN int64_t xg_sdpa_time(const xg_sdpa *s, const xg_device *d) {
    double keys = (double)s->f->keys, tiles, macs, rate, moved;
    double blocks = (double)s->batch * (double)s->heads * (double)xg_tile_over(s->rows, XG_SDPA_ROWS);
    double heads = (double)s->batch * (double)s->heads, lanes = (double)(s->f->depth + s->f->columns);
    if (s->bound) /* row r has the first r + 1 keys */
        keys = XG_MIN((double)s->rows, keys) / 2 + (double)XG_SDPA_CAUSAL_KEYS +
               (s->rows > s->f->keys ? keys * (double)(s->rows - s->f->keys) / (double)s->rows / 2 : 0);
    keys += (double)XG_SDPA_ENDS_KEYS;
    tiles = ceil(blocks / (double)XG_MAX((int64_t)d->sm_count, (int64_t)1));
    tiles = blocks < (double)d->sm_count ? tiles : blocks / (double)d->sm_count; /* blocks end one by one */
    macs = tiles * (double)XG_SDPA_ROWS * keys * lanes;
    rate = (double)xg_cost_tensor_rate(d, XG_TENSOR_F16) * (double)XG_SDPA_PERMILLE / 1000 *
           (double)XG_MAX(d->tensor_mhz ? d->tensor_mhz : d->clock_mhz, (int64_t)1);
    moved = xg_cost_moved(d, heads * lanes * ((double)s->rows + (double)s->f->keys / (double)s->groups) * 2);
    return (int64_t)XG_MIN(XG_MAX(macs / rate * 1e6, moved), 9e17) + (int64_t)XG_DNN_LAUNCH_NS * 1000;
}

XG_FN int64_t xg_dnn_attention_own(const xg_attention_plan *p) {
    return xg_cost_scale(
        p->picoseconds, p->bounded ? XG_SDPA_OWN_MASKED_PERMILLE : XG_SDPA_OWN_PERMILLE, (int64_t)1000);
}

/* ---- the graph ---- */

XG_FN int64_t xg_sdpa_array(const xg_sdpa *s, xg_dnn_graph *g, uint32_t k) {
    const xg_attention_form *f = s->f;
    bool few = k == XG_SDPA_K || k == XG_SDPA_V, bias = k == XG_SDPA_BIAS;
    int64_t place = k == XG_SDPA_O ? (int64_t)f->comp->n_params : s->array[k]->number, dims[4], strides[4];
    int64_t keys, apart;
    uint32_t j;
    dims[0] = s->batch;
    dims[1] = few ? s->heads / s->groups : s->heads;
    dims[2] = few ? f->keys : s->rows;
    dims[3] = bias ? f->keys : few && k == XG_SDPA_V ? f->columns : k == XG_SDPA_O ? f->columns : f->depth;
    for (j = 0; j < 4; j++) {
        strides[j] = s->stride[k][j];
        if (bias && !strides[j]) dims[j] = 1; /* it is the same for all */
    }
    for (j = 4; j-- > 0;) /* a dimension of one element goes on where the next one ends */
        if (dims[j] == 1) strides[j] = j == 3 ? 1 : dims[j + 1] * strides[j + 1];
    if (k == XG_SDPA_K) { /* the library multiplies by the transposed */
        keys = dims[2];
        apart = strides[2];
        dims[2] = dims[3];
        strides[2] = strides[3];
        dims[3] = keys;
        strides[3] = apart;
    }
    return xg_dnn_tensor(g, place, xg_dnn_type(s->array[k]->shape->type), dims, strides, 4);
}
/* A value in between: a number for each score, or for each row. */
XG_FN int64_t xg_sdpa_between(const xg_sdpa *s, xg_dnn_graph *g, xlagpu_type t, bool row) {
    int64_t dims[4], strides[4], at = 1;
    uint32_t j;
    dims[0] = s->batch;
    dims[1] = s->heads;
    dims[2] = s->rows;
    dims[3] = row ? 1 : s->f->keys;
    for (j = 4; j-- > 0; at *= dims[j]) strides[j] = at;
    return xg_dnn_tensor(g, -1, xg_dnn_type(t), dims, strides, 4);
}
/* mode(x, b) into a value of type t; b -1: it has none. */
XG_FN int64_t xg_sdpa_op(
    const xg_sdpa *s, xg_dnn_graph *g, int64_t mode, int64_t x, int64_t b, xlagpu_type t, bool row) {
    int64_t y = xg_sdpa_between(s, g, t, row);
    xg_dnn_plain(g, mode, x, b, y, t == XLAGPU_PRED ? xg_dnn_type(t) : g->wide);
    return y;
}
XG_FN int64_t xg_sdpa_index(const xg_sdpa *s, xg_dnn_graph *g, int64_t x, int64_t axis) {
    xg_dnn_pointwise_op op;
    memset(&op, 0, sizeof op);
    op.mode = XG_DNN_INDEX;
    op.x = x;
    op.b = op.t = -1;
    op.axis = axis;
    op.type = g->wide;
    op.y = xg_sdpa_between(s, g, XLAGPU_S32, false);
    xg_dnn_pointwise(g, &op);
    return op.y;
}
XG_FN int64_t xg_sdpa_masked(const xg_sdpa *s, xg_dnn_graph *g, int64_t x) {
    int64_t row = xg_sdpa_index(s, g, x, 2), key = xg_sdpa_index(s, g, x, 3);
    xg_dnn_pointwise_op op;
    memset(&op, 0, sizeof op);
    op.mode = XG_DNN_SELECT;
    op.x = x;
    op.t = xg_sdpa_op(s, g, XG_DNN_COMPARE_GE, row, key, XLAGPU_PRED, false);
    op.b = xg_dnn_scalar(g, s->masked, 4);
    op.axis = -1;
    op.type = g->wide;
    op.y = xg_sdpa_between(s, g, XLAGPU_F32, false);
    xg_dnn_pointwise(g, &op);
    return op.y;
}
/* The logarithm of the sum, more the maximum, is part of the pattern that the library knows, read or not. */
XG_APART XG_FN void xg_sdpa_graph(const xg_sdpa *s, xg_dnn_graph *g) {
    int64_t q = xg_sdpa_array(s, g, XG_SDPA_Q), k = xg_sdpa_array(s, g, XG_SDPA_K), v = xg_sdpa_array(s, g, XG_SDPA_V),
            o = xg_sdpa_array(s, g, XG_SDPA_O), x = xg_sdpa_between(s, g, XLAGPU_F32, false), most, sum;
    xg_dnn_matmul(g, q, k, x);
    if (s->scale != 1) x = xg_sdpa_op(s, g, XG_DNN_MUL, x, xg_dnn_scalar(g, s->scale, 4), XLAGPU_F32, false);
    if (s->array[XG_SDPA_BIAS])
        x = xg_sdpa_op(s, g, XG_DNN_ADD, x, xg_sdpa_array(s, g, XG_SDPA_BIAS), XLAGPU_F32, false);
    if (s->bound) x = xg_sdpa_masked(s, g, x);
    most = xg_sdpa_between(s, g, XLAGPU_F32, true);
    xg_dnn_reduce(g, XG_DNN_REDUCE_MAX, x, most);
    x = xg_sdpa_op(s, g, XG_DNN_EXP, xg_sdpa_op(s, g, XG_DNN_SUB, x, most, XLAGPU_F32, false), -1, XLAGPU_F32, false);
    sum = xg_sdpa_between(s, g, XLAGPU_F32, true);
    xg_dnn_reduce(g, XG_DNN_REDUCE_ADD, x, sum);
    (void)xg_sdpa_op(s, g, XG_DNN_ADD, most, xg_sdpa_op(s, g, XG_DNN_LOG, sum, -1, XLAGPU_F32, true), XLAGPU_F32, true);
    x = xg_sdpa_op(s, g, XG_DNN_DIV, x, sum, s->f->held, false);
    xg_dnn_matmul(g, x, v, o);
    xg_dnn_end(g);
}

/* ---- the way ---- */

XG_FN int64_t xg_dnn_attention_time(
    xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_module *m) { /* INT64_MAX: it takes another one */
    xg_sdpa s;
    if (!(m->libraries >> XG_EXE_LIBRARY_CUDNN & 1) || !xg_sdpa_of(&s, f, a, x, &m->device)) return INT64_MAX;
    return m->libraries & XG_EXE_LIBRARY_ALWAYS ? 0 : xg_sdpa_time(&s, &m->device);
}
/* The call, as the record's form. */
XG_FN void xg_dnn_record(xg_way_job *job, xg_record *r, const xg_dnn_graph *g, int64_t notes) {
    const xg_module *m = job->fusion->comp->module;
    const xg_numbers *given = job->given ? xg_record_get(&job->given->form, "workspace") : NULL;
    int64_t workspace = given && given->n == 1 ? given->p[0] : xg_dnn_workspace(m);
    if (m->deterministic) notes |= XG_DNN_NOTE_NONDETERMINISTIC;
    r->why = xg_str_of(NULL, 0);
    xg_record_put(job->arena, &r->form, "graph", g->words.p, g->words.n);
    xg_record_put(job->arena, &r->form, "refused_notes", &notes, 1);
    xg_record_put(job->arena, &r->form, "workspace", &workspace, 1);
}
XG_FN bool xg_dnn_attention_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    const xg_module *m = job->fusion->comp->module;
    const xg_comp *c = xg_attr_calls(job->fusion);
    xg_aff_ctx *x;
    xg_attention_plan *p;
    xg_dnn_graph g;
    xg_sdpa s;
    if (!c || xg_fuse_is_phases(job->fusion) || !xg_attention_may_be(c)) return false;
    x = xg_aff_new(job->arena);
    p = XG_NEW(job->arena, xg_attention_plan);
    if (!xg_attention_form_of(&p->form, job->arena, x, c, &m->device)) return false;
    if (!xg_sdpa_of(&s, &p->form, job->arena, x, &m->device)) {
        r->why = xg_str_z(s.why);
        return false;
    }
    xg_dnn_begin(&g, job->arena, XLAGPU_F32);
    xg_sdpa_graph(&s, &g);
    xg_dnn_record(job, r, &g, XG_DNN_NOTE_NARROWER_SUMS);
    times->own = xg_sdpa_time(&s, &m->device);
    xg_record_put(job->arena, &r->estimates, "cudnn", &times->own, 1);
    if (xg_attention_plan_of(p, &m->device, NULL)) {
        int64_t kernel = xg_dnn_attention_own(p);
        xg_record_put(job->arena, &r->estimates, "attention", &kernel, 1);
    }
    if (m->libraries & XG_EXE_LIBRARY_ALWAYS) times->own = 0;
    times->emitter = 0;
    return true;
}

#endif /* XG_SCHED_DNN_ATTENTION_C */
