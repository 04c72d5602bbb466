/* import/stable_props.c -- the properties of each operation of StableHLO, from HLO's attributes. */
#ifndef XG_IMPORT_STABLE_PROPS_C
#define XG_IMPORT_STABLE_PROPS_C
#include "stable.h"
#include "ops.h"
#include "stable_type.c"

XG_NORETURN XG_FN void xg_stable_refuse(xg_stable *w, const xg_inst *i, const char *why) {
    xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED, "error: %s %.*s cannot be written as StableHLO: %s", xg_op_name(i->op),
        (int)XG_MIN(i->name.n, 200u), i->name.p, why);
}
XG_FN void xg_stable_prop(xg_stable *w, const char *name) {
    if (w->n_props++) xg_puts(&w->b, ", ");
    xg_printf(&w->b, "%s = ", name);
}
XG_FN void xg_stable_list(xg_stable *w, xg_ints v) { /* [1, 2] */
    uint32_t k;
    xg_putc(&w->b, '[');
    for (k = 0; k < v.n; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_put_i64(&w->b, v.p[k]);
    }
    xg_putc(&w->b, ']');
}
XG_FN void xg_stable_array(xg_stable *w, const char *name, const int64_t *p, uint32_t n) {
    uint32_t k;
    xg_stable_prop(w, name);
    xg_puts(&w->b, "array<i64");
    for (k = 0; k < n; k++) { xg_printf(&w->b, "%s%lld", k ? ", " : ": ", (long long)p[k]); }
    xg_putc(&w->b, '>');
}
XG_FN void xg_stable_ints_of(xg_stable *w, const xg_inst *i, const char *name, xg_attr_key key) {
    xg_ints v = xg_attr_ints(i, key);
    xg_stable_array(w, name, v.p, v.n);
}
XG_FN void xg_stable_i64(xg_stable *w, const char *name, int64_t v) {
    xg_stable_prop(w, name);
    xg_printf(&w->b, "%lld : i64", (long long)v);
}
XG_FN void xg_stable_i32(xg_stable *w, const char *name, int64_t v) {
    xg_stable_prop(w, name);
    xg_printf(&w->b, "%lld : i32", (long long)v);
}
XG_FN void xg_stable_bool(xg_stable *w, const char *name, int64_t v) {
    xg_stable_prop(w, name);
    xg_puts(&w->b, v ? "true" : "false");
}
/* #stablehlo<kind WORD>, the word in capitals */
XG_FN void xg_stable_enum(xg_stable *w, const char *kind, xg_str word) {
    uint32_t k;
    xg_printf(&w->b, "#stablehlo<%s ", kind);
    for (k = 0; k < word.n; k++)
        xg_putc(&w->b, (char)(word.p[k] >= 'a' && word.p[k] <= 'z' ? word.p[k] - 32 : word.p[k]));
    xg_putc(&w->b, '>');
}
XG_FN void xg_stable_word(xg_stable *w, const char *name, const char *kind, xg_str word) {
    xg_stable_prop(w, name);
    xg_stable_enum(w, kind, word);
}
/* dense<[[1, 2], [3, -1]]> : tensor<2x2xi64>; short rows end in -1 */
XG_FN void xg_stable_matrix(xg_stable *w, const char *name, const xg_ints *rows, uint32_t n, uint32_t width) {
    uint32_t k, c;
    xg_stable_prop(w, name);
    xg_puts(&w->b, "dense<");
    for (k = 0; k < n && width; k++) {
        xg_puts(&w->b, k ? ", [" : "[[");
        for (c = 0; c < width; c++)
            xg_printf(&w->b, "%s%lld", c ? ", " : "", c < rows[k].n ? (long long)rows[k].p[c] : -1ll);
        xg_putc(&w->b, ']');
    }
    xg_printf(&w->b, "%s> : tensor<%ux%uxi64>", n && width ? "]" : "", n, width);
}
XG_FN void xg_stable_none(xg_stable *w, const xg_inst *i) { (void)w, (void)i; }

/* ---- elementwise ---- */

