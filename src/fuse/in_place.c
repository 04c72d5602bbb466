/* fuse/in_place.c -- which operand's memory a result of a fusion takes over. THE rule, for the emitters and for the
 * plan alike.
 *
 * A value of the fused computation lies "in place" over a parameter when each of its elements is computed from the
 * parameter's element at the same place in memory and from no other one of the parameter. Then what computes an
 * element may store it where the parameter's element was.
 *   xg_fuse_may_share   all that is read of the operand is in place, and so is the result: the plan may give both one
 *                       buffer if the operand dies here
 *   xg_fuse_in_place    moreover the result is a dynamic-update-slice (or several, one after the other) or scatter of
 *                       the operand, or the fusion says so itself (output_to_operand_aliasing): the plan
 *                       always gives both one buffer, copying the operand into it beforehand if it is needed later. So
 *                       an emitter need not write what does not change.
 * Results that are made of one operand are made by one walk, or one would read what another has written: where emitters
 * walk more than once (a hero, results of several sizes), only an operand of a single result may be given away. The
 * loop emitter makes results of one shape by one walk, whatever is in front of them: if it is the one that makes the
 * kernel, xg_fuse_may_share_in_walk is enough (emit/emit.c knows).
 * In a row program (rows.c) a row may be reduced too: its threads know the result before any of them writes, and all
 * that is written at one place is made before. A transform, a factor, the solutions of triangular systems, sorted rows
 * are written over what they are made of: their emitters see to the order. Of a sort, output k over operand k: a block
 * has read all of its rows of it by then. The pass that merges runs is none of these, since blocks read each other's.
 * The window of a dynamic-slice is in place if it ends in the update of a dynamic-update-slice that has the same
 * indices. */
#ifndef XG_FUSE_IN_PLACE_C
#define XG_FUSE_IN_PLACE_C
#include "fuse.h"

typedef struct xg_in_place {
    /* instruction id + 1 -> the instruction for values in place, the dynamic-update-slice for windows */
    xg_map64 seen;
    XG_VEC(xg_inst *) work;
    xg_arena *arena;
    bool reduced; /* values in place are, too: that is right in a row program */
} xg_in_place;

XG_FN void xg_in_place_add(xg_in_place *w, xg_inst *i, const xg_inst *as) {
    if (xg_map64_get(&w->seen, i->id + (uint64_t)1)) return;
    xg_map64_put(&w->seen, i->id + (uint64_t)1, (void *)(uintptr_t)as);
    xg_push(w->arena, xg_inst *, &w->work, i);
}

/* Another name for the same elements in the same order. */
XG_FN bool xg_in_place_renames(const xg_inst *i) {
    const xg_shape *from, *to = i->shape;
    if (i->op != XG_BITCAST && i->op != XG_RESHAPE) return false;
    from = XG_OPERAND(i, 0)->shape;
    if (from->elements != to->elements || xg_type_bytes(from->type) != xg_type_bytes(to->type)) return false;
    return i->op == XG_BITCAST ||
           ((!from->layout || from->layout->descending) && (!to->layout || to->layout->descending));
}
XG_FN const xg_inst *xg_in_place_strip(const xg_inst *i) {
    while (xg_in_place_renames(i)) i = XG_OPERAND(i, 0);
    return i;
}

XG_FN bool xg_in_place_same_shape(const xg_shape *a, const xg_shape *b) {
    return xg_shape_same_dims(a, b) && a->layout == b->layout;
}

/* The dynamic-update-slice that writes the very window that the slice reads. */
XG_FN const xg_inst *xg_in_place_window(const xg_inst *slice) {
    XG_FOR_INSTS(u, slice->comp) {
        uint32_t k;
        if (u->op != XG_DYNAMIC_UPDATE_SLICE || u->n_operands != slice->n_operands + 1 ||
            !xg_shape_same_dims(XG_OPERAND(u, 1)->shape, slice->shape))
            continue;
        if (xg_in_place_strip(XG_OPERAND(u, 0)) != xg_in_place_strip(XG_OPERAND(slice, 0)) ||
            !xg_in_place_same_shape(u->shape, XG_OPERAND(slice, 0)->shape))
            continue;
        for (k = 1; k < slice->n_operands && XG_OPERAND(slice, k) == XG_OPERAND(u, k + 1); k++) {}
        if (k == slice->n_operands) return u;
    }
    return NULL;
}

