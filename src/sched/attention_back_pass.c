/* sched/attention_back_pass.c -- attention-backward-fusion: the dots of dQ, dK and dV, and all that is made for them of
 * scores and dP, become two fusions whose records name the rule that makes them.
 *
 *     (dQ, rows ...) = fusion(Q, K, V, dO)          rows: values that scores, weights and dS read by rows
 *     (dK, dV) = fusion(Q, K, V, dO, rows ...)
 *
 * or, where that is faster and there is memory for it,
 *
 *     (rows ...) = fusion(Q, K, V, dO)
 *     (dK, dV, dS) = fusion(Q, K, V, dO, rows ...)
 *     dQ = dot(dS, K)
 *
 * Where heads share keys, dK and dV may be made for each head apart, and added up behind the second fusion: there are
 * as many more blocks.
 *
 * Both make scores, weights and dP again. Where the forward pass reads the same weights, it is left with what it needs
 * alone; the pass attention-fusion behind this one makes it a kernel, whose maximum and sum the first fusion reads.
 * What is as large as the scores may have no other reader: then it has to be in memory anyway. */
#ifndef XG_SCHED_ATTENTION_BACK_PASS_C
#define XG_SCHED_ATTENTION_BACK_PASS_C
#include "attention.h"
#include "attention_back_plan.c"

enum {
    XG_ATTENTION_BACK_EPILOGUE = 8, /* conversions and moves behind a dot */
    XG_ATTENTION_BACK_DOTS = 6      /* that one softmax leads to */
};

/* A value of rows that both fusions know: read by a broadcast, or its inverse, where it divides. */
typedef struct xg_attention_back_line {
    xg_inst *of;
    bool inverse;
    xg_inst *value; /* of the first fusion's results, or what is known outside of it */
} xg_attention_back_line;

/* One of the two fusions. */
typedef struct xg_attention_back_side {
    uint32_t n_lines, n_roots;
    xg_inst *roots[2], *fusion;
    const xg_attention_plan *plan;
    xg_comp *to;
    xg_map64 copies, broadcasts, values;
    xg_inst **outside;
    xg_attention_back_line lines[XG_ATTENTION_LINES]; /* of the second one: what it takes */
    xg_attention_members m;
} xg_attention_back_side;

typedef struct xg_attention_back_group {
    xg_arena *arena;
    xg_dict *known;          /* plans, by what is computed: layers are alike */
    xg_attention_gradient g; /* of dQ, or dK */
    int64_t ahead_spares;    /* picoseconds of the forward pass: it becomes one kernel, too */
    bool is_grad[XG_ATTENTION_BACK_DOTS];
    uint32_t n_dots;
    xg_attention_back_side *first, *second;
    xg_inst *last;        /* in front of which the fusions stand */
    xg_inst *query;       /* the dot of dQ, if it reads dS from memory; else NULL */
    uint32_t made;        /* its operand that is dS */
    int64_t product;      /* picoseconds of it */
    int64_t time;         /* ... of all that takes the dots' place */
    xg_inst *whole[2];    /* dK's dot and dV's, if those of each head take their place; NULL: they do not */
    xg_inst *joined[2];   /* what does: sums of these */
    int64_t joining;      /* picoseconds of it */
    xg_attention forward; /* the same weights' second dot; out_dot NULL: there is none */
    xg_attention_members ahead;
    xg_inst *dots[XG_ATTENTION_BACK_DOTS];
} xg_attention_back_group;

/* ---- members ---- */

