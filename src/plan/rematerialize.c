/* plan/rematerialize.c -- a program that has to get by with so much device memory: what is needed again much later is
 * made again there.
 *
 * Asked when the order is settled, of the plan itself and not of an estimate: parameters, results and constants are
 * what they are, temporaries lie as pack.c puts them. While that is over the limit, the position at which most is
 * needed is looked at. Memory that a library's call works in there becomes smaller first. A value that lives there,
 * but is not read there, needs no memory there if the kernel that makes it is run once more in front of its first
 * later reader. What that kernel reads then has to live until there, which is deducted, as far as it is not there
 * anyway: what remains for each second of kernel time decides which is first. What it reads may be made again, too, if
 * it is gone by then. Of a kernel of several results only the one that is needed is made again. When none of that
 * helps any more, a value that is needed again much later waits in host memory: it is copied there behind its last
 * reader before the peak, and back in front of the first one after it. That takes far longer than a kernel, so it is
 * asked last, and only for as much as is over the limit. On a device opened with copy_stream or concurrent both ways
 * run beside the kernels between.
 * Then the plan is made anew, until it fits or nothing helps; what does not fit is a failure that says how far it got
 * and what holds the rest.
 *
 * Laws: a kernel made twice gives the same bits; effects, loops, branches and what is updated in place are run once;
 * neither order nor results change but for the copies. */
#ifndef XG_PLAN_REMATERIALIZE_C
#define XG_PLAN_REMATERIALIZE_C
#include "../choice/choice.h"
#include "plan.h"
#include "thunks.c"
#include "schedule.c"

enum {
    XG_LIMIT_ROUNDS = 256,
    XG_LIMIT_PATIENCE = 8 /* rounds without a gain */,
    XG_LIMIT_DEPTH = 16 /* of names for names */,
    XG_LIMIT_NAMED = 4 /* in the message */,
    XG_LIMIT_CHAIN = 16 /* kernels made again for one value */,
    XG_LIMIT_SLIGHT = 64,
    XG_LIMIT_VALUES = 4,  /* of an instruction's leaf: a loop's have a start, a state, an end and a copy */
    XG_LIMIT_RESULTS = 8, /* of a graph of cuDNN's: those that are made here have four */
    XG_LIMIT_ALIGN = 256  /* bytes, of a buffer at most */
};

typedef struct xg_limit {
    xg_module *m;
    xg_arena *arena;
    xg_plan *p;
    int64_t *live;   /* by position: bytes of temporaries that lie in no result */
    uint32_t *over;  /* before each position: how many hold too much */
    int64_t outside; /* parameters, results, constants */
    int64_t inside;  /* the blocks of temporaries */
    int64_t most;    /* that may be live, so that all of it stays under the limit */
    uint32_t at;     /* where most is */
    double excess;   /* over all positions */
} xg_limit;

/* ---- what there is ---- */

XG_FN bool xg_limit_counts(const xg_buffer *b) { return b->space != XG_PLAN_HOST_SPACE; }
XG_FN bool xg_limit_lies_in_block(const xg_buffer *b) {
    return b->kind == XG_EXE_ALLOC_TEMP && !b->host && xg_limit_counts(b) && b->bytes;
}

