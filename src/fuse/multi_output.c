/* fuse/multi_output.c -- kernels that make several values: siblings that read the same, a producer with the reader that
 * it could not move into, and small kernels that have nothing to do with each other but the launch that one of them can
 * spare.
 *
 * Ideas
 * - Every kernel has a level, greater than the levels of all that it reads. Kernels of one level never wait for each
 *   other, so merging them makes no cycle, and no search is needed to know it. A kernel may move up to the level of
 *   another if its readers stay above, or down if what it reads stays below; nothing else moves.
 * - A kernel that reads only what lies in memory anyway waits until its values are needed, those of the program's
 *   result until the end: they take memory from then on, and what does not live so long lies in that of the results
 *   (plan/pack.c). Small ones go with others that they find there; one that finds none goes back and looks where it
 *   could have been first, unless what it makes is large.
 * - Kernels that make as many elements walk together, and what both compute is computed once. Others walk one behind
 *   the other, which pays when they are small.
 * - Those that spare most come first: readers of the same array, then a value with its readers. Readers of the same
 *   number spare a launch, no more, and come last: updates of many parameters with one learning rate are computed
 *   behind the products that make their gradients, not in one kernel with each other. */
#ifndef XG_FUSE_MULTI_OUTPUT_C
#define XG_FUSE_MULTI_OUTPUT_C
#include "fuse.h"
#include "fusions.c"
#include "legality.c"

enum {
    XG_MULTI_TRIES = 6,
    XG_MULTI_REACH = 2048, /* kernels of a list, most of which may not even be tried */
    XG_MULTI_HOARD_MAX = 1 << 18 /* bytes */,
    XG_MULTI_HELD_MAX = 1 << 20, /* bytes: so much may lie in memory a little longer for the sake of a launch */
    XG_MULTI_LITTLE_PS = 1500000,
    XG_MULTI_SHORT_ELEMENTS = 16384,
    XG_MULTI_SHORT_STEPS = 128,
    XG_MULTI_TILED = 1 << 17, /* multiply-adds: tiles make one such product of a kernel, and it is worth a launch */
    XG_MULTI_SHORT_REDUCE = 32
};

/* ---- levels ---- */

XG_FN bool xg_multi_is_alias(const xg_kernel *k) {
    return !k->live && (k->inst->op == XG_BITCAST || k->inst->op == XG_GET_TUPLE_ELEMENT);
}

/* What reads an element of a tuple does not know the kernel behind it: the kernel keeps its level. */
XG_FN bool xg_multi_stays(const xg_kernel *k) {
    uint32_t j;
    for (j = 0; j < xg_kernel_n_outputs(k); j++)
        if (xg_kernel_root(k, j)->shape->type == XLAGPU_TUPLE) return true;
    return false;
}

/* Whoever reads only what lasts may wait until he is needed: what he makes takes memory from then on, and a result's is
 * free for others until then. */
XG_FN bool xg_multi_may_wait(const xg_kernel *n) {
    uint32_t j;
    for (j = 0; j < n->n_inputs; j++)
        if (!n->inputs[j].from->lasts) return false;
    return !xg_multi_stays(n);
}
XG_FN uint32_t xg_multi_soon(const xg_kernel *n) { return n->n_inputs > 0; } /* his level if he did not wait */
XG_FN bool xg_multi_waits(const xg_kernel *n) { return n->level > xg_multi_soon(n) && xg_multi_may_wait(n); }

XG_FN void xg_multi_wait(xg_kernel *n) {
    uint32_t late = n->limit, j;
    if (!xg_multi_may_wait(n)) return;
    for (j = 0; j < n->readers.n; j++)
        if (n->readers.p[j]->live && xg_kernel_find_input(n->readers.p[j], n))
            late = XG_MIN(late, n->readers.p[j]->level);
    if (late != UINT32_MAX) n->level = late - 1;
}