XG_FN bool xg_attention_back_ours(const xg_attention_back_group *w, const xg_inst *i) {
    return xg_attention_depends(i, w->g.scores_dot) || xg_attention_depends(i, w->g.grad_dot);
}
XG_FN bool xg_attention_back_of_scores(const xg_attention_back_group *w, const xg_inst *i) {
    return i->shape->elements == w->g.exp->shape->elements;
}
/* A broadcast of what each row has one of. */
XG_FN bool xg_attention_back_spreads(const xg_attention_back_group *w, const xg_inst *i) {
    return i->op == XG_BROADCAST && xg_attention_back_of_scores(w, i) &&
           XG_OPERAND(i, 0)->shape->elements < i->shape->elements && xg_attention_back_ours(w, i);
}
/* The forward pass's maximum and sum are its kernel's results. */
XG_FN bool xg_attention_back_given(const xg_attention_back_group *w, const xg_inst *i) {
    return w->forward.out_dot && (i == w->forward.max || i == w->forward.sum);
}
/* The broadcast that a value is, but for moves. */
XG_FN xg_inst *xg_attention_back_moved(xg_inst *i) {
    while (xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return i;
}
XG_FN bool xg_attention_back_divides(const xg_attention_back_group *w, const xg_inst *i) {
    return i->op == XG_DIVIDE && xg_attention_back_of_scores(w, i) && xg_tile_holds(i->shape->type, XLAGPU_F32) &&
           xg_attention_back_spreads(w, xg_attention_back_moved(XG_OPERAND(i, 1)));
}
XG_FN bool xg_attention_back_note_line(xg_attention_back_side *s, xg_inst *of, bool inverse) {
    uint32_t k;
    for (k = 0; k < s->n_lines; k++)
        if (s->lines[k].of == of && s->lines[k].inverse == inverse) return true;
    if (s->n_lines == XG_ATTENTION_LINES) return false;
    s->lines[s->n_lines].of = of;
    s->lines[s->n_lines].value = NULL;
    s->lines[s->n_lines++].inverse = inverse;
    return true;
}
/* i and what it is made of, down to both dots; of the second fusion, down to what rows have. Operands come first. */
XG_FN bool xg_attention_back_gather(xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *i) {
    bool lines = s == w->second, dot = i == w->g.scores_dot || i == w->g.grad_dot;
    uint32_t k, n = i->n_operands;
    if (xg_attention_has(&s->m, i) || xg_attention_back_given(w, i)) return true;
    if (xg_inst_attr(i, XG_A_control_predecessors) || !xg_shape_is_array(i->shape) || i->shape->dynamic) return false;
    if (i->op == XG_REDUCE && lines) return false;
    if (lines && xg_attention_back_divides(w, i)) {
        xg_inst *spread = xg_attention_back_moved(XG_OPERAND(i, 1));
        if (!xg_attention_back_note_line(s, XG_OPERAND(spread, 0), true)) return false;
        n = 1;
    } else if (lines && xg_attention_back_spreads(w, i)) {
        if (!xg_attention_back_note_line(s, XG_OPERAND(i, 0), false)) return false;
        n = 0;
    }
    for (k = 0; k < n && !dot; k++)
        if (xg_attention_back_ours(w, XG_OPERAND(i, k)) && !xg_attention_back_gather(w, s, XG_OPERAND(i, k)))
            return false;
    return xg_attention_add(&s->m, i);
}
/* A dot, its operand that is made of weights, and conversions and moves that alone follow it; the last is a root. */
XG_FN bool xg_attention_back_take(xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *dot) {
    xg_attention_gradient g;
    xg_inst *i = dot;
    uint32_t n = 0;
    if (!xg_attention_gradient_find(dot, &g) || !xg_attention_back_gather(w, s, XG_OPERAND(dot, g.made)) ||
        !xg_attention_add(&s->m, dot))
        return false;
    while (i->first_use && !i->first_use->next && i != i->comp->root && n++ < XG_ATTENTION_BACK_EPILOGUE) {
        xg_inst *user = i->first_use->user;
        if ((user->op != XG_CONVERT && !xg_attention_moves(user)) || !xg_attention_add(&s->m, user)) break;
        i = user;
    }
    s->roots[s->n_roots++] = i;
    return true;
}
XG_FN void xg_attention_back_take_all_cheap(const xg_attention_back_group *w, xg_attention_back_side *s) {
    enum {
        DEPTH = 12 /* operations one behind the other that an operand is made of */
    };
    uint32_t n = s->m.n, k, j;
    for (k = 0; k < n; k++) {
        s->m.shared = w->second->n_roots && s->m.p[k]->op == XG_DOT;
        for (j = 0; j < s->m.p[k]->n_operands; j++) {
            xg_inst *o = XG_OPERAND(s->m.p[k], j);
            if (!xg_attention_has(&s->m, o) && !xg_attention_back_ours(w, o)) xg_attention_take_cheap(&s->m, o, DEPTH);
        }
    }
}

/* ---- a fusion ---- */

XG_FN xg_inst *xg_attention_back_copy(xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *i);
XG_FN xg_inst *xg_attention_back_param(xg_attention_back_side *s, xg_inst *outside) {
    s->outside[s->to->n_params] = outside;
    return xg_comp_add_param(s->to, outside->shape, outside->name);
}
/* What rows have, or its inverse, inside of the fusion: as f32, which holds what narrower floats do. */
XG_FN xg_inst *xg_attention_back_line_value(
    xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *of, bool inverse) {
    uint64_t key = 2 * (uint64_t)of->id + inverse;
    xg_inst *v = (xg_inst *)xg_map64_get(&s->values, key), *one;
    xg_hb b = xg_hb_end(s->to, of);
    uint32_t k;
    if (v) return v;
    if (s == w->second) {
        for (k = 0; s->lines[k].of != of || s->lines[k].inverse != inverse; k++) {}
        v = xg_attention_back_param(s, s->lines[k].value);
    } else {
        v = xg_attention_back_copy(w, s, of);
        if (xg_tile_holds(v->shape->type, XLAGPU_F32)) v = xg_hb_convert(&b, v, XLAGPU_F32);
        one = inverse ? xg_hb_float_like(&b, v, 1) : NULL;
        if (inverse) v = xg_hb_2(&b, XG_DIVIDE, one, v);
    }
    xg_map64_put(&s->values, key, v);
    return v;
}
XG_FN xg_inst *xg_attention_back_spread(
    xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *broadcast, bool inverse) {
    uint64_t key = 2 * (uint64_t)broadcast->id + inverse;
    xg_inst *made = (xg_inst *)xg_map64_get(&s->broadcasts, key), *v;
    const xg_shape *shape;
    xg_hb b;
    if (made) return made;
    v = xg_attention_back_line_value(w, s, XG_OPERAND(broadcast, 0), inverse);
    shape = xg_shape_with_type(s->to->module, broadcast->shape, v->shape->type);
    b = xg_hb_end(s->to, broadcast);
    made = xg_hb_of(&b, XG_BROADCAST, shape, v);
    xg_inst_set_attr(made, *xg_inst_attr(broadcast, XG_A_dimensions));
    if (!inverse) made = xg_hb_convert(&b, made, broadcast->shape->type);
    xg_map64_put(&s->broadcasts, key, made);
    return made;
}
/* What divides, as its inverse, which narrow floats would round. */
XG_FN xg_inst *xg_attention_back_divisor(xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *i) {
    xg_inst *of, *made;
    if (!xg_attention_moves(i)) return xg_attention_back_spread(w, s, i, true);
    of = xg_attention_back_divisor(w, s, XG_OPERAND(i, 0));
    made = xg_inst_clone(i, s->to, &of, NULL);
    made->shape = xg_shape_with_type(s->to->module, i->shape, of->shape->type);
    return made;
}
XG_FN xg_inst *xg_attention_back_copy(xg_attention_back_group *w, xg_attention_back_side *s, xg_inst *i) {
    xg_inst *made = (xg_inst *)xg_map64_get(&s->copies, i->id), **operands;
    xg_hb b;
    uint32_t k;
    if (made) return made;
    if (!xg_attention_has(&s->m, i))
        made = xg_attention_back_param(s, i);
    else if (xg_attention_back_divides(w, i)) {
        xg_inst *x = xg_attention_back_copy(w, s, XG_OPERAND(i, 0));
        xg_inst *y = xg_attention_back_divisor(w, s, XG_OPERAND(i, 1));
        b = xg_hb_end(s->to, i);
        made = xg_hb_2(&b, XG_MULTIPLY, xg_hb_convert(&b, x, y->shape->type), y);
        made = xg_hb_convert(&b, made, i->shape->type);
    } else if (xg_attention_back_spreads(w, i))
        made = xg_attention_back_spread(w, s, i, false);
    else {
        operands = XG_NEW_N(w->arena, xg_inst *, i->n_operands + (size_t)1);
        for (k = 0; k < i->n_operands; k++) operands[k] = xg_attention_back_copy(w, s, XG_OPERAND(i, k));
        made = xg_attention_clone(w->g.scores_dot, i, s->to, operands);
    }
    xg_map64_put(&s->copies, i->id, made);
    return made;
}
/* Of dS as dQ's dot takes it the dimensions as they shall lie in memory: queries last. */
XG_FN void xg_attention_back_order(const xg_inst *dot, uint32_t made, int64_t *perm) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    const xg_ints *list[2];
    uint32_t n = 0, k, j;
    list[0] = made ? &d.rb : &d.lb;
    list[1] = made ? &d.rc : &d.lc;
    for (j = 0; j < 2; j++)
        for (k = 0; k < list[j]->n; k++) perm[n++] = list[j]->p[k];
    for (k = 0; k < XG_OPERAND(dot, made)->shape->rank; k++)
        if (!xg_ints_at(*list[0], k, NULL) && !xg_ints_at(*list[1], k, NULL)) perm[n++] = k;
}
/* dQ of dS that lies so. */
XG_FN xg_inst *xg_attention_back_query(const xg_attention_back_group *w, const xg_hb *b) {
    xg_inst *dot = w->first->roots[0], *in[2];
    xg_dot_dims d = xg_dot_dims_of(dot);
    int64_t places[XG_RANK_MAX], k;
    xg_ints *batch = w->made ? &d.rb : &d.lb, *summed = w->made ? &d.rc : &d.lc;
    for (k = 0; k < XG_RANK_MAX; k++) places[k] = k;
    batch->p = places;
    summed->p = places + batch->n;
    in[1 - w->made] = XG_OPERAND(dot, 1 - w->made);
    in[w->made] = xg_hb_element(b, w->second->fusion, 2);
    return xg_hb_dot(b, in[0], in[1], d, dot->shape->type, dot);
}
/* Dots that the fusion makes. */
XG_FN uint32_t xg_attention_back_n_roots(const xg_attention_back_group *w, const xg_attention_back_side *s) {
    return s == w->first && w->query ? 0 : s->n_roots;
}
XG_FN void xg_attention_back_make(xg_attention_back_group *w, xg_attention_back_side *s) {
    xg_module *m = w->last->comp->module;
    xg_inst *results[XG_ATTENTION_LINES + 2] = {NULL};
    xg_hb inside;
    size_t most = XG_ATTENTION_LINES + 1;
    uint32_t k, n = 0;
    for (k = 0; k < s->m.n; k++) most += s->m.p[k]->n_operands;
    s->outside = XG_NEW_N(w->arena, xg_inst *, most);
    xg_map64_init(&s->copies, w->arena);
    xg_map64_init(&s->broadcasts, w->arena);
    xg_map64_init(&s->values, w->arena);
    s->to = xg_comp_new(m, XG_STR("attention_computation"), w->last->comp);
    for (k = 0; k < xg_attention_back_n_roots(w, s); k++) results[n++] = xg_attention_back_copy(w, s, s->roots[k]);
    for (k = 0; s == w->first && k < w->second->n_lines; k++) {
        xg_attention_back_line *l = &w->second->lines[k];
        if (!l->value) results[n++] = xg_attention_back_line_value(w, s, l->of, l->inverse);
    }
    s->to->root = results[0];
    inside = xg_hb_end(s->to, NULL);
    if (s == w->second && w->query) {
        int64_t perm[XG_RANK_MAX];
        xg_attention_back_order(w->query, w->made, perm);
        results[n] = xg_attention_back_copy(w, s, XG_OPERAND(w->query, w->made));
        results[n] = xg_hb_convert(&inside, results[n], xg_contract_rounding(w->query, results[n]->shape->type));
        results[n] = xg_hb_transpose(&inside, results[n], perm);
        n++;
    }
    if (n > (s == w->second || !w->query)) s->to->root = xg_hb_tuple(&inside, results, n);
    s->fusion = xg_inst_new(w->last->comp, XG_FUSION, s->to->root->shape, s->outside, s->to->n_params, w->last,
        XG_STR("attention_backward_fusion"));
    xg_inst_set_text(s->fusion, XG_A_kind, "kOutput");
    xg_inst_set_comp(s->fusion, XG_A_calls, s->to);
}
/* The first fusion's results that the second one takes. */
XG_FN void xg_attention_back_hand_on(xg_attention_back_group *w) {
    xg_hb b = xg_hb_at(w->last);
    uint32_t k, n = xg_attention_back_n_roots(w, w->first);
    for (k = 0; k < w->second->n_lines; k++)
        if (!w->second->lines[k].value) w->second->lines[k].value = xg_hb_element(&b, w->first->fusion, n++);
}

