/* eval/calls.c -- custom-call: functions that the caller registers, then the targets below, which are known by name.
 *
 * XG_EVAL_CALLS: X(target, word): xg_call_<word> gives the value, or NULL when the operands or results are not what it
 * knows. A call that is not known is refused by its name. Solvers compute in complex doubles and are in solvers.c,
 * eigen.c and general.c. */
#ifndef XG_EVAL_CALLS_C
#define XG_EVAL_CALLS_C
#include "eval.h"

/* clang-format off */
#define XG_EVAL_CALLS(X) \
    /* markers of sharding and placement */ \
    X("HostExecute", execute) \
    X("Sharding", same) \
    X("SPMDFullToShardShape", same) \
    X("SPMDShardToFullShape", same) \
    X("xla.sdy.Sharding", same) \
    X("xla.sdy.PropagationBarrier", same) \
    X("xla.sdy.FuncResultSharding", same) \
    X("MoveToHost", same) \
    X("MoveToDevice", same) \
    X("annotate_device_placement", same) \
    X("LayoutConstraint", same) \
    X("PinToDevice", same) \
    X("Pin", same) \
    X("Unpin", same) \
    X("AssumeGatherIndicesInBound", same) \
    /* buffers without contents */ \
    X("AllocateBuffer", zeros) \
    X("CreateBuffer", zeros)
/* What computes: a small build refuses it. */
#define XG_EVAL_CALLS_COMPUTED(X) \
    /* dynamic shapes */ \
    X("PadToStatic", pad_to_static) \
    X("SliceToDynamic", slice_to_dynamic) \
    /* selection and random bits */ \
    X("TopK", top_k) \
    X("__gpu$TopK", top_k) \
    X("ApproxTopK", approx_top_k) \
    X("PartialReduce", approx_top_k) \
    X("cu_threefry2x32_ffi", threefry) \
    X("cu_threefry2x32", threefry) \
    X("__op$block_scaled_dot", block_scaled_dot)
/* Factorisations and solvers: a small build has their names alone, and refuses them. */
#define XG_EVAL_SOLVERS(X) \
    /* as XLA's own library asks for them, which TensorFlow uses */ \
    X("Qr", geqrf) \
    X("ProductOfElementaryHouseholderReflectors", orgqr) \
    X("Eigh", syevd) \
    /* as JAX asks CUDA for them */ \
    X("cusolver_potrf_ffi", potrf) \
    X("cusolver_getrf_ffi", getrf) \
    X("cublas_getrf_batched_ffi", getrf) \
    X("cu_lu_pivots_to_permutation", pivots) \
    X("cusolver_geqrf_ffi", geqrf) \
    X("cublas_geqrf_batched_ffi", geqrf) \
    X("cusolver_orgqr_ffi", orgqr) \
    X("cusolver_ormqr_ffi", ormqr) \
    X("cusolver_syevd_ffi", syevd) \
    X("cusolver_gesvd_ffi", gesvd) \
    X("cusolver_gesdd_ffi", gesvd) \
    X("cusolver_gesvdj_ffi", gesvdj) \
    X("cusolver_gesvdp_ffi", gesvdj) \
    X("cusolver_geev_ffi", geev) \
    X("cusolver_sytrd_ffi", sytrd) \
    X("cusparse_gtsv2_ffi", gtsv) \
    X("cusolver_syrk_ffi", syrk) \
    X("cu_cholesky_update_ffi", cholesky_update) \
    /* what expand/library_rewriter.c leaves to libraries */ \
    X("__cufft$fft", fft) \
    X("__cusolver$potrf", potrf) \
    X("__cusolver$getrf", getrf) \
    X("__cusolver$geqrf", geqrf) \
    X("__cusolver$orgqr", orgqr) \
    X("__cusolver$syevd", syevd) \
    X("__cusolver$gesvd", gesvd) \
    /* what opt/solver_calls.c leaves to kernels of our own */ \
    X("__xlagpu$getrf", getrf) \
    X("__xlagpu$pivots", pivots) \
    X("__xlagpu$geqrf", geqrf) \
    X("__xlagpu$geqp3", geqp3) \
    X("__xlagpu$gehrd", gehrd) \
    X("__xlagpu$ormqr", ormqr) \
    X("__xlagpu$syevd", syevd) \
    X("__xlagpu$gesvd", gesvd) \
    X("__xlagpu$gesvdj", gesvdj) \
    X("__xlagpu$gtsv", gtsv) \
    X("__xlagpu$gees", schur) \
    X("__xlagpu$geev", eigenvectors) \
    /* and the host: LAPACK */ \
    X("lapack_?potrf_ffi", potrf) \
    X("lapack_?getrf_ffi", getrf) \
    X("lapack_?geqrf_ffi", geqrf) \
    X("lapack_?orgqr_ffi", orgqr) \
    X("lapack_?ungqr_ffi", orgqr) \
    X("lapack_?ormqr_ffi", ormqr) \
    X("lapack_?unmqr_ffi", ormqr) \
    X("lapack_?syevd_ffi", syevd) \
    X("lapack_?heevd_ffi", syevd) \
    X("lapack_?gesdd_ffi", gesvd) \
    X("lapack_?gesvd_ffi", gesvd) \
    X("lapack_?sytrd_ffi", sytrd) \
    X("lapack_?hetrd_ffi", sytrd) \
    X("lapack_?trsm_ffi", trsm) \
    X("lapack_?gtsv_ffi", gtsv) \
    X("cuhybrid_geqp3", geqp3) \
    X("lapack_?geqp3_ffi", geqp3) \
    X("lapack_?gehrd_ffi", gehrd) \
    X("lapack_?geev_ffi", geev) \
    X("cuhybrid_eig_real", geev) \
    X("cuhybrid_eig_comp", geev) \
    X("lapack_?gees_ffi", gees)
