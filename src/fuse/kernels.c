/* fuse/kernels.c -- the kernels of one computation while they grow: what each reads, how often, and what it costs.
 *
 * Ideas
 * - A kernel is its roots; what it computes is found by walking from them to values that lie in memory. The walk gives
 *   exact figures.
 * - When a producer moves into a kernel, new figures follow from the two sets of figures, in time linear in what both
 *   read. That is exact unless both compute the same instruction already, which can only be after something was
 *   computed in several kernels; then the kernel is walked.
 * - Where an instruction is read, its place has a key: equal keys are equal indices. Elementwise operations pass their
 *   own key on. */
#ifndef XG_FUSE_KERNELS_C
#define XG_FUSE_KERNELS_C
#include "fuse.h"
#include "cost.c"

XG_FN xg_kernel *xg_kernel_of(const xg_inst *i) { return (xg_kernel *)i->scratch; }

/* Kernels lie far apart in memory: what is asked of several is brought near before the first is asked. */
XG_FN void xg_kernel_bring(const xg_kernel *k) {
    XG_PREFETCH(k);
    XG_PREFETCH(&k->kind);
    XG_PREFETCH(&k->shape);
}

XG_ONE_COPY XG_FN uint32_t xg_kernel_n_outputs(const xg_kernel *k) { return k->roots.n > 1 ? k->roots.n : 1; }
XG_FN xg_kernel *xg_kernel_root(const xg_kernel *k, uint32_t n) { return k->roots.n > 1 ? k->roots.p[n] : k->leader; }

/* Inside of the kernel: what nothing makes, what is free, and what the kernel makes itself. */
XG_FN bool xg_kernel_computes(const xg_kernel *leader, const xg_kernel *o) {
    return o->kind == XG_FUSE_FREE || (o->kind == XG_FUSE_KERNEL && (!o->live || o->leader == leader));
}

XG_FN xg_kernel_input *xg_kernel_find_input(const xg_kernel *k, const xg_kernel *from) {
    uint32_t j;
    for (j = 0; j < k->n_inputs; j++)
        if (k->inputs[j].from == from) return &k->inputs[j];
    return NULL;
}

/* Tells each input of the kernel where it is in the list. */
XG_FN void xg_kernel_list(xg_kernels *g, const xg_kernel *k) {
    uint32_t j;
    if (g->listed == k) return;
    g->listed = k;
    g->epoch++;
    for (j = 0; j < k->n_inputs; j++) {
        k->inputs[j].from->epoch = g->epoch;
        k->inputs[j].from->at = j;
    }
}
/* The same as find for a caller that asks for n of them: when that is many, each is told once where it is. */
XG_FN uint32_t xg_kernel_input_place(xg_kernels *g, const xg_kernel *k, const xg_kernel *from, uint32_t n) {
    enum {
        FEW = 4
    };
    uint32_t j;
    if (n > FEW) xg_kernel_list(g, k);
    if (g->listed == k) return from->epoch == g->epoch ? from->at : UINT32_MAX;
    for (j = 0; j < k->n_inputs; j++)
        if (k->inputs[j].from == from) return j;
    return UINT32_MAX;
}

/* Room for n inputs, not cleared: kernels grow one by one, and what one has outgrown the next one takes. */
XG_FN xg_kernel_input *xg_kernel_inputs_new(xg_kernels *g, uint32_t n, uint32_t *cap) {
    uint32_t power = 0;
    xg_kernel_input *p;
    while (power < 31 && (uint32_t)1 << power < n) power++;
    *cap = (uint32_t)1 << power;
    p = g->unused[power];
    if (!p) return (xg_kernel_input *)xg_alloc_raw(g->lists, xg_mul(g->m->ctx, *cap, sizeof *p));
    g->unused[power] = (xg_kernel_input *)(void *)p->from;
    return p;
}
XG_FN void xg_kernel_inputs_give(xg_kernels *g, xg_kernel_input *p, uint32_t cap) {
    uint32_t power = 0;
    if (!cap) return;
    while (cap >> power > 1) power++;
    p->from = (xg_kernel *)(void *)g->unused[power];
    g->unused[power] = p;
}
/* Of a kernel that is none any more, or is walked anew. */
XG_FN void xg_kernel_inputs_drop(xg_kernels *g, xg_kernel *k) {
    xg_kernel_inputs_give(g, k->inputs, k->inputs_cap);
    k->inputs = NULL;
    k->n_inputs = k->inputs_cap = 0;
}

/* ---- reads ---- */