/* ---- whether nothing else reads it ---- */

XG_FN bool xg_attention_back_is_root(const xg_attention_back_side *s, const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < s->n_roots; k++)
        if (s->roots[k] == i) return true;
    return false;
}
XG_FN bool xg_attention_back_knows(const xg_attention_back_group *w, const xg_inst *i) {
    return xg_attention_has(&w->first->m, i) || xg_attention_has(&w->second->m, i) || i == w->whole[0] ||
           i == w->whole[1] || (w->forward.out_dot && xg_attention_has(&w->ahead, i));
}
/* What rows have and others read: it can be made of the forward pass's results, or is noted as one of the first
 * fusion's own. */
XG_FN bool xg_attention_back_may_show(xg_attention_back_group *w, xg_inst *i) {
    if (i->shape->elements >= w->g.exp->shape->elements) return false;
    if (!xg_attention_depends(i, w->g.grad_dot)) return w->forward.out_dot != NULL;
    XG_FOR_USES(u, i)
        if (xg_attention_back_spreads(w, u->user) && i->shape->type == XLAGPU_F32)
            return xg_attention_back_note_line(w->second, i, false);
    return false;
}
XG_FN bool xg_attention_back_is_closed(xg_attention_back_group *w, const xg_attention_back_side *s) {
    uint32_t k;
    for (k = 0; k < s->m.n; k++) {
        xg_inst *i = s->m.p[k];
        if (xg_attention_back_is_root(s, i) || !xg_attention_back_ours(w, i)) continue;
        if (i == i->comp->root) return false;
        XG_FOR_USES(u, i) {
            if (xg_attention_back_knows(w, u->user)) continue;
            if (!xg_attention_back_may_show(w, i)) return false;
            break;
        }
    }
    return true;
}