XG_APART XG_FN void xg_multi_levels(xg_kernels *g) {
    uint32_t k, j;
    for (k = 0; k < g->n; k++) {
        xg_kernel *n = &g->nodes[k];
        if (!n->live && n->kind == XG_FUSE_KERNEL) continue; /* inside of others: nothing asks for its level */
        n->level = 0;
        n->limit = UINT32_MAX;
        if (n->live)
            for (j = 0; j < n->n_inputs; j++) n->level = XG_MAX(n->level, n->inputs[j].from->level + 1);
        else
            for (j = 0; j < n->inst->n_operands; j++)
                n->level = XG_MAX(n->level, xg_kernel_of(XG_OPERAND(n->inst, j))->level + !xg_multi_is_alias(n));
    }
    for (k = g->n; k-- > 0;) { /* the lowest of its users that are no kernels */
        xg_kernel *n = &g->nodes[k];
        uint32_t limit;
        if (n->live) {
            xg_multi_wait(n);
            continue;
        }
        if (n->kind == XG_FUSE_KERNEL) continue;
        if (n->kind == XG_FUSE_FREE && !n->pinned) continue;
        limit = xg_multi_is_alias(n) ? n->limit : n->level;
        for (j = 0; j < n->inst->n_operands; j++) {
            xg_kernel *o = xg_kernel_of(XG_OPERAND(n->inst, j));
            o->limit = XG_MIN(o->limit, limit);
        }
    }
}

/* Do all readers of what k makes, but `other`, stand above the level? */
XG_FN bool xg_multi_readers_above(const xg_kernel *k, const xg_kernel *other, uint32_t level) {
    uint32_t r, j;
    for (r = 0; r < xg_kernel_n_outputs(k); r++) {
        const xg_kernel *root = xg_kernel_root(k, r);
        if (root->limit <= level) return false;
        for (j = 0; j < root->readers.n; j++) {
            const xg_kernel *c = root->readers.p[j]->leader;
            if (c != other && c != k && root->readers.p[j]->live && c->level <= level && xg_kernel_find_input(c, root))
                return false;
        }
    }
    return true;
}

XG_FN bool xg_multi_inputs_below(const xg_kernel *k, const xg_kernel *other, uint32_t level) {
    uint32_t j;
    for (j = 0; j < k->n_inputs; j++)
        if (k->inputs[j].from->leader != other && k->inputs[j].from->leader->level >= level) return false;
    return true;
}

/* A level that both may have; false when there is none. */
XG_FN bool xg_multi_common_level(const xg_kernel *a, const xg_kernel *b, uint32_t *level) {
    const xg_kernel *lower = a->level <= b->level ? a : b, *upper = lower == a ? b : a;
    *level = upper->level;
    if (lower->level == upper->level || (!xg_multi_stays(lower) && xg_multi_readers_above(lower, upper, upper->level)))
        return true;
    *level = lower->level;
    return !xg_multi_stays(upper) && xg_multi_inputs_below(upper, lower, lower->level);
}

/* ---- what may walk together ---- */

XG_FN bool xg_multi_same_reduction(const xg_inst *x, const xg_inst *y) {
    xg_ints d = xg_attr_dims(x), e = xg_attr_dims(y);
    return d.n == e.n && memcmp(d.p, e.p, d.n * sizeof *d.p) == 0 &&
           xg_shape_same_dims(XG_OPERAND(x, 0)->shape, XG_OPERAND(y, 0)->shape);
}

/* A loop so short that a kernel of loops may have it beside others. A longer reduce is better off in a form of its own,
 * where many threads share it. */
XG_FN bool xg_multi_is_short(const xg_kernel *k) {
    const xg_inst *h = k->hero;
    if (!h) return true;
    if (h->op != XG_REDUCE && h->op != XG_DOT && h->op != XG_CONVOLUTION && h->op != XG_REDUCE_WINDOW) return false;
    if (xg_fuse_is_scan(h))
        return k->elements <= XG_MULTI_SHORT_ELEMENTS &&
               xg_fuse_window_size(h) <= XG_MULTI_SHORT_REDUCE; /* beside others it is no scan any more */
    return k->elements <= XG_MULTI_SHORT_ELEMENTS &&
           xg_fuse_steps(h) <= (h->op == XG_REDUCE ? XG_MULTI_SHORT_REDUCE : XG_MULTI_SHORT_STEPS);
}

