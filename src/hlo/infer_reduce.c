/* hlo/infer_reduce.c -- the result shapes of opcodes that apply a computation over many elements: reductions, windows,
 * scans, map, sort, top-k; and of batch normalisation.
 *
 * Variadic opcodes take n arrays of equal dimensions and give n results: bare for one, else a tuple. A reducer whose
 * root is a tuple of one gives a tuple of one. */
#ifndef XG_HLO_INFER_REDUCE_C
#define XG_HLO_INFER_REDUCE_C
#include "infer_common.c"

/* The first n operands: arrays of equal dimensions. */
static void xg_want_alike(const xg_inst *i, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        xg_want_array(i, k);
        XG_RULE(i, xg_shape_dims_agree(xg_infer_operand(i, 0), xg_infer_operand(i, k)),
            "operands 0 and %u must have the same dimensions, but are %s and %s", k, xg_infer_operand_text(i, 0),
            xg_infer_operand_text(i, k));
    }
}
static bool xg_infer_is_precision_of(xlagpu_type a, xlagpu_type b) {
    return a == b || (xg_type_class(a) == XGT_F && xg_type_class(b) == XGT_F);
}
/* A reducer of n values of the types that it takes and gives; operands, and operands n..2n, the initial values, may be
 * floats of other precision. */
static xg_comp *xg_want_mixed_reducer(const xg_inst *i, uint32_t n) {
    xg_comp *c = xg_want_comp(i, XG_A_to_apply, 2 * n);
    uint32_t k;
    for (k = 0; k < n; k++) {
        const xg_shape *r = xg_infer_comp_result(c, k, n), *init = xg_infer_operand(i, n + k);
        xlagpu_type t = xg_infer_operand(i, k)->type, wide = r && xg_shape_is_scalar(r) ? r->type : XLAGPU_INVALID;
        XG_RULE(i, wide != XLAGPU_INVALID && xg_infer_is_precision_of(t, wide),
            "to_apply=%.*s must give %u scalar%s of the operands' types (%s[] for operand %u), but the computation is "
            "%s",
            (int)c->name.n, c->name.p, n, n == 1 ? "" : "s in a tuple", xg_type_name(t), k, xg_infer_signature(i, c));
        xg_want_scalar_param(i, XG_A_to_apply, c, k, wide);
        xg_want_scalar_param(i, XG_A_to_apply, c, n + k, wide);
        XG_RULE(i, xg_shape_is_scalar(init) && xg_infer_is_precision_of(init->type, wide),
            "operand %u, an initial value, must be %s[], but is %s", n + k, xg_type_name(wide), xg_infer_text(i, init));
    }
    return c;
}
/* n results of these dimensions, with the types that the reducer gives. */
static const xg_shape *xg_infer_results(xg_module *m, xg_draft *d, uint32_t n, const xg_comp *c) {
    const xg_shape **elems = XG_NEW_N(m->arena, const xg_shape *, n);
    bool bare = c->root->shape->type != XLAGPU_TUPLE;
    uint32_t k;
    for (k = 0; k < n; k++) {
        d->type = xg_infer_comp_result(c, k, n)->type;
        elems[k] = xg_draft_shape(m, d);
    }
    return bare && n == 1 ? elems[0] : xg_shape_tuple(m, elems, n);
}
static void xg_want_even(const xg_inst *i) {
    XG_RULE(i, i->n_operands % 2 == 0,
        "there must be one initial value for each array, but there are %u operands in all", i->n_operands);
}

static const xg_shape *xg_infer_reduce(xg_module *m, const xg_inst *i) {
    uint32_t n = i->n_operands / 2, k;
    xg_ints dims = xg_attr_dims(i);
    const xg_shape *s;
    xg_comp *c;
    xg_draft d;
    xg_want_even(i);
    xg_want_alike(i, n);
    s = xg_infer_operand(i, 0);
    xg_want_dims(i, "dimensions", dims, s->rank, false);
    c = xg_want_mixed_reducer(i, n);
    d.rank = 0;
    for (k = 0; k < s->rank; k++)
        if (!xg_ints_has(dims, k)) xg_draft_push(i, &d, s->dims[k], xg_shape_dim_kind(s, k));
    return xg_infer_results(m, &d, n, c);
}

