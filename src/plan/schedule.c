/* plan/schedule.c -- the order in which the program runs: of several orders, the one with the lowest peak of memory.
 *
 * Each computation that runs step by step (the entry, and the bodies of loops and branches) is ordered by itself,
 * called ones first, so that their peaks are known at the call. Four orders are tried:
 * - the text's;
 * - a list schedule: of the ready instructions, the one that frees most (bytes freed less bytes allocated);
 * - depth first, into the most expensive operand;
 * - plain post-order.
 *
 * Each is tried once more with instructions that free more than they allocate moved to where they become ready: the
 * gradients of weights, for example, which other orders leave to the end, so that their operands stay live. A
 * simulation counts the live bytes of each order, and the first with the lowest peak wins.
 *
 * Then asynchronous operations are spread: each done moves down to the first user of its result, each start up until
 * the steps between the two take as long as the operation, by the cost model, as long as the peak grows by a quarter at
 * most. Their operands and results stay live until the done. Collectives run beside other steps and have no done here:
 * independent steps are placed behind a collective, dependent ones where it is estimated to end.
 *
 * Laws: operands and control predecessors come first; side effects keep the order of the text; a module with
 * is_scheduled keeps its order. Everything is n log n in instructions and uses. */
#ifndef XG_PLAN_SCHEDULE_C
#define XG_PLAN_SCHEDULE_C
#include "plan.h"
#include "alias.c"

typedef struct xg_sched_value {
    int64_t bytes;
    uint32_t first_user, n_users, made_by;
    bool stays;
} xg_sched_value; /* users: sched.users[first_user ...] */

typedef struct xg_sched_overwrite {
    uint32_t value;
    int64_t bytes;
} xg_sched_overwrite;

/* two values: the result takes the parameter's memory, by input_output_alias */
typedef struct xg_sched_given {
    uint32_t param, result;
} xg_sched_given;

/* One computation. Instructions are numbers in the order of the text. */
typedef struct xg_sched {
    xg_arena *arena;
    xg_comp *comp;
    xg_inst **insts;
    uint32_t n;
    bool ends, meets; /* it has a done of an asynchronous operation; it has a collective */
    /* by instruction id: its number; one array for the module, each computation writes its own part */
    uint32_t *index;
    XG_VEC(xg_sched_value) values;
    uint32_t *leaf_start, *leaf_value; /* of each instruction, by leaf */
    uint32_t *pred_start, *preds, *succ_start, *succs, n_edges;
    uint32_t *use_start, *uses, *users; /* uses: the values that each instruction reads, without repetition */
    int64_t *made;                      /* by instruction: bytes of the values that it allocates */
    int64_t *unused;                    /* those of them that no instruction reads */
    bool *free;                         /* allocates no device memory: an alias, for one */
    int64_t *inner;                     /* bytes that its computations need while it runs */
    /* by instruction: a value in whose place its result may be written; UINT32_MAX: none */
    xg_sched_overwrite *over;
    int64_t initial; /* bytes that are live at the start */
    XG_VEC(xg_sched_given) given;
    xg_records records; /* of the computation's kernels */
} xg_sched;

XG_FN uint32_t xg_sched_number(const xg_sched *s, const xg_inst *i) { return s->index[i->id]; }
/* Saturating: sums are only compared. */
XG_ONE_COPY XG_FN int64_t xg_sched_add(int64_t a, int64_t b) { return a > INT64_MAX / 4 - b ? INT64_MAX / 4 : a + b; }

/* ---- what there is ---- */

XG_FN bool xg_sched_in_host(const xg_shape *s) {
    return s->layout && s->layout->memory_space == XG_PLAN_HOST_SPACE;
} /* takes no device memory */

/* Aliases: forwarding instructions, and leaves of asynchronous ones. A start's leaves are its operands, then its
 * result; a done gives the start's result. */
XG_FN uint32_t xg_sched_leaves(const xg_inst *i) { return (uint32_t)xg_shape_leaves(i->shape); }
XG_FN uint32_t xg_sched_handed_on(const xg_inst *start) {
    uint32_t n = 0, k;
    if (start->op != XG_ASYNC_START && start->op != XG_ASYNC_UPDATE && start->op != XG_ALL_GATHER_START &&
        start->op != XG_COLLECTIVE_PERMUTE_START)
        return 0;
    while (start->op == XG_ASYNC_UPDATE) start = XG_OPERAND(start, 0);
    for (k = 0; k < start->n_operands; k++) n += xg_sched_leaves(XG_OPERAND(start, k));
    return n;
}
XG_FN bool xg_sched_renames(const xg_inst *i, uint32_t leaf, uint32_t *operand, uint32_t *from) {
    *operand = 0;
    *from = leaf;
    if (xg_plan_forwards(i)) {
        *from = xg_plan_forwarded(i, leaf, operand);
        return true;
    }
    if (i->op == XG_COPY_START) {
        *from = 0;
        return leaf == 1;
    } /* (to, from, context) */
    if (i->op == XG_ASYNC_UPDATE) return true;
    if (xg_op_flags(i->op) & XGF_DONE) {
        *from = xg_sched_handed_on(XG_OPERAND(i, 0)) + leaf;
        return *from < xg_sched_leaves(XG_OPERAND(i, 0));
    }
    if (leaf >= xg_sched_handed_on(i)) return false;
    while (*from >= xg_sched_leaves(XG_OPERAND(i, *operand))) *from -= xg_sched_leaves(XG_OPERAND(i, (*operand)++));
    return true;
}

