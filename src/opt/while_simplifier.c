/* opt/while_simplifier.c -- WhileLoopSimplifier: loops whose state is a tuple.
 *
 * - A loop that never runs is its initial state; one that runs once is its body. How often it runs is known where the
 *   condition compares an element of the state with a constant, the body adds a constant to that element, and it begins
 *   as a constant.
 * - An element that the body hands on unchanged is what it was at the beginning, inside as well where that is a scalar
 *   constant.
 * - An element that the condition does not need, that nothing takes from the result, and from which the body makes
 *   nothing else that is needed, leaves the state.
 * - Integers that begin as constants and to which the same is added in each round are one, and another one so much
 *   behind it.
 * - What the body computes from unchanged elements only is computed before the loop (invariant code motion), unless
 *   that would only make the state bigger.
 * - A short loop of elementwise operations, slices and gathers (the rounds of a random generator, a binary search) is
 *   written out: kernels can be made of several rounds at once, and nothing asks whether to go on. */
#ifndef XG_OPT_WHILE_SIMPLIFIER_C
#define XG_OPT_WHILE_SIMPLIFIER_C
#include "opt.h"

enum {
    XG_WHILE_UNROLL_INSTS = 1000, /* threefry: five rounds of 58; a binary search: up to 33 of 30 */
    XG_WHILE_UNROLL_TRIPS = 33
};

XG_FN int64_t xg_while_index(const xg_inst *element) { return xg_attr_index(element); }
XG_APART XG_FN bool xg_while_only_elements(const xg_inst *tuple) {
    XG_FOR_USES(u, tuple)
        if (u->user->op != XG_GET_TUPLE_ELEMENT) return false;
    return tuple != tuple->comp->root;
}
/* What can be said without asking for the readers of the result. */
XG_FN bool xg_while_look(xg_while *w, xg_inst *i) {
    uint32_t k;
    memset(w, 0, sizeof *w);
    w->loop = i;
    w->m = i->comp->module;
    w->init = XG_OPERAND(i, 0);
    w->body = xg_attr_comp(i, XG_A_body);
    w->condition = xg_attr_comp(i, XG_A_condition);
    w->in = w->body->params[0];
    w->test = w->condition->params[0];
    /* bodies lie one behind the other as loops do */
    for (k = 0; k < XG_INST_AHEAD; k += XG_INST_LINE) XG_PREFETCH((const char *)((uintptr_t)w->in + XG_INST_AHEAD + k));
    if (i->shape->type != XLAGPU_TUPLE || w->body->root->op != XG_TUPLE || w->body->root->first_use ||
        !xg_while_only_elements(w->in) || !xg_while_only_elements(w->test))
        return false;
    w->n = i->shape->n_elems;
    w->invariant = XG_NEW_N(w->m->work, unsigned char, w->n + 1);
    for (k = 0; k < w->n; k++) {
        const xg_inst *next = XG_OPERAND(w->body->root, k);
        w->invariant[k] =
            next->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(next, 0) == w->in && xg_while_index(next) == (int64_t)k;
    }
    return true;
}
XG_FN bool xg_while_open(xg_while *w, xg_inst *i) {
    if (!xg_while_look(w, i)) return false;
    w->taken = XG_NEW_N(w->m->work, unsigned char, w->n + 1);
    w->live = XG_NEW_N(w->m->work, unsigned char, w->n + 1);
    w->whole = !xg_opt_taken_elements(i, w->taken);
    return true;
}
/* The k-th initial value where it is there already. */
XG_FN const xg_inst *xg_while_begin(const xg_while *w, int64_t k) {
    return w->init->op == XG_TUPLE ? XG_OPERAND(w->init, k) : NULL;
}

/* ---- how often ---- */