XG_FN uint32_t xg_kernel_key(uint32_t outer, uint32_t inner) {
    return !outer ? inner : !inner ? outer : xg_hash_mix(outer, inner) | 1;
}

enum {
    XG_KERNEL_TURNS_BOTH = -1
}; /* two ways: no tile serves both */
XG_FN uint32_t xg_kernel_turn(uint32_t outer, uint32_t inner) {
    if (inner == XG_TURN_ELSEWHERE) return outer ? outer : inner;
    return outer == (uint32_t)XG_KERNEL_TURNS_BOTH || inner == (uint32_t)XG_KERNEL_TURNS_BOTH ||
                   (outer == XG_TURN_ELSEWHERE && inner)
               ? (uint32_t)XG_KERNEL_TURNS_BOTH
               : xg_kernel_key(outer, inner);
}

/* Another place where the same value is read; equal places count once. */
XG_FN void xg_kernel_join(xg_kernel_input *to, const xg_kernel_input *more) {
    to->moved.asked = -1;
    to->turn =
        to->turn && more->turn && to->turn != more->turn ? (uint32_t)XG_KERNEL_TURNS_BOTH : to->turn | more->turn;
    to->coalesced = to->coalesced && more->coalesced;
    to->contracted = to->contracted || more->contracted;
    to->aligned = to->aligned && more->aligned;
    if (to->order == more->order)
        to->walked = XG_MAX(to->walked, more->walked);
    else {
        to->walked = xg_cost_add(to->walked, more->walked);
        to->order = xg_hash_mix(to->order, more->order) | 1;
    }
    if (to->key == more->key && to->sites == more->sites) {
        to->reads = XG_MAX(to->reads, more->reads);
        return;
    }
    to->sites = (uint32_t)XG_MIN((uint64_t)to->sites + more->sites, (uint64_t)1 << 20) & 0xFFFFFFu;
    to->reads = xg_cost_add(to->reads, more->reads);
    to->key = xg_hash_mix(to->key, more->key) | 1;
}

/* How the reader of `outer` reads what `outer` reads in this way. */
XG_FN xg_kernel_input xg_kernel_through(const xg_kernel_input *outer, const xg_kernel_input *inner, int64_t elements) {
    xg_kernel_input r = *inner;
    r.sites = (uint32_t)XG_MIN((uint64_t)inner->sites * outer->sites, (uint64_t)1 << 20) & 0xFFFFFFu;
    r.key = xg_kernel_key(outer->key, inner->key);
    r.turn = xg_kernel_turn(outer->turn, inner->turn);
    r.order = xg_kernel_key(outer->order, inner->order);
    r.reads = xg_cost_scale(inner->reads, outer->reads, XG_MAX(elements, (int64_t)1));
    r.walked = xg_cost_scale(inner->walked, outer->walked, XG_MAX(elements, (int64_t)1));
    r.aligned = inner->aligned && outer->aligned;
    r.coalesced = inner->coalesced && outer->coalesced;
    r.contracted = inner->contracted || outer->contracted;
    r.refused = false;
    r.gain = 0;
    if (r.walked != inner->walked || r.reads != inner->reads || r.coalesced != inner->coalesced || r.turn)
        r.moved.asked = -1;
    return r;
}

/* turn: the way that the kernel's tiles serve. */
XG_FN xg_cost_way xg_kernel_way(const xg_kernel_input *in, uint32_t turn) {
    if (in->coalesced) return XG_COST_NEIGHBOURS;
    return in->turn == (uint32_t)XG_KERNEL_TURNS_BOTH || (in->turn && turn && in->turn != turn) ? XG_COST_APART
                                                                                                : XG_COST_TURNED;
}
XG_FN xg_cost_traffic xg_kernel_read(
    const xg_kernels *g, const xg_kernel *c, const xg_kernel_input *in, uint32_t turn) {
    const xg_shape *s = in->from->shape;
    static const xg_cost_traffic none = {0, 0, 0};
    int64_t walked = in->walked, reads = in->reads;
    if (!xg_shape_is_array(s)) return none;
    /* threads that have a row in registers read it once */
    if (c->rows && s->elements == XG_OPERAND(c->hero, 0)->shape->elements) reads = XG_MIN(reads, s->elements);
    return xg_cost_read(&g->device, c->blocks, s, reads, XG_MIN(reads, walked), xg_kernel_way(in, turn));
}

XG_FN int64_t xg_kernel_written(const xg_kernel *k) {
    int64_t bytes = 0;
    uint32_t j;
    for (j = 0; j < xg_kernel_n_outputs(k); j++) bytes = xg_cost_add(bytes, xg_cost_bytes(xg_kernel_root(k, j)->shape));
    return bytes;
}

