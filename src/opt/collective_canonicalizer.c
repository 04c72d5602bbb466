/* opt/collective_canonicalizer.c -- collectives in the form in which devices exchange memory, and transfers as
 * collectives.
 *
 *     y = all-gather(x), dimensions={1}        ==>  the parts, [G, ...], in front; then a transpose
 *     y = reduce-scatter(x), dimensions={1}    ==>  a transpose that brings the parts to the front; then dimension 0
 *     y = all-to-all(x), dimensions={1}        ==>  both
 *     (y0, y1) = all-to-all(x0, x1)            ==>  one array of both, [2, ...]; slices of the result
 *     y = all-reduce(x), to_apply=f            ==>  f(f(x0, x1), x2) of an all-gather, where no device reduces by f
 *     send(x), recv() of one channel           ==>  collective-permute(x)
 *
 * Afterwards every collective reads and writes dense arrays in row-major order, and what it cuts or joins is cut and
 * joined along the most major dimension of more than one element: one run of bytes for each device. */
#ifndef XG_OPT_COLLECTIVE_CANONICALIZER_C
#define XG_OPT_COLLECTIVE_CANONICALIZER_C
#include "../eval/eval.h"
#include "opt.h"
#include "collective_simplifier.c"

XG_FN int64_t xg_opt_group_size(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    bool spread;
    int64_t members = xg_coll_members(i, &spread), n = a && a->v.groups->n ? (int64_t)a->v.groups->p[0].n : members;
    return spread ? n * i->comp->module->num_partitions : n;
}

/* An operation by which devices reduce elements of that type; -1: none. */
XG_FN int xg_opt_device_reducer(const xg_inst *i) {
    int op = xg_reducer_opcode(xg_attr_to_apply(i)), cls = xg_type_class(XG_OPERAND(i, 0)->shape->type);
    switch (op) {
    case XG_ADD: return cls == XGT_P ? XG_MAXIMUM : op;
    case XG_MULTIPLY: return cls == XGT_I || cls == XGT_F ? op : -1;
    case XG_MAXIMUM:
    case XG_MINIMUM: return cls == XGT_C ? -1 : op;
    case XG_OR: return cls == XGT_P ? XG_MAXIMUM : -1;
    case XG_AND: return cls == XGT_P ? XG_MINIMUM : -1;
    default: return -1;
    }
}

/* ---- the parts in front ---- */

XG_FN bool xg_canon_is_dense(const xg_shape *s) {
    return xg_shape_is_array(s) && (!s->layout || (s->layout->descending && !s->layout->extras.n));
}
XG_FN xg_inst *xg_canon_dense(const xg_hb *b, xg_inst *x) {
    return xg_canon_is_dense(x->shape) ? x
                                       : xg_hb_as(b, x, xg_hb_shape(b, x->shape->type, x->shape->dims, x->shape->rank));
}
/* Nothing but dimensions of one element stands before `dim`. */
XG_FN bool xg_canon_is_major(const xg_shape *s, int64_t dim) {
    int64_t k;
    for (k = 0; k < dim && s->dims[k] == 1; k++) {}
    return k == dim;
}
/* x[.., parts * n, ..] as [parts, .., n, ..]. */
XG_FN xg_inst *xg_canon_parts_out(const xg_hb *b, xg_inst *x, int64_t dim, int64_t parts) {
    int64_t dims[XG_RANK_MAX + 1], perm[XG_RANK_MAX + 1];
    uint32_t rank = x->shape->rank, at = 0, k;
    perm[0] = dim;
    for (k = 0; k < rank; k++) {
        if (k == (uint64_t)dim) dims[at++] = parts;
        dims[at++] = k == (uint64_t)dim ? x->shape->dims[k] / parts : x->shape->dims[k];
        perm[k + 1] = k < (uint64_t)dim ? (int64_t)k : (int64_t)k + 1;
    }
    return xg_hb_transpose(b, xg_hb_reshape(b, x, dims, rank + 1), perm);
}
/* And back. */
XG_FN xg_inst *xg_canon_parts_in(const xg_hb *b, xg_inst *x, int64_t dim) {
    int64_t dims[XG_RANK_MAX + 1], perm[XG_RANK_MAX + 1];
    uint32_t rank = x->shape->rank - 1, k;
    for (k = 0; k <= rank; k++) perm[k] = k < (uint64_t)dim ? (int64_t)k + 1 : k == (uint64_t)dim ? 0 : (int64_t)k;
    for (k = 0; k < rank; k++) dims[k] = x->shape->dims[k + 1] * (k == (uint64_t)dim ? x->shape->dims[0] : 1);
    return xg_hb_reshape(b, xg_hb_transpose(b, x, perm), dims, rank);
}