/* An operand of a scatter of several arrays: each output is made of all of them, element by element, and the one of
 * that number lies over it. */
XG_FN bool xg_in_place_output(xg_in_place *w, const xg_inst *v, const xg_inst *scatter, uint32_t operand) {
    if (operand >= scatter->shape->n_elems || !xg_in_place_same_shape(scatter->shape->elems[operand], v->shape))
        return false;
    XG_FOR_USES(u, scatter) {
        if (u->user->op != XG_GET_TUPLE_ELEMENT) return false;
        xg_in_place_add(w, u->user, xg_attr_index(u->user) == (int64_t)operand ? u->user : scatter);
    }
    return true;
}

/* Part of the state of a loop that the body hands on as it is. */
XG_FN bool xg_fuse_stays_in_loop(const xg_inst *i) {
    const xg_inst *root = i->comp->root;
    int64_t k;
    if (i->op != XG_GET_TUPLE_ELEMENT || XG_OPERAND(i, 0)->op != XG_PARAMETER || i->comp == i->comp->module->entry ||
        root->op != XG_TUPLE)
        return false;
    k = xg_attr_index(i);
    return root->shape == XG_OPERAND(i, 0)->shape && XG_OPERAND(root, k) == i;
}
/* Lies in memory from the first to the last, and nothing is made over it. */
XG_FN bool xg_fuse_lasts(const xg_inst *i) {
    const xg_module *m = i->comp->module;
    uint32_t k;
    if (i->op == XG_CONSTANT || xg_fuse_stays_in_loop(i)) return true;
    if (i->op != XG_PARAMETER || i->comp != m->entry) return false; /* the state of a loop is made anew */
    for (k = 0; k < m->n_aliases && m->aliases[k].param != i->number; k++) {}
    if (k < m->n_aliases) return false;
    for (k = 0; k < m->n_donors && m->donors[k].param != i->number; k++) {}
    return k == m->n_donors;
}

/* Made as a whole by one emitter, which takes an element of the operand before it, or another thread that waits for it,
 * writes there. */
XG_FN bool xg_in_place_wholly(const xg_inst *i, uint32_t operand) {
    return i->op == XG_FFT || i->op == XG_CHOLESKY || (i->op == XG_TRIANGULAR_SOLVE && operand == 1);
}

XG_FN bool xg_in_place_sorted(xg_in_place *w, const xg_inst *v, xg_inst *sort, uint32_t operand) {
    const xg_shape *result = sort->shape->type == XLAGPU_TUPLE ? sort->shape->elems[operand] : sort->shape;
    int64_t from, to;
    if (!xg_in_place_same_shape(result, v->shape) || (xg_fuse_sorted_runs(sort, &from, &to) && from > 1)) return false;
    if (sort->shape->type != XLAGPU_TUPLE)
        xg_in_place_add(w, sort, sort);
    else
        XG_FOR_USES(u, sort)
            if (u->user->op == XG_GET_TUPLE_ELEMENT && xg_attr_index(u->user) == (int64_t)operand)
                xg_in_place_add(w, u->user, u->user);
    return true;
}

/* A solver's first result, of one or several. */
XG_FN bool xg_in_place_solver(xg_in_place *w, const xg_inst *v, xg_inst *user, uint32_t operand) {
    if (!xg_block_in_place(user, operand) ||
        !xg_in_place_same_shape(user->shape->type == XLAGPU_TUPLE ? user->shape->elems[0] : user->shape, v->shape))
        return false;
    if (user->shape->type != XLAGPU_TUPLE)
        xg_in_place_add(w, user, user);
    else
        XG_FOR_USES(u, user)
            if (u->user->op == XG_GET_TUPLE_ELEMENT && xg_attr_index(u->user) == 0)
                xg_in_place_add(w, u->user, u->user);
    return true;
}