XG_FN xg_cost_asked *xg_kernel_asked(const xg_kernels *g, const xg_cost *c, int64_t instructions) {
    const uint64_t by = 0xD6E8FEB86659FD93u; /* that of xg_hash_mix */
    uint64_t h = (uint64_t)c->blocks;
    h = (h ^ (uint64_t)c->written) * by;
    h = (h ^ h >> 32 ^ (uint64_t)c->read.memory) * by;
    h = (h ^ h >> 32 ^ (uint64_t)c->read.asked) * by;
    h = (h ^ h >> 32 ^ (uint64_t)c->read.loaded) * by;
    h = (h ^ h >> 32 ^ (uint64_t)instructions) * by;
    return &g->times[h >> 32 & g->times_mask];
}
XG_FN bool xg_kernel_asks_same(const xg_cost_asked *a, const xg_cost *c, int64_t instructions) {
    return a->instructions == instructions && a->blocks == c->blocks && a->written == c->written &&
           a->read.memory == c->read.memory && a->read.asked == c->read.asked && a->read.loaded == c->read.loaded;
}
/* The time of as many blocks as `like` has, which write what k writes. */
XG_FN int64_t xg_kernel_time(
    const xg_kernels *g, const xg_kernel *k, const xg_kernel *like, xg_cost_traffic read, int64_t instructions) {
    xg_cost_asked *a;
    xg_cost cost;
    cost.device = &g->device;
    cost.blocks = like->blocks;
    cost.written = xg_kernel_written(k);
    cost.read = read;
    a = xg_kernel_asked(g, &cost, instructions);
    if (!xg_kernel_asks_same(a, &cost, instructions)) {
        a->blocks = cost.blocks;
        a->written = cost.written;
        a->read = read;
        a->instructions = instructions;
        a->time = xg_cost_time(&cost, instructions);
        XG_ESTIMATED(a->time);
    }
    return a->time;
}

/* The time of the kernel; what an input moves only where that is not known for as many blocks. */
XG_FN void xg_kernel_settle(const xg_kernels *g, xg_kernel *k) {
    int64_t threads = k->elements, blocks;
    uint32_t was = k->turn, j;
    bool others;
    if (k->rows)
        threads = XG_MIN(XG_OPERAND(k->hero, 0)->shape->elements / 4,
            xg_cost_mul(k->hero->shape->elements,
                XG_ROWS_LANES_MAX * g->device.blocks_per_cluster)); /* a row stays in one block, or a cluster */
    else if (k->hero && k->hero->op == XG_REDUCE)
        threads = XG_MAX(threads, XG_OPERAND(k->hero, 0)->shape->elements / 4);
    if (k->hero && k->hero->op == XG_SCATTER)
        threads = XG_OPERAND(k->hero, k->hero->n_operands - 1)->shape->elements; /* each update goes where it goes */
    blocks = xg_cost_blocks(&g->device, threads);
    for (k->turn = 0, j = 0; j < k->n_inputs && !k->turn; j++)
        if (!k->inputs[j].coalesced) k->turn = k->inputs[j].turn;
    others = k->blocks != blocks || k->turn != was;
    k->blocks = blocks;
    memset(&k->moved, 0, sizeof k->moved);
    for (j = 0; j < k->n_inputs; j++) {
        xg_kernel_input *in = &k->inputs[j];
        if (others || in->moved.asked < 0) in->moved = xg_kernel_read(g, k, in, k->turn);
        k->moved = xg_cost_both(k->moved, in->moved);
    }
    k->time = xg_kernel_time(g, k, k, k->moved, k->instructions);
}

/* ---- the walk ---- */

XG_INLINE xg_kernel_input *xg_kernel_seen(const xg_kernels *g, const xg_kernel *o) { return &g->seen.p[o->at - 1]; }
XG_ONE_COPY XG_INLINE_FAST void xg_kernel_see(
    xg_kernels *g, xg_kernel *o, const xg_kernel_input *how) { /* how: not one of those, which may move */
    if (o->at) {
        xg_kernel_join(xg_kernel_seen(g, o), how);
        return;
    }
    xg_push(g->arena, xg_kernel_input, &g->seen, *how);
    o->at = g->seen.n;
    xg_kernel_seen(g, o)->from = o;
}