/* ---- one collective ---- */

/* The collective `op` among the devices of i. */
XG_FN xg_inst *xg_canon_make(
    const xg_hb *b, const xg_inst *i, xg_opcode op, xg_inst **in, uint32_t n, const xg_shape *shape) {
    XG_TABLE const char modes[] = "cross_replica\0cross_partition\0cross_replica_and_partition\0flattened_id\0";
    xg_inst *made = xg_hb_op(b, op, shape, in, n);
    int64_t zero = 0;
    xg_str *word;
    uint32_t k;
    for (k = 0; k < i->n_attrs; k++) {
        xg_attr_key key = i->attrs[k].key;
        bool common = key != XG_A_to_apply && key != XG_A_dimensions && key != XG_A_use_global_device_ids;
        if (i->op == op || common || (key == XG_A_use_global_device_ids && op == XG_ALL_GATHER))
            xg_inst_set_attr(made, i->attrs[k]);
    }
    if (op == XG_ALL_TO_ALL && i->op != op) { /* its channel_id means other devices */
        xg_attr mode;
        memset(&mode, 0, sizeof mode);
        mode.key = XG_A_mode;
        word = XG_NEW(b->comp->module->arena, xg_str);
        *word = xg_str_z(xg_text_nth(modes, xg_team_mode_of(i)));
        mode.v.str = word;
        xg_inst_set_attr(made, mode);
    }
    if (op == XG_ALL_GATHER || op == XG_REDUCE_SCATTER || op == XG_ALL_TO_ALL)
        xg_inst_set_one(made, XG_A_dimensions, zero);
    return made;
}
/* Element k of what it gives. */
XG_FN xg_inst *xg_canon_result(const xg_hb *b, xg_inst *made, uint32_t k) {
    return made->shape->type == XLAGPU_TUPLE ? xg_hb_element(b, made, k) : made;
}
XG_FN const xg_shape *xg_canon_shape(const xg_inst *i, uint32_t k) {
    return i->shape->type == XLAGPU_TUPLE ? i->shape->elems[k] : i->shape;
}

/* parts[0], f(parts[0], parts[1]) ...: in the order of the devices. */
XG_FN xg_inst *xg_canon_fold(const xg_hb *b, const xg_inst *i, xg_inst *parts) {
    const xg_shape *s = parts->shape;
    int64_t dims[XG_RANK_MAX], k;
    xg_inst *sum = NULL, *in[2];
    for (k = 0; k + 1 < (int64_t)s->rank; k++) dims[k] = k;
    for (k = 0; k < s->dims[0]; k++) {
        in[0] = sum;
        in[1] = xg_hb_reshape(b, xg_hb_slice_dim(b, parts, 0, k, k + 1), s->dims + 1, s->rank - 1);
        if (!sum) {
            sum = in[1];
            continue;
        }
        sum = xg_hb_op(b, XG_MAP, sum->shape, in, 2);
        xg_inst_set_ints(sum, XG_A_dimensions, dims, s->rank - 1);
        xg_inst_set_comp(sum, XG_A_to_apply, xg_attr_to_apply(i));
    }
    return sum;
}
XG_FN xg_inst *xg_canon_in_front(const xg_hb *b, xg_inst *x, int64_t n) { /* [n, x / n ...] of x's leading dimension */
    int64_t dims[XG_RANK_MAX + 1];
    dims[0] = n;
    memcpy(dims + 1, x->shape->dims, x->shape->rank * sizeof *dims);
    if (n > 1) dims[1] /= n;
    return xg_hb_reshape(b, x, dims, x->shape->rank + 1);
}
/* By an operation that devices do not know: everything is gathered, or the parts are exchanged, and reduced here. */
XG_FN xg_inst *xg_canon_reduce_here(const xg_hb *b, const xg_inst *i, xg_inst **in) {
    int64_t g = xg_opt_group_size(i), dim = i->op == XG_ALL_REDUCE ? 0 : xg_attr_dims(i).p[0];
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    xg_inst **out = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + (size_t)1), *x;
    uint32_t k;
    for (k = 0; a && k < a->v.groups->n; k++)
        if (a->v.groups->p[k].n != a->v.groups->p[0].n)
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "reduce by add, multiply, minimum or maximum",
                "groups of different sizes reduce by a computation of their own");
    for (k = 0; k < i->n_operands; k++) {
        if (i->op == XG_ALL_REDUCE) {
            int64_t dims[XG_RANK_MAX + 1];
            x = xg_canon_in_front(b, in[k], 1);
            memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
            dims[0] = g;
            x = xg_canon_make(b, i, XG_ALL_GATHER, &x, 1, xg_hb_shape(b, x->shape->type, dims, x->shape->rank));
        } else {
            x = xg_canon_parts_out(b, in[k], dim, g);
            x = xg_canon_make(b, i, XG_ALL_TO_ALL, &x, 1, x->shape);
        }
        out[k] = xg_canon_fold(b, i, x);
    }
    return i->shape->type == XLAGPU_TUPLE ? xg_hb_tuple(b, out, i->n_operands) : out[0];
}

