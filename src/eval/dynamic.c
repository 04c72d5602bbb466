/* eval/dynamic.c -- bounded dimensions, f32[<=10]: instructions whose sizes are known only when their operands are.
 *
 * A value has the shape that it really has. An instruction that touches a dynamic dimension is rewritten, for the sizes
 * at hand, into the instruction that stood there if they had been known (xg_sized): static operands, the
 * result as shape inference gives it, and attributes that meant "all of this dimension" (slice limits, slice sizes)
 * adapted. Then its ordinary handler runs. The rewritten form is kept until the sizes change.
 *
 * Laws, as XLA's DynamicDimensionInference has them
 * - A static operand beside a dynamic one (elementwise, contracted, in a batch) counts only as far as the dynamic one
 *   reaches.
 * - Reshape: sizes follow the groups of dimensions whose bounds have equal products; one dynamic dimension in a group
 *   can be solved for.
 * - What is taken in part (a slice up to 3 of <=10) is static: missing elements read as zero.
 * - set-dimension-size beyond the present size fills up with zeros. */
#ifndef XG_EVAL_DYNAMIC_C
#define XG_EVAL_DYNAMIC_C
#include "eval.h"

XG_FN bool xg_shape_has_dynamic(const xg_shape *s) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return s->dynamic != NULL;
    for (k = 0; k < s->n_elems; k++)
        if (xg_shape_has_dynamic(s->elems[k])) return true; /* as deep as shapes may be */
    return false;
}

XG_FN bool xg_sized_is_dynamic(const xg_shape *s, uint32_t d) { return s->dynamic && s->dynamic[d] != XG_DIM_STATIC; }

XG_FN const xg_shape *xg_sized_shape(xg_eval_run *r, xlagpu_type type, const int64_t *dims, uint32_t rank) {
    return xg_shape_plain(r->module, type, dims, rank);
}
XG_FN const xg_shape *xg_eval_static(xg_eval_run *r, const xg_shape *s) {
    return s->dynamic ? xg_sized_shape(r, s->type, s->dims, s->rank) : s;
}

XG_FN xg_value *xg_eval_resize(xg_eval_run *r, xg_value **v, const int64_t *dims) {
    const xg_shape *from = (*v)->shape, *to = xg_sized_shape(r, from->type, dims, from->rank);
    xg_value *out;
    xg_strided c;
    uint32_t d;
    if (to->plain == from->plain) return xg_eval_keep(*v);
    xg_eval_spend(r, to->elements);
    out = xg_eval_new(r, to);
    memset(out->data, 0, xg_eval_bytes(r, to));
    c.rank = to->rank;
    c.bytes = (size_t)xg_type_bytes(to->type);
    xg_eval_row_strides(to, c.to);
    xg_eval_row_strides(from, c.from);
    for (d = 0; d < c.rank; d++) c.dims[d] = XG_MIN(to->dims[d], from->dims[d]);
    xg_eval_copy(&c, out->data, xg_eval_dense(r, v));
    return out;
}

/* In place of in[k], the same cut off or filled up to dims. */
XG_FN void xg_sized_operand(xg_eval_run *r, xg_value **in, uint32_t k, const int64_t *dims) {
    xg_value *v = xg_eval_resize(r, &in[k], dims);
    xg_eval_drop(r, in[k]);
    in[k] = v;
}

/* ---- operands that must agree ---- */

/* Dimensions da of operand a and db of operand b are the same one: a static one is cut down to its dynamic partner. */
XG_FN void xg_sized_pair(
    xg_eval_run *r, const xg_inst *i, xg_value **in, uint32_t a, uint32_t da, uint32_t b, uint32_t db) {
    bool dynamic_a = xg_sized_is_dynamic(XG_OPERAND(i, a)->shape, da),
         dynamic_b = xg_sized_is_dynamic(XG_OPERAND(i, b)->shape, db);
    int64_t dims[XG_RANK_MAX], have = in[a]->shape->dims[da], other = in[b]->shape->dims[db];
    if (have == other) return;
    /* what is full counts as static: most are broadcasts */
    if (dynamic_a && dynamic_b) {
        dynamic_a = have != XG_OPERAND(i, a)->shape->dims[da];
        dynamic_b = other != XG_OPERAND(i, b)->shape->dims[db];
    }
    if (dynamic_a == dynamic_b) return;
    if (dynamic_b) {
        xg_sized_pair(r, i, in, b, db, a, da);
        return;
    }
    if (other < have) return;
    memcpy(dims, in[b]->shape->dims, in[b]->shape->rank * sizeof *dims);
    dims[db] = have;
    xg_sized_operand(r, in, b, dims);
}