XG_FN void xg_stable_compare(xg_stable *w, const xg_inst *i) {
    xg_str type = xg_attr_str(i, XG_A_type);
    if (type.n) xg_stable_word(w, "compare_type", "comparison_type", type);
    xg_stable_word(w, "comparison_direction", "comparison_direction", xg_attr_str(i, XG_A_direction));
}
XG_FN void xg_stable_reduce_precision(xg_stable *w, const xg_inst *i) {
    xg_stable_i32(w, "exponent_bits", xg_attr_or_0(i, XG_A_exponent_bits));
    xg_stable_i32(w, "mantissa_bits", xg_attr_or_0(i, XG_A_mantissa_bits));
}
/* A number of {tolerance={atol=1,rtol=0,ulps=4}}. */
XG_FN double xg_stable_tolerance(xg_str text, const char *name) {
    size_t n = strlen(name), k;
    double v = 0;
    bool overflow;
    for (k = 0; k + n < text.n; k++)
        if (memcmp(text.p + k, name, n) == 0) {
            xg_float_parse(text.p + k + n, text.n - k - n, &v, &overflow);
            return v;
        }
    return 0;
}
XG_APART XG_FN void xg_stable_real(xg_stable *w, double v) {
    xg_stable_float(w, XLAGPU_F64, (const unsigned char *)&v);
}
XG_FN void xg_stable_accuracy(xg_stable *w, const xg_inst *i) {
    xg_str text = xg_attr_str(i, XG_A_result_accuracy);
    bool tolerance = text.n > 2 && text.p[1] == 't';
    if (!text.n) return;
    xg_stable_prop(w, "result_accuracy");
    xg_puts(&w->b, "#stablehlo.result_accuracy<");
    if (tolerance) {
        xg_puts(&w->b, "atol = ");
        xg_stable_real(w, xg_stable_tolerance(text, "atol="));
        xg_puts(&w->b, ", rtol = ");
        xg_stable_real(w, xg_stable_tolerance(text, "rtol="));
        xg_printf(&w->b, ", ulps = %lld, ", (long long)xg_stable_tolerance(text, "ulps="));
    }
    xg_printf(&w->b, "mode = #stablehlo.result_accuracy_mode<%s>>", tolerance ? "TOLERANCE" : "HIGHEST");
}

/* ---- movement ---- */