/* A kernel that takes little longer than its launch. */
XG_FN bool xg_multi_is_little(const xg_kernel *k) {
    return k->live && k->leader == k && xg_multi_is_short(k) && k->time - XG_MULTI_LITTLE_PS < XG_MULTI_LITTLE_PS;
}

/* A fill takes no kernel, and its memory only from when it is read: alone it is made right then. */
XG_FN bool xg_multi_is_fill(const xg_kernel *k) {
    uint32_t pattern;
    return !k->hero && k->n_inputs <= 1 && xg_kernel_n_outputs(k) == 1 && xg_fuse_is_fill(k->inst, &pattern);
}

/* The array over which a root of the kernel is written, if nothing else reads it; NULL: that is not so. */
XG_FN const xg_kernel *xg_multi_updated(const xg_kernel *leader, const xg_kernel *root) {
    const xg_inst *x = root->inst;
    const xg_kernel *of;
    uint32_t j;
    if (!root->is_update_in_place) return NULL;
    do {
        x = xg_in_place_strip(XG_OPERAND(x, 0));
        of = (const xg_kernel *)x->scratch;
    } while (of && xg_in_place_is_link(x) && xg_kernel_computes(leader, of));
    if (!of || of->pinned) return NULL;
    for (j = 0; j < of->readers.n; j++) {
        const xg_kernel *c = of->readers.p[j];
        if (c->live && c->leader != leader && xg_kernel_find_input(c->leader, of)) return NULL;
    }
    return of;
}
XG_FN bool xg_multi_is_number(const xg_kernel *k) {
    return k->elements == 1 && !k->hero && !k->rows && !k->is_update_in_place;
}
/* Updates in place of arrays of their own, and numbers, with blocks of their own (emit/update.c): one launch for all of
 * them. */
XG_FN bool xg_multi_updates(const xg_kernel *a, const xg_kernel *b) {
    uint32_t k;
    for (k = 0; k < xg_kernel_n_outputs(a); k++) {
        const xg_kernel *root = xg_kernel_root(a, k), *x = xg_multi_updated(a, root);
        if (xg_multi_is_number(root)) continue;
        if (!x || xg_kernel_find_input(b, x)) return false;
    }
    return true;
}

/* Tiles make one hero of a kernel: what another one makes would be a loop of each thread. */
XG_FN bool xg_multi_is_tiled(const xg_kernel *k) {
    const xg_inst *h = k->hero;
    return h && (h->op == XG_DOT || (xg_fuse_is_dense(h) && !xg_multi_is_short(k))) &&
           xg_cost_mul(h->shape->elements, xg_fuse_steps(h)) >= XG_MULTI_TILED;
}

/* a is tiled, and b more than numbers (a loop's counter, which tiles write as well) or what tiles make beside it. */
XG_FN bool xg_multi_keeps_tiles(const xg_kernel *a, const xg_kernel *b) {
    if (!xg_multi_is_tiled(a)) return false;
    return b->hero || b->loops || (b->elements > 1 && !xg_kernel_is_near(a, b));
}

XG_FN const char *xg_multi_refusal(const xg_kernel *a, const xg_kernel *b) {
    const xg_inst *x = a->hero, *y = b->hero;
    if (xg_multi_is_fill(a) || xg_multi_is_fill(b)) return "one is a fill, which needs no kernel";
    if ((a->is_update_in_place || b->is_update_in_place) && xg_multi_updates(a, b) && xg_multi_updates(b, a))
        return NULL;
    if (a->is_update_in_place || b->is_update_in_place) return "one is an update in place";
    if (a->rows || b->rows) return "one is a row program";
    if (a->turns != b->turns && XG_MAX(a->elements, b->elements) > XG_MULTI_SHORT_ELEMENTS &&
        !xg_multi_is_tiled(a->turns ? a : b)) /* whose tiles turn what they multiply */
        return "only one transposes";
    if (x && y && x->op == XG_REDUCE && y->op == XG_REDUCE && xg_kernel_is_near(a, b) && xg_multi_same_reduction(x, y))
        return NULL;
    if (x && x == y && xg_kernel_is_near(a, b)) return NULL; /* what both made for themselves is made once */
    if (xg_multi_keeps_tiles(a, b) || xg_multi_keeps_tiles(b, a)) return "tiles make one of both";
    if (xg_multi_is_short(a) && xg_multi_is_short(b)) return NULL;
    if (!(x && y) && xg_multi_is_tiled(x ? a : b) && xg_kernel_is_near(a, b)) return NULL; /* behind the product */
    if (x && y) return "both have a hero";
    return (x ? x : y)->op == XG_REDUCE && xg_kernel_is_near(a, b) ? NULL : "a hero that wants a kernel of its own";
}

