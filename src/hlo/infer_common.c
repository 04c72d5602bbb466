/* hlo/infer_common.c -- what the shape rules share: failing with a sentence, wanting arrays and dimensions, building a
 * shape.
 *
 * A rule is `XG_RULE(i, condition, format, ...)`: the condition that must hold and the sentence said when it does not;
 * `XG_RULE_HINT` has a hint in front of the sentence. The sentence names what was found (shapes in text) and what the
 * rule wants; the position, the opcode and the name of the instruction are put before it by xg_hlo_raise. Arguments are
 * evaluated only on failure, so a rule that holds costs one test.
 *
 * Laws
 * - Shapes that are inferred carry descending layouts, but what only passes values on (tuples, calls, barriers, sorts)
 *   keeps theirs. No rule depends on a layout.
 * - Two dimensions agree when their sizes are equal or one is unbounded. A bound counts as the size: <=8 agrees with 8.
 *   The result is dynamic where any of its sources is.
 * - Nothing here trusts that the module was verified: rules check every index before they use it. */
#ifndef XG_HLO_INFER_COMMON_C
#define XG_HLO_INFER_COMMON_C
#include "hlo.h"

#define XG_RULE(i, ok, ...) \
    do { \
        if (!(ok)) xg_hlo_wrong((i), __VA_ARGS__); \
    } while (0)
#define XG_RULE_HINT(i, ok, hint, ...) \
    do { \
        if (!(ok)) xg_hlo_invalid((i), (hint), __VA_ARGS__); \
    } while (0)

enum {
    XG_INFER_TEXT = 200
}; /* longer shapes are cut in messages */

XG_FN const char *xg_infer_text(const xg_inst *i, const xg_shape *s) {
    xg_buf b;
    if (!s) return "(no shape)";
    xg_buf_init(&b, i->comp->module->arena);
    xg_shape_print(&b, s, false);
    if (b.n > XG_INFER_TEXT) memcpy(b.p + XG_INFER_TEXT - 3, "...", 4);
    return b.p;
}
XG_FN const xg_shape *xg_infer_operand(const xg_inst *i, uint32_t k) { return XG_OPERAND(i, k)->shape; }
XG_FN const char *xg_infer_operand_text(const xg_inst *i, uint32_t k) {
    return xg_infer_text(i, xg_infer_operand(i, k));
}

/* The shapes of all operands, "f32[2], s32[]". */
XG_FN const char *xg_infer_operands_text(const xg_inst *i) {
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, i->comp->module->arena);
    xg_puts(&b, "");
    for (k = 0; k < i->n_operands && b.n < XG_INFER_TEXT; k++) {
        if (k) xg_puts(&b, ", ");
        xg_puts(&b, xg_infer_operand_text(i, k));
    }
    if (k < i->n_operands) xg_puts(&b, ", ...");
    return b.p;
}
XG_FN const char *xg_infer_ints_text(const xg_inst *i, xg_ints v) {
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, i->comp->module->arena);
    xg_putc(&b, '{');
    for (k = 0; k < v.n && b.n < XG_INFER_TEXT; k++) {
        if (k) xg_putc(&b, ',');
        xg_put_i64(&b, v.p[k]);
    }
    xg_puts(&b, k < v.n ? ",...}" : "}");
    return b.p;
}

/* ---- shapes under construction ---- */

typedef struct xg_draft {
    xlagpu_type type;
    uint32_t rank;
    int64_t size[XG_RANK_MAX];
    uint8_t dynamic[XG_RANK_MAX];
} xg_draft;

XG_FN uint8_t xg_shape_dim_kind(const xg_shape *s, int64_t d) {
    return s->dynamic ? s->dynamic[d] : (uint8_t)XG_DIM_STATIC;
}

XG_FN void xg_draft_of(xg_draft *d, const xg_shape *s) {
    uint32_t k;
    d->type = s->type;
    d->rank = s->rank;
    for (k = 0; k < s->rank; k++) {
        d->size[k] = s->dims[k];
        d->dynamic[k] = xg_shape_dim_kind(s, k);
    }
}
XG_ONE_COPY XG_FN void xg_draft_push(const xg_inst *i, xg_draft *d, int64_t size, uint8_t dynamic) {
    if (d->rank == XG_RANK_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "the result would have more than %d dimensions", (int)XG_RANK_MAX);
    d->size[d->rank] = size;
    d->dynamic[d->rank++] = dynamic;
}
XG_FN const xg_shape *xg_draft_shape(xg_module *m, const xg_draft *d) {
    bool dynamic = false;
    uint32_t k;
    for (k = 0; k < d->rank; k++) dynamic = dynamic || d->dynamic[k] != XG_DIM_STATIC;
    return xg_shape_default_layout(m, xg_shape_array(m, d->type, d->size, d->rank, dynamic ? d->dynamic : NULL, NULL));
}