XG_FN void xg_stable_iota(xg_stable *w, const xg_inst *i) {
    xg_stable_i64(w, "iota_dimension", xg_attr_or_0(i, XG_A_iota_dimension));
}
XG_FN void xg_stable_broadcast(xg_stable *w, const xg_inst *i) {
    xg_stable_ints_of(w, i, "broadcast_dimensions", XG_A_dimensions);
}
XG_FN int64_t xg_stable_one(const xg_inst *i) {
    xg_ints v = xg_attr_dims(i);
    return v.n ? v.p[0] : 0;
}
XG_FN void xg_stable_concatenate(xg_stable *w, const xg_inst *i) { xg_stable_i64(w, "dimension", xg_stable_one(i)); }
XG_FN void xg_stable_dimension(xg_stable *w, const xg_inst *i) { xg_stable_i64(w, "dimension", xg_stable_one(i)); }
XG_FN void xg_stable_transpose(xg_stable *w, const xg_inst *i) {
    xg_stable_ints_of(w, i, "permutation", XG_A_dimensions);
}
XG_FN void xg_stable_reverse(xg_stable *w, const xg_inst *i) { xg_stable_ints_of(w, i, "dimensions", XG_A_dimensions); }
/* One of the three numbers of each dimension. */
XG_FN void xg_stable_column(xg_stable *w, const char *name, const int64_t *p, uint32_t n, uint32_t which) {
    int64_t values[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < n; k++) values[k] = p[3 * k + which];
    xg_stable_array(w, name, values, n);
}
XG_FN void xg_stable_slice(xg_stable *w, const xg_inst *i) {
    const xg_slices *s = xg_inst_attr(i, XG_A_slice)->v.slices;
    xg_stable_column(w, "limit_indices", (const int64_t *)s->p, s->n, 1);
    xg_stable_column(w, "start_indices", (const int64_t *)s->p, s->n, 0);
    xg_stable_column(w, "strides", (const int64_t *)s->p, s->n, 2);
}
XG_FN void xg_stable_pad(xg_stable *w, const xg_inst *i) {
    const xg_pads *s = xg_inst_attr(i, XG_A_padding)->v.pads;
    xg_stable_column(w, "edge_padding_high", (const int64_t *)s->p, s->n, 1);
    xg_stable_column(w, "edge_padding_low", (const int64_t *)s->p, s->n, 0);
    xg_stable_column(w, "interior_padding", (const int64_t *)s->p, s->n, 2);
}
XG_FN void xg_stable_dynamic_slice(xg_stable *w, const xg_inst *i) {
    xg_stable_ints_of(w, i, "slice_sizes", XG_A_dynamic_slice_sizes);
}
/* name = [1, 2], among the dimension numbers of an operation; lists without elements are left out */
XG_FN void xg_stable_numbers(xg_stable *w, const xg_inst *i, const char *name, xg_attr_key key) {
    xg_ints v = xg_attr_ints(i, key);
    if (!v.n) return;
    xg_stable_prop(w, name);
    xg_stable_list(w, v);
}
XG_FN uint32_t xg_stable_inner(xg_stable *w, const char *name, const char *open) {
    uint32_t n;
    xg_stable_prop(w, name);
    xg_puts(&w->b, open);
    n = w->n_props;
    w->n_props = 0;
    return n;
}
XG_FN void xg_stable_outer(xg_stable *w, uint32_t n) {
    xg_putc(&w->b, '>');
    w->n_props = n;
}
XG_FN void xg_stable_vector_dim(xg_stable *w, const xg_inst *i) {
    xg_stable_prop(w, "index_vector_dim");
    xg_put_i64(&w->b, xg_attr_or_0(i, XG_A_index_vector_dim));
}
XG_FN void xg_stable_gather(xg_stable *w, const xg_inst *i) {
    uint32_t n = xg_stable_inner(w, "dimension_numbers", "#stablehlo.gather<");
    xg_stable_numbers(w, i, "offset_dims", XG_A_offset_dims);
    xg_stable_numbers(w, i, "collapsed_slice_dims", XG_A_collapsed_slice_dims);
    xg_stable_numbers(w, i, "operand_batching_dims", XG_A_operand_batching_dims);
    xg_stable_numbers(w, i, "start_indices_batching_dims", XG_A_start_indices_batching_dims);
    xg_stable_numbers(w, i, "start_index_map", XG_A_start_index_map);
    xg_stable_vector_dim(w, i);
    xg_stable_outer(w, n);
    xg_stable_bool(w, "indices_are_sorted", xg_attr_or_0(i, XG_A_indices_are_sorted));
    xg_stable_ints_of(w, i, "slice_sizes", XG_A_slice_sizes);
}
XG_FN void xg_stable_scatter(xg_stable *w, const xg_inst *i) {
    uint32_t n;
    xg_stable_bool(w, "indices_are_sorted", xg_attr_or_0(i, XG_A_indices_are_sorted));
    n = xg_stable_inner(w, "scatter_dimension_numbers", "#stablehlo.scatter<");
    xg_stable_numbers(w, i, "update_window_dims", XG_A_update_window_dims);
    xg_stable_numbers(w, i, "inserted_window_dims", XG_A_inserted_window_dims);
    xg_stable_numbers(w, i, "input_batching_dims", XG_A_input_batching_dims);
    xg_stable_numbers(w, i, "scatter_indices_batching_dims", XG_A_scatter_indices_batching_dims);
    xg_stable_numbers(w, i, "scatter_dims_to_operand_dims", XG_A_scatter_dims_to_operand_dims);
    xg_stable_vector_dim(w, i);
    xg_stable_outer(w, n);
    xg_stable_bool(w, "unique_indices", xg_attr_or_0(i, XG_A_unique_indices));
}

/* ---- contraction ---- */