/* The dimensions after sliding the instruction's window over a shape. */
static void xg_want_window(const xg_inst *i, const xg_shape *s, xg_draft *d) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    uint32_t n = a ? a->v.window->n : 0, k;
    XG_RULE(
        i, n == s->rank, "the window must have one entry for each dimension of %s, but has %u", xg_infer_text(i, s), n);
    xg_draft_of(d, s);
    for (k = 0; k < n; k++) {
        int64_t places = xg_want_places(i, k, &a->v.window->p[k], s->dims[k]);
        if (d->dynamic[k] != XG_DIM_UNBOUNDED) d->size[k] = places;
    }
}

static const xg_shape *xg_infer_reduce_window(xg_module *m, const xg_inst *i) {
    uint32_t n = i->n_operands / 2;
    xg_comp *c;
    xg_draft d;
    xg_want_even(i);
    xg_want_alike(i, n);
    xg_want_window(i, xg_infer_operand(i, 0), &d);
    c = xg_want_mixed_reducer(i, n);
    return xg_infer_results(m, &d, n, c);
}

static const xg_shape *xg_infer_select_and_scatter(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i), *source = xg_want_array(i, 1);
    xg_comp *select = xg_want_comp(i, XG_A_select, 2);
    uint32_t k;
    xg_draft d;
    for (k = 0; k < 2; k++) xg_want_scalar_param(i, XG_A_select, select, k, s->type);
    xg_want_pred_root(i, XG_A_select, select);
    xg_want_scalar(i, 2, s->type, "the initial value");
    xg_want_same_type(i, 0, 1);
    /* This compiler's own: what each window selects, as a number in row-major order (negative or beyond the operand:
     * nothing), was found out before; it lies in its window. Of the operand only the shape counts then. */
    if (i->n_operands == 4)
        XG_RULE(i, xg_type_class(xg_want_array(i, 3)->type) == XGT_I && xg_shape_same_dims(xg_want_array(i, 3), source),
            "the selection %s must be integers, one for each element of the source %s",
            xg_infer_text(i, xg_want_array(i, 3)), xg_infer_text(i, source));
    xg_want_reducer(i, XG_A_scatter, 1, 2, 1);
    xg_want_window(i, s, &d);
    XG_RULE(i, xg_draft_merge(&d, source),
        "the source %s must have one element for each place of the window over %s, which are %s",
        xg_infer_text(i, source), xg_infer_text(i, s), xg_infer_text(i, xg_draft_shape(m, &d)));
    return xg_shape_default_layout(m, s);
}

