/* eval/team.c -- many devices at once, and what they exchange.
 *
 * Devices run in step: a frame executes each instruction on all active devices before the next instruction, so the
 * operands of a collective are all there when it comes. Loops go on while some device wants to, branches are taken one
 * after another, each with the devices that chose it; a collective whose group has a device that is not active would
 * never end on real devices: it is refused. What touches one device only (the great rest) runs through xg_eval_step,
 * device after device.
 *
 * A device is partition d % partitions of replica d / partitions. One device alone is a team of one. */
#ifndef XG_EVAL_TEAM_C
#define XG_EVAL_TEAM_C
#include "eval.h"

/* ---- groups ---- */

/* What the ids in replica_groups are: replicas (of one partition each), partitions (of one replica each), replicas with
 * all of their partitions, or devices. */
XG_FN xg_team_mode xg_team_mode_of(const xg_inst *i) {
    int k =
        xg_word_in("cross_replica cross_partition cross_replica_and_partition flattened_id", xg_attr_str(i, XG_A_mode));
    if (k >= 0) return (xg_team_mode)k;
    if (!xg_inst_attr(i, XG_A_channel_id)) return XG_TEAM_REPLICAS;
    switch (i->op) {
    case XG_ALL_REDUCE:
    case XG_ALL_REDUCE_START:
    case XG_ALL_GATHER:
    case XG_ALL_GATHER_START:
    case XG_REDUCE_SCATTER: return xg_attr_or_0(i, XG_A_use_global_device_ids) ? XG_TEAM_FLAT : XG_TEAM_BOTH;
    default: return XG_TEAM_PARTITIONS;
    }
}

XG_FN uint32_t xg_team_device(const xg_eval_run *r, const xg_inst *i, xg_team_mode mode, int64_t id, uint32_t other) {
    uint32_t replicas = r->n_devices / r->partitions;
    int64_t device = mode == XG_TEAM_PARTITIONS ? (int64_t)other * r->partitions + id
                     : mode == XG_TEAM_FLAT     ? id
                                                : id * r->partitions + other;
    int64_t limit = mode == XG_TEAM_PARTITIONS ? r->partitions : mode == XG_TEAM_FLAT ? r->n_devices : replicas;
    if (id < 0 || id >= limit)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "evaluate as many devices together as the module names",
            "it names device %lld, and only %lld %s evaluated", (long long)id, (long long)limit,
            limit == 1 ? "is" : "are");
    return (uint32_t)device;
}

typedef struct xg_team_groups {
    uint32_t n;
    xg_ints *p;
} xg_team_groups; /* of devices */

XG_FN xg_team_groups xg_team_groups_of(xg_eval_run *r, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    const xg_groups *g = a && a->v.groups->n ? a->v.groups : NULL;
    xg_team_mode mode = xg_team_mode_of(i);
    uint32_t replicas = r->n_devices / r->partitions, sets,
             times = mode == XG_TEAM_REPLICAS     ? r->partitions
                     : mode == XG_TEAM_PARTITIONS ? replicas
                                                  : 1,
             spread = mode == XG_TEAM_BOTH ? r->partitions : 1, t, k, j, s;
    int64_t all = mode == XG_TEAM_PARTITIONS ? r->partitions : mode == XG_TEAM_FLAT ? r->n_devices : replicas;
    xg_team_groups out;
    if ((int64_t)r->n_devices <
        XG_MAX(r->module->replica_count, (int64_t)1) * XG_MAX(r->module->num_partitions, (int64_t)1))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "evaluate all of the module's devices together",
            "several devices take part, and only %u %s evaluated", r->n_devices, r->n_devices == 1 ? "is" : "are");
    sets = g ? g->n : 1;
    out.n = 0;
    out.p = XG_NEW_N(&r->stack, xg_ints, xg_mul(r->ctx, sets, times));
    for (t = 0; t < times; t++)
        for (k = 0; k < sets; k++) {
            uint32_t size = g ? g->p[k].n : (uint32_t)all;
            int64_t *ids = XG_NEW_N(&r->stack, int64_t, xg_mul(r->ctx, size, spread));
            for (j = 0; j < size; j++)
                for (s = 0; s < spread; s++)
                    ids[j * spread + s] =
                        xg_team_device(r, i, mode, g ? g->p[k].p[j] : j, mode == XG_TEAM_BOTH ? s : t);
            out.p[out.n].p = ids;
            out.p[out.n++].n = size * spread;
        }
    return out;
}