XG_INLINE xg_kernel *xg_kernel_operand(const xg_kernels *g, const xg_kernel *k, uint32_t n) {
    return &g->nodes[g->operands.p[g->operands_at[k->place] + n]];
}
XG_FN void xg_kernel_meet(xg_kernels *g, xg_kernel *k) {
    uint32_t j;
    k->epoch = g->epoch;
    k->at = g->operands_at[k->place];
    for (j = k->at; j < g->operands_at[k->place + 1]; j++) xg_inst_bring((uintptr_t)&g->nodes[g->operands.p[j]]);
    xg_push(g->arena, xg_kernel *, &g->stack, k);
}
/* Members behind the roots, operands first, into g->order. */
XG_FN void xg_kernel_members(xg_kernels *g, xg_kernel *leader, xg_kernel *root) {
    if (root->epoch == g->epoch) return;
    g->stack.n = 0;
    xg_kernel_meet(g, root);
    while (g->stack.n) {
        xg_kernel *u = g->stack.p[g->stack.n - 1], *o;
        if (u->at == g->operands_at[u->place + 1]) {
            g->stack.n--;
            xg_push(g->arena, xg_kernel *, &g->order, u);
            xg_inst_bring((uintptr_t)u->inst); /* all members' are asked for next */
            continue;
        }
        o = &g->nodes[g->operands.p[u->at++]];
        if (o->epoch != g->epoch && xg_kernel_computes(leader, o)) xg_kernel_meet(g, o);
    }
}

enum {
    XG_KERNEL_COVERS_OPS = 4,
    XG_KERNEL_STEP_OPS = 2 /* of a loop that a thread has inside: address, load, counter */
};
XG_FN uint16_t xg_kernel_updates(const xg_kernel *k, uint32_t more) {
    return (uint16_t)XG_MIN(k->updates + more, (uint32_t)UINT16_MAX);
}

/* Are elements read in another order than the result's are made? */
XG_FN bool xg_kernel_reorders(const xg_inst *i, xg_access_kind kind) {
    return kind == XG_ACCESS_CONTRACTED || i->op == XG_TRANSPOSE || i->op == XG_GATHER ||
           (i->op == XG_COPY && kind != XG_ACCESS_SAME);
}

/* Is element n of the operand what element n in memory's order is made of? */
XG_FN bool xg_kernel_keeps_place(const xg_inst *i, uint32_t k) {
    if (i->op == XG_GATHER) /* one number says where one element is */
        return k == 1 && XG_OPERAND(i, 1)->shape->elements == i->shape->elements &&
               xg_attr_ints(i, XG_A_start_index_map).n == 1;
    return i->op == XG_BITCAST;
}

XG_FN void xg_kernel_visit(xg_kernels *g, xg_kernel *leader, xg_kernel *u) {
    const xg_inst *i = u->inst;
    int64_t work, op = xg_cost_op(i), steps = xg_fuse_steps(i);
    uint32_t k, size = (uint32_t)XG_MIN(op, (int64_t)200);
    bool same = (xg_op_flags(i->op) & XGF_EW) && i->op != XG_COPY;
    xg_kernel_input seen = *xg_kernel_seen(g, u);
    if (leader->rows) {
        seen.reads = XG_MIN(seen.reads, xg_fuse_elements(i));
        seen.walked = XG_MIN(seen.walked, seen.reads);
        seen.sites = 1;
    } /* made once for all readers */
    work = xg_cost_mul(seen.reads, op);
    if (steps > 1) {
        int64_t step = xg_cost_step(i) + (xg_fuse_is_hero(i) ? 0 : XG_KERNEL_STEP_OPS);
        work = xg_cost_add_mul(work, xg_cost_mul(seen.reads, steps), step);
        size += (uint32_t)xg_cost_step(i);
    }
    leader->instructions = xg_cost_add(leader->instructions, work);
    if (i->op == XG_DYNAMIC_UPDATE_SLICE) {
        size += XG_KERNEL_COVERS_OPS * leader->updates;
        leader->updates = xg_kernel_updates(leader, 1);
    }
    leader->ops = XG_MIN(leader->ops + seen.sites * size, (uint32_t)1 << 24);
    if (!leader->hero && (xg_fuse_is_hero(i) || (leader->rows && i->op == XG_REDUCE)))
        leader->hero = i; /* of rows, however short */
    leader->loops = leader->loops || ((i->op == XG_REDUCE_WINDOW || i->op == XG_SELECT_AND_SCATTER) && steps > 1);
    leader->turns = leader->turns || ((i->op == XG_TRANSPOSE || i->op == XG_COPY) && !xg_fuse_access(i, 0).coalesced);
    for (k = 0; k < i->n_operands; k++) {
        xg_kernel *o = xg_kernel_operand(g, u, k);
        xg_access a;
        xg_kernel_input how;
        if (o->epoch != g->epoch) {
            o->epoch = g->epoch;
            o->at = 0;
            xg_push(g->arena, xg_kernel *, &g->found, o);
        }
        if (same && o->shape->rank == u->shape->rank) {
            xg_kernel_see(g, o, &seen);
            continue;
        } /* what xg_fuse_access says of nearly all */
        a = xg_fuse_access(i, k);
        how = seen;
        how.reads = xg_cost_scale(how.reads, a.num, a.den);
        how.walked = xg_cost_scale(how.walked, a.num, a.den);
        if (xg_kernel_reorders(i, a.kind)) how.order = xg_kernel_key(how.order, xg_hash_mix(i->id, 0) | 1);
        if (a.kind != XG_ACCESS_SAME && !xg_kernel_keeps_place(i, k))
            how.key = xg_kernel_key(how.key, xg_hash_mix(i->id, k) | 1);
        how.aligned = how.aligned && a.kind <= XG_ACCESS_ALIGNED;
        how.coalesced = how.coalesced && a.coalesced;
        how.turn = xg_kernel_turn(how.turn, a.turn);
        how.contracted = how.contracted || a.kind == XG_ACCESS_CONTRACTED;
        xg_kernel_see(g, o, &how);
    }
}

