/* plan/windowed_einsum.c -- WindowedEinsumHandler: an exchange of whole arrays beside a product, in pieces that run
 * beside each other. Devices of a group stand in a ring; in each step a device multiplies the piece that it has while
 * the next one comes from its neighbour.
 *
 *     dot(all-gather(x), w)       x goes round; each piece makes its rows of the result, or, where the gathered
 *                                 dimension is summed over, a part of the sum
 *     reduce-scatter(dot(x, w))   sums go round; each device adds its part of the rows of the next one
 *
 * What is sent is the same. The pass takes the form that the model of time says ends sooner: pieces are launched one by
 * one and written once more, so it pays where links and matrix units are both busy for long. */
#ifndef XG_PLAN_WINDOWED_EINSUM_C
#define XG_PLAN_WINDOWED_EINSUM_C
#include "collectives.c"
#include "plan.h"

enum {
    XG_WINDOWED_MOST = 16 /* devices of a ring: the steps are written out */
};

typedef struct xg_windowed {
    xg_inst *dot, *exchange;
    xg_dot_dims dims;
    uint32_t side;             /* operand of the dot that is gathered, or whose rows are scattered */
    int64_t dim, out, against; /* of it; the result's, -1: it is summed over; then, of the other operand */
    int64_t g, part;           /* devices of a ring; elements of a piece along dim */
    int64_t *place;            /* of each partition in its ring */
    int64_t *next;             /* partition behind it there */
} xg_windowed;

/* ---- which ones ---- */

/* The dimension of the result that is dimension `dim` of operand `side`, which is not summed over. */
XG_FN int64_t xg_windowed_out(const xg_windowed *w) {
    const xg_dot_dims *d = &w->dims;
    int64_t out = d->lb.n, k;
    if (w->side) out += (int64_t)XG_OPERAND(w->dot, 0)->shape->rank - d->lb.n - d->lc.n;
    for (k = 0; k < w->dim; k++)
        out += !xg_ints_at(w->side ? d->rb : d->lb, k, NULL) && !xg_ints_at(w->side ? d->rc : d->lc, k, NULL);
    return out;
}
/* Operand `side` of the dot, gathered along its dimension. */
XG_FN bool xg_windowed_gathers(xg_windowed *w) {
    uint32_t at;
    w->dim = xg_attr_dims(w->exchange).p[0];
    w->part = XG_OPERAND(w->exchange, 0)->shape->dims[w->dim];
    if (xg_ints_at(w->side ? w->dims.rb : w->dims.lb, w->dim, NULL)) return false;
    w->out = -1;
    if (xg_ints_at(w->side ? w->dims.rc : w->dims.lc, w->dim, &at))
        w->against = (w->side ? w->dims.lc : w->dims.rc).p[at];
    else
        w->out = xg_windowed_out(w);
    /* parts of a sum are not rounded to few bits in between */
    return w->out >= 0 || xg_type_class(w->dot->shape->type) != XGT_F || xg_type_bits(w->dot->shape->type) >= 32;
}
/* The dimension of an operand that is scattered in the result. */
XG_FN bool xg_windowed_scatters(xg_windowed *w) {
    int64_t dim = xg_attr_dims(w->exchange).p[0];
    if (xg_reducer_opcode(xg_attr_to_apply(w->exchange)) != XG_ADD) return false;
    w->part = w->exchange->shape->dims[dim];
    for (w->side = 0; w->side < 2; w->side++)
        for (w->dim = 0; w->dim < XG_OPERAND(w->dot, w->side)->shape->rank; w->dim++) {
            if (xg_ints_at(w->side ? w->dims.rb : w->dims.lb, w->dim, NULL)) continue;
            if (xg_ints_at(w->side ? w->dims.rc : w->dims.lc, w->dim, NULL)) continue;
            w->out = xg_windowed_out(w);
            if (w->out == dim) return true;
        }
    return false;
}
/* Rings of partitions, each partition in one. */
XG_FN bool xg_windowed_rings(xg_windowed *w) {
    xg_module *m = w->dot->comp->module;
    xg_meeting t = xg_meeting_of(w->exchange);
    int64_t seen = 0;
    uint32_t n, k, j;
    const xg_ints *rings;
    if (t.replicas > 1 || (t.mode != XG_TEAM_PARTITIONS && t.mode != XG_TEAM_FLAT)) return false;
    rings = xg_meeting_groups(m->work, &t, &n);
    w->g = n ? rings[0].n : 0;
    w->place = XG_NEW_N(m->work, int64_t, t.partitions);
    w->next = XG_NEW_N(m->work, int64_t, t.partitions);
    for (k = 0; k < n; k++) {
        if (rings[k].n != w->g) return false;
        for (j = 0; j < rings[k].n; j++, seen++) {
            int64_t id = xg_meeting_device(&t, rings[k].p[j], 0);
            w->place[id] = j;
            w->next[id] = xg_meeting_device(&t, rings[k].p[(j + 1) % rings[k].n], 0);
        }
    }
    return seen == t.partitions && w->g > 1 && w->g <= XG_WINDOWED_MOST;
}
XG_FN bool xg_windowed_is_one(const xg_inst *i, xg_opcode op) {
    return i->op == op && i->n_operands == 1 && xg_shape_is_array(i->shape) && !i->shape->dynamic && !xg_inst_order(i);
}
/* The exchange beside a dot: what it reads, else what reads it. */
XG_APART XG_FN bool xg_windowed_of(xg_inst *dot, xg_windowed *w) {
    memset(w, 0, sizeof *w);
    if (dot->op != XG_DOT || dot->shape->dynamic) return false;
    w->dot = dot;
    w->dims = xg_dot_dims_of(dot);
    for (w->side = 0; w->side < 2; w->side++) {
        w->exchange = XG_OPERAND(dot, w->side);
        if (XG_OPERAND(dot, 0) != XG_OPERAND(dot, 1) && xg_windowed_is_one(w->exchange, XG_ALL_GATHER) &&
            xg_inst_n_users(w->exchange) == 1 && w->exchange->comp->root != w->exchange && xg_windowed_gathers(w))
            return xg_windowed_rings(w);
    }
    if (xg_inst_n_users(dot) != 1 || dot->comp->root == dot) return false;
    w->exchange = dot->first_use->user;
    return xg_windowed_is_one(w->exchange, XG_REDUCE_SCATTER) && xg_windowed_scatters(w) && xg_windowed_rings(w);
}

