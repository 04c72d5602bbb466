/* import/lower_device.c -- what reaches beyond a device: collectives, channels, custom calls. */
#ifndef XG_IMPORT_LOWER_DEVICE_C
#define XG_IMPORT_LOWER_DEVICE_C
#include "lower.h"
#include "proto.h"
#include "ir.c"

/* ---- collectives ---- */

/* Rows of a matrix as {{0,1},{2,3}}; -1 fills short rows up. */
XG_FN xg_str xg_low_rows(xg_low *w, const xg_ir_op *op, const char *name) {
    const xg_ir_attr *a = xg_ir_find(op, name);
    xg_ints v = xg_ir_ints(w->ir, a);
    int64_t row = 0;
    uint32_t k;
    xg_buf b;
    if (!a) return XG_STR("{}");
    if (xg_ir_dict_get(a, "axes")) {
        xg_buf_init(&b, w->arena);
        xg_low_mesh_groups(w, op, a, &b);
        return xg_str_of(b.p, b.n);
    }
    if (a->kind == XG_IR_RAW || a->kind == XG_IR_WORD || a->kind == XG_IR_DICT)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, "write them as dense<[[0, 1], ..]>",
            "%s is neither a list of devices nor axes of a mesh", name);
    if (a->kind == XG_IR_DENSE && a->type->shape->rank == 2)
        row = a->type->shape->dims[1];
    else if (a->kind == XG_IR_LIST && a->n)
        row = v.n / a->n;
    xg_buf_init(&b, w->arena);
    xg_puts(&b, "{");
    for (k = 0; k < v.n && row > 0; k++) {
        bool first = k % row == 0;
        if (first) xg_puts(&b, k ? ",{" : "{");
        if (v.p[k] >= 0) {
            if (!first) xg_puts(&b, ",");
            xg_put_i64(&b, v.p[k]);
        }
        if ((k + 1) % row == 0) xg_puts(&b, "}");
    }
    xg_puts(&b, "}");
    return xg_str_of(b.p, b.n);
}
XG_FN void xg_low_channel(const xg_ir_op *op, xg_inst *i) {
    int64_t channel = xg_ir_int(op, "channel_id", 0);
    if (channel > 0) xg_low_set_int(i, XG_A_channel_id, channel);
}
XG_FN xg_inst *xg_low_collective(xg_low *w, const xg_ir_op *op, xg_opcode opcode, xg_inst *const *in, uint32_t n) {
    xg_inst *i = xg_low_new(w, opcode, xg_low_results(w, op), in, n);
    xg_low_set_text(w, i, XG_A_replica_groups, xg_low_rows(w, op, "replica_groups"));
    xg_low_channel(op, i);
    if (xg_low_flag(op, "use_global_device_ids")) xg_low_set_int(i, XG_A_use_global_device_ids, 1);
    return i;
}
XG_FN xg_inst *xg_low_collective_with_region(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    xg_comp *c = xg_low_region(w, xg_low_region_at(w, op, 0));
    xg_inst *i = xg_low_collective(w, op, opcode, xg_low_ins(w, op), op->n_operands);
    xg_inst_set_comp(i, XG_A_to_apply, c);
    return i;
}
XG_FN void xg_low_set_dim(xg_low *w, const xg_ir_op *op, xg_inst *i, const char *name) {
    int64_t dim = xg_low_dim(w, op, name, xg_low_array_0(w, op)->shape->rank);
    xg_inst_set_one(i, XG_A_dimensions, dim);
}
XG_FN xg_inst *xg_lower_all_reduce(xg_low *w, const xg_ir_op *op) {
    return xg_low_collective_with_region(w, op, XG_ALL_REDUCE);
}
XG_FN xg_inst *xg_lower_reduce_scatter(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_collective_with_region(w, op, XG_REDUCE_SCATTER);
    xg_low_set_dim(w, op, i, "scatter_dimension");
    return i;
}
XG_FN xg_inst *xg_lower_all_gather(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_collective(w, op, XG_ALL_GATHER, xg_low_ins(w, op), op->n_operands);
    xg_low_set_dim(w, op, i, "all_gather_dim");
    return i;
}
XG_FN xg_inst *xg_lower_collective_broadcast(xg_low *w, const xg_ir_op *op) {
    if (xg_low_flag(op, "has_dynamic_root"))
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "a root that is known only when it runs");
    return xg_low_collective(w, op, XG_COLLECTIVE_BROADCAST, xg_low_ins(w, op), op->n_operands);
}
XG_FN xg_inst *xg_lower_collective_permute(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_make(w, op, XG_COLLECTIVE_PERMUTE);
    xg_low_set_text(w, i, XG_A_source_target_pairs, xg_low_rows(w, op, "source_target_pairs"));
    xg_low_channel(op, i);
    return i;
}
XG_FN xg_inst *xg_lower_cross_replica_sum(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op), *i = xg_low_collective(w, op, XG_ALL_REDUCE, &x, 1);
    xg_inst_set_comp(i, XG_A_to_apply, xg_hb_reducer(&w->b, XG_ADD, x->shape->type));
    return i;
}
/* HLO's all-to-all of one array splits and concatenates along one dimension. Another dimension to concatenate along:
 * [.., n * s, .., c, ..] becomes [.., n, s, .., c, ..] behind the exchange, and n moves in front of c. */