/* ---- what each collective gives its members ---- */

/* A group at work. in[d][k]: operand k of device d; out[m * n_results + k]: result k of member m. */
typedef struct xg_team_work {
    const xg_inst *inst;
    xg_ints members;
    xg_value ***in;
    xg_value **out;
    uint32_t n_results;
} xg_team_work;

/* The shape of result k; a start that gives (operands, results) has it in its second element. */
XG_FN bool xg_team_gives_both(const xg_inst *i) {
    return i->op == XG_ALL_GATHER_START || i->op == XG_COLLECTIVE_PERMUTE_START;
}
XG_FN const xg_shape *xg_team_results(const xg_inst *i) {
    return xg_team_gives_both(i) ? i->shape->elems[1] : i->shape;
}
XG_FN const xg_shape *xg_team_shape(const xg_inst *i, uint32_t k) {
    const xg_shape *s = xg_team_results(i);
    return s->type == XLAGPU_TUPLE ? s->elems[k] : s;
}
XG_FN xg_value **xg_team_operand(const xg_team_work *w, uint32_t m, uint32_t k) { return &w->in[w->members.p[m]][k]; }

/* Arrays with dimensions of no fixed size meet as they are, and must be of one size then. */
XG_FN void xg_team_check_sizes(const xg_team_work *w) {
    uint32_t m, k, d;
    for (k = 0; k < w->inst->n_operands; k++)
        for (m = 1; m < w->members.n && xg_shape_has_dynamic(XG_OPERAND(w->inst, k)->shape); m++) {
            const xg_shape *a = (*xg_team_operand(w, 0, k))->shape, *b = (*xg_team_operand(w, m, k))->shape;
            for (d = 0; d < a->rank; d++)
                if (a->dims[d] != b->dims[d])
                    xg_hlo_invalid(w->inst, "give all devices of a group arrays of one size",
                        "dimension %u of operand %u has %lld elements on device %lld and %lld on device %lld", d, k,
                        (long long)a->dims[d], (long long)w->members.p[0], (long long)b->dims[d],
                        (long long)w->members.p[m]);
        }
}
/* Of result k, which is of operand k's sizes but for one along dim. */
XG_FN const xg_shape *xg_team_sized(xg_eval_run *r, const xg_team_work *w, uint32_t k, uint32_t dim, int64_t size) {
    const xg_shape *s = xg_team_shape(w->inst, k), *in = (*xg_team_operand(w, 0, k))->shape;
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    if (!s->dynamic) return s;
    for (d = 0; d < s->rank; d++) dims[d] = in->dims[d];
    dims[dim] = size;
    return xg_sized_shape(r, s->type, dims, s->rank);
}

/* Operand k of all members combined. */
XG_FN xg_value *xg_team_reduce(xg_eval_run *r, const xg_team_work *w, uint32_t k) {
    const xg_comp *c = xg_attr_to_apply(w->inst);
    const xg_shape *s = (*xg_team_operand(w, 0, k))->shape;
    size_t bytes = xg_eval_bytes(r, s);
    xg_value *out = xg_eval_new(r, s);
    uint32_t m;
    xg_eval_spend(r, s->elements);
    if (w->members.n > 1 && xg_eval_single(c) == XG_ADD && xg_type_class(s->type) == XGT_F) {
        xg_value *rows = xg_eval_scratch(r, xg_mul(r->ctx, bytes, w->members.n));
        unsigned char zero[8] = {0};
        xg_float_store(s->type, zero, -0.0);
        for (m = 0; m < w->members.n; m++) {
            const unsigned char *from = xg_eval_dense(r, xg_team_operand(w, m, k));
            if (bytes) memcpy(rows->data + m * bytes, from, bytes);
        }
        xg_reduce_sum(r, s->type, out->data, rows->data, zero, w->members.n, s->elements);
        xg_eval_drop(r, rows);
        return out;
    }
    if (bytes) memcpy(out->data, xg_eval_dense(r, xg_team_operand(w, 0, k)), bytes);
    for (m = 1; m < w->members.n; m++) {
        const unsigned char *x = xg_eval_dense(r, xg_team_operand(w, m, k));
        xg_reduce_fold(r, c, 1, &out->data, &x, (size_t)s->elements);
    }
    return out;
}