XG_FN void xg_sched_count_leaves(xg_sched *s) {
    size_t n = 0;
    uint32_t k;
    s->leaf_start = (uint32_t *)xg_alloc_raw(s->arena, (s->n + (size_t)2) * sizeof *s->leaf_start);
    for (k = 0; k <= s->n; k++) {
        s->leaf_start[k] = (uint32_t)n;
        if (k < s->n) n = xg_add(s->arena->ctx, n, xg_sched_leaves(s->insts[k]));
        if (n > UINT32_MAX) xg_fail(s->arena->ctx, XLAGPU_ERROR_LIMIT, "a computation of more than 2^32 arrays");
    }
    s->leaf_value = (uint32_t *)xg_alloc_raw(s->arena, xg_mul(s->arena->ctx, n + 1, sizeof *s->leaf_value));
    s->values.p = (xg_sched_value *)xg_alloc_raw(s->arena, xg_mul(s->arena->ctx, n + 1, sizeof *s->values.p));
    s->values.cap = (uint32_t)n;
}
XG_FN uint32_t *xg_sched_leaf(const xg_sched *s, const xg_inst *i, uint32_t leaf) {
    return &s->leaf_value[s->leaf_start[xg_sched_number(s, i)] + leaf];
}
XG_APART XG_FN void xg_sched_values(xg_sched *s) {
    uint32_t k, j, n;
    xg_sched_count_leaves(s);
    s->made = XG_NEW_N(s->arena, int64_t, s->n + (size_t)1);
    for (k = 0; k < s->n; k++) {
        const xg_inst *i = s->insts[k];
        const xg_shape *const *leaves = xg_plan_leaves(s->arena, &i->shape, &n);
        uint32_t *of = s->leaf_value + s->leaf_start[k];
        bool outside = i->op == XG_CONSTANT || (i->op == XG_PARAMETER && s->comp == s->comp->module->entry);
        for (j = 0; j < n; j++) {
            xg_sched_value v;
            uint32_t operand, leaf;
            if (xg_sched_renames(i, j, &operand, &leaf)) {
                of[j] = *xg_sched_leaf(s, XG_OPERAND(i, operand), leaf);
                continue;
            }
            memset(&v, 0, sizeof v);
            v.bytes = outside || xg_sched_in_host(leaves[j]) ? 0 : xg_plan_bytes(leaves[j]);
            v.made_by = k;
            if (i->op == XG_PARAMETER)
                s->initial = xg_sched_add(s->initial, v.bytes);
            else
                s->made[k] = xg_sched_add(s->made[k], v.bytes);
            of[j] = s->values.n;
            s->values.p[s->values.n++] = v;
        }
    }
    n = xg_sched_leaves(s->comp->root);
    for (j = 0; j < n; j++) s->values.p[*xg_sched_leaf(s, s->comp->root, j)].stays = true;
}

XG_APART XG_FN void xg_sched_uses(xg_sched *s) {
    uint32_t *seen = XG_NEW_N(s->arena, uint32_t, s->values.n + (size_t)1), k, j, l, total = 0;
    XG_VEC(uint32_t) uses = {NULL, 0, 0};
    s->use_start = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)2);
    for (k = 0; k < s->n; k++) {
        const xg_inst *i = s->insts[k];
        s->use_start[k] = uses.n;
        for (j = 0; j < i->n_operands && (!xg_plan_forwards(i) || i->op == XG_COPY_DONE); j++) {
            uint32_t o = xg_sched_number(s, XG_OPERAND(i, j));
            for (l = s->leaf_start[o]; l < s->leaf_start[o + 1]; l++) {
                uint32_t v = s->leaf_value[l];
                if (seen[v] == k + 1) continue;
                seen[v] = k + 1;
                xg_push(s->arena, uint32_t, &uses, v);
                s->values.p[v].n_users++;
            }
        }
    }
    s->use_start[s->n] = uses.n;
    s->uses = uses.p;
    for (k = 0; k < s->values.n; k++) {
        s->values.p[k].first_user = total;
        total += s->values.p[k].n_users;
        s->values.p[k].n_users = 0;
    }
    s->users = XG_NEW_N(s->arena, uint32_t, total + (size_t)1);
    for (k = 0; k < s->n; k++)
        for (j = s->use_start[k]; j < s->use_start[k + 1]; j++) {
            xg_sched_value *v = &s->values.p[uses.p[j]];
            s->users[v->first_user + v->n_users++] = k;
        }
}