/* ---- how long they take ---- */

/* Of so many multiply-adds and bytes in one kernel. */
XG_FN int64_t xg_windowed_kernel(const xg_inst *dot, int64_t macs, int64_t bytes) {
    const xg_device *d = &dot->comp->module->device;
    xlagpu_type t = XG_OPERAND(dot, 0)->shape->type;
    int bits = xg_type_bits(t), cls = xg_type_class(t);
    xg_cost_counts c;
    memset(&c, 0, sizeof c);
    c.blocks = d->sm_count;
    c.threads = d->threads_per_block;
    c.read_bytes = bytes;
    if (cls == XGT_F && bits == 16)
        c.macs[XG_TENSOR_F16] = macs;
    else if (cls == XGT_F && bits == 8)
        c.macs[XG_TENSOR_F8] = macs;
    else if (cls == XGT_F && bits == 64)
        c.macs[XG_TENSOR_F64] = macs;
    else if (cls == XGT_I && bits == 8)
        c.macs[XG_TENSOR_I8] = macs;
    else
        c.pipes[cls == XGT_I ? XG_PIPE_INTEGER : XG_PIPE_F32] = c.issued = macs / XG_WARP_LANES;
    return xg_cost_predict(d, &c).picoseconds;
}
XG_FN int64_t xg_windowed_macs(const xg_windowed *w) {
    const int64_t *l = XG_OPERAND(w->dot, 0)->shape->dims;
    int64_t macs = w->dot->shape->elements;
    uint32_t k;
    for (k = 0; k < w->dims.lc.n; k++) macs = xg_cost_mul(macs, l[w->dims.lc.p[k]]);
    return macs;
}
XG_FN bool xg_windowed_pays(const xg_windowed *w) {
    int64_t launch = xg_cost_mul(w->dot->comp->module->device.launch_ns, 1000), macs = xg_windowed_macs(w),
            sent = xg_plan_sent_time(w->exchange), out = xg_plan_bytes(w->dot->shape),
            mine = xg_plan_bytes(XG_OPERAND(w->dot, w->side)->shape),
            other = xg_plan_bytes(XG_OPERAND(w->dot, 1 - w->side)->shape), whole, piece, more, step, bytes;
    bytes = mine / w->g + (w->out >= 0 ? other + out / w->g : other / w->g + out);
    whole = xg_cost_add(xg_cost_add(sent, launch), xg_windowed_kernel(w->dot, macs, mine + other + out));
    /* a piece is put into the result, or sums are added to others */
    more = xg_windowed_kernel(w->dot, 0,
        w->exchange->op == XG_ALL_GATHER && w->out >= 0 ? 2 * (out / w->g)
        : w->out >= 0                                   ? 3 * (out / w->g)
                                                        : 3 * out);
    piece = xg_cost_add(xg_windowed_kernel(w->dot, macs / w->g, bytes), more);
    step = xg_cost_add(sent / (w->g - 1), launch);
    return xg_cost_add(xg_cost_mul(w->g - 1, XG_MAX(piece, step)), piece) < whole;
}

