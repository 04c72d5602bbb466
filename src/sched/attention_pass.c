/* sched/attention_pass.c -- attention-fusion: two dots and the softmax between them become one fusion, whose record
 * names the rule that makes it.
 *
 * Inside are all operations that depend on the first dot, up to the second one and what follows it alone, element by
 * element; and what they read, as long as that is cheaper to compute than to read: moves, iotas, masks, conversions.
 * More of it (a quotient, an array times a scale of each of its rows) is computed where each element is read once:
 * queries, and keys and values of so few rows that one tile has them, as in a decode step with a cache of bytes.
 * Scores, exp and weights may have no reader outside: then they have to be in memory anyway. */
#ifndef XG_SCHED_ATTENTION_PASS_C
#define XG_SCHED_ATTENTION_PASS_C
#include "attention.h"

XG_FN bool xg_attention_has(const xg_attention_members *w, const xg_inst *i) {
    return xg_map64_get(&w->known, i->id) != NULL;
}
XG_FN bool xg_attention_add(xg_attention_members *w, xg_inst *i) {
    if (w->n == XG_ATTENTION_MEMBERS) return false;
    xg_map64_put(&w->known, i->id, i);
    w->p[w->n++] = i;
    return true;
}

/* ---- what depends on the first dot ---- */

/* i and what it is made of, down to the first dot; operands come first. */
XG_FN bool xg_attention_gather(xg_attention_members *w, xg_inst *i) {
    uint32_t k;
    if (xg_attention_has(w, i)) return true;
    if (i != w->a->scores_dot && i != w->a->out_dot) {
        if (i->op == XG_DOT || (i->op == XG_REDUCE && i != w->a->max && i != w->a->sum)) return false;
        for (k = 0; k < i->n_operands; k++)
            if (xg_attention_depends(XG_OPERAND(i, k), w->a->scores_dot) && !xg_attention_gather(w, XG_OPERAND(i, k)))
                return false;
    }
    if (i == w->a->out_dot && !xg_attention_gather(w, XG_OPERAND(i, w->a->weights))) return false;
    return xg_attention_add(w, i);
}
/* What follows the second dot and nothing else, element by element. */
XG_FN bool xg_attention_epilogue(xg_attention_members *w) {
    xg_inst *i = w->a->out_dot;
    uint32_t n = 0, k;
    while (i->first_use && !i->first_use->next && i != i->comp->root && n++ < XG_ATTENTION_EPILOGUE) {
        xg_inst *user = i->first_use->user;
        bool moves =
            user->op == XG_BITCAST || user->op == XG_RESHAPE || user->op == XG_TRANSPOSE || user->op == XG_COPY;
        if (!moves && !(xg_op_flags(user->op) & XGF_EW)) break;
        if (!xg_shape_is_array(user->shape) || user->shape->elements != i->shape->elements) break;
        for (k = 0; k < user->n_operands; k++) {
            xg_inst *o = XG_OPERAND(user, k);
            if (o != i && xg_attention_depends(o, w->a->scores_dot) && !xg_attention_gather(w, o)) return false;
        }
        if (!xg_attention_add(w, user)) return false;
        i = user;
    }
    w->root = i;
    return true;
}
/* Nothing of it is read outside, or by what stays there. */
XG_FN bool xg_attention_is_inside(const xg_attention_members *w, const xg_inst *i) {
    uint32_t j;
    if (i == i->comp->root) return false;
    XG_FOR_USES(u, i) {
        if (!xg_attention_has(w, u->user)) return false;
        for (j = 0; j < w->n; j++)
            if (w->stays[j] && w->p[j] == u->user && w->p[j] != w->a->max && w->p[j] != w->a->sum) return false;
    }
    return true;
}
/* What stands between it and the fusion's place, and is read behind that alone, comes there. */
XG_FN void xg_attention_sink(const xg_attention_members *w, const xg_inst *i) {
    xg_inst *at, *prev;
    xg_map64 behind;
    xg_map64_init(&behind, w->arena);
    for (at = w->root->next; at; at = at->next) xg_map64_put(&behind, at->id, at);
    for (at = w->root->prev; at != i && w->root->next; at = prev) {
        bool early = xg_attention_has(w, at) || !xg_attention_passes(at) || at == at->comp->root;
        prev = at->prev;
        XG_FOR_USES(u, at) early = early || !xg_map64_get(&behind, u->user->id);
        if (early) continue;
        xg_inst_move_before(at, w->root->next);
        xg_map64_put(&behind, at->id, at);
    }
}
/* All that read it outside stand behind the fusion's place. */
XG_FN bool xg_attention_is_read_behind(const xg_attention_members *w, const xg_inst *i) {
    uint32_t outside = 0, behind, tries, k;
    const xg_inst *at;
    XG_FOR_USES(u, i) outside += !xg_attention_has(w, u->user);
    for (tries = 2; tries; tries--) {
        behind = 0;
        for (at = w->root->next; at && behind < outside; at = at->next)
            for (k = 0; k < at->n_operands; k++) behind += XG_OPERAND(at, k) == i && !xg_attention_has(w, at);
        if (behind == outside) return i != i->comp->root;
        if (tries > 1) xg_attention_sink(w, i);
    }
    return false;
}
/* Nothing but the result is read outside; with `stats`, neither but a row's maximum and sum, and what is made of these:
 * that stays outside, too. */