/* ---- merging ---- */

/* The roots of both; those of a leader that had several already stand in front, and its list only grows. */
XG_FN void xg_multi_add_roots(xg_kernels *g, xg_kernel *a, xg_kernel *b) {
    uint32_t n = xg_kernel_n_outputs(b), j;
    if (!a->roots.n) xg_push(g->arena, xg_kernel *, &a->roots, a);
    for (j = 0; j < n; j++) xg_push(g->arena, xg_kernel *, &a->roots, xg_kernel_root(b, j));
}

/* Figures of both together, when they compute nothing in common and neither reads the other. */
XG_FN void xg_multi_combine(xg_kernels *g, xg_kernel *a, const xg_kernel *b) {
    uint32_t n = a->n_inputs, j, k;
    bool together = xg_kernel_is_near(a, b);
    uint32_t apart = together ? 0 : xg_hash_mix(b->inst->id, 99) | 1; /* it walks by itself */
    xg_kernel_input *inputs = xg_kernel_inputs_new(g, a->n_inputs + b->n_inputs, &a->inputs_cap);
    memcpy(inputs, a->inputs, n * sizeof *inputs);
    for (j = 0; j < b->n_inputs; j++) {
        xg_kernel_input more = b->inputs[j];
        more.order = xg_kernel_key(apart, more.order);
        more.moved.asked = -1;
        for (k = 0; k < a->n_inputs && inputs[k].from != more.from; k++) {}
        if (k < a->n_inputs)
            xg_kernel_join(&inputs[k], &more);
        else
            inputs[n++] = more;
    }
    a->inputs = inputs;
    a->n_inputs = n;
    a->instructions = xg_cost_add(a->instructions, b->instructions);
    a->ops += b->ops;
    a->members += b->members;
    a->updates = xg_kernel_updates(a, b->updates);
    a->turns = a->turns || b->turns;
    a->loops = a->loops || b->loops || (b->hero && !together);
    if (together && !a->hero) a->hero = b->hero; /* tiles may not take it in any more */
    xg_kernel_settle(g, a);
}

XG_FN void xg_multi_log(
    const xg_kernels *g, const xg_kernel *a, const xg_kernel *b, const char *why, int64_t apart, int64_t together) {
    if (!g->log) return;
    xg_printf(g->log, "multi-output-fusion %s: %s with %s: ", g->comp->name.p, b->inst->name.p, a->inst->name.p);
    if (apart)
        xg_printf(g->log, "%s, apart %lld ns, together %lld ns\n", why ? why : "fused", (long long)(apart / 1000),
            (long long)(together / 1000));
    else
        xg_printf(g->log, "refused, %s\n", why ? why : "");
}

/* Does the kernel read something of the other's anywhere but element for element? *between: of how many values it reads
 * anything. */
XG_FN bool xg_multi_reads_elsewhere(const xg_kernel *k, const xg_kernel *other, uint32_t *between) {
    bool elsewhere = false;
    uint32_t j;
    for (j = 0; j < k->n_inputs; j++) {
        if (k->inputs[j].from->leader != other) continue;
        ++*between;
        elsewhere = elsewhere || !k->inputs[j].aligned || k->inputs[j].sites != 1 || !k->inputs[j].from->live;
    }
    return elsewhere;
}