/* ---- the steps ---- */

typedef struct xg_windowed_steps {
    const xg_windowed *w;
    xg_hb b;
    xg_inst *id; /* of the partition */
} xg_windowed_steps;

/* A scalar: where the piece begins that the device has, or makes, `plus` steps behind its own. */
XG_FN xg_inst *xg_windowed_at(xg_windowed_steps *s, int64_t plus) {
    const xg_windowed *w = s->w;
    int64_t n = s->b.comp->module->num_partitions, one = 1, k;
    xg_literal *l = xg_literal_new(s->b.comp->module->arena, xg_hb_shape(&s->b, XLAGPU_S64, &n, 1));
    xg_inst *at;
    for (k = 0; k < n; k++) xg_literal_set_int(l, k, (w->place[k] + plus) % w->g * w->part);
    at = xg_hb_dynamic_slice(&s->b, xg_hb_literal(&s->b, l), &s->id, &one);
    return xg_hb_reshape(&s->b, at, NULL, 0);
}
/* That, along one dimension of x, and 0 along the others. */
XG_FN void xg_windowed_starts(xg_windowed_steps *s, const xg_inst *x, int64_t dim, int64_t plus, xg_inst **starts) {
    xg_inst *zero = xg_hb_zero(&s->b, XLAGPU_S64), *at = xg_windowed_at(s, plus);
    uint32_t d;
    for (d = 0; d < x->shape->rank; d++) starts[d] = d == dim ? at : zero;
}
XG_FN xg_inst *xg_windowed_slice(xg_windowed_steps *s, xg_inst *x, int64_t dim, int64_t plus) {
    xg_inst *starts[XG_RANK_MAX];
    int64_t sizes[XG_RANK_MAX];
    xg_windowed_starts(s, x, dim, plus, starts);
    memcpy(sizes, x->shape->dims, x->shape->rank * sizeof *sizes);
    sizes[dim] = s->w->part;
    return xg_hb_dynamic_slice(&s->b, x, starts, sizes);
}
/* Of the device behind this one in the ring. */
XG_FN xg_inst *xg_windowed_pass(xg_windowed_steps *s, xg_inst *x) {
    xg_module *m = s->b.comp->module;
    xg_int_lists *lists = XG_NEW(m->arena, xg_int_lists);
    xg_ints *pairs = XG_NEW_N(m->arena, xg_ints, m->num_partitions);
    xg_inst *i = xg_hb_of(&s->b, XG_COLLECTIVE_PERMUTE, x->shape, x);
    xg_attr a = xg_attr_make(XG_A_source_target_pairs);
    const xg_attr *channel = xg_inst_attr(s->w->exchange, XG_A_channel_id);
    int64_t k, *pair;
    for (k = 0; k < m->num_partitions; k++) {
        pair = XG_NEW_N(m->arena, int64_t, 2);
        pair[0] = s->w->next[k];
        pair[1] = k;
        pairs[k].p = pair;
        pairs[k].n = 2;
    }
    lists->p = pairs;
    lists->n = (uint32_t)m->num_partitions;
    a.v.lists = lists;
    xg_inst_set_attr(i, a);
    if (channel) xg_inst_set_attr(i, *channel);
    return i;
}
XG_FN xg_inst *xg_windowed_dot(xg_windowed_steps *s, xg_inst *mine, xg_inst *other) {
    const xg_windowed *w = s->w;
    return xg_hb_dot(&s->b, w->side ? other : mine, w->side ? mine : other, w->dims, w->dot->shape->type, w->dot);
}
XG_FN xg_inst *xg_windowed_gather(xg_windowed_steps *s) {
    const xg_windowed *w = s->w;
    const xg_shape *whole = w->dot->shape;
    xg_inst *mine = XG_OPERAND(w->exchange, 0), *other = XG_OPERAND(w->dot, 1 - w->side), *sum = NULL, *y,
            *starts[XG_RANK_MAX];
    int64_t k;
    if (w->out >= 0) sum = xg_hb_splat(&s->b, xg_hb_zero(&s->b, whole->type), whole->dims, whole->rank);
    for (k = 0; k < w->g; k++) {
        y = xg_windowed_dot(s, mine, w->out >= 0 ? other : xg_windowed_slice(s, other, w->against, k));
        if (w->out >= 0) {
            xg_windowed_starts(s, sum, w->out, k, starts);
            sum = xg_hb_dynamic_update_slice(&s->b, sum, y, starts);
        } else
            sum = k ? xg_hb_add(&s->b, sum, y) : y;
        if (k + 1 < w->g) mine = xg_windowed_pass(s, mine);
    }
    return sum;
}
XG_FN xg_inst *xg_windowed_scatter(xg_windowed_steps *s) {
    const xg_windowed *w = s->w;
    xg_inst *sum = NULL, *y;
    int64_t k;
    for (k = 0; k < w->g; k++) {
        y = xg_windowed_slice(s, XG_OPERAND(w->dot, w->side), w->dim, k + 1);
        y = xg_windowed_dot(s, y, XG_OPERAND(w->dot, 1 - w->side));
        sum = k ? xg_hb_add(&s->b, xg_windowed_pass(s, sum), y) : y;
    }
    return sum;
}
/* In place of both; collectives that nothing reads would stay otherwise. */
XG_FN void xg_windowed_write(const xg_windowed *w) {
    bool gathers = w->exchange->op == XG_ALL_GATHER;
    xg_inst *last = gathers ? w->dot : w->exchange;
    xg_windowed_steps s;
    s.w = w;
    s.b = xg_hb_at(last);
    s.id = xg_hb_op(&s.b, XG_PARTITION_ID, xg_shape_scalar(s.b.comp->module, XLAGPU_U32), NULL, 0);
    xg_opt_replace(last, gathers ? xg_windowed_gather(&s) : xg_windowed_scatter(&s));
    xg_inst_remove(last);
    xg_inst_remove(gathers ? w->exchange : w->dot);
}

/* ---- the passes ---- */

XG_FN bool xg_windowed_run(xg_module *m, bool always) {
    bool changed = false;
    xg_comp *c;
    if (m->num_partitions < 2) return false;
    for (c = m->first; c; c = c->next) {
        xg_inst *i, *next;
        for (i = c->first; i; i = next) {
            xg_windowed w;
            next = xg_inst_behind(i);
            if (!xg_windowed_of(i, &w) || !(always || xg_windowed_pays(&w))) continue;
            if (next == w.exchange) next = xg_inst_behind(next);
            xg_windowed_write(&w);
            changed = true;
        }
    }
    return changed;
}
XG_FN bool xg_plan_windowed_einsum(xg_module *m) { return xg_windowed_run(m, false); }
XG_FN bool xg_plan_windowed_everywhere(xg_module *m) { return xg_windowed_run(m, true); }

#endif /* XG_PLAN_WINDOWED_EINSUM_C */