XG_APART XG_FN void xg_limit_measure(xg_limit *l, int64_t limit) {
    xg_plan *p = l->p = xg_plan_buffers(l->arena, l->m);
    uint32_t k;
    l->live = XG_NEW_N(l->arena, int64_t, (size_t)p->end + 2);
    l->over = XG_NEW_N(l->arena, uint32_t, (size_t)p->end + 3);
    l->outside = l->inside = 0;
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *b = p->buffers.p[k];
        if (b->kind != XG_EXE_ALLOC_TEMP && xg_limit_counts(b)) l->outside = xg_sched_add(l->outside, b->bytes);
        if (xg_limit_lies_in_block(b)) {
            l->live[b->first] += b->bytes;
            l->live[b->last + 1] -= b->bytes;
        }
    }
    for (k = 0; k < p->spaces.n; k++)
        if (p->spaces.p[k].space != XG_PLAN_HOST_SPACE) l->inside = xg_sched_add(l->inside, p->spaces.p[k].bytes);
    for (l->at = 0, k = 1; k <= p->end; k++) {
        l->live[k] += l->live[k - 1];
        if (l->live[k] > l->live[l->at]) l->at = k;
    }
    l->most = limit - l->outside - (l->inside - l->live[l->at]); /* what packing wastes, it will waste again */
    for (l->excess = 0, k = 0; k <= p->end; k++) {
        l->over[k + 1] = l->over[k] + (l->live[k] > l->most);
        if (l->live[k] > l->most) l->excess += (double)(l->live[k] - l->most);
    }
}
/* Positions from .. to at which too much is live. */
XG_FN int64_t xg_limit_over(const xg_limit *l, uint32_t from, uint32_t to) {
    return from > to ? 0 : (int64_t)l->over[to + 1] - l->over[from];
}

/* ---- what could be made again ---- */

XG_FN uint32_t xg_limit_position(const xg_inst *i) {
    return (uint32_t)(uintptr_t)i->scratch;
} /* values.c puts it there */

/* the last one before the peak, the first behind it */
typedef struct xg_limit_uses {
    uint32_t before, after;
    xg_inst *reader;
} xg_limit_uses;

/* A get-tuple-element of another leaf. */
XG_FN bool xg_limit_is_other(const xg_inst *user, const xg_inst *of, uint32_t leaf) {
    return of->shape->type == XLAGPU_TUPLE && user->op == XG_GET_TUPLE_ELEMENT &&
           (uint32_t)xg_attr_int(user, XG_A_index, -1) != leaf;
}
XG_FN bool xg_limit_is_name(const xg_inst *i) { return i->op == XG_BITCAST || i->op == XG_GET_TUPLE_ELEMENT; }

/* The readers of a value under all its names; false: one reads it at the peak, or is not known to read it at one
 * position alone. */
XG_FN bool xg_limit_readers(const xg_limit *l, const xg_inst *name, uint32_t leaf, uint32_t depth, xg_limit_uses *out) {
    if (name == name->comp->root || depth > XG_LIMIT_DEPTH) return false;
    XG_FOR_USES(u, name) {
        uint32_t at = xg_limit_position(u->user);
        if (xg_limit_is_other(u->user, name, leaf)) continue;
        if (xg_limit_is_name(u->user)) {
            if (!xg_limit_readers(l, u->user, leaf, depth + 1, out)) return false;
            continue;
        }
        if ((u->user->op != XG_FUSION && u->user->op != XG_CUSTOM_CALL) || at == l->at) return false;
        if (at < l->at)
            out->before = XG_MAX(out->before, at);
        else if (!out->reader || at < out->after) {
            out->after = at;
            out->reader = u->user;
        }
    }
    return true;
}

/* Its memory is there for as long as the program runs. */
XG_FN bool xg_limit_stays(const xg_plan_value *v) {
    return v->buffer->kind == XG_EXE_ALLOC_CONSTANT ||
           (v->buffer->kind == XG_EXE_ALLOC_PARAMETER && !v->buffer->donated);
}

/* A multiply is hardly ever what a kernel waits for; a contraction may be. */
XG_FN double xg_limit_seconds(const xg_inst *fusion, int64_t made) {
    const xg_device *d = &fusion->comp->module->device;
    double bytes = (double)made, flops = 0;
    uint32_t k;
    for (k = 0; k < fusion->n_operands; k++) bytes += (double)xg_plan_bytes(XG_OPERAND(fusion, k)->shape);
    XG_FOR_INSTS(i, xg_attr_calls(fusion)) flops += (double)xg_plan_inst_flops(i);
    return 1e-6 + bytes / (1e9 * (double)xg_device_gbs(d->bandwidth)) +
           flops / (1e6 * (double)d->clock_mhz * (double)d->sm_count * (double)d->f32_rate);
}

/* A value and, in front of it, what has to be made again for its sake. */
typedef struct xg_limit_chain {
    int64_t slight /* what has so few bytes may live longer */;
    uint32_t n, depth, after;
    double excess, seconds;
    xg_plan_value *v[XG_LIMIT_CHAIN];
} xg_limit_chain;