/* (y0, y1 ...) = all-to-all(x0, x1 ...): operand k goes to device k of the group. */
XG_FN xg_inst *xg_canon_exchange(const xg_hb *b, const xg_inst *i, xg_inst **in) {
    const xg_shape *s = in[0]->shape;
    uint32_t n = i->n_operands, k;
    xg_inst **out = XG_NEW_N(b->comp->module->arena, xg_inst *, n + (size_t)1), *all;
    for (k = 0; k < n; k++) in[k] = xg_canon_in_front(b, in[k], 1);
    all = xg_hb_concat(b, in, n, 0);
    all = xg_canon_make(b, i, XG_ALL_TO_ALL, &all, 1, all->shape);
    for (k = 0; k < n; k++) out[k] = xg_hb_reshape(b, xg_hb_slice_dim(b, all, 0, k, k + 1), s->dims, s->rank);
    return xg_hb_tuple(b, out, n);
}

/* ---- which are in that form ---- */

XG_FN bool xg_canon_cuts(const xg_inst *i) {
    return i->op == XG_ALL_GATHER || i->op == XG_REDUCE_SCATTER || i->op == XG_ALL_TO_ALL;
}
XG_FN bool xg_canon_reduces(const xg_inst *i) { return i->op == XG_ALL_REDUCE || i->op == XG_REDUCE_SCATTER; }
XG_FN bool xg_opt_is_collective(const xg_inst *i) {
    return (xg_op_flags(i->op) & (XGF_COLL | XGF_START | XGF_DONE)) == XGF_COLL;
}
XG_FN bool xg_opt_is_canonical_collective(const xg_inst *i) {
    xg_ints dims = xg_attr_dims(i);
    uint32_t k, n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1;
    if (!xg_opt_is_collective(i) || (xg_canon_cuts(i) && dims.n != 1)) return false;
    for (k = 0; k < i->n_operands; k++) {
        const xg_shape *s = XG_OPERAND(i, k)->shape;
        if (!xg_canon_is_dense(s) || (xg_canon_cuts(i) && !xg_canon_is_major(s, dims.p[0])) ||
            (xg_canon_reduces(i) && s->type != XG_OPERAND(i, 0)->shape->type))
            return false;
    }
    for (k = 0; k < n; k++)
        if (!xg_canon_is_dense(xg_canon_shape(i, k))) return false;
    return !xg_canon_reduces(i) || xg_opt_device_reducer(i) >= 0;
}
XG_FN bool xg_canon_matches(const xg_inst *i) { return xg_opt_is_collective(i) && !xg_opt_is_canonical_collective(i); }
XG_FN xg_inst *xg_canon_expand(const xg_hb *b, xg_inst *i) {
    xg_module *m = b->comp->module;
    uint32_t n = i->n_operands, k, results = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1;
    xg_inst **in = XG_NEW_N(m->arena, xg_inst *, n + (size_t)1),
            **out = XG_NEW_N(m->arena, xg_inst *, results + (size_t)1), *made;
    const xg_shape **shapes = XG_NEW_N(m->arena, const xg_shape *, results + (size_t)1);
    xg_ints dims = xg_attr_dims(i);
    int64_t dim = xg_canon_cuts(i) && dims.n ? dims.p[0] : 0, g = xg_opt_group_size(i);
    for (k = 0; k < n; k++) {
        const xg_shape *s = XG_OPERAND(i, k)->shape;
        /* the form in place, or a reducer of several types: the plan refuses it by name */
        if (!xg_shape_is_array(s) || s->rank >= XG_RANK_MAX || s->dynamic) return NULL;
        if (xg_canon_reduces(i) && s->type != XG_OPERAND(i, 0)->shape->type) return NULL;
    }
    for (k = 0; k < n; k++) in[k] = xg_canon_dense(b, XG_OPERAND(i, k));
    if (xg_canon_reduces(i) && xg_opt_device_reducer(i) < 0) return xg_canon_reduce_here(b, i, in);
    if (i->op == XG_ALL_TO_ALL && !dims.n) return xg_canon_exchange(b, i, in);
    for (k = 0; k < results; k++) {
        const xg_shape *s = xg_canon_shape(i, k);
        if (dim && i->op == XG_ALL_GATHER)
            in[k] = xg_canon_in_front(b, in[k], 1);
        else if (dim)
            in[k] = xg_canon_parts_out(b, in[k], dim, g);
        shapes[k] = dim ? in[k]->shape : xg_hb_shape(b, s->type, s->dims, s->rank);
        if (dim && i->op != XG_ALL_TO_ALL) {
            int64_t sizes[XG_RANK_MAX + 1];
            memcpy(sizes, in[k]->shape->dims, in[k]->shape->rank * sizeof *sizes);
            sizes[0] = i->op == XG_ALL_GATHER ? g : 1;
            shapes[k] = xg_hb_shape(b, s->type, sizes, in[k]->shape->rank);
        }
    }
    made = xg_canon_make(
        b, i, i->op, in, n, i->shape->type == XLAGPU_TUPLE ? xg_shape_tuple(m, shapes, results) : shapes[0]);
    for (k = 0; k < results; k++) {
        const xg_shape *s = xg_canon_shape(i, k);
        out[k] = xg_canon_result(b, made, k);
        if (dim && i->op == XG_REDUCE_SCATTER)
            out[k] = xg_hb_reshape(b, out[k], s->dims, s->rank);
        else if (dim)
            out[k] = xg_canon_parts_in(b, out[k], dim);
    }
    return i->shape->type == XLAGPU_TUPLE ? xg_hb_tuple(b, out, results) : out[0];
}
XG_FN bool xg_opt_collective_canonicalizer(xg_module *m) {
    return xg_coll_any(m) && xg_opt_expand(m, xg_canon_matches, xg_canon_expand);
}