/* ---- the forward pass ---- */

/* The second dot of attention that reads the same weights, if a kernel can be made of it once it alone reads them. */
XG_APART XG_FN bool xg_attention_back_is_ahead(xg_attention_back_group *w, xg_inst *dot) {
    xg_attention_members *m = &w->ahead;
    const xg_attention_plan *p;
    xg_inst *fusion;
    uint32_t n, k, j;
    int64_t apart;
    if (!xg_attention_find(dot, &w->forward) || w->forward.exp != w->g.exp || !w->forward.sum) return false;
    xg_attention_none(m, &w->forward, w->arena);
    m->root = dot;
    if (!xg_attention_gather(m, dot) || !xg_attention_gather(m, w->forward.sum)) return false;
    n = m->n;
    for (k = 0; k < n; k++)
        for (j = 0; j < m->p[k]->n_operands; j++) xg_attention_take_cheap(m, XG_OPERAND(m->p[k], j), 1);
    fusion = xg_attention_make(m);
    p = xg_attention_planned(w->known, w->arena, xg_attr_calls(fusion), false);
    xg_attention_unmake(fusion);
    apart = p->is_made ? xg_attention_apart_time(p, &dot->comp->module->device) - p->picoseconds : 0;
    w->ahead_spares = XG_MAX(apart, (int64_t)0);
    xg_attention_none(m, &w->forward, w->arena); /* members by what they compute, not by what they read */
    return p->is_made && xg_attention_gather(m, dot) && xg_attention_gather(m, w->forward.sum);
}

/* ---- both fusions ---- */

