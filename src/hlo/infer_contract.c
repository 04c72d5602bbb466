/* hlo/infer_contract.c -- the result shapes of contractions: dot and its kin, convolution, FFT, triangular solve.
 *
 * Here, and only here, an operand may differ from the other in precision and the stated result may have a wider type
 * than both ("preferred element type"): the arithmetic happens in the result's type. */
#ifndef XG_HLO_INFER_CONTRACT_C
#define XG_HLO_INFER_CONTRACT_C
#include "infer_common.c"

/* The wider of two element types: complex before float before integer before pred, then by bits, then the first. */
static xlagpu_type xg_infer_wider(xlagpu_type a, xlagpu_type b) {
    int ca = xg_type_class(a), cb = xg_type_class(b);
    if (ca != cb) return ca > cb ? a : b;
    return xg_type_bits(b) > xg_type_bits(a) ? b : a;
}
/* The element type of the product of a and b: as stated. A sum of floats that is stated as integers or pred is computed
 * in the wider float and converted at the end. */
static xlagpu_type xg_want_product_type(const xg_inst *i, xlagpu_type a, xlagpu_type b) {
    xlagpu_type wide = xg_infer_wider(a, b), stated = i->shape && xg_shape_is_array(i->shape) ? i->shape->type : wide;
    XG_RULE(i, (xg_type_class(wide) == XGT_C) == (xg_type_class(stated) == XGT_C),
        "a product of %s and %s cannot be %s", xg_type_name(a), xg_type_name(b), xg_type_name(stated));
    return stated;
}

/* ---- dot ---- */

typedef struct xg_infer_dot_dims {
    xg_ints lc, rc, lb, rb;
} xg_infer_dot_dims;

static bool xg_infer_dot_free(xg_ints contracting, xg_ints batch, int64_t d) {
    return !xg_ints_has(contracting, d) && !xg_ints_has(batch, d);
}

static void xg_want_disjoint(const xg_inst *i, const char *a_name, xg_ints a, const char *b_name, xg_ints b) {
    uint32_t k;
    for (k = 0; k < a.n; k++)
        XG_RULE(i, !xg_ints_has(b, a.p[k]), "dimension %lld is in both %s and %s", (long long)a.p[k], a_name, b_name);
}
static void xg_want_pairs(
    const xg_inst *i, const char *what, const xg_shape *l, xg_ints ld, const xg_shape *r, xg_ints rd) {
    uint32_t k;
    XG_RULE(i, ld.n == rd.n, "the %s dimensions of both sides must be as many: %s and %s", what,
        xg_infer_ints_text(i, ld), xg_infer_ints_text(i, rd));
    for (k = 0; k < ld.n; k++)
        XG_RULE(i, xg_shape_dim_agrees(l, ld.p[k], r, rd.p[k]),
            "%s dimension %lld of %s must equal dimension %lld of %s", what, (long long)ld.p[k], xg_infer_text(i, l),
            (long long)rd.p[k], xg_infer_text(i, r));
}
static xg_infer_dot_dims xg_want_dot_dims(const xg_inst *i, const xg_shape *l, const xg_shape *r) {
    xg_infer_dot_dims d;
    d.lc = xg_attr_ints(i, XG_A_lhs_contracting_dims);
    d.rc = xg_attr_ints(i, XG_A_rhs_contracting_dims);
    d.lb = xg_attr_ints(i, XG_A_lhs_batch_dims);
    d.rb = xg_attr_ints(i, XG_A_rhs_batch_dims);
    xg_want_dims(i, "lhs_contracting_dims", d.lc, l->rank, false);
    xg_want_dims(i, "rhs_contracting_dims", d.rc, r->rank, false);
    xg_want_dims(i, "lhs_batch_dims", d.lb, l->rank, false);
    xg_want_dims(i, "rhs_batch_dims", d.rb, r->rank, false);
    xg_want_disjoint(i, "lhs_contracting_dims", d.lc, "lhs_batch_dims", d.lb);
    xg_want_disjoint(i, "rhs_contracting_dims", d.rc, "rhs_batch_dims", d.rb);
    xg_want_pairs(i, "contracting", l, d.lc, r, d.rc);
    xg_want_pairs(i, "batch", l, d.lb, r, d.rb);
    return d;
}
/* Batch, then the left side's free dimensions, then the right side's that are not in `except`. */
static void xg_infer_dot_result(
    const xg_inst *i, const xg_shape *l, const xg_shape *r, const xg_infer_dot_dims *v, xg_ints except, xg_draft *d) {
    int64_t k;
    for (k = 0; k < (int64_t)v->lb.n; k++) xg_draft_push(i, d, l->dims[v->lb.p[k]], xg_shape_dim_kind(l, v->lb.p[k]));
    for (k = 0; k < (int64_t)l->rank; k++)
        if (xg_infer_dot_free(v->lc, v->lb, k)) xg_draft_push(i, d, l->dims[k], xg_shape_dim_kind(l, k));
    for (k = 0; k < (int64_t)r->rank; k++)
        if (xg_infer_dot_free(v->rc, v->rb, k) && !xg_ints_has(except, k))
            xg_draft_push(i, d, r->dims[k], xg_shape_dim_kind(r, k));
}
static const xg_ints xg_infer_no_ints = {NULL, 0};