/* Must a root of one of them lie in memory when both are one kernel? */
XG_FN bool xg_multi_keeps(const xg_kernel *root, const xg_kernel *a, const xg_kernel *b) {
    uint32_t j;
    if (root->pinned) return true;
    for (j = 0; j < root->readers.n; j++) {
        const xg_kernel *c = root->readers.p[j];
        if (c->live && c->leader != a && c->leader != b && xg_kernel_find_input(c->leader, root)) return true;
    }
    return false;
}
/* The kernel goes on under another of its roots. */
XG_FN void xg_multi_lead(xg_kernels *g, xg_kernel *from, xg_kernel *to) {
    uint32_t j;
    for (j = 0; j < from->roots.n; j++) from->roots.p[j]->leader = to;
    from->leader = to;
    to->roots = from->roots;
    to->shared = from->shared;
    from->roots.n = 0;
    xg_kernel_walk(g, to);
    for (j = 0; j < to->n_inputs; j++) xg_kernel_add_reader(g, to->inputs[j].from, to);
}
/* Values that only the kernel itself reads, element for element, need no memory any more. */
XG_FN void xg_multi_drop_roots(xg_kernels *g, xg_kernel *a) {
    uint32_t n = 0, j;
    for (j = 0; j < a->roots.n; j++) {
        xg_kernel *root = a->roots.p[j];
        if (xg_multi_keeps(root, a, a))
            a->roots.p[n++] = root;
        else
            root->live = false;
    }
    if (n == a->roots.n) return;
    a->roots.n = n;
    xg_kernel_inputs_drop(g, a);
    if (!a->live)
        xg_multi_lead(g, a, a->roots.p[0]);
    else
        xg_kernel_walk(g, a);
}

/* Would values that could be made later lie in memory for long, and take much of it, for the sake of a launch? */
XG_FN bool xg_multi_hoards(const xg_kernel *k, uint32_t level) {
    int64_t bytes = 0;
    uint32_t j;
    if (level >= k->level || !xg_multi_waits(k)) return false;
    for (j = 0; j < xg_kernel_n_outputs(k); j++) bytes = xg_cost_add(bytes, xg_cost_bytes(xg_kernel_root(k, j)->shape));
    return bytes > XG_MULTI_HOARD_MAX;
}

/* Makes one kernel of both if that is possible and pays; a becomes its leader. */
XG_FN bool xg_multi_merge(xg_kernels *g, xg_kernel *a, xg_kernel *b) {
    xg_kernel was;
    int64_t apart = xg_cost_add(a->time, b->time);
    uint32_t between = 0, level, j;
    /* first what only the two of them are asked for */
    const char *why = a->n_inputs + b->n_inputs + xg_kernel_n_outputs(a) + xg_kernel_n_outputs(b) > XG_FUSE_BUFFERS_MAX
                          ? "the kernel would have too many buffers"
                          : xg_multi_refusal(a, b);
    if (!why && !(a->shared && b->shared) && a->ops + b->ops > XG_FUSE_OPS_MAX) why = "the code would be too large";
    if (!why && (xg_multi_reads_elsewhere(a, b, &between) || xg_multi_reads_elsewhere(b, a, &between)))
        why = "one reads the other elsewhere than it is made";
    if (!why && !xg_multi_common_level(a, b, &level)) why = "one waits for the other, or it cannot be told";
    if (!why && (xg_multi_hoards(a, level) || xg_multi_hoards(b, level)))
        why = "what may wait would take memory until it is needed";
    if (why) {
        xg_multi_log(g, a, b, why, 0, 0);
        return false;
    }
    was = *a;
    xg_multi_add_roots(g, a, b);
    for (j = 0; j < a->roots.n; j++) a->roots.p[j]->leader = a;
    if (between || (a->shared && b->shared))
        xg_kernel_walk(g, a);
    else
        xg_multi_combine(g, a, b);
    /* the partitioner cuts it, and each of these values would be a function */
    if (a->ops > XG_FUSE_OPS_MAX || (between > 1 && a->members > XG_FUSE_PART_MAX))
        why = "refused, the code would be too large";
    else
        why = a->time >= apart ? "refused" : NULL;
    xg_multi_log(g, a, b, why, apart, a->time);
    if (why) {
        xg_kernel_inputs_give(g, a->inputs, a->inputs_cap);
        was.roots.p = a->roots.p; /* with more room */
        was.roots.cap = a->roots.cap;
        *a = was;
        for (j = 0; j < a->roots.n; j++) a->roots.p[j]->leader = a;
        b->leader = b;
        for (j = 0; j < b->roots.n; j++) b->roots.p[j]->leader = b;
        return false;
    }
    a->level = level;
    for (j = 0; j < a->roots.n; j++) a->roots.p[j]->level = level;
    a->shared = a->shared || b->shared;
    for (j = 0; j < a->n_inputs; j++)
        if (!xg_kernel_find_input(&was, a->inputs[j].from)) xg_kernel_add_reader(g, a->inputs[j].from, a);
    xg_kernel_inputs_drop(g, &was);
    xg_kernel_inputs_drop(g, b);
    if (between && (!a->hero || xg_multi_is_tiled(a))) xg_multi_drop_roots(g, a);
    return true;
}