XG_FN xg_attention_back_side *xg_attention_back_side_of(xg_attention_back_group *w) {
    xg_attention_back_side *s = XG_NEW(w->arena, xg_attention_back_side);
    xg_attention_none(&s->m, &w->forward, w->arena);
    return s;
}
XG_FN bool xg_attention_back_plans(xg_attention_back_group *w, xg_attention_back_side *s, bool turned) {
    s->plan = xg_attention_planned(w->known, w->arena, s->to, true);
    return s->plan->is_made && s->plan->form.back.turned == turned;
}
XG_FN void xg_attention_back_drop_fusion(xg_attention_back_side *s) {
    if (!s->fusion) return;
    xg_attention_unmake(s->fusion);
    s->fusion = NULL;
}
XG_FN void xg_attention_back_unmake(xg_attention_back_group *w) {
    uint32_t k;
    xg_attention_back_drop_fusion(w->second);
    for (k = 0; k < w->second->n_lines && w->first->fusion; k++) {
        xg_inst *v = w->second->lines[k].value;
        if (v && v->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(v, 0) == w->first->fusion) xg_inst_remove(v);
    }
    xg_attention_back_drop_fusion(w->first);
}
/* A part of the memory has room for so many bytes of each score, beside all else that is there. */
XG_FN bool xg_attention_back_has_room(const xg_attention_plan *p, const xg_device *m, int64_t bytes, int64_t part) {
    return xg_cost_mul(xg_attention_back_elements(&p->form), bytes) <= m->memory_bytes / part;
}
/* Both are estimates: what is as fast by them stays as it is, unless it has no room. */
XG_FN bool xg_attention_back_pays(xg_attention_back_group *w) {
    enum {
        MARGIN = 8,   /* a part of the fusions' time */
        MATRICES = 3, /* weights, dP and dS */
        PART = 2      /* of the device's memory */
    };
    const xg_device *m = &w->last->comp->module->device;
    const xg_attention_plan *first = w->first->plan, *second = w->second->n_roots ? w->second->plan : NULL;
    int64_t own = xg_cost_add(first->picoseconds, xg_cost_add(w->product, second ? second->picoseconds : 0));
    int64_t apart = xg_attention_back_apart(first, second, m);
    own = w->time = xg_cost_add(own, w->joining);
    if (!xg_attention_back_has_room(first, m, MATRICES * xg_type_bytes(first->form.match.exp->shape->type), PART))
        return true;
    if (xg_device_is_cpu(m)) return false; /* as in xg_attention_pays */
    return own + own / MARGIN <= apart + (w->forward.out_dot ? w->ahead_spares / 2 : 0);
}
/* The last of all dots: in front of it both fusions find what they read, and behind it are those who read them. */
XG_FN xg_inst *xg_attention_back_last(const xg_attention_back_group *w) {
    xg_inst *i, *last = NULL;
    uint32_t k;
    for (i = w->g.exp->comp->first; i; i = i->next)
        for (k = 0; i->op == XG_DOT && k < w->n_dots; k++)
            if (w->dots[k] == i) last = i;
    return last;
}
/* Of what the second fusion takes, what the forward pass gives. */
XG_FN void xg_attention_back_find_known(xg_attention_back_group *w) {
    uint32_t k;
    for (k = 0; k < w->second->n_lines; k++) {
        xg_attention_back_line *l = &w->second->lines[k];
        bool known = !l->inverse && xg_attention_back_given(w, l->of) && l->of->shape->type == XLAGPU_F32;
        l->value = known ? l->of : NULL;
    }
}
/* dS goes through memory, if that is faster. */
XG_APART XG_FN bool xg_attention_back_shows(xg_attention_back_group *w, xg_inst *query) {
    enum {
        MARGIN = 32, /* a part of the time: an estimate */
        PART = 32    /* of the device's memory */
    };
    const xg_device *m = &w->last->comp->module->device;
    xg_attention_plan *p = XG_NEW_N(w->arena, xg_attention_plan, 2);
    int64_t time = xg_cost_add(w->first->plan->picoseconds, w->second->plan->picoseconds), product;
    xg_attention_gradient g;
    xg_inst *i;
    p[0] = *w->first->plan;
    p[1] = *w->second->plan;
    p[0].form.back.rows_only = p[1].form.back.shows = true;
    if (w->second->n_roots < 2 || p->form.unit == XG_TILE_NO_UNIT ||
        !xg_attention_back_has_room(p, m, xg_type_bytes(p->form.held), PART) ||
        !xg_attention_back_plan_of(&p[0], m, NULL) || !xg_attention_back_plan_of(&p[1], m, NULL) ||
        !xg_attention_gradient_find(query, &g))
        return false;
    product = xg_attention_back_product_time(p, m);
    if (xg_cost_add(xg_cost_add(product, p[0].picoseconds), p[1].picoseconds) > time - time / MARGIN) return false;
    w->made = g.made;
    for (i = XG_OPERAND(query, g.made); xg_attention_moves(i); i = XG_OPERAND(i, 0))
        if (!xg_attention_has(&w->second->m, i) && !xg_attention_add(&w->second->m, i)) return false;
    if (!xg_attention_has(&w->second->m, i)) return false;
    w->product = product;
    return true;
}
/* query: dQ's dot, if it stays, and reads dS from memory. */
XG_FN bool xg_attention_back_make_both(xg_attention_back_group *w, xg_inst *query, bool both) {
    w->query = query;
    if (!query) w->product = 0;
    xg_attention_back_find_known(w);
    xg_attention_back_make(w, w->first);
    if (xg_attention_back_plans(w, w->first, false)) {
        xg_attention_back_hand_on(w);
        if (!both) return true;
        xg_attention_back_make(w, w->second);
        if (xg_attention_back_plans(w, w->second, true)) return true;
    }
    xg_attention_back_unmake(w);
    return false;
}
XG_APART XG_FN bool xg_attention_back_try(xg_attention_back_group *w, xg_inst *query, xg_inst *key, xg_inst *value) {
    w->first = xg_attention_back_side_of(w);
    w->second = xg_attention_back_side_of(w);
    if (key && !xg_attention_back_take(w, w->second, key)) return false;
    if (value && !xg_attention_back_take(w, w->second, value)) return false;
    if (!xg_attention_back_take(w, w->first, query)) return false;
    if (!xg_attention_back_is_closed(w, w->first) || !xg_attention_back_is_closed(w, w->second)) return false;
    xg_attention_back_take_all_cheap(w, w->first);
    xg_attention_back_take_all_cheap(w, w->second);
    if (!xg_attention_back_make_both(w, NULL, key != NULL)) return false;
    if (key && xg_attention_back_shows(w, query)) {
        xg_attention_back_unmake(w);
        if (!xg_attention_back_make_both(w, query, true) && !xg_attention_back_make_both(w, NULL, true)) return false;
    }
    if (xg_attention_back_pays(w)) return true;
    xg_attention_back_unmake(w);
    return false;
}