/* Copies `from`, from place from_at along dim, `length` long, to place to_at of `to`. */
XG_FN void xg_team_copy(
    xg_value *to, int64_t to_at, const xg_value *from, int64_t from_at, int64_t length, uint32_t dim) {
    xg_strided c;
    uint32_t d;
    c.rank = to->shape->rank;
    c.bytes = (size_t)xg_type_bytes(to->shape->type);
    xg_eval_row_strides(to->shape, c.to);
    xg_eval_row_strides(from->shape, c.from);
    for (d = 0; d < c.rank; d++) c.dims[d] = d == dim ? length : to->shape->dims[d];
    if (to->shape->elements && length > 0)
        xg_eval_copy(&c, to->data + (size_t)(to_at * c.to[dim]) * c.bytes,
            from->data + (size_t)(from_at * c.from[dim]) * c.bytes);
}

XG_FN void xg_team_all_reduce(xg_eval_run *r, const xg_team_work *w) {
    uint32_t m, k;
    for (k = 0; k < w->n_results; k++) {
        xg_value *sum = xg_team_reduce(r, w, k);
        for (m = 0; m < w->members.n; m++) w->out[m * w->n_results + k] = m ? xg_eval_keep(sum) : sum;
    }
}

XG_FN void xg_team_reduce_scatter(xg_eval_run *r, const xg_team_work *w) {
    uint32_t dim = (uint32_t)xg_attr_dims(w->inst).p[0], m, k;
    for (k = 0; k < w->n_results; k++) {
        xg_value *sum = xg_team_reduce(r, w, k);
        const xg_shape *s = xg_team_sized(r, w, k, dim, sum->shape->dims[dim] / w->members.n);
        if (s->dims[dim] * w->members.n > sum->shape->dims[dim])
            xg_hlo_wrong(w->inst, "its result is not for groups of %u", w->members.n);
        for (m = 0; m < w->members.n; m++) {
            xg_value *part = w->out[m * w->n_results + k] = xg_eval_new(r, s);
            xg_team_copy(part, 0, sum, (int64_t)m * s->dims[dim], s->dims[dim], dim);
        }
        xg_eval_drop(r, sum);
    }
}

XG_FN void xg_team_all_gather(xg_eval_run *r, const xg_team_work *w) {
    uint32_t dim = (uint32_t)xg_attr_dims(w->inst).p[0], m, k;
    for (k = 0; k < w->n_results; k++) {
        int64_t part = (*xg_team_operand(w, 0, k))->shape->dims[dim];
        int64_t all = (int64_t)xg_mul(r->ctx, (size_t)part, w->members.n);
        xg_value *whole = xg_eval_new(r, xg_team_sized(r, w, k, dim, all));
        if (all != whole->shape->dims[dim]) xg_hlo_wrong(w->inst, "its result is not for groups of %u", w->members.n);
        xg_eval_spend(r, whole->shape->elements);
        for (m = 0; m < w->members.n; m++) {
            xg_eval_dense(r, xg_team_operand(w, m, k));
            xg_team_copy(whole, m * part, *xg_team_operand(w, m, k), 0, part, dim);
            w->out[m * w->n_results + k] = m ? xg_eval_keep(whole) : whole;
        }
    }
}

/* With dimensions=: part m of every member goes to member m, joined in order. Else operand m of every member does, as a
 * tuple. */
