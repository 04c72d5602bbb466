/* fuse/rounds.c -- a whole loop as one kernel: each thread carries its own elements' state in registers.
 *
 * Where a round of a loop makes element e of each array of its state of elements e alone, and of what stays the same,
 * no thread waits for another one between rounds: recurrences (Mamba, RWKV, filters), integrators, iterations. Then all
 * rounds are one launch instead of one or more each, and the state goes through memory once.
 *
 *     fusion(p...), calls={ init = tuple(p...), loop = while(init), ROOT tuple(get-tuple-element(loop)...) }
 *
 * holds the loop as it was, so the evaluator, the printer and the parser know it already. Emitters see one round as a
 * computation of its own, which this file writes out (xg_rounds_open). By element of the state, there it is
 *     KEPT      what it was before the loop
 *     COUNTS    first + step * number of the round
 *     STACKED   only written: a slice a round, by dynamic-update-slices; it lies in memory all the time
 *     CARRIED   a value of each thread: its own element, or a scalar that all threads compute
 * Threads walk over the widest of what is carried, written or summed. A sum along up to 32 minor elements of it is one
 * of neighbouring lanes.
 *
 * Slices that are written in different rounds may overlap only where one thread writes them: they are one element wide
 * where they move, or cover the array without a gap. */
#ifndef XG_FUSE_ROUNDS_C
#define XG_FUSE_ROUNDS_C
#include "../eval/eval.h"
#include "fuse.h"
#include "phases.c"

enum {
    XG_ROUNDS_INSTS = 800,
    XG_ROUNDS_WORDS = 64, /* of a thread's state: registers */
    XG_ROUNDS_COPIES = 64 /* of what is read at several places, and other things that are few */
};

XG_FN const xg_inst *xg_rounds_splat(const xg_inst *i) {
    xlagpu_type t = i->shape->type;
    while (i->op == XG_BROADCAST || xg_in_place_renames(i)) i = XG_OPERAND(i, 0);
    return i->op == XG_CONSTANT && i->shape->type == t && xg_fuse_is_splat(i) ? i : NULL;
}
XG_FN xg_inst *xg_rounds_loop(const xg_comp *c) {
    xg_inst *i = c->first;
    while (i && i->op != XG_WHILE) i = i->next;
    return i;
}
/* Rounds, as xg_opt_trip_count_annotator wrote them down; -1: not known. */
XG_FN int64_t xg_fuse_trips(const xg_inst *loop) {
    xg_str known = xg_call_option(loop, "known_trip_count");
    uint32_t k;
    for (k = 0; k < known.n && known.p[k] != '}'; k++)
        if (known.p[k] >= '0' && known.p[k] <= '9') return xg_call_number(xg_str_of(known.p + k, known.n - k));
    return -1;
}

/* ---- one round as a computation ---- */

XG_FN bool xg_rounds_takes(const xg_inst *i) {
    if (i->shape->type == XLAGPU_TUPLE || !xg_phases_takes_shape(i->shape) || xg_inst_order(i)) return false;
    switch (i->op) {
    case XG_CONSTANT: return !i->shape->rank || xg_fuse_is_splat(i);
    case XG_PARAMETER:
    case XG_BROADCAST:
    case XG_RESHAPE:
    case XG_BITCAST:
    case XG_TRANSPOSE:
    case XG_SLICE:
    case XG_PAD:
    case XG_CONCATENATE:
    case XG_REVERSE:
    case XG_IOTA:
    case XG_GATHER:
    case XG_REDUCE:
    case XG_DYNAMIC_SLICE:
    case XG_DYNAMIC_UPDATE_SLICE: return true;
    default: return (xg_op_flags(i->op) & XGF_EW) != 0;
    }
}
/* Behind what stands in front of the loop: the body, and the condition where threads ask, with the state's elements
 * instead of their parameters. The loop itself goes. */
