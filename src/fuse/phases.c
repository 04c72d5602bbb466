/* fuse/phases.c -- the pass small-kernel-joining: small kernels, of which one waits for another, become phases of one kernel.
 *
 * A launch takes longer than many a kernel. Where one multiprocessor makes what a kernel makes in less time than its launch takes, it may as well be one block that does so, right behind the kernel
 * that made what it reads: the launch is saved, and what lies between the two is in shared memory instead of a temporary buffer. The result is a fusion of fusions: a fused computation of
 * parameters, fusions, elements of tuples and one tuple. Its members are emitted by the emitters that they would have had alone (emit/phases.c).
 *
 * - A kernel is small by what one multiprocessor needs for it: half of the lanes' speed (few warps, that wait for each other), and so many bytes a clock. That has to be less than XG_PHASES_GAIN of a launch.
 * - The phase of a member is the number of members on the longest way to it. All of a phase is done before the next one begins.
 * - Joining must make no cycle. Groups are bits; each instruction knows which groups it depends on, each group on which it depends, but for what its members read of each other. A group may
 *   grow if nothing that it depends on, by any number of groups, is itself. There are as many groups at a time as a word has bits; when there are no more, all are closed.
 * - What updates an operand in place, waits for the whole device, or is made from values in other memory, stays as it is. */
#ifndef XG_FUSE_PHASES_C
#define XG_FUSE_PHASES_C
#include "fuse.h"

enum { XG_PHASES_LANES_SHARE = 2, XG_PHASES_BYTES_PER_CLOCK = 32, XG_PHASES_GAIN_OF = 10, XG_PHASES_GAIN = 9, XG_PHASES_WALK = 4096 /* elements: a few for each thread */, XG_PHASES_SERIAL = 128 /* steps of a contraction, which one thread does */, XG_PHASES_ROW = 512, XG_PHASES_LONG_ROWS = 2 /* a team takes such rows one after the other */, XG_PHASES_MEMBERS = 32, XG_PHASES_OPS = 1500, XG_PHASES_BUFFERS = 128, XG_PHASES_SHARED = 16 << 10 };

/* ---- what such a fusion is ---- */

XG_FN bool xg_fuse_is_phases(const xg_comp *c) {
    uint32_t n = 0, k;
    XG_FOR_INSTS(i, c) {
        if (i->op == XG_FUSION) n++;
        else if (i->op == XG_GET_TUPLE_ELEMENT) { if (XG_OPERAND(i, 0)->op != XG_FUSION) return false; }
        else if (i->op != XG_PARAMETER && (i->op != XG_TUPLE || i != c->root)) return false;
    }
    for (k = 0; c->root->op == XG_TUPLE && k < c->root->n_operands; k++) if (XG_OPERAND(c->root, k)->op == XG_PARAMETER) return false;
    return n > 0;
}
XG_FN const xg_inst *xg_fuse_phase_of(const xg_inst *fusion, uint32_t leaf) {
    const xg_comp *c = xg_attr_comp(fusion, XG_A_calls);
    const xg_inst *i;
    if (!xg_fuse_is_phases(c)) return fusion;
    i = xg_fuse_leaf(c, leaf);
    return i->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(i, 0) : i;
}
XG_FN xg_phase_list xg_fuse_phases(xg_arena *a, const xg_comp *c) {
    xg_phase_list l;
    xg_map64 levels; /* by instruction id + 1: its level + 1 */
    uint32_t k;
    memset(&l, 0, sizeof l);
    l.members = XG_NEW_N(a, const xg_inst *, c->n_insts + (size_t)1);
    l.level = XG_NEW_N(a, uint32_t, c->n_insts + (size_t)1);
    xg_map64_init(&levels, a);
    XG_FOR_INSTS(i, c) {
        uintptr_t level = 0;
        for (k = 0; k < i->n_operands; k++) level = XG_MAX(level, (uintptr_t)xg_map64_get(&levels, XG_OPERAND(i, k)->id + (uint64_t)1));
        if (i->op == XG_FUSION) {
            l.members[l.n] = i;
            l.level[l.n++] = (uint32_t)level++;
            l.levels = XG_MAX(l.levels, (uint32_t)level);
        }
        xg_map64_put(&levels, i->id + (uint64_t)1, (void *)level);
    }
    return l;
}
XG_FN int64_t xg_fuse_phases_shared(const xg_comp *c) {
    int64_t bytes = 0;
    XG_FOR_INSTS(i, c) {
        bool given = i == c->root;
        if ((i->op != XG_FUSION && i->op != XG_GET_TUPLE_ELEMENT) || !xg_shape_is_array(i->shape)) continue;
        XG_FOR_USES(u, i) given = given || u->user->op == XG_TUPLE;
        if (!given) bytes = xg_cost_add(bytes, (xg_cost_bytes(i->shape) + 15) / 16 * 16);
    }
    return bytes;
}