XG_FN xg_inst *xg_low_all_to_all_one(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op), *i;
    const xg_shape *s = x->shape;
    int64_t split = xg_low_dim(w, op, "split_dimension", s->rank), to = xg_low_dim(w, op, "concat_dimension", s->rank);
    int64_t n = xg_ir_int(op, "split_count", 1), dims[XG_RANK_MAX + 1], perm[XG_RANK_MAX + 1];
    uint32_t k, at = 0;
    if (n < 1 || s->dims[split] % n || s->rank >= XG_RANK_MAX)
        xg_ir_invalid(w->ir, op, "dimension %lld does not split in %lld", (long long)split, (long long)n);
    i = xg_low_new(w, XG_ALL_TO_ALL, s, &x, 1);
    xg_low_set_text(w, i, XG_A_replica_groups, xg_low_rows(w, op, "replica_groups"));
    xg_low_channel(op, i);
    xg_inst_set_one(i, XG_A_dimensions, split);
    if (split == to) return i;
    for (k = 0; k < s->rank; k++) {
        if ((int64_t)k == split) dims[at++] = n;
        dims[at++] = (int64_t)k == split ? s->dims[k] / n : s->dims[k];
    }
    i = xg_hb_reshape(&w->b, i, dims, s->rank + 1);
    for (k = 0, at = 0; k < s->rank + 1; k++) { /* dimensions without n; n goes in front of `to` */
        int64_t d = (int64_t)k > split ? (int64_t)k - 1 : (int64_t)k;
        if ((int64_t)k == split) continue;
        if (d == to) perm[at++] = split;
        perm[at++] = k;
    }
    i = xg_hb_transpose(&w->b, i, perm);
    return xg_low_new(w, XG_RESHAPE, xg_low_shape(w, op, 0), &i, 1);
}
XG_FN xg_inst *xg_lower_all_to_all(xg_low *w, const xg_ir_op *op) {
    xg_inst **parts, **out;
    uint32_t k;
    if (op->n_operands == 1) return xg_low_all_to_all_one(w, op);
    out = XG_NEW_N(w->arena, xg_inst *, op->n_operands + (size_t)1);
    parts = xg_low_ins(w, op);
    for (k = 0; k < op->n_operands; k++) {
        xg_ir_op one = *op;
        one.n_operands = one.n_results = 1;
        one.operands = &op->operands[k];
        one.results = k < op->n_results ? &op->results[k] : op->results;
        out[k] = parts[k] ? xg_low_all_to_all_one(w, &one) : NULL;
    }
    return xg_low_tuple(w, out, op->n_operands);
}