XG_FN xg_inst *xg_limit_maker(const xg_plan_value *v) {
    xg_inst *i;
    memcpy(&i, &v->inst, sizeof i);
    return i;
}
XG_FN bool xg_limit_is_repeatable(const xg_limit *l, const xg_plan_value *v) {
    uint32_t k;
    if (v->role != XG_VALUE_MADE || v->inst->op != XG_FUSION || v->over) return false;
    for (k = 0; k < v->inst->n_operands; k++)
        if (!xg_shape_is_array(XG_OPERAND(v->inst, k)->shape) || !xg_plan_value_of(l->p, XG_OPERAND(v->inst, k), 0))
            return false;
    return true;
}

XG_FN int64_t xg_limit_penalty(const xg_limit *l, xg_limit_chain *c, xg_plan_value *o);

/* What making v again costs at the peak: bytes that have to live there for it. */
XG_FN int64_t xg_limit_link(const xg_limit *l, xg_limit_chain *c, xg_plan_value *v) {
    int64_t cost = 0;
    uint32_t k;
    for (k = 0; k < v->inst->n_operands; k++)
        cost = xg_sched_add(cost, xg_limit_penalty(l, c, xg_plan_value_of(l->p, XG_OPERAND(v->inst, k), 0)));
    c->seconds += xg_limit_seconds(v->inst, v->buffer->bytes);
    if (c->n < XG_LIMIT_CHAIN) c->v[c->n] = v;
    c->n++;
    return cost;
}
/* The same of what it reads: it is there anyway, or lives longer, or is made again too if that is less. */
XG_FN int64_t xg_limit_penalty(const xg_limit *l, xg_limit_chain *c, xg_plan_value *o) {
    xg_limit_chain was = *c;
    uint32_t k;
    if (xg_limit_stays(o) || o->last >= c->after) return 0;
    for (k = 0; k < c->n && k < XG_LIMIT_CHAIN; k++)
        if (c->v[k] == o) return 0;
    if (o->last < l->at && o->buffer->bytes > c->slight && c->n + 1 < XG_LIMIT_CHAIN && xg_limit_is_repeatable(l, o) &&
        c->depth < XG_LIMIT_CHAIN) {
        int64_t cost;
        c->depth++;
        cost = xg_limit_link(l, c, o);
        c->depth--;
        if (cost < o->buffer->bytes && c->n < XG_LIMIT_CHAIN) return cost;
        *c = was;
    }
    c->excess += (double)o->buffer->bytes * (double)xg_limit_over(l, o->last + 1, c->after);
    return o->last < l->at ? o->buffer->bytes : 0;
}

/* What making it again gives at the peak; not more than nothing if it does not help. */
XG_FN int64_t xg_limit_gain(const xg_limit *l, xg_plan_value *v, const xg_limit_uses *uses, xg_limit_chain *c) {
    uint32_t free_from = XG_MAX(uses->before, v->first) + 1;
    int64_t cost;
    memset(c, 0, sizeof *c);
    c->after = uses->after;
    c->slight = v->buffer->bytes / XG_LIMIT_SLIGHT;
    if (uses->after <= l->at || free_from > l->at) return 0;
    cost = xg_limit_link(l, c, v);
    XG_ESTIMATED(cost);
    XG_ESTIMATED(c->excess);
    return c->n <= XG_LIMIT_CHAIN &&
                   c->excess < (double)v->buffer->bytes * (double)xg_limit_over(l, free_from, uses->after - 1)
               ? v->buffer->bytes - cost
               : 0;
}

XG_FN bool xg_limit_may(const xg_limit *l, const xg_plan_value *v, xg_limit_uses *uses) {
    if (!xg_limit_lies_in_block(v->buffer) || v->first >= l->at || v->last <= l->at || !xg_limit_is_repeatable(l, v))
        return false;
    memset(uses, 0, sizeof *uses);
    return xg_limit_readers(l, v->inst, v->leaf, 0, uses) && uses->reader;
}