/* ---- what is small ---- */

typedef struct xg_phase_work { int64_t instructions, bytes, walk; uint32_t ops; bool serial; } xg_phase_work; /* serial: few threads would do much, one step behind the other */

XG_FN bool xg_phases_takes_op(const xg_inst *i) {
    switch (i->op) {
    case XG_PARAMETER: case XG_TUPLE: case XG_GET_TUPLE_ELEMENT: case XG_CONSTANT: case XG_IOTA: case XG_BROADCAST: case XG_BITCAST: case XG_BITCAST_CONVERT: case XG_RESHAPE: case XG_TRANSPOSE: case XG_COPY:
    case XG_REVERSE: case XG_SLICE: case XG_PAD: case XG_CONCATENATE: case XG_DYNAMIC_SLICE: case XG_DYNAMIC_UPDATE_SLICE: case XG_GATHER: case XG_DOT: case XG_REDUCE: case XG_MAP: return true;
    case XG_REDUCE_WINDOW: return !xg_fuse_is_scan(i);
    default: return (xg_op_flags(i->op) & XGF_EW) != 0;
    }
}
XG_FN bool xg_phases_takes_shape(const xg_shape *s) {
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) if (!xg_shape_is_array(s->elems[k]) || !xg_phases_takes_shape(s->elems[k])) return false;
        return s->n_elems > 0;
    }
    return xg_fuse_is_static_array(s) && s->elements > 0 && xg_type_bits(s->type) >= 1 && (!s->layout || (!s->layout->memory_space && !s->layout->element_bits));
}
/* One step of the loop inside: what it reads, by address. */
XG_FN int64_t xg_phases_step(const xg_inst *i) { return xg_cost_step(i) + (i->op == XG_DOT ? 3 : 1); }
/* Elements that are made of each instruction, from the roots down: as many as whoever reads most asks for, and more where each reader asks at places of its own; in a row program, each once. */
XG_FN xg_phase_work xg_phases_work(xg_arena *a, const xg_comp *c) {
    int64_t *reads = XG_NEW_N(a, int64_t, c->n_insts + (size_t)1);
    xg_phase_work w;
    uint32_t at = 0, k;
    const xg_inst *i;
    bool rows = false;
    memset(&w, 0, sizeof w);
    w.bytes = xg_cost_bytes(c->root->shape);
    XG_FOR_INSTS(j, c) rows = rows || j->op == XG_REDUCE;
    rows = rows && xg_in_place_rows(a, c);
    XG_FOR_INSTS(j, c) j->scratch = &reads[at++];
    if (c->root->op != XG_TUPLE) *(int64_t *)c->root->scratch = xg_fuse_elements(c->root);
    for (i = c->last; i; i = i->prev) {
        int64_t n = rows ? XG_MIN(*(const int64_t *)i->scratch, xg_fuse_elements(i)) : *(const int64_t *)i->scratch, steps = xg_fuse_steps(i);
        w.ops += (uint32_t)XG_MIN(xg_cost_op(i), (int64_t)200);
        if (i->op == XG_PARAMETER) {
            w.bytes = xg_cost_add(w.bytes, XG_MIN(xg_cost_bytes(i->shape), xg_cost_mul(n, xg_type_bytes(i->shape->type))));
            w.instructions = xg_cost_add(w.instructions, xg_cost_mul(n, 2));
        }
        w.instructions = xg_cost_add(w.instructions, xg_cost_mul(n, xg_cost_op(i)));
        if (steps > 1) w.instructions = xg_cost_add(w.instructions, xg_cost_mul(xg_cost_mul(n, steps), xg_phases_step(i)));
        w.walk = XG_MAX(w.walk, i->op == XG_DOT ? n : xg_cost_mul(n, steps));
        w.serial = w.serial || (i->op == XG_DOT && steps > XG_PHASES_SERIAL) || (i->op == XG_REDUCE && steps > XG_PHASES_ROW && n > XG_PHASES_LONG_ROWS);
        for (k = 0; k < i->n_operands; k++) {
            xg_inst *o = XG_OPERAND(i, k);
            int64_t *r = (int64_t *)o->scratch;
            xg_access access;
            if (i->op == XG_TUPLE) { *r = XG_MAX(*r, xg_fuse_elements(o)); continue; }
            access = xg_fuse_access(i, k);
            *r = access.kind <= XG_ACCESS_ALIGNED ? XG_MAX(*r, xg_cost_scale(n, access.num, access.den)) : xg_cost_add(*r, xg_cost_scale(n, access.num, access.den));
        }
    }
    return w;
}
/* Picoseconds of one multiprocessor. */
XG_FN int64_t xg_phases_time(const xg_machine *m, const xg_phase_work *w) {
    return xg_cost_scale(xg_cost_add(xg_cost_mul(w->instructions, XG_PHASES_LANES_SHARE) / m->lanes, w->bytes / XG_PHASES_BYTES_PER_CLOCK), 1000000, m->clock_mhz);
}