static const xg_shape *xg_infer_dot(xg_module *m, const xg_inst *i) {
    const xg_shape *l = xg_want_array_0(i), *r = xg_want_array(i, 1);
    xg_infer_dot_dims v = xg_want_dot_dims(i, l, r);
    xg_draft d;
    d.type = xg_want_product_type(i, l->type, r->type);
    d.rank = 0;
    xg_infer_dot_result(i, l, r, &v, xg_infer_no_ints, &d);
    return xg_draft_shape(m, &d);
}

/* A scale is a scalar, or each of its elements scales a block of its operand. */
static void xg_want_scale(const xg_inst *i, const xg_shape *s, uint32_t k) {
    const xg_shape *scale = xg_want_array(i, k);
    uint32_t d;
    XG_RULE(i, xg_type_class(scale->type) == XGT_F, "operand %u, a scale, must be floating point, but is %s", k,
        xg_infer_text(i, scale));
    XG_RULE(i, scale->rank == 0 || scale->rank == s->rank,
        "the scale %s must be a scalar or have as many dimensions as %s", xg_infer_text(i, scale), xg_infer_text(i, s));
    for (d = 0; d < scale->rank; d++)
        XG_RULE(i, scale->dims[d] == s->dims[d] || (scale->dims[d] > 0 && s->dims[d] % scale->dims[d] == 0),
            "dimension %u of the scale %s must divide that of %s", d, xg_infer_text(i, scale), xg_infer_text(i, s));
}
static const xg_shape *xg_infer_scaled_dot(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_infer_dot(m, i);
    xg_want_scale(i, xg_infer_operand(i, 0), 2);
    xg_want_scale(i, xg_infer_operand(i, 1), 3);
    return s;
}

/* Three kinds by the one ragged dimension of the left side: free (the right side has a matrix for each group),
 * contracting (the result gets one matrix for each group), batch. group_sizes holds the groups' sizes, for all, or
 * after the dimensions that they may depend on. */