/* ---- making it again ---- */

/* The fusion once more, with the one leaf alone. */
XG_FN xg_inst *xg_limit_again(xg_inst *i, uint32_t leaf, xg_inst *const *operands, xg_inst *before) {
    xg_comp *c = xg_opt_clone_comp(xg_attr_calls(i), i->comp);
    xg_inst *made, *tuple = c->root, *x;
    uint32_t k;
    if (i->shape->type == XLAGPU_TUPLE) {
        c->root = XG_OPERAND(tuple, leaf);
        xg_inst_remove(tuple);
        for (x = c->last; x;) {
            xg_inst *next = x->prev;
            if (!x->first_use && x != c->root && x->op != XG_PARAMETER) xg_inst_remove(x);
            x = next;
        }
    }
    made = xg_inst_new(i->comp, XG_FUSION, c->root->shape, operands, i->n_operands, before, i->name);
    for (k = 0; k < i->n_attrs; k++)
        if (i->attrs[k].key != XG_A_calls && i->attrs[k].key != XG_A_output_to_operand_aliasing &&
            i->attrs[k].key != XG_A_control_predecessors)
            xg_inst_set_attr(made, i->attrs[k]);
    xg_inst_set_comp(made, XG_A_calls, c);
    made->source_at = i->source_at;
    made->scratch = before->scratch;
    (void)xg_dce_fusion_params(made);
    xg_record_remove(made); /* it may be another kernel */
    return made;
}
XG_FN xg_inst *xg_limit_rename(xg_inst *bitcast, xg_inst *of, xg_inst *before) {
    xg_inst *made = xg_inst_clone(bitcast, bitcast->comp, &of, before);
    made->scratch = before->scratch;
    return made;
}

/* Those behind the peak that read `name` read `again`. */
XG_FN void xg_limit_hand_over(const xg_limit *l, xg_inst *name, uint32_t leaf, xg_inst *again, xg_inst *before) {
    XG_VEC(xg_use *) uses = {NULL, 0, 0};
    uint32_t k;
    XG_FOR_USES(u, name) xg_push(l->arena, xg_use *, &uses, u);
    for (k = 0; k < uses.n; k++) {
        xg_inst *user = uses.p[k]->user;
        if (user == again || xg_limit_is_other(user, name, leaf)) continue;
        if (xg_limit_is_name(user))
            xg_limit_hand_over(
                l, user, leaf, user->op == XG_BITCAST ? xg_limit_rename(user, again, before) : again, before);
        else if (xg_limit_position(user) > l->at)
            xg_inst_set_operand(user, XG_USE_INDEX(uses.p[k]), again);
    }
}

/* An operand of a link: under its name of what was made again, if it was. */
XG_FN xg_inst *xg_limit_operand(
    const xg_limit *l, const xg_limit_chain *c, xg_inst *const *made, xg_inst *name, xg_inst *before) {
    const xg_plan_value *v = xg_plan_value_of(l->p, name, 0);
    uint32_t k;
    for (k = 0; k < c->n && c->v[k] != v; k++) {}
    if (k == c->n || !made[k]) return name;
    return name->op == XG_BITCAST
               ? xg_limit_rename(name, xg_limit_operand(l, c, made, XG_OPERAND(name, 0), before), before)
               : made[k];
}

XG_FN void xg_limit_take(xg_limit *l, const xg_limit_chain *c, const xg_limit_uses *uses, int64_t gain) {
    xg_inst *made[XG_LIMIT_CHAIN] = {NULL}, **operands;
    xg_plan_value *v = c->v[c->n - 1], *o;
    uint32_t k, j;
    for (k = 0; k < c->n; k++) {
        xg_inst *i = xg_limit_maker(c->v[k]);
        operands = XG_NEW_N(l->arena, xg_inst *, (size_t)i->n_operands + 1);
        for (j = 0; j < i->n_operands; j++) {
            operands[j] = xg_limit_operand(l, c, made, XG_OPERAND(i, j), uses->reader);
            o = xg_plan_value_of(l->p, XG_OPERAND(i, j), 0);
            if (operands[j] == XG_OPERAND(i, j)) o->last = XG_MAX(o->last, uses->after);
        }
        made[k] = xg_limit_again(i, c->v[k]->leaf, operands, uses->reader);
        l->m->made_again++;
    }
    xg_limit_hand_over(l, xg_limit_maker(v), v->leaf, made[c->n - 1], uses->reader);
    v->last = XG_MAX(uses->before, v->first);
    l->live[l->at] -= gain;
}