/* One that may be a phase, if it is small enough. */
XG_FN bool xg_phases_takes(xg_arena *a, const xg_inst *i) {
    const xg_comp *c;
    uint32_t k, n, pattern;
    if (i->op != XG_FUSION || !xg_phases_takes_shape(i->shape) || xg_inst_attr(i, XG_A_output_to_operand_aliasing)) return false;
    if (!i->first_use && i != i->comp->root) return false; /* nobody reads it: it would be no result of the whole */
    c = xg_attr_comp(i, XG_A_calls);
    if (c->n_params != i->n_operands || (i->shape->type == XLAGPU_TUPLE) != (c->root->op == XG_TUPLE)) return false;
    if (i->shape->type == XLAGPU_TUPLE) { /* taken apart by whoever reads it */
        if (i == i->comp->root) return false;
        XG_FOR_USES(u, i) if (u->user->op != XG_GET_TUPLE_ELEMENT || u->user == i->comp->root) return false;
    }
    n = (uint32_t)xg_shape_leaves(i->shape);
    for (k = 0; k < n; k++) if (xg_fuse_elements(xg_fuse_leaf(c, k)) > XG_PHASES_WALK) return false;
    if (xg_fuse_is_fill(c->root, &pattern)) return false;
    for (k = 0; k < c->n_params; k++) if (!xg_phases_takes_shape(c->params[k]->shape)) return false;
    XG_FOR_INSTS(j, c) if (!xg_phases_takes_op(j) || (j->op == XG_TUPLE && j != c->root)) return false;
    for (k = 0; k < n; k++) if (xg_fuse_in_place(a, i, k) >= 0) return false;
    return true;
}
XG_FN bool xg_phases_is_small(const xg_machine *m, const xg_phase_work *w) { return !w->serial && w->walk <= XG_PHASES_WALK && xg_phases_time(m, w) <= XG_COST_LAUNCH_PS / XG_PHASES_GAIN_OF * XG_PHASES_GAIN; }