XG_FN void xg_stable_precision(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_precision);
    uint32_t k;
    if (!a) return;
    xg_stable_prop(w, "precision_config");
    for (k = 0; k < a->v.words->n; k++) {
        xg_puts(&w->b, k ? ", " : "[");
        xg_stable_enum(w, "precision", a->v.words->p[k]);
    }
    xg_putc(&w->b, ']');
}
XG_FN void xg_stable_algorithm(xg_stable *w, const xg_inst *i) {
    xg_str name = xg_attr_str(i, XG_A_algorithm);
    const char *left = NULL, *right = NULL, *sum = NULL;
    int steps = 0, imprecise = 0;
    if (!name.n) return;
#define X(l, r, s, n, fast, text) \
    if (xg_str_is(name, text)) { \
        left = l; \
        right = r; \
        sum = s; \
        steps = n; \
        imprecise = fast; \
    }
    XG_IR_ALGORITHMS(X)
#undef X
    if (!left) xg_stable_refuse(w, i, "its algorithm has no counterpart");
    if (strcmp(left, "f8") == 0) {
        left = xg_ir_element_text(i->operands[0].value->shape->type);
        right = xg_ir_element_text(i->operands[1].value->shape->type);
    }
    xg_stable_prop(w, "algorithm");
    xg_printf(&w->b,
        "#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %s, accumulation_type = %s, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = %d, "
        "allow_imprecise_accumulation = %s>",
        left, right, sum, steps, imprecise ? "true" : "false");
}
XG_FN void xg_stable_dot(xg_stable *w, const xg_inst *i) {
    uint32_t n;
    xg_stable_algorithm(w, i);
    n = xg_stable_inner(w, "dot_dimension_numbers", "#stablehlo.dot<");
    xg_stable_numbers(w, i, "lhs_batching_dimensions", XG_A_lhs_batch_dims);
    xg_stable_numbers(w, i, "rhs_batching_dimensions", XG_A_rhs_batch_dims);
    xg_stable_numbers(w, i, "lhs_contracting_dimensions", XG_A_lhs_contracting_dims);
    xg_stable_numbers(w, i, "rhs_contracting_dimensions", XG_A_rhs_contracting_dims);
    xg_stable_outer(w, n);
    xg_stable_precision(w, i);
}
typedef enum xg_stable_part {
    XG_STABLE_SIZE,
    XG_STABLE_STRIDE,
    XG_STABLE_BASE,
    XG_STABLE_DILATION
} xg_stable_part;
XG_FN void xg_stable_window(xg_stable *w, const xg_window *win, const char *name, xg_stable_part part) {
    int64_t v[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < win->n; k++) {
        const xg_window_dim *d = &win->p[k];
        v[k] = part == XG_STABLE_SIZE     ? d->size
               : part == XG_STABLE_STRIDE ? d->stride
               : part == XG_STABLE_BASE   ? d->base_dilation
                                          : d->window_dilation;
    }
    xg_stable_array(w, name, v, win->n);
}
XG_FN void xg_stable_padding(xg_stable *w, const xg_window *win) {
    xg_ints rows[XG_RANK_MAX];
    int64_t pairs[2 * XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < win->n; k++) {
        pairs[2 * k] = win->p[k].pad_low;
        pairs[2 * k + 1] = win->p[k].pad_high;
        rows[k].p = pairs + 2 * (size_t)k;
        rows[k].n = 2;
    }
    xg_stable_matrix(w, "padding", rows, win->n, 2);
}
XG_FN const xg_window *xg_stable_window_of(const xg_inst *i) {
    static const xg_window none = {0, NULL};
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    return a ? a->v.window : &none;
}
/* [b, 0, 1, f]: the dimensions by role */
XG_FN void xg_stable_labels(xg_stable *w, int64_t first, char one, int64_t second, char two, xg_ints spatial) {
    uint32_t k, d, n = spatial.n + 2;
    xg_putc(&w->b, '[');
    for (d = 0; d < n; d++) {
        if (d) xg_puts(&w->b, ", ");
        if (first == d)
            xg_putc(&w->b, one);
        else if (second == d)
            xg_putc(&w->b, two);
        else {
            for (k = 0; k < spatial.n && spatial.p[k] != d; k++) {}
            xg_put_i64(&w->b, k);
        }
    }
    xg_putc(&w->b, ']');
}
XG_FN void xg_stable_convolution(xg_stable *w, const xg_inst *i) {
    const xg_window *win = xg_stable_window_of(i);
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    uint32_t k;
    xg_stable_i64(w, "batch_group_count", xg_attr_or_1(i, XG_A_batch_group_count));
    xg_stable_prop(w, "dimension_numbers");
    xg_puts(&w->b, "#stablehlo.conv<");
    xg_stable_labels(w, l->input_batch, 'b', l->input_feature, 'f', l->input_spatial);
    xg_putc(&w->b, 'x');
    xg_stable_labels(w, l->kernel_input, 'i', l->kernel_output, 'o', l->kernel_spatial);
    xg_puts(&w->b, "->");
    xg_stable_labels(w, l->output_batch, 'b', l->output_feature, 'f', l->output_spatial);
    xg_putc(&w->b, '>');
    xg_stable_i64(w, "feature_group_count", xg_attr_or_1(i, XG_A_feature_group_count));
    xg_stable_window(w, win, "lhs_dilation", XG_STABLE_BASE);
    xg_stable_padding(w, win);
    xg_stable_precision(w, i);
    xg_stable_window(w, win, "rhs_dilation", XG_STABLE_DILATION);
    xg_stable_prop(w, "window_reversal");
    xg_puts(&w->b, "array<i1");
    for (k = 0; k < win->n; k++) xg_printf(&w->b, "%s%s", k ? ", " : ": ", win->p[k].reversal ? "true" : "false");
    xg_putc(&w->b, '>');
    xg_stable_window(w, win, "window_strides", XG_STABLE_STRIDE);
}
XG_FN void xg_stable_fft(xg_stable *w, const xg_inst *i) {
    xg_stable_ints_of(w, i, "fft_length", XG_A_fft_length);
    xg_stable_word(w, "fft_type", "fft_type", xg_attr_str(i, XG_A_fft_type));
}
XG_FN void xg_stable_cholesky(xg_stable *w, const xg_inst *i) {
    xg_stable_bool(w, "lower", xg_attr_or_0(i, XG_A_lower));
}
XG_FN void xg_stable_triangular_solve(xg_stable *w, const xg_inst *i) {
    xg_str transpose = xg_attr_str(i, XG_A_transpose_a);
    xg_stable_bool(w, "left_side", xg_attr_or_0(i, XG_A_left_side));
    xg_stable_bool(w, "lower", xg_attr_or_0(i, XG_A_lower));
    xg_stable_word(w, "transpose_a", "transpose", transpose.n ? transpose : XG_STR("NO_TRANSPOSE"));
    xg_stable_bool(w, "unit_diagonal", xg_attr_or_0(i, XG_A_unit_diagonal));
}