/* Precomputes what the simulation of every order needs. */
XG_FN void xg_sched_unused(xg_sched *s) {
    uint32_t k, j;
    s->unused = XG_NEW_N(s->arena, int64_t, s->n + (size_t)1);
    s->free = (bool *)xg_alloc_raw(s->arena, s->n + (size_t)1);
    for (k = 0; k < s->n; k++) {
        s->free[k] = !s->made[k] || xg_plan_forwards(s->insts[k]);
        if (s->free[k]) continue; /* parameters, too */
        for (j = s->leaf_start[k]; j < s->leaf_start[k + 1]; j++) {
            const xg_sched_value *v = &s->values.p[s->leaf_value[j]];
            if (!v->n_users && !v->stays) s->unused[k] = xg_sched_add(s->unused[k], v->bytes);
        }
    }
}

/* Edges from operands, from control predecessors, and from the previous side effect. */
XG_APART XG_FN void xg_sched_edges(xg_sched *s) {
    XG_VEC(uint32_t) preds = {NULL, 0, 0};
    uint32_t k, j, effect = UINT32_MAX, *at;
    s->pred_start = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)2);
    s->succ_start = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)2);
    for (k = 0; k < s->n; k++) {
        const xg_inst *i = s->insts[k];
        const xg_attr *control = xg_inst_order(i);
        s->pred_start[k] = preds.n;
        for (j = 0; j < i->n_operands; j++) xg_push(s->arena, uint32_t, &preds, xg_sched_number(s, XG_OPERAND(i, j)));
        for (j = 0; control && j < control->v.insts->n; j++)
            if (control->v.insts->p[j]->comp == s->comp)
                xg_push(s->arena, uint32_t, &preds, xg_sched_number(s, control->v.insts->p[j]));
        if (!(xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL))) continue;
        if (effect != UINT32_MAX) xg_push(s->arena, uint32_t, &preds, effect);
        effect = k;
    }
    s->pred_start[s->n] = s->n_edges = preds.n;
    s->preds = preds.p;
    s->succs = XG_NEW_N(s->arena, uint32_t, preds.n + (size_t)1);
    for (j = 0; j < preds.n; j++) s->succ_start[preds.p[j] + 1]++;
    for (k = 0; k < s->n; k++) s->succ_start[k + 1] += s->succ_start[k];
    at = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1);
    memcpy(at, s->succ_start, s->n * sizeof *at);
    for (k = 0; k < s->n; k++)
        for (j = s->pred_start[k]; j < s->pred_start[k + 1]; j++) s->succs[at[preds.p[j]]++] = k;
}

/* Finds the largest value in whose place the result may be written: a loop's init, or an operand of a fusion where the
 * rule of in_place.c allows it. */
XG_APART XG_FN void xg_sched_over(xg_sched *s, uint32_t k) {
    const xg_inst *i = s->insts[k];
    uint32_t n, j, l;
    const xg_shape *const *leaves;
    s->over[k].value = UINT32_MAX;
    if (i->op != XG_FUSION && i->op != XG_WHILE) return;
    leaves = xg_plan_leaves(s->arena, &i->shape, &n);
    for (j = 0; j < i->n_operands; j++) {
        const uint32_t *of = xg_sched_leaf(s, XG_OPERAND(i, j), 0);
        for (l = 0; l < n; l++) {
            uint32_t v = of[i->op == XG_WHILE ? l : 0];
            int64_t bytes = xg_plan_bytes(leaves[l]);
            if (!s->values.p[v].bytes || s->values.p[v].bytes != bytes || s->values.p[v].stays ||
                bytes <= s->over[k].bytes)
                continue;
            if (i->op == XG_FUSION && !xg_records_may_share(&s->records, i, j, l)) continue;
            s->over[k].value = v;
            s->over[k].bytes = bytes;
        }
    }
}

/* Shared by all computations of the module: numbers by instruction id, peaks by computation id. */
typedef struct xg_sched_all {
    uint32_t *index;
    int64_t *peaks;
    xg_trail trail;
} xg_sched_all;

XG_FN void xg_sched_find_given(xg_sched *s) {
    const xg_module *m = s->comp->module;
    uint32_t k;
    for (k = 0; k < m->n_aliases && s->comp == m->entry; k++) {
        const xg_io_alias *a = &m->aliases[k];
        const xg_inst *param =
            a->param >= 0 && a->param < (int64_t)m->entry->n_params ? m->entry->params[a->param] : NULL;
        uint32_t leaf = xg_alias_leaf(m->entry->root, m->entry->root->shape, a->output),
                 from = param ? xg_alias_leaf(param, param->shape, a->param_index) : 0;
        xg_sched_given g;
        if (!param || leaf >= xg_sched_leaves(m->entry->root) || from >= xg_sched_leaves(param)) continue;
        g.param = *xg_sched_leaf(s, param, from);
        g.result = *xg_sched_leaf(s, m->entry->root, leaf);
        if (g.param != g.result) xg_push(s->arena, xg_sched_given, &s->given, g);
    }
}