typedef struct xg_limit_choice {
    xg_plan_value *v;
    uint32_t place;
    double worth;
} xg_limit_choice;
XG_FN int xg_limit_better(const void *pa, const void *pb) {
    const xg_limit_choice *a = (const xg_limit_choice *)pa, *b = (const xg_limit_choice *)pb;
    return a->worth != b->worth ? (a->worth > b->worth ? -1 : 1) : a->place < b->place ? -1 : a->place > b->place;
}
/* Until the peak is no longer over the limit, or none is left. How many were chosen. */
XG_APART XG_FN uint32_t xg_limit_round(xg_limit *l) {
    xg_limit_choice *all = XG_NEW_N(l->arena, xg_limit_choice, (size_t)l->p->values.n + 1);
    xg_limit_uses uses;
    xg_limit_chain chain;
    uint32_t n = 0, taken = 0, k;
    int64_t gain;
    for (k = 0; k < l->p->values.n; k++) {
        xg_plan_value *v = l->p->values.p[k];
        if (!xg_limit_may(l, v, &uses) || (gain = xg_limit_gain(l, v, &uses, &chain)) <= 0) continue;
        all[n].v = v;
        all[n].place = k;
        all[n++].worth = (double)gain / chain.seconds;
    }
    if (n > 1) qsort(all, n, sizeof *all, xg_limit_better);
    for (k = 0; k < n && l->live[l->at] > l->most; k++) { /* those before may have changed what it gives */
        if (!xg_limit_may(l, all[k].v, &uses) || (gain = xg_limit_gain(l, all[k].v, &uses, &chain)) <= 0) continue;
        xg_limit_take(l, &chain, &uses, gain);
        taken++;
    }
    return taken;
}

/* ---- away and back ---- */

/* The array under its first name; NULL: not asked for this leaf by itself. */
XG_FN xg_inst *xg_limit_array(const xg_plan_value *v) {
    xg_inst *i = xg_limit_maker(v);
    if (xg_shape_is_array(i->shape)) return i;
    XG_FOR_USES(u, i)
        if (u->user->op == XG_GET_TUPLE_ELEMENT && xg_shape_is_array(u->user->shape) &&
            (uint32_t)xg_attr_int(u->user, XG_A_index, -1) == v->leaf)
            return u->user;
    return NULL;
}
XG_FN bool xg_limit_may_leave(const xg_limit *l, const xg_plan_value *v, xg_limit_uses *uses) {
    if (!xg_limit_lies_in_block(v->buffer) || v->first >= l->at || v->last <= l->at || v->role != XG_VALUE_MADE ||
        (v->inst->op != XG_FUSION && v->inst->op != XG_CUSTOM_CALL))
        return false;
    memset(uses, 0, sizeof *uses);
    return xg_limit_readers(l, v->inst, v->leaf, 0, uses) && uses->reader && xg_limit_array(v);
}
XG_FN void xg_limit_leave(xg_limit *l, xg_plan_value *v, const xg_limit_uses *uses) {
    xg_inst *x = xg_limit_array(v), *at = x, *away, *back;
    while (xg_limit_position(at) <= XG_MAX(uses->before, v->first)) at = at->next; /* the reader stands behind */
    away = xg_offload_copy(at, x, XG_PLAN_HOST_SPACE);
    back = xg_offload_copy(uses->reader, away, 0);
    back->scratch = XG_OPERAND(back, 0)->scratch = uses->reader->scratch;
    away->scratch = XG_OPERAND(away, 0)->scratch = at->scratch;
    xg_limit_hand_over(l, xg_limit_maker(v), v->leaf, back, uses->reader);
    v->last = XG_MAX(uses->before, v->first);
    l->live[l->at] -= v->buffer->bytes;
}
/* The smallest that is enough, or the largest, until the peak is no longer over the limit. How many left. */
XG_APART XG_FN uint32_t xg_limit_move_out(xg_limit *l) {
    uint32_t n = 0, k;
    while (l->live[l->at] > l->most) {
        int64_t want = l->live[l->at] - l->most;
        xg_plan_value *best = NULL;
        xg_limit_uses uses, best_uses;
        memset(&best_uses, 0, sizeof best_uses);
        for (k = 0; k < l->p->values.n; k++) {
            xg_plan_value *v = l->p->values.p[k];
            if (best &&
                (best->buffer->bytes >= want ? v->buffer->bytes < want || v->buffer->bytes >= best->buffer->bytes
                                             : v->buffer->bytes <= best->buffer->bytes))
                continue;
            if (!xg_limit_may_leave(l, v, &uses)) continue;
            best = v;
            best_uses = uses;
        }
        if (!best) break;
        xg_limit_leave(l, best, &best_uses);
        n++;
    }
    return n;
}