/* ---- the host and other devices ---- */

/* The values in front of the token. */
XG_FN const xg_shape *xg_low_data_shape(xg_low *w, const xg_ir_op *op) {
    const xg_shape **all = XG_NEW_N(w->arena, const xg_shape *, op->n_results + (size_t)1);
    uint32_t k, n;
    if (!op->n_results) xg_ir_invalid(w->ir, op, "its token is missing");
    n = op->n_results - 1;
    for (k = 0; k < n; k++) all[k] = xg_low_shape(w, op, k);
    return n == 1 ? all[0] : xg_shape_tuple(w->m, all, n);
}
XG_FN xg_inst *xg_low_spill(xg_low *w, const xg_ir_op *op, xg_inst *data, xg_inst *token) { /* a tuple of all results */
    xg_inst **out = XG_NEW_N(w->arena, xg_inst *, op->n_results + (size_t)1);
    uint32_t k, n = op->n_results - 1;
    for (k = 0; k < n; k++) out[k] = n == 1 ? data : xg_hb_element(&w->b, data, k);
    out[n] = token;
    return op->n_results == 1 ? token : xg_low_tuple(w, out, n + 1);
}
XG_FN xg_inst *xg_lower_infeed(xg_low *w, const xg_ir_op *op) {
    xg_inst *token = xg_low_in(w, op, 0), *i, *data;
    const xg_shape *both[2];
    xg_str config = xg_ir_word(op, "infeed_config");
    both[0] = xg_low_data_shape(w, op);
    both[1] = token->shape;
    i = xg_low_new(w, XG_INFEED, xg_shape_tuple(w->m, both, 2), &token, 1);
    if (config.n) xg_inst_set_str(i, XG_A_infeed_config, config);
    data = xg_hb_element(&w->b, i, 0);
    token = xg_hb_element(&w->b, i, 1);
    return xg_low_spill(w, op, data, token);
}
XG_FN xg_inst *xg_lower_outfeed(xg_low *w, const xg_ir_op *op) {
    xg_inst **in = xg_low_ins(w, op), *two[2], *i;
    xg_str config = xg_ir_word(op, "outfeed_config");
    xg_attr a = xg_attr_make(XG_A_outfeed_shape);
    if (!op->n_operands) xg_ir_invalid(w->ir, op, "its token is missing");
    two[0] = xg_low_state(w, in, op->n_operands - 1);
    two[1] = in[op->n_operands - 1];
    i = xg_low_new(w, XG_OUTFEED, xg_low_results(w, op), two, 2);
    a.v.shape = two[0]->shape;
    xg_inst_set_attr(i, a);
    if (config.n) xg_inst_set_str(i, XG_A_outfeed_config, config);
    return i;
}
XG_FN xg_inst *xg_low_transfer(
    xg_low *w, const xg_ir_op *op, xg_opcode opcode, const xg_shape *s, xg_inst *const *in, uint32_t n) {
    xg_inst *i = xg_low_new(w, opcode, s, in, n);
    xg_low_channel(op, i);
    if (xg_low_flag(op, "is_host_transfer")) xg_low_set_int(i, XG_A_is_host_transfer, 1);
    return i;
}
XG_FN const xg_shape *xg_low_transfer_shape(xg_low *w, const xg_shape *data, const xg_shape *token) {
    const xg_shape *all[3];
    all[0] = data;
    all[1] = xg_shape_scalar(w->m, XLAGPU_U32);
    all[2] = token;
    return xg_shape_tuple(w->m, all, 3);
}
XG_FN xg_inst *xg_lower_send(xg_low *w, const xg_ir_op *op) {
    xg_inst **in = xg_low_ins(w, op), *two[2], *i;
    if (!op->n_operands) xg_ir_invalid(w->ir, op, "its token is missing");
    two[0] = xg_low_state(w, in, op->n_operands - 1);
    two[1] = in[op->n_operands - 1];
    i = xg_low_transfer(w, op, XG_SEND, xg_low_transfer_shape(w, two[0]->shape, two[1]->shape), two, 2);
    return xg_low_transfer(w, op, XG_SEND_DONE, two[1]->shape, &i, 1);
}
XG_FN xg_inst *xg_lower_recv(xg_low *w, const xg_ir_op *op) {
    xg_inst *token = xg_low_in(w, op, 0), *i, *data;
    const xg_shape *both[2];
    both[0] = xg_low_data_shape(w, op);
    both[1] = token->shape;
    i = xg_low_transfer(w, op, XG_RECV, xg_low_transfer_shape(w, both[0], token->shape), &token, 1);
    i = xg_low_transfer(w, op, XG_RECV_DONE, xg_shape_tuple(w->m, both, 2), &i, 1);
    data = xg_hb_element(&w->b, i, 0);
    token = xg_hb_element(&w->b, i, 1);
    return xg_low_spill(w, op, data, token);
}