XG_APART XG_FN void xg_sched_init(xg_sched *s, xg_arena *a, xg_comp *c, const xg_sched_all *all) {
    uint32_t k = 0, j;
    memset(s, 0, sizeof *s);
    s->arena = a;
    xg_records_open(&s->records, a);
    s->comp = c;
    s->n = c->n_insts;
    s->insts = XG_NEW_N(a, xg_inst *, s->n + (size_t)1);
    s->index = all->index;
    XG_FOR_INSTS(i, c) {
        s->index[i->id] = k;
        s->insts[k++] = i;
        s->ends = s->ends || xg_op_flags(i->op) & XGF_DONE;
        s->meets = s->meets || xg_opt_is_collective(i);
    }
    xg_sched_values(s);
    xg_sched_uses(s);
    xg_sched_unused(s);
    xg_sched_edges(s);
    s->over = XG_NEW_N(a, xg_sched_overwrite, s->n + (size_t)1);
    s->inner = XG_NEW_N(a, int64_t, s->n + (size_t)1);
    for (k = 0; k < s->n; k++) {
        xg_sched_over(s, k);
        if (c->n_control && xg_opt_is_control(s->insts[k])) {
            xg_comps called = xg_opt_control_comps(a, s->insts[k]);
            for (j = 0; j < called.n; j++) s->inner[k] = XG_MAX(s->inner[k], all->peaks[called.p[j]->id]);
        }
    }
    xg_sched_find_given(s);
}

/* ---- the account ---- */

/* By instruction: bytes of aliased results that it writes in place of dead parameters; NULL: the module has no aliases.
 * While a parameter is live, its result is kept in memory of its own. */
XG_FN int64_t *xg_sched_in_place(const xg_sched *s, const uint32_t *order) {
    int64_t *bytes;
    uint32_t *place, k, j;
    if (!s->given.n) return NULL;
    bytes = XG_NEW_N(s->arena, int64_t, s->n + (size_t)1);
    place = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1);
    for (k = 0; k < s->n; k++) place[order[k]] = k;
    for (k = 0; k < s->given.n; k++) {
        const xg_sched_value *param = &s->values.p[s->given.p[k].param], *result = &s->values.p[s->given.p[k].result];
        for (j = 0; j < param->n_users && place[s->users[param->first_user + j]] <= place[result->made_by]; j++) {}
        if (j == param->n_users) bytes[result->made_by] = xg_sched_add(bytes[result->made_by], result->bytes);
    }
    return bytes;
}

/* The peak of live bytes, less the initial ones. */
XG_FN int64_t xg_sched_peak(const xg_sched *s, const uint32_t *order) {
    xg_mark mark = xg_arena_mark(s->arena);
    uint32_t *left = (uint32_t *)xg_alloc_raw(s->arena, (s->values.n + (size_t)1) * sizeof *left), k, j;
    int64_t live = s->initial, peak = s->initial, *in_place = xg_sched_in_place(s, order);
    for (k = 0; k < s->values.n; k++) left[k] = s->values.p[k].n_users + s->values.p[k].stays;
    for (k = 0; k < s->n; k++) {
        uint32_t t = order[k], over = s->over[t].value;
        int64_t saved = over != UINT32_MAX && left[over] == 1 ? s->over[t].bytes : 0;
        live = xg_sched_add(live, s->made[t]) - (in_place ? in_place[t] : 0);
        peak = XG_MAX(peak, xg_sched_add(live - saved, s->inner[t]));
        for (j = s->use_start[t]; j < s->use_start[t + 1]; j++)
            if (--left[s->uses[j]] == 0) live -= s->values.p[s->uses[j]].bytes;
        live -= s->unused[t];
    }
    xg_arena_reset(s->arena, mark);
    return peak - s->initial;
}

/* A lower bound on the peak of all orders: what is live at the end, and what any single step reads and allocates. */
XG_FN int64_t xg_sched_floor(const xg_sched *s) {
    int64_t live = s->initial, most = 0;
    uint32_t k, j;
    for (k = 0; k < s->n; k++) {
        int64_t at = xg_sched_add(s->made[k] - s->over[k].bytes, s->inner[k]);
        for (j = s->use_start[k]; j < s->use_start[k + 1]; j++) at = xg_sched_add(at, s->values.p[s->uses[j]].bytes);
        live = xg_sched_add(live, s->made[k]) - s->unused[k];
        most = XG_MAX(most, at);
    }
    for (k = 0; k < s->values.n; k++)
        if (s->values.p[k].n_users && !s->values.p[k].stays) live -= s->values.p[k].bytes;
    return s->given.n ? INT64_MIN : XG_MAX(live, most) - s->initial;
}

/* ---- the orders ---- */

XG_FN void xg_sched_text(const xg_sched *s, uint32_t *order) {
    uint32_t k;
    for (k = 0; k < s->n; k++) order[k] = k;
}

/* A heap of ready instructions: the greatest (gain, users), then the first in the text. When the gain of an entry
 * grows, it is pushed again, and the stale one is skipped. */