XG_FN bool xg_rounds_copy(xg_rounds *r, const xg_while *w) {
    xg_inst *init = XG_OPERAND(xg_rounds_loop(r->comp), 0), *tuple, *i, *before;
    xg_inst **in = XG_NEW_N(r->arena, xg_inst *, r->n + (size_t)1);
    uint32_t k;
    for (k = 0; k < r->n; k++) {
        xg_round_state *s = &r->state[k];
        s->init = s->inst = XG_OPERAND(init, k);
        if (!w->invariant[k]) {
            s->inst = xg_inst_new(r->comp, XG_COPY, s->init->shape, &s->init, 1, NULL, XG_STR("state"));
        }
        in[k] = s->inst;
    }
    tuple = xg_inst_new(r->comp, XG_TUPLE, w->in->shape, in, r->n, NULL, XG_STR(""));
    r->comp->root = xg_opt_inline(w->body, r->comp, NULL, &tuple);
    if (r->trips < 0) r->again = xg_opt_inline(w->condition, r->comp, NULL, &tuple);
    for (i = tuple->next; i; i = i->next)
        if (i->op == XG_GET_TUPLE_ELEMENT) {
            if (i == r->again) r->again = in[xg_attr_index(i)];
            xg_inst_replace(i, in[xg_attr_index(i)]);
        }
    for (i = r->comp->last; i; i = before) {
        before = i->prev;
        if (!i->first_use && i != r->again && i != r->comp->root && i->op != XG_PARAMETER && i->op != XG_COPY)
            xg_inst_remove(i); /* the state's elements stay, also those that nothing reads */
        else if (i != r->comp->root && !xg_rounds_takes(i))
            return false;
    }
    for (k = 0; k < r->n; k++) r->state[k].next = XG_OPERAND(r->comp->root, k);
    return true;
}

/* ---- what becomes of the state ---- */

/* A scalar as first + step * number of the round: adds both to `at`, so many times; at[2]: operations to look at. */
XG_FN bool xg_rounds_linear(const xg_rounds *r, const xg_inst *i, int64_t times, int64_t *at) {
    int64_t v;
    uint32_t k;
    if (--at[2] < 0) return false;
    for (k = 0; k < r->n; k++)
        if (r->state[k].inst == i && r->state[k].kind == XG_ROUND_COUNTS) {
            at[0] += times * r->state[k].first;
            at[1] += times * r->state[k].step;
            return true;
        }
    if (i->op == XG_CONSTANT && xg_literal_get_int(i->literal, 0, &v) && v >= -INT32_MAX && v <= INT32_MAX) {
        at[0] += times * v;
        return true;
    }
    return (i->op == XG_ADD || i->op == XG_SUBTRACT) && !i->shape->rank &&
           xg_rounds_linear(r, XG_OPERAND(i, 0), times, at) &&
           xg_rounds_linear(r, XG_OPERAND(i, 1), i->op == XG_ADD ? times : -times, at);
}
/* The update fills the array, a slice behind the other. */
XG_FN bool xg_rounds_covers(const xg_rounds *r, const xg_inst *u) {
    uint32_t k, moves = 0;
    for (k = 0; k < u->shape->rank; k++) {
        int64_t n = u->shape->dims[k], size = XG_OPERAND(u, 1)->shape->dims[k], at[3] = {0, 0, XG_ROUNDS_COPIES};
        if (n == size) continue;
        if (++moves > 1 || u->n_operands != 2 + u->shape->rank || n % r->trips || n / r->trips != size ||
            !xg_rounds_linear(r, XG_OPERAND(u, 2 + k), 1, at) ||
            (uint64_t)(n - size) > xg_int_type_max(XG_OPERAND(u, 2 + k)->shape->type))
            return false; /* or counts past what its type has */
        if (at[0] != (at[1] < 0 ? n - size : 0) || (at[1] != size && at[1] != -size)) return false;
    }
    return moves == 1;
}
XG_FN xg_round_value *xg_rounds_value(xg_rounds *r, xg_round_role role, uint32_t state, xg_inst *given, xg_inst *made) {
    xg_round_value *v = (xg_round_value *)xg_vec_slot(r->arena, &r->values, sizeof *v);
    memset(v, 0, sizeof *v);
    v->role = role;
    v->state = state;
    v->given = given;
    v->made = made;
    if (given) xg_push(r->arena, xg_inst *, &r->given, given);
    return v;
}
/* Values that are written beside each other, and where: index of the value -> index of the update. */
XG_FN void xg_rounds_pieces(xg_rounds *r, uint32_t state, const xg_inst *update, xg_inst *value, const xg_imap *to) {
    bool moves = value->op == XG_CONCATENATE || value->op == XG_TRANSPOSE || xg_in_place_renames(value);
    xg_round_value *p;
    uint32_t k;
    moves = moves && r->values.n + value->n_operands < XG_ROUNDS_COPIES;
    for (k = 0; moves && k < value->n_operands; k++) {
        xg_imaps at = xg_indexing_operand_to_output_set(r->aff, value, k, 0);
        moves = at.n == 1 && xg_imap_ok(at.p[0]) && !at.p[0]->n_syms;
    }
    for (k = 0; moves && k < value->n_operands; k++)
        xg_rounds_pieces(r, state, update, XG_OPERAND(value, k),
            xg_imap_compose(r->aff, xg_indexing_operand_to_output_set(r->aff, value, k, 0).p[0], to));
    if (moves) return;
    p = xg_rounds_value(r, XG_ROUND_PIECE, state, NULL, value);
    p->update = update;
    p->to = to;
}
/* Is it only written, by one update? */
XG_FN bool xg_rounds_stacks(xg_rounds *r, uint32_t state) {
    xg_round_state *s = &r->state[state];
    const xg_inst *u = xg_in_place_strip(s->next);
    const xg_shape *size;
    uint32_t k;
    if (u->op != XG_DYNAMIC_UPDATE_SLICE || xg_in_place_strip(XG_OPERAND(u, 0)) != s->inst) return false;
    size = XG_OPERAND(u, 1)->shape;
    s->covered = xg_rounds_covers(r, u);
    for (k = 0; k < size->rank; k++)
        if (size->dims[k] != 1 && size->dims[k] != u->shape->dims[k] && !s->covered) return false;
    xg_rounds_pieces(r, state, u, XG_OPERAND(u, 1), xg_imap_identity(r->aff, size->dims, size->rank));
    return true;
}
/* Scratch: 0 for what every round computes anew of parameters, 1 for what depends on the number of the round, 2 on
 * other scalars that change, 3 on the state's elements. */