/* An element of the state of a loop in one kernel (rounds.c), which its thread alone reads, and then writes, or only
 * writes. Sums are of several threads, and so may others be that are not as large as the largest. */
XG_FN bool xg_in_place_round(xg_in_place *w, const xg_inst *loop, uint32_t k) {
    const xg_comp *body = xg_attr_comp(loop, XG_A_body);
    const xg_inst *root = body->root, *i;
    int64_t most = 0;
    uint32_t j;
    if (loop->op != XG_WHILE || root->op != XG_TUPLE) return false;
    for (j = 0; j < root->n_operands; j++) {
        i = xg_in_place_strip(XG_OPERAND(root, j));
        if (i->op == XG_DYNAMIC_UPDATE_SLICE) i = XG_OPERAND(i, 1);
        if (i->op != XG_GET_TUPLE_ELEMENT) most = XG_MAX(most, i->shape->elements);
    }
    for (i = body->first; i; i = i->next)
        if (i->op == XG_REDUCE) most = -1;
    i = xg_in_place_strip(XG_OPERAND(root, k));
    if (i->op != XG_DYNAMIC_UPDATE_SLICE && (i->op == XG_GET_TUPLE_ELEMENT || i->shape->elements != most)) return false;
    XG_FOR_USES(u, loop)
        if (xg_attr_index(u->user) == (int64_t)k) xg_in_place_add(w, u->user, u->user);
    return true;
}
/* One use of a value that is in place, or of a window: does it stay so? */
XG_APART XG_FN bool xg_in_place_use(
    xg_in_place *w, const xg_inst *v, const xg_inst *as, xg_inst *user, uint32_t operand) {
    bool window = as->op == XG_DYNAMIC_UPDATE_SLICE && as != v;
    if (window && user == as) return operand == 1;
    if (user->op == XG_TUPLE && user->first_use && v->comp->n_control)
        return !window && xg_in_place_round(w, user->first_use->user, operand);
    if (user->op == XG_TUPLE || user->op == XG_GET_TUPLE_ELEMENT) {
        if (user->op == XG_GET_TUPLE_ELEMENT) xg_in_place_add(w, user, as);
        return !window;
    }
    if ((xg_op_flags(user->op) & XGF_EW) && xg_in_place_same_shape(user->shape, v->shape)) {
        xg_in_place_add(w, user, window ? as : user);
        return true;
    }
    if (window) return false;
    if (user->op == XG_REDUCE && operand == 0 && user->n_operands == 2) return w->reduced = true;
    if (xg_in_place_renames(user)) {
        xg_in_place_add(w, user, user);
        return true;
    }
    if (user->op == XG_DYNAMIC_SLICE && operand == 0) {
        as = xg_in_place_window(user);
        if (as) xg_in_place_add(w, user, as);
        return as != NULL;
    }
    if (user->op == XG_SCATTER && user->shape->type == XLAGPU_TUPLE) return xg_in_place_output(w, v, user, operand);
    if (user->op == XG_SORT) return xg_in_place_sorted(w, v, user, operand);
    if (xg_is_block_call(user)) return xg_in_place_solver(w, v, user, operand);
    if (xg_in_place_wholly(user, operand) && xg_in_place_same_shape(user->shape, v->shape)) {
        xg_in_place_add(w, user, user);
        return true;
    }
    if (operand != 0 || (user->op != XG_DYNAMIC_UPDATE_SLICE && user->op != XG_SCATTER) ||
        !xg_in_place_same_shape(user->shape, v->shape))
        return false;
    xg_in_place_add(w, user, user);
    return true;
}

/* The instruction that gives a leaf of the fusion's result. */
XG_FN xg_inst *xg_fuse_leaf(const xg_comp *c, uint32_t leaf) {
    return c->root->op == XG_TUPLE && c->root->shape->type == XLAGPU_TUPLE
               ? (leaf < c->root->n_operands ? XG_OPERAND(c->root, leaf) : NULL)
               : c->root;
}