XG_FN bool xg_while_constant(const xg_while *w, const xg_inst *i, int64_t *v) {
    if (i->op == XG_GET_TUPLE_ELEMENT && (XG_OPERAND(i, 0) == w->in || XG_OPERAND(i, 0) == w->test) &&
        w->invariant[xg_while_index(i)])
        i = xg_while_begin(w, xg_while_index(i));
    return i && i->op == XG_CONSTANT && i->shape->elements == 1 && !i->literal->elided &&
           xg_type_class(i->shape->type) == XGT_I && xg_literal_get_int(i->literal, 0, v);
}
/* Rounds of: i = init; while (i <direction> bound) i += step; -1 where it would wrap. */
XG_FN int64_t xg_while_count(xlagpu_type t, xg_str direction, int64_t init, int64_t bound, int64_t step) {
    int64_t span, n, last;
    if (init == INT64_MIN || bound == INT64_MIN || (t == XLAGPU_U64 && (init < 0 || bound < 0))) return -1;
    if (xg_str_is(direction, "NE")) {
        if (!xg_add64(bound, -init, &span) || span == INT64_MIN || span % step) return -1; /* -span is a number, too */
        return XG_MAX(span / step, (int64_t)-1);
    }
    if (xg_str_is(direction, "LE")) {
        if (bound == INT64_MAX) return -1;
        bound++;
    } else if (xg_str_is(direction, "GE"))
        bound--;
    if (xg_word_in("LT LE", direction) >= 0) {
        if (init >= bound) return 0;
        if (step <= 0 || !xg_add64(bound, -init, &span) || !xg_add64(span, step - 1, &n)) return -1;
        n /= step;
    } else if (xg_word_in("GT GE", direction) >= 0) {
        if (init <= bound) return 0;
        if (step >= 0 || step == INT64_MIN || bound == INT64_MIN || !xg_add64(init, -bound, &span) ||
            !xg_add64(span, -step - 1, &n))
            return -1;
        n /= -step;
    } else
        return -1;
    if (!xg_mul64(n, step, &last) || !xg_add64(last, init, &last)) return -1;
    if (xg_type_bits(t) < 64 && (last < xg_int_type_min(t) || last > (int64_t)xg_int_type_max(t))) return -1;
    return n;
}
XG_FN bool xg_while_counts(const xg_while *w, uint32_t k, int64_t *first, int64_t *step) {
    const xg_inst *next = XG_OPERAND(w->body->root, k), *begin = xg_while_begin(w, k);
    uint32_t side;
    if ((next->op != XG_ADD && next->op != XG_SUBTRACT) || next->shape->rank || !begin ||
        !xg_while_constant(w, begin, first))
        return false;
    for (side = 0; side < (next->op == XG_ADD ? 2 : 1); side++) {
        const xg_inst *x = XG_OPERAND(next, side);
        if (x->op != XG_GET_TUPLE_ELEMENT || XG_OPERAND(x, 0) != w->in || xg_while_index(x) != (int64_t)k ||
            !xg_while_constant(w, XG_OPERAND(next, 1 - side), step) || *step == INT64_MIN)
            continue;
        if (next->op == XG_SUBTRACT) *step = -*step;
        return true;
    }
    return false;
}
/* -1: not known. *index: which element counts. */
XG_FN int64_t xg_while_trips(xg_while *w, int64_t *index) {
    XG_TABLE const char mirrored[][2][3] = {{"LT", "GT"}, {"GT", "LT"}, {"LE", "GE"}, {"GE", "LE"}, {"NE", "NE"}};
    const xg_inst *c = w->condition->root, *counter;
    xg_str direction;
    int64_t bound, side;
    size_t k;
    if (c->op != XG_COMPARE) return -1;
    direction = xg_attr_str(c, XG_A_direction);
    side = xg_while_constant(w, XG_OPERAND(c, 1), &bound) ? 0 : 1;
    if (side == 1 && !xg_while_constant(w, XG_OPERAND(c, 0), &bound)) return -1;
    counter = XG_OPERAND(c, side);
    if (counter->op != XG_GET_TUPLE_ELEMENT || XG_OPERAND(counter, 0) != w->test) return -1;
    if (side == 1) {
        for (k = 0; k < XG_COUNT(mirrored) && !xg_str_is(direction, mirrored[k][0]); k++) {}
        if (k == XG_COUNT(mirrored)) return -1;
        direction = xg_str_z(mirrored[k][1]);
    }
    *index = xg_while_index(counter);
    if (!xg_while_counts(w, (uint32_t)*index, &w->first, &w->step) || !w->step) return -1;
    return xg_while_count(counter->shape->type, direction, w->first, bound, w->step);
}

/* ---- rounds written out ---- */