/* ---- heads that share keys ---- */

/* The extents of what a dot sums up along, heads and queries; of one dimension, what an operand's was joined from. */
XG_FN uint32_t xg_attention_back_unjoined(const xg_inst *dot, int64_t *extents) {
    xg_ints along[2];
    uint32_t n = 0, k, j;
    along[0] = xg_attr_ints(dot, XG_A_lhs_contracting_dims);
    along[1] = xg_attr_ints(dot, XG_A_rhs_contracting_dims);
    for (k = 0; k < 2 && n < 2 && along[0].n == 1; k++) {
        const xg_shape *s = XG_OPERAND(dot, k)->shape, *from = s;
        int64_t times = s->dims[along[k].p[0]], before = 1, at = 1, all = 1;
        if (xg_attention_moves(XG_OPERAND(dot, k))) from = XG_OPERAND(XG_OPERAND(dot, k), 0)->shape;
        for (j = 0; j < along[k].p[0]; j++) before *= s->dims[j];
        for (j = n = 0; j < from->rank; at *= from->dims[j++])
            if (at >= before && at < before * times && from->dims[j] > 1) all *= extents[n++] = from->dims[j];
        if (all != times || s->rank + n > XG_RANK_MAX || XG_OPERAND(dot, 1 - k)->shape->rank + n > XG_RANK_MAX) n = 0;
    }
    if (n > 1) return n;
    for (k = 0; k < along[0].n; k++) extents[k] = XG_OPERAND(dot, 0)->shape->dims[along[0].p[k]];
    return along[0].n;
}
/* Of several the shortest one: heads; how many. */
XG_FN int64_t xg_attention_back_heads(const xg_inst *dot, uint32_t *at) {
    int64_t extents[XG_RANK_MAX];
    uint32_t n = xg_attention_back_unjoined(dot, extents), k;
    *at = 0;
    for (k = 1; k < n; k++)
        if (extents[k] < extents[*at]) *at = k;
    return n > 1 ? extents[*at] : 1;
}
/* An operand of a dot that sums up along all of them. */
XG_FN xg_inst *xg_attention_back_unfold(const xg_attention_back_group *w, const xg_hb *b, xg_inst *o, xg_ints *batch,
    xg_ints *summed, const int64_t *extents, uint32_t n) {
    int64_t dims[XG_RANK_MAX], *p = XG_NEW_N(w->arena, int64_t, batch->n + (size_t)n), at = summed->p[0];
    uint32_t k;
    if (summed->n == n) return o;
    for (k = 0; k < o->shape->rank; k++)
        if (k != at) dims[k < at ? k : k + n - 1] = o->shape->dims[k];
    for (k = 0; k < n; k++) dims[at + k] = extents[k];
    for (k = 0; k < batch->n; k++) p[k] = batch->p[k] + (batch->p[k] > at ? n - 1 : 0);
    batch->p = p;
    summed->p = p + batch->n;
    summed->n = n;
    for (k = 0; k < n; k++) p[batch->n + k] = at + k;
    return xg_hb_in_dims(b, XG_BITCAST, o, dims, o->shape->rank + n - 1);
}
/* A list with another one's dimension, which that loses, behind its own. */
XG_FN void xg_attention_back_hand_over(xg_arena *a, xg_ints *from, xg_ints *to, uint32_t at) {
    int64_t *p = XG_NEW_N(a, int64_t, from->n + to->n + (size_t)1), *rest = p + to->n + 1;
    uint32_t k;
    memcpy(p, to->p, to->n * sizeof *p);
    p[to->n] = from->p[at];
    for (k = 0; k < from->n; k++)
        if (k != at) *rest++ = from->p[k];
    to->p = p;
    to->n++;
    from->n--;
    from->p = p + to->n;
}
XG_FN void xg_attention_back_swap_dot(xg_attention_back_group *w, const xg_inst *from, xg_inst *to) {
    uint32_t k;
    for (k = 0; k < w->n_dots; k++)
        if (w->dots[k] == from) w->dots[k] = to;
    w->last = xg_attention_back_last(w);
}
/* Sums of each head, as f32, and their sum in the place of the dot; gives the former. */
XG_FN xg_inst *xg_attention_back_part(xg_attention_back_group *w, uint32_t k, xg_inst *dot) {
    const xg_device *m = &dot->comp->module->device;
    xg_dot_dims d = xg_dot_dims_of(dot);
    int64_t along = d.lb.n, heads, extents[XG_RANK_MAX];
    xg_hb b = xg_hb_at(dot);
    xg_inst *made, *in[2];
    uint32_t at, n = xg_attention_back_unjoined(dot, extents);
    in[0] = xg_attention_back_unfold(w, &b, XG_OPERAND(dot, 0), &d.lb, &d.lc, extents, n);
    in[1] = xg_attention_back_unfold(w, &b, XG_OPERAND(dot, 1), &d.rb, &d.rc, extents, n);
    heads = xg_attention_back_heads(dot, &at);
    xg_attention_back_hand_over(w->arena, &d.lc, &d.lb, at);
    xg_attention_back_hand_over(w->arena, &d.rc, &d.rb, at);
    made = xg_hb_dot(&b, in[0], in[1], d, XLAGPU_F32, dot);
    w->joined[k] = xg_hb_convert(&b, xg_hb_sum(&b, made, &along, 1), dot->shape->type);
    xg_inst_replace(dot, w->joined[k]);
    xg_attention_back_swap_dot(w, dot, made);
    w->whole[k] = dot;
    w->joining = xg_cost_add(w->joining, XG_ATTENTION_BACK_LAUNCH_PS);
    w->joining = xg_cost_add(w->joining, xg_cost_copied(m, 2 * heads * xg_cost_bytes(w->joined[k]->shape)));
    return made;
}
XG_FN void xg_attention_back_unpart(xg_attention_back_group *w) {
    xg_inst *i, *next, *zero, *o;
    uint32_t k;
    for (k = 0; k < 2 && w->whole[k]; k++) {
        xg_inst_replace(w->joined[k], w->whole[k]);
        for (i = w->joined[k]; i->op != XG_DOT; i = next) {
            next = XG_OPERAND(i, 0);
            zero = i->op == XG_REDUCE ? XG_OPERAND(i, 1) : NULL;
            xg_inst_remove(i);
            if (zero) xg_inst_remove(zero);
        }
        xg_attention_back_swap_dot(w, i, w->whole[k]);
        o = XG_OPERAND(i, 0);
        next = XG_OPERAND(i, 1);
        xg_inst_remove(i);
        if (!o->first_use) xg_inst_remove(o);
        if (!next->first_use) xg_inst_remove(next);
        w->whole[k] = NULL;
    }
    w->joining = 0;
}
/* As it is, or, where that is faster, dK and dV by heads. */
XG_APART XG_FN bool xg_attention_back_try_both(
    xg_attention_back_group *w, xg_inst *query, xg_inst *key, xg_inst *value) {
    enum {
        MARGIN = 16 /* a part of the time: an estimate */
    };
    bool is = xg_attention_back_try(w, query, key, value);
    int64_t time = is ? w->time : INT64_MAX, heads;
    xg_inst *keys, *values;
    uint32_t at;
    if (!key || !value) return is;
    heads = xg_attention_back_heads(key, &at);
    if (heads < 2 || xg_attention_back_heads(value, &at) != heads) return is;
    if (is) xg_attention_back_unmake(w);
    keys = xg_attention_back_part(w, 0, key);
    values = xg_attention_back_part(w, 1, value);
    if (xg_attention_back_try(w, query, keys, values)) {
        if (w->time < time - time / MARGIN) return true;
        xg_attention_back_unmake(w);
    }
    xg_attention_back_unpart(w);
    return is && xg_attention_back_try(w, query, key, value);
}