typedef struct xg_sched_ready {
    int64_t gain;
    uint32_t users, number;
} xg_sched_ready;
typedef XG_VEC(xg_sched_ready) xg_sched_heap;
XG_FN bool xg_sched_better(const xg_sched_ready *a, const xg_sched_ready *b) {
    if (a->gain != b->gain) return a->gain > b->gain;
    if (a->users != b->users) return a->users > b->users;
    return a->number < b->number;
}
XG_FN void xg_sched_push(xg_arena *a, xg_sched_heap *h, xg_sched_ready r) {
    uint32_t k;
    xg_push(a, xg_sched_ready, h, r);
    for (k = h->n - 1; k && xg_sched_better(&r, &h->p[(k - 1) / 2]); k = (k - 1) / 2) h->p[k] = h->p[(k - 1) / 2];
    h->p[k] = r;
}
XG_FN xg_sched_ready xg_sched_pop(xg_sched_heap *h) {
    xg_sched_ready top = h->p[0], last = h->p[--h->n];
    uint32_t k = 0, child;
    while ((child = 2 * k + 1) < h->n) {
        if (child + 1 < h->n && xg_sched_better(&h->p[child + 1], &h->p[child])) child++;
        if (!xg_sched_better(&h->p[child], &last)) break;
        h->p[k] = h->p[child];
        k = child;
    }
    if (h->n) h->p[k] = last;
    return top;
}

XG_FN xg_sched_ready xg_sched_entry(const xg_sched *s, uint32_t k, int64_t freed, const uint32_t *place) {
    xg_sched_ready r;
    r.number = k;
    r.users = s->succ_start[k + 1] - s->succ_start[k];
    r.gain = s->free[k] ? INT64_MAX / 2 : freed - s->made[k];
    if (place && r.gain <= 0) {
        r.gain = 0;
        r.users = s->n - place[k];
    }
    return r;
}

/* An entry in the order of places, collectives first; later != 0: an entry of the waiting heap, by that time. */
XG_FN xg_sched_ready xg_sched_in_turn(const xg_sched *s, uint32_t k, const uint32_t *place, int64_t later) {
    xg_sched_ready r;
    r.number = k;
    r.users = s->n - place[k];
    r.gain = later ? -later : xg_opt_is_collective(s->insts[k]);
    return r;
}

/* List scheduling: the best ready instruction first; a value counts as freed by its last remaining user. With `place`
 * (places in another order) that order is kept, except that what frees more than it allocates comes when it is
 * ready. */
XG_FN void xg_sched_ready_first(const xg_sched *s, const uint32_t *place, uint32_t *order) {
    uint32_t *waits = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1),
             *left = XG_NEW_N(s->arena, uint32_t, s->values.n + (size_t)1), k, j, done = 0;
    int64_t *freed = XG_NEW_N(s->arena, int64_t, s->n + (size_t)1);
    bool *out = XG_NEW_N(s->arena, bool, s->n + (size_t)1);
    xg_sched_heap heap = {NULL, 0, 0};
    for (k = 0; k < s->values.n; k++) {
        const xg_sched_value *v = &s->values.p[k];
        left[k] = v->n_users;
        if (v->n_users == 1 && !v->stays) freed[s->users[v->first_user]] += v->bytes;
    }
    for (k = 0; k < s->n; k++) {
        waits[k] = s->pred_start[k + 1] - s->pred_start[k];
        if (!waits[k]) xg_sched_push(s->arena, &heap, xg_sched_entry(s, k, freed[k], place));
    }
    while (heap.n) {
        uint32_t t = xg_sched_pop(&heap).number;
        if (out[t]) continue;
        out[t] = true;
        order[done++] = t;
        for (j = s->use_start[t]; j < s->use_start[t + 1]; j++) {
            const xg_sched_value *v = &s->values.p[s->uses[j]];
            if (--left[s->uses[j]] != 1 || v->stays) continue;
            for (k = 0; out[s->users[v->first_user + k]]; k++) {}
            k = s->users[v->first_user + k];
            freed[k] += v->bytes;
            if (!waits[k]) xg_sched_push(s->arena, &heap, xg_sched_entry(s, k, freed[k], place));
        }
        for (j = s->succ_start[t]; j < s->succ_start[t + 1]; j++)
            if (!--waits[s->succs[j]])
                xg_sched_push(s->arena, &heap, xg_sched_entry(s, s->succs[j], freed[s->succs[j]], place));
    }
}

XG_FN void xg_sched_list(const xg_sched *s, uint32_t *order) { xg_sched_ready_first(s, NULL, order); }
XG_FN void xg_sched_free_early(const xg_sched *s, uint32_t *order) {
    uint32_t *place = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1), k;
    for (k = 0; k < s->n; k++) place[order[k]] = k;
    xg_sched_ready_first(s, place, order);
}

/* Post-order from the root, then from instructions that it does not reach; predecessors are visited in the order of
 * `preds`. */