/* ---- with regions ---- */

XG_FN void xg_stable_reduce(xg_stable *w, const xg_inst *i) {
    xg_ints v = xg_attr_dims(i);
    int64_t all[XG_RANK_MAX];
    uint32_t k;
    if (i->op == XG_MAP && !v.n) { /* a map is of all dimensions */
        for (k = 0; k < i->shape->rank; k++) all[k] = k;
        v.p = all;
        v.n = i->shape->rank;
    }
    xg_stable_array(w, "dimensions", v.p, v.n);
}
XG_FN void xg_stable_reduce_window(xg_stable *w, const xg_inst *i) {
    const xg_window *win = xg_stable_window_of(i);
    xg_stable_window(w, win, "base_dilations", XG_STABLE_BASE);
    xg_stable_padding(w, win);
    xg_stable_window(w, win, "window_dilations", XG_STABLE_DILATION);
    xg_stable_window(w, win, "window_dimensions", XG_STABLE_SIZE);
    xg_stable_window(w, win, "window_strides", XG_STABLE_STRIDE);
}
XG_FN void xg_stable_select_and_scatter(xg_stable *w, const xg_inst *i) {
    const xg_window *win = xg_stable_window_of(i);
    xg_stable_padding(w, win);
    xg_stable_window(w, win, "window_dimensions", XG_STABLE_SIZE);
    xg_stable_window(w, win, "window_strides", XG_STABLE_STRIDE);
}
XG_FN void xg_stable_sort(xg_stable *w, const xg_inst *i) {
    xg_stable_i64(w, "dimension", xg_stable_one(i));
    xg_stable_bool(w, "is_stable", xg_attr_or_0(i, XG_A_is_stable));
}
XG_FN void xg_stable_top_k(xg_stable *w, const xg_inst *i) {
    if (!xg_attr_or_0(i, XG_A_largest)) xg_stable_refuse(w, i, "the smallest elements have no operation");
    xg_stable_i64(w, "k", xg_attr_or_0(i, XG_A_k));
}
XG_FN void xg_stable_batch_norm(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_epsilon);
    xg_stable_prop(w, "epsilon");
    xg_stable_real(w, a->v.d);
    xg_puts(&w->b, " : f32");
    xg_stable_i64(w, "feature_index", xg_attr_or_0(i, XG_A_feature_index));
}
XG_FN void xg_stable_rng(xg_stable *w, const xg_inst *i) {
    bool normal = xg_attr_is(i, XG_A_distribution, "rng_normal");
    xg_stable_word(w, "rng_distribution", "rng_distribution", normal ? XG_STR("NORMAL") : XG_STR("UNIFORM"));
}
XG_FN void xg_stable_rng_bit_generator(xg_stable *w, const xg_inst *i) {
    xg_str name = xg_attr_str(i, XG_A_algorithm);
    bool fry = xg_str_is(name, "rng_three_fry"), philox = xg_str_is(name, "rng_philox");
    xg_stable_word(w, "rng_algorithm", "rng_algorithm",
        fry      ? XG_STR("THREE_FRY")
        : philox ? XG_STR("PHILOX")
                 : XG_STR("DEFAULT"));
}