XG_FN void xg_sized_agree(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t a, b, d;
    if (xg_op_flags(i->op) & XGF_EW) {
        for (a = 0; a < i->n_operands; a++)
            for (b = 0; b < i->n_operands; b++) {
                if (a == b || in[a]->shape->rank != in[b]->shape->rank) continue;
                for (d = 0; d < in[a]->shape->rank; d++) xg_sized_pair(r, i, in, a, d, b, d);
            }
    } else if (i->op == XG_DOT) {
        xg_ints lc = xg_attr_ints(i, XG_A_lhs_contracting_dims), rc = xg_attr_ints(i, XG_A_rhs_contracting_dims),
                lb = xg_attr_ints(i, XG_A_lhs_batch_dims), rb = xg_attr_ints(i, XG_A_rhs_batch_dims);
        for (d = 0; d < lc.n; d++) xg_sized_pair(r, i, in, 0, (uint32_t)lc.p[d], 1, (uint32_t)rc.p[d]);
        for (d = 0; d < lb.n; d++) xg_sized_pair(r, i, in, 0, (uint32_t)lb.p[d], 1, (uint32_t)rb.p[d]);
    } else if (i->op == XG_CONVOLUTION && xg_attr_or_1(i, XG_A_feature_group_count) == 1) {
        const xg_dim_labels *v = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
        xg_sized_pair(r, i, in, 0, (uint32_t)v->input_feature, 1, (uint32_t)v->kernel_input);
    }
}

/* ---- result shapes that inference does not give ---- */

/* Groups of dimensions with equal products of bounds: [from..from_end) of the operand and [to..to_end) of the
 * result. */
XG_FN const xg_shape *xg_sized_reshape(xg_eval_run *r, const xg_inst *i, const xg_shape *now) {
    const xg_shape *in = XG_OPERAND(i, 0)->shape, *out = i->shape;
    int64_t dims[XG_RANK_MAX], a, b, real, known;
    uint32_t from = 0, to = 0, from_end, to_end, d, open, open_at = 0;
    while (from < in->rank || to < out->rank) {
        from_end = from < in->rank ? from + 1 : from;
        to_end = to < out->rank ? to + 1 : to;
        a = from < in->rank ? in->dims[from] : 1;
        b = to < out->rank ? out->dims[to] : 1;
        while (a != b) {
            if (a < b && from_end < in->rank)
                a *= in->dims[from_end++];
            else if (b < a && to_end < out->rank)
                b *= out->dims[to_end++];
            else
                xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "use dynamic-reshape",
                    "the sizes of its result do not follow from those of its operand");
        }
        for (real = 1, d = from; d < from_end; d++) real *= now->dims[d];
        for (known = 1, open = 0, d = to; d < to_end; d++) {
            dims[d] = out->dims[d];
            if (xg_sized_is_dynamic(out, d)) {
                open++;
                open_at = d;
            } else
                known *= out->dims[d];
        }
        if (open > 1 && real == a) open = 0; /* full to the bounds */
        if (open > 1) {
            const xg_attr *inferred = xg_inst_attr(i, XG_A_inferred_dimension);
            if (inferred && inferred->v.i >= to && inferred->v.i < to_end) {
                known = b / XG_MAX(out->dims[inferred->v.i], (int64_t)1);
                open_at = (uint32_t)inferred->v.i;
                open = 1;
            }
        }
        if (open > 1 || (open == 1 && known && real % known))
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "use dynamic-reshape",
                "the sizes of its result do not follow from those of its operand");
        if (open == 1) dims[open_at] = known ? real / known : 0;
        from = from_end;
        to = to_end;
    }
    return xg_sized_shape(r, out->type, dims, out->rank);
}

