/* eval/device.c -- scan; what runs asynchronously; send and recv; infeed and outfeed.
 *
 * An asynchronous pair does its work at its start. What is sent waits in a queue of the run until it is received: both
 * ends must be in this process, and the send must come first (devices run in step). The host is two functions of the
 * options. */
#ifndef XG_EVAL_DEVICE_C
#define XG_EVAL_DEVICE_C
#include "eval.h"

/* ---- scan: slices of the inputs and the carried values go in; slices of the outputs and new carried values come out
 * ---- */

/* The box of slice `at` of an array along dim: strides in `from`. */
XG_FN int64_t xg_scan_box(xg_strided *c, const xg_shape *s, uint32_t dim, int64_t at) {
    int64_t strides[XG_RANK_MAX], step = 1;
    uint32_t d;
    xg_eval_row_strides(s, strides);
    c->rank = 0;
    c->bytes = (size_t)xg_type_bytes(s->type);
    for (d = 0; d < s->rank; d++)
        if (d != dim) {
            c->dims[c->rank] = s->dims[d];
            c->from[c->rank++] = strides[d];
        }
    for (d = c->rank; d-- > 0;) {
        c->to[d] = step;
        step *= c->dims[d];
    }
    return at * strides[dim] * (int64_t)c->bytes;
}

/* The shape of a slice, which is that of the computation's parameter but for dynamic sizes. */
XG_FN const xg_shape *xg_scan_slice(xg_eval_run *r, const xg_shape *whole, uint32_t dim, const xg_shape *param) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d, n = 0;
    if (!param->dynamic) return param;
    for (d = 0; d < whole->rank; d++)
        if (d != dim) dims[n++] = whole->dims[d];
    return xg_shape_plain(r->module, whole->type, dims, n);
}

XG_FN void xg_scan_store(xg_eval_run *r, xg_value *out, uint32_t dim, int64_t at, xg_value **slice) {
    const unsigned char *from = xg_eval_dense(r, slice);
    xg_strided c;
    int64_t offset = xg_scan_box(&c, out->shape, dim, at);
    uint32_t d;
    for (d = 0; d < c.rank; d++) {
        int64_t swap = c.to[d];
        c.to[d] = c.from[d];
        c.from[d] = swap;
    }
    xg_eval_copy(&c, out->data + offset, from);
}

XG_FN xg_value *xg_eval_scan(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_comp *comp = xg_attr_to_apply(i);
    bool bare = i->shape->type != XLAGPU_TUPLE, reverse = xg_attr_or_0(i, XG_A_is_reverse) != 0;
    uint32_t carries = (uint32_t)xg_attr_or_0(i, XG_A_num_carries), inputs = i->n_operands - carries,
             n = bare ? 1 : i->shape->n_elems, outputs = n - carries, dim = (uint32_t)xg_attr_dims(i).p[0], k;
    int64_t length = in[0]->shape->dims[dim], t;
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value **outs = XG_NEW_N(&r->stack, xg_value *, n), **args = XG_NEW_N(&r->stack, xg_value *, i->n_operands), *v;
    for (k = 0; k < inputs; k++) xg_eval_dense(r, &in[k]);
    for (k = 0; k < outputs; k++) outs[k] = xg_eval_new(r, bare ? i->shape : i->shape->elems[k]);
    for (k = 0; k < carries; k++) {
        outs[outputs + k] = in[inputs + k];
        in[inputs + k] = NULL;
    }
    for (t = 0; t < length; t++) {
        int64_t at = reverse ? length - 1 - t : t;
        for (k = 0; k < inputs; k++) {
            xg_strided c;
            int64_t offset = xg_scan_box(&c, in[k]->shape, dim, at);
            args[k] = xg_eval_new(r, xg_scan_slice(r, in[k]->shape, dim, comp->params[k]->shape));
            xg_eval_copy(&c, args[k]->data, in[k]->data + offset);
        }
        for (k = 0; k < carries; k++) args[inputs + k] = outs[outputs + k];
        v = xg_eval_frame(r, comp, args);
        xg_eval_spend(r, 1);
        for (k = 0; k < n; k++) {
            xg_value *e = v->elems ? xg_eval_keep(v->elems[k]) : xg_eval_keep(v);
            if (k >= outputs) {
                outs[k] = e;
                continue;
            }
            xg_scan_store(r, outs[k], dim, at, &e);
            xg_eval_drop(r, e);
        }
        xg_eval_drop(r, v);
    }
    v = bare ? outs[0] : xg_eval_new_tuple(r, i->shape, outs);
    xg_arena_reset(&r->stack, mark);
    return v;
}

/* ---- asynchronous pairs: the start's tuple holds the result as element 1 ---- */

/* A value of zeros of any shape; tuples of contexts are at most one deep in practice, and no deeper than shapes are
 * read. */