XG_FN xg_inst *xg_while_round(const xg_hb *b, const xg_while *w, xg_inst *state) {
    return xg_opt_inline(w->body, b->comp, b->before, &state);
}
XG_FN bool xg_while_may_unroll(const xg_while *w, int64_t trips) {
    if (trips > XG_WHILE_UNROLL_TRIPS || trips * (int64_t)w->body->n_insts > XG_WHILE_UNROLL_INSTS) return false;
    XG_FOR_INSTS(i, w->body) {
        if (i->op == XG_PARAMETER || i->op == XG_CONSTANT || i->op == XG_TUPLE || i->op == XG_GET_TUPLE_ELEMENT ||
            i->op == XG_BROADCAST || i->op == XG_IOTA || i->op == XG_RESHAPE || i->op == XG_GATHER || i->op == XG_SLICE)
            continue;
        if (!(xg_op_flags(i->op) & XGF_EW)) return false;
    }
    return true;
}

/* ---- what stays in the state ---- */

/* Marks what the instruction in the body needs. An instruction that has been seen is marked by its scratch. */
XG_FN void xg_while_need(xg_while *w, xg_inst *i) {
    XG_VEC(xg_inst *) work = {NULL, 0, 0};
    uint32_t k;
    xg_push(w->m->work, xg_inst *, &work, i);
    while (work.n) {
        i = work.p[--work.n];
        if (i->scratch == w->loop) continue;
        i->scratch = w->loop;
        if (i->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(i, 0) == w->in) {
            int64_t at = xg_while_index(i);
            if (!w->live[at]) {
                w->live[at] = 1;
                xg_push(w->m->work, xg_inst *, &work, XG_OPERAND(w->body->root, at));
            }
            continue;
        }
        for (k = 0; k < i->n_operands; k++) xg_push(w->m->work, xg_inst *, &work, XG_OPERAND(i, k));
    }
}
XG_FN void xg_while_find_live(xg_while *w, const unsigned char *acts) {
    uint32_t k;
    XG_FOR_INSTS(i, w->body) i->scratch = NULL;
    XG_FOR_USES(u, w->test)
        if (!w->live[xg_while_index(u->user)]) {
            w->live[xg_while_index(u->user)] = 1;
            xg_while_need(w, XG_OPERAND(w->body->root, xg_while_index(u->user)));
        }
    for (k = 0; k < w->n; k++)
        if ((w->whole || w->taken[k]) && !w->invariant[k] && !w->live[k]) {
            w->live[k] = 1;
            xg_while_need(w, XG_OPERAND(w->body->root, k));
        }
    XG_FOR_INSTS(i, w->body)
        if (xg_dce_acts(i, acts) || xg_inst_order(i)) xg_while_need(w, i);
}
/* Invariant elements that begin as scalar constants go into body and condition. */
XG_FN bool xg_while_sinks(const xg_while *w, uint32_t k) {
    const xg_inst *begin = xg_while_begin(w, k);
    return w->invariant[k] && begin && begin->op == XG_CONSTANT && begin->shape->rank == 0 &&
           xg_shape_is_array(begin->shape);
}

/* ---- invariant code ---- */

XG_FN bool xg_while_may_move(const xg_inst *i) {
    switch (i->op) {
    case XG_PARAMETER:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_AFTER_ALL:
    case XG_OPT_BARRIER:
    case XG_WHILE:
    case XG_CONDITIONAL:
    case XG_CALL:
    case XG_FUSION:
    case XG_CUSTOM_CALL: return false;
    default:
        return xg_shape_is_array(i->shape) && !i->shape->dynamic &&
               !(xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)) && !xg_inst_order(i);
    }
}
/* Elementwise operations and those that only move data cost next to nothing where they are, but an array in the state
 * where they are not. */
XG_FN bool xg_while_worth_moving(const xg_inst *i) {
    switch (i->op) {
    case XG_DOT:
    case XG_CONVOLUTION:
    case XG_REDUCE:
    case XG_REDUCE_WINDOW:
    case XG_SORT:
    case XG_GATHER:
    case XG_SCATTER:
    case XG_SELECT_AND_SCATTER:
    case XG_FFT:
    case XG_CHOLESKY:
    case XG_TRIANGULAR_SOLVE:
    case XG_RAGGED_DOT: return xg_while_may_move(i);
    default: return false;
    }
}
/* What find_moved knows of an instruction of the body, in its scratch: nothing (it changes), the body (it is fixed),
 * the condition (it is fixed and worth moving, or made elementwise of what is). */