/* Whether two dimensions agree, and into *size, *dynamic what is known of both. */
XG_ONE_COPY XG_FN bool xg_draft_merge_dim(int64_t *size, uint8_t *dynamic, int64_t other, uint8_t other_dynamic) {
    if (other_dynamic == XG_DIM_UNBOUNDED) return true;
    if (*dynamic == XG_DIM_UNBOUNDED) {
        *size = other;
        *dynamic = other_dynamic;
        return true;
    }
    if (*size != other) return false;
    if (other_dynamic != XG_DIM_STATIC) *dynamic = other_dynamic;
    return true;
}
XG_FN bool xg_draft_merge(xg_draft *d, const xg_shape *s) {
    uint32_t k;
    if (d->rank != s->rank) return false;
    for (k = 0; k < s->rank; k++)
        if (!xg_draft_merge_dim(&d->size[k], &d->dynamic[k], s->dims[k], xg_shape_dim_kind(s, k))) return false;
    return true;
}
XG_FN bool xg_shape_dim_agrees(const xg_shape *a, int64_t da, const xg_shape *b, int64_t db) {
    return a->dims[da] == b->dims[db] || xg_shape_dim_kind(a, da) == XG_DIM_UNBOUNDED ||
           xg_shape_dim_kind(b, db) == XG_DIM_UNBOUNDED;
}
XG_FN bool xg_shape_dims_agree(const xg_shape *a, const xg_shape *b) { /* arrays, any types */
    uint32_t k;
    if (a->rank != b->rank) return false;
    for (k = 0; k < a->rank; k++)
        if (!xg_shape_dim_agrees(a, k, b, k)) return false;
    return true;
}

/* Compatible as XLA means it: equal but for layouts and for whether a dimension is dynamic. */
XG_FN bool xg_shape_agrees(const xg_shape *a, const xg_shape *b) {
    uint32_t k;
    if (a->plain == b->plain) return true;
    if (a->type != b->type || a->n_elems != b->n_elems || a->rank != b->rank) return false;
    for (k = 0; k < a->n_elems; k++)
        if (!xg_shape_agrees(a->elems[k], b->elems[k])) return false;
    return !xg_shape_is_array(a) || xg_shape_dims_agree(a, b);
}
XG_FN const xg_shape *xg_infer_scalar(xg_module *m, xlagpu_type t) { return xg_shape_scalar(m, t); }
XG_FN const xg_shape *xg_infer_token(xg_module *m) { return xg_shape_other(m, XLAGPU_TOKEN, NULL); }

/* The shapes of operands from..n as a tuple; the only one itself when there is one and `bare`. */
XG_FN const xg_shape *xg_infer_tuple_of(xg_module *m, const xg_inst *i, uint32_t n, bool bare) {
    const xg_shape **elems;
    uint32_t k;
    if (bare && n == 1) return xg_shape_fill_layout(m, xg_infer_operand(i, 0));
    elems = XG_NEW_N(m->arena, const xg_shape *, n ? n : 1);
    for (k = 0; k < n; k++) elems[k] = xg_infer_operand(i, k);
    return xg_shape_fill_layout(m, xg_shape_tuple(m, elems, n));
}

/* ---- what rules want ---- */

