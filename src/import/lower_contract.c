/* import/lower_contract.c -- dots, convolutions, windows, transforms, linear algebra. */
#ifndef XG_IMPORT_LOWER_CONTRACT_C
#define XG_IMPORT_LOWER_CONTRACT_C
#include "lower.h"
#include "ir.c"
#include "lower_move.c"

/* ---- dots ---- */

/* HIGH and the like, for both operands; DEFAULT says nothing. */
XG_FN void xg_low_precision(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_ir_attr *a = xg_ir_find(op, "precision_config");
    xg_buf b;
    bool any = false;
    uint32_t k, j;
    if (!a || a->kind != XG_IR_LIST || !a->n) return;
    xg_buf_init(&b, w->arena);
    for (k = 0; k < a->n; k++) {
        xg_str word = a->v.items[k]->text;
        xg_puts(&b, k ? "," : "{");
        for (j = 0; j < word.n; j++)
            xg_putc(&b, (char)(word.p[j] >= 'A' && word.p[j] <= 'Z' ? word.p[j] + 32 : word.p[j]));
        any = any || !xg_str_is(word, "DEFAULT");
    }
    xg_puts(&b, "}");
    if (any) xg_low_set_text(w, i, XG_A_operand_precision, xg_str_of(b.p, b.n));
}
XG_FN bool xg_low_algorithm_type(const xg_ir_op *op, const char *name, const char *want) {
    const xg_ir_attr *a = xg_ir_find(op, name);
    xg_str t;
    if (!a) return false;
    t = a->kind == XG_IR_TYPE && a->type->kind == XG_IR_SCALAR ? a->type->text : a->text;
    if (strcmp(want, "f8") == 0) return t.n > 2 && memcmp(t.p, "f8", 2) == 0;
    return xg_str_is(t, want);
}
XG_FN void xg_low_algorithm(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    static const struct {
        char left[5], right[5], sum[5];
        uint8_t steps, imprecise;
        const char *text;
    } rows[] = {
#define X(left, right, sum, steps, imprecise, text) {left, right, sum, steps, imprecise, text},
        XG_IR_ALGORITHMS(X)
#undef X
    };
    const char *name = NULL;
    int64_t n = xg_ir_int(op, "num_primitive_operations", 1);
    bool fast = xg_low_flag(op, "allow_imprecise_accumulation");
    size_t k;
    if (!xg_ir_find(op, "accumulation_type")) return;
    for (k = 0; k < XG_COUNT(rows) && !name; k++)
        if (n == rows[k].steps && fast == (rows[k].imprecise != 0) &&
            xg_low_algorithm_type(op, "lhs_precision_type", rows[k].left) &&
            xg_low_algorithm_type(op, "rhs_precision_type", rows[k].right) &&
            xg_low_algorithm_type(op, "accumulation_type", rows[k].sum))
            name = rows[k].text;
    if (!name) xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "HLO has no algorithm of these types");
    xg_inst_set_text(i, XG_A_algorithm, name);
}
XG_FN void xg_low_set_dims(xg_inst *i, xg_attr_key k, xg_ints v) {
    if (v.n) xg_low_set_ints(i, k, v);
}
XG_FN xg_inst *xg_low_two(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    xg_inst *in[2];
    in[0] = xg_low_array_0(w, op);
    in[1] = xg_low_array(w, op, 1);
    return xg_low_new(w, opcode, xg_low_shape(w, op, 0), in, 2);
}
XG_FN xg_inst *xg_lower_dot_general(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_two(w, op, XG_DOT);
    uint32_t l = XG_OPERAND(i, 0)->shape->rank, r = XG_OPERAND(i, 1)->shape->rank;
    xg_low_set_dims(i, XG_A_lhs_batch_dims, xg_low_dims(w, op, "lhs_batching_dimensions", l));
    xg_low_set_dims(i, XG_A_lhs_contracting_dims, xg_low_dims(w, op, "lhs_contracting_dimensions", l));
    xg_low_set_dims(i, XG_A_rhs_batch_dims, xg_low_dims(w, op, "rhs_batching_dimensions", r));
    xg_low_set_dims(i, XG_A_rhs_contracting_dims, xg_low_dims(w, op, "rhs_contracting_dimensions", r));
    xg_low_precision(w, op, i);
    xg_low_algorithm(w, op, i);
    return i;
}
XG_FN xg_inst *xg_lower_dot(xg_low *w, const xg_ir_op *op) { /* the last dimension with the first */
    xg_inst *i = xg_low_two(w, op, XG_DOT);
    int64_t l = (int64_t)XG_OPERAND(i, 0)->shape->rank - 1, r = 0;
    if (l < 0 || !XG_OPERAND(i, 1)->shape->rank) xg_ir_invalid(w->ir, op, "its operands must have dimensions");
    xg_inst_set_one(i, XG_A_lhs_contracting_dims, l);
    xg_inst_set_one(i, XG_A_rhs_contracting_dims, r);
    xg_low_precision(w, op, i);
    return i;
}
XG_FN xg_inst *xg_lower_ragged_dot(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_make(w, op, XG_RAGGED_DOT);
    uint32_t l = xg_low_array_0(w, op)->shape->rank, r = xg_low_array(w, op, 1)->shape->rank;
    xg_low_set_dims(i, XG_A_lhs_batch_dims, xg_low_dims(w, op, "lhs_batching_dimensions", l));
    xg_low_set_dims(i, XG_A_lhs_contracting_dims, xg_low_dims(w, op, "lhs_contracting_dimensions", l));
    xg_low_set_dims(i, XG_A_rhs_batch_dims, xg_low_dims(w, op, "rhs_batching_dimensions", r));
    xg_low_set_dims(i, XG_A_rhs_contracting_dims, xg_low_dims(w, op, "rhs_contracting_dimensions", r));
    xg_low_set_ints(i, XG_A_lhs_ragged_dims, xg_low_dims(w, op, "lhs_ragged_dimensions", l));
    xg_low_set_dims(i, XG_A_rhs_group_dims, xg_low_dims(w, op, "rhs_group_dimensions", r));
    xg_low_precision(w, op, i);
    return i;
}