XG_FN void xg_sched_post_order(const xg_sched *s, const uint32_t *preds, uint32_t *order) {
    uint32_t *stack = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1),
             *at = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1), depth, done = 0, k;
    bool *seen = XG_NEW_N(s->arena, bool, s->n + (size_t)1);
    uint32_t root = xg_sched_number(s, s->comp->root);
    for (k = 0; k <= s->n; k++) {
        uint32_t from = k ? k - 1 : root;
        if (seen[from]) continue;
        seen[from] = true;
        stack[0] = from;
        at[0] = s->pred_start[from];
        for (depth = 1; depth;) {
            uint32_t t = stack[depth - 1], p;
            if (at[depth - 1] == s->pred_start[t + 1]) {
                order[done++] = t;
                depth--;
                continue;
            }
            p = preds[at[depth - 1]++];
            if (seen[p]) continue;
            seen[p] = true;
            stack[depth] = p;
            at[depth++] = s->pred_start[p];
        }
    }
}
XG_FN void xg_sched_plain(const xg_sched *s, uint32_t *order) { xg_sched_post_order(s, s->preds, order); }

typedef struct xg_sched_cost {
    int64_t extra, bytes;
    uint32_t number;
    xg_str name;
} xg_sched_cost;
XG_FN int xg_sched_dearer(const void *pa, const void *pb) {
    const xg_sched_cost *a = (const xg_sched_cost *)pa, *b = (const xg_sched_cost *)pb;
    int c;
    if (a->extra != b->extra) return a->extra > b->extra ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    c = memcmp(a->name.p, b->name.p, XG_MIN(a->name.n, b->name.n));
    return c                       ? c
           : a->name.n < b->name.n ? -1
           : a->name.n > b->name.n ? 1
           : a->number < b->number ? -1
                                   : a->number > b->number;
}

/* Depth first: first into the operand with the most additional users (beyond one for each value), then the most bytes,
 * both summed over everything that the operand depends on. */
XG_FN void xg_sched_dfs(const xg_sched *s, uint32_t *order) {
    xg_sched_cost *cost = XG_NEW_N(s->arena, xg_sched_cost, s->n + (size_t)1), *sorted;
    uint32_t *preds = XG_NEW_N(s->arena, uint32_t, s->n_edges + (size_t)1), most = 0, k, j;
    for (k = 0; k < s->n; k++) {
        uint32_t users = s->succ_start[k + 1] - s->succ_start[k];
        most = XG_MAX(most, s->pred_start[k + 1] - s->pred_start[k]);
        cost[k].number = k;
        cost[k].name = s->insts[k]->name;
        cost[k].extra = users ? users - 1 : 0;
        cost[k].bytes = s->made[k];
        for (j = s->pred_start[k]; j < s->pred_start[k + 1]; j++) {
            cost[k].extra = xg_sched_add(cost[k].extra, cost[s->preds[j]].extra);
            cost[k].bytes = xg_sched_add(cost[k].bytes, cost[s->preds[j]].bytes);
        }
    }
    sorted = XG_NEW_N(s->arena, xg_sched_cost, most + (size_t)1);
    for (k = 0; k < s->n; k++) {
        uint32_t from = s->pred_start[k], n = s->pred_start[k + 1] - from;
        if (n < 2) {
            if (n) preds[from] = s->preds[from];
            continue;
        }
        for (j = 0; j < n; j++) sorted[j] = cost[s->preds[from + j]];
        qsort(sorted, n, sizeof *sorted, xg_sched_dearer);
        for (j = 0; j < n; j++) preds[from + j] = sorted[j].number;
    }
    xg_sched_post_order(s, preds, order);
}

/* ---- asynchronous operations ---- */

enum {
    XG_SCHED_LINK_GBS = 25 /* between devices, and to the host */,
    XG_SCHED_LAUNCH_PS = 1000000, /* of a step on the device */
    XG_SCHED_FAR_PS = 5000000,    /* of one that involves another device */
    XG_SCHED_STARTS_MAX = 256,
    XG_SCHED_MORE = 4 /* hiding latency may raise the peak by this part of it: a quarter */
};

/* Picoseconds of a step, from the bytes that it reads and allocates. */
XG_FN int64_t xg_sched_time(const xg_sched *s, uint32_t t) {
    const xg_inst *i = s->insts[t];
    int64_t bytes = s->made[t], rate = xg_device_gbs(s->comp->module->device.bandwidth), more = XG_SCHED_LAUNCH_PS;
    uint32_t k;
    if (xg_plan_forwards(i) || (xg_op_flags(i->op) & XGF_DONE) || i->op == XG_PARAMETER || i->op == XG_CONSTANT)
        return 0;
    for (k = s->use_start[t]; k < s->use_start[t + 1]; k++) bytes = xg_sched_add(bytes, s->values.p[s->uses[k]].bytes);
    if (i->op != XG_COPY_START && xg_op_flags(i->op) & XGF_START) {
        rate = XG_SCHED_LINK_GBS;
        more = XG_SCHED_FAR_PS;
    }
    if (xg_opt_is_collective(i)) return xg_sched_add(xg_plan_sent_time(i), XG_SCHED_LAUNCH_PS);
    if (i->op == XG_COPY_START)
        for (k = 0; k < 2; k++) { /* source and destination */
            const xg_shape *end = k ? XG_OPERAND(i, 0)->shape : i->shape->elems[0];
            if (xg_sched_in_host(end)) {
                rate = XG_SCHED_LINK_GBS;
                bytes = xg_plan_bytes(end);
            }
        }
    return xg_sched_add(bytes / XG_MAX(rate, (int64_t)1) * 1000, more);
}