XG_FN bool xg_attention_is_closed(xg_attention_members *w, bool stats) {
    uint32_t k;
    for (k = w->n; k-- > 0;) {
        xg_inst *i = w->p[k];
        if (i == w->root) continue;
        if (xg_inst_attr(i, XG_A_control_predecessors)) return false;
        w->stays[k] = !xg_attention_is_inside(w, i);
        if (w->stays[k] &&
            (!stats || i->shape->elements >= w->a->exp->shape->elements || !xg_attention_is_read_behind(w, i)))
            return false;
    }
    for (k = 0; k < w->n; k++)
        if (w->stays[k] && (w->p[k] == w->a->max || w->p[k] == w->a->sum)) w->stats[w->n_stats++] = w->p[k];
    return true;
}
XG_FN void xg_attention_none(xg_attention_members *w, const xg_attention *a, xg_arena *arena) {
    memset(w, 0, sizeof *w);
    w->a = a;
    w->arena = arena;
    xg_map64_init(&w->known, arena);
}
/* What becomes the fusion: up to what follows the second dot, or up to that, with maximum and sum. */
XG_FN bool xg_attention_collect(xg_attention_members *w, const xg_attention *a, xg_arena *arena) {
    xg_attention_none(w, a, arena);
    if (xg_attention_gather(w, a->out_dot) && xg_attention_epilogue(w) && xg_attention_is_closed(w, false)) return true;
    xg_attention_none(w, a, arena);
    w->root = a->out_dot;
    return xg_attention_gather(w, a->out_dot) && (!a->sum || xg_attention_gather(w, a->sum)) &&
           xg_attention_is_closed(w, true);
}

/* ---- what they read ---- */