/* ---- what becomes of the module ---- */

/* Of a result that is what rows have, the line that it takes the place of; NULL: it takes none. */
XG_FN xg_inst *xg_attention_back_line_shown(const xg_attention_back_group *w, uint32_t k) {
    const xg_attention_back_line *l = &w->second->lines[k];
    return !l->inverse && l->of->shape == l->value->shape && xg_attention_depends(l->of, w->g.grad_dot) ? l->of : NULL;
}
/* What is made of the results and stands in front of the last dot comes behind the fusions. False: one of these, or
 * that dot, needs it. */
XG_FN bool xg_attention_back_may_move(const xg_attention_back_group *w, xg_map64 *marked) {
    const xg_attention_back_side *sides[2];
    xg_inst *i;
    uint32_t k, j;
    sides[0] = w->first;
    sides[1] = w->second;
    xg_map64_init(marked, w->arena);
    for (j = 0; j < 2; j++)
        for (k = 0; k < sides[j]->n_roots; k++) xg_map64_put(marked, sides[j]->roots[k]->id, sides[j]->roots[k]);
    for (i = w->g.exp->comp->first; i != w->first->fusion; i = i->next)
        for (k = 0; k < i->n_operands; k++) {
            bool of = xg_map64_get(marked, XG_OPERAND(i, k)->id) != NULL;
            for (j = 0; j < w->second->n_lines && !of && !xg_attention_back_knows(w, i); j++)
                of = xg_attention_back_line_shown(w, j) == XG_OPERAND(i, k);
            if (of) xg_map64_put(marked, i->id, i);
        }
    for (j = 0; j < 2; j++)
        for (k = 0; sides[j]->fusion && k < sides[j]->fusion->n_operands; k++)
            if (xg_map64_get(marked, XG_OPERAND(sides[j]->fusion, k)->id)) return false;
    for (k = 0; k < w->last->n_operands; k++)
        if (xg_map64_get(marked, XG_OPERAND(w->last, k)->id)) return false;
    return true;
}
XG_FN void xg_attention_back_move(const xg_attention_back_group *w, const xg_map64 *marked) {
    xg_inst *i, *next;
    for (i = w->g.exp->comp->first; i != w->first->fusion; i = next) {
        next = i->next;
        if (xg_map64_get(marked, i->id) && !xg_attention_back_is_root(w->first, i) &&
            !xg_attention_back_is_root(w->second, i))
            xg_inst_move_before(i, w->last);
    }
}
XG_FN void xg_attention_back_drop(xg_attention_back_group *w) {
    xg_attention_members *m = &w->first->m;
    XG_VEC(xg_inst *) all = {NULL, 0, 0};
    bool some = true;
    uint32_t k;
    for (k = 0; k < m->n; k++) xg_push(w->arena, xg_inst *, &all, m->p[k]);
    for (k = 0; k < w->second->m.n; k++)
        if (!xg_attention_has(m, w->second->m.p[k])) xg_push(w->arena, xg_inst *, &all, w->second->m.p[k]);
    while (some) {
        some = false;
        for (k = all.n; k-- > 0;) {
            xg_inst *i = all.p[k];
            if (!i || i->first_use || i == i->comp->root) continue;
            xg_inst_remove(i);
            all.p[k] = NULL;
            some = true;
        }
    }
}
XG_FN bool xg_attention_back_commit(xg_attention_back_group *w) {
    xg_attention_back_side *sides[2];
    xg_inst *made[2][2] = {{NULL, NULL}, {NULL, NULL}};
    xg_map64 marked;
    xg_hb b;
    uint32_t j, k;
    if (w->query) w->first->roots[0] = w->query;
    if (!xg_attention_back_may_move(w, &marked)) {
        xg_attention_back_unmake(w);
        xg_attention_back_unpart(w);
        return false;
    }
    for (k = 0; k < 2 && w->whole[k]; k++) xg_inst_remove(w->whole[k]);
    sides[0] = w->first;
    sides[1] = w->second;
    b = xg_hb_at(w->last);
    for (j = 0; j < 2; j++)
        for (k = 0; k < sides[j]->n_roots; k++) {
            xg_inst *f = sides[j]->fusion;
            made[j][k] = w->query && !j                   ? xg_attention_back_query(w, &b)
                         : f->shape->type == XLAGPU_TUPLE ? xg_hb_element(&b, f, k)
                                                          : f;
        }
    xg_attention_back_move(w, &marked);
    for (j = 0; j < 2; j++) {
        for (k = 0; k < sides[j]->n_roots; k++) xg_inst_replace(sides[j]->roots[k], made[j][k]);
        if (sides[j]->fusion) xg_attention_record(w->arena, sides[j]->fusion, false);
    }
    for (k = 0; k < w->second->n_lines; k++) {
        xg_inst *of = xg_attention_back_line_shown(w, k);
        if (of) xg_inst_replace(of, w->second->lines[k].value);
    }
    xg_attention_back_drop(w);
    return true;
}