/* ---- custom calls ---- */

/* With this order of its dimensions, which must be one. */
XG_FN const xg_shape *xg_low_ordered(
    xg_low *w, const xg_ir_op *op, const xg_shape *s, const int32_t *order, uint32_t n) {
    uint64_t seen = 0;
    uint32_t k;
    if (n != s->rank) xg_ir_invalid(w->ir, op, "a layout has %u dimensions instead of %u", n, s->rank);
    for (k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= (int32_t)n || seen >> order[k] & 1)
            xg_ir_invalid(w->ir, op, "a layout names each dimension from 0 to %u once", n - 1);
        seen |= (uint64_t)1 << order[k];
    }
    return xg_shape_with_layout(w->m, s, xg_layout_make(w->m, order, n, 0, 0, XG_STR("")));
}
XG_FN const xg_shape *xg_low_laid_out(xg_low *w, const xg_ir_op *op, const xg_shape *s, const xg_ir_attr *layout) {
    xg_ints v = xg_ir_ints(w->ir, layout);
    int32_t order[XG_RANK_MAX];
    uint32_t k;
    if (!xg_shape_is_array(s)) return s;
    for (k = 0; k < v.n && k < XG_RANK_MAX; k++)
        order[k] = (int32_t)XG_MAX(XG_MIN(v.p[k], (int64_t)XG_RANK_MAX), (int64_t)-1);
    return xg_low_ordered(w, op, s, order, v.n);
}
XG_FN const xg_ir_attr *xg_low_layouts(xg_low *w, const xg_ir_op *op, const char *name, uint32_t n) {
    const xg_ir_attr *a = xg_ir_find(op, name);
    if (!a || !a->n || (a->kind != XG_IR_LIST && a->kind != XG_IR_INTS)) return NULL; /* VHLO's for none is empty */
    if (a->n != n || a->kind == XG_IR_INTS) xg_ir_invalid(w->ir, op, "%s has %u layouts instead of %u", name, a->n, n);
    return a;
}
XG_FN const xg_shape *xg_low_custom_shape(xg_low *w, const xg_ir_op *op) {
    const xg_ir_attr *layouts = xg_low_layouts(w, op, "result_layouts", op->n_results);
    const xg_shape **all = XG_NEW_N(w->arena, const xg_shape *, op->n_results + (size_t)1);
    uint32_t k;
    for (k = 0; k < op->n_results; k++) {
        all[k] = xg_low_shape(w, op, k);
        if (layouts) all[k] = xg_low_laid_out(w, op, all[k], layouts->v.items[k]);
    }
    return op->n_results == 1 ? all[0] : xg_shape_tuple(w->m, all, op->n_results);
}
XG_FN void xg_low_operand_layouts(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_ir_attr *layouts = xg_low_layouts(w, op, "operand_layouts", op->n_operands);
    xg_shapes *all;
    xg_attr a = xg_attr_make(XG_A_operand_layout_constraints);
    uint32_t k;
    if (!layouts) return;
    all = XG_NEW(w->arena, xg_shapes);
    all->p = XG_NEW_N(w->arena, const xg_shape *, op->n_operands + (size_t)1);
    all->n = op->n_operands;
    for (k = 0; k < op->n_operands; k++)
        all->p[k] = xg_low_laid_out(w, op, XG_OPERAND(i, k)->shape, layouts->v.items[k]);
    a.v.shapes = all;
    xg_inst_set_attr(i, a);
}
XG_FN void xg_low_put_ints(xg_buf *b, xg_ints v) {
    uint32_t k;
    xg_puts(b, "{");
    for (k = 0; k < v.n; k++) {
        if (k) xg_puts(b, ",");
        xg_put_i64(b, v.p[k]);
    }
    xg_puts(b, "}");
}
XG_FN void xg_low_custom_aliases(xg_low *w, const xg_ir_op *op, xg_inst *i) { /* {0}: (1, {}) */
    const xg_ir_attr *a = xg_ir_find(op, "output_operand_aliases");
    xg_buf b;
    uint32_t k;
    if (!a || a->kind != XG_IR_LIST || !a->n) return;
    xg_buf_init(&b, w->arena);
    for (k = 0; k < a->n; k++) {
        const xg_ir_attr *item = a->v.items[k], *operand = xg_ir_dict_get(item, "operand_index");
        xg_puts(&b, k ? ", " : "{");
        xg_low_put_ints(&b, xg_ir_ints(w->ir, xg_ir_dict_get(item, "output_tuple_indices")));
        xg_printf(&b, ": (%lld, ", (long long)(operand && operand->kind == XG_IR_INT ? operand->i : 0));
        xg_low_put_ints(&b, xg_ir_ints(w->ir, xg_ir_dict_get(item, "operand_tuple_indices")));
        xg_puts(&b, ")");
    }
    xg_puts(&b, "}");
    xg_low_set_text(w, i, XG_A_output_to_operand_aliasing, xg_str_of(b.p, b.n));
}
enum {
    XG_LOW_TEXT_BYTES_MAX = 1 << 20 /* a dictionary of bytecode may hold another one many times over */
};
/* An attribute as MLIR text: as it was written, or from its value where it comes of bytecode. */
XG_FN void xg_low_put_attr(xg_buf *b, const xg_ir_attr *a);
XG_FN void xg_low_put_type(xg_buf *b, const xg_ir_type *t) {
    if (t && t->kind == XG_IR_SCALAR && t->element != XLAGPU_INVALID)
        xg_printf(b, " : %s", xg_ir_element_text(t->element));
}
XG_FN void xg_low_put_dense(xg_buf *b, const xg_ir_attr *a) {
    const xg_shape *s = a->type->shape;
    size_t from, k;
    xg_puts(b, "dense<");
    from = b->n;
    xg_literal_print(b, a->v.literal, true);
    for (k = from; k < b->n; k++) b->p[k] = b->p[k] == '{' ? '[' : b->p[k] == '}' ? ']' : b->p[k];
    xg_puts(b, "> : tensor<");
    for (k = 0; k < s->rank; k++) xg_printf(b, "%lldx", (long long)s->dims[k]);
    xg_printf(b, "%s>", xg_ir_element_text(s->type));
}
XG_FN void xg_low_put_items(xg_buf *b, const xg_ir_attr *a) { /* of a list or a dictionary */
    uint32_t k;
    for (k = 0; k < a->n; k++) {
        if (k) xg_puts(b, ", ");
        if (a->kind == XG_IR_DICT) {
            xg_proto_put_key(b, a->v.named[k].name);
            xg_puts(b, " = ");
        }
        if (a->kind == XG_IR_INTS)
            xg_put_i64(b, a->v.ints[k]);
        else
            xg_low_put_attr(b, a->kind == XG_IR_DICT ? a->v.named[k].value : a->v.items[k]);
    }
}
/* A float has a point or is its bits, else MLIR takes it for an integer. */
XG_FN void xg_low_put_float(xg_buf *b, const xg_ir_attr *a) {
    uint32_t bits = a->type ? (uint32_t)xg_type_bits(a->type->element) : 64;
    size_t from = b->n;
    if (isfinite(a->d)) {
        xg_float_print_g(b, a->d, 17);
        if (!strpbrk(b->p + from, ".e")) xg_puts(b, ".0");
    } else {
        xg_puts(b, "0x");
        xg_put_hex(b, (uint64_t)a->i & UINT64_MAX >> (64 - bits), (int)bits / 4);
    }
    xg_low_put_type(b, a->type);
}
XG_FN void xg_low_put_attr(xg_buf *b, const xg_ir_attr *a) {
    bool dict = a->kind == XG_IR_DICT, truth = a->kind == XG_IR_INT && a->type && a->type->element == XLAGPU_PRED;
    if (b->n > XG_LOW_TEXT_BYTES_MAX)
        xg_fail(b->arena->ctx, XLAGPU_ERROR_LIMIT, "error: an attribute is longer than %d bytes as text",
            (int)XG_LOW_TEXT_BYTES_MAX);
    if (a->kind == XG_IR_STRING)
        xg_put_quoted(b, a->text);
    else if (a->kind == XG_IR_SYMBOL)
        xg_printf(b, "@%.*s", (int)a->text.n, a->text.p);
    else if (a->text.n)
        xg_put_str(b, a->text);
    else if (a->kind == XG_IR_BOOL || truth)
        xg_puts(b, a->i ? "true" : "false");
    else if (a->kind == XG_IR_INT) {
        if (a->type && a->type->element == XLAGPU_U64)
            xg_put_u64(b, (uint64_t)a->i);
        else
            xg_put_i64(b, a->i);
        xg_low_put_type(b, a->type);
    } else if (a->kind == XG_IR_FLOAT)
        xg_low_put_float(b, a);
    else if (a->kind == XG_IR_DENSE)
        xg_low_put_dense(b, a);
    else if (dict || a->kind == XG_IR_LIST || a->kind == XG_IR_INTS) {
        xg_putc(b, dict ? '{' : '[');
        xg_low_put_items(b, a);
        xg_putc(b, dict ? '}' : ']');
    } else
        xg_puts(b, "unit");
}
XG_FN void xg_low_custom_config(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_ir_attr *a = xg_ir_find(op, "mhlo.backend_config");
    xg_str text;
    xg_buf b;
    if (!a) a = xg_ir_find(op, "backend_config");
    if (!a) return;
    if (a->kind == XG_IR_DICT) xg_inst_set_text(i, XG_A_api_version, "API_VERSION_TYPED_FFI");
    if (a->kind == XG_IR_STRING) {
        if (!a->text.n) return;
        xg_buf_init(&b, w->arena);
        xg_put_quoted(&b, a->text);
        text = xg_str_of(b.p, b.n);
    } else {
        xg_buf_init(&b, w->arena);
        xg_low_put_attr(&b, a);
        text = xg_str_of(b.p, b.n);
    }
    xg_inst_set_str(i, XG_A_backend_config, text);
}
XG_FN void xg_low_called(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_ir_attr *a = xg_ir_find(op, "called_computations");
    xg_comps *all;
    xg_attr attr = xg_attr_make(XG_A_called_computations);
    uint32_t k;
    if (!a || a->kind != XG_IR_LIST || !a->n) return;
    all = XG_NEW(w->arena, xg_comps);
    all->p = XG_NEW_N(w->arena, xg_comp *, a->n);
    all->n = a->n;
    for (k = 0; k < a->n; k++) all->p[k] = xg_low_function(w, a->v.items[k]->text);
    attr.v.comps = all;
    xg_inst_set_attr(i, attr);
}
/* X(target, opcode): HLO's own operations that travel as custom calls */
#define XG_LOW_TARGETS(X) \
    X("mhlo.erf", ERF) \
    X("mhlo.acos", ACOS) \
    X("mhlo.acosh", ACOSH) \
    X("mhlo.asin", ASIN) \
    X("mhlo.asinh", ASINH) X("mhlo.atanh", ATANH) X("mhlo.cosh", COSH) X("mhlo.sinh", SINH) X("mhlo.tan", TAN)