/* Is a value a result twice? Each result has a place of its own, but a value is made in one place. */
XG_FN bool xg_phases_gives_twice(const xg_comp *c) {
    uint32_t k, j;
    for (k = 0; c->root->op == XG_TUPLE && k < c->root->n_operands; k++) for (j = 0; j < k; j++) {
        const xg_inst *x = XG_OPERAND(c->root, j), *y = XG_OPERAND(c->root, k);
        if (x == y || (x->op == XG_GET_TUPLE_ELEMENT && y->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(x, 0) == XG_OPERAND(y, 0) && xg_attr_int(x, XG_A_index, 0) == xg_attr_int(y, XG_A_index, 0))) return true;
    }
    return false;
}
/* A module may come with such fusions: those that the pass could have made stay as they are. */
XG_FN bool xg_fuse_keeps_phases(const xg_inst *fusion) {
    const xg_comp *c = xg_attr_comp(fusion, XG_A_calls);
    xg_module *m = fusion->comp->module;
    xg_machine machine = xg_cost_machine(m);
    uint32_t n = 0, ops = 0;
    if (!xg_fuse_is_phases(c) || xg_fuse_phases_shared(c) > XG_PHASES_SHARED || fusion->n_operands + (uint32_t)xg_shape_leaves(fusion->shape) > XG_PHASES_BUFFERS) return false;
    if ((fusion->shape->type == XLAGPU_TUPLE) != (c->root->op == XG_TUPLE) || xg_phases_gives_twice(c)) return false;
    XG_FOR_INSTS(i, c) {
        xg_phase_work work;
        if (i->op != XG_FUSION) continue;
        if (!xg_phases_takes(m->work, i)) return false;
        work = xg_phases_work(m->work, xg_attr_comp(i, XG_A_calls));
        if (!xg_phases_is_small(&machine, &work) || (ops += work.ops) > XG_PHASES_OPS || ++n > XG_PHASES_MEMBERS) return false;
    }
    return true;
}

/* ---- groups ---- */

enum { XG_PHASES_GROUPS = 64 };

typedef struct xg_phase_group {
    uint32_t first, n, ops, buffers;    /* first: 1 + the place of a member, the others behind it */
    uint64_t bits, beyond;              /* its names; groups that it depends on, through what is not in it */
    int64_t shared;
} xg_phase_group;
typedef struct xg_phase_node {
    xg_inst *inst;
    uint64_t reach;                     /* groups that it depends on */
    xg_phase_group *group;              /* one of those that were, see `into` */
    uint32_t next, era;
} xg_phase_node;
typedef struct xg_phase_join {
    xg_arena *a;
    xg_comp *c;
    xg_machine machine;
    xg_buf *log;
    xg_phase_node *nodes;
    uint32_t n, era, taken;             /* bits of this era */
    xg_phase_group *by_bit[XG_PHASES_GROUPS];
    XG_VEC(xg_phase_group *) groups;
} xg_phase_join;

XG_FN xg_phase_node *xg_phase_node_of(const xg_inst *i) { return (xg_phase_node *)i->scratch; }
/* The group that it is in now: groups that have joined another one handed their bits on. */
XG_FN xg_phase_group *xg_phase_group_of(const xg_phase_join *w, const xg_phase_node *n) {
    uint32_t k = 0;
    if (!n->group || n->era != w->era) return NULL;
    while (!(n->group->bits >> k & 1)) k++;
    return w->by_bit[k];
}
XG_FN uint64_t xg_phase_reach(const xg_phase_join *w, const xg_inst *i) { return xg_phase_node_of(i)->era == w->era ? xg_phase_node_of(i)->reach : 0; }
/* Who makes it, behind other names. */
XG_FN const xg_inst *xg_phase_maker(const xg_inst *i) {
    while (i->op == XG_GET_TUPLE_ELEMENT || (i->op == XG_BITCAST && xg_in_place_renames(i) && i->shape->type == XG_OPERAND(i, 0)->shape->type)) i = XG_OPERAND(i, 0);
    return i;
}
/* All groups that these depend on. */
XG_FN uint64_t xg_phase_closure(const xg_phase_join *w, uint64_t mask) {
    uint64_t done = 0;
    uint32_t k;
    for (k = 0; k < w->taken; k++) {
        if (!((mask & ~done) >> k & 1)) continue;
        done |= (uint64_t)1 << k;
        if (mask == (mask | w->by_bit[k]->beyond)) continue;
        mask |= w->by_bit[k]->beyond;
        k = UINT32_MAX; /* from the first again */
    }
    return mask;
}

XG_FN void xg_phase_log(const xg_phase_join *w, const xg_inst *i, const xg_inst *with, const char *why) {
    if (w->log) xg_printf(w->log, "small-kernel-joining %s: %s with %s: %s%s\n", w->c->name.p, i->name.p, with->name.p, why ? "refused, " : "joined", why ? why : "");
}