XG_FN xg_value *xg_eval_zero(xg_eval_run *r, const xg_shape *s) {
    xg_value *v;
    if (s->type == XLAGPU_TUPLE) {
        xg_mark mark = xg_arena_mark(&r->stack);
        xg_value **elems = XG_NEW_N(&r->stack, xg_value *, s->n_elems);
        uint32_t k;
        for (k = 0; k < s->n_elems; k++) elems[k] = xg_eval_zero(r, s->elems[k]);
        v = xg_eval_new_tuple(r, s, elems);
        xg_arena_reset(&r->stack, mark);
        return v;
    }
    v = xg_eval_new(r, s);
    if (v->data) memset(v->data, 0, xg_eval_bytes(r, s));
    return v;
}

/* (first, second, contexts...), over references that are handed over. */
XG_FN xg_value *xg_eval_started(xg_eval_run *r, const xg_inst *i, xg_value *first, xg_value *second) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value **elems = XG_NEW_N(&r->stack, xg_value *, i->shape->n_elems), *v;
    uint32_t k;
    elems[0] = first;
    elems[1] = second;
    for (k = 2; k < i->shape->n_elems; k++) elems[k] = xg_eval_zero(r, i->shape->elems[k]);
    v = xg_eval_new_tuple(r, i->shape, elems);
    xg_arena_reset(&r->stack, mark);
    return v;
}

XG_FN xg_value *xg_eval_async_start(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t k;
    xg_value *operands;
    for (k = 0; k < i->n_operands; k++) xg_eval_keep(in[k]);
    operands = xg_eval_new_tuple(r, i->shape->elems[0], in);
    return xg_eval_started(r, i, operands, xg_eval_frame(r, xg_attr_calls(i), in));
}
XG_FN xg_value *xg_eval_pass(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *v = in[0];
    (void)r;
    (void)i;
    in[0] = NULL;
    return v;
}
XG_FN xg_value *xg_eval_async_done(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)i;
    return xg_eval_keep(in[0]->elems[1]);
}
/* (copy, source, context): the done gives element 0. */
XG_FN xg_value *xg_eval_copy_start(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_eval_started(r, i, xg_eval_keep(in[0]), xg_eval_keep(in[0]));
}
XG_FN xg_value *xg_eval_copy_done(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)i;
    return xg_eval_keep(in[0]->elems[0]);
}

/* ---- send and recv ---- */

/* What was sent, by sending device and channel, until it is received. Both ends are in this process. */
typedef struct xg_sent xg_sent;
struct xg_sent {
    int64_t channel;
    uint32_t to;
    xg_value *value;
    xg_sent *next;
};

/* The pairs {source,target} that an attribute of the front end names; without them a device sends to itself. Calls
 * itself with *at moved on. */
XG_FN bool xg_sent_pair(xg_str text, uint32_t *at, int64_t pair[2]) {
    int64_t v = 0;
    uint32_t n = 0;
    bool digit = false;
    for (; *at < text.n; (*at)++) {
        char c = text.p[*at];
        if (c >= '0' && c <= '9') {
            v = XG_MIN(v * 10 + (c - '0'), (int64_t)UINT32_MAX);
            digit = true;
            continue;
        }
        if (digit) {
            pair[n++ & 1] = v;
            v = 0;
            digit = false;
        }
        if (c == '}' && n) {
            (*at)++;
            return n == 2;
        }
        if (c == '"' && n == 0 && *at && text.p[*at - 1] == '}') return false; /* the end of the list */
    }
    return false;
}
XG_FN bool xg_sent_pairs(const xg_inst *i, xg_str *list) {
    XG_TABLE const char key[] = "_xla_send_recv_source_target_pairs";
    xg_str text = xg_attr_str(i, XG_A_frontend_attributes);
    uint32_t k;
    for (k = 0; k + sizeof key - 1 <= text.n; k++)
        if (memcmp(text.p + k, key, sizeof key - 1) == 0) {
            list->p = text.p + k + sizeof key - 1;
            list->n = text.n - k - (uint32_t)sizeof key + 1;
            return true;
        }
    return false;
}

/* The channel of an end, or of the beginning whose end it is. */
XG_FN int64_t xg_sent_channel(const xg_inst *i) {
    while (!xg_inst_attr(i, XG_A_channel_id) && i->n_operands &&
           (i->op == XG_SEND_DONE || i->op == XG_RECV_DONE || i->op == XG_OPT_BARRIER))
        i = XG_OPERAND(i, 0);
    return xg_attr_or_0(i, XG_A_channel_id);
}

XG_FN void xg_sent_post(xg_eval_run *r, const xg_inst *i, uint32_t to, xg_value *v) {
    xg_sent *s = XG_NEW(&r->mem, xg_sent), **last = &r->sent;
    if (to >= r->n_devices)
        xg_hlo_invalid(i, "evaluate as many devices together as the module names",
            "it sends to device %u, but %u are evaluated", to, r->n_devices);
    s->channel = xg_sent_channel(i);
    s->to = to;
    s->value = xg_eval_keep(v);
    while (*last) last = &(*last)->next;
    *last = s;
}