XG_FN void xg_team_all_to_all(xg_eval_run *r, const xg_team_work *w) {
    xg_ints dims = xg_attr_dims(w->inst);
    uint32_t n = w->members.n, m, j;
    if (!dims.n) {
        if (w->inst->n_operands != n)
            xg_hlo_wrong(w->inst, "it has %u operands, but is among groups of %u", w->inst->n_operands, n);
        for (m = 0; m < n; m++)
            for (j = 0; j < n; j++) w->out[m * n + j] = xg_eval_keep(*xg_team_operand(w, j, m));
        return;
    }
    for (j = 0; j < n; j++) xg_eval_dense(r, xg_team_operand(w, j, 0));
    for (m = 0; m < n; m++) {
        const xg_shape *in = (*xg_team_operand(w, 0, 0))->shape;
        xg_value *out = w->out[m] = xg_eval_new(r, xg_team_sized(r, w, 0, (uint32_t)dims.p[0], in->dims[dims.p[0]]));
        int64_t part = out->shape->dims[dims.p[0]] / n;
        if (part * n != out->shape->dims[dims.p[0]]) xg_hlo_wrong(w->inst, "its result is not for groups of %u", n);
        xg_eval_spend(r, out->shape->elements);
        for (j = 0; j < n; j++)
            xg_team_copy(out, j * part, *xg_team_operand(w, j, 0), m * part, part, (uint32_t)dims.p[0]);
    }
}

/* Rows of dimension 0. Member m sends send_sizes[j] rows of its input from input_offsets[j] to row output_offsets[j] of
 * the output of the member that entry j belongs to; entries are in the order of the members, as many for each. */
XG_FN void xg_team_ragged_all_to_all(xg_eval_run *r, const xg_team_work *w) {
    uint32_t n = w->members.n, m;
    for (m = 0; m < n; m++) w->out[m] = xg_eval_own(r, xg_team_operand(w, m, 1));
    for (m = 0; m < n; m++) {
        const xg_value *input, *offsets = *xg_team_operand(w, m, 2), *sizes = *xg_team_operand(w, m, 3),
                               *places = *xg_team_operand(w, m, 4);
        int64_t entries = offsets->shape->elements, j;
        xg_eval_dense(r, xg_team_operand(w, m, 0));
        input = *xg_team_operand(w, m, 0);
        if (entries % n)
            xg_hlo_wrong(w->inst, "there are %lld offsets, not as many for each of %u devices", (long long)entries, n);
        for (j = 0; j < entries; j++) {
            xg_value *to = w->out[j / (entries / n)];
            int64_t from = xg_eval_int_at(offsets, j), size = xg_eval_int_at(sizes, j), at = xg_eval_int_at(places, j),
                    have = input->shape->dims[0], room = to->shape->dims[0];
            if (size < 0 || from < 0 || at < 0 || from > have - size || at > room - size)
                xg_hlo_wrong(w->inst, "%lld rows from row %lld of %lld to row %lld of %lld do not fit", (long long)size,
                    (long long)from, (long long)have, (long long)at, (long long)room);
            xg_team_copy(to, at, input, from, size, 0);
        }
    }
}

XG_FN void xg_team_broadcast(xg_eval_run *r, const xg_team_work *w) {
    uint32_t m, k, root = 0;
    (void)r;
    if (xg_attr_or_0(w->inst, XG_A_has_dynamic_root)) {
        int64_t at = xg_eval_int_at(*xg_team_operand(w, 0, w->inst->n_operands - 1), 0);
        if (at < 0 || at >= w->members.n)
            xg_hlo_wrong(w->inst, "its root is member %lld of %u", (long long)at, w->members.n);
        root = (uint32_t)at;
    }
    for (m = 0; m < w->members.n; m++)
        for (k = 0; k < w->n_results; k++) w->out[m * w->n_results + k] = xg_eval_keep(*xg_team_operand(w, root, k));
}

/* ---- from operands of all devices to results of all devices ---- */