static const xg_shape *xg_infer_map(xg_module *m, const xg_inst *i) {
    xg_comp *c = xg_want_comp(i, XG_A_to_apply, i->n_operands);
    xg_draft d;
    uint32_t k;
    xg_want_alike(i, i->n_operands);
    xg_draft_of(&d, xg_infer_operand(i, 0));
    for (k = 0; k < i->n_operands; k++) {
        xg_want_scalar_param(i, XG_A_to_apply, c, k, xg_infer_operand(i, k)->type);
        xg_draft_merge(&d, xg_infer_operand(i, k));
    }
    XG_RULE(i, xg_shape_is_scalar(c->root->shape),
        "the root of to_apply=%.*s must be a scalar, but the computation is %s", (int)c->name.n, c->name.p,
        xg_infer_signature(i, c));
    d.type = c->root->shape->type;
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_sort(xg_module *m, const xg_inst *i) {
    xg_comp *c = xg_want_comp(i, XG_A_to_apply, 2 * i->n_operands);
    uint32_t k;
    xg_want_alike(i, i->n_operands);
    XG_RULE(i, xg_infer_operand(i, 0)->rank > 0, "scalars cannot be sorted");
    xg_want_dim(i, xg_infer_operand(i, 0)->rank);
    for (k = 0; k < 2 * i->n_operands; k++)
        xg_want_scalar_param(i, XG_A_to_apply, c, k, xg_infer_operand(i, k / 2)->type);
    xg_want_pred_root(i, XG_A_to_apply, c);
    return xg_infer_tuple_of(m, i, i->n_operands, true);
}

static const xg_shape *xg_infer_topk(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i), *elems[2];
    int64_t k = xg_attr_int(i, XG_A_k, -1);
    xg_draft d;
    XG_RULE(i, s->rank > 0, "the operand must have at least one dimension, but is %s", xg_infer_text(i, s));
    XG_RULE(i, k >= 0 && (k <= s->dims[s->rank - 1] || xg_shape_dim_kind(s, s->rank - 1) == XG_DIM_UNBOUNDED),
        "k=%lld must be between 0 and the last dimension of %s", (long long)k, xg_infer_text(i, s));
    xg_draft_of(&d, s);
    d.size[s->rank - 1] = k;
    d.dynamic[s->rank - 1] = XG_DIM_STATIC;
    elems[0] = xg_draft_shape(m, &d);
    d.type = XLAGPU_S32;
    elems[1] = xg_draft_shape(m, &d);
    return xg_shape_tuple(m, elems, 2);
}

/* The inputs lose the scanned dimension on their way into the computation, its first results gain it on their way out;
 * the last operands, parameters and results are the carried values. */
static const xg_shape *xg_infer_scan(xg_module *m, const xg_inst *i) {
    xg_comp *c = xg_want_comp(i, XG_A_to_apply, i->n_operands);
    int64_t carries = xg_attr_int(i, XG_A_num_carries, -1), dim;
    const xg_shape *root = c->root->shape, *s, **elems;
    bool bare = root->type != XLAGPU_TUPLE;
    uint32_t n, inputs, outputs, k, r;
    xg_draft d;
    XG_RULE(i, carries >= 0 && carries < (int64_t)i->n_operands,
        "num_carries=%lld must leave at least one of the %u operands as an input", (long long)carries, i->n_operands);
    inputs = i->n_operands - (uint32_t)carries;
    xg_want_alike(i, inputs);
    s = xg_infer_operand(i, 0);
    XG_RULE(i, s->rank > 0, "the inputs must have a dimension to scan, but are %s", xg_infer_text(i, s));
    dim = xg_want_dim(i, s->rank);
    for (k = 0; k < i->n_operands; k++) {
        const xg_shape *want = xg_infer_operand(i, k);
        if (k < inputs) {
            d.type = want->type;
            d.rank = 0;
            for (r = 0; r < want->rank; r++)
                if ((int64_t)r != dim) xg_draft_push(i, &d, want->dims[r], xg_shape_dim_kind(want, r));
            want = xg_draft_shape(m, &d);
        }
        XG_RULE(i, xg_shape_agrees(want, c->params[k]->shape),
            "parameter %u of to_apply=%.*s must be %s, %s operand %u, but is %s", k, (int)c->name.n, c->name.p,
            xg_infer_text(i, want), k < inputs ? "a slice of" : "as", k, xg_infer_text(i, c->params[k]->shape));
    }
    n = bare ? 1 : root->n_elems;
    XG_RULE(i, (int64_t)n >= carries, "to_apply=%.*s must give the %lld carried values last, but is %s", (int)c->name.n,
        c->name.p, (long long)carries, xg_infer_signature(i, c));
    outputs = n - (uint32_t)carries;
    elems = XG_NEW_N(m->arena, const xg_shape *, n ? n : 1);
    for (k = 0; k < n; k++) {
        const xg_shape *e = bare ? root : root->elems[k];
        elems[k] = e;
        if (k >= outputs) {
            XG_RULE(i, xg_shape_agrees(e, xg_infer_operand(i, inputs + k - outputs)),
                "result %u of to_apply=%.*s must be %s, as the carried operand, but is %s", k, (int)c->name.n,
                c->name.p, xg_infer_operand_text(i, inputs + k - outputs), xg_infer_text(i, e));
            continue;
        }
        XG_RULE(i, xg_shape_is_array(e) && (int64_t)e->rank >= dim,
            "result %u of to_apply=%.*s must be an array that can gain dimension %lld, but is %s", k, (int)c->name.n,
            c->name.p, (long long)dim, xg_infer_text(i, e));
        d.type = e->type;
        d.rank = 0;
        for (r = 0; r <= e->rank; r++) {
            if ((int64_t)r == dim) xg_draft_push(i, &d, s->dims[dim], xg_shape_dim_kind(s, dim));
            if (r < e->rank) xg_draft_push(i, &d, e->dims[r], xg_shape_dim_kind(e, r));
        }
        elems[k] = xg_draft_shape(m, &d);
    }
    return xg_shape_default_layout(m, bare ? elems[0] : xg_shape_tuple(m, elems, n));
}

