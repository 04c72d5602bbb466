/* fuse/joining.c -- the pass small-kernel-joining: groups of small kernels that wait for one another become fusions of
 * fusions (phases.c says what those are, and what is small).
 *
 * The first round joins kernels that are small as one block, the second those that are small in parts of an outer
 * dimension, and what the first one has made.
 *
 * - Joining must make no cycle. Groups are bits; each instruction knows which groups it depends on, each group on which
 *   it depends, but for what its members read of each other. A group may grow if nothing that it depends on, by any
 *   number of groups, is itself. There are as many groups at a time as a word has bits; when there are no more, all are
 *   closed. */
#ifndef XG_FUSE_JOINING_C
#define XG_FUSE_JOINING_C
#include "fuse.h"
#include "phases.c"
#include "fusions.c"

/* ---- groups ---- */

enum {
    XG_PHASES_GROUPS = 64
};

typedef struct xg_phase_group {
    /* first: 1 + the place of a member, the others behind it; phases: members, of which one may be several */
    uint32_t first, n, phases, ops, buffers;
    uint64_t bits, beyond; /* its names; groups that it depends on, through what is not in it */
    int64_t shared;
} xg_phase_group;
typedef struct xg_phase_node {
    xg_inst *inst;
    uint64_t reach;        /* groups that it depends on */
    xg_phase_group *group; /* one of those that were, see `into` */
    uint32_t next, era;
    /* in the second round: how many at most; how many it is known to be small for */
    int64_t parts, fits;
    int32_t *cuts; /* by operand */
    /* be small in parts; and so might another one that it reads, or that reads it */
    bool might, paired;
} xg_phase_node;
typedef struct xg_phase_join {
    xg_arena *a;
    xg_comp *c;
    xg_buf *log;
    xg_phase_node *nodes;
    uint32_t n, era, taken; /* bits of this era */
    bool parted;            /* the second round: one block for each part of an outer dimension */
    XG_VEC(xg_phase_group *) groups;
    xg_device device;
    xg_phase_group *by_bit[XG_PHASES_GROUPS];
    xg_dict known; /* by fingerprint and parts: whether a member is small */
} xg_phase_join;