/* Broadcast dimensions take the operand's sizes, the others their bounds. */
XG_FN const xg_shape *xg_sized_broadcast(xg_eval_run *r, const xg_inst *i, const xg_shape *now) {
    xg_ints map = xg_attr_dims(i);
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    memcpy(dims, i->shape->dims, i->shape->rank * sizeof *dims);
    for (k = 0; k < map.n; k++)
        if (XG_OPERAND(i, 0)->shape->dims[k] == i->shape->dims[map.p[k]]) dims[map.p[k]] = now->dims[k];
    return xg_sized_shape(r, i->shape->type, dims, i->shape->rank);
}

/* Does this size along dynamic dimension d of the operand mean all of it? */
XG_FN bool xg_sized_whole(const xg_inst *i, uint32_t d, int64_t size) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    return xg_sized_is_dynamic(s, d) && (size == s->dims[d] || s->dynamic[d] == XG_DIM_UNBOUNDED);
}

/* Sizes along the operand's dimensions (slice_sizes, dynamic_slice_sizes): whole ones become the real sizes; where
 * others reach beyond what is there, the operand is filled up. */
XG_FN void xg_sized_sizes(xg_eval_run *r, xg_inst *i, xg_attr_key key, xg_value **in) {
    xg_ints sizes = xg_attr_ints(i, key);
    const xg_shape *now = in[0]->shape;
    int64_t real[XG_RANK_MAX], dims[XG_RANK_MAX];
    bool fill = false;
    uint32_t d;
    for (d = 0; d < now->rank; d++) {
        dims[d] = now->dims[d];
        real[d] = xg_sized_whole(i, d, sizes.p[d]) ? now->dims[d] : sizes.p[d];
        if (real[d] > dims[d]) {
            dims[d] = real[d];
            fill = true;
        }
    }
    if (fill) xg_sized_operand(r, in, 0, dims);
    xg_inst_set_ints(i, key, real, now->rank);
}

XG_FN const xg_shape *xg_sized_slice(xg_eval_run *r, xg_inst *i, xg_value **in) {
    const xg_slices *s = xg_inst_attr(i, XG_A_slice)->v.slices;
    xg_slice_dim *changed = XG_NEW_N(r->module->arena, xg_slice_dim, s->n);
    xg_slices *list = XG_NEW(r->module->arena, xg_slices);
    int64_t dims[XG_RANK_MAX], full[XG_RANK_MAX];
    bool fill = false;
    xg_attr a;
    uint32_t d;
    for (d = 0; d < s->n; d++) {
        changed[d] = s->p[d];
        full[d] = in[0]->shape->dims[d];
        if (s->p[d].start == 0 && s->p[d].stride == 1 && xg_sized_whole(i, d, s->p[d].limit))
            changed[d].limit = full[d];
        else if (s->p[d].limit > full[d]) {
            full[d] = s->p[d].limit;
            fill = true;
        }
        dims[d] = changed[d].limit > changed[d].start
                      ? (changed[d].limit - changed[d].start + changed[d].stride - 1) / changed[d].stride
                      : 0;
    }
    if (fill) xg_sized_operand(r, in, 0, full);
    list->n = s->n;
    list->p = changed;
    a.key = XG_A_slice;
    a.v.slices = list;
    xg_inst_set_attr(i, a);
    return xg_sized_shape(r, i->shape->type, dims, s->n);
}

/* The operand's dimensions; one that the result has more is its own. */
XG_FN const xg_shape *xg_sized_converted(xg_eval_run *r, const xg_inst *i, const xg_shape *now) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < i->shape->rank; d++) dims[d] = d < now->rank ? now->dims[d] : i->shape->dims[d];
    return xg_sized_shape(r, i->shape->type, dims, i->shape->rank);
}

/* What is carried keeps its sizes; a dynamic dimension of an output is that of an input. */
XG_FN const xg_shape *xg_sized_scanned(
    xg_eval_run *r, const xg_inst *i, xg_value **in, const xg_shape *s, uint32_t inputs) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d, k;
    for (d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        if (!xg_sized_is_dynamic(s, d)) continue;
        for (k = 0; k < inputs && !(d < in[k]->shape->rank && xg_sized_is_dynamic(XG_OPERAND(i, k)->shape, d)); k++) {}
        if (k == inputs)
            xg_hlo_fail(
                i, XLAGPU_ERROR_UNSUPPORTED, NULL, "the size of dimension %u of its result is not that of an input", d);
        dims[d] = in[k]->shape->dims[d];
    }
    return xg_sized_shape(r, s->type, dims, s->rank);
}
XG_FN const xg_shape *xg_sized_scan(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1,
             carries = (uint32_t)xg_attr_or_0(i, XG_A_num_carries), inputs = i->n_operands - carries, k;
    const xg_shape **elems = XG_NEW_N(r->module->arena, const xg_shape *, n);
    for (k = 0; k < n; k++)
        elems[k] = k >= n - carries ? in[inputs + k - (n - carries)]->shape
                                    : xg_sized_scanned(r, i, in,
                                          i->shape->type == XLAGPU_TUPLE ? i->shape->elems[k] : i->shape, inputs);
    return i->shape->type == XLAGPU_TUPLE ? xg_shape_tuple(r->module, elems, n) : elems[0];
}