/* ---- which are tried ---- */

/* The kernel that makes it now, or computes it where its value is needed: a kernel that lost its own root goes on under
 * another one. */
XG_FN xg_kernel *xg_multi_leader(xg_kernel *k) {
    while (k->leader != k) k = k->leader = k->leader->leader;
    return k;
}

/* Each of the kernels with the last few like it before. */
XG_FN bool xg_multi_siblings(xg_kernels *g, xg_kernel *const *kernels, uint32_t n) {
    bool changed = false;
    uint32_t j, k, tries;
    for (j = 1; j < n; j++) {
        xg_kernel *b = xg_multi_leader(kernels[j]), *last = b;
        for (k = j, tries = 0; k-- > 0 && tries < XG_MULTI_TRIES;) {
            xg_kernel *a = xg_multi_leader(kernels[k]);
            if (a == last || a == b || !xg_kernel_is_near(a, b)) continue;
            last = a;
            tries++;
            /* reading together spares little; it may find others where it waits */
            if (a->level != b->level && (xg_multi_waits(a) || xg_multi_waits(b)) && xg_multi_is_little(a) &&
                xg_multi_is_little(b))
                continue;
            if (xg_multi_merge(g, a, b)) {
                changed = true;
                break;
            }
        }
    }
    return changed;
}

XG_FN void xg_multi_readers_of(xg_kernels *g, xg_kernel *value) {
    xg_kernel **list = XG_NEW_N(g->arena, xg_kernel *, value->readers.n + (size_t)1);
    uint32_t n = 0, j;
    for (j = 0; j < value->readers.n; j++) {
        xg_kernel *c = value->readers.p[j];
        if (!c->live || !xg_kernel_find_input(c->leader, value)) continue;
        if (!n || list[n - 1] != c->leader) list[n++] = c->leader;
    }
    xg_sort(list, n, sizeof *list, xg_fusions_by_place);
    (void)xg_multi_siblings(g, list, n);
}

/* A value with the readers that compute element for element from it. */
XG_FN void xg_multi_with_readers(xg_kernels *g, xg_kernel *p) {
    uint32_t j, tries = 0;
    for (j = 0; j < p->readers.n && tries < XG_MULTI_TRIES; j++) {
        xg_kernel *c = p->readers.p[j]->leader;
        const xg_kernel_input *in = p->readers.p[j]->live && c != p->leader ? xg_kernel_find_input(c, p) : NULL;
        if (!in || !in->aligned || in->sites != 1 || !xg_kernel_is_near(p->leader, c)) continue;
        tries++;
        (void)xg_multi_merge(g, p->leader, c);
    }
}

XG_FN int xg_multi_by_level(const void *a, const void *b) {
    const xg_kernel *x = *(xg_kernel *const *)a, *y = *(xg_kernel *const *)b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->elements != y->elements) return x->elements > y->elements ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* A loop over elements, however long: a number, such as a loop's counter, costs nothing beside it. */
XG_FN bool xg_multi_takes_numbers(const xg_kernel *k) { return k->live && k->leader == k && !k->hero && !k->rows; }
XG_FN bool xg_multi_meets(const xg_kernel *a, const xg_kernel *b) {
    if (xg_multi_is_little(a) && xg_multi_is_little(b)) return true;
    return (xg_multi_is_number(a) && xg_multi_takes_numbers(b)) || (xg_multi_is_number(b) && xg_multi_takes_numbers(a));
}