static const xg_shape *xg_infer_ragged_dot(xg_module *m, const xg_inst *i) {
    const xg_shape *l = xg_want_array_0(i), *r = xg_want_array(i, 1), *g = xg_want_array(i, 2);
    xg_ints ragged = xg_attr_ints(i, XG_A_lhs_ragged_dims), group = xg_attr_ints(i, XG_A_rhs_group_dims);
    xg_infer_dot_dims v = xg_want_dot_dims(i, l, r);
    bool contracting, batch, ok;
    int64_t groups, k;
    xg_draft d, prefix;
    XG_RULE(i, xg_infer_is_int(g->type), "group_sizes must be integers, but are %s", xg_infer_text(i, g));
    XG_RULE(i, g->rank >= 1, "group_sizes must have at least one dimension, but are %s", xg_infer_text(i, g));
    XG_RULE(i, ragged.n == 1, "lhs_ragged_dims must name one dimension, but is %s", xg_infer_ints_text(i, ragged));
    xg_want_dims(i, "lhs_ragged_dims", ragged, l->rank, false);
    xg_want_dims(i, "rhs_group_dims", group, r->rank, false);
    xg_want_disjoint(i, "rhs_group_dims", group, "rhs_contracting_dims", v.rc);
    xg_want_disjoint(i, "rhs_group_dims", group, "rhs_batch_dims", v.rb);
    contracting = xg_ints_has(v.lc, ragged.p[0]);
    batch = xg_ints_has(v.lb, ragged.p[0]);
    if (contracting || batch)
        XG_RULE(i, group.n == 0,
            "rhs_group_dims must be {} when the ragged dimension is a contracting or batch one, but is %s",
            xg_infer_ints_text(i, group));
    else
        XG_RULE(i, group.n == 1, "rhs_group_dims must name one dimension, but is %s", xg_infer_ints_text(i, group));
    groups = g->dims[g->rank - 1];
    if (group.n)
        XG_RULE(i, r->dims[group.p[0]] == groups, "there are %lld group sizes, but dimension %lld of %s is not that",
            (long long)groups, (long long)group.p[0], xg_infer_text(i, r));
    prefix.type = g->type;
    prefix.rank = 0;
    for (k = 0; k < (int64_t)v.lb.n && v.lb.p[k] != ragged.p[0]; k++)
        xg_draft_push(i, &prefix, l->dims[v.lb.p[k]], XG_DIM_STATIC);
    if (contracting)
        for (k = 0; k < (int64_t)v.lc.n && v.lc.p[k] != ragged.p[0]; k++)
            xg_draft_push(i, &prefix, l->dims[v.lc.p[k]], XG_DIM_STATIC);
    if (!contracting && !batch)
        for (k = 0; k < ragged.p[0]; k++)
            if (xg_infer_dot_free(v.lc, v.lb, k)) xg_draft_push(i, &prefix, l->dims[k], XG_DIM_STATIC);
    ok = g->rank == 1 || g->rank == prefix.rank + 1;
    for (k = 0; ok && g->rank > 1 && k < (int64_t)prefix.rank; k++) ok = g->dims[k] == prefix.size[k];
    XG_RULE(i, ok,
        "group_sizes must be one vector, or one for each of the %u dimensions before the ragged one, but are %s",
        prefix.rank, xg_infer_text(i, g));
    d.type = xg_want_product_type(i, l->type, r->type);
    d.rank = 0;
    if (contracting) xg_draft_push(i, &d, groups, XG_DIM_STATIC);
    xg_infer_dot_result(i, l, r, &v, group, &d);
    return xg_draft_shape(m, &d);
}

/* ---- convolution ---- */

/* Every dimension of a shape has exactly one role. */
static void xg_want_roles(
    const xg_inst *i, const char *what, const xg_shape *s, int64_t a, int64_t b, xg_ints spatial, uint32_t n) {
    uint64_t seen = 0;
    uint32_t k;
    XG_RULE(i, s->rank == n + 2 && spatial.n == n, "%s must have %u dimensions as dim_labels say, but is %s", what,
        n + 2, xg_infer_text(i, s));
    for (k = 0; k < n + 2; k++) {
        int64_t d = k == n ? a : k == n + 1 ? b : spatial.p[k];
        XG_RULE(i, d >= 0 && d < (int64_t)s->rank && !(seen >> d & 1),
            "dim_labels must give each of the %u dimensions of %s one role", s->rank, what);
        seen |= (uint64_t)1 << d;
    }
}