XG_FN bool xg_while_is_fixed(const xg_while *w, const xg_inst *i) {
    uint32_t k;
    if (i->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(i, 0) == w->in) return w->invariant[xg_while_index(i)] != 0;
    if (!xg_while_may_move(i)) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!XG_OPERAND(i, k)->scratch) return false;
    return true;
}
XG_FN bool xg_while_is_heavy(const xg_while *w, const xg_inst *i) {
    uint32_t k;
    if (xg_while_worth_moving(i)) return true;
    for (k = 0; (xg_op_flags(i->op) & XGF_EW) && k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->scratch == w->condition) return true;
    return false;
}
/* The last heavy ones before something else uses them are handed in from outside. */
XG_FN uint32_t xg_while_find_moved(const xg_while *w, xg_inst **moved) {
    uint32_t n = 0;
    XG_FOR_INSTS(i, w->body) i->scratch = NULL;
    XG_FOR_INSTS(i, w->body)
        if (xg_while_is_fixed(w, i)) i->scratch = xg_while_is_heavy(w, i) ? w->condition : w->body;
    XG_FOR_INSTS(i, w->body) {
        bool used = false;
        if (i->scratch != w->condition) continue;
        XG_FOR_USES(u, i) used = used || u->user->scratch != w->condition;
        if (used) moved[n++] = i;
    }
    return n;
}
/* Copies of the fixed instructions that the moved ones need, in front of the loop; by id of the instruction in the
 * body. */
XG_APART XG_FN void xg_while_copy_out(
    const xg_hb *b, const xg_while *w, xg_inst *const *moved, uint32_t n, xg_map64 *made) {
    xg_map64 needed;
    xg_inst *i;
    uint32_t k;
    xg_map64_init(&needed, w->m->work);
    for (k = 0; k < n; k++) xg_map64_put(&needed, moved[k]->id, moved[k]);
    for (i = n ? moved[n - 1] : NULL; i; i = i->prev)
        if (xg_map64_get(&needed, i->id) && i->op != XG_GET_TUPLE_ELEMENT)
            for (k = 0; k < i->n_operands; k++) xg_map64_put(&needed, XG_OPERAND(i, k)->id, i);
    for (i = n ? w->body->first : NULL; i; i = i->next) {
        xg_inst **in;
        if (!xg_map64_get(&needed, i->id)) continue;
        if (i->op == XG_GET_TUPLE_ELEMENT) {
            xg_map64_put(made, i->id, xg_hb_element(b, w->init, xg_while_index(i)));
            continue;
        }
        in = XG_NEW_N(w->m->work, xg_inst *, i->n_operands + 1);
        for (k = 0; k < i->n_operands; k++) in[k] = (xg_inst *)xg_map64_get(made, XG_OPERAND(i, k)->id);
        xg_map64_put(made, i->id, xg_inst_clone(i, b->comp, in, b->before));
    }
}

/* ---- the loop again ---- */

/* place: of an element in the new state, -1: gone. leader: the element that counts with it, -1: none; it is always so
 * much behind. */
typedef struct xg_while_plan {
    uint32_t n;
    int64_t *place, *leader, *behind;
    xg_inst **moved;
    uint32_t n_moved;
} xg_while_plan;

/* ---- elements that count together ---- */