/* Nothing that an emitter walks for twice: each thread makes the elements of all results at one place, then writes
 * them. */
XG_FN bool xg_in_place_one_walk(const xg_comp *c) {
    XG_FOR_INSTS(i, c) {
        if (xg_op_flags(i->op) & XGF_EW) continue;
        switch (i->op) {
        case XG_PARAMETER:
        case XG_CONSTANT:
        case XG_BROADCAST:
        case XG_IOTA:
        case XG_BITCAST:
        case XG_RESHAPE:
        case XG_TUPLE: break;
        default: return false;
        }
    }
    return true;
}
/* Results that the loop emitter makes by one walk: those with as many elements as the first, and others of one
 * shape. */
XG_FN bool xg_in_place_together(const xg_in_place *w, const xg_comp *c, const xg_inst *to) {
    const xg_inst *root = c->root;
    uint32_t k;
    if (root->op != XG_TUPLE || w->reduced) return !w->reduced;
    for (k = 0; k < root->n_operands; k++) {
        const xg_shape *s = XG_OPERAND(root, k)->shape;
        if (!xg_map64_get(&w->seen, XG_OPERAND(root, k)->id + (uint64_t)1)) continue;
        if (s->elements != to->shape->elements ||
            (s->elements != XG_OPERAND(root, 0)->shape->elements && !xg_in_place_same_shape(s, to->shape)))
            return false;
    }
    return true;
}

/* Whether all of a row is read, by the threads that write it, before any of it is written. */
XG_FN bool xg_in_place_rows(xg_arena *a, const xg_comp *c) {
    xg_inst **insts = XG_NEW_N(a, xg_inst *, c->n_insts + (size_t)1),
            **roots = XG_NEW_N(a, xg_inst *, c->root->n_operands + (size_t)1);
    uint32_t n = 0, n_roots = 0;
    xg_row_form form;
    XG_FOR_INSTS(i, c) insts[n++] = i;
    if (c->root->op != XG_TUPLE)
        roots[n_roots++] = c->root;
    else
        for (; n_roots < c->root->n_operands; n_roots++) roots[n_roots] = XG_OPERAND(c->root, n_roots);
    return xg_fuse_row_form(&form, a, NULL, insts, n, roots, n_roots);
}

/* What becomes of the operand, as results: nothing but this one, or others that are as large, made at the same place
 * before any of them is written there. */
XG_FN bool xg_in_place_alone(const xg_in_place *w, const xg_comp *c, uint32_t leaf, bool rows) {
    const xg_inst *root = c->root;
    int64_t elements;
    bool alone = true, same = true;
    uint32_t k;
    if (root->op != XG_TUPLE) return true;
    elements = XG_OPERAND(root, leaf)->shape->elements;
    for (k = 0; k < root->n_operands; k++) {
        if (!xg_map64_get(&w->seen, XG_OPERAND(root, k)->id + (uint64_t)1)) continue;
        alone = alone && k == leaf;
        same = same && XG_OPERAND(root, k)->shape->elements == elements;
    }
    return alone || (same && (rows || (elements == XG_OPERAND(root, 0)->shape->elements && xg_in_place_one_walk(c))));
}

/* What becomes of an operand, for all results: whether nothing else is read of it. */
typedef struct xg_in_place_operand {
    const xg_comp *c;
    xg_in_place w;
    bool ok;
} xg_in_place_operand;
XG_FN bool xg_in_place_alike(const xg_shape *from, const xg_shape *to) {
    return xg_shape_is_array(from) && xg_shape_is_array(to) && from->elements == to->elements &&
           xg_type_bytes(from->type) == xg_type_bytes(to->type);
}
XG_FN void xg_in_place_walk(xg_in_place_operand *o, xg_arena *a, const xg_comp *c, uint32_t operand) {
    xg_in_place *w = &o->w;
    memset(o, 0, sizeof *o);
    o->c = c;
    o->ok = true;
    w->arena = a;
    xg_map64_init(&w->seen, a);
    xg_in_place_add(w, c->params[operand], c->params[operand]);
    while (w->work.n && o->ok) {
        xg_inst *v = w->work.p[--w->work.n];
        const xg_inst *as = (const xg_inst *)xg_map64_get(&w->seen, v->id + (uint64_t)1);
        XG_FOR_USES(u, v)
            if (!(o->ok = xg_in_place_use(w, v, as, u->user, XG_USE_INDEX(u)))) break;
    }
}
/* May the leaf, which is as large, be written over it? *rows: whether the computation is a row program, -1: not asked
 * yet. */