/* Bytes of the values that nobody outside may need: all of them at most. */
XG_FN void xg_phase_start(xg_phase_join *w, xg_phase_node *node, const xg_phase_work *work, xg_phase_group *g) {
    memset(g, 0, sizeof *g);
    g->first = (uint32_t)(node - w->nodes) + 1;
    g->n = 1;
    g->ops = work->ops;
    g->buffers = node->inst->n_operands + (uint32_t)xg_shape_leaves(node->inst->shape);
    g->shared = xg_cost_bytes(node->inst->shape);
}
XG_FN const char *xg_phase_refusal(const xg_phase_group *x, const xg_phase_group *y) {
    if (x->n + y->n > XG_PHASES_MEMBERS) return "too many phases";
    if (x->ops + y->ops > XG_PHASES_OPS) return "too much code";
    if (x->buffers + y->buffers > XG_PHASES_BUFFERS) return "too many buffers";
    return x->shared + y->shared > XG_PHASES_SHARED ? "too much between them for shared memory" : NULL;
}
/* x takes y. */
XG_FN void xg_phase_unite(xg_phase_join *w, xg_phase_group *x, xg_phase_group *y) {
    uint32_t at = x->first, k;
    while (w->nodes[at - 1].next) at = w->nodes[at - 1].next;
    w->nodes[at - 1].next = y->first;
    x->n += y->n;
    x->ops += y->ops;
    x->buffers += y->buffers;
    x->shared += y->shared;
    x->bits |= y->bits;
    x->beyond |= y->beyond;
    y->n = 0;
    for (k = 0; k < w->taken; k++) if (y->bits >> k & 1) w->by_bit[k] = x;
}
XG_FN void xg_phase_name(xg_phase_join *w, xg_phase_group *g) {
    uint32_t k;
    if (w->taken == XG_PHASES_GROUPS) {
        w->era++;
        w->taken = 0;
        for (k = g->first; k; k = w->nodes[k - 1].next) w->nodes[k - 1].era = w->era;
        g->beyond = 0;
    }
    g->bits = (uint64_t)1 << w->taken;
    w->by_bit[w->taken++] = g;
    xg_push(w->a, xg_phase_group *, &w->groups, g);
}
/* May g be one with those of `with` that are taken? The group that they would be must not depend on itself; g goes on reading what the others make. */
XG_FN bool xg_phase_may(const xg_phase_join *w, const xg_phase_group *g, xg_phase_group *const *with, const bool *taken, uint32_t n) {
    uint64_t bits = 0, beyond = g->beyond;
    uint32_t k;
    for (k = 0; k < n; k++) {
        beyond |= with[k]->beyond | (taken[k] ? 0 : with[k]->bits);
        if (taken[k]) bits |= with[k]->bits;
    }
    return !(xg_phase_closure(w, beyond) & bits);
}
/* Groups that make what the kernel reads take it, and become one, where that may be. */
XG_FN void xg_phase_join_one(xg_phase_join *w, xg_phase_node *node, const xg_phase_work *work) {
    xg_phase_group *g = XG_NEW(w->a, xg_phase_group), *with[XG_PHASES_MEMBERS];
    bool taken[XG_PHASES_MEMBERS];
    uint32_t n = 0, k, j;
    xg_phase_start(w, node, work, g);
    for (k = 0; k < node->inst->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(node->inst, k), *maker = xg_phase_maker(o);
        xg_phase_group *of = xg_phase_group_of(w, xg_phase_node_of(maker)), sum;
        const char *why;
        for (j = 0; j < n && with[j] != of; j++) {}
        if (!of) { g->beyond |= xg_phase_reach(w, o); continue; }
        if (j < n) continue;
        sum = *g;
        for (j = 0; j < n; j++) { sum.n += with[j]->n; sum.ops += with[j]->ops; sum.buffers += with[j]->buffers; sum.shared += with[j]->shared; }
        why = n == XG_COUNT(with) ? "too many phases" : xg_phase_refusal(&sum, of);
        xg_phase_log(w, node->inst, maker, why);
        if (why) g->beyond |= xg_phase_reach(w, o); else with[n++] = of;
    }
    for (j = 0; j < n; j++) taken[j] = true;
    if (!xg_phase_may(w, g, with, taken, n)) { /* as many as may be, one after the other */
        for (j = 0; j < n; j++) taken[j] = false;
        for (j = 0; j < n; j++) { taken[j] = true; taken[j] = xg_phase_may(w, g, with, taken, n); }
    }
    for (k = 0, j = 0; j < n; j++) {
        if (taken[j]) { with[k++] = with[j]; continue; }
        g->beyond |= with[j]->bits | with[j]->beyond;
        xg_phase_log(w, node->inst, w->nodes[with[j]->first - 1].inst, "others between them would wait for their own results");
    }
    n = k;
    node->era = w->era;
    node->group = g;
    if (!n) { xg_phase_name(w, g); return; }
    for (j = 1; j < n; j++) xg_phase_unite(w, with[0], with[j]);
    g->bits = with[0]->bits;
    xg_phase_unite(w, with[0], g);
}