/* Moves each done, and the aliases of its result, right in front of the first user. */
XG_APART XG_FN void xg_sched_late_ends(const xg_sched *s, const uint32_t *order, uint32_t *out) {
    bool *waits = XG_NEW_N(s->arena, bool, s->n + (size_t)1), *done = XG_NEW_N(s->arena, bool, s->n + (size_t)1);
    uint32_t *stack = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1), depth, n = 0, k, j;
    for (k = 0; k < s->n; k++) {
        uint32_t t = order[k];
        waits[t] = (xg_op_flags(s->insts[t]->op) & XGF_DONE) != 0;
        for (j = s->pred_start[t]; j < s->pred_start[t + 1] && xg_plan_forwards(s->insts[t]); j++)
            waits[t] = waits[t] || waits[s->preds[j]];
    }
    for (k = 0; k < s->n; k++) {
        if (waits[order[k]] && s->insts[order[k]] != s->comp->root) continue;
        stack[0] = order[k];
        for (depth = 1; depth;) {
            uint32_t t = stack[depth - 1];
            for (j = s->pred_start[t]; j < s->pred_start[t + 1] && (done[s->preds[j]] || !waits[s->preds[j]]); j++) {}
            if (j < s->pred_start[t + 1]) {
                stack[depth++] = s->preds[j];
                continue;
            }
            if (!done[t]) out[n++] = t;
            done[t] = true;
            depth--;
        }
    }
    for (k = 0; k < s->n; k++)
        if (!done[order[k]]) out[n++] = order[k];
}

/* Moves the start at this place up until the steps between it and its done take as long as the operation; gives its new
 * place. */
XG_APART XG_FN uint32_t xg_sched_early_start(const xg_sched *s, uint32_t *order, uint32_t at) {
    uint32_t t = order[at], k, j;
    int64_t left = xg_sched_time(s, t);
    for (k = at + 1; k < s->n && !((xg_op_flags(s->insts[order[k]]->op) & XGF_DONE) &&
                                     XG_OPERAND(s->insts[order[k]], 0) == s->insts[t]);
         k++)
        left -= xg_sched_time(s, order[k]);
    for (k = at; k && left > 0; k--) {
        for (j = s->pred_start[t]; j < s->pred_start[t + 1] && s->preds[j] != order[k - 1]; j++) {}
        if (j < s->pred_start[t + 1]) break;
        left -= xg_sched_time(s, order[k - 1]);
        order[k] = order[k - 1];
    }
    order[k] = t;
    return k;
}

XG_APART XG_FN void xg_sched_spread(const xg_sched *s, uint32_t *order, int64_t peak) {
    int64_t most = xg_sched_add(peak, peak / XG_SCHED_MORE);
    uint32_t *next, k, tries = 0;
    if (!s->ends) return;
    next = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1);
    xg_sched_late_ends(s, order, next);
    if (xg_sched_peak(s, next) <= most) memcpy(order, next, s->n * sizeof *order);
    for (k = 0; k < s->n && tries < XG_SCHED_STARTS_MAX; k++) {
        if (!(xg_op_flags(s->insts[order[k]]->op) & XGF_START)) continue;
        memcpy(next, order, s->n * sizeof *order);
        if (xg_sched_early_start(s, next, k) == k) continue;
        tries++;
        if (xg_sched_peak(s, next) <= most) memcpy(order, next, s->n * sizeof *order);
    }
}

/* ---- collectives in parallel with other steps ---- */

/* The clocks of two queues, the device's and its links', each strictly in order; ends: when each instruction ends. */
typedef struct xg_sched_clock {
    int64_t *ends, now, links;
} xg_sched_clock;
XG_FN int64_t xg_sched_ready_at(const xg_sched *s, const xg_sched_clock *c, uint32_t t) {
    int64_t at = 0;
    uint32_t j;
    for (j = s->pred_start[t]; j < s->pred_start[t + 1]; j++) at = XG_MAX(at, c->ends[s->preds[j]]);
    return at;
}
XG_FN void xg_sched_pass(const xg_sched *s, xg_sched_clock *c, uint32_t t) {
    int64_t from = xg_sched_ready_at(s, c, t), time = xg_sched_time(s, t),
            *clock = xg_opt_is_collective(s->insts[t]) ? &c->links : &c->now;
    if (time) *clock = XG_MAX(*clock, from) + time;
    c->ends[t] = time ? *clock : from; /* an alias takes no time and waits only for its operands */
}
XG_FN int64_t xg_sched_takes(const xg_sched *s, const uint32_t *order) {
    xg_sched_clock c;
    uint32_t k;
    c.ends = XG_NEW_N(s->arena, int64_t, s->n + (size_t)1);
    c.now = c.links = 0;
    for (k = 0; k < s->n; k++) xg_sched_pass(s, &c, order[k]);
    return XG_MAX(c.now, c.links);
}
/* The given order, except that collectives come as soon as they are ready, and steps that wait for one are
 * overtaken. */