/* The small ones by level; of one level those that wait come last, and find the others there. */
XG_FN uint32_t xg_multi_list(const xg_kernels *g, xg_kernel ***out) {
    xg_kernel **list = XG_NEW_N(g->arena, xg_kernel *, g->kernels.n + (size_t)1),
              **waiting = XG_NEW_N(g->arena, xg_kernel *, g->kernels.n + (size_t)1);
    uint32_t n = 0, w = 0, all, k;
    for (k = 0; k < g->kernels.n; k++) {
        xg_kernel *x = g->kernels.p[k];
        if ((!xg_multi_is_little(x) && !xg_multi_takes_numbers(x)) || xg_multi_is_fill(x)) continue;
        if (xg_multi_waits(x))
            waiting[w++] = x;
        else
            list[n++] = x;
    }
    xg_sort(list, n, sizeof *list, xg_multi_by_level);
    xg_sort(waiting, w, sizeof *waiting, xg_multi_by_level);
    all = n + w;
    for (k = all; w; k--) list[k - 1] = n && list[n - 1]->level > waiting[w - 1]->level ? list[--n] : waiting[--w];
    *out = list;
    return all;
}

/* The larger one leads: blocks are as many as its elements ask for. */
XG_FN bool xg_multi_with_larger(xg_kernels *g, xg_kernel *a, xg_kernel *b) {
    return a->elements < b->elements ? xg_multi_merge(g, b, a) : xg_multi_merge(g, a, b);
}
/* First those that do not wait; then those that do, with those there are by then. */
XG_FN void xg_multi_horizontal(xg_kernels *g) {
    xg_kernel **list;
    uint32_t n = xg_multi_list(g, &list), waiting, k, j, tries;
    /* behind the last number in front of a place, or 0 */
    uint32_t *number = XG_NEW_N(g->arena, uint32_t, n + (size_t)1);
    for (k = 0; k < n; k++) number[k + 1] = xg_multi_is_number(list[k]) ? k + 1 : number[k];
    for (waiting = 0; waiting < 2; waiting++)
        for (k = 1; k < n; k++) {
            xg_kernel *b = xg_multi_leader(list[k]), *last = b;
            if (xg_multi_waits(b) != (waiting == 1)) continue;
            for (j = k, tries = 0; k - j < XG_MULTI_REACH && tries < XG_MULTI_TRIES;) {
                xg_kernel *a;
                if (!xg_multi_is_little(b)) j = number[j]; /* which meets nothing else */
                if (!j) break;
                a = xg_multi_leader(list[--j]);
                if (a == last || a == b || !xg_multi_meets(a, b) || (!waiting && xg_multi_waits(a))) continue;
                last = a;
                tries++;
                if (xg_multi_with_larger(g, a, b)) break;
            }
        }
}

/* Is the value read at that level, or later, anyway? */
XG_FN bool xg_multi_is_kept(const xg_kernel *value, const xg_kernel *but, uint32_t level) {
    uint32_t j;
    if (value->pinned || value->lasts) return true;
    for (j = 0; j < value->readers.n; j++) {
        const xg_kernel *c = value->readers.p[j]->leader;
        if (c != but && c->level >= level && value->readers.p[j]->live && xg_kernel_find_input(c, value)) return true;
    }
    return false;
}
/* Would a kernel that moves up keep much in memory that nothing else reads so late? */
XG_FN bool xg_multi_holds(const xg_kernel *k, uint32_t level) {
    int64_t bytes = 0;
    uint32_t j;
    if (level <= k->level) return false;
    for (j = 0; j < k->n_inputs; j++)
        if (!xg_multi_is_kept(k->inputs[j].from, k, level))
            bytes = xg_cost_add(bytes, xg_cost_bytes(k->inputs[j].from->shape));
    return bytes > XG_MULTI_HELD_MAX;
}

/* Longer reductions of the same rows or columns, of arrays that have nothing to do with each other (gradients of a
 * layer's biases): with the last few like them, at the same level or a later one. */