/* ---- between devices ---- */

XG_FN void xg_stable_channel(xg_stable *w, const xg_inst *i) {
    int64_t channel = xg_attr_or_0(i, XG_A_channel_id);
    if (channel <= 0) return;
    xg_stable_prop(w, "channel_handle");
    xg_printf(&w->b, "#stablehlo.channel_handle<handle = %lld, type = 1>", (long long)channel);
}
XG_FN void xg_stable_rows(xg_stable *w, const char *name, const xg_ints *rows, uint32_t n) {
    uint32_t k, width = 0;
    for (k = 0; k < n; k++) width = XG_MAX(width, rows[k].n);
    xg_stable_matrix(w, name, rows, width ? n : 0, width);
}
XG_FN void xg_stable_groups(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    xg_stable_channel(w, i);
    xg_stable_rows(w, "replica_groups", a ? a->v.groups->p : NULL, a ? a->v.groups->n : 0);
    if (!xg_attr_or_0(i, XG_A_use_global_device_ids)) return;
    xg_stable_prop(w, "use_global_device_ids");
    w->b.n -= 3; /* a unit attribute has no value */
}
XG_FN void xg_stable_all_gather(xg_stable *w, const xg_inst *i) {
    xg_stable_i64(w, "all_gather_dim", xg_stable_one(i));
    xg_stable_groups(w, i);
}
XG_FN void xg_stable_reduce_scatter(xg_stable *w, const xg_inst *i) {
    xg_stable_groups(w, i);
    xg_stable_i64(w, "scatter_dimension", xg_stable_one(i));
}
/* HLO's array form: divided and joined along one dimension. */
XG_FN void xg_stable_all_to_all(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    if (i->shape->type == XLAGPU_TUPLE || !a || !a->v.groups->n)
        xg_stable_refuse(w, i, "its form of a tuple, or without groups, has no counterpart");
    xg_stable_i64(w, "split_dimension", xg_stable_one(i));
    xg_stable_i64(w, "concat_dimension", xg_stable_one(i));
    xg_stable_i64(w, "split_count", a->v.groups->p[0].n);
    xg_stable_groups(w, i);
}
XG_FN void xg_stable_collective_permute(xg_stable *w, const xg_inst *i) {
    const xg_int_lists *pairs = xg_inst_attr(i, XG_A_source_target_pairs)->v.lists;
    xg_stable_channel(w, i);
    xg_stable_matrix(w, "source_target_pairs", pairs->p, pairs->n, pairs->n ? 2 : 0);
}

/* ---- custom calls ---- */