/* ---- the fusion of a group ---- */

/* Operand k, another name for a value: the member takes that, and names it itself. */
XG_FN void xg_phase_rename(xg_inst *member, uint32_t k) {
    xg_comp *c = xg_attr_comp(member, XG_A_calls);
    xg_inst *from = XG_OPERAND(XG_OPERAND(member, k), 0), *param = c->params[k], *before = c->first, *fresh, *name;
    fresh = xg_inst_new(c, XG_PARAMETER, from->shape, NULL, 0, param, param->name);
    fresh->number = k;
    c->params[k] = fresh;
    while (before && before->op == XG_PARAMETER) before = before->next;
    name = xg_inst_new(c, XG_BITCAST, param->shape, &fresh, 1, before, XG_STR("bitcast"));
    xg_inst_replace(param, name);
    xg_inst_remove(param);
    xg_inst_set_operand(member, k, from);
}

/* The fusion that is being made. */
typedef struct xg_phase_build {
    xg_phase_join *w;
    const xg_phase_group *g;
    xg_inst **members, **inner, ***leaves;        /* in program order; what each is inside, and what its leaves are there */
    xg_comp *to;
    xg_inst **outside, **params;
    uint32_t n_outside;
} xg_phase_build;

XG_FN bool xg_phase_in(const xg_phase_build *d, const xg_inst *i) { return i->comp == d->w->c && xg_phase_node_of(i) && xg_phase_node_of(i)->group == d->g; }
/* Names that nobody uses any more. */
XG_FN bool xg_phase_is_dead(const xg_phase_build *d, const xg_inst *i) {
    if ((i->op != XG_BITCAST && i->op != XG_GET_TUPLE_ELEMENT) || i == d->w->c->root) return false;
    XG_FOR_USES(u, i) if (!xg_phase_is_dead(d, u->user)) return false;
    return true;
}
/* Does anybody but members need the value? */
XG_FN bool xg_phase_is_needed(const xg_phase_build *d, const xg_inst *value) {
    if (value == d->w->c->root) return true;
    XG_FOR_USES(u, value) if (!xg_phase_in(d, u->user) && !xg_phase_is_dead(d, u->user)) return true;
    return false;
}
XG_FN void xg_phase_remove(xg_inst *i) {
    while (i->first_use) xg_phase_remove(i->first_use->user);
    xg_inst_remove(i);
}