/* ---- batch normalisation ---- */

/* Operands first..last: vectors of one value for each feature. Returns their shape. */
static const xg_shape *xg_want_features(xg_module *m, const xg_inst *i, uint32_t first, uint32_t last) {
    const xg_shape *s = xg_want_array_0(i);
    int64_t f = xg_attr_int(i, XG_A_feature_index, -1);
    uint32_t k;
    xg_draft d;
    XG_RULE(i, f >= 0 && f < (int64_t)s->rank, "feature_index=%lld is not a dimension of %s", (long long)f,
        xg_infer_text(i, s));
    for (k = first; k <= last; k++) {
        const xg_shape *v = xg_want_array(i, k);
        XG_RULE(i, v->rank == 1 && v->type == s->type && xg_shape_dim_agrees(v, 0, s, f),
            "operand %u must be %s[%lld], one value for each feature of %s, but is %s", k, xg_type_name(s->type),
            (long long)s->dims[f], xg_infer_text(i, s), xg_infer_text(i, v));
    }
    d.type = s->type;
    d.rank = 0;
    xg_draft_push(i, &d, s->dims[f], xg_shape_dim_kind(s, f));
    return xg_draft_shape(m, &d);
}
static const xg_shape *xg_infer_norm(xg_module *m, const xg_inst *i, const xg_shape *features) {
    const xg_shape *elems[3];
    elems[0] = xg_shape_default_layout(m, xg_infer_operand(i, 0));
    elems[1] = elems[2] = features;
    return xg_shape_tuple(m, elems, 3);
}
static const xg_shape *xg_infer_batch_norm_training(xg_module *m, const xg_inst *i) {
    return xg_infer_norm(m, i, xg_want_features(m, i, 1, 2));
}
static const xg_shape *xg_infer_batch_norm_inference(xg_module *m, const xg_inst *i) {
    xg_want_features(m, i, 1, 4);
    return xg_shape_default_layout(m, xg_infer_operand(i, 0));
}
static const xg_shape *xg_infer_batch_norm_grad(xg_module *m, const xg_inst *i) {
    const xg_shape *features = xg_want_features(m, i, 1, 3), *s = xg_infer_operand(i, 0), *g = xg_want_array(i, 4);
    XG_RULE(i, g->type == s->type && xg_shape_dims_agree(g, s), "the gradient %s must have the shape of %s",
        xg_infer_text(i, g), xg_infer_text(i, s));
    return xg_infer_norm(m, i, features);
}

#endif /* XG_HLO_INFER_REDUCE_C */