XG_FN bool xg_multi_is_little_sum(const xg_kernel *k) {
    return k->live && k->leader == k && k->hero && k->hero->op == XG_REDUCE && !k->rows && !xg_multi_is_short(k) &&
           k->time - XG_MULTI_LITTLE_PS < XG_MULTI_LITTLE_PS;
}
XG_FN bool xg_multi_sums_meet(const xg_kernel *a, const xg_kernel *b) {
    uint32_t level;
    return xg_multi_same_reduction(a->hero, b->hero) && xg_multi_common_level(a, b, &level) &&
           !xg_multi_holds(a, level) && !xg_multi_holds(b, level);
}
XG_APART XG_FN void xg_multi_sums(xg_kernels *g) {
    xg_kernel **list = XG_NEW_N(g->arena, xg_kernel *, g->kernels.n + (size_t)1);
    uint32_t n = 0, k, j, tries;
    for (k = 0; k < g->kernels.n; k++)
        if (xg_multi_is_little_sum(g->kernels.p[k])) list[n++] = g->kernels.p[k];
    xg_sort(list, n, sizeof *list, xg_multi_by_level);
    for (k = 1; k < n; k++) {
        xg_kernel *b = xg_multi_leader(list[k]), *last = b;
        for (j = k, tries = 0; j-- > 0 && tries < XG_MULTI_TRIES;) {
            xg_kernel *a = xg_multi_leader(list[j]);
            if (a == last || a == b || !xg_kernel_is_near(a, b) || !xg_multi_is_little_sum(a)) continue;
            last = a;
            tries++;
            if (xg_multi_sums_meet(a, b) && xg_multi_merge(g, a, b)) break;
        }
    }
}

/* One that waited and found none to go with goes back to where all that it reads is there. */
XG_FN bool xg_multi_return(xg_kernels *g) {
    bool any = false;
    uint32_t k, j;
    for (k = 0; k < g->kernels.n; k++) {
        xg_kernel *n = g->kernels.p[k];
        if (!n->live || n->leader != n || !xg_multi_waits(n) || xg_multi_hoards(n, xg_multi_soon(n))) continue;
        n->level = xg_multi_soon(n);
        for (j = 0; j < n->roots.n; j++) n->roots.p[j]->level = n->level;
        any = true;
    }
    return any;
}

/* In a walk over all: what comes soon will ask who reads it, and what these read. */
XG_FN void xg_multi_bring_readers(const xg_kernels *g, uint32_t k) {
    enum {
        FEW = 4,
        AHEAD = 4
    };
    const xg_kernel *then, *soon;
    uint32_t j;
    if (k + 3 * AHEAD >= g->n) return;
    then = &g->nodes[k + 2 * AHEAD];
    soon = then - AHEAD;
    XG_PREFETCH(then[AHEAD].readers.p);
    for (j = 0; j < XG_MIN(then->readers.n, (uint32_t)FEW); j++) xg_kernel_bring(then->readers.p[j]);
    for (j = 0; j < XG_MIN(soon->readers.n, (uint32_t)FEW); j++) XG_PREFETCH(soon->readers.p[j]->inputs);
}
/* Requires levels, and keeps them. */
XG_FN void xg_multi_run(xg_kernels *g) {
    XG_VEC(xg_kernel *) numbers = {NULL, 0, 0};
    uint32_t k;
    for (k = 0; k < g->n; k++) { /* kernels that read the same array, with each other; the same number, later */
        xg_kernel *value = &g->nodes[k];
        xg_multi_bring_readers(g, k);
        if (!value->readers.n || (value->kind == XG_FUSE_KERNEL && !value->live)) continue;
        if (value->elements == 1)
            xg_push(g->arena, xg_kernel *, &numbers, value);
        else if (value->readers.n > 1)
            xg_multi_readers_of(g, value);
    }
    for (k = g->kernels.n; k-- > 0;)
        if (g->kernels.p[k]->live && g->kernels.p[k]->readers.n) xg_multi_with_readers(g, g->kernels.p[k]);
    for (k = 0; k < numbers.n; k++)
        if (numbers.p[k]->readers.n > 1) xg_multi_readers_of(g, numbers.p[k]);
    xg_multi_sums(g);
    xg_multi_horizontal(g);
    if (!xg_multi_return(g)) return;
    xg_multi_horizontal(g);
}

#endif /* XG_FUSE_MULTI_OUTPUT_C */