/* What a value of a member, or one from outside, is inside. */
XG_FN xg_inst *xg_phase_leaf(xg_phase_build *d, uint32_t member, uint32_t leaf) {
    xg_inst *i = d->inner[member], **v = &d->leaves[member][leaf];
    if (i->shape->type != XLAGPU_TUPLE) return i;
    if (!*v) *v = xg_fusions_element(i, leaf, NULL);
    return *v;
}
XG_FN xg_inst *xg_phase_inside(xg_phase_build *d, xg_inst *o) {
    xg_inst *maker = o->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(o, 0) : o;
    char name[32];
    uint32_t k;
    for (k = 0; k < d->g->n; k++) if (d->members[k] == maker) return xg_phase_leaf(d, k, (uint32_t)(maker == o ? 0 : xg_attr_int(o, XG_A_index, 0)));
    for (k = 0; k < d->n_outside; k++) if (d->outside[k] == o) return d->params[k];
    xg_format(name, sizeof name, "param_%u", k);
    d->outside[k] = o;
    d->n_outside++;
    return d->params[k] = xg_comp_add_param(d->to, o->shape, xg_str_z(name));
}
XG_FN void xg_phase_member(xg_phase_build *d, uint32_t number) {
    xg_inst *i = d->members[number], **operands = XG_NEW_N(d->w->a, xg_inst *, i->n_operands + (size_t)1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        if (xg_phase_in(d, xg_phase_maker(XG_OPERAND(i, k)))) while (XG_OPERAND(i, k)->op == XG_BITCAST) xg_phase_rename(i, k);
        operands[k] = xg_phase_inside(d, XG_OPERAND(i, k));
    }
    d->inner[number] = xg_inst_clone(i, d->to, operands, NULL);
    d->leaves[number] = XG_NEW_N(d->w->a, xg_inst *, (size_t)xg_shape_leaves(i->shape) + 1);
}
XG_FN void xg_phase_open(xg_phase_build *d, xg_phase_join *w, const xg_phase_group *g) {
    uint32_t at, k, n = 0, most = 0;
    memset(d, 0, sizeof *d);
    d->w = w;
    d->g = g;
    d->members = XG_NEW_N(w->a, xg_inst *, g->n);
    d->inner = XG_NEW_N(w->a, xg_inst *, g->n);
    d->leaves = XG_NEW_N(w->a, xg_inst **, g->n);
    for (at = g->first; at; at = w->nodes[at - 1].next) {
        xg_inst *i = w->nodes[at - 1].inst;
        for (k = n++; k && xg_phase_node_of(d->members[k - 1]) > xg_phase_node_of(i); k--) d->members[k] = d->members[k - 1];
        d->members[k] = i;
        most += i->n_operands;
    }
    d->outside = XG_NEW_N(w->a, xg_inst *, most + (size_t)1);
    d->params = XG_NEW_N(w->a, xg_inst *, most + (size_t)1);
}
/* One value for each that others need; *outer: what they read, by value. */
XG_FN uint32_t xg_phase_roots(xg_phase_build *d, xg_inst ***roots) {
    XG_VEC(xg_inst *) v;
    uint32_t k, leaf, n;
    memset(&v, 0, sizeof v);
    for (k = 0; k < d->g->n; k++) for (leaf = 0, n = (uint32_t)xg_shape_leaves(d->members[k]->shape); leaf < n; leaf++) {
        bool needed = d->members[k]->shape->type != XLAGPU_TUPLE && xg_phase_is_needed(d, d->members[k]);
        if (d->members[k]->shape->type == XLAGPU_TUPLE) XG_FOR_USES(u, d->members[k]) if (xg_attr_int(u->user, XG_A_index, 0) == (int64_t)leaf) needed = needed || xg_phase_is_needed(d, u->user);
        if (needed) xg_push(d->w->a, xg_inst *, &v, xg_phase_leaf(d, k, leaf));
    }
    *roots = v.p;
    return v.n;
}
/* Who read a value of a member reads that of the fusion. */
XG_FN void xg_phase_hand_over(xg_phase_build *d, xg_inst *fusion, xg_inst *const *roots, uint32_t n) {
    uint32_t k, j;
    for (j = 0; j < n; j++) {
        xg_inst *value = n == 1 ? fusion : xg_fusions_element(fusion, j, d->members[d->g->n - 1]), *inner = roots[j];
        int64_t leaf = inner->op == XG_GET_TUPLE_ELEMENT ? xg_attr_int(inner, XG_A_index, 0) : -1;
        if (leaf >= 0) inner = XG_OPERAND(inner, 0);
        value->scratch = NULL;
        for (k = 0; d->inner[k] != inner; k++) {}
        if (leaf < 0) xg_inst_replace(d->members[k], value);
        else XG_FOR_USES(u, d->members[k]) if (xg_attr_int(u->user, XG_A_index, 0) == leaf) xg_inst_replace(u->user, value);
    }
}
XG_FN bool xg_phase_fuse(xg_phase_join *w, const xg_phase_group *g) {
    xg_module *m = w->c->module;
    xg_inst **roots, *fusion, *last;
    const xg_shape **shapes;
    xg_phase_build d;
    uint32_t n, k;
    xg_phase_open(&d, w, g);
    last = d.members[g->n - 1];
    d.to = xg_comp_new(m, XG_STR("fused_phases"), w->c);
    for (k = 0; k < g->n; k++) xg_phase_member(&d, k);
    n = xg_phase_roots(&d, &roots);
    if (!n) return false; /* nobody needs any of it */
    shapes = XG_NEW_N(w->a, const xg_shape *, n);
    for (k = 0; k < n; k++) shapes[k] = roots[k]->shape;
    d.to->root = n == 1 ? roots[0] : xg_inst_new(d.to, XG_TUPLE, xg_shape_tuple(m, shapes, n), roots, n, NULL, XG_STR("tuple"));
    fusion = xg_inst_new(w->c, XG_FUSION, d.to->root->shape, d.outside, d.n_outside, last, XG_STR("phases_fusion"));
    fusion->scratch = NULL;
    xg_inst_set_attr(fusion, xg_attr_make_str(m, XG_A_kind, XG_STR("kCustom")));
    xg_inst_set_attr(fusion, xg_attr_make_comp(XG_A_calls, d.to));
    if (xg_inst_attr(last, XG_A_metadata)) xg_inst_set_attr(fusion, *xg_inst_attr(last, XG_A_metadata));
    xg_phase_hand_over(&d, fusion, roots, n);
    for (k = g->n; k-- > 0;) xg_phase_remove(d.members[k]);
    return true;
}