XG_FN const xg_shape *xg_sized_result(xg_eval_run *r, xg_inst *i, xg_value **in) {
    switch (i->op) {
    case XG_CONSTANT:
    case XG_IOTA:
    case XG_RNG: return xg_eval_static(r, i->shape);
    case XG_RESHAPE: return xg_sized_reshape(r, i, in[0]->shape);
    case XG_BROADCAST: return xg_sized_broadcast(r, i, in[0]->shape);
    case XG_CONVERT:
    case XG_STOCHASTIC_CONVERT:
    case XG_BITCAST_CONVERT: return xg_sized_converted(r, i, in[0]->shape);
    case XG_SLICE: return xg_sized_slice(r, i, in);
    case XG_DYNAMIC_SLICE:
        xg_sized_sizes(r, i, XG_A_dynamic_slice_sizes, in);
        return xg_sized_shape(r, i->shape->type, xg_attr_ints(i, XG_A_dynamic_slice_sizes).p, i->shape->rank);
    case XG_GATHER: xg_sized_sizes(r, i, XG_A_slice_sizes, in); return NULL;
    case XG_SCAN: return xg_sized_scan(r, i, in);
    case XG_BITCAST:
        if (i->shape->type == in[0]->shape->type && i->shape->rank == in[0]->shape->rank &&
            memcmp(i->shape->dims, XG_OPERAND(i, 0)->shape->dims, i->shape->rank * sizeof(int64_t)) == 0)
            return in[0]->shape;
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "use reshape or bitcast-convert",
            "a bitcast of dynamic dimensions to others is not evaluated");
    default: return NULL;
    }
}

/* ---- the rewritten instruction ---- */

/* With operands that say what they really are. Its attributes are its own. */
XG_FN xg_inst *xg_sized_copy(xg_eval_run *r, const xg_inst *i) {
    xg_inst *c = XG_NEW(&r->mem, xg_inst);
    uint32_t k;
    *c = *i;
    c->operands = XG_NEW_N(&r->mem, xg_use, i->n_operands);
    for (k = 0; k < i->n_operands; k++) {
        c->operands[k].value = XG_NEW(&r->mem, xg_inst);
        c->operands[k].user = c;
        *c->operands[k].value = *XG_OPERAND(i, k);
    }
    return c;
}

XG_FN bool xg_sized_fits(const xg_inst *c, xg_value *const *in) {
    uint32_t k;
    for (k = 0; k < c->n_operands; k++)
        if (xg_shape_is_array(in[k]->shape) && XG_OPERAND(c, k)->shape != in[k]->shape->plain) return false;
    return true;
}

/* Sizes that the declared result says are fixed stay fixed. */
XG_FN xg_value *xg_eval_settle(xg_eval_run *r, const xg_inst *i, xg_value *v) {
    int64_t dims[XG_RANK_MAX];
    xg_value *out;
    uint32_t d;
    if (!xg_shape_is_array(i->shape) || !xg_shape_is_array(v->shape)) return v;
    for (d = 0; d < i->shape->rank; d++)
        dims[d] = xg_sized_is_dynamic(i->shape, d) ? v->shape->dims[d] : i->shape->dims[d];
    if (i->shape->rank == 0 || memcmp(dims, v->shape->dims, i->shape->rank * sizeof *dims) == 0) return v;
    out = xg_eval_resize(r, &v, dims);
    xg_eval_drop(r, v);
    return out;
}