/* Of those of one type that add the same, all but the first are that one and a constant: where they wrap, both do. */
XG_FN bool xg_while_find_leaders(xg_while *w, xg_while_plan *p) {
    int64_t *first = XG_NEW_N(w->m->work, int64_t, w->n + 1), *step = XG_NEW_N(w->m->work, int64_t, w->n + 1);
    bool *counts = XG_NEW_N(w->m->work, bool, w->n + 1), any = false;
    uint32_t k, j;
    for (k = 0; k < w->n; k++) {
        p->leader[k] = -1;
        counts[k] = xg_while_counts(w, k, &first[k], &step[k]);
        for (j = 0; counts[k] && w->live[k] && j < k && p->leader[k] < 0; j++) {
            if (!counts[j] || p->leader[j] >= 0 || step[j] != step[k] ||
                XG_OPERAND(w->body->root, j)->shape != XG_OPERAND(w->body->root, k)->shape)
                continue;
            if (!xg_add64(first[k], first[j] == INT64_MIN ? INT64_MAX : -first[j], &p->behind[k]) ||
                first[j] == INT64_MIN)
                continue;
            if (p->behind[k] && (xg_type_bits(XG_OPERAND(w->body->root, k)->shape->type) < 32 ||
                                    p->behind[k] > INT32_MAX || p->behind[k] < 0))
                continue; /* the constant is one of the type */
            p->leader[k] = j;
            w->live[j] = 1; /* and what it is made of: itself */
            any = true;
        }
    }
    return any;
}
XG_FN xg_inst *xg_while_follow(const xg_hb *b, const xg_while_plan *p, int64_t k, xg_inst *leader) {
    return p->behind[k] ? xg_hb_2(b, XG_ADD, leader, xg_hb_int(b, leader->shape->type, p->behind[k])) : leader;
}

/* A copy of the computation over the new state: its parameter's elements, constants for those that sank, and for the
 * body what was moved. */
XG_FN xg_comp *xg_while_rewrite(const xg_while *w, const xg_while_plan *p, const xg_comp *from, const xg_shape *state) {
    xg_comp *to = xg_comp_new(w->m, from->name, w->loop->comp);
    xg_hb b = xg_hb_end(to, NULL);
    xg_inst *param = xg_comp_add_param(to, state, from->params[0]->name), **next;
    xg_map64 made;
    uint32_t k;
    xg_map64_init(&made, w->m->work);
    for (k = 0; from == w->body && k < p->n_moved; k++)
        xg_map64_put(&made, p->moved[k]->id, xg_hb_element(&b, param, p->n + k));
    XG_FOR_INSTS(i, from) {
        xg_inst **in;
        bool missing = false;
        if (i->op == XG_PARAMETER || xg_map64_get(&made, i->id) || (from == w->body && i == from->root)) continue;
        if (i->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(i, 0) == from->params[0]) {
            int64_t at = xg_while_index(i);
            if (xg_while_sinks(w, (uint32_t)at))
                xg_map64_put(&made, i->id, xg_inst_clone((xg_inst *)xg_while_begin(w, at), to, NULL, NULL));
            else if (p->leader[at] >= 0)
                xg_map64_put(
                    &made, i->id, xg_while_follow(&b, p, at, xg_hb_element(&b, param, p->place[p->leader[at]])));
            else if (p->place[at] >= 0)
                xg_map64_put(&made, i->id, xg_hb_element(&b, param, p->place[at]));
            continue;
        }
        in = XG_NEW_N(w->m->work, xg_inst *, i->n_operands + 1);
        for (k = 0; k < i->n_operands; k++) {
            in[k] = (xg_inst *)xg_map64_get(&made, XG_OPERAND(i, k)->id);
            missing = missing || !in[k];
        }
        if (!missing)
            xg_map64_put(&made, i->id, xg_inst_clone(i, to, in, NULL)); /* else it served an element that has gone */
    }
    if (from != w->body) {
        to->root = (xg_inst *)xg_map64_get(&made, from->root->id);
        return to;
    }
    next = XG_NEW_N(w->m->work, xg_inst *, p->n + p->n_moved + 1);
    for (k = 0; k < w->n; k++)
        if (p->place[k] >= 0) next[p->place[k]] = (xg_inst *)xg_map64_get(&made, XG_OPERAND(from->root, k)->id);
    for (k = 0; k < p->n_moved; k++) next[p->n + k] = (xg_inst *)xg_map64_get(&made, p->moved[k]->id);
    to->root = xg_hb_tuple(&b, next, p->n + p->n_moved);
    return to;
}
XG_APART XG_FN xg_inst *xg_while_remake(const xg_hb *b, const xg_while *w, const xg_while_plan *p) {
    xg_inst **begin = XG_NEW_N(w->m->work, xg_inst *, p->n + p->n_moved + w->n + 1), *init, *loop;
    xg_comp *condition, *body;
    xg_map64 outside;
    uint32_t k;
    xg_map64_init(&outside, w->m->work);
    for (k = 0; k < w->n; k++)
        if (p->place[k] >= 0) begin[p->place[k]] = xg_hb_element(b, w->init, k);
    xg_while_copy_out(b, w, p->moved, p->n_moved, &outside);
    for (k = 0; k < p->n_moved; k++) begin[p->n + k] = (xg_inst *)xg_map64_get(&outside, p->moved[k]->id);
    init = xg_hb_tuple(b, begin, p->n + p->n_moved);
    condition = xg_while_rewrite(w, p, w->condition, init->shape);
    body = xg_while_rewrite(w, p, w->body, init->shape);
    loop = xg_hb_while(b, init, condition, body);
    for (k = 0; k < w->n; k++) {
        if (p->leader[k] >= 0)
            begin[k] = xg_while_follow(b, p, k, xg_hb_element(b, loop, p->place[p->leader[k]]));
        else
            begin[k] = p->place[k] >= 0 && !w->invariant[k] ? xg_hb_element(b, loop, p->place[k])
                                                            : xg_hb_element(b, w->init, k);
    }
    return xg_hb_tuple(b, begin, w->n);
}
/* NULL when the loop is as it should be. */
XG_APART XG_FN xg_inst *xg_while_smaller(const xg_hb *b, xg_while *w, const unsigned char *acts) {
    xg_while_plan p;
    uint32_t k, uses = 0;
    bool changes = false;
    memset(&p, 0, sizeof p);
    xg_while_find_live(w, acts);
    p.place = XG_NEW_N(w->m->work, int64_t, w->n + 1);
    p.leader = XG_NEW_N(w->m->work, int64_t, w->n + 1);
    p.behind = XG_NEW_N(w->m->work, int64_t, w->n + 1);
    changes = xg_while_find_leaders(w, &p);
    p.moved = XG_NEW_N(w->m->work, xg_inst *, w->body->n_insts + 1);
    p.n_moved = xg_while_find_moved(w, p.moved);
    for (k = 0; k < w->n; k++) {
        bool stays = w->live[k] && !xg_while_sinks(w, k) && p.leader[k] < 0;
        p.place[k] = stays ? (int64_t)p.n++ : -1;
        changes = changes || !stays || (w->invariant[k] && (w->taken[k] || w->whole));
    }
    XG_FOR_USES(u, w->loop) uses++;
    if (uses == 0 && w->loop != w->loop->comp->root) return NULL; /* dce's, or its effects' */
    if ((!changes && p.n_moved == 0) || p.n + p.n_moved == 0) return NULL;
    return xg_while_remake(b, w, &p);
}