/* ---- what libraries work in ---- */

/* What a library's call works in, at the peak: beside a product, or as the last result of a graph of cuDNN's. */
XG_FN const xg_plan_value *xg_limit_workspace(xg_limit *l, const xg_inst *i, bool *graph) {
    const xg_plan_value *v = (const xg_plan_value *)xg_map64_get(&l->p->workspaces, 2 * (uint64_t)i->id + 1);
    uint32_t n = i->shape->n_elems;
    *graph = n - 1 < XG_LIMIT_RESULTS && (uint32_t)i->shape->leaves == n &&
             xg_attr_is(i, XG_A_custom_call_target, XG_EXE_DNN_TARGET);
    if (*graph) v = xg_plan_value_of(l->p, i, n - 1);
    return v && v->first == l->at && v->last == l->at && v->shape->type == XLAGPU_U8 &&
                   xg_limit_lies_in_block(v->buffer)
               ? v
               : NULL;
}
XG_FN void xg_limit_work_in(xg_limit *l, xg_inst *i, bool graph, int64_t bytes) {
    const xg_shape *elems[XG_LIMIT_RESULTS];
    uint32_t n = i->shape->n_elems;
    if (graph) {
        memcpy(elems, i->shape->elems, n * sizeof *elems);
        elems[n - 1] = xg_shape_plain(l->m, XLAGPU_U8, &bytes, 1);
        i->shape = xg_shape_tuple(l->m, elems, n);
    } else {
        xg_record r = *xg_record_read(l->arena, i);
        xg_record_change(&r.form, "workspace", &bytes);
        xg_record_write(i, &r);
    }
}
/* It becomes as much smaller as is over the limit; the library then picks another algorithm. */
XG_APART XG_FN uint32_t xg_limit_shrink(xg_limit *l) {
    xg_comps all = xg_opt_sequences(l->m);
    uint32_t k;
    for (k = 0; k < all.n; k++)
        XG_FOR_INSTS(i, all.p[k]) {
            bool graph;
            const xg_plan_value *v = xg_limit_workspace(l, i, &graph);
            int64_t least = graph ? XG_LIMIT_ALIGN : 0, bytes;
            if (!v || v->buffer->bytes <= least) continue;
            bytes = (v->buffer->bytes - (l->live[l->at] - l->most)) & -(int64_t)XG_LIMIT_ALIGN;
            xg_limit_work_in(l, i, graph, XG_MAX(bytes, least));
            return 1;
        }
    return 0;
}

/* ---- all of it ---- */