/* What the threads of a kernel walk over: what its reduction reads, or what it writes. */
XG_FN const xg_shape *xg_kernel_domain(const xg_kernel *k) {
    const xg_shape *s = k->shape;
    if (k->hero && k->hero->op == XG_REDUCE) return XG_OPERAND(k->hero, 0)->shape;
    return s->type == XLAGPU_TUPLE ? s->elems[0] : s;
}
XG_FN bool xg_kernel_same_domain(const xg_shape *x, const xg_shape *y) {
    if (xg_shape_same_dims(x, y)) return x->layout == y->layout;
    return x->elements == y->elements && (!x->layout || x->layout->descending) && (!y->layout || y->layout->descending);
}
XG_FN bool xg_kernel_is_near(const xg_kernel *a, const xg_kernel *b) {
    return xg_kernel_same_domain(xg_kernel_domain(a), xg_kernel_domain(b));
}

/* A root is made at the kernel's own indices; one of another size at indices of its own. domain: the kernel's. */
XG_FN void xg_kernel_see_root(xg_kernels *g, const xg_kernel *leader, xg_kernel *root, const xg_shape *domain) {
    xg_kernel_input own;
    memset(&own, 0, sizeof own);
    own.sites = 1;
    own.reads = own.walked = root->elements;
    own.key = own.reads == leader->elements ? 0 : xg_hash_mix(root->inst->id, 99) | 1;
    if (root != leader && !xg_kernel_same_domain(domain, xg_kernel_domain(root)))
        own.order = xg_hash_mix(root->inst->id, 99) | 1; /* it walks by itself */
    own.aligned = own.coalesced = true;
    xg_kernel_see(g, root, &own);
}

XG_FN void xg_kernel_walk(xg_kernels *g, xg_kernel *k) {
    const xg_shape *domain = xg_kernel_domain(k);
    uint32_t j;
    g->epoch++;
    g->listed = NULL;
    g->order.n = g->found.n = g->seen.n = 0;
    k->instructions = 0;
    k->ops = 0;
    k->updates = 0;
    k->hero = NULL;
    k->turns = k->loops = false;
    for (j = 0; j < xg_kernel_n_outputs(k); j++) xg_kernel_members(g, k, xg_kernel_root(k, j));
    k->members = g->order.n;
    for (j = 0; j < g->order.n; j++) g->order.p[j]->at = 0;
    for (j = 0; j < xg_kernel_n_outputs(k); j++) xg_kernel_see_root(g, k, xg_kernel_root(k, j), domain);
    for (j = g->order.n; j-- > 0;) xg_kernel_visit(g, k, g->order.p[j]);
    k->inputs = xg_kernel_inputs_new(g, g->found.n, &k->inputs_cap);
    k->n_inputs = g->found.n;
    for (j = 0; j < k->n_inputs; j++) {
        k->inputs[j] = *xg_kernel_seen(g, g->found.p[j]);
        k->inputs[j].moved.asked = -1;
    }
    xg_kernel_settle(g, k);
}

/* ---- a producer inside ---- */

enum {
    XG_KERNEL_SITES_LEAST = 4
};
/* How often elements of a producer inside are computed. What reads neighbours of them, as a stencil does, computes
 * those of a few elements together, of which several are the same: half of them here, at the least. The producer is
 * little more than a border, and reads one element for each: of what reads neighbours itself a thread would hold too
 * many. */