XG_APART XG_FN xg_inst *xg_while_expand(const xg_hb *b, xg_inst *i, const unsigned char *acts) {
    xg_while w;
    int64_t trips, index = 0, k;
    xg_inst *state, **all;
    if (!xg_while_open(&w, i)) return NULL;
    trips = xg_while_trips(&w, &index);
    if (trips >= 0 && !acts[w.condition->id] && (trips <= 1 || (!acts[w.body->id] && xg_while_may_unroll(&w, trips)))) {
        for (state = w.init, k = 0; k < trips; k++) state = xg_while_round(b, &w, state);
        all = XG_NEW_N(w.m->work, xg_inst *, w.n + 1);
        for (k = 0; k < (int64_t)w.n; k++) all[k] = xg_hb_element(b, state, k);
        return xg_hb_tuple(b, all, w.n);
    }
    return acts[w.condition->id] ? NULL : xg_while_smaller(b, &w, acts);
}

/* Loops inside come first; a loop that was changed is looked at again. */
XG_FN bool xg_opt_while_simplifier(xg_module *m) {
    uint32_t n_comps = m->n_comp_ids;
    unsigned char *acts;
    bool changed = false;
    xg_comp *c;
    if (!m->made[XG_WHILE]) return false;
    acts = xg_opt_acting_comps(m);
    for (c = m->first; c; c = xg_comp_behind(c)) {
        xg_inst *i = c->first, *next;
        if (c->id >= n_comps) continue; /* made here: the next round's */
        for (; i; i = next) {
            xg_hb b;
            xg_inst *made, **values;
            xg_mark none;
            uint32_t k;
            next = xg_inst_behind(i);
            if (i->op != XG_WHILE || xg_inst_order(i) || xg_attr_comp(i, XG_A_body)->id >= n_comps) continue;
            b = xg_hb_at(i);
            none = xg_arena_mark(m->work);
            made = xg_while_expand(&b, i, acts);
            next = xg_inst_behind(i); /* its elements may have stood there, and are gone */
            if (!made) {
                xg_arena_reset(m->work, none);
                continue;
            }
            values = XG_NEW_N(m->work, xg_inst *, made->n_operands + 1);
            for (k = 0; k < made->n_operands; k++) values[k] = XG_OPERAND(made, k);
            xg_opt_replace_tuple(i, values);
            next = xg_inst_behind(i);
            xg_inst_remove(i);
            if (!made->first_use && made != c->root) xg_inst_remove(made);
            xg_arena_reset(m->work, none);
            changed = true;
            if (c != m->entry) acts = xg_opt_acting_comps(m); /* the loop around this one asks for what was made */
        }
    }
    return changed;
}