XG_FN xg_inst *xg_low_topk(xg_low *w, const xg_ir_op *op, int64_t k, bool largest) {
    xg_inst *x = xg_low_array_0(w, op), *i = xg_low_new(w, XG_TOPK, xg_low_results(w, op), &x, 1);
    xg_low_set_int(i, XG_A_k, k);
    xg_low_set_int(i, XG_A_largest, largest);
    return i;
}
XG_FN xg_inst *xg_lower_top_k(xg_low *w, const xg_ir_op *op) { return xg_low_topk(w, op, xg_ir_int(op, "k", 0), true); }
XG_FN xg_inst *xg_lower_topk(xg_low *w, const xg_ir_op *op) {
    const xg_ir_attr *largest = xg_ir_find(op, "largest");
    return xg_low_topk(w, op, xg_ir_int(op, "k", 0), !largest || xg_low_flag(op, "largest"));
}
XG_FN xg_inst *xg_low_native(xg_low *w, const xg_ir_op *op, xg_str target) { /* NULL: a custom call of its own */
    const xg_ir_attr *attrs = xg_ir_find(op, "mhlo.attributes"), *k, *largest;
#define X(name, opcode) \
    if (xg_str_is(target, name)) return xg_low_make(w, op, XG_##opcode);
    XG_LOW_TARGETS(X)
#undef X
    if (!xg_str_is(target, "mhlo.topk")) return NULL;
    k = xg_ir_dict_get(attrs, "k");
    largest = xg_ir_dict_get(attrs, "largest");
    return xg_low_topk(w, op, k && k->kind == XG_IR_INT ? k->i : 0, !largest || largest->i);
}
#undef XG_LOW_TARGETS
XG_FN xg_inst *xg_lower_custom_call(xg_low *w, const xg_ir_op *op) {
    XG_TABLE const char *const versions[] = {
        NULL, NULL, "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    xg_str target = xg_ir_word(op, "call_target_name");
    xg_inst *i = xg_low_native(w, op, target);
    int64_t version = xg_ir_int(op, "api_version", 1);
    const xg_shape *s;
    if (i || (xg_str_is(target, "shape_assertion") && xg_dims_assert(w, op))) return i;
    if (!target.n) xg_ir_invalid(w->ir, op, "its target is missing");
    s = xg_low_custom_shape(w, op);
    i = xg_low_new(w, XG_CUSTOM_CALL, s, xg_low_ins(w, op), op->n_operands);
    xg_inst_set_str(i, XG_A_custom_call_target, target);
    if (version > 1 && version < (int64_t)XG_COUNT(versions)) xg_inst_set_text(i, XG_A_api_version, versions[version]);
    if (xg_low_flag(op, "has_side_effect")) xg_low_set_int(i, XG_A_custom_call_has_side_effect, 1);
    xg_low_operand_layouts(w, op, i);
    xg_low_custom_aliases(w, op, i);
    xg_low_custom_config(w, op, i);
    xg_low_called(w, op, i);
    return op->n_results ? i : NULL;
}

#endif /* XG_IMPORT_LOWER_DEVICE_C */