/* clang-format on */

/* ---- attributes of calls ---- */

/* The text behind NAME = or "NAME": in the configuration, which is a dictionary of MLIR or of JSON; empty when it is
 * not there. */
XG_FN xg_str xg_call_option_of(xg_str c, const char *name) {
    xg_str none = {NULL, 0};
    size_t n = strlen(name);
    uint32_t k;
    for (k = 0; k + n <= c.n; k++) {
        uint32_t at = k + (uint32_t)n;
        if (memcmp(c.p + k, name, n) != 0 ||
            (k && c.p[k - 1] != ' ' && c.p[k - 1] != '{' && c.p[k - 1] != '"' && c.p[k - 1] != ','))
            continue;
        while (at < c.n && (c.p[at] == ' ' || c.p[at] == '"' || c.p[at] == '\\')) at++;
        if (at == c.n || (c.p[at] != '=' && c.p[at] != ':')) continue;
        for (at++; at < c.n && c.p[at] == ' ';) at++;
        return xg_str_of(c.p + at, c.n - at);
    }
    return none;
}
XG_FN xg_str xg_call_option(const xg_inst *i, const char *name) {
    return xg_call_option_of(xg_attr_str(i, XG_A_backend_config), name);
}
XG_FN bool xg_call_flag(const xg_inst *i, const char *name, bool otherwise) {
    xg_str v = xg_call_option(i, name);
    return v.n ? v.n >= 4 && memcmp(v.p, "true", 4) == 0 : otherwise;
}

XG_FN int64_t xg_call_number(xg_str v) { /* of at most nine digits; else -1 */
    int64_t n = 0;
    uint32_t k;
    for (k = 0; k < v.n && v.p[k] >= '0' && v.p[k] <= '9'; k++) {
        n = n * 10 + (v.p[k] - '0');
        if (k == 9) return -1;
    }
    return k ? n : -1;
}
XG_FN bool xg_call_pair(const xg_inst *i, const char *name, int64_t *v) {
    xg_str s = xg_call_option(i, name);
    uint32_t at = 0, k;
    for (k = 0; k < 2; k++) {
        while (at < s.n && (s.p[at] < '0' || s.p[at] > '9')) at++;
        for (v[k] = 0; at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; at++)
            if (v[k] < INT64_MAX / 16) v[k] = v[k] * 10 + (s.p[at] - '0');
    }
    return s.n > 0;
}
XG_FN bool xg_call_is_number(const xg_inst *i, const char *name, int64_t v) {
    return xg_call_number(xg_call_option(i, name)) == v;
}
XG_FN bool xg_call_choice(const xg_inst *i, const char *flag, const char *name, const char *letters, bool otherwise) {
    xg_str v = xg_call_option(i, name);
    int64_t code = xg_call_number(v);
    return v.n ? code > 0 && code < 128 && strchr(letters, (int)code) != NULL : xg_call_flag(i, flag, otherwise);
}
/* "Eigh" has numbers: lower or not, ascending or not, rounds, tolerance. */
XG_FN bool xg_call_lower(const xg_inst *i) {
    xg_str c = xg_attr_str(i, XG_A_backend_config);
    while (c.n && *c.p == '"') c = xg_str_of(c.p + 1, c.n - 1);
    return c.n > 1 && c.p[1] == ',' ? *c.p != '0' : xg_call_choice(i, "lower", "uplo", "L", true);
}
XG_FN bool xg_call_is(xg_str target, const char *name) {
    uint32_t k;
    if (target.n != strlen(name)) return false;
    for (k = 0; k < target.n; k++)
        if (name[k] == '?' ? !target.p[k] || !strchr("sdcz", target.p[k]) : name[k] != target.p[k]) return false;
    return true;
}