/* A device's results as the instruction hands them on. Takes over the results. */
XG_FN xg_value *xg_team_wrap(xg_eval_run *r, const xg_inst *i, xg_value **in, xg_value **results) {
    const xg_shape *s = xg_team_results(i);
    xg_value *v = s->type == XLAGPU_TUPLE ? xg_eval_new_tuple(r, s, results) : results[0], *first;
    uint32_t k;
    if (!xg_team_gives_both(i)) return v;
    for (k = 0; k < i->n_operands; k++) xg_eval_keep(in[k]);
    first = i->shape->elems[0]->type == XLAGPU_TUPLE ? xg_eval_new_tuple(r, i->shape->elems[0], in) : in[0];
    return xg_eval_started(r, i, first, v);
}

XG_FN void xg_team_do(xg_eval_run *r, const xg_team_work *w) {
    xg_team_check_sizes(w);
    switch (w->inst->op) {
    case XG_ALL_REDUCE:
    case XG_ALL_REDUCE_START: xg_team_all_reduce(r, w); break;
    case XG_REDUCE_SCATTER: xg_team_reduce_scatter(r, w); break;
    case XG_ALL_GATHER:
    case XG_ALL_GATHER_START: xg_team_all_gather(r, w); break;
    case XG_ALL_TO_ALL: xg_team_all_to_all(r, w); break;
    case XG_RAGGED_ALL_TO_ALL: xg_team_ragged_all_to_all(r, w); break;
    default: xg_team_broadcast(r, w); break;
    }
}

/* Targets get their source's operands, the others zeros. */
XG_FN void xg_team_permute(xg_eval_run *r, const xg_inst *i, const bool *active, xg_value ***in, xg_value **out) {
    const xg_attr *pairs = xg_inst_attr(i, XG_A_source_target_pairs);
    uint32_t replicas = r->n_devices / r->partitions, *source = XG_NEW_N(&r->stack, uint32_t, r->n_devices), d, k, t;
    xg_team_mode mode = xg_team_mode_of(i);
    if (i->n_operands == 4 && XG_OPERAND(i, 2)->shape->type == XLAGPU_TUPLE)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "exchange whole arrays, then update in place",
            "its form in place is not evaluated");
    for (k = 0; pairs && k < pairs->v.lists->n; k++) {
        xg_ints p = pairs->v.lists->p[k];
        for (t = 0; t < (mode == XG_TEAM_PARTITIONS ? replicas : mode == XG_TEAM_FLAT ? 1 : r->partitions); t++)
            source[xg_team_device(r, i, mode, p.p[1], t)] = xg_team_device(r, i, mode, p.p[0], t) + 1;
    }
    for (d = 0; d < r->n_devices; d++) {
        xg_value **results = XG_NEW_N(&r->stack, xg_value *, i->n_operands);
        if (!active[d]) continue;
        if (source[d] && !active[source[d] - 1])
            xg_hlo_wrong(i, "device %u waits for device %u, which does not come here", d, source[d] - 1);
        for (k = 0; k < i->n_operands; k++)
            results[k] = source[d] ? xg_eval_keep(in[source[d] - 1][k]) : xg_eval_zero(r, in[d][k]->shape);
        out[d] = xg_team_wrap(r, i, in[d], results);
    }
}

XG_FN void xg_team_collective(xg_eval_run *r, const xg_inst *i, const bool *active, xg_value ***in, xg_value **out) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_team_groups groups;
    xg_team_work w;
    uint32_t g, m, d, k;
    if (i->op == XG_COLLECTIVE_PERMUTE || i->op == XG_COLLECTIVE_PERMUTE_START) {
        xg_team_permute(r, i, active, in, out);
        xg_arena_reset(&r->stack, mark);
        return;
    }
    groups = xg_team_groups_of(r, i);
    w.inst = i;
    w.in = in;
    w.n_results = xg_team_results(i)->type == XLAGPU_TUPLE ? xg_team_results(i)->n_elems : 1;
    for (g = 0; g < groups.n; g++) {
        bool any = false, all = true;
        w.members = groups.p[g];
        for (m = 0; m < w.members.n; m++) {
            if (active[w.members.p[m]])
                any = true;
            else
                all = false;
        }
        if (!any) continue;
        if (!all) xg_hlo_wrong(i, "it would never end: not all devices of a group come here");
        w.out = XG_NEW_N(&r->stack, xg_value *, xg_mul(r->ctx, w.members.n, w.n_results));
        xg_team_do(r, &w);
        for (m = 0; m < w.members.n; m++)
            out[w.members.p[m]] = xg_team_wrap(r, i, in[w.members.p[m]], w.out + m * w.n_results);
    }
    for (d = 0; d < r->n_devices; d++)
        if (active[d] && !out[d]) { /* in no group */
            xg_value **results = XG_NEW_N(&r->stack, xg_value *, w.n_results);
            for (k = 0; k < w.n_results; k++) results[k] = xg_eval_zero(r, xg_team_shape(i, k));
            out[d] = xg_team_wrap(r, i, in[d], results);
        }
    xg_arena_reset(&r->stack, mark);
}