XG_FN xg_phase_node *xg_phase_node_of(const xg_inst *i) { return (xg_phase_node *)i->scratch; }
/* The group that it is in now: groups that have joined another one handed their bits on. */
XG_FN xg_phase_group *xg_phase_group_of(const xg_phase_join *w, const xg_phase_node *n) {
    uint32_t k = 0;
    if (!n->group || n->era != w->era) return NULL;
    while (!(n->group->bits >> k & 1)) k++;
    return w->by_bit[k];
}
XG_FN uint64_t xg_phase_reach(const xg_phase_join *w, const xg_inst *i) {
    return xg_phase_node_of(i)->era == w->era ? xg_phase_node_of(i)->reach : 0;
}
XG_FN bool xg_phase_is_name(const xg_inst *i) { return i->op == XG_BITCAST || i->op == XG_GET_TUPLE_ELEMENT; }
/* Its producer, behind other names. */
XG_FN const xg_inst *xg_phase_maker(const xg_inst *i) {
    while (i->op == XG_GET_TUPLE_ELEMENT ||
           (i->op == XG_BITCAST && xg_in_place_renames(i) && i->shape->type == XG_OPERAND(i, 0)->shape->type))
        i = XG_OPERAND(i, 0);
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

XG_APART XG_FN void xg_phase_log(const xg_phase_join *w, const xg_inst *i, const xg_inst *with, const char *why) {
    if (w->log)
        xg_printf(w->log, "small-kernel-joining %s: %s with %s: %s%s\n", w->c->name.p, i->name.p, with->name.p,
            why ? "refused, " : "joined", why ? why : "");
}

/* Bytes of the values that nothing outside may need: all of them at most. */
XG_FN void xg_phase_start(xg_phase_join *w, xg_phase_node *node, xg_phase_group *g) {
    const xg_comp *c = xg_attr_calls(node->inst);
    memset(g, 0, sizeof *g);
    g->first = (uint32_t)(node - w->nodes) + 1;
    g->n = 1;
    g->buffers = node->inst->n_operands + (uint32_t)xg_shape_leaves(node->inst->shape);
    g->shared = xg_cost_bytes(node->inst->shape);
    if (!xg_fuse_is_phases(node->inst)) {
        g->phases = 1;
        g->ops = xg_phases_ops(c);
        return;
    }
    g->shared = xg_cost_add(g->shared, xg_fuse_phases_shared(c));
    XG_FOR_INSTS(i, c)
        if (i->op == XG_FUSION) {
            g->phases++;
            g->ops += xg_phases_ops(xg_attr_calls(i));
        }
}
XG_FN const char *xg_phase_refusal(const xg_phase_join *w, const xg_phase_group *x, const xg_phase_group *y) {
    if (x->phases + y->phases > XG_PHASES_MEMBERS) return "too many phases";
    if (x->ops + y->ops > XG_PHASES_OPS) return "too much code";
    if (x->buffers + y->buffers > XG_PHASES_BUFFERS) return "too many buffers";
    return !w->parted && x->shared + y->shared > XG_PHASES_SHARED ? "too much between them for shared memory" : NULL;
}

/* ---- the second round: groups of which each part of an outer dimension has a block ---- */

/* The same for equal members, as layers have: asked once. */
XG_FN bool xg_phase_is_known_small(xg_phase_join *w, const xg_inst *member, int64_t parts) {
    static const bool answers[] = {false, true};
    const bool *answer;
    xg_buf key;
    xg_buf_init(&key, w->a);
    xg_put_i64(&key, parts);
    xg_fuse_fingerprint(&key, xg_attr_calls(member));
    answer = (const bool *)xg_dict_get(&w->known, xg_str_of(key.p, key.n));
    if (answer) return *answer;
    answer = &answers[xg_phases_small_width(w->a, &w->device, member, parts) > 0];
    (void)xg_dict_put_lasting(&w->known, xg_str_of(key.p, key.n), (void *)(uintptr_t)answer);
    return *answer;
}
XG_FN bool xg_phase_is_small_in(xg_phase_join *w, xg_phase_node *node, int64_t parts) {
    const xg_comp *c = xg_attr_calls(node->inst);
    bool fits = true;
    if (node->fits == parts) return true;
    if (!xg_fuse_is_phases(node->inst))
        fits = xg_phase_is_known_small(w, node->inst, parts);
    else
        XG_FOR_INSTS(i, c) fits = fits && (i->op != XG_FUSION || xg_phase_is_known_small(w, i, parts));
    if (fits) node->fits = parts;
    return fits;
}
/* Seen without a closer look: might it be small in parts? */
XG_FN bool xg_phase_might_be_parted(xg_phase_join *w, const xg_inst *i) {
    const xg_comp *c;
    if (i->op != XG_FUSION || xg_phases_is_much(&w->device, xg_cost_bytes(i->shape))) return false;
    c = xg_attr_calls(i);
    return xg_fuse_is_phases(i) ? i->first_use && xg_fuse_keeps_phases(i)
                                : !xg_phases_is_long(&w->device, c) && xg_phases_takes(w->a, i);
}
/* Of those, the ones that read each other. */
XG_APART XG_FN void xg_phase_find_pairs(xg_phase_join *w) {
    uint32_t j, k;
    for (j = 0; j < w->n; j++) {
        xg_phase_node *node = &w->nodes[j];
        node->might = xg_phase_might_be_parted(w, node->inst);
        for (k = 0; node->might && k < node->inst->n_operands; k++) {
            xg_phase_node *maker = xg_phase_node_of(xg_phase_maker(XG_OPERAND(node->inst, k)));
            if (maker->might) node->paired = maker->paired = true;
        }
    }
}
/* May it be cut, and is it small then? */
XG_APART XG_FN bool xg_phase_may_be_parted(xg_phase_join *w, xg_phase_node *node) {
    const xg_comp *c;
    if (!node->paired) return false;
    c = xg_attr_calls(node->inst);
    node->cuts = XG_NEW_N(w->a, int32_t, node->inst->n_operands + (size_t)1);
    node->parts = xg_fuse_is_phases(node->inst) ? xg_phases_outer(w->a, c, node->cuts)
                                                : xg_fuse_outer_params(w->a, c, node->cuts);
    if (node->parts < 2) return false;
    if (xg_phase_is_small_in(w, node, node->parts)) return true;
    if (w->log && !xg_fuse_is_phases(node->inst)) {
        xg_phase_work work = xg_phases_work(w->a, c, node->parts);
        xg_printf(w->log,
            "small-kernel-joining %s: %s: refused, %lld parts of %lld elements and %lld bytes, %lld ns, %lld ns more "
            "than in a kernel of its own\n",
            w->c->name.p, node->inst->name.p, (long long)node->parts, (long long)work.walk, (long long)work.own,
            (long long)(xg_phases_part_time(&w->device, &work) / 1000),
            (long long)(xg_phases_loss(&w->device, &work, node->parts) / 1000));
    }
    return false;
}
/* What stands between a member and its operand are names for the same elements in the same order. */
XG_FN bool xg_phase_names_in_order(const xg_inst *o) {
    for (; o->op == XG_BITCAST; o = XG_OPERAND(o, 0))
        if (!xg_fuse_outer_in_order(o->shape) || !xg_fuse_outer_in_order(XG_OPERAND(o, 0)->shape)) return false;
    return true;
}
/* Groups with[0..n-1], the last of which is asked for, and the node. */
XG_APART XG_FN const char *xg_phase_parted_refusal(
    xg_phase_join *w, xg_phase_node *node, xg_phase_group *const *with, uint32_t n) {
    XG_VEC(xg_phase_node *) nodes = {NULL, 0, 0};
    xg_map64 outside; /* by id + 1 of what is read from outside: 2 + cut or not */
    int64_t parts = node->parts, shared = xg_cost_bytes(node->inst->shape);
    uint32_t k, j, at;
    xg_push(w->a, xg_phase_node *, &nodes, node);
    for (j = 0; j < n; j++) {
        shared = xg_cost_add(shared, with[j]->shared);
        for (at = with[j]->first; at; at = w->nodes[at - 1].next) {
            xg_push(w->a, xg_phase_node *, &nodes, &w->nodes[at - 1]);
            parts = xg_gcd(parts, w->nodes[at - 1].parts);
        }
    }
    if (parts < 2) return "their outer dimensions have nothing in common";
    if (shared / parts > XG_PHASES_SHARED) return "too much between them for shared memory";
    xg_map64_init(&outside, w->a);
    for (j = 0; j < nodes.n; j++)
        for (k = 0; k < nodes.p[j]->inst->n_operands; k++) {
            const xg_inst *o = XG_OPERAND(nodes.p[j]->inst, k), *maker = xg_phase_maker(o);
            const xg_phase_group *of = xg_phase_group_of(w, xg_phase_node_of(maker));
            int32_t cut = nodes.p[j]->cuts[k];
            uintptr_t had;
            for (at = 0; at < n && with[at] != of; at++) {}
            if (at < n && of) {
                if (cut != XG_CUT) return "a part of one would need all of the other";
                if (!xg_phase_names_in_order(o)) return "another name for a value has another order";
                continue;
            }
            had = (uintptr_t)xg_map64_get(&outside, o->id + (uint64_t)1);
            if (had && had != (uintptr_t)(cut + 2)) return "an operand is read whole by one and in parts by another";
            xg_map64_put(&outside, o->id + (uint64_t)1, (void *)(uintptr_t)(cut + 2));
        }
    for (j = 0; j < nodes.n; j++)
        if (!xg_phase_is_small_in(w, nodes.p[j], parts)) return "too much work for the blocks of so few parts";
    return NULL;
}
/* x takes y. */
XG_FN void xg_phase_unite(xg_phase_join *w, xg_phase_group *x, xg_phase_group *y) {
    uint32_t at = x->first, k;
    while (w->nodes[at - 1].next) at = w->nodes[at - 1].next;
    w->nodes[at - 1].next = y->first;
    x->n += y->n;
    x->phases += y->phases;
    x->ops += y->ops;
    x->buffers += y->buffers;
    x->shared += y->shared;
    x->bits |= y->bits;
    x->beyond |= y->beyond;
    y->n = 0;
    for (k = 0; k < w->taken; k++)
        if (y->bits >> k & 1) w->by_bit[k] = x;
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
/* May g be one with those of `with` that are taken? The group that they would be must not depend on itself; g goes on
 * reading what the others make. */
XG_FN bool xg_phase_may(
    const xg_phase_join *w, const xg_phase_group *g, xg_phase_group *const *with, const bool *taken, uint32_t n) {
    uint64_t bits = 0, beyond = g->beyond;
    uint32_t k;
    for (k = 0; k < n; k++) {
        beyond |= with[k]->beyond | (taken[k] ? 0 : with[k]->bits);
        if (taken[k]) bits |= with[k]->bits;
    }
    return !(xg_phase_closure(w, beyond) & bits);
}
/* Groups that make what the kernel reads take it, and become one, where that may be. */
XG_APART XG_FN void xg_phase_join_one(xg_phase_join *w, xg_phase_node *node) {
    xg_phase_group *g = XG_NEW(w->a, xg_phase_group), *with[XG_PHASES_MEMBERS];
    bool taken[XG_PHASES_MEMBERS];
    uint32_t n = 0, k, j;
    xg_phase_start(w, node, g);
    for (k = 0; k < node->inst->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(node->inst, k), *maker = xg_phase_maker(o);
        xg_phase_group *of = xg_phase_group_of(w, xg_phase_node_of(maker)), sum;
        const char *why;
        for (j = 0; j < n && with[j] != of; j++) {}
        if (!of) {
            g->beyond |= xg_phase_reach(w, o);
            continue;
        }
        if (j < n) continue;
        sum = *g;
        for (j = 0; j < n; j++) {
            sum.phases += with[j]->phases;
            sum.ops += with[j]->ops;
            sum.buffers += with[j]->buffers;
            sum.shared += with[j]->shared;
        }
        why = n == XG_COUNT(with) ? "too many phases" : xg_phase_refusal(w, &sum, of);
        if (!why && w->parted) {
            with[n] = of;
            why = xg_phase_parted_refusal(w, node, with, n + 1);
        }
        xg_phase_log(w, node->inst, maker, why);
        if (why)
            g->beyond |= xg_phase_reach(w, o);
        else
            with[n++] = of;
    }
    for (j = 0; j < n; j++) taken[j] = true;
    if (!xg_phase_may(w, g, with, taken, n)) { /* as many as may be, one after the other */
        for (j = 0; j < n; j++) taken[j] = false;
        for (j = 0; j < n; j++) {
            taken[j] = true;
            taken[j] = xg_phase_may(w, g, with, taken, n);
        }
    }
    for (k = 0, j = 0; j < n; j++) {
        if (taken[j]) {
            with[k++] = with[j];
            continue;
        }
        g->beyond |= with[j]->bits | with[j]->beyond;
        xg_phase_log(
            w, node->inst, w->nodes[with[j]->first - 1].inst, "others between them would wait for their own results");
    }
    n = k;
    node->era = w->era;
    node->group = g;
    if (!n) {
        xg_phase_name(w, g);
        return;
    }
    for (j = 1; j < n; j++) xg_phase_unite(w, with[0], with[j]);
    g->bits = with[0]->bits;
    xg_phase_unite(w, with[0], g);
}

/* ---- the fusion of a group ---- */

/* Parameter k of a fusion becomes another name for one of the shape `from`. */
XG_FN void xg_phase_rename_param(const xg_inst *fusion, uint32_t k, const xg_shape *from) {
    xg_comp *c = xg_attr_calls(fusion);
    /* parameters need not stand first: what uses one stands behind it */
    xg_inst *param = c->params[k], *before = param, *fresh, *name;
    fresh = xg_inst_new(c, XG_PARAMETER, from, NULL, 0, param, param->name);
    fresh->number = k;
    c->params[k] = fresh;
    if (xg_fuse_is_phases(fusion)) { /* its members name it */
        XG_FOR_USES(u, param) xg_phase_rename_param(u->user, XG_USE_INDEX(u), from);
        xg_inst_replace(param, fresh);
        xg_inst_remove(param);
        return;
    }
    while (before && before->op == XG_PARAMETER) before = before->next;
    name = xg_inst_new(c, XG_BITCAST, param->shape, &fresh, 1, before, XG_STR("bitcast"));
    xg_inst_replace(param, name);
    xg_inst_remove(param);
}
/* Operand k, another name for a value: the member takes that, and names it itself. */
XG_FN void xg_phase_rename(xg_inst *member, uint32_t k) {
    xg_inst *from = XG_OPERAND(XG_OPERAND(member, k), 0);
    xg_phase_rename_param(member, k, from->shape);
    xg_inst_set_operand(member, k, from);
}

/* The fusion that is being made. */
typedef struct xg_phase_root {
    xg_inst *inside;
    uint32_t member, leaf;
} xg_phase_root;
typedef struct xg_phase_build {
    xg_phase_join *w;
    const xg_phase_group *g;
    xg_inst **members, ***leaves; /* in program order; what the leaves of each are inside */
    xg_comp *to;
    xg_inst **outside, **params;
    uint32_t n_outside;
    XG_VEC(xg_phase_root) roots;
} xg_phase_build;

XG_FN bool xg_phase_in(const xg_phase_build *d, const xg_inst *i) {
    return i->comp == d->w->c && xg_phase_node_of(i) && xg_phase_node_of(i)->group == d->g;
}
/* Does anything but members need the value, under whatever name? Chains of names may be long. */
XG_FN bool xg_phase_is_needed(const xg_phase_build *d, const xg_inst *value) {
    XG_VEC(const xg_inst *) open = {NULL, 0, 0};
    xg_push(d->w->a, const xg_inst *, &open, value);
    while (open.n) {
        const xg_inst *i = open.p[--open.n];
        if (i == d->w->c->root) return true;
        XG_FOR_USES(u, i) {
            if (xg_phase_in(d, u->user)) continue;
            if (!xg_phase_is_name(u->user)) return true;
            xg_push(d->w->a, const xg_inst *, &open, u->user);
        }
    }
    return false;
}
/* With all names of it that are left, the last one first. The members of such a fusion are members of another one
 * now. */
XG_FN void xg_phase_remove(xg_inst *i) {
    xg_comp *inlined = xg_fuse_is_phases(i) ? xg_attr_calls(i) : NULL;
    xg_inst *at = i, *of;
    do {
        while (at->first_use) at = at->first_use->user;
        of = at == i ? NULL : XG_OPERAND(at, 0);
        xg_inst_remove(at);
        at = of;
    } while (at);
    if (inlined) xg_comp_remove(inlined);
}

/* What a value of a member, or one from outside, is inside. */
XG_FN xg_inst *xg_phase_leaf(xg_phase_build *d, uint32_t member, uint32_t leaf) {
    xg_inst **v = d->leaves[member], *i = v[0];
    if (d->members[member]->shape->type != XLAGPU_TUPLE) return i;
    if (!v[leaf + 1]) v[leaf + 1] = xg_fusions_element(i, leaf, NULL);
    return v[leaf + 1];
}
XG_FN xg_inst *xg_phase_inside(xg_phase_build *d, xg_inst *o) {
    xg_inst *maker = o->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(o, 0) : o;
    char name[32];
    uint32_t k;
    for (k = 0; k < d->g->n; k++)
        if (d->members[k] == maker) return xg_phase_leaf(d, k, (uint32_t)(maker == o ? 0 : xg_attr_index(o)));
    for (k = 0; k < d->n_outside; k++)
        if (d->outside[k] == o) return d->params[k];
    xg_format(name, sizeof name, "param_%u", k);
    d->outside[k] = o;
    d->n_outside++;
    return d->params[k] = xg_comp_add_param(d->to, o->shape, xg_str_z(name));
}
/* The members of a member that is such a fusion itself. */
XG_FN void xg_phase_inline(xg_phase_build *d, const xg_inst *member, xg_inst *const *operands, xg_inst **leaves) {
    const xg_comp *c = xg_attr_calls(member);
    xg_inst **inside = XG_NEW_N(d->w->a, xg_inst *, c->n_insts + (size_t)1);
    xg_map64 made;
    uint32_t k;
    xg_map64_init(&made, d->w->a);
    XG_FOR_INSTS(i, c) {
        xg_inst *copy;
        for (k = 0; k < i->n_operands; k++)
            inside[k] = (xg_inst *)xg_map64_get(&made, XG_OPERAND(i, k)->id + (uint64_t)1);
        if (i->op == XG_TUPLE) {
            for (k = 0; k < i->n_operands; k++) leaves[k + 1] = inside[k];
            continue;
        }
        copy = i->op == XG_PARAMETER ? operands[i->number] : xg_inst_clone(i, d->to, inside, NULL);
        xg_map64_put(&made, i->id + (uint64_t)1, copy);
        if (i == c->root) leaves[0] = copy;
    }
}
XG_APART XG_FN void xg_phase_member(xg_phase_build *d, uint32_t number) {
    xg_inst *i = d->members[number], **operands = XG_NEW_N(d->w->a, xg_inst *, i->n_operands + (size_t)1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        if (xg_phase_in(d, xg_phase_maker(XG_OPERAND(i, k))))
            while (XG_OPERAND(i, k)->op == XG_BITCAST) xg_phase_rename(i, k);
        operands[k] = xg_phase_inside(d, XG_OPERAND(i, k));
    }
    d->leaves[number] = XG_NEW_N(d->w->a, xg_inst *, (size_t)xg_shape_leaves(i->shape) + 2);
    if (xg_fuse_is_phases(i))
        xg_phase_inline(d, i, operands, d->leaves[number]);
    else
        d->leaves[number][0] = xg_inst_clone(i, d->to, operands, NULL);
}
XG_FN void xg_phase_open(xg_phase_build *d, xg_phase_join *w, const xg_phase_group *g) {
    uint32_t at, k, n = 0, most = 0;
    memset(d, 0, sizeof *d);
    d->w = w;
    d->g = g;
    d->members = XG_NEW_N(w->a, xg_inst *, g->n);
    d->leaves = XG_NEW_N(w->a, xg_inst **, g->n);
    for (at = g->first; at; at = w->nodes[at - 1].next) {
        xg_inst *i = w->nodes[at - 1].inst;
        for (k = n++; k && xg_phase_node_of(d->members[k - 1]) > xg_phase_node_of(i); k--)
            d->members[k] = d->members[k - 1];
        d->members[k] = i;
        most += i->n_operands;
    }
    d->outside = XG_NEW_N(w->a, xg_inst *, most + (size_t)1);
    d->params = XG_NEW_N(w->a, xg_inst *, most + (size_t)1);
}
/* What others need. */
XG_APART XG_FN void xg_phase_roots(xg_phase_build *d) {
    xg_phase_root r;
    uint32_t n;
    for (r.member = 0; r.member < d->g->n; r.member++)
        for (r.leaf = 0, n = (uint32_t)xg_shape_leaves(d->members[r.member]->shape); r.leaf < n; r.leaf++) {
            const xg_inst *i = d->members[r.member];
            bool needed = i->shape->type != XLAGPU_TUPLE && xg_phase_is_needed(d, i);
            if (i->shape->type == XLAGPU_TUPLE)
                XG_FOR_USES(u, i)
                    if (xg_attr_index(u->user) == (int64_t)r.leaf) needed = needed || xg_phase_is_needed(d, u->user);
            if (!needed) continue;
            r.inside = xg_phase_leaf(d, r.member, r.leaf);
            xg_push(d->w->a, xg_phase_root, &d->roots, r);
        }
}
/* Readers of a member's value read that of the fusion. */
XG_FN void xg_phase_hand_over(xg_phase_build *d, xg_inst *fusion) {
    uint32_t j;
    for (j = 0; j < d->roots.n; j++) {
        const xg_phase_root *r = &d->roots.p[j];
        xg_inst *value = d->roots.n == 1 ? fusion : xg_fusions_element(fusion, j, d->members[d->g->n - 1]),
                *member = d->members[r->member];
        value->scratch = NULL;
        if (member->shape->type != XLAGPU_TUPLE)
            xg_inst_replace(member, value);
        else
            XG_FOR_USES(u, member)
                if (xg_attr_index(u->user) == (int64_t)r->leaf) xg_inst_replace(u->user, value);
    }
}
XG_APART XG_FN bool xg_phase_fuse(xg_phase_join *w, const xg_phase_group *g) {
    xg_module *m = w->c->module;
    xg_inst **roots, *fusion, *last;
    const xg_shape **shapes;
    xg_phase_build d;
    uint32_t n, k;
    xg_phase_open(&d, w, g);
    last = d.members[g->n - 1];
    d.to = xg_comp_new(m, XG_STR("fused_phases"), w->c);
    for (k = 0; k < g->n; k++) xg_phase_member(&d, k);
    xg_phase_roots(&d);
    n = d.roots.n;
    if (!n) {
        xg_comp_remove(d.to);
        return false;
    } /* nothing needs any of it */
    roots = XG_NEW_N(w->a, xg_inst *, n);
    shapes = XG_NEW_N(w->a, const xg_shape *, n);
    for (k = 0; k < n; k++) {
        roots[k] = d.roots.p[k].inside;
        shapes[k] = roots[k]->shape;
    }
    d.to->root =
        n == 1 ? roots[0] : xg_inst_new(d.to, XG_TUPLE, xg_shape_tuple(m, shapes, n), roots, n, NULL, XG_STR("tuple"));
    fusion = xg_inst_new(w->c, XG_FUSION, d.to->root->shape, d.outside, d.n_outside, last, XG_STR("phases_fusion"));
    fusion->scratch = NULL;
    xg_fuse_mark(fusion, true);
    xg_inst_set_comp(fusion, XG_A_calls, d.to);
    if (xg_inst_attr(last, XG_A_metadata)) xg_inst_set_attr(fusion, *xg_inst_attr(last, XG_A_metadata));
    xg_opt_settle_fusion(fusion); /* a member may be one that nothing needs */
    xg_phase_hand_over(&d, fusion);
    for (k = g->n; k-- > 0;) xg_phase_remove(d.members[k]);
    return true;
}

/* ---- one computation ---- */

XG_FN bool xg_phase_is_wide(const xg_shape *s) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return s->elements > XG_PHASES_WALK;
    for (k = 0; k < s->n_elems && !xg_phase_is_wide(s->elems[k]); k++) {}
    return k < s->n_elems;
}
/* May it be in a group of this round? */
XG_APART XG_FN bool xg_phase_is_ready(xg_phase_join *w, xg_phase_node *node) {
    const xg_inst *i = node->inst;
    xg_phase_work work;
    xg_mark mark;
    if (w->parted) return xg_phase_may_be_parted(w, node);
    if (i->op != XG_FUSION || xg_phase_is_wide(i->shape) || !xg_phases_takes(w->a, i)) return false;
    mark = xg_arena_mark(w->a);
    work = xg_phases_work(w->a, xg_attr_calls(i), 1);
    xg_arena_reset(w->a, mark);
    if (xg_phases_is_small(&w->device, &work, 1)) return true;
    if (w->log)
        xg_printf(w->log, "small-kernel-joining %s: %s: refused, %lld elements, %lld ns in one block\n", w->c->name.p,
            i->name.p, (long long)work.walk, (long long)(xg_phases_time(&w->device, &work) / 1000));
    return false;
}
/* Does any fusion read what another one makes? Without, no group has two members. */
XG_FN bool xg_phase_any_meet(const xg_comp *c) {
    uint32_t k;
    if (c->n_fusions > 1)
        XG_FOR_INSTS(i, c)
            for (k = 0; i->op == XG_FUSION && k < i->n_operands; k++)
                if (xg_phase_maker(XG_OPERAND(i, k))->op == XG_FUSION) return true;
    return c->module->fusion_log != NULL; /* which tells why each is left alone */
}
XG_FN bool xg_phases_round(xg_comp *c, bool parted) {
    xg_phase_join w;
    uint32_t k = 0, at, j;
    bool changed = false;
    if (c->n_fusions < 2 && !c->module->fusion_log) return false;
    memset(&w, 0, sizeof w);
    w.a = c->module->work;
    w.c = c;
    w.parted = parted;
    w.device = c->module->device;
    w.log = c->module->fusion_log;
    xg_dict_init(&w.known, w.a);
    w.nodes = XG_NEW_N(w.a, xg_phase_node, c->n_insts + (size_t)1);
    w.n = c->n_insts;
    w.era = 1;
    XG_FOR_INSTS(i, c) {
        w.nodes[k].inst = i;
        i->scratch = &w.nodes[k++];
    }
    if (parted) xg_phase_find_pairs(&w);
    for (k = 0; k < w.n; k++) {
        xg_phase_node *node = &w.nodes[k];
        if (k + 8 < w.n) xg_inst_bring((uintptr_t)w.nodes[k + 8].inst);
        if (k + 4 < w.n) XG_PREFETCH(w.nodes[k + 4].inst->attrs);
        if (xg_phase_is_ready(&w, node)) xg_phase_join_one(&w, node);
        node->era = w.era;
        for (j = 0; j < node->inst->n_operands; j++) node->reach |= xg_phase_reach(&w, XG_OPERAND(node->inst, j));
        if (node->group) node->reach |= xg_phase_group_of(&w, node)->bits;
    }
    for (k = 0; k < w.groups.n; k++)
        if (w.groups.p[k]->n > 1)
            for (at = w.groups.p[k]->first; at; at = w.nodes[at - 1].next) w.nodes[at - 1].group = w.groups.p[k];
    for (k = 0; k < w.groups.n; k++)
        if (w.groups.p[k]->n > 1) changed = xg_phase_fuse(&w, w.groups.p[k]) || changed;
    if (changed) xg_fusions_sort(w.a, c);
    return changed;
}
/* First kernels of one block; then those, and larger ones, become kernels of as many blocks as they have parts. */
XG_FN bool xg_phases_comp(xg_comp *c) {
    xg_mark none = xg_arena_mark(c->module->work);
    bool changed;
    if (!xg_phase_any_meet(c)) return false;
    changed = xg_phases_round(c, false);
    xg_arena_reset(c->module->work, none);
    changed = xg_phases_round(c, true) || changed;
    xg_arena_reset(c->module->work, none);
    return changed;
}
XG_FN bool xg_fuse_join_small(xg_module *m) {
    return m->made[XG_FUSION] && !xg_opt_has_control(m) && xg_opt_each_sequence(m, xg_phases_comp);
}

#endif /* XG_FUSE_JOINING_C */
