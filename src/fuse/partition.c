/* fuse/partition.c -- the computation partitioner.
 *
 * Idea (XLA's two rules): an instruction with one user, or whose users all read it at the same indices, is emitted
 * together with them; any other starts a function of its own. Walking from the roots to the parameters, the users of an
 * instruction are settled before it, so one pass is enough. "The same indices" is equality of simplified maps from the
 * function's indices; a map that says when it applies (pad, concatenate) differs from one that always does, so what is
 * computed under a condition is shared by calling, never by using a value out of its scope.
 *
 * What is read in a loop (at a map with symbols) or at a position known only at run time is a function of its own too.
 *
 * Parameters and scalar constants are emitted wherever they are used. A function of more than so many operations
 * (XG_FUSE_PART_MAX) is split, which also bounds the recursion of the emitter. */
#ifndef XG_FUSE_PARTITION_C
#define XG_FUSE_PARTITION_C
#include "fuse.h"

XG_FN uint32_t xg_partition_place(const xg_partition *p, const xg_inst *i) {
    void *v = xg_map64_get(&p->places, i->id);
    XLAGPU_ASSERT(v);
    return (uint32_t)((size_t)v - 1);
}

XG_FN bool xg_partition_is_near(const xg_partition *p, uint32_t root) {
    return p->roots[root]->shape->elements == p->roots[0]->shape->elements;
}

XG_FN const xg_imap *xg_partition_root_map(xg_aff_ctx *x, const xg_partition *p, uint32_t root) {
    xg_shape to = *p->roots[root]->shape;
    to.type = p->roots[0]->shape->type; /* elements of any width: only their order counts */
    return xg_indexing_bitcast(x, p->roots[0]->shape, &to);
}

XG_FN bool xg_partition_is_root(const xg_partition *p, uint32_t place) {
    return p->part_of[place] != UINT32_MAX && p->parts[p->part_of[place]].root == p->insts[place];
}

/* Outputs that differ in shape: each user makes its own. What one emitter makes as a whole: it asks for the operands'
 * elements one by one. */
XG_FN bool xg_partition_by_output(const xg_inst *i) {
    return (i->op == XG_RNG_BIT_GENERATOR && i->shape->type == XLAGPU_TUPLE) || i->op == XG_FFT ||
           i->op == XG_CHOLESKY || i->op == XG_TRIANGULAR_SOLVE ||
           xg_is_block_call(i->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(i, 0) : i);
}
XG_FN bool xg_partition_free(const xg_inst *i) {
    return i->op == XG_PARAMETER || (i->op == XG_CONSTANT && i->shape->rank == 0) || xg_partition_by_output(i);
}

/* What the uses of one instruction say so far. */
typedef struct xg_part_claim {
    bool any, split;
    uint32_t part;
    const xg_imap *map;
} xg_part_claim;

XG_FN void xg_part_add_use(xg_part_claim *c, uint32_t part, const xg_imap *map) {
    if (!c->any) {
        c->any = true;
        c->part = part;
        c->map = map;
        c->split = !xg_imap_ok(map) || map->n_syms + map->n_rts > 0;
        return;
    }
    if (c->part != part || !xg_imap_ok(map) || c->split || !xg_imap_equal(c->map, map)) c->split = true;
}

XG_FN void xg_part_settle(xg_arena *a, xg_aff_ctx *x, xg_partition *p, uint32_t place, uint32_t *cap, xg_part **parts,
    const xg_imap *const *root_maps) {
    xg_inst *i = p->insts[place];
    xg_part_claim c;
    uint32_t k;
    memset(&c, 0, sizeof c);
    for (k = 0; k < p->n_roots; k++) {
        if (p->roots[k] != i) continue;
        if (root_maps[k])
            xg_part_add_use(&c, 0, root_maps[k]);
        else
            c.any = c.split = true; /* far from the first root */
    }
    XG_FOR_USES(u, i) {
        uint32_t user;
        if (u->user->comp != i->comp || u->user->op == XG_TUPLE) continue;
        user = xg_partition_place(p, u->user);
        if (p->part_of[user] == UINT32_MAX || (p->given && p->given[user])) continue;
        if (xg_partition_by_output(u->user) || u->user->op == XG_SCATTER)
            xg_part_add_use(&c, p->part_of[user], xg_imap_undefined(x));
        else
            xg_part_add_use(&c, p->part_of[user],
                xg_imap_compose(x, p->map_of[user], xg_indexing_operand(x, u->user, XG_USE_INDEX(u))));
        /* read at a position known only at run time */
        if (u->user->op == XG_DYNAMIC_SLICE || u->user->op == XG_DYNAMIC_UPDATE_SLICE)
            c.split = c.split || i->shape->rank > 0;
    }
    if (!c.any) return;
    if (xg_partition_free(i)) {
        p->part_of[place] = c.part;
        return;
    }
    if (c.split && p->given && p->given[place]) { /* the caller has it wherever it is needed */
        p->part_of[place] = c.part;
        p->map_of[place] = xg_imap_undefined(x);
        return;
    }
    if (c.split || (*parts)[c.part].size >= XG_FUSE_PART_MAX) {
        xg_part fresh;
        if (p->n_parts == *cap) *parts = (xg_part *)xg_vec_grow(a, *parts, cap, sizeof(xg_part));
        fresh.root = i;
        fresh.size = 0;
        c.part = p->n_parts;
        (*parts)[p->n_parts++] = fresh;
        c.map = xg_imap_identity(x, xg_indexing_output_shape(i, 0)->dims, xg_indexing_output_shape(i, 0)->rank);
    }
    (*parts)[c.part].size++;
    p->part_of[place] = c.part;
    p->map_of[place] = c.map;
}