XG_FN int64_t xg_kernel_computed(const xg_kernel *c, const xg_kernel_input *in) {
    enum {
        SITES_MOST = 16, /* of more a thread's elements are too many at a time */
        INPUTS_MOST = 2  /* of more it is a tree of branches */
    };
    const xg_kernel *p = in->from;
    int64_t reads = 0;
    uint32_t k;
    if (in->sites > SITES_MOST || p->n_inputs > INPUTS_MOST || in->order || !in->coalesced || in->contracted ||
        c->hero || c->loops || p->hero || p->loops || in->walked > c->elements)
        return in->reads;
    for (k = 0; k < p->n_inputs; k++) reads = XG_MAX(reads, p->inputs[k].reads);
    return reads > p->elements + p->elements / XG_KERNEL_SITES_LEAST ? in->reads : in->reads / 2;
}
XG_FN int64_t xg_kernel_instructions_with(const xg_kernel *c, const xg_kernel_input *in) {
    int64_t computed = in->sites < XG_KERNEL_SITES_LEAST ? in->reads : xg_kernel_computed(c, in);
    return xg_cost_add(
        c->instructions, xg_cost_scale(in->from->instructions, computed, XG_MAX(in->from->elements, (int64_t)1)));
}

/* Each update of a slice asks of every later one in the kernel whether that writes over it: two comparisons a
 * dimension. */
XG_ONE_COPY XG_FN uint64_t xg_kernel_ops_with(const xg_kernel *c, const xg_kernel_input *in) {
    const xg_kernel *p = in->from;
    return c->ops + (uint64_t)p->ops * in->sites + (uint64_t)XG_KERNEL_COVERS_OPS * c->updates * p->updates;
}

/* Behind a hero the threads go on that computed it. */
XG_FN int64_t xg_kernel_time_behind(const xg_kernels *g, const xg_kernel *c, const xg_kernel_input *in) {
    const xg_kernel *p = in->from;
    xg_cost_traffic read = xg_cost_both(p->moved, xg_cost_less(c->moved, in->moved));
    return xg_kernel_time(g, c, p, read, xg_kernel_instructions_with(c, in));
}

/* Tiles of a convolution bring lines of channels from wherever they lie: parts of gradients of filters (split_k.c). */
XG_FN bool xg_kernel_brings(const xg_kernel *c, const xg_kernel *p) {
    const xg_inst *i = p->inst;
    if (!c->hero || c->hero->op != XG_CONVOLUTION || p->turns || p->n_inputs != 1) return false;
    while (i->op == XG_TRANSPOSE || i->op == XG_BITCAST) i = XG_OPERAND(i, 0);
    return i == p->inputs[0].from->inst;
}
XG_FN int64_t xg_kernel_time_with(xg_kernels *g, const xg_kernel *c, const xg_kernel_input *in, uint32_t *buffers) {
    const xg_kernel *p = in->from;
    xg_cost_traffic read = xg_cost_less(c->moved, in->moved);
    uint32_t j;
    *buffers = c->n_inputs - 1 + xg_kernel_n_outputs(c);
    if (p->hero && !c->hero && !xg_fuse_folds_once(p, c, in)) {
        *buffers += p->n_inputs;
        return xg_kernel_time_behind(g, c, in);
    }
    if (xg_kernel_brings(c, p) ||
        (in->contracted && p->n_readers == 1 && (xg_fuse_unpacks(p->inst, c) || xg_fuse_is_scale(p, c)))) {
        *buffers += p->n_inputs;
        return c->time;
    }
    for (j = 0; j < p->n_inputs; j++) {
        xg_kernel_input through = xg_kernel_through(in, &p->inputs[j], p->elements);
        uint32_t had = xg_kernel_input_place(g, c, through.from, p->n_inputs);
        if (had != UINT32_MAX) {
            xg_kernel_input both = c->inputs[had];
            xg_kernel_join(&both, &through);
            read = xg_cost_less(read, c->inputs[had].moved);
            through = both;
        } else
            ++*buffers;
        if (through.moved.asked < 0 || p->blocks != c->blocks)
            through.moved = xg_kernel_read(g, c, &through, c->turn ? c->turn : xg_kernel_turn(in->turn, p->turn));
        read = xg_cost_both(read, through.moved);
    }
    return xg_kernel_time(g, c, c, read, xg_kernel_instructions_with(c, in));
}