XG_APART XG_FN void xg_sched_hide(const xg_sched *s, const uint32_t *order, uint32_t *out) {
    uint32_t *place = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1), k, j, done = 0,
             *waits = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1);
    xg_sched_heap ready = {NULL, 0, 0}, later = {NULL, 0, 0};
    xg_sched_clock c;
    c.ends = XG_NEW_N(s->arena, int64_t, s->n + (size_t)1);
    c.now = c.links = 0;
    for (k = 0; k < s->n; k++) place[order[k]] = k;
    for (k = 0; k < s->n; k++) {
        waits[k] = s->pred_start[k + 1] - s->pred_start[k];
        if (!waits[k]) xg_sched_push(s->arena, &ready, xg_sched_in_turn(s, k, place, 0));
    }
    while (ready.n || later.n) {
        uint32_t t;
        if (!ready.n) c.now = XG_MAX(c.now, -later.p[0].gain);
        while (later.n && -later.p[0].gain <= c.now)
            xg_sched_push(s->arena, &ready, xg_sched_in_turn(s, xg_sched_pop(&later).number, place, 0));
        t = xg_sched_pop(&ready).number;
        out[done++] = t;
        xg_sched_pass(s, &c, t);
        for (j = s->succ_start[t]; j < s->succ_start[t + 1]; j++) {
            int64_t at;
            k = s->succs[j];
            if (--waits[k]) continue;
            at = xg_sched_ready_at(s, &c, k);
            xg_sched_push(s->arena, at > c.now ? &later : &ready, xg_sched_in_turn(s, k, place, at > c.now ? at : 0));
        }
    }
}
/* Takes the order with hidden collectives if it ends sooner and its peak is within the bound. */
XG_FN void xg_sched_beside(const xg_sched *s, uint32_t *order, int64_t peak) {
    uint32_t *next;
    if (!s->meets) return;
    next = XG_NEW_N(s->arena, uint32_t, s->n + (size_t)1);
    xg_sched_hide(s, order, next);
    if (xg_sched_takes(s, next) < xg_sched_takes(s, order) &&
        xg_sched_peak(s, next) <= xg_sched_add(peak, peak / XG_SCHED_MORE))
        memcpy(order, next, s->n * sizeof *order);
}

/* ---- the choice ---- */

/* Orders one computation; gives its peak. */
XG_APART XG_FN int64_t xg_sched_comp(xg_arena *a, xg_comp *c, xg_sched_all *all, bool *changed) {
    XG_TABLE void (*const orders[])(const xg_sched *s, uint32_t *order) = {
        xg_sched_text, xg_sched_list, xg_sched_dfs, xg_sched_plain};
    xg_sched s;
    uint32_t *order, *best, k, o;
    int64_t least = INT64_MAX, floor;
    bool moves;
    xg_mark none = xg_arena_mark(a);
    xg_sched_init(&s, a, c, all);
    floor = xg_sched_floor(&s);
    order = XG_NEW_N(a, uint32_t, s.n + (size_t)1);
    best = XG_NEW_N(a, uint32_t, s.n + (size_t)1);
    for (o = 0; o < (c->module->is_scheduled ? 1 : 2 * XG_COUNT(orders)) && least > floor; o++) {
        int64_t peak;
        xg_mark mark = xg_arena_mark(a);
        if (o % 2 == 0)
            orders[o / 2](&s, order);
        else
            xg_sched_free_early(&s, order);
        xg_arena_reset(a, mark);
        peak = xg_sched_peak(&s, order);
        if (peak >= least) continue;
        least = peak;
        memcpy(best, order, s.n * sizeof *best);
    }
    if (!c->module->is_scheduled) xg_sched_spread(&s, best, least);
    if (!c->module->is_scheduled) xg_sched_beside(&s, best, least);
    for (moves = false, k = 0; k < s.n; k++) {
        moves = moves || best[k] != k;
        if (moves) xg_inst_move_before(s.insts[best[k]], NULL);
        xg_trail_on(&all->trail, s.insts[best[k]]);
    }
    *changed = *changed || moves;
    xg_arena_reset(a, none);
    return least;
}

XG_FN bool xg_plan_schedule(xg_module *m) {
    xg_comps run = xg_opt_sequences(m);
    xg_sched_all all;
    bool changed = false;
    xg_comp *c;
    uint32_t at;
    memset(&all.trail, 0, sizeof all.trail);
    all.index = (uint32_t *)xg_alloc_raw(m->work, xg_mul(m->ctx, m->n_ids + (size_t)1, sizeof *all.index));
    all.peaks = XG_NEW_N(m->work, int64_t, m->n_comp_ids + (size_t)1);
    for (at = 0; at < run.n; at++) all.peaks[run.p[at]->id] = -1;
    for (c = m->first; c; c = xg_comp_behind(c)) /* called computations precede their callers */
        if (all.peaks[c->id]) all.peaks[c->id] = xg_sched_comp(m->work, c, &all, &changed);
    changed = changed || !m->is_scheduled;
    m->is_scheduled = true;
    return changed;
}

#endif /* XG_PLAN_SCHEDULE_C */