/* ---- one computation ---- */

XG_FN bool xg_phases_comp(xg_comp *c) {
    xg_phase_join w;
    xg_phase_work work;
    uint32_t k = 0, at, j;
    bool changed = false;
    memset(&w, 0, sizeof w);
    w.a = c->module->work;
    w.c = c;
    w.machine = xg_cost_machine(c->module);
    w.log = c->module->fusion_log;
    w.nodes = XG_NEW_N(w.a, xg_phase_node, c->n_insts + (size_t)1);
    w.n = c->n_insts;
    w.era = 1;
    XG_FOR_INSTS(i, c) { w.nodes[k].inst = i; i->scratch = &w.nodes[k++]; }
    for (k = 0; k < w.n; k++) {
        xg_phase_node *node = &w.nodes[k];
        if (xg_phases_takes(w.a, node->inst)) {
            work = xg_phases_work(w.a, xg_attr_comp(node->inst, XG_A_calls));
            if (xg_phases_is_small(&w.machine, &work)) xg_phase_join_one(&w, node, &work);
            else if (w.log) xg_printf(w.log, "small-kernel-joining %s: %s: refused, %lld elements, %lld ns in one block\n", c->name.p, node->inst->name.p, (long long)work.walk, (long long)(xg_phases_time(&w.machine, &work) / 1000));
        }
        node->era = w.era;
        for (j = 0; j < node->inst->n_operands; j++) node->reach |= xg_phase_reach(&w, XG_OPERAND(node->inst, j));
        if (node->group) node->reach |= xg_phase_group_of(&w, node)->bits;
    }
    for (k = 0; k < w.groups.n; k++) if (w.groups.p[k]->n > 1) for (at = w.groups.p[k]->first; at; at = w.nodes[at - 1].next) w.nodes[at - 1].group = w.groups.p[k];
    for (k = 0; k < w.groups.n; k++) if (w.groups.p[k]->n > 1) changed = xg_phase_fuse(&w, w.groups.p[k]) || changed;
    if (changed) xg_fusions_sort(w.a, c);
    return changed;
}
XG_FN bool xg_fuse_join_small(xg_module *m) { return m->made[XG_FUSION] && !xg_opt_has_control(m) && xg_opt_each_sequence(m, xg_phases_comp); }

#endif /* XG_FUSE_PHASES_C */