XG_FN const xg_shape *xg_want_array(const xg_inst *i, uint32_t k) {
    const xg_shape *s = xg_infer_operand(i, k);
    XG_RULE(i, xg_shape_is_array(s), "operand %u must be an array, but is %s", k, xg_infer_text(i, s));
    return s;
}
XG_ONE_COPY XG_FN const xg_shape *xg_want_array_0(const xg_inst *i) { return xg_want_array(i, 0); }
XG_FN void xg_want_arrays(const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) xg_want_array(i, k);
}
XG_FN const xg_shape *xg_want_scalar(const xg_inst *i, uint32_t k, xlagpu_type type, const char *what) {
    const xg_shape *s = xg_infer_operand(i, k);
    XG_RULE(i, xg_shape_is_scalar(s) && (type == XLAGPU_INVALID || s->type == type),
        "operand %u, %s, must be %s%s, but is %s", k, what, type == XLAGPU_INVALID ? "a scalar" : xg_type_name(type),
        type == XLAGPU_INVALID ? "" : "[]", xg_infer_text(i, s));
    return s;
}
XG_FN void xg_want_same_type(const xg_inst *i, uint32_t a, uint32_t b) {
    XG_RULE_HINT(i, xg_infer_operand(i, a)->type == xg_infer_operand(i, b)->type, "put a convert before it",
        "operands %u and %u must have the same element type, but are %s and %s", a, b, xg_infer_operand_text(i, a),
        xg_infer_operand_text(i, b));
}
XG_FN void xg_want_token(const xg_inst *i, uint32_t k) {
    XG_RULE(i, xg_infer_operand(i, k)->type == XLAGPU_TOKEN, "operand %u must be a token[], but is %s", k,
        xg_infer_operand_text(i, k));
}
XG_FN bool xg_infer_is_int(xlagpu_type t) { return xg_type_class(t) == XGT_I; }

/* Dimensions that are in range of the rank and distinct. Sorted order is asked for where XLA does. */
XG_FN void xg_want_dims(const xg_inst *i, const char *what, xg_ints v, uint32_t rank, bool ascending) {
    uint64_t seen = 0;
    uint32_t k;
    for (k = 0; k < v.n; k++) {
        XG_RULE(i, v.p[k] >= 0 && v.p[k] < (int64_t)rank, "%s=%s names dimension %lld, but there %s %u dimension%s",
            what, xg_infer_ints_text(i, v), (long long)v.p[k], rank == 1 ? "is" : "are", rank, rank == 1 ? "" : "s");
        XG_RULE(i, !(seen >> v.p[k] & 1), "%s=%s names dimension %lld twice", what, xg_infer_ints_text(i, v),
            (long long)v.p[k]);
        XG_RULE(i, !ascending || k == 0 || v.p[k - 1] < v.p[k], "%s=%s must be in ascending order", what,
            xg_infer_ints_text(i, v));
        seen |= (uint64_t)1 << v.p[k];
    }
}
/* The one dimension of an attribute dimensions={d}. */
XG_FN int64_t xg_want_dim(const xg_inst *i, uint32_t rank) {
    xg_ints v = xg_attr_ints(i, XG_A_dimensions);
    XG_RULE(i, v.n == 1, "dimensions must name one dimension, but is %s", xg_infer_ints_text(i, v));
    xg_want_dims(i, "dimensions", v, rank, false);
    return v.p[0];
}
XG_FN const xg_shape *xg_want_given(const xg_inst *i) {
    XG_RULE_HINT(i, i->shape != NULL, "write it between '=' and the opcode", "the shape of the result must be stated");
    return i->shape;
}
XG_FN const xg_shape *xg_want_given_array(const xg_inst *i) {
    const xg_shape *s = xg_want_given(i);
    XG_RULE(i, xg_shape_is_array(s), "the result must be an array, but is stated as %s", xg_infer_text(i, s));
    return s;
}
XG_FN int64_t xg_want_sum(const xg_inst *i, int64_t a, int64_t b) {
    int64_t r = 0;
    if (!xg_add64(a, b, &r)) xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "a size of the result overflows 64 bits");
    return r;
}
XG_FN int64_t xg_want_product(const xg_inst *i, int64_t a, int64_t b) {
    int64_t r = 0;
    if (!xg_mul64(a, b, &r)) xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "a size of the result overflows 64 bits");
    return r;
}

/* ---- called computations ---- */