/* Made of no array: constants and iotas. */
XG_FN bool xg_attention_is_generated(const xg_inst *i, uint32_t *asked) {
    uint32_t k;
    if (++*asked > XG_ATTENTION_GENERATED) return false;
    if (i->op == XG_IOTA || (i->op == XG_CONSTANT && i->shape->rank == 0)) return true;
    if (i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->rank == 0) return true;
    if (i->op != XG_BROADCAST && !xg_attention_moves(i) && !(xg_op_flags(i->op) & XGF_EW)) return false;
    if (xg_op_flags(i->op) & XGF_ACC) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_attention_is_generated(XG_OPERAND(i, k), asked)) return false;
    return i->n_operands > 0;
}
/* What no kernel makes whose epilogue i might be: it lies in memory. */
XG_FN bool xg_attention_is_stored(const xg_inst *i) {
    while (i->op == XG_CONVERT || i->op == XG_SLICE || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return !(xg_op_flags(i->op) & XGF_EW) && i->op != XG_DOT && i->op != XG_CONVOLUTION && i->op != XG_BROADCAST;
}
/* What spreads an array that is small beside the result: scales of rows. */
XG_FN bool xg_attention_is_scale(const xg_inst *i) {
    enum {
        SHARE = 8 /* elements that each one becomes, at least */
    };
    while (i->op == XG_CONVERT || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->elements * SHARE <= i->shape->elements;
}
/* A bias of scores, which comes again and again: it is turned once. */
XG_FN bool xg_attention_spreads_rows(const xg_inst *user) {
    xg_ints dims = xg_attr_dims(user);
    return user->op == XG_BROADCAST && dims.p[dims.n - 1] + 1 == (int64_t)user->shape->rank;
}
XG_FN bool xg_attention_is_cheap(const xg_attention_members *w, const xg_inst *i) {
    uint32_t asked = 0, arrays = 0, k;
    bool costs = i->op == XG_DIVIDE || i->op == XG_REMAINDER || i->op == XG_POWER;
    if (!xg_shape_is_array(i->shape) || i->shape->dynamic || xg_inst_attr(i, XG_A_control_predecessors)) return false;
    if (i->op == XG_CONSTANT) return i->shape->rank == 0;
    if (i->op == XG_TRANSPOSE && i->shape->elements >= XG_ATTENTION_TURNED &&
        xg_attention_spreads_rows(i->first_use->user))
        return false;
    if (xg_attention_moves(i) || i->op == XG_BROADCAST || i->op == XG_IOTA || i->op == XG_SLICE) return true;
    if (w->once && i->op == XG_DIVIDE)
        costs = !xg_attention_is_generated(XG_OPERAND(i, 1), &asked) || !xg_attention_is_stored(XG_OPERAND(i, 0));
    if (!(xg_op_flags(i->op) & XGF_EW) || (xg_op_flags(i->op) & XGF_ACC) || costs) return false;
    asked = 0;
    if (xg_attention_is_generated(i, &asked)) return true;
    for (k = 0; k < i->n_operands; k++) { /* of two arrays it is their producer's epilogue */
        asked = 0;
        if (w->once && i->n_operands == 2 && xg_attention_is_scale(XG_OPERAND(i, k)) &&
            xg_attention_is_stored(XG_OPERAND(i, 1 - k)))
            continue;
        arrays += !xg_attention_is_generated(XG_OPERAND(i, k), &asked);
    }
    if (arrays > 1 || w->shared) return false;
    XG_FOR_USES(u, i) /* it lies in memory anyway */
        if (!xg_attention_has(w, u->user)) return false;
    return i != i->comp->root;
}
XG_FN void xg_attention_take_cheap(xg_attention_members *w, xg_inst *i, uint32_t depth) {
    uint32_t k;
    if (xg_attention_has(w, i) || !depth || !xg_attention_is_cheap(w, i) || w->n == XG_ATTENTION_MEMBERS) return;
    (void)xg_attention_add(w, i);
    for (k = 0; k < i->n_operands; k++) xg_attention_take_cheap(w, XG_OPERAND(i, k), depth - 1);
}

/* ---- the fusion ---- */

typedef struct xg_attention_build {
    xg_attention_members *w;
    xg_comp *to;
    xg_map64 copies;
    xg_inst **outside;
} xg_attention_build;
/* Inside of a fusion. Matrix units' weights have 16 bits, so scores and dS over a number are those times its inverse:
 * of bf16 that is exact, since no quotient of two such numbers is as near to what is rounded another way. */
XG_FN xg_inst *xg_attention_clone(const xg_inst *dot, xg_inst *i, xg_comp *to, xg_inst *const *operands) {
    xlagpu_type t = i->shape->type, held;
    xg_hb b = xg_hb_end(to, i);
    xg_inst *x, *by;
    const double LEAST = 1e-30;
    double v;
    if (i->op != XG_DIVIDE || !dot || i->shape->elements != dot->shape->elements ||
        (t != XLAGPU_F32 && t != XLAGPU_BF16) || !xg_attention_constant(XG_OPERAND(i, 1), &v) ||
        xg_attention_uniform(XG_OPERAND(i, 1))->shape->type != t || !(v * v > LEAST && v * v < 1 / LEAST))
        return xg_inst_clone(i, to, operands, NULL);
    (void)xg_attention_narrow(dot, 0, &held);
    if (xg_type_bytes(held) != 2) return xg_inst_clone(i, to, operands, NULL);
    x = xg_hb_convert(&b, operands[0], XLAGPU_F32);
    by = xg_hb_float_like(&b, x, 1 / v);
    x = xg_hb_2(&b, XG_MULTIPLY, x, by);
    return xg_hb_convert(&b, x, t);
}
XG_FN xg_inst *xg_attention_copy(xg_attention_build *b, xg_inst *i) {
    xg_inst *made = (xg_inst *)xg_map64_get(&b->copies, i->id), **operands;
    uint32_t k;
    if (made) return made;
    if (!xg_attention_has(b->w, i)) {
        b->outside[b->to->n_params] = i;
        made = xg_comp_add_param(b->to, i->shape, i->name);
    } else {
        operands = XG_NEW_N(b->w->arena, xg_inst *, i->n_operands + (size_t)1);
        for (k = 0; k < i->n_operands; k++) operands[k] = xg_attention_copy(b, XG_OPERAND(i, k));
        made = xg_attention_clone(b->w->a->scores_dot, i, b->to, operands);
    }
    xg_map64_put(&b->copies, i->id, made);
    return made;
}
XG_FN xg_inst *xg_attention_make(xg_attention_members *w) {
    xg_module *m = w->root->comp->module;
    xg_attention_build b;
    xg_inst *fusion, *results[XG_ATTENTION_STATS + 1];
    xg_hb inside;
    bool attention = w->a->scores_dot != NULL;
    size_t most = 1;
    uint32_t k;
    memset(&b, 0, sizeof b);
    b.w = w;
    for (k = 0; k < w->n; k++) most += w->p[k]->n_operands;
    b.outside = XG_NEW_N(w->arena, xg_inst *, most);
    xg_map64_init(&b.copies, w->arena);
    b.to = xg_comp_new(m, attention ? XG_STR("attention_computation") : XG_STR("narrow_product"), w->root->comp);
    xg_dict_reserve(&b.to->names, w->n + w->n / 2);
    results[0] = b.to->root = xg_attention_copy(&b, w->root);
    for (k = 0; k < w->n_stats; k++) results[k + 1] = xg_attention_copy(&b, w->stats[k]);
    inside = xg_hb_end(b.to, NULL);
    if (w->n_stats) b.to->root = xg_hb_tuple(&inside, results, w->n_stats + 1);
    fusion = xg_inst_new(w->root->comp, XG_FUSION, b.to->root->shape, b.outside, b.to->n_params, w->root,
        attention ? XG_STR("attention_fusion") : XG_STR("narrow_product_fusion"));
    xg_inst_set_text(fusion, XG_A_kind, "kOutput");
    xg_inst_set_comp(fusion, XG_A_calls, b.to);
    if (xg_inst_attr(w->a->out_dot, XG_A_metadata))
        xg_inst_set_attr(fusion, *xg_inst_attr(w->a->out_dot, XG_A_metadata));
    return fusion;
}
/* Of a fusion: it is taken apart again, or who makes it. */
typedef enum xg_attention_by {
    XG_ATTENTION_BY_NONE,
    XG_ATTENTION_BY_KERNEL,
    XG_ATTENTION_BY_LIBRARY
} xg_attention_by;
/* Whether a kernel can be made of it, and is worth it; whether a library is faster than that. */
XG_FN xg_attention_by xg_attention_best(xg_arena *a, const xg_inst *fusion) {
    const xg_device *device = &fusion->comp->module->device;
    xg_attention_plan *p = XG_NEW(a, xg_attention_plan);
    xg_aff_ctx *x = xg_aff_new(a);
    int64_t library;
    bool pays;
    if (!xg_attention_form_of(&p->form, a, x, xg_attr_calls(fusion), device)) return XG_ATTENTION_BY_NONE;
    library = xg_dnn_attention_time(&p->form, a, x, fusion->comp->module);
    pays = xg_attention_plan_of(p, device, NULL) && (p->form.n_stats || xg_attention_pays(p, device));
    if (library < INT64_MAX && (!pays || library < xg_dnn_attention_own(p))) return XG_ATTENTION_BY_LIBRARY;
    return pays ? XG_ATTENTION_BY_KERNEL : XG_ATTENTION_BY_NONE;
}
XG_FN void xg_attention_record(xg_arena *a, xg_inst *fusion, bool library) {
    xg_record r;
    memset(&r, 0, sizeof r);
    r.kind = xg_str_z(library ? "library" : "rule");
    r.way = xg_str_z(library ? "cudnn" : "attention");
    r.n_results = (uint32_t)xg_shape_leaves(fusion->shape);
    r.over = XG_NEW_N(a, xg_ints, r.n_results); /* over nothing: blocks read what others have written */
    xg_record_write(fusion, &r);
}
/* The same, asked once for all that compute alike (the layers of a model: `known`, by fingerprint); then it says so. */
XG_FN bool xg_attention_takes(xg_arena *a, xg_dict *known, xg_inst *fusion) {
    static const xg_attention_by answers[] = {XG_ATTENTION_BY_NONE, XG_ATTENTION_BY_KERNEL, XG_ATTENTION_BY_LIBRARY};
    const xg_attention_by *answer;
    xg_buf key;
    xg_buf_init(&key, a);
    xg_fuse_fingerprint(&key, xg_attr_calls(fusion));
    answer = (const xg_attention_by *)xg_dict_get(known, xg_str_of(key.p, key.n));
    if (!answer) {
        answer = &answers[xg_attention_best(a, fusion)];
        (void)xg_dict_put(known, xg_str_of(key.p, key.n), (void *)(uintptr_t)answer);
    }
    if (*answer == XG_ATTENTION_BY_NONE) return false;
    xg_attention_record(a, fusion, *answer == XG_ATTENTION_BY_LIBRARY);
    return true;
}
/* Members that only the fusion needed. */
XG_FN void xg_attention_drop(xg_attention_members *w) {
    bool some = true;
    uint32_t k;
    while (some) {
        some = false;
        for (k = w->n; k-- > 0;) {
            if (!w->p[k] || w->p[k]->first_use || w->p[k] == w->p[k]->comp->root) continue;
            (w->p[k]->op == XG_DOT ? xg_inst_remove : xg_inst_reuse)(w->p[k]); /* the pass has a list of dots */
            w->p[k] = NULL;
            some = true;
        }
    }
}
/* What becomes the fusion of this second dot; once: with what pays off where it is computed once. */
XG_FN bool xg_attention_members_of(xg_attention_members *w, xg_arena *work, xg_inst *dot, xg_attention *a, bool once) {
    uint32_t n, k, j;
    if (!xg_attention_find(dot, a) || !xg_attention_collect(w, a, work)) return false;
    w->once = once;
    n = w->n;
    for (k = 0; k < n; k++)
        for (j = 0; j < w->p[k]->n_operands; j++)
            xg_attention_take_cheap(w, XG_OPERAND(w->p[k], j), XG_ATTENTION_CHEAP_DEPTH);
    return true;
}
/* The fusion, read by none yet; NULL: the dot is not the second one of attention. */
XG_FN xg_inst *xg_attention_fused(xg_attention_members *w, xg_arena *work, xg_inst *dot, xg_attention *a) {
    return xg_attention_members_of(w, work, dot, a, false) ? xg_attention_make(w) : NULL;
}
XG_FN void xg_attention_unmake(xg_inst *fusion) {
    xg_comp *c = xg_attr_calls(fusion);
    xg_inst_remove(fusion);
    xg_comp_remove(c);
}
XG_FN xg_attention_plan *xg_attention_planned(xg_dict *known, xg_arena *work, const xg_comp *c, bool back) {
    const xg_device *m = &c->module->device;
    xg_attention_plan *p;
    xg_aff_ctx *x;
    xg_buf key;
    xg_buf_init(&key, work);
    if (back) xg_puts(&key, "back ");
    xg_fuse_fingerprint(&key, c);
    p = (xg_attention_plan *)xg_dict_get(known, xg_str_of(key.p, key.n));
    if (p) return p;
    p = XG_NEW(work, xg_attention_plan);
    x = xg_aff_new(work);
    p->is_made = back ? xg_attention_back_form_of(&p->form, work, x, c, m) && xg_attention_back_plan_of(p, m, NULL)
                      : xg_attention_form_of(&p->form, work, x, c, m) && xg_attention_plan_of(p, m, NULL);
    (void)xg_dict_put(known, xg_str_of(key.p, key.n), p);
    return p;
}
XG_FN xg_attention_plan *xg_attention_look(xg_dict *known, xg_arena *work, xg_inst *dot, xg_attention *a) {
    xg_attention_members *w = XG_NEW(work, xg_attention_members);
    xg_inst *fusion = xg_attention_fused(w, work, dot, a);
    xg_attention_plan *p;
    if (!fusion) return NULL;
    p = xg_attention_planned(known, work, xg_attr_calls(fusion), false);
    xg_attention_unmake(fusion);
    return p->is_made ? p : NULL;
}
XG_FN bool xg_attention_will_take(xg_inst *dot) {
    xg_arena *work = dot->comp->module->work;
    xg_attention_plan *p;
    xg_attention a;
    xg_dict known;
    if (!xg_attention_find(dot, &a)) return false;
    xg_dict_init(&known, work);
    p = xg_attention_look(&known, work, dot, &a);
    return p && (p->form.n_stats || xg_attention_pays(p, &dot->comp->module->device));
}
XG_FN void xg_attention_give(xg_attention_members *w, xg_inst *fusion) {
    xg_hb b = xg_hb_at(w->root);
    uint32_t k;
    if (!w->n_stats) {
        xg_inst_replace(w->root, fusion);
        return;
    }
    xg_inst_replace(w->root, xg_hb_element(&b, fusion, 0));
    for (k = 0; k < w->n_stats; k++) {
        xg_inst *stat = xg_hb_element(&b, fusion, k + 1);
        xg_inst_replace(w->stats[k], stat);
    }
    for (k = 0; k < w->n; k++)
        if (w->stays[k] && w->p[k] != w->a->max && w->p[k] != w->a->sum) xg_inst_move_before(w->p[k], w->root);
}
/* Picoseconds of the fusion's kernel; once: that computes of its operands nothing twice. INT64_MAX: there is none. */
XG_FN int64_t xg_attention_time_alone(xg_arena *a, const xg_comp *c, bool once) {
    const xg_device *device = &c->module->device;
    xg_attention_plan *p = XG_NEW(a, xg_attention_plan);
    const xg_attention_stage *s = p->form.stages;
    if (!xg_attention_form_of(&p->form, a, xg_aff_new(a), c, device) || !xg_attention_plan_of(p, device, NULL))
        return INT64_MAX;
    return !once || p->tiles == 1 ||
                   (xg_tile_is_moved(s[XG_ATTENTION_KEYS].root) && xg_tile_is_moved(s[XG_ATTENTION_VALUES].root))
               ? p->picoseconds
               : INT64_MAX;
}
/* The same of members; what computes alike is asked once. */
XG_FN int64_t xg_attention_time_of(xg_attention_members *w, xg_dict *known, bool once) {
    xg_inst *fusion = xg_attention_make(w);
    const xg_comp *c = xg_attr_calls(fusion);
    int64_t *time;
    xg_buf key;
    xg_buf_init(&key, w->arena);
    xg_puts(&key, once ? "once " : "time ");
    xg_fuse_fingerprint(&key, c);
    time = (int64_t *)xg_dict_get(known, xg_str_of(key.p, key.n));
    if (!time) {
        time = XG_NEW(known->arena, int64_t);
        *time = xg_attention_time_alone(w->arena, c, once);
        (void)xg_dict_put(known, xg_str_of(key.p, key.n), time);
    }
    xg_attention_unmake(fusion);
    return *time;
}
/* Picoseconds of a kernel that writes what more members spare, as far as it moves memory. */
XG_FN int64_t xg_attention_spared(const xg_attention_members *w, const xg_attention_members *more) {
    int64_t bytes = 0;
    uint32_t k, j;
    for (k = 0; k < w->n; k++)
        for (j = 0; j < w->p[k]->n_operands; j++) {
            const xg_inst *o = XG_OPERAND(w->p[k], j);
            if (!xg_attention_has(w, o) && xg_attention_has(more, o))
                bytes = xg_cost_add(bytes, xg_cost_bytes(o->shape));
        }
    return XG_ATTENTION_LAUNCH_PS + xg_cost_copied(&w->root->comp->module->device, bytes);
}
/* Whether more members than the usual ones are computed once, and take no longer than a kernel more would. */
XG_FN bool xg_attention_pays_once(xg_attention_members *w, xg_attention_members *more, xg_dict *known) {
    int64_t together = xg_attention_time_of(more, known, true), apart = xg_attention_time_of(w, known, false);
    if (together == INT64_MAX || apart == INT64_MAX) return false;
    return together <= xg_cost_add(apart, xg_attention_spared(w, more));
}
XG_FN bool xg_attention_try(xg_arena *work, xg_dict *known, xg_inst *dot, xg_attention *a) {
    xg_attention_members *w = XG_NEW(work, xg_attention_members), *more = XG_NEW(work, xg_attention_members);
    xg_inst *fusion;
    bool grows;
    if (!xg_attention_members_of(w, work, dot, a, false)) return false;
    grows = xg_attention_members_of(more, work, dot, a, true) && more->n > w->n;
    fusion = xg_attention_make(w);
    if (!xg_attention_takes(work, known, fusion)) {
        xg_attention_unmake(fusion);
        return false;
    }
    if (grows && xg_str_is(xg_record_read(work, fusion)->kind, "rule")) {
        xg_attention_unmake(fusion);
        if (xg_attention_pays_once(w, more, known)) w = more;
        fusion = xg_attention_make(w);
        xg_attention_record(work, fusion, false);
    }
    xg_attention_give(w, fusion);
    xg_attention_drop(w);
    return true;
}
XG_FN bool xg_attention_comp(xg_comp *c) {
    XG_VEC(xg_inst *) dots = {NULL, 0, 0};
    xg_arena *work = c->module->work;
    bool changed = false;
    xg_attention a;
    xg_dict known;
    uint32_t k, j;
    xg_mark mark;
    XG_FOR_INSTS(i, c)
        if (i->op == XG_DOT) xg_push(work, xg_inst *, &dots, i);
    if (!dots.n) return false;
    xg_dict_init(&known, xg_arena_inner(work));
    mark = xg_arena_mark(work);
    for (k = dots.n; k-- > 0;) {
        bool taken = dots.p[k] && xg_attention_try(work, &known, dots.p[k], &a);
        xg_arena_reset(work, mark);
        if (!taken) continue;
        for (j = k; j > 0 && dots.p[j - 1] != a.scores_dot; j--) {} /* not far, as a rule */
        if (j) dots.p[j - 1] = NULL;                                /* it is gone */
        changed = true;
    }
    return changed;
}
XG_FN bool xg_attention_fuse(xg_module *m) { return m->made[XG_DOT] && xg_opt_each_sequence(m, xg_attention_comp); }

#endif /* XG_SCHED_ATTENTION_PASS_C */