static const xg_shape *xg_infer_convolution(xg_module *m, const xg_inst *i) {
    static const xg_window none = {0, NULL};
    const xg_shape *l = xg_want_array_0(i), *r = xg_want_array(i, 1);
    const xg_attr *a = xg_inst_attr(i, XG_A_dim_labels), *wa = xg_inst_attr(i, XG_A_window);
    const xg_dim_labels *v = a ? a->v.labels : NULL;
    const xg_window *w = wa ? wa->v.window : &none;
    int64_t fg = xg_attr_or_1(i, XG_A_feature_group_count), bg = xg_attr_or_1(i, XG_A_batch_group_count), batch,
            features, in, out;
    xg_draft d;
    uint32_t n, k;
    XG_RULE(i, v != NULL, "attribute dim_labels is missing");
    n = v->input_spatial.n;
    XG_RULE(i, w->n == n, "the window has %u dimensions, but dim_labels have %u spatial ones", w->n, n);
    if (n + 2 > XG_RANK_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "there are more than %d dimensions", (int)XG_RANK_MAX);
    xg_want_roles(i, "the input", l, v->input_batch, v->input_feature, v->input_spatial, n);
    xg_want_roles(i, "the kernel", r, v->kernel_input, v->kernel_output, v->kernel_spatial, n);
    d.type = xg_want_product_type(i, l->type, r->type);
    d.rank = n + 2;
    for (k = 0; k < n + 2; k++) {
        d.size[k] = -1;
        d.dynamic[k] = XG_DIM_STATIC;
    }
    XG_RULE(i, fg >= 1 && bg >= 1, "feature_group_count=%lld and batch_group_count=%lld must be at least 1",
        (long long)fg, (long long)bg);
    XG_RULE(i, fg == 1 || bg == 1, "only one of feature_group_count=%lld and batch_group_count=%lld may exceed 1",
        (long long)fg, (long long)bg);
    batch = l->dims[v->input_batch];
    features = l->dims[v->input_feature];
    in = r->dims[v->kernel_input];
    out = r->dims[v->kernel_output];
    if (xg_shape_dim_kind(l, v->input_feature) != XG_DIM_UNBOUNDED &&
        xg_shape_dim_kind(r, v->kernel_input) != XG_DIM_UNBOUNDED)
        XG_RULE(i, features == xg_want_product(i, in, fg),
            "the input features of %s must be feature_group_count=%lld times those of the kernel %s: %lld and %lld",
            xg_infer_text(i, l), (long long)fg, xg_infer_text(i, r), (long long)features, (long long)in);
    XG_RULE(i, out % fg == 0, "the output features %lld must be a multiple of feature_group_count=%lld", (long long)out,
        (long long)fg);
    XG_RULE(i, out % bg == 0, "the output features %lld must be a multiple of batch_group_count=%lld", (long long)out,
        (long long)bg);
    XG_RULE(i, batch % bg == 0, "the batch size %lld must be a multiple of batch_group_count=%lld", (long long)batch,
        (long long)bg);
    XG_RULE(i,
        v->output_batch >= 0 && v->output_batch < (int64_t)n + 2 && v->output_feature >= 0 &&
            v->output_feature < (int64_t)n + 2 && v->output_spatial.n == n,
        "dim_labels must give each dimension of the result one role");
    d.size[v->output_batch] = batch / bg;
    d.dynamic[v->output_batch] = xg_shape_dim_kind(l, v->input_batch);
    d.size[v->output_feature] = out;
    d.dynamic[v->output_feature] = xg_shape_dim_kind(r, v->kernel_output);
    for (k = 0; k < n; k++) {
        int64_t o = v->output_spatial.p[k], s = v->input_spatial.p[k];
        XG_RULE(i, w->p[k].size == r->dims[v->kernel_spatial.p[k]],
            "window size %lld of spatial dimension %u must be that of the kernel %s", (long long)w->p[k].size, k,
            xg_infer_text(i, r));
        XG_RULE(i, o >= 0 && o < (int64_t)n + 2 && d.size[o] == -1,
            "dim_labels must give each dimension of the result one role");
        d.size[o] = xg_want_places(i, k, &w->p[k], l->dims[s]);
        d.dynamic[o] = xg_shape_dim_kind(l, s);
        if (d.dynamic[o] == XG_DIM_UNBOUNDED) d.size[o] = 0;
    }
    XG_RULE(i, v->output_batch != v->output_feature, "dim_labels must give each dimension of the result one role");
    return xg_draft_shape(m, &d);
}

/* ---- transforms and solvers ---- */