XG_FN const char *xg_infer_signature(const xg_inst *i, const xg_comp *c) {
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, i->comp->module->arena);
    xg_putc(&b, '(');
    for (k = 0; k < c->n_params && b.n < 2 * XG_INFER_TEXT; k++) {
        if (k) xg_puts(&b, ", ");
        xg_puts(&b, c->params[k] ? xg_infer_text(i, c->params[k]->shape) : "?");
    }
    xg_printf(&b, "%s%s", k < c->n_params ? ", ...) -> " : ") -> ", c->root ? xg_infer_text(i, c->root->shape) : "?");
    return b.p;
}
XG_FN xg_comp *xg_want_comp(const xg_inst *i, xg_attr_key key, uint32_t n_params) {
    xg_comp *c = xg_attr_comp(i, key);
    uint32_t k;
    XG_RULE(i, c != NULL, "attribute %s is missing", xg_attr_name(key));
    XG_RULE(i, c->root != NULL, "%s=%.*s has no root", xg_attr_name(key), (int)c->name.n, c->name.p);
    XG_RULE(i, c->n_params == n_params, "%s=%.*s must take %u parameters, but takes %u", xg_attr_name(key),
        (int)c->name.n, c->name.p, n_params, c->n_params);
    for (k = 0; k < n_params; k++)
        XG_RULE(i, c->params[k] != NULL, "%s=%.*s lacks parameter %u", xg_attr_name(key), (int)c->name.n, c->name.p, k);
    return c;
}
/* Parameter k must be a scalar of the type. */
XG_FN void xg_want_scalar_param(const xg_inst *i, xg_attr_key key, const xg_comp *c, uint32_t k, xlagpu_type type) {
    const xg_shape *s = c->params[k]->shape;
    XG_RULE(i, xg_shape_is_scalar(s) && s->type == type,
        "parameter %u of %s=%.*s must be %s[], but the computation is %s", k, xg_attr_name(key), (int)c->name.n,
        c->name.p, xg_type_name(type), xg_infer_signature(i, c));
}
XG_FN void xg_want_pred_root(const xg_inst *i, xg_attr_key key, const xg_comp *c) {
    XG_RULE(i, xg_shape_is_scalar(c->root->shape) && c->root->shape->type == XLAGPU_PRED,
        "the root of %s=%.*s must be pred[], but the computation is %s", xg_attr_name(key), (int)c->name.n, c->name.p,
        xg_infer_signature(i, c));
}
/* Element k of what a computation gives when it gives n values: its root for one, else an element of the root's
 * tuple. */
XG_FN const xg_shape *xg_infer_comp_result(const xg_comp *c, uint32_t k, uint32_t n) {
    const xg_shape *s = c->root->shape;
    if (n == 1 && s->type != XLAGPU_TUPLE) return k == 0 ? s : NULL;
    return s->type == XLAGPU_TUPLE && s->n_elems == n ? s->elems[k] : NULL;
}
/* A reducer of n values: 2n scalars (accumulators, then inputs) -> n scalars, element k everywhere of the type of
 * operands from + k (inputs) and init + k. */
XG_FN xg_comp *xg_want_reducer(const xg_inst *i, xg_attr_key key, uint32_t from, uint32_t init, uint32_t n) {
    xg_comp *c = xg_want_comp(i, key, 2 * n);
    uint32_t k;
    for (k = 0; k < n; k++) {
        const xg_shape *r = xg_infer_comp_result(c, k, n);
        xlagpu_type t = xg_infer_operand(i, from + k)->type;
        XG_RULE(i, r && xg_shape_is_scalar(r) && r->type == t,
            "%s=%.*s must give %u scalar%s of the operands' types (%s[] for operand %u), but the computation is %s",
            xg_attr_name(key), (int)c->name.n, c->name.p, n, n == 1 ? "" : "s in a tuple", xg_type_name(t), from + k,
            xg_infer_signature(i, c));
        xg_want_scalar_param(i, key, c, k, t);
        xg_want_scalar_param(i, key, c, n + k, t);
        xg_want_same_type(i, from + k, init + k);
    }
    return c;
}

/* ---- windows ---- */

/* The number of places of a window along a dimension. */
XG_FN int64_t xg_want_places(const xg_inst *i, uint32_t d, const xg_window_dim *w, int64_t size) {
    int64_t base, window;
    XG_RULE(i, w->size >= 1, "window size %lld of dimension %u must be at least 1", (long long)w->size, d);
    XG_RULE(i, w->stride >= 1, "window stride %lld of dimension %u must be at least 1", (long long)w->stride, d);
    XG_RULE(
        i, w->base_dilation >= 1, "lhs_dilate %lld of dimension %u must be at least 1", (long long)w->base_dilation, d);
    XG_RULE(i, w->window_dilation >= 1, "rhs_dilate %lld of dimension %u must be at least 1",
        (long long)w->window_dilation, d);
    base = size == 0 ? 0 : xg_want_sum(i, xg_want_product(i, size - 1, w->base_dilation), 1);
    base = xg_want_sum(i, xg_want_sum(i, base, w->pad_low), w->pad_high);
    window = xg_want_sum(i, xg_want_product(i, w->size - 1, w->window_dilation), 1);
    return base < window ? 0 : (base - window) / w->stride + 1;
}

#endif /* XG_HLO_INFER_COMMON_C */