XG_FN uintptr_t xg_rounds_depends(const xg_inst *i) { return (uintptr_t)i->scratch; }
XG_FN void xg_rounds_mark(const xg_rounds *r) {
    uint32_t k;
    XG_FOR_INSTS(i, r->comp) {
        uintptr_t most = 0;
        for (k = 0; k < i->n_operands; k++) most = XG_MAX(most, xg_rounds_depends(XG_OPERAND(i, k)));
        for (k = 0; i->op == XG_COPY && k < r->n; k++)
            if (r->state[k].inst == i) most = i->shape->rank ? 3 : r->state[k].kind == XG_ROUND_COUNTS ? 1 : 2;
        i->scratch = (void *)most;
    }
}

/* ---- who makes what ---- */

XG_FN const xg_imap *xg_rounds_same_place(const xg_rounds *r, const xg_shape *from, const xg_shape *to) {
    xg_shape as = *to;
    as.type = from->type;
    return xg_indexing_bitcast(r->aff, from, &as);
}
/* The thread's indices -> those of its own element; NULL: not known. */
XG_FN const xg_imap *xg_rounds_own(const xg_rounds *r, const xg_shape *s) {
    uint32_t k;
    if (s->elements == r->shape->elements) return xg_rounds_same_place(r, r->shape, s);
    if (s->rank == 0)
        return xg_imap_with_results(r->aff, xg_imap_identity(r->aff, r->shape->dims, r->shape->rank), NULL, 0);
    for (k = 0; k < r->values.n; k++) {
        const xg_round_value *v = &r->values.p[k];
        if (v->role == XG_ROUND_SUM && v->own && v->given->shape->elements == s->elements)
            return xg_imap_compose(r->aff, v->own, xg_rounds_same_place(r, v->given->shape, s));
    }
    return NULL;
}
/* A sum of neighbouring lanes: over the minor elements of what as many threads make. */
XG_FN bool xg_rounds_sums(const xg_rounds *r, xg_round_value *v) {
    const xg_shape *in = v->made->shape, *out = v->given->shape;
    xg_ints dims = xg_attr_dims(v->given);
    int64_t lanes = in->elements / XG_MAX(out->elements, (int64_t)1);
    const xg_aff *kept[XG_RANK_MAX];
    uint32_t k;
    if (in->elements != r->shape->elements || in->elements % XG_WARP_LANES || lanes > XG_WARP_LANES ||
        (lanes & (lanes - 1)) || XG_OPERAND(v->given, 1)->op != XG_CONSTANT || v->given->n_operands != 2 ||
        !xg_reducer_is_plain(xg_attr_to_apply(v->given)) || (in->layout && !in->layout->descending) ||
        (out->layout && !out->layout->descending))
        return false;
    for (k = 0; k < out->rank; k++) {
        if (xg_ints_has(dims, k)) return false;
        kept[k] = v->map->results[k];
    }
    v->own = xg_imap_with_results(r->aff, v->map, kept, k);
    return true;
}
XG_FN bool xg_rounds_places(xg_rounds *r) {
    int64_t words = 0;
    uint32_t k, role;
    for (k = 0; k < r->values.n; k++) {
        const xg_round_value *v = &r->values.p[k];
        const xg_shape *s = v->made->shape;
        if (v->role == XG_ROUND_NEXT) words += (xg_type_bytes(s->type) + 3) / 4;
        if (!r->shape || s->elements > r->shape->elements) r->shape = s;
    }
    if (!r->shape || !r->shape->elements || words > XG_ROUNDS_WORDS) return false;
    for (role = 0; role <= XG_ROUND_NEXT; role++)
        for (k = 0; k < r->values.n; k++) {
            xg_round_value *v = &r->values.p[k];
            if ((uint32_t)v->role != role) continue;
            v->map = xg_rounds_own(r, v->made->shape);
            if (!v->map || (v->update && !v->made->shape->rank && r->shape->rank && !r->state[v->state].covered))
                return false; /* of what all threads write in several rounds, one would be late */
            xg_push(r->arena, xg_inst *, &r->roots, v->made);
            xg_push(r->arena, const xg_imap *, &r->maps, v->map);
            if (v->role != XG_ROUND_SUM)
                v->own = v->map;
            else if (!xg_rounds_sums(r, v))
                return false;
        }
    return true;
}
XG_FN bool xg_rounds_is_shared(const xg_inst *i) { return i->first_use && i->first_use->next; }
/* What only scalars change, and is read at several places, is computed at each of them. *more: something is. */
XG_FN bool xg_rounds_spread(const xg_rounds *r, bool *more) {
    xg_inst **in = XG_NEW_N(r->arena, xg_inst *, XG_ROUNDS_INSTS);
    uint32_t k, n;
    *more = false;
    for (k = 0; k < r->parts->n_insts; k++) {
        xg_inst *i = r->parts->insts[k];
        const xg_use *u, *next;
        if (!xg_partition_is_root(r->parts, k) || !xg_rounds_depends(i)) continue;
        if (xg_rounds_depends(i) > 2 || !xg_rounds_is_shared(i) || i->n_operands > XG_ROUNDS_INSTS) return false;
        for (n = 0; n < i->n_operands; n++) in[n] = XG_OPERAND(i, n);
        for (u = i->first_use->next; u; u = next) {
            next = u->next;
            xg_inst_set_operand(u->user, XG_USE_INDEX(u), xg_inst_clone(i, i->comp, in, i));
        }
        *more = true;
    }
    return true;
}
/* What is given is asked for where the thread has it. */
XG_FN bool xg_rounds_is_own(const xg_rounds *r, const xg_round_value *v) {
    uint32_t place = xg_partition_place(r->parts, v->given);
    const xg_imap *map = r->parts->map_of[place];
    if (r->parts->part_of[place] == UINT32_MAX || !v->given->shape->rank) return true;
    return xg_imap_ok(map) && xg_imap_equal(map, v->own);
}
XG_FN bool xg_rounds_part(xg_rounds *r) {
    bool more = true;
    uint32_t k, tries;
    for (tries = 0; more; tries++) {
        if (tries == XG_ROUNDS_COPIES || r->comp->n_insts > XG_ROUNDS_INSTS) return false;
        xg_rounds_mark(r);
        r->parts =
            xg_fuse_partition_at(r->arena, r->aff, r->comp, r->roots.p, r->maps.p, r->roots.n, r->given.p, r->given.n);
        if (!xg_rounds_spread(r, &more)) return false;
    }
    for (k = 0; k < r->n; k++) {
        const xg_round_state *s = &r->state[k];
        if (s->kind == XG_ROUND_STACKED &&
            (r->parts->part_of[xg_partition_place(r->parts, s->inst)] != UINT32_MAX ||
                (!s->covered && (s->init->op != XG_PARAMETER || xg_rounds_is_shared(s->init)))))
            return false; /* something else reads it, or its contents in the beginning */
    }
    for (k = 0; k < r->values.n; k++)
        if (r->values.p[k].given && !xg_rounds_is_own(r, &r->values.p[k])) return false;
    r->reads = XG_NEW_N(r->arena, bool, r->parts->n_insts + (size_t)1);
    for (k = 0; r->trips > 0 && k < r->parts->n_insts; k++) {
        const xg_inst *i = r->parts->insts[k];
        r->reads[k] =
            (i->op == XG_DYNAMIC_SLICE || i->op == XG_GATHER) && r->parts->part_of[k] == 0 && xg_rounds_depends(i) == 1;
    }
    return true;
}
/* Each stacked array may be a result once, and all that are read must be; of the others any. */
XG_FN bool xg_rounds_results(xg_rounds *r, const xg_comp *c) {
    const xg_inst *i;
    uint32_t k, of;
    for (k = 0; (i = xg_fuse_leaf(c, k)) != NULL && (k == 0 || c->root->op == XG_TUPLE); k++) {
        if (i->op != XG_GET_TUPLE_ELEMENT || XG_OPERAND(i, 0) != r->loop) return false;
        of = (uint32_t)xg_attr_index(i);
        if (r->state[of].result || r->state[of].inst == r->state[of].init) return false;
        r->state[of].result = true;
        xg_push(r->arena, uint32_t, &r->results, of);
    }
    return true;
}
/* What it is in each of so many rounds is known, and behind them. */
XG_FN bool xg_rounds_counts(const xg_while *w, uint32_t k, int64_t trips, int64_t *first, int64_t *step) {
    return trips > 0 && xg_while_counts(w, k, first, step) && *first >= 0 && *first <= INT32_MAX &&
           *step >= -INT32_MAX && *step <= INT32_MAX;
}
XG_FN bool xg_rounds_look(xg_rounds *r, const xg_comp *c) {
    xg_inst **params;
    xg_while w;
    uint32_t k;
    r->loop = xg_rounds_loop(c);
    if (!r->loop || !xg_while_look(&w, r->loop) || w.init->op != XG_TUPLE || w.body->n_insts > XG_ROUNDS_INSTS)
        return false;
    r->trips = xg_fuse_trips(r->loop);
    if (!r->trips) return false;
    r->n = w.n;
    r->state = XG_NEW_N(r->arena, xg_round_state, r->n + (size_t)1);
    r->comp = xg_comp_new(c->module, XG_STR("round"), NULL);
    params = XG_NEW_N(r->arena, xg_inst *, c->n_params + (size_t)1);
    for (k = 0; k < c->n_params; k++) params[k] = xg_inst_clone(c->params[k], r->comp, NULL, NULL);
    (void)xg_opt_inline(c, r->comp, NULL, params);
    if (!xg_rounds_copy(r, &w) || !xg_rounds_results(r, c)) return false;
    for (k = 0; k < r->n; k++) {
        xg_round_state *s = &r->state[k];
        s->kind = s->inst == s->init                                                     ? XG_ROUND_KEPT
                  : !s->result && xg_rounds_counts(&w, k, r->trips, &s->first, &s->step) ? XG_ROUND_COUNTS
                                                                                         : XG_ROUND_CARRIED;
    }
    for (k = 0; k < r->n; k++) {
        xg_round_state *s = &r->state[k];
        if (s->kind == XG_ROUND_CARRIED && xg_rounds_stacks(r, k)) s->kind = XG_ROUND_STACKED;
        if (s->kind == XG_ROUND_CARRIED) (void)xg_rounds_value(r, XG_ROUND_NEXT, k, s->inst, s->next);
        if (s->kind == XG_ROUND_STACKED || s->kind == XG_ROUND_COUNTS) xg_push(r->arena, xg_inst *, &r->given, s->inst);
    }
    xg_rounds_mark(r);
    if (r->again && xg_rounds_depends(r->again) > 2) return false;
    if (r->again) (void)xg_rounds_value(r, XG_ROUND_NEXT, 0, NULL, r->again);
    XG_FOR_INSTS(i, r->comp)
        if (i->op == XG_REDUCE && xg_rounds_depends(i) > 2) {
            (void)xg_rounds_value(r, XG_ROUND_SUM, 0, i, XG_OPERAND(i, 0));
            r->sums = true;
        }
    return xg_rounds_places(r) && xg_rounds_part(r);
}
XG_FN xg_rounds *xg_rounds_open(xg_arena *a, xg_aff_ctx *x, const xg_comp *c) {
    xg_rounds *r = XG_NEW(a, xg_rounds);
    r->arena = a;
    r->aff = x;
    return xg_rounds_look(r, c) ? r : NULL;
}