XG_FN bool xg_in_place_takes(const xg_in_place_operand *o, uint32_t leaf, bool in_walk, int *rows) {
    const xg_inst *to = xg_fuse_leaf(o->c, leaf);
    if (!o->ok || xg_map64_get(&o->w.seen, to->id + (uint64_t)1) != to) return false;
    if (in_walk) return xg_in_place_together(&o->w, o->c, to);
    if (!o->w.reduced && xg_in_place_alone(&o->w, o->c, leaf, false)) return true;
    if (!xg_in_place_alone(&o->w, o->c, leaf, true)) return false;
    if (*rows < 0) *rows = xg_in_place_rows(o->w.arena, o->c);
    return *rows != 0;
}
XG_FN bool xg_in_place_shares(xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf, bool in_walk) {
    const xg_comp *c = xg_attr_calls(fusion);
    const xg_inst *to = xg_fuse_leaf(c, leaf);
    xg_mark mark = xg_arena_mark(a);
    xg_in_place_operand o;
    int rows = -1;
    bool ok;
    if (!to || !xg_in_place_alike(c->params[operand]->shape, to->shape)) return false;
    xg_in_place_walk(&o, a, c, operand);
    ok = xg_in_place_takes(&o, leaf, in_walk, &rows);
    xg_arena_reset(a, mark);
    return ok;
}
XG_FN void xg_fuse_over(xg_arena *a, const xg_inst *fusion, bool in_walk, xg_ints *over) {
    const xg_comp *c = xg_attr_calls(fusion);
    uint32_t n = (uint32_t)xg_shape_leaves(fusion->shape), leaf, k;
    xg_mark mark;
    int rows = -1;
    bool *takes = XG_NEW_N(a, bool, (size_t)n * c->n_params + 1);
    mark = xg_arena_mark(a);
    for (k = 0; k < c->n_params; k++) {
        xg_in_place_operand o;
        bool walked = false;
        for (leaf = 0; leaf < n; leaf++) {
            const xg_inst *to = xg_fuse_leaf(c, leaf);
            if (!to || !xg_in_place_alike(c->params[k]->shape, to->shape)) continue;
            if (!walked) xg_in_place_walk(&o, a, c, k);
            walked = true;
            takes[(size_t)leaf * c->n_params + k] = xg_in_place_takes(&o, leaf, in_walk, &rows);
        }
        xg_arena_reset(a, mark);
    }
    for (leaf = 0; leaf < n; leaf++) {
        int64_t *p = XG_NEW_N(a, int64_t, c->n_params + (size_t)1);
        over[leaf].p = p;
        over[leaf].n = 0;
        for (k = 0; k < c->n_params; k++)
            if (takes[(size_t)leaf * c->n_params + k]) p[over[leaf].n++] = k;
    }
}
/* In a fusion of fusions (phases.c) all of a phase is done before the next one begins: any other reader of the operand
 * has to stand in front of what writes over it. */