XG_FN void xg_partition_take_roots(xg_arena *a, xg_partition *p, const xg_comp *comp) {
    uint32_t k;
    p->n_roots = comp->root->op == XG_TUPLE ? comp->root->n_operands : 1;
    p->roots = XG_NEW_N(a, xg_inst *, p->n_roots + 1);
    for (k = 0; k < p->n_roots; k++) p->roots[k] = comp->root->op == XG_TUPLE ? XG_OPERAND(comp->root, k) : comp->root;
}
XG_FN void xg_partition_collect(xg_arena *a, xg_partition *p, const xg_comp *comp) {
    uint32_t k;
    p->insts = XG_NEW_N(a, xg_inst *, comp->n_insts + 1);
    xg_map64_init(&p->places, a);
    XG_FOR_INSTS(i, comp) {
        xg_map64_put(&p->places, i->id, (void *)(size_t)(p->n_insts + 1));
        p->insts[p->n_insts++] = i;
    }
    p->part_of = XG_NEW_N(a, uint32_t, p->n_insts + 1);
    p->map_of = XG_NEW_N(a, const xg_imap *, p->n_insts + 1);
    for (k = 0; k < p->n_insts; k++) p->part_of[k] = UINT32_MAX;
}

/* Places every instruction that the roots need; maps: of the roots, NULL: near ones lie at the same place in memory. */
XG_FN void xg_partition_settle(xg_arena *a, xg_aff_ctx *x, xg_partition *p, const xg_imap *const *maps) {
    const xg_imap **root_maps;
    xg_part *parts = NULL;
    uint32_t cap = 0, k;
    root_maps = XG_NEW_N(a, const xg_imap *, p->n_roots + 1);
    for (k = 0; k < p->n_roots; k++) {
        if (maps)
            root_maps[k] = maps[k];
        else if (xg_partition_is_near(p, k))
            root_maps[k] = xg_partition_root_map(x, p, k);
    }
    parts = (xg_part *)xg_vec_grow(a, parts, &cap, sizeof(xg_part));
    p->n_parts = 1;
    for (k = p->n_insts; k-- > 0;)
        if (p->insts[k]->op != XG_TUPLE) xg_part_settle(a, x, p, k, &cap, &parts, root_maps);
    p->parts = parts;
}
XG_FN xg_partition *xg_fuse_partition(xg_arena *a, xg_aff_ctx *x, const xg_comp *comp) {
    xg_partition *p = XG_NEW(a, xg_partition);
    xg_partition_take_roots(a, p, comp);
    xg_partition_collect(a, p, comp);
    xg_partition_settle(a, x, p, NULL);
    return p;
}
XG_FN xg_partition *xg_fuse_partition_at(xg_arena *a, xg_aff_ctx *x, const xg_comp *comp, xg_inst **roots,
    const xg_imap *const *maps, uint32_t n_roots, xg_inst *const *given, uint32_t n_given) {
    xg_partition *p = XG_NEW(a, xg_partition);
    uint32_t k;
    p->n_roots = n_roots;
    p->roots = roots;
    if (!roots) xg_partition_take_roots(a, p, comp);
    xg_partition_collect(a, p, comp);
    p->given = XG_NEW_N(a, bool, p->n_insts + 1);
    for (k = 0; k < n_given; k++) p->given[xg_partition_place(p, given[k])] = true;
    xg_partition_settle(a, x, p, maps);
    return p;
}
XG_FN xg_partition *xg_fuse_partition_of(
    xg_arena *a, xg_aff_ctx *x, const xg_comp *comp, xg_inst *root, xg_inst *const *given, uint32_t n_given) {
    xg_inst **roots = root ? XG_NEW(a, xg_inst *) : NULL;
    if (root) roots[0] = root;
    return xg_fuse_partition_at(a, x, comp, roots, NULL, 1, given, n_given);
}
XG_FN bool xg_partition_gives(const xg_partition *p) {
    bool *behind = XG_NEW_N(p->places.arena, bool, p->n_insts + 1);
    uint32_t k, o;
    for (k = 0; k < p->n_insts; k++) {
        const xg_inst *i = p->insts[k];
        behind[k] = p->given[k];
        for (o = 0; o < i->n_operands && !behind[k]; o++) behind[k] = behind[xg_partition_place(p, XG_OPERAND(i, o))];
        if (behind[k] && p->part_of[k] != UINT32_MAX && (p->part_of[k] != 0 || !xg_imap_ok(p->map_of[k]))) return false;
    }
    return true;
}

XG_FN void xg_partition_print(xg_buf *b, const xg_partition *p) {
    uint32_t f, k;
    for (f = 0; f < p->n_parts; f++) {
        xg_printf(b, "function %u%s%s:", f, f ? " root " : "", f ? p->parts[f].root->name.p : "");
        for (k = 0; k < p->n_insts; k++)
            if (p->part_of[k] == f && !xg_partition_free(p->insts[k])) xg_printf(b, " %s", p->insts[k]->name.p);
        xg_putc(b, '\n');
    }
}

#endif /* XG_FUSE_PARTITION_C */