/* ---- the simple ones ---- */

/* The value of a pinned buffer is the array in it. */
XG_FN xg_value *xg_call_same(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    if (i->n_operands < 1 || xg_shape_held(i->shape)->plain != xg_shape_held(XG_OPERAND(i, 0)->shape)->plain)
        return NULL;
    (void)r;
    return xg_eval_keep(in[0]);
}

XG_FN xg_value *xg_call_zeros(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)in;
    return i->n_operands == 0 ? xg_eval_zero(r, xg_shape_held(i->shape)) : NULL;
}
XG_FN xg_value *xg_call_execute(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_attr *called = xg_inst_attr(i, XG_A_called_computations);
    const xg_comp *c = called && called->v.comps->n == 1 ? called->v.comps->p[0] : xg_attr_to_apply(i);
    uint32_t k;
    if (!c || c->n_params != i->n_operands || c->root->shape->plain != i->shape->plain) return NULL;
    for (k = 0; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->plain != c->params[k]->shape->plain) return NULL;
    return xg_eval_frame(r, c, in);
}

/* (the operand filled up to its bounds, its size in each dimension) */
XG_FN xg_value *xg_call_pad_to_static(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *out[XG_RANK_MAX + 1];
    uint32_t rank, d;
    if (i->n_operands != 1 || i->shape->type != XLAGPU_TUPLE || !xg_shape_is_array(in[0]->shape)) return NULL;
    rank = in[0]->shape->rank;
    if (i->shape->n_elems != rank + 1 || i->shape->elems[0]->rank != rank) return NULL;
    for (d = 0; d < rank; d++)
        if (!xg_shape_is_scalar(i->shape->elems[d + 1]) || xg_type_class(i->shape->elems[d + 1]->type) != XGT_I)
            return NULL;
    for (d = 0; d < rank; d++) {
        out[d + 1] = xg_eval_new(r, i->shape->elems[d + 1]);
        xg_eval_store_int(out[d + 1]->shape->type, out[d + 1]->data, in[0]->shape->dims[d]);
    }
    out[0] = xg_eval_resize(r, &in[0], i->shape->elems[0]->dims);
    return xg_eval_new_tuple(r, i->shape, out);
}

/* (filled operand, size of each dimension): what PadToStatic undoes. */
XG_FN xg_value *xg_call_slice_to_dynamic(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    if (!xg_shape_is_array(i->shape) || i->n_operands != i->shape->rank + 1 || in[0]->shape->rank != i->shape->rank ||
        in[0]->shape->type != i->shape->type)
        return NULL;
    for (d = 0; d < i->shape->rank; d++) {
        if (!xg_shape_is_scalar(in[d + 1]->shape) || xg_type_class(in[d + 1]->shape->type) != XGT_I) return NULL;
        dims[d] = xg_eval_int_at(in[d + 1], 0);
        if (dims[d] < 0 || dims[d] > in[0]->shape->dims[d])
            xg_hlo_wrong(i, "dimension %u, of at most %lld, is to become %lld", d, (long long)in[0]->shape->dims[d],
                (long long)dims[d]);
    }
    return xg_eval_resize(r, &in[0], dims);
}

/* values -> (the k largest of each row, their s32 indices); the stable order of topk. */
XG_FN xg_value *xg_call_top_k(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *s = in[0]->shape, *t = i->shape;
    uint32_t d;
    if (i->n_operands != 1 || t->type != XLAGPU_TUPLE || t->n_elems != 2 || s->rank < 1 ||
        t->elems[0]->rank != s->rank || t->elems[0]->type != s->type || t->elems[1]->type != XLAGPU_S32)
        return NULL;
    if (!(xg_type_class(s->type) & (XGT_I | XGT_F)) || !xg_shape_same_dims(t->elems[0], t->elems[1]) ||
        t->elems[0]->dims[s->rank - 1] > s->dims[s->rank - 1])
        return NULL;
    for (d = 0; d + 1 < s->rank; d++)
        if (t->elems[0]->dims[d] != s->dims[d]) return NULL;
    return xg_eval_topk(r, i, in); /* its other attributes are absent: largest first */
}