/* ---- windows ---- */

XG_FN void xg_low_set_window(xg_low *w, const xg_ir_op *op, xg_inst *i, uint32_t n, const int64_t *size,
    const xg_ints *known, const char *const *names) { /* known: the padding, or NULL; names: of strides, base dilations,
                                                         window dilations, reversals; NULL: there are none */
    xg_window_dim *d = XG_NEW_N(w->arena, xg_window_dim, n + (size_t)1);
    xg_window *all = XG_NEW(w->arena, xg_window);
    xg_attr a = xg_attr_make(XG_A_window);
    xg_ints v[4], pad = known ? *known : xg_low_ints_n(w, op, "padding", 2 * n, 0);
    uint32_t k;
    for (k = 0; k < 4; k++) {
        v[k].p = NULL;
        v[k].n = 0;
        if (names[k]) v[k] = xg_low_ints_n(w, op, names[k], n, k < 3);
    }
    for (k = 0; k < n; k++) {
        d[k].size = size[k];
        d[k].stride = v[0].n ? v[0].p[k] : 1;
        d[k].base_dilation = v[1].n ? v[1].p[k] : 1;
        d[k].window_dilation = v[2].n ? v[2].p[k] : 1;
        d[k].reversal = v[3].n && v[3].p[k];
        d[k].pad_low = pad.p[2 * k];
        d[k].pad_high = pad.p[2 * k + 1];
    }
    all->n = n;
    all->p = d;
    a.v.window = all;
    xg_inst_set_attr(i, a);
}
XG_FN void xg_low_label(char *labels, uint32_t rank, int64_t dim, char label) {
    if (dim >= 0 && dim < (int64_t)rank) labels[dim] = label;
}
/* b01f_01io->b01f of VHLO's numbers, or of [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]. */
XG_FN xg_str xg_low_labels_of_numbers(xg_low *w, const xg_ir_op *op, uint32_t left, uint32_t right) {
    XG_TABLE const char *const names[3][3] = {
        {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
        {"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions"},
        {"output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}};
    char text[3][XG_RANK_MAX + 1];
    xg_buf b;
    uint32_t k, j;
    for (k = 0; k < 3; k++) {
        uint32_t rank = k == 1 ? right : left;
        xg_ints spatial = xg_low_ints(w, op, names[k][2]);
        memset(text[k], '?', rank);
        text[k][rank] = 0;
        xg_low_label(text[k], rank, xg_ir_int(op, names[k][0], -1), k == 1 ? 'i' : 'b');
        xg_low_label(text[k], rank, xg_ir_int(op, names[k][1], -1), k == 1 ? 'o' : 'f');
        for (j = 0; j < spatial.n; j++) xg_low_label(text[k], rank, spatial.p[j], (char)('0' + j % 10));
    }
    xg_buf_init(&b, w->arena);
    xg_printf(&b, "%s_%s->%s", text[0], text[1], text[2]);
    return xg_str_of(b.p, b.n);
}
XG_FN xg_str xg_low_labels(xg_low *w, const xg_ir_op *op, uint32_t left, uint32_t right) {
    const xg_ir_attr *a = xg_ir_find(op, "dimension_numbers");
    xg_str t;
    xg_buf b;
    uint32_t k = 0;
    if (!a || !a->text.n) return xg_low_labels_of_numbers(w, op, left, right);
    t = a->text;
    while (k < t.n && t.p[k] != '[') k++;
    xg_buf_init(&b, w->arena);
    for (; k < t.n; k++) {
        char c = t.p[k];
        if (c == 'x')
            xg_puts(&b, "_");
        else if (c == '>' && t.p[k - 1] == '-')
            xg_puts(&b, "->");
        else if (xg_is_digit(c) || (c >= 'a' && c <= 'z') || c == '?')
            xg_putc(&b, c);
    }
    return xg_str_of(b.p, b.n);
}
XG_FN xg_inst *xg_lower_convolution(xg_low *w, const xg_ir_op *op) {
    XG_TABLE const char *const names[] = {"window_strides", "lhs_dilation", "rhs_dilation", "window_reversal"};
    xg_inst *i;
    const xg_dim_labels *labels;
    xg_ints pad;
    int64_t size[XG_RANK_MAX];
    uint32_t k, rank;
    i = xg_low_two(w, op, XG_CONVOLUTION);
    rank = XG_OPERAND(i, 1)->shape->rank;
    xg_low_set_text(w, i, XG_A_dim_labels, xg_low_labels(w, op, XG_OPERAND(i, 0)->shape->rank, rank));
    labels = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    for (k = 0; k < labels->kernel_spatial.n && k < XG_RANK_MAX; k++) {
        int64_t d = labels->kernel_spatial.p[k];
        size[k] = d >= 0 && d < (int64_t)rank ? XG_OPERAND(i, 1)->shape->dims[d] : 1;
    }
    if (op->n_operands == 3) {
        pad = xg_low_known(w, op, 2);
        if (pad.n != 2 * labels->kernel_spatial.n) xg_ir_invalid(w->ir, op, "its padding has %u numbers", pad.n);
    }
    if (labels->kernel_spatial.n)
        xg_low_set_window(w, op, i, labels->kernel_spatial.n, size, op->n_operands == 3 ? &pad : NULL, names);
    if (xg_ir_int(op, "feature_group_count", 1) != 1)
        xg_low_set_int(i, XG_A_feature_group_count, xg_ir_int(op, "feature_group_count", 1));
    if (xg_ir_int(op, "batch_group_count", 1) != 1)
        xg_low_set_int(i, XG_A_batch_group_count, xg_ir_int(op, "batch_group_count", 1));
    xg_low_precision(w, op, i);
    return i;
}
XG_FN xg_inst *xg_lower_reduce_window(xg_low *w, const xg_ir_op *op) {
    XG_TABLE const char *const names[] = {"window_strides", "base_dilations", "window_dilations", NULL};
    xg_comp *c = xg_low_region(w, xg_low_region_at(w, op, 0));
    xg_inst *i = xg_low_make(w, op, XG_REDUCE_WINDOW);
    uint32_t rank = xg_low_array_0(w, op)->shape->rank;
    xg_ints size = xg_low_ints_n(w, op, "window_dimensions", rank, 1);
    if (rank) xg_low_set_window(w, op, i, rank, size.p, NULL, names);
    xg_inst_set_comp(i, XG_A_to_apply, c);
    return i;
}
XG_FN xg_inst *xg_lower_select_and_scatter(xg_low *w, const xg_ir_op *op) {
    XG_TABLE const char *const names[] = {"window_strides", NULL, NULL, NULL};
    xg_comp *select = xg_low_region(w, xg_low_region_at(w, op, 0));
    xg_comp *scatter = xg_low_region(w, xg_low_region_at(w, op, 1));
    xg_inst *i = xg_low_make(w, op, XG_SELECT_AND_SCATTER);
    uint32_t rank = xg_low_array_0(w, op)->shape->rank;
    xg_ints size = xg_low_ints_n(w, op, "window_dimensions", rank, 1);
    if (rank) xg_low_set_window(w, op, i, rank, size.p, NULL, names);
    xg_inst_set_comp(i, XG_A_select, select);
    xg_inst_set_comp(i, XG_A_scatter, scatter);
    return i;
}

/* ---- transforms, linear algebra, normalisation ---- */

XG_FN void xg_low_copy_word(xg_low *w, const xg_ir_op *op, xg_inst *i, xg_attr_key k, const char *name) {
    xg_str s = xg_ir_word(op, name);
    if (!s.n) xg_ir_invalid(w->ir, op, "its %s is missing", name);
    xg_low_set_text(w, i, k, s);
}
XG_FN xg_inst *xg_lower_fft(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_make(w, op, XG_FFT);
    xg_low_copy_word(w, op, i, XG_A_fft_type, "fft_type");
    xg_low_set_ints(i, XG_A_fft_length, xg_low_ints(w, op, "fft_length"));
    return i;
}
XG_FN xg_inst *xg_lower_cholesky(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_make(w, op, XG_CHOLESKY);
    xg_low_set_flag(op, i, XG_A_lower);
    return i;
}
XG_FN xg_inst *xg_lower_triangular_solve(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_make(w, op, XG_TRIANGULAR_SOLVE);
    xg_low_set_flag(op, i, XG_A_left_side);
    xg_low_set_flag(op, i, XG_A_lower);
    xg_low_set_flag(op, i, XG_A_unit_diagonal);
    if (xg_ir_word(op, "transpose_a").n) xg_low_copy_word(w, op, i, XG_A_transpose_a, "transpose_a");
    return i;
}
XG_FN xg_inst *xg_lower_batch_norm(xg_low *w, const xg_ir_op *op) {
    XG_TABLE const xg_opcode opcodes[] = {XG_BATCH_NORM_TRAINING, XG_BATCH_NORM_INFERENCE, XG_BATCH_NORM_GRAD};
    xg_inst *i = xg_low_make(w, op,
        opcodes[xg_ir_is(op, "batch_norm_training")    ? 0
                : xg_ir_is(op, "batch_norm_inference") ? 1
                                                       : 2]);
    const xg_ir_attr *e = xg_ir_find(op, "epsilon");
    xg_attr a = xg_attr_make(XG_A_epsilon);
    if (!e || e->kind != XG_IR_FLOAT) xg_ir_invalid(w->ir, op, "its epsilon is missing");
    a.v.d = e->d;
    xg_inst_set_attr(i, a);
    xg_low_set_int(i, XG_A_feature_index, xg_ir_int(op, "feature_index", 0));
    return i;
}

#endif /* XG_IMPORT_LOWER_CONTRACT_C */