XG_FN void xg_kernel_add_reader(xg_kernels *g, xg_kernel *value, xg_kernel *reader) {
    value->n_readers++;
    if (value->readers.n == value->readers.cap && g->forgets) {
        uint32_t n = 0, j;
        for (j = 0; j < value->readers.n; j++)
            if (value->readers.p[j]->live) value->readers.p[n++] = value->readers.p[j];
        value->readers.n = n;
        /* so that looking through them is paid by those that come */
        if (n > value->readers.cap / 2)
            value->readers.p =
                (xg_kernel **)xg_vec_grow(g->arena, value->readers.p, &value->readers.cap, sizeof *value->readers.p);
    }
    xg_push(g->arena, xg_kernel *, &value->readers, reader);
}

XG_FN void xg_kernel_inputs_grow(xg_kernels *g, xg_kernel *c, uint32_t n) {
    xg_kernel_input *was = c->inputs;
    uint32_t cap = c->inputs_cap;
    c->inputs = xg_kernel_inputs_new(g, n + 1, &c->inputs_cap);
    memcpy(c->inputs, was, n * sizeof *was);
    xg_kernel_inputs_give(g, was, cap);
}
/* New figures of c from those of c and p. */
XG_APART XG_FN void xg_kernel_combine(xg_kernels *g, xg_kernel *c, const xg_kernel *p, const xg_kernel_input *in) {
    uint32_t n = 0, had, j;
    for (j = 0; j < c->n_inputs; j++)
        if (c->inputs[j].from != p) c->inputs[n++] = c->inputs[j];
    c->n_inputs = had = n;
    g->listed = NULL;
    for (j = 0; j < p->n_inputs; j++) {
        xg_kernel_input through = xg_kernel_through(in, &p->inputs[j], p->elements);
        uint32_t at = xg_kernel_input_place(g, c, through.from, p->n_inputs); /* among those that it had */
        if (at != UINT32_MAX) {
            xg_kernel_join(&c->inputs[at], &through);
            continue;
        }
        if (p->blocks != c->blocks) through.moved.asked = -1;
        if (n == c->inputs_cap) xg_kernel_inputs_grow(g, c, n);
        c->inputs[n++] = through;
    }
    g->listed = NULL;
    c->n_inputs = n;
    c->instructions = xg_kernel_instructions_with(c, in);
    c->ops = (uint32_t)XG_MIN(xg_kernel_ops_with(c, in), (uint64_t)1 << 24);
    c->members += p->members;
    c->updates = xg_kernel_updates(c, p->updates);
    if (!c->hero) c->hero = p->hero;
    c->turns = c->turns || p->turns;
    c->loops = c->loops || p->loops;
    xg_kernel_settle(g, c);
    for (j = had; j < n; j++) xg_kernel_add_reader(g, c->inputs[j].from, c);
}

XG_APART XG_FN void xg_kernel_take(xg_kernels *g, xg_kernel *c, xg_kernel *p) {
    xg_kernel_input in = *xg_kernel_find_input(c, p);
    xg_kernel was = *c;
    uint32_t j;
    c->shared = c->shared || p->shared;
    if (!was.shared || !p->shared) {
        xg_kernel_combine(g, c, p, &in);
        return;
    }
    xg_kernel_walk(g, c);
    for (j = 0; j < c->n_inputs; j++)
        if (!xg_kernel_find_input(&was, c->inputs[j].from)) xg_kernel_add_reader(g, c->inputs[j].from, c);
    xg_kernel_inputs_give(g, was.inputs, was.inputs_cap);
}

/* ---- the start ---- */

/* The instruction of a kernel that the walk over all comes to soon, and what it reads. */
XG_FN void xg_kernel_bring_inst(const xg_kernels *g, uint32_t then, uint32_t next) {
    if (then >= g->n) return;
    xg_inst_bring((uintptr_t)g->nodes[then].inst);
    XG_PREFETCH(g->nodes[next].inst->operands);
}
/* What it reads and cannot compute has to lie in memory. */
XG_FN void xg_kernel_pin_operands(xg_kernels *g, const xg_kernel *k) {
    uint32_t j;
    for (j = 0; j < k->inst->n_operands; j++) {
        xg_kernel *o = xg_kernel_operand(g, k, j);
        /* what is free is made again by each reader; what lies under another name in memory has to lie there itself */
        o->pinned = o->pinned || k->kind == XG_FUSE_OTHER || (k->pinned && k->inst->op == XG_BITCAST) ||
                    ((o->kind != XG_FUSE_FREE || o->inst->op == XG_BITCAST) && !xg_fuse_absorbs(k->inst, j));
    }
}

