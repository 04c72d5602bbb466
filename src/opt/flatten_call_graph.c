/* opt/flatten_call_graph.c -- FlattenCallGraph: every computation that control flow runs is run from one place only, so
 * that the plan can give each of its instructions one buffer. A computation that two whiles or branches share is copied
 * for all but the first. */
#ifndef XG_OPT_FLATTEN_CALL_GRAPH_C
#define XG_OPT_FLATTEN_CALL_GRAPH_C
#include "opt.h"

enum {
    XG_FLATTEN_MAX = 4000000,
    XG_FLATTEN_DEPTH = 64
};

XG_FN bool xg_opt_is_control(const xg_inst *i) { return i->op == XG_WHILE || i->op == XG_CONDITIONAL; }

/* The computations that a while or conditional runs, in the order of its attributes. */
XG_FN xg_comps xg_opt_control_comps(xg_arena *a, const xg_inst *i) {
    xg_comps r;
    uint32_t k, n = 0, j;
    r.n = 0;
    for (k = 0; k < i->n_attrs; k++) n += xg_attr_kind_of(i->attrs[k].key) == XG_K_COMPS ? i->attrs[k].v.comps->n : 1;
    r.p = XG_NEW_N(a, xg_comp *, n + 1);
    for (k = 0; k < i->n_attrs; k++) {
        if (xg_attr_kind_of(i->attrs[k].key) == XG_K_COMP) r.p[r.n++] = i->attrs[k].v.comp;
        if (xg_attr_kind_of(i->attrs[k].key) == XG_K_COMPS)
            for (j = 0; j < i->attrs[k].v.comps->n; j++) r.p[r.n++] = i->attrs[k].v.comps->p[j];
    }
    return r;
}

/* The entry and every computation that loops and branches run from there: those whose instructions are steps of the
 * program. */
XG_FN xg_comps xg_opt_sequences(xg_module *m) {
    XG_VEC(xg_comp *) work = {NULL, 0, 0};
    xg_comps r;
    uint32_t at, k;
    xg_push(m->work, xg_comp *, &work, m->entry);
    for (at = 0; at < work.n; at++)
        if (work.p[at]->n_control)
            XG_FOR_INSTS(i, work.p[at]) {
                xg_comps called;
                if (!xg_opt_is_control(i)) continue;
                called = xg_opt_control_comps(m->work, i);
                for (k = 0; k < called.n; k++) xg_push(m->work, xg_comp *, &work, called.p[k]);
            }
    r.p = work.p;
    r.n = work.n;
    return r;
}
XG_FN bool xg_opt_each_sequence(xg_module *m, bool (*fn)(xg_comp *c)) {
    xg_comps all = xg_opt_sequences(m);
    bool changed = false;
    uint32_t k;
    for (k = 0; k < all.n; k++) changed = fn(all.p[k]) || changed;
    return changed;
}
/* Calls fn for every such instruction as it stands there now: fn may take it away and put others in front of it. */
XG_FN bool xg_opt_each_step(xg_module *m, bool (*fn)(xg_inst *i)) {
    xg_comps all = xg_opt_sequences(m);
    bool changed = false;
    uint32_t k;
    for (k = 0; k < all.n; k++) {
        xg_inst *i = all.p[k]->first, *next, *other;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            for (other = next; other && other->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(other, 0) == i;
                 other = xg_inst_behind(other)) {}
            if (!fn(i)) continue;
            changed = true;
            next = other; /* its elements may have gone with it */
        }
    }
    return changed;
}
/* The other way round. */
XG_FN void xg_opt_set_control_comps(xg_inst *i, const xg_comps *comps) {
    uint32_t k, at = 0, j;
    for (k = 0; k < i->n_attrs; k++) {
        xg_attr a = i->attrs[k];
        if (xg_attr_kind_of(a.key) == XG_K_COMP)
            a.v.comp = comps->p[at++];
        else if (xg_attr_kind_of(a.key) == XG_K_COMPS) {
            xg_comps *list = XG_NEW(i->comp->module->arena, xg_comps);
            list->n = a.v.comps->n;
            list->p = XG_NEW_N(i->comp->module->arena, xg_comp *, list->n + 1);
            for (j = 0; j < list->n; j++) list->p[j] = comps->p[at++];
            a.v.comps = list;
        } else
            continue;
        xg_inst_set_attr(i, a);
    }
}