/* (arrays, initial values) -> the best of each row by the comparator; the dimension of the rows, or -1 where the call
 * is not as it should be. What is asked for may be less than the best: an approximation. All of the best are one,
 * too. */
XG_FN int64_t xg_call_best_dim(const xg_inst *i, const xg_comp **comparator) {
    const xg_attr *called = xg_inst_attr(i, XG_A_called_computations);
    int64_t dim = xg_call_number(xg_call_option(i, "reduction_dim"));
    uint32_t n = i->n_operands / 2, k, d;
    *comparator = called && called->v.comps->n == 1 ? called->v.comps->p[0] : NULL;
    if (!*comparator || n == 0 || i->n_operands % 2 || i->shape->type != XLAGPU_TUPLE || i->shape->n_elems != n ||
        (*comparator)->n_params != 2 * n || (*comparator)->root->shape->type != XLAGPU_PRED)
        return -1;
    for (k = 0; k < n; k++) {
        const xg_shape *s = XG_OPERAND(i, k)->shape, *t = i->shape->elems[k];
        if (!xg_shape_is_array(s) || !xg_shape_is_array(t) || s->dynamic || dim < 0 || dim >= (int64_t)s->rank ||
            t->rank != s->rank || t->type != s->type || !xg_shape_same_dims(s, XG_OPERAND(i, 0)->shape))
            return -1;
        if ((*comparator)->params[2 * k]->shape->type != s->type ||
            (*comparator)->params[2 * k + 1]->shape->type != s->type)
            return -1;
        for (d = 0; d < s->rank; d++)
            if (d == (uint32_t)dim ? t->dims[d] > s->dims[d] || t->dims[d] != i->shape->elems[0]->dims[d]
                                   : t->dims[d] != s->dims[d])
                return -1;
    }
    return dim;
}
XG_FN xg_value *xg_call_approx_top_k(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_comp *comparator;
    int64_t dim = xg_call_best_dim(i, &comparator);
    uint32_t n = i->n_operands / 2, k;
    xg_value **sorted, **out;
    if (dim < 0) return NULL;
    sorted = XG_NEW_N(&r->stack, xg_value *, n);
    out = XG_NEW_N(&r->stack, xg_value *, n);
    xg_eval_sort_arrays(r, in, n, (uint32_t)dim, comparator, sorted);
    for (k = 0; k < n; k++) {
        out[k] = xg_eval_resize(r, &sorted[k], i->shape->elems[k]->dims);
        xg_eval_drop(r, sorted[k]);
    }
    return xg_eval_new_tuple(r, i->shape, out);
}

/* (key low, key high, x0, x1), u32 arrays of one shape -> two arrays. */
XG_FN xg_value *xg_call_threefry(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const uint32_t *p[4];
    xg_value *out[2];
    int64_t n, k;
    uint32_t o;
    if (i->n_operands != 4 || i->shape->type != XLAGPU_TUPLE || i->shape->n_elems != 2) return NULL;
    n = i->shape->elems[0]->elements;
    for (o = 0; o < 2; o++)
        if (i->shape->elems[o]->type != XLAGPU_U32 || i->shape->elems[o]->elements != n) return NULL;
    for (o = 0; o < 4; o++) {
        if (in[o]->shape->type != XLAGPU_U32 || in[o]->shape->elements != n) return NULL;
        p[o] = (const uint32_t *)(const void *)xg_eval_dense(r, &in[o]);
    }
    xg_eval_spend(r, n);
    for (o = 0; o < 2; o++) out[o] = xg_eval_new(r, i->shape->elems[o]);
    for (k = 0; k < n; k++) {
        uint32_t words[2];
        xg_threefry(p[2][k] | (uint64_t)p[3][k] << 32, p[0][k] | (uint64_t)p[1][k] << 32, words);
        for (o = 0; o < 2; o++) ((uint32_t *)(void *)out[o]->data)[k] = words[o];
    }
    return xg_eval_new_tuple(r, i->shape, out);
}

/* ---- the opcode ---- */

/* The words of these lists: many targets share one. */
/* clang-format off */
#define XG_CALL_WORDS(X) X(execute) X(same) X(zeros)
#define XG_CALL_WORDS_COMPUTED(X) \
    X(pad_to_static) X(slice_to_dynamic) X(top_k) X(approx_top_k) X(threefry) X(block_scaled_dot) X(geqrf) X(orgqr) \
    X(syevd) X(potrf) X(getrf) X(pivots) X(ormqr) X(gesvd) X(gesvdj) X(geev) X(sytrd) X(gtsv) X(syrk) \
    X(cholesky_update) X(fft) X(geqp3) X(gehrd) X(schur) X(eigenvectors) X(trsm) X(gees)