/* One device: a team of one. */
XG_FN xg_value *xg_eval_collective(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool active = true;
    xg_value *out = NULL;
    if (r->n_devices != 1)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "call it from the entry, loops, branches and calls",
            "devices cannot meet inside of it");
    xg_team_collective(r, i, &active, &in, &out);
    return out;
}

/* ---- frames of a team ---- */

XG_FN void xg_team_while(xg_eval_run *r, const xg_inst *i, const bool *active, xg_value ***in, xg_value **out) {
    const xg_comp *condition = xg_attr_comp(i, XG_A_condition), *body = xg_attr_comp(i, XG_A_body);
    uint32_t n = r->n_devices, d;
    bool *on = XG_NEW_N(&r->stack, bool, n), any = true;
    xg_value **args = XG_NEW_N(&r->stack, xg_value *, n), **more = XG_NEW_N(&r->stack, xg_value *, n);
    for (d = 0; d < n; d++)
        if (active[d]) {
            on[d] = true;
            out[d] = in[d][0];
            in[d][0] = NULL;
        }
    while (any) {
        any = false;
        for (d = 0; d < n; d++)
            if (on[d]) args[d] = xg_eval_keep(out[d]);
        xg_team_frame(r, condition, on, args, more);
        for (d = 0; d < n; d++)
            if (on[d]) {
                on[d] = more[d]->data[0] != 0;
                any = any || on[d];
                xg_eval_drop(r, more[d]);
            }
        if (!any) return;
        xg_eval_spend(r, 1);
        for (d = 0; d < n; d++)
            if (on[d]) args[d] = out[d];
        xg_team_frame(r, body, on, args, out);
    }
}

XG_FN void xg_team_conditional(xg_eval_run *r, const xg_inst *i, const bool *active, xg_value ***in, xg_value **out) {
    uint32_t n = r->n_devices, d, k;
    bool *on = XG_NEW_N(&r->stack, bool, n);
    xg_value **args = XG_NEW_N(&r->stack, xg_value *, n);
    for (k = 0; k + 1 < i->n_operands; k++) {
        bool any = false;
        for (d = 0; d < n; d++) {
            on[d] = active[d] && xg_eval_branch_of(i, in[d][0]) == k;
            if (!on[d]) continue;
            any = true;
            args[d] = in[d][k + 1];
            in[d][k + 1] = NULL;
        }
        if (any) xg_team_frame(r, xg_eval_branch(i, k), on, args, out);
    }
}

/* A computation whose parameters are the operands. */
XG_FN void xg_team_call(
    xg_eval_run *r, const xg_inst *i, const xg_comp *c, const bool *active, xg_value ***in, xg_value **out) {
    uint32_t n = r->n_devices, d, k;
    xg_value **args = XG_NEW_N(&r->stack, xg_value *, xg_mul(r->ctx, n, i->n_operands));
    for (d = 0; d < n; d++)
        if (active[d])
            for (k = 0; k < i->n_operands; k++) {
                args[k * n + d] = in[d][k];
                in[d][k] = NULL;
            }
    xg_team_frame(r, c, active, args, out);
}