/* ---- transfers ---- */

/* The only user, if it is of that opcode. */
XG_FN xg_inst *xg_transfer_end(const xg_inst *start, xg_opcode done) {
    const xg_use *u = start->first_use;
    return u && !u->next && start != start->comp->root && u->user->op == done ? u->user : NULL;
}
XG_FN bool xg_transfer_is(const xg_inst *i, xg_opcode op) {
    return i->op == op && !xg_attr_or_0(i, XG_A_is_host_transfer);
}
/* The attribute source_target_pairs from {{0,1},{1,2}} in an attribute of the front end; without that a device sends to
 * itself. */
XG_FN xg_attr xg_transfer_pairs(const xg_inst *send) {
    const xg_module *m = send->comp->module;
    xg_arena *a = m->arena;
    XG_VEC(xg_ints) list = {NULL, 0, 0};
    xg_int_lists *lists = XG_NEW(a, xg_int_lists);
    xg_attr out;
    xg_str text;
    int64_t pair[2], devices = m->replica_count * m->num_partitions;
    uint32_t at = 0;
    bool said = xg_sent_pairs(send, &text);
    for (pair[0] = 0; said ? xg_sent_pair(text, &at, pair) : pair[0] < devices; pair[0] += !said) {
        int64_t *copy = XG_NEW_N(a, int64_t, 2);
        xg_ints one;
        if (!said) pair[1] = pair[0];
        memcpy(copy, pair, sizeof pair);
        one.p = copy;
        one.n = 2;
        xg_push(a, xg_ints, &list, one);
    }
    lists->p = list.p;
    lists->n = list.n;
    memset(&out, 0, sizeof out);
    out.key = XG_A_source_target_pairs;
    out.v.lists = lists;
    return out;
}
/* The send in front of the receive's end, over the same channel. */
XG_FN xg_inst *xg_transfer_send(const xg_inst *recv, const xg_inst *before) {
    int64_t channel = xg_attr_or_0(recv, XG_A_channel_id);
    xg_inst *i;
    for (i = before->prev; i; i = i->prev)
        if (xg_transfer_is(i, XG_SEND) && xg_attr_or_0(i, XG_A_channel_id) == channel &&
            xg_shape_compatible(XG_OPERAND(i, 0)->shape, recv->shape->elems[0]))
            return i;
    return NULL;
}
/* Both ends list the same pairs. */
XG_FN bool xg_transfer_agrees(const xg_inst *send, const xg_inst *recv) {
    xg_attr a = xg_transfer_pairs(send), b = xg_transfer_pairs(recv);
    uint32_t k;
    if (a.v.lists->n != b.v.lists->n) return false;
    for (k = 0; k < a.v.lists->n; k++)
        if (memcmp(a.v.lists->p[k].p, b.v.lists->p[k].p, 2 * sizeof(int64_t)) != 0) return false;
    return true;
}
XG_APART XG_FN bool xg_transfer_expand(xg_inst *end) {
    const xg_module *m = end->comp->module;
    xg_inst *recv = XG_OPERAND(end, 0), *send, *sent, *both[2], *tuple, *x;
    xg_hb b = xg_hb_at(end);
    if (!xg_transfer_is(recv, XG_RECV) || xg_transfer_end(recv, XG_RECV_DONE) != end) return false;
    send = xg_transfer_send(recv, end);
    sent = send ? xg_transfer_end(send, XG_SEND_DONE) : NULL;
    if (!sent || !xg_shape_is_array(XG_OPERAND(send, 0)->shape) || (m->replica_count > 1 && m->num_partitions > 1))
        return false;
    if (!xg_transfer_agrees(send, recv))
        xg_hlo_invalid(recv, "give both ends the same _xla_send_recv_source_target_pairs",
            "it names other pairs of devices than send %.*s on its channel", (int)send->name.n, send->name.p);
    x = XG_OPERAND(send, 0);
    both[0] = xg_hb_of(&b, XG_COLLECTIVE_PERMUTE, end->shape->elems[0], x);
    xg_inst_set_attr(both[0], xg_transfer_pairs(send));
    if (m->num_partitions > 1) xg_inst_set_int(both[0], XG_A_channel_id, xg_attr_or_1(send, XG_A_channel_id));
    both[1] = xg_hb_op(&b, XG_AFTER_ALL, end->shape->elems[1], NULL, 0);
    tuple = xg_hb_tuple(&b, both, 2);
    xg_inst_replace(end, tuple);
    xg_inst_replace(sent, both[1]);
    xg_inst_remove(end);
    xg_inst_remove(recv);
    xg_inst_remove(sent);
    xg_inst_remove(send);
    return true;
}
/* Both ends in one computation, the send first: then all devices exchange at once. */
XG_FN bool xg_opt_transfers_to_permutes(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->made[XG_RECV_DONE] ? m->first : NULL; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = i->next;
            while (next && next->op == XG_SEND_DONE) next = next->next;
            if (i->op == XG_RECV_DONE) changed = xg_transfer_expand(i) || changed;
        }
    }
    return changed;
}

#endif /* XG_OPT_COLLECTIVE_CANONICALIZER_C */