XG_FN int xg_limit_larger(const void *pa, const void *pb) {
    const xg_buffer *a = *(xg_buffer *const *)pa, *b = *(xg_buffer *const *)pb;
    return a->bytes != b->bytes ? (a->bytes > b->bytes ? -1 : 1) : a->slice < b->slice ? -1 : a->slice > b->slice;
}
XG_NORETURN XG_FN void xg_limit_give_up(const xg_limit *l, int64_t limit, int64_t least) {
    xg_buffer **held = XG_NEW_N(l->arena, xg_buffer *, (size_t)l->p->buffers.n + 1);
    xg_buf b;
    uint32_t n = 0, k;
    for (k = 0; k < l->p->buffers.n; k++) {
        xg_buffer *x = l->p->buffers.p[k];
        if (xg_limit_lies_in_block(x) && x->first <= l->at && l->at <= x->last) held[n++] = x;
    }
    if (n > 1) qsort(held, n, sizeof *held, xg_limit_larger);
    xg_buf_init(&b, l->arena);
    for (k = 0; k < n && k < XG_LIMIT_NAMED; k++) {
        xg_puts(&b, k ? ", " : "; at its peak it holds ");
        xg_report_value_name(&b, held[k]->values.p[0]);
        xg_printf(&b, " (%lld)", (long long)held[k]->bytes);
    }
    if (n > XG_LIMIT_NAMED) xg_printf(&b, " and %u more", n - (uint32_t)XG_LIMIT_NAMED);
    if (l->outside > limit) {
        b.n = 0;
        xg_puts(&b, "; parameters and results can share memory, by input_output_alias or buffer_donor");
    }
    xg_putc(&b, 0);
    xg_fail(l->m->ctx, XLAGPU_ERROR_LIMIT,
        "no way was found to run in less than %lld bytes of device memory, and the limit is %lld: %lld of parameters, "
        "results and constants, %lld of temporaries%s",
        (long long)least, (long long)limit, (long long)l->outside, (long long)(least - l->outside), b.p);
}

XG_FN int64_t xg_limit_shape_bytes(const xg_shape *s) {
    int64_t n = XG_LIMIT_ALIGN;
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return xg_sched_add(n, xg_plan_bytes(s));
    for (k = 0; k < s->n_elems; k++) n = xg_sched_add(n, xg_limit_shape_bytes(s->elems[k]));
    return n;
}
/* Whether memory of its own for every value would fit: then no plan is needed to know that the plan fits. */
XG_FN bool xg_limit_is_ample(xg_module *m) {
    xg_comps all = xg_opt_sequences(m);
    int64_t n = XG_LT_WORKSPACE_BYTES;
    uint32_t k;
    for (k = 0; k < all.n; k++)
        XG_FOR_INSTS(i, all.p[k]) n = xg_sched_add(n, xg_cost_mul(xg_limit_shape_bytes(i->shape), XG_LIMIT_VALUES));
    return n <= m->memory_limit;
}
/* A pass. */
XG_FN bool xg_plan_rematerialize(xg_module *m) {
    xg_mark none = xg_arena_mark(m->work);
    int64_t least = INT64_MAX;
    double excess = 0;
    uint32_t round, patience = XG_LIMIT_PATIENCE;
    if (m->memory_limit <= 0 || xg_limit_is_ample(m)) return false;
    for (round = 0;; round++) {
        xg_limit l;
        uint32_t taken;
        bool better;
        memset(&l, 0, sizeof l);
        l.m = m;
        l.arena = m->work;
        xg_limit_measure(&l, m->memory_limit);
        least = XG_MIN(least, xg_sched_add(l.outside, l.inside));
        if (least <= m->memory_limit) break;
        better = !round || l.excess < excess;
        if (better) {
            excess = l.excess;
            patience = XG_LIMIT_PATIENCE;
        }
        taken = xg_limit_shrink(&l);
        if (!taken && (better || patience)) taken = xg_limit_round(&l);
        if (!better && patience) patience--;
        if (!taken && (taken = xg_limit_move_out(&l)) != 0) patience = XG_LIMIT_PATIENCE;
        if (!taken || round == XG_LIMIT_ROUNDS) {
            if (m->limit_is_wish) break;
            xg_limit_give_up(&l, m->memory_limit, least);
        }
        xg_arena_reset(m->work, none);
        (void)xg_opt_dce(m);
        xg_choice_complete(m);
    }
    xg_arena_reset(m->work, none);
    return round > 0;
}

#endif /* XG_PLAN_REMATERIALIZE_C */