/* clang-format on */
#define X(word) XG_FN xg_value *xg_call_##word(xg_eval_run *r, const xg_inst *i, xg_value **in);
XG_CALL_WORDS(X)
XG_CALL_WORDS_COMPUTED(X)
#undef X
#ifdef XLAGPU_SMALL
XG_COLD XG_FN xg_value *xg_call_left_out(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)in;
    xg_hlo_left_out(i, "calls that compute are");
}
#endif
/* The targets stand in a list of their own, in the same order, for xg_text_nth. */
XG_TABLE const char xg_call_targets[] =
#define X(target, word) target "\0"
    XG_EVAL_CALLS(X) XG_EVAL_CALLS_COMPUTED(X) XG_EVAL_SOLVERS(X)
#undef X
    ;
enum {
#define X(word) XG_CALL_##word,
    XG_CALL_WORDS(X) XG_CALL_WORDS_COMPUTED(X)
#undef X
};
XG_TABLE const uint8_t xg_call_words[] = {
#define X(target, word) XG_CALL_##word,
    XG_EVAL_CALLS(X) XG_EVAL_CALLS_COMPUTED(X) XG_EVAL_SOLVERS(X)
#undef X
};
XG_TABLE const xg_call_fn xg_call_runs[] = {
#define X(word) xg_call_##word,
    XG_CALL_WORDS(X)
#undef X
#ifdef XLAGPU_SMALL
#define X(word) xg_call_left_out,
#else
#define X(word) xg_call_##word,
#endif
        XG_CALL_WORDS_COMPUTED(X)
#undef X
};

#ifdef XLAGPU_SMALL
XG_FN bool xg_eval_is_left_out(const xg_inst *i) {
    xg_str target = xg_attr_str(i, XG_A_custom_call_target);
    const char *name = xg_call_targets;
    uint32_t k;
    for (k = 0; i->op == XG_CUSTOM_CALL && *name; k++, name += strlen(name) + 1)
        if (xg_call_is(target, name)) return xg_call_runs[xg_call_words[k]] == xg_call_left_out;
    return false;
}
#endif

XG_FN xg_value *xg_call_registered(xg_eval_run *r, const xg_inst *i, const xg_eval_target *call, xg_value **in) {
    xg_mark mark = xg_arena_mark(&r->stack);
    const xg_literal **operands = XG_NEW_N(&r->stack, const xg_literal *, i->n_operands);
    xg_literal *result = xg_literal_new(&r->stack, i->shape);
    xg_value *v;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) operands[k] = xg_eval_literal(r, &r->stack, in[k], 0);
    if (!call->run(call->user, i, operands, i->n_operands, result))
        xg_hlo_wrong(i, "the function registered for '%s' failed", call->target);
    v = xg_eval_import(r, result);
    xg_arena_reset(&r->stack, mark);
    return v;
}

XG_FN xg_value *xg_eval_custom_call(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_str target = xg_attr_str(i, XG_A_custom_call_target);
    xg_value *v;
    const char *nearest, *name = xg_call_targets;
    char hint[128];
    uint32_t k;
    for (k = 0; k < r->options.n_calls; k++)
        if (xg_str_is(target, r->options.calls[k].target)) return xg_call_registered(r, i, &r->options.calls[k], in);
    for (k = 0; *name; k++, name += strlen(name) + 1) {
        if (!xg_call_is(target, name)) continue;
        v = i->n_operands || xg_call_words[k] == XG_CALL_zeros || xg_call_words[k] == XG_CALL_execute
                ? xg_call_runs[xg_call_words[k]](r, i, in)
                : NULL; /* all others look at their first operand */
        if (!v)
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "replace the call by HLO operations",
                "the evaluator does not know '%.*s' with these operands and results", (int)target.n, target.p);
        return v;
    }
    nearest = xg_nearest(target, xg_text_nth, xg_call_targets);
    xg_format(
        hint, sizeof hint, nearest ? "did you mean %s?" : "replace the call by HLO operations", nearest ? nearest : "");
    xg_hlo_fail(
        i, XLAGPU_ERROR_UNSUPPORTED, hint, "the evaluator does not know the target '%.*s'", (int)target.n, target.p);
}

#endif /* XG_EVAL_CALLS_C */