XG_FN bool xg_in_place_phases(xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf, bool in_walk) {
    const xg_comp *c = xg_attr_calls(fusion);
    const xg_inst *to = xg_fuse_leaf(c, leaf), *maker = to ? xg_fuse_phase_of(fusion, leaf) : NULL;
    xg_phase_list list = xg_fuse_phases(a, c);
    uint32_t at, k, of;
    int32_t *params;
    bool parted;
    if (!to) return false;
    params = XG_NEW_N(a, int32_t, c->n_params + (size_t)1);
    parted = xg_fuse_phases_blocks(a, c, params) > 1; /* then blocks do not wait for each other */
    if (parted && params[operand] != XG_CUT) return false;
    of = (uint32_t)(maker == to ? 0 : xg_attr_index(to));
    for (at = 0; at < list.n && list.members[at] != maker; at++) {}
    XG_FOR_USES(u, c->params[operand]) {
        for (k = 0; k < list.n && list.members[k] != u->user; k++) {}
        if (at == list.n || k == list.n) return false;
        if (k == at ? parted || !xg_in_place_shares(a, maker, XG_USE_INDEX(u), of, in_walk)
                    : list.level[k] >= list.level[at])
            return false;
    }
    return c->params[operand]->shape->elements == to->shape->elements &&
           xg_type_bytes(c->params[operand]->shape->type) == xg_type_bytes(to->shape->type);
}
/* The operands of the whole that a leaf may be written over, given those of the member that makes it. */
XG_FN bool xg_in_place_over_phase(const xg_phase_list *list, const xg_record *members, const xg_inst *param,
    uint32_t maker, uint32_t leaf, bool parted) {
    XG_FOR_USES(u, param) {
        uint32_t k;
        for (k = 0; k < list->n && list->members[k] != u->user; k++) {}
        if (k == list->n) return false;
        if (k == maker ? parted || !xg_record_may_share(&members[k], XG_USE_INDEX(u), leaf)
                       : list->level[k] >= list->level[maker])
            return false;
    }
    return true;
}
XG_FN void xg_fuse_over_phases(
    xg_arena *a, const xg_inst *fusion, int64_t parts, const xg_record *members, xg_ints *over) {
    const xg_comp *c = xg_attr_calls(fusion);
    uint32_t n = (uint32_t)xg_shape_leaves(fusion->shape), leaf, k, maker, of;
    xg_phase_list list = xg_fuse_phases(a, c);
    int32_t *params = XG_NEW_N(a, int32_t, c->n_params + (size_t)1);
    (void)xg_fuse_phases_parts(a, c, parts, params);
    for (leaf = 0; leaf < n; leaf++) {
        const xg_inst *to = xg_fuse_leaf(c, leaf), *by = to ? xg_fuse_phase_of(fusion, leaf) : NULL;
        int64_t *p = XG_NEW_N(a, int64_t, c->n_params + (size_t)1);
        over[leaf].p = p;
        over[leaf].n = 0;
        for (maker = 0; maker < list.n && list.members[maker] != by; maker++) {}
        if (maker == list.n) continue;
        of = (uint32_t)(by == to ? 0 : xg_attr_index(to));
        for (k = 0; k < c->n_params; k++)
            if (xg_in_place_alike(c->params[k]->shape, to->shape) && (parts <= 1 || params[k] == XG_CUT) &&
                xg_in_place_over_phase(&list, members, c->params[k], maker, of, parts > 1))
                p[over[leaf].n++] = k;
    }
}
XG_FN bool xg_in_place_asks(xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf, bool in_walk) {
    xg_mark mark;
    bool ok;
    if (!xg_fuse_is_phases(fusion)) return xg_in_place_shares(a, fusion, operand, leaf, in_walk);
    mark = xg_arena_mark(a);
    ok = xg_in_place_phases(a, fusion, operand, leaf, in_walk);
    xg_arena_reset(a, mark);
    return ok;
}
XG_FN bool xg_fuse_may_share(xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf) {
    return xg_in_place_asks(a, fusion, operand, leaf, false);
}
XG_FN bool xg_fuse_may_share_in_walk(xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf) {
    return xg_in_place_asks(a, fusion, operand, leaf, true);
}