/* ---- what is known of the counters of loops ---- */

/* How many loops, branches and calls run each computation, by id. */
XG_FN uint32_t *xg_while_runs(xg_module *m) {
    uint32_t *runs = XG_NEW_N(m->work, uint32_t, m->n_comp_ids + 1), k;
    xg_comp *c;
    for (c = m->first; c; c = xg_comp_behind(c))
        XG_FOR_INSTS(i, c) {
            xg_comps run;
            if (i->op == XG_CALL || i->op == XG_ASYNC_START) {
                xg_comp *callee = xg_attr_comp(i, i->op == XG_CALL ? XG_A_to_apply : XG_A_calls);
                if (callee) runs[callee->id]++;
            }
            if (!xg_opt_is_control(i)) continue;
            run = xg_opt_control_comps(m->work, i);
            for (k = 0; k < run.n; k++) runs[run.p[k]->id]++;
        }
    return runs;
}
XG_FN void xg_while_note_counter(xg_map64 *all, xg_while *w, const xg_comp *c, int64_t index, int64_t rounds) {
    xg_loop_counter *l = XG_NEW(w->m->work, xg_loop_counter);
    int64_t last = w->first + rounds * w->step; /* xg_while_count has seen that none of it overflows */
    l->index = index;
    l->lo = XG_MIN(w->first, last);
    l->hi = XG_MAX(w->first, last);
    xg_map64_put(all, c->id, l);
}
XG_APART XG_FN xg_map64 *xg_opt_loop_counters(xg_module *m) {
    xg_map64 *all = XG_NEW(m->work, xg_map64);
    uint32_t *runs = xg_while_runs(m);
    xg_comp *c;
    xg_map64_init(all, m->work);
    for (c = m->first; c; c = xg_comp_behind(c))
        XG_FOR_INSTS(i, c) {
            xg_while w;
            int64_t trips, index = 0;
            if (i->op != XG_WHILE || !xg_while_look(&w, i) || runs[w.body->id] != 1 || runs[w.condition->id] != 1)
                continue;
            trips = xg_while_trips(&w, &index);
            if (trips < 1) continue;
            xg_while_note_counter(all, &w, w.body, index, trips - 1);
            xg_while_note_counter(all, &w, w.condition, index, trips);
        }
    return all;
}

/* ---- known_trip_count ---- */

/* WhileLoopTripCountAnnotator: says in backend_config what was found, for what runs the loop. */
XG_FN bool xg_opt_trip_count_annotator(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->made[XG_WHILE] ? m->first : NULL; c; c = xg_comp_behind(c))
        XG_FOR_INSTS(i, c) {
            xg_while w;
            int64_t trips, index = 0;
            char text[160];
            if (i->op != XG_WHILE || xg_inst_attr(i, XG_A_backend_config) || !xg_while_open(&w, i)) continue;
            trips = xg_while_trips(&w, &index);
            if (trips < 0) continue;
            xg_format(text, sizeof text,
                "{\"known_trip_count\":{\"n\":\"%lld\"},\"known_induction_variable\":{\"tuple_index\":\"%lld\"}}",
                (long long)trips, (long long)index);
            xg_inst_set_text(i, XG_A_backend_config, text);
            changed = true;
        }
    return changed;
}

#endif /* XG_OPT_WHILE_SIMPLIFIER_C */