XG_FN void xg_kernel_times_open(xg_kernels *g) {
    enum {
        FEW = 16,
        MANY = 4096
    };
    uint32_t n = FEW, k;
    while (n < g->n && n < MANY) n *= 2;
    g->times = (xg_cost_asked *)xg_alloc_raw(g->arena, n * sizeof *g->times);
    g->times_mask = n - 1;
    for (k = 0; k < n; k++) g->times[k].instructions = -1;
}

enum {
    XG_KERNELS_MANY = 4096 /* whose inputs are worth an arena */
};
XG_APART XG_FN void xg_kernels_open(xg_kernels *g, xg_comp *c) {
    uint32_t k = 0, j, total = 0;
    xg_kernel **list;
    memset(g, 0, sizeof *g);
    g->m = c->module;
    g->comp = c;
    g->arena = c->module->work;
    g->lists = c->n_insts < XG_KERNELS_MANY ? g->arena : xg_arena_inner(g->arena);
    g->device = c->module->device;
    g->log = c->module->fusion_log;
    g->n = c->n_insts;
    xg_kernel_times_open(g);
    g->nodes = (xg_kernel *)xg_alloc_lines(g->arena, xg_mul(g->m->ctx, sizeof *g->nodes, (size_t)g->n + 1));
    g->operands_at = XG_NEW_N(g->arena, uint32_t, (size_t)g->n + 1);
    g->operands.cap = 2 * g->n; /* most have no more, and a list that grows leaves the smaller ones behind */
    g->operands.p = (uint32_t *)xg_alloc_raw(g->arena, xg_mul(g->m->ctx, g->operands.cap, sizeof *g->operands.p));
    XG_FOR_INSTS(i, c) {
        xg_kernel *node = &g->nodes[k];
        memset(node, 0, sizeof *node);
        node->inst = i;
        node->shape = i->shape;
        node->place = k++;
        node->leader = node;
        node->kind = (uint8_t)xg_fuse_class_of(i);
        node->elements = xg_fuse_elements(i);
        node->lasts = xg_fuse_lasts(i);
        node->is_concatenation = i->op == XG_CONCATENATE;
        i->scratch = node;
        for (j = 0; j < i->n_operands; j++) /* a walk from one to the other needs nothing but these */
            xg_push(g->arena, uint32_t, &g->operands, xg_kernel_of(XG_OPERAND(i, j))->place);
        g->operands_at[k] = g->operands.n;
    }
    if (c->module->made_order)
        XG_FOR_INSTS(i, c) {
            const xg_attr *a = xg_inst_order(i);
            if (a) xg_kernel_of(i)->kind = XG_FUSE_OTHER; /* the order of these is given */
            for (j = 0; a && j < a->v.insts->n; j++) xg_kernel_of(a->v.insts->p[j])->kind = XG_FUSE_OTHER;
        }
    xg_kernel_of(c->root)->pinned = true;
    for (k = g->n; k-- > 0;) { /* users first */
        xg_kernel *node = &g->nodes[k];
        xg_kernel_bring_inst(g, k - 8, k - 4);
        node->live = node->kind == XG_FUSE_KERNEL || (node->kind == XG_FUSE_FREE && node->pinned &&
                                                         node->inst->op != XG_CONSTANT && node->inst->op != XG_BITCAST);
        node->candidate = node->live && node->kind == XG_FUSE_KERNEL && !node->pinned;
        node->is_update_in_place = xg_fuse_is_update_in_place(node->inst);
        xg_kernel_pin_operands(g, node);
    }
    for (k = 0; k < g->n; k++) {
        xg_kernel *node = &g->nodes[k];
        xg_kernel_bring_inst(g, k + 8, k + 4);
        if (!node->live) continue;
        xg_kernel_walk(g, node);
        for (j = 0; j < node->n_inputs; j++) node->inputs[j].from->n_readers++;
        total += node->n_inputs;
    }
    /* one behind the other; one that gets more readers gets a list of its own */
    list = (xg_kernel **)xg_alloc_raw(g->arena, xg_mul(g->m->ctx, (size_t)total + 1, sizeof *list));
    for (k = 0; k < g->n; k++) {
        xg_kernel *node = &g->nodes[k];
        for (j = 0; j < node->n_inputs; j++) { /* of those that are live */
            xg_kernel *o = node->inputs[j].from;
            if (!o->readers.n) {
                o->readers.p = list;
                list += o->readers.cap = o->n_readers;
            }
            o->readers.p[o->readers.n++] = node;
        }
    }
}

#endif /* XG_FUSE_KERNELS_C */