/* ---- the pass ---- */

/* Which dot is which: dQ goes along keys, dK along queries, dV is that of the weights which is not the forward pass. */
XG_APART XG_FN bool xg_attention_back_group_of(xg_attention_back_group *w) {
    xg_inst *grads[2] = {NULL, NULL}, *soft[2] = {NULL, NULL};
    uint32_t n_grads = 0, n_soft = 0, k, j;
    w->last = xg_attention_back_last(w);
    for (k = 0; k < w->n_dots; k++) {
        if ((w->is_grad[k] ? n_grads : n_soft) == 2) return false;
        if (w->is_grad[k])
            grads[n_grads++] = w->dots[k];
        else
            soft[n_soft++] = w->dots[k];
    }
    for (j = 0; j <= n_soft; j++) { /* the forward pass is one of them, or none */
        xg_inst *value = j == n_soft ? soft[0] : soft[1 - j];
        memset(&w->forward, 0, sizeof w->forward);
        if (j == n_soft && n_soft == 2) break;
        if (j < n_soft && !xg_attention_back_is_ahead(w, soft[j])) continue;
        if (j == n_soft) memset(&w->forward, 0, sizeof w->forward);
        for (k = 0; k < n_grads; k++) {
            xg_inst *key = n_grads == 2 ? grads[1 - k] : NULL;
            if (!key && value) continue;
            if (xg_attention_back_try_both(w, grads[k], key, value) && xg_attention_back_commit(w)) return true;
        }
    }
    return false;
}
XG_FN bool xg_attention_back_comp(xg_comp *c) {
    XG_VEC(xg_attention_gradient) all = {NULL, 0, 0};
    xg_arena *work = c->module->work;
    xg_dict known;
    bool changed = false;
    uint32_t k, j;
    xg_dict_init(&known, work);
    XG_FOR_INSTS(i, c) {
        xg_attention_gradient g;
        if (i->op == XG_DOT && xg_attention_gradient_find(i, &g) &&
            xg_attention_back_has_unit(g.scores_dot, &c->module->device))
            xg_push(work, xg_attention_gradient, &all, g);
    }
    for (k = 0; k < all.n; k++) {
        xg_attention_back_group *w;
        if (!all.p[k].dot || !all.p[k].grad_dot) continue;
        w = XG_NEW(work, xg_attention_back_group);
        w->arena = work;
        w->known = &known;
        w->g = all.p[k];
        for (j = 0; j < all.n; j++) {
            const xg_attention_gradient *g = &all.p[j];
            if (!g->dot || g->exp != w->g.exp || (g->grad_dot && g->grad_dot != w->g.grad_dot)) continue;
            if (w->n_dots == XG_ATTENTION_BACK_DOTS) break;
            w->is_grad[w->n_dots] = g->grad_dot != NULL;
            w->dots[w->n_dots++] = g->dot;
        }
        changed |= xg_attention_back_group_of(w);
        for (j = 0; j < all.n; j++)
            if (all.p[j].exp == w->g.exp) all.p[j].dot = NULL; /* it is gone, or was asked */
    }
    return changed;
}
XG_FN bool xg_attention_back_fuse(xg_module *m) {
    if (!m->made[XG_DOT] || !m->made[XG_EXPONENTIAL]) return false;
    return xg_opt_each_sequence(m, xg_attention_back_comp);
}

#endif /* XG_SCHED_ATTENTION_BACK_PASS_C */