XG_FN xg_value *xg_eval_import(xg_eval_run *r, const xg_literal *l) {
    xg_value *v;
    uint32_t k;
    if (l->shape->type == XLAGPU_TUPLE) {
        xg_mark mark = xg_arena_mark(&r->stack);
        xg_value **elems = XG_NEW_N(&r->stack, xg_value *, l->shape->n_elems);
        for (k = 0; k < l->shape->n_elems; k++) elems[k] = xg_eval_import(r, l->elems[k]);
        v = xg_eval_new_tuple(r, l->shape, elems);
        xg_arena_reset(&r->stack, mark);
        return v;
    }
    v = xg_eval_new(r, l->shape);
    if (v->data && l->data) memcpy(v->data, l->data, xg_eval_bytes(r, l->shape));
    return v;
}

XG_FN xg_value *xg_eval_from_host(xg_eval_run *r, const xg_inst *i, const xg_shape *shape) {
    xg_mark mark = xg_arena_mark(&r->stack);
    const xg_literal *l =
        r->options.from_host ? r->options.from_host(r->options.host, &r->stack, i, r->device, shape) : NULL;
    xg_value *v;
    if (!l)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "give the evaluator a function that reads from the host",
            r->options.from_host ? "the host has nothing to give" : "there is no host to receive from");
    if (!xg_shape_compatible(l->shape, shape)) xg_hlo_wrong(i, "the host gave a value of another shape");
    v = xg_eval_import(r, l);
    xg_arena_reset(&r->stack, mark);
    return v;
}
XG_FN void xg_eval_to_host(xg_eval_run *r, const xg_inst *i, const xg_value *v) {
    xg_mark mark = xg_arena_mark(&r->stack);
    if (!r->options.to_host || !r->options.to_host(r->options.host, i, r->device, xg_eval_literal(r, &r->stack, v, 0)))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "give the evaluator a function that writes to the host",
            r->options.to_host ? "the host did not take the value" : "there is no host to send to");
    xg_arena_reset(&r->stack, mark);
}

/* (first, zeros of the rest of the shape). */
XG_FN xg_value *xg_eval_with_rest(xg_eval_run *r, const xg_inst *i, xg_value *first) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value **elems = XG_NEW_N(&r->stack, xg_value *, i->shape->n_elems), *v;
    uint32_t k;
    elems[0] = first;
    for (k = 1; k < i->shape->n_elems; k++) elems[k] = xg_eval_zero(r, i->shape->elems[k]);
    v = xg_eval_new_tuple(r, i->shape, elems);
    xg_arena_reset(&r->stack, mark);
    return v;
}

XG_FN xg_value *xg_eval_send(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_str list;
    int64_t pair[2];
    uint32_t at = 0;
    if (xg_attr_or_0(i, XG_A_is_host_transfer))
        xg_eval_to_host(r, i, in[0]);
    else if (!xg_sent_pairs(i, &list))
        xg_sent_post(r, i, r->device, in[0]);
    else
        while (xg_sent_pair(list, &at, pair))
            if (pair[0] == (int64_t)r->device) xg_sent_post(r, i, (uint32_t)pair[1], in[0]);
    return xg_eval_with_rest(r, i, xg_eval_keep(in[0]));
}
XG_FN xg_value *xg_eval_send_done(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)in;
    return xg_eval_new(r, i->shape);
}

/* The data appear in the recv of a host transfer; between devices in its done. */
XG_FN xg_value *xg_eval_recv(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *s = i->shape->elems[0];
    (void)in;
    return xg_eval_with_rest(
        r, i, xg_attr_or_0(i, XG_A_is_host_transfer) ? xg_eval_from_host(r, i, s) : xg_eval_zero(r, s));
}

XG_FN bool xg_sent_is_target(const xg_inst *i, uint32_t device) {
    xg_str list;
    int64_t pair[2];
    uint32_t at = 0;
    while (!xg_sent_pairs(i, &list)) {
        if (i->op != XG_RECV_DONE) return true;
        i = XG_OPERAND(i, 0);
    }
    while (xg_sent_pair(list, &at, pair))
        if (pair[1] == (int64_t)device) return true;
    return false;
}

XG_FN xg_value *xg_eval_recv_done(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    int64_t channel = xg_sent_channel(i);
    xg_sent **at = &r->sent;
    xg_value *v;
    if (xg_attr_or_0(i, XG_A_is_host_transfer) || !xg_sent_is_target(i, r->device))
        return xg_eval_with_rest(r, i, xg_eval_keep(in[0]->elems[0]));
    while (*at && ((*at)->channel != channel || (*at)->to != r->device)) at = &(*at)->next;
    if (!*at)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "send before receiving, on the same channel",
            "nothing was sent to device %u on channel %lld", r->device, (long long)channel);
    v = (*at)->value;
    *at = (*at)->next;
    if (!xg_shape_compatible(v->shape, i->shape->elems[0]))
        xg_hlo_wrong(i, "what was sent on channel %lld has another shape", (long long)channel);
    return xg_eval_with_rest(r, i, v);
}

XG_FN xg_value *xg_eval_infeed(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)in;
    return xg_eval_with_rest(r, i, xg_eval_from_host(r, i, i->shape->elems[0]));
}
XG_FN xg_value *xg_eval_outfeed(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_eval_to_host(r, i, in[0]);
    return xg_eval_new(r, i->shape);
}

#endif /* XG_EVAL_DEVICE_C */