XG_FN void xg_stable_order(xg_stable *w, const xg_shape *s) {
    uint32_t k;
    xg_puts(&w->b, "dense<");
    if (s->rank == 1)
        xg_putc(&w->b, '0');
    else if (s->rank) {
        for (k = 0; k < s->rank; k++)
            xg_printf(&w->b, "%s%lld", k ? ", " : "[",
                s->layout ? (long long)s->layout->minor_to_major[k] : (long long)(s->rank - 1 - k));
        xg_putc(&w->b, ']');
    }
    xg_printf(&w->b, "> : tensor<%uxindex>", s->rank);
}
XG_FN void xg_stable_layouts(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_layout_constraints);
    bool tuple = i->shape->type == XLAGPU_TUPLE;
    uint32_t k, n = tuple ? i->shape->n_elems : 1;
    if (!a) return;
    xg_stable_prop(w, "operand_layouts");
    xg_putc(&w->b, '[');
    for (k = 0; k < a->v.shapes->n; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_stable_order(w, a->v.shapes->p[k]);
    }
    xg_putc(&w->b, ']');
    xg_stable_prop(w, "result_layouts");
    xg_putc(&w->b, '[');
    for (k = 0; k < n; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_stable_order(w, tuple ? i->shape->elems[k] : i->shape);
    }
    xg_putc(&w->b, ']');
}
XG_FN void xg_stable_aliases(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_output_to_operand_aliasing);
    uint32_t k;
    if (!a) return;
    xg_stable_prop(w, "output_operand_aliases");
    xg_putc(&w->b, '[');
    for (k = 0; k < a->v.aliases->n; k++) {
        const xg_alias *one = &a->v.aliases->p[k];
        xg_printf(&w->b,
            "%soutput_tuple_indices = ", k ? ", #stablehlo.output_operand_alias<" : "#stablehlo.output_operand_alias<");
        xg_stable_list(w, one->output);
        xg_printf(&w->b, ", operand_index = %lld, operand_tuple_indices = ", (long long)one->operand);
        xg_stable_list(w, one->operand_index);
        xg_putc(&w->b, '>');
    }
    xg_putc(&w->b, ']');
}
XG_FN int xg_stable_api(const xg_inst *i) {
    XG_TABLE const char *const versions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
        "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    xg_str name = xg_attr_str(i, XG_A_api_version);
    int k;
    for (k = 0; k < (int)XG_COUNT(versions); k++)
        if (xg_str_is(name, versions[k])) return k;
    return 1;
}
XG_FN void xg_stable_custom_call(xg_stable *w, const xg_inst *i) {
    const xg_attr *called = xg_inst_attr(i, XG_A_called_computations);
    xg_str config = xg_attr_str(i, XG_A_backend_config);
    uint32_t k;
    xg_stable_i32(w, "api_version", xg_stable_api(i));
    if (config.n && config.p[0] == '"') {
        xg_lex x = xg_import_scan(w->ctx, w->arena, config);
        xg_stable_prop(w, "backend_config");
        xg_stable_string(&w->b, xg_lex_string(&x, w->arena, "a text"));
    } else if (config.n) { /* a dictionary of attributes, or JSON, which is a string there */
        bool dict = xg_stable_api(i) == 4;
        xg_stable_prop(w, "backend_config");
        if (dict)
            xg_put_str(&w->b, config);
        else
            xg_stable_string(&w->b, config);
    }
    xg_stable_prop(w, "call_target_name");
    xg_stable_string(&w->b, xg_attr_str(i, XG_A_custom_call_target));
    if (called) {
        xg_stable_prop(w, "called_computations");
        for (k = 0; k < called->v.comps->n; k++) {
            xg_printf(&w->b, "%s%.*s", k ? ", " : "[", (int)w->funcs[called->v.comps->p[k]->id].n,
                w->funcs[called->v.comps->p[k]->id].p);
        }
        xg_putc(&w->b, ']');
    }
    xg_stable_bool(w, "has_side_effect", xg_attr_or_0(i, XG_A_custom_call_has_side_effect));
    xg_stable_layouts(w, i);
    xg_stable_aliases(w, i);
}

/* Its name in the table; empty: there is none. One text of all names takes half of what a switch does. */
XG_FN xg_str xg_stable_name(xg_opcode op) {
#define X(opcode, name, props) " " name
    static const char names[] = XG_STABLE_OPS(X);
#undef X
#define X(opcode, name, props) XG_##opcode,
    static const uint8_t ops[] = {XG_STABLE_OPS(X)};
#undef X
    const char *at = names + 1;
    size_t k;
    for (k = 0; k < XG_COUNT(ops); k++) {
        size_t n = strcspn(at, " ");
        if (ops[k] == op) return xg_str_of(at, n);
        at += n + 1;
    }
    return XG_STR("");
}
XG_FN void xg_stable_props(xg_stable *w, const xg_inst *i) {
    w->n_props = 0;
    switch (i->op) {
#define X(opcode, name, props) \
    case XG_##opcode: xg_stable_##props(w, i); break;
        XG_STABLE_OPS(X)
#undef X
    default: break;
    }
}

#endif /* XG_IMPORT_STABLE_PROPS_C */