/* What the fusion itself says: output_to_operand_aliasing={{leaf}: (operand, {})}. */
XG_FN int64_t xg_fuse_said(const xg_inst *fusion, uint32_t leaf) {
    const xg_attr *said = xg_inst_attr(fusion, XG_A_output_to_operand_aliasing);
    uint32_t k;
    for (k = 0; said && k < said->v.aliases->n; k++) {
        const xg_alias *a = &said->v.aliases->p[k];
        int64_t number = a->output.n ? a->output.p[0] : 0;
        if (number == (int64_t)leaf && a->output.n < 2 && !a->operand_index.n &&
            a->operand < (int64_t)fusion->n_operands)
            return a->operand;
    }
    return -1;
}

/* An update that nothing sees but the next update of the same array: a chain of them is in place as one is. */
XG_FN bool xg_in_place_is_link(const xg_inst *i) {
    const xg_inst *last = i;
    if (i->op != XG_DYNAMIC_UPDATE_SLICE) return false;
    while (last->first_use && !last->first_use->next && xg_in_place_renames(last->first_use->user))
        last = last->first_use->user;
    return last->first_use && !last->first_use->next && last->first_use->user->op == XG_DYNAMIC_UPDATE_SLICE &&
           XG_USE_INDEX(last->first_use) == 0;
}

XG_FN int64_t xg_fuse_in_place(xg_arena *a, const xg_inst *fusion, uint32_t leaf) {
    int64_t said = xg_fuse_said(fusion, leaf);
    const xg_inst *to;
    if (said >= 0) return xg_fuse_may_share(a, fusion, (uint32_t)said, leaf) ? said : -1;
    to = xg_fuse_leaf(xg_attr_calls(fusion), leaf);
    if (!to) return -1;
    to = xg_in_place_strip(to);
    if (to->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(to, 0)->op == XG_WHILE) {
        const xg_inst *loop = XG_OPERAND(to, 0);
        int64_t k = xg_attr_index(to);
        to = XG_OPERAND(XG_OPERAND(loop, 0), k);
        if (xg_in_place_strip(XG_OPERAND(xg_attr_comp(loop, XG_A_body)->root, k))->op != XG_DYNAMIC_UPDATE_SLICE)
            return -1;
    } else if (to->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(to, 0)->op == XG_SCATTER)
        to = XG_OPERAND(XG_OPERAND(to, 0), xg_attr_index(to));
    else if (to->op == XG_DYNAMIC_UPDATE_SLICE || to->op == XG_SCATTER)
        to = XG_OPERAND(to, 0);
    else
        return -1;
    to = xg_in_place_strip(to);
    while (xg_in_place_is_link(to)) to = xg_in_place_strip(XG_OPERAND(to, 0));
    return to->op == XG_PARAMETER && xg_fuse_may_share(a, fusion, (uint32_t)to->number, leaf) ? to->number : -1;
}

XG_FN bool xg_fuse_pattern(const xg_inst *i, int64_t bytes, uint32_t *out) {
    const xg_literal *l = i->literal;
    size_t size = xg_shape_is_array(i->shape) ? (size_t)xg_type_bytes(i->shape->type) : 0, n, k;
    const unsigned char *d;
    unsigned char word[4];
    if (i->op != XG_CONSTANT || !l || l->elided || !l->data || !size || !i->shape->elements) return false;
    d = (const unsigned char *)l->data;
    n = (size_t)i->shape->elements * size;
    for (k = size; k < n; k++)
        if (d[k] != d[k - size]) return false; /* one element, repeated */
    for (k = 4; k < size; k++)
        if (d[k] != d[k - 4]) return false;
    for (k = 0; k < 4; k++) word[k] = d[k % size];
    *out = (uint32_t)word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24;
    return bytes % 4 == 0 || *out == (*out & 0xFF) * 0x01010101u; /* a rest of a word is written byte by byte */
}
XG_FN bool xg_fuse_is_fill(const xg_inst *i, uint32_t *pattern) {
    int64_t bytes = xg_shape_is_array(i->shape) ? i->shape->elements * xg_type_bytes(i->shape->type) : 0;
    while (i->op == XG_BROADCAST || i->op == XG_COPY || xg_in_place_renames(i)) i = XG_OPERAND(i, 0);
    return xg_fuse_pattern(i, bytes, pattern);
}

#endif /* XG_FUSE_IN_PLACE_C */