static const xg_shape *xg_infer_fft(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_array_0(i);
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    bool real_in = xg_str_is(type, "RFFT"), real_out = xg_str_is(type, "IRFFT");
    xg_draft d;
    uint32_t k;
    XG_RULE(i, real_in || real_out || xg_word_in("FFT IFFT", type) >= 0,
        "fft_type=%.*s must be FFT, IFFT, RFFT or IRFFT", (int)type.n, type.p);
    XG_RULE(i, n.n >= 1 && n.n <= 3, "fft_length=%s must have 1 to 3 entries", xg_infer_ints_text(i, n));
    XG_RULE(i, s->rank >= n.n, "%s has fewer dimensions than fft_length=%s has entries", xg_infer_text(i, s),
        xg_infer_ints_text(i, n));
    if (real_in)
        XG_RULE(i, s->type == XLAGPU_F32 || s->type == XLAGPU_F64,
            "the operand of an RFFT must be f32 or f64, but is %s", xg_infer_text(i, s));
    else
        XG_RULE(i, xg_type_class(s->type) == XGT_C, "the operand of an %.*s must be complex, but is %s", (int)type.n,
            type.p, xg_infer_text(i, s));
    xg_draft_of(&d, s);
    for (k = 0; k < n.n; k++) {
        uint32_t at = s->rank - n.n + k;
        int64_t want = n.p[k];
        XG_RULE(i, want >= 0, "fft_length=%s must not be negative", xg_infer_ints_text(i, n));
        if (real_out && k + 1 == n.n && want > 0) want = want / 2 + 1;
        XG_RULE(i, s->dims[at] == want || d.dynamic[at] == XG_DIM_UNBOUNDED,
            "dimension %u of %s must be %lld for %.*s with fft_length=%s", at, xg_infer_text(i, s), (long long)want,
            (int)type.n, type.p, xg_infer_ints_text(i, n));
    }
    if (real_in && n.p[n.n - 1] > 0) d.size[s->rank - 1] = n.p[n.n - 1] / 2 + 1;
    if (real_out) d.size[s->rank - 1] = n.p[n.n - 1];
    if (real_in) d.type = s->type == XLAGPU_F32 ? XLAGPU_C64 : XLAGPU_C128;
    if (real_out) d.type = xg_type_real(s->type);
    return xg_draft_shape(m, &d);
}

static const xg_shape *xg_infer_triangular_solve(xg_module *m, const xg_inst *i) {
    const xg_shape *a = xg_want_array_0(i), *b = xg_want_array(i, 1);
    xg_str t = xg_attr_str(i, XG_A_transpose_a);
    bool left = xg_attr_or_0(i, XG_A_left_side) != 0;
    uint32_t k, r = a->rank;
    xg_want_same_type(i, 0, 1);
    XG_RULE(i, xg_word_in("NO_TRANSPOSE TRANSPOSE ADJOINT", t) >= 0,
        "transpose_a=%.*s must be NO_TRANSPOSE, TRANSPOSE or ADJOINT", (int)t.n, t.p);
    XG_RULE(i, r >= 2 && xg_shape_dim_agrees(a, r - 1, a, r - 2), "operand 0 must be square matrices, but is %s",
        xg_infer_text(i, a));
    XG_RULE(i, b->rank == r, "both operands must have as many dimensions, but are %s and %s", xg_infer_text(i, a),
        xg_infer_text(i, b));
    for (k = 0; k + 2 < r; k++)
        XG_RULE(i, xg_shape_dim_agrees(a, k, b, k), "batch dimension %u of %s and %s must be equal", k,
            xg_infer_text(i, a), xg_infer_text(i, b));
    XG_RULE(i, xg_shape_dim_agrees(a, r - 1, b, left ? r - 2 : r - 1),
        "with left_side=%s, dimension %u of %s must be that of the matrices %s", left ? "true" : "false",
        left ? r - 2 : r - 1, xg_infer_text(i, b), xg_infer_text(i, a));
    return xg_shape_default_layout(m, b);
}

#endif /* XG_HLO_INFER_CONTRACT_C */
