/* opt/all_reduce_folder.c -- AllReduceFolder: all-reduce(all-reduce(x)) over two partitions of the devices is one
 * all-reduce over the groups of groups.
 *
 *     all-reduce(all-reduce(x), {{0,1},{2,3}}), {{0,2},{1,3}}   ==>   all-reduce(x), {{0,1,2,3}}
 *
 * A device gets what all of its outer group have, and each of these has what its inner group gave. If the inner groups
 * of one outer group share no member, each value comes in once; if all members of the union come to the same union,
 * unions are groups again. */
#ifndef XG_OPT_ALL_REDUCE_FOLDER_C
#define XG_OPT_ALL_REDUCE_FOLDER_C
#include "../eval/eval.h"
#include "opt.h"
#include "collective_combiner.c"
#include "collective_simplifier.c"

enum {
    XG_FOLD_DEVICES = 1024
};

/* The groups of a collective as lists of members, all of them where it names none. False: not known here. */
XG_FN bool xg_fold_groups(const xg_inst *i, xg_groups *out, int64_t *members) {
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    xg_ints *all;
    int64_t *ids, k;
    bool spread;
    *members = xg_coll_members(i, &spread);
    if (spread || *members > XG_FOLD_DEVICES || (a && a->v.groups->n && !a->v.groups->p)) return false;
    if (a && a->v.groups->n) {
        *out = *a->v.groups;
        return true;
    }
    all = XG_NEW(i->comp->module->work, xg_ints);
    ids = XG_NEW_N(i->comp->module->work, int64_t, (size_t)*members + 1);
    for (k = 0; k < *members; k++) ids[k] = k;
    all->p = ids;
    all->n = (uint32_t)*members;
    out->p = all;
    out->n = 1;
    return true;
}
/* By member: its group. False: a device is in none, or in two. */
XG_FN bool xg_fold_group_of(const xg_groups *g, uint32_t *group, int64_t members) {
    int64_t seen = 0;
    uint32_t k, j;
    for (j = 0; j < (uint32_t)members; j++) group[j] = UINT32_MAX;
    for (k = 0; k < g->n; k++)
        for (j = 0; j < g->p[k].n; j++) {
            int64_t id = g->p[k].p[j];
            if (id < 0 || id >= members || group[id] != UINT32_MAX) return false;
            group[id] = k;
            seen++;
        }
    return seen == members;
}
/* As it is printed. */
XG_FN xg_str xg_fold_text(xg_module *m, const xg_groups *g) {
    xg_buf b;
    uint32_t k, j;
    xg_buf_init(&b, m->arena);
    xg_putc(&b, '{');
    for (k = 0; k < g->n; k++)
        for (j = 0; j < g->p[k].n; j++)
            xg_printf(&b, "%s%lld%s", j ? "," : k ? ",{" : "{", (long long)g->p[k].p[j], j + 1 == g->p[k].n ? "}" : "");
    xg_putc(&b, '}');
    return xg_str_of(b.p, b.n);
}
/* The unions of the inner groups that an outer group meets; NULL: they are no groups. */
XG_FN xg_groups *xg_fold_unions(xg_module *m, const xg_groups *inner, const xg_groups *outer, int64_t members) {
    uint32_t *inner_of = XG_NEW_N(m->work, uint32_t, (size_t)members + 1),
             *outer_of = XG_NEW_N(m->work, uint32_t, (size_t)members + 1),
             *by = XG_NEW_N(m->work, uint32_t, inner->n + (size_t)1), k, j, e;
    xg_groups *out = XG_NEW(m->arena, xg_groups);
    xg_ints *lists = XG_NEW_N(m->arena, xg_ints, outer->n + (size_t)1);
    if (!xg_fold_group_of(inner, inner_of, members) || !xg_fold_group_of(outer, outer_of, members)) return NULL;
    for (k = 0; k < inner->n; k++) by[k] = UINT32_MAX; /* the union that an inner group is part of */
    for (k = 0; k < outer->n; k++) {
        const xg_ints *o = &outer->p[k];
        uint32_t first = o->n ? by[inner_of[o->p[0]]] : UINT32_MAX, size = 0;
        int64_t *ids;
        for (j = 0; j < o->n; j++) {
            uint32_t g = inner_of[o->p[j]];
            for (e = 0; e < j && inner_of[o->p[e]] != g; e++) {}
            /* its values would come in twice, or it belongs to another union */
            if (e < j || by[g] != first) return NULL;
            size += inner->p[g].n;
        }
        if (first != UINT32_MAX) {
            if (lists[first].n != size) return NULL;
            continue;
        }
        ids = XG_NEW_N(m->arena, int64_t, size + (size_t)1);
        size = 0;
        for (j = 0; j < o->n; j++) {
            const xg_ints *in = &inner->p[inner_of[o->p[j]]];
            for (e = 0; e < in->n; e++) ids[size++] = in->p[e];
            by[inner_of[o->p[j]]] = out->n;
        }
        lists[out->n].p = ids;
        lists[out->n++].n = size;
    }
    out->p = lists;
    out->text = xg_fold_text(m, out);
    return out;
}
XG_FN xg_groups *xg_fold_find(const xg_inst *outer) {
    const xg_inst *inner = outer->op == XG_ALL_REDUCE && outer->n_operands == 1 ? XG_OPERAND(outer, 0) : NULL;
    xg_groups a, b;
    int64_t n, k;
    if (!inner || inner->op != XG_ALL_REDUCE || !xg_gang_may(inner) || !xg_gang_may(outer) ||
        !xg_opt_has_one_user(inner))
        return NULL;
    if (!xg_gang_same_kind(inner, outer) || !xg_fold_groups(inner, &a, &n) || !xg_fold_groups(outer, &b, &k) || n != k)
        return NULL;
    return xg_fold_unions(outer->comp->module, &a, &b, n);
}
XG_FN bool xg_fold_matches(const xg_inst *i) { return xg_fold_find(i) != NULL; }
XG_FN xg_inst *xg_fold_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *inner = XG_OPERAND(i, 0), *x = XG_OPERAND(inner, 0), *made;
    xg_attr groups;
    memset(&groups, 0, sizeof groups);
    groups.key = XG_A_replica_groups;
    groups.v.groups = xg_fold_find(i);
    made = xg_hb_of(b, XG_ALL_REDUCE, i->shape, x);
    xg_inst_take_attrs(made, i);
    xg_inst_set_attr(made, groups);
    xg_inst_set_operand(i, 0, x); /* nothing else needs the inner one, and dce takes no meeting of devices away */
    xg_inst_remove(inner);
    return made;
}
XG_FN bool xg_opt_all_reduce_folder(xg_module *m) {
    return xg_gang_devices(m) && m->made[XG_ALL_REDUCE] && xg_opt_expand(m, xg_fold_matches, xg_fold_expand);
}

#endif /* XG_OPT_ALL_REDUCE_FOLDER_C */