XG_FN void xg_team_async_start(xg_eval_run *r, const xg_inst *i, const bool *active, xg_value ***in, xg_value **out) {
    uint32_t n = r->n_devices, d, k;
    xg_value **results = XG_NEW_N(&r->stack, xg_value *, n), **operands = XG_NEW_N(&r->stack, xg_value *, n);
    for (d = 0; d < n; d++)
        if (active[d]) {
            for (k = 0; k < i->n_operands; k++) xg_eval_keep(in[d][k]);
            operands[d] = xg_eval_new_tuple(r, i->shape->elems[0], in[d]);
        }
    xg_team_call(r, i, xg_attr_calls(i), active, in, results);
    for (d = 0; d < n; d++)
        if (active[d]) out[d] = xg_eval_started(r, i, operands[d], results[d]);
}

XG_FN void xg_team_step(xg_eval_run *r, const xg_inst *i, const bool *active, xg_value ***in, xg_value **out) {
    uint32_t d, k;
    bool together = true;
    switch (i->op) {
    case XG_WHILE: xg_team_while(r, i, active, in, out); break;
    case XG_CONDITIONAL: xg_team_conditional(r, i, active, in, out); break;
    case XG_CALL: xg_team_call(r, i, xg_attr_to_apply(i), active, in, out); break;
    case XG_FUSION: xg_team_call(r, i, xg_attr_calls(i), active, in, out); break;
    case XG_ASYNC_START: xg_team_async_start(r, i, active, in, out); break;
    default:
        together = (xg_op_flags(i->op) & XGF_COLL) && !(xg_op_flags(i->op) & XGF_DONE);
        if (together) xg_team_collective(r, i, active, in, out);
    }
    for (d = 0; d < r->n_devices; d++)
        if (active[d]) {
            r->device = d;
            if (!together)
                out[d] = xg_eval_step(r, i, in[d]);
            else
                for (k = 0; k < i->n_operands; k++) xg_eval_drop(r, in[d][k]);
        }
}

XG_FN void xg_team_frame(xg_eval_run *r, const xg_comp *c, const bool *active, xg_value **args, xg_value **results) {
    const xg_eval_plan *p = xg_eval_plan_of(r, c);
    xg_mark mark = xg_arena_mark(&r->stack);
    uint32_t n = r->n_devices, at, d;
    xg_value **slots = XG_NEW_N(&r->stack, xg_value *, xg_mul(r->ctx, n, p->n)); /* device by device */
    if (++r->depth > XG_EVAL_DEPTH)
        xg_fail(r->ctx, XLAGPU_ERROR_LIMIT, "computations call each other deeper than %d levels", (int)XG_EVAL_DEPTH);
    for (at = 0; at < p->n; at++) {
        const xg_inst *i = p->insts[at];
        xg_mark inner = xg_arena_mark(&r->stack);
        xg_value ***in, **out;
        if (i->op == XG_PARAMETER) {
            for (d = 0; d < n; d++)
                if (active[d]) {
                    xg_value **arg = &args[i->number * n + d];
                    if (p->last[at] == UINT32_MAX)
                        xg_eval_drop(r, *arg);
                    else
                        slots[(size_t)d * p->n + at] = *arg;
                    *arg = NULL;
                }
            continue;
        }
        if (p->last[at] == UINT32_MAX) continue;
        in = XG_NEW_N(&r->stack, xg_value **, n);
        out = XG_NEW_N(&r->stack, xg_value *, n);
        for (d = 0; d < n; d++)
            if (active[d]) {
                in[d] = XG_NEW_N(&r->stack, xg_value *, i->n_operands);
                xg_eval_operands(r, p, at, slots + (size_t)d * p->n, in[d]);
            }
        xg_team_step(r, i, active, in, out);
        for (d = 0; d < n; d++)
            if (active[d]) {
                if (p->last[at] == at)
                    xg_eval_drop(r, out[d]);
                else
                    slots[(size_t)d * p->n + at] = out[d];
            }
        xg_arena_reset(&r->stack, inner);
    }
    r->depth--;
    for (d = 0; d < n; d++)
        if (active[d]) results[d] = slots[(size_t)d * p->n + r->position[c->root->id]];
    xg_arena_reset(&r->stack, mark);
}

#endif /* XG_EVAL_TEAM_C */