/* Fusions in it get computations of their own: no two may share one. */
XG_FN xg_comp *xg_opt_clone_comp(const xg_comp *from, xg_comp *before) {
    xg_comp *to = xg_comp_new(from->module, from->name, before);
    xg_inst **params = XG_NEW_N(from->module->arena, xg_inst *, from->n_params + 1);
    uint32_t k;
    for (k = 0; k < from->n_params; k++) params[k] = xg_inst_clone(from->params[k], to, NULL, NULL);
    to->root = xg_opt_inline(from, to, NULL, params);
    XG_FOR_INSTS(i, to)
        if (i->op == XG_FUSION) xg_inst_set_comp(i, XG_A_calls, xg_opt_clone_comp(xg_attr_calls(i), to));
    return to;
}

typedef struct xg_flatten {
    xg_module *m;
    xg_map64 taken;
    uint64_t total;
    bool changed;
} xg_flatten;

XG_FN xg_comp *xg_flatten_claim(xg_flatten *f, xg_comp *c, xg_inst *user) {
    if (xg_map64_get(&f->taken, c->id)) {
        f->total += c->n_insts;
        if (f->total > XG_FLATTEN_MAX)
            xg_hlo_fail(user, XLAGPU_ERROR_LIMIT, NULL,
                "%s: giving each loop and branch its own computations makes more than %d instructions", user->name.p,
                (int)XG_FLATTEN_MAX);
        c = xg_opt_clone_comp(c, user->comp);
        f->changed = true;
    }
    xg_map64_put(&f->taken, c->id, c);
    return c;
}

XG_FN void xg_flatten_comp(xg_flatten *f, xg_comp *c, uint32_t depth) {
    uint32_t k, j;
    XG_FOR_INSTS(i, c) {
        if (!xg_opt_is_control(i)) continue;
        if (depth > XG_FLATTEN_DEPTH)
            xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "%s: loops and branches nested deeper than %d", i->name.p,
                (int)XG_FLATTEN_DEPTH);
        for (k = 0; k < i->n_attrs; k++) {
            xg_attr a = i->attrs[k];
            if (xg_attr_kind_of(a.key) == XG_K_COMP)
                a.v.comp = xg_flatten_claim(f, a.v.comp, i);
            else if (xg_attr_kind_of(a.key) == XG_K_COMPS) {
                xg_comps *list = XG_NEW(f->m->arena, xg_comps);
                list->n = a.v.comps->n;
                list->p = XG_NEW_N(f->m->arena, xg_comp *, list->n + 1);
                for (j = 0; j < list->n; j++) list->p[j] = xg_flatten_claim(f, a.v.comps->p[j], i);
                a.v.comps = list;
            } else
                continue;
            xg_inst_set_attr(i, a);
        }
        {
            xg_comps called = xg_opt_control_comps(f->m->work, i);
            for (k = 0; k < called.n; k++) xg_flatten_comp(f, called.p[k], depth + 1);
        }
    }
}

XG_FN bool xg_opt_flatten_call_graph(xg_module *m) {
    xg_flatten f;
    memset(&f, 0, sizeof f);
    f.m = m;
    xg_map64_init(&f.taken, m->work);
    if (m->made[XG_WHILE] || m->made[XG_CONDITIONAL]) xg_flatten_comp(&f, m->entry, 0);
    return f.changed;
}

#endif /* XG_OPT_FLATTEN_CALL_GRAPH_C */