/* ---- the pass ---- */

/* What the loop begins with, inside of the fused computation: constants are made there, and what a thread makes of an
 * element for itself; others are parameters. */
typedef struct xg_rounds_maker {
    xg_comp *c;
    xg_inst **operands;
    xg_map64 params; /* by id of the value outside, + 1 */
    uint32_t made;
} xg_rounds_maker;
XG_FN bool xg_rounds_makes(const xg_inst *o) {
    if (o->n_operands > 1 || !xg_rounds_takes(o) || xg_rounds_is_shared(o)) return false;
    return o->op == XG_IOTA || (o->n_operands && o->op != XG_REDUCE && o->op != XG_GATHER);
}
XG_FN xg_inst *xg_rounds_inside(xg_rounds_maker *w, xg_inst *o, xg_round_kind kind) {
    xg_inst *now, *in;
    bool splat = xg_rounds_splat(o) != NULL;
    if (kind != XG_ROUND_STACKED && w->made++ < XG_ROUNDS_COPIES &&
        (splat || (kind == XG_ROUND_CARRIED && xg_rounds_makes(o)))) {
        in = o->n_operands ? xg_rounds_inside(w, XG_OPERAND(o, 0), kind) : NULL;
        return xg_inst_clone(o, w->c, &in, NULL);
    }
    if (splat) o = xg_inst_clone(o, o->comp, &XG_OPERAND(o, 0), o->next); /* each is filled by itself */
    now = kind == XG_ROUND_STACKED ? NULL : (xg_inst *)xg_map64_get(&w->params, o->id + (uint64_t)1);
    if (now) return now;
    w->operands[w->c->n_params] = o;
    now = xg_comp_add_numbered_param(w->c, o->shape);
    if (kind != XG_ROUND_STACKED) xg_map64_put(&w->params, o->id + (uint64_t)1, now);
    return now;
}
/* A stacked array that the rounds fill needs no contents. */
XG_FN void xg_rounds_begin(const xg_rounds *r, xg_inst *init) {
    xg_hb b = xg_hb_at(init);
    uint32_t k;
    for (k = 0; k < r->n; k++) {
        const xg_shape *s = init->shape->elems[k];
        const xg_shape *scalar = xg_shape_scalar(init->comp->module, s->type);
        if (r->state[k].covered)
            xg_inst_set_operand(init, k,
                xg_hb_splat(
                    &b, xg_hb_literal(&b, xg_literal_new(init->comp->module->arena, scalar)), s->dims, s->rank));
    }
}
XG_FN bool xg_rounds_fuse(xg_inst *loop) {
    xg_module *m = loop->comp->module;
    xg_comp *last = m->last;
    xg_inst **in, **out, *tuple, *inner;
    unsigned char *taken;
    xg_rounds_maker p;
    xg_rounds *r;
    int64_t trips = xg_fuse_trips(loop), first, step;
    uint32_t n_out = 0, k;
    const xg_inst *i;
    xg_while w;
    xg_hb b;
    if (!xg_while_look(&w, loop) || w.init->op != XG_TUPLE || xg_inst_order(loop) || trips == 1) return false;
    for (i = w.in->next; i; i = i->next)
        if (i->op != XG_GET_TUPLE_ELEMENT && i != w.body->root && !xg_rounds_takes(i)) return false;
    in = XG_NEW_N(m->work, xg_inst *, 4 * (w.n + (size_t)1));
    out = in + w.n;
    p.operands = out + w.n;
    taken = (unsigned char *)(p.operands + w.n);
    if (!xg_opt_taken_elements(loop, taken)) return false;
    p.c = xg_comp_new(m, XG_STR("fused_while"), loop->comp);
    xg_map64_init(&p.params, m->work);
    p.made = 0;
    for (k = 0; k < w.n; k++) {
        bool stacked = xg_in_place_strip(XG_OPERAND(w.body->root, k))->op == XG_DYNAMIC_UPDATE_SLICE;
        in[k] = xg_rounds_inside(&p, XG_OPERAND(w.init, k),
            stacked          ? XG_ROUND_STACKED
            : w.invariant[k] ? XG_ROUND_KEPT
                             : XG_ROUND_CARRIED);
    }
    tuple = xg_inst_new(p.c, XG_TUPLE, w.init->shape, in, w.n, NULL, w.init->name);
    inner = xg_inst_clone(loop, p.c, &tuple, NULL);
    b = xg_hb_end(p.c, NULL);
    for (k = 0; k < w.n; k++)
        if (taken[k] && !w.invariant[k] && !xg_rounds_counts(&w, k, trips, &first, &step))
            out[n_out++] = xg_hb_element(&b, inner, k);
    p.c->root = n_out == 1 ? out[0] : xg_hb_tuple(&b, out, n_out);
    r = n_out ? xg_rounds_open(m->work, xg_aff_new(m->work), p.c) : NULL;
    while (m->last != last) xg_comp_remove(m->last);
    if (!r) {
        for (k = 0; k < p.c->n_params; k++)
            if (!p.operands[k]->first_use) xg_inst_remove(p.operands[k]);
        xg_comp_remove(p.c);
        return false;
    }
    xg_rounds_begin(r, tuple);
    b = xg_hb_at(loop);
    inner = xg_hb_op(&b, XG_FUSION, p.c->root->shape, p.operands, p.c->n_params);
    xg_inst_set_text(inner, XG_A_kind, "kLoop");
    xg_inst_set_comp(inner, XG_A_calls, p.c);
    (void)xg_dce_fusion_params(inner);
    for (n_out = 0, k = 0; k < w.n; k++) {
        in[k] = XG_OPERAND(w.init, k);
        if (!taken[k] || w.invariant[k]) continue;
        if (xg_rounds_counts(&w, k, trips, &first, &step))
            in[k] = xg_hb_int(&b, in[k]->shape->type, first + step * trips);
        else
            in[k] = r->results.n == 1 ? inner : xg_hb_element(&b, inner, n_out++);
    }
    xg_opt_replace_tuple(loop, in);
    xg_inst_remove(loop);
    return true;
}
XG_FN bool xg_fuse_loops(xg_module *m) {
    xg_comps all;
    bool changed = false;
    uint32_t k;
    if (!m->made[XG_WHILE]) return false;
    all = xg_opt_sequences(m);
    for (k = all.n; k-- > 0;) { /* inner ones come before those around them */
        xg_inst *i, *next;
        for (i = all.p[k]->n_control ? all.p[k]->first : NULL; i; i = next) {
            xg_inst *before = i->prev;
            next = i->next;
            if (i->op != XG_WHILE || !xg_rounds_fuse(i)) continue;
            next = before ? before->next : all.p[k]->first;
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_FUSE_ROUNDS_C */