/* Opcodes that pass values on and never look at their sizes, and those that are about sizes. */
XG_FN bool xg_sized_transparent(xg_opcode op) {
    switch (op) {
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_CALL:
    case XG_WHILE:
    case XG_CONDITIONAL:
    case XG_FUSION:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_AFTER_ALL:
    case XG_ADD_DEPENDENCY:
    case XG_ASYNC_START:
    case XG_ASYNC_UPDATE:
    case XG_ASYNC_DONE:
    case XG_COPY_START:
    case XG_COPY_DONE:
    case XG_SEND:
    case XG_SEND_DONE:
    case XG_RECV_DONE:
    case XG_OUTFEED:
    case XG_CUSTOM_CALL:
    case XG_GET_DIMENSION_SIZE:
    case XG_SET_DIMENSION_SIZE:
    case XG_DYNAMIC_RESHAPE: return true;
    default: return false;
    }
}

XG_FN xg_value *xg_eval_sized(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *s;
    xg_inst *c;
    uint32_t k;
    if (!r->sized) r->sized = XG_NEW_N(&r->mem, xg_inst *, r->module->n_ids);
    c = r->sized[i->id];
    if (xg_op_flags(i->op) & XGF_COLL) return xg_eval_handler_of(i->op)(r, i, in); /* by sizes: team.c */
    xg_sized_agree(r, i, in);
    if (!c || !xg_sized_fits(c, in)) {
        c = xg_sized_copy(r, i);
        c->attrs = XG_NEW_N(&r->mem, xg_attr, i->n_attrs);
        if (i->n_attrs) memcpy(c->attrs, i->attrs, i->n_attrs * sizeof *c->attrs);
        s = xg_sized_result(r, c, in);
        for (k = 0; k < c->n_operands; k++)
            if (xg_shape_is_array(in[k]->shape)) c->operands[k].value->shape = in[k]->shape->plain;
        c->shape = s ? s : xg_hlo_infer(r->module, c);
        r->sized[i->id] = c;
    }
    return xg_eval_handler_of(c->op)(r, c, in);
}

/* ---- opcodes about sizes ---- */

XG_FN xg_value *xg_eval_get_dimension_size(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *out = xg_eval_new(r, i->shape);
    xg_eval_store_int(i->shape->type, out->data, in[0]->shape->dims[xg_attr_dims(i).p[0]]);
    return out;
}

XG_FN xg_value *xg_eval_set_dimension_size(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t d = (uint32_t)xg_attr_dims(i).p[0];
    int64_t dims[XG_RANK_MAX], size = xg_eval_int_at(in[1], 0), bound = XG_OPERAND(i, 0)->shape->dims[d];
    if (XG_OPERAND(i, 0)->shape->dynamic && XG_OPERAND(i, 0)->shape->dynamic[d] == XG_DIM_UNBOUNDED) bound = INT64_MAX;
    if (size < 0 || size > bound)
        xg_hlo_wrong(i, "dimension %u, of at most %lld, is to become %lld", d, (long long)bound, (long long)size);
    memcpy(dims, in[0]->shape->dims, in[0]->shape->rank * sizeof *dims);
    dims[d] = xg_sized_is_dynamic(i->shape, d) ? size : i->shape->dims[d];
    return xg_eval_resize(r, &in[0], dims);
}

/* Operand k + 1 is the size of dimension k. */
XG_FN xg_value *xg_eval_dynamic_reshape(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    int64_t dims[XG_RANK_MAX], n = 1, product;
    uint32_t k;
    for (k = 0; k < i->shape->rank; k++) {
        dims[k] = xg_sized_is_dynamic(i->shape, k) ? xg_eval_int_at(in[k + 1], 0) : i->shape->dims[k];
        if (dims[k] < 0 ||
            (dims[k] > i->shape->dims[k] && !(i->shape->dynamic && i->shape->dynamic[k] == XG_DIM_UNBOUNDED)))
            xg_hlo_wrong(i, "dimension %u, of at most %lld, is to become %lld", k, (long long)i->shape->dims[k],
                (long long)dims[k]);
        if (!xg_mul64(n, dims[k], &product)) product = -1;
        n = product;
    }
    if (n != in[0]->shape->elements)
        xg_hlo_wrong(i, "%lld elements cannot take a shape of %lld", (long long)in[0]->shape->elements, (long long)n);
    return xg_eval_share(r, xg_sized_shape(r, i->shape->type, dims, i->shape->rank), in[0]);
}

#endif /* XG_EVAL_DYNAMIC_C */
