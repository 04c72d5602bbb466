/* sched/conv_layouts.c -- convolution-layouts: a convolution whose arrays have positions innermost (NCHW, as PyTorch
 * has them) is made with features innermost, where that takes less even with what turns its arrays.
 *
 *     conv(x[n,c,h,w], kernel[o,i,kh,kw]) -> y[n,o,h,w]
 *  ==>  transpose(conv(transpose(x)[n,h,w,c], transpose(kernel)[o,kh,kw,i]) -> y[n,h,w,o])
 *
 * The dimension behind the first one goes behind all others, whatever the labels call it: the gradients of input and of
 * kernel read the same three arrays, turned alike, and CSE makes each once. Behind this, layout-assignment lets what is
 * computed element for element between two convolutions lie as both want it, so a transpose at one end of such a chain
 * costs nothing here where the other end is a convolution, too. */
#ifndef XG_SCHED_CONV_LAYOUTS_C
#define XG_SCHED_CONV_LAYOUTS_C
#include "tile.h"
#include "../opt/opt.h"
#include "split_k.c"

enum {
    XG_CONV_LAYOUT_LOOKS = 8,        /* operations of a chain that are asked */
    XG_CONV_LAYOUT_GAIN_PERCENT = 92 /* of the time before: the model is no better than that */
};

/* Of an array that has a position innermost: dimension perm[k] becomes dimension k. */
XG_FN bool xg_conv_layout_turn(const xg_conv_part *part, uint32_t rank, int64_t *perm, int64_t *inverse) {
    int64_t last = *part->first > *part->second ? *part->first : *part->second, k, n = 0;
    if (last + 1 == rank || last != 1) return false;
    for (k = 0; k < rank; k++)
        if (k != last) perm[n++] = k;
    perm[n] = last;
    for (k = 0; k < rank; k++) inverse[perm[k]] = k;
    return true;
}
/* Element for element, of one array of that shape. */
XG_FN const xg_inst *xg_conv_layout_source(const xg_inst *i) {
    uint32_t k;
    for (k = 0; (xg_op_flags(i->op) & XGF_EW) && k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->op != XG_BROADCAST && XG_OPERAND(i, k)->op != XG_CONSTANT) return XG_OPERAND(i, k);
    return NULL;
}
/* Does the operand come from what this pass has turned already, or turn it at compile time? */
XG_FN bool xg_conv_layout_is_there(const xg_inst *x) {
    uint32_t looks = 0;
    for (; x && looks < XG_CONV_LAYOUT_LOOKS; looks++, x = xg_conv_layout_source(x))
        if (x->op == XG_TRANSPOSE || x->op == XG_CONSTANT) return true;
    return false;
}
/* Has the operand's transpose been made for another convolution? */
XG_FN bool xg_conv_layout_is_shared(const xg_inst *x, const int64_t *perm) {
    XG_FOR_USES(u, x)
        if (u->user->op == XG_TRANSPOSE && memcmp(xg_attr_dims(u->user).p, perm, x->shape->rank * sizeof *perm) == 0)
            return true;
    return false;
}
/* Do only convolutions read it in the end, and what is made element for element in between? */
XG_FN bool xg_conv_layout_is_read(const xg_inst *i, uint32_t depth) {
    if (i == i->comp->root || !i->first_use || !depth) return false;
    XG_FOR_USES(u, i)
        if (u->user->op != XG_CONVOLUTION &&
            !((xg_op_flags(u->user->op) & XGF_EW) && xg_conv_layout_is_read(u->user, depth - 1)))
            return false;
    return true;
}

typedef struct xg_conv_turns {
    int64_t perm[3][XG_RANK_MAX], inverse[3][XG_RANK_MAX];
    bool turn[3], any;
    const xg_shape *shape[3]; /* of the operands and the result, turned */
    xg_attr labels;
    int64_t moves; /* picoseconds of what turns them */
} xg_conv_turns;
/* Picoseconds of a kernel that turns the array. */
XG_FN int64_t xg_conv_layout_copy(const xg_inst *i) {
    const xg_device *d = &i->comp->module->device;
    return xg_cost_copied(d, 2 * xg_cost_bytes(i->shape)) + d->graph_ns * 1000;
}
XG_FN xg_inst *xg_conv_layout_array(xg_inst *conv, uint32_t k) { return k < 2 ? XG_OPERAND(conv, k) : conv; }
XG_FN void xg_conv_layout_turns(xg_inst *conv, xg_conv_turns *t) {
    xg_module *m = conv->comp->module;
    xg_hb b = xg_hb_at(conv);
    xg_conv_part part[3];
    xg_dim_labels *l = xg_conv_labels(m, conv, part);
    uint32_t rank = conv->shape->rank, k, d;
    t->any = false;
    t->moves = 0;
    for (k = 0; k < 3; k++) {
        const xg_inst *x = xg_conv_layout_array(conv, k);
        int64_t dims[XG_RANK_MAX];
        t->shape[k] = x->shape;
        t->turn[k] = xg_conv_layout_turn(&part[k], rank, t->perm[k], t->inverse[k]);
        if (!t->turn[k]) continue;
        t->any = true;
        for (d = 0; d < rank; d++) dims[d] = x->shape->dims[t->perm[k][d]];
        t->shape[k] = xg_hb_shape(&b, x->shape->type, dims, rank);
        xg_conv_renumber(&part[k], l->input_spatial.n, t->inverse[k]);
        if (!(k < 2 ? xg_conv_layout_is_there(x) || xg_conv_layout_is_shared(x, t->perm[k])
                    : xg_conv_layout_is_read(x, XG_CONV_LAYOUT_LOOKS)))
            t->moves = xg_cost_add(t->moves, xg_conv_layout_copy(x));
    }
    t->labels = xg_conv_attr(m, l, part);
}

/* Picoseconds of the convolution by tiles, of operands that lie in memory as they are, or as `t` turns them; 0: there
 * are none. */
XG_FN int64_t xg_conv_layout_time(xg_inst *conv, const xg_conv_turns *t) {
    xg_module *m = conv->comp->module;
    xg_comp *trial = xg_comp_new(m, XG_STR("trial"), NULL);
    xg_aff_ctx *x = xg_aff_new(m->work);
    xg_tile_plan p, own;
    int64_t least = INT64_MAX;
    xg_inst *in[2];
    uint32_t k;
    for (k = 0; k < 2; k++) in[k] = xg_comp_add_numbered_param(trial, t ? t->shape[k] : XG_OPERAND(conv, k)->shape);
    trial->root = xg_inst_clone(conv, trial, in, NULL);
    if (t) {
        trial->root->shape = t->shape[2];
        xg_inst_set_attr(trial->root, t->labels);
    }
    memset(&p, 0, sizeof p);
    if (xg_tile_form_of(&p.form, x, trial->root) && xg_tile_is_worth(&p.form)) {
        xg_tile_form_phases(&p.form, x);
        xg_tile_choose_unit(&p, NULL, &m->device);
        xg_split_fetch(&p, x, &m->device);
        for (k = 0; k < XG_SPLIT_PLANS; k++) {
            if (p.form.phased && (k % 2 || k > XG_SPLIT_PLANS / 2)) continue; /* no place may be more than skipped */
            if (xg_split_plan(&p, &own, x, &m->device, k))
                least = XG_MIN(least, xg_split_time(&own, &m->device, 1, least));
        }
    }
    xg_comp_remove(trial);
    return least == INT64_MAX ? 0 : least;
}
XG_FN bool xg_conv_layout_suits(const xg_inst *i) {
    uint32_t k;
    if (i->op != XG_CONVOLUTION || i->n_operands != 2 || !xg_conv_is_labelled(i) ||
        xg_attr_or_1(i, XG_A_feature_group_count) * xg_attr_or_1(i, XG_A_batch_group_count) != 1)
        return false;
    for (k = 0; k < 3; k++) {
        const xg_shape *s = k < 2 ? XG_OPERAND(i, k)->shape : i->shape;
        if (s->dynamic || !s->elements || s->rank < 3 || (s->layout && !s->layout->descending)) return false;
    }
    return true;
}

/* ---- which ---- */

typedef struct xg_conv_choice {
    xg_inst *conv;
    xg_conv_turns turns;
    int64_t now, then; /* picoseconds */
} xg_conv_choice;
typedef struct xg_conv_group {
    int64_t now, then; /* of all convolutions that arrays connect; then: with what turns arrays at the border */
} xg_conv_group;

/* The arrays that are turned together, by id: the least id of one of them. */
XG_FN uint32_t xg_conv_layout_find(uint32_t *group, uint32_t id) {
    while (group[id] != id) id = group[id] = group[group[id]];
    return id;
}
XG_FN void xg_conv_layout_join(uint32_t *group, uint32_t a, uint32_t b) {
    a = xg_conv_layout_find(group, a);
    b = xg_conv_layout_find(group, b);
    group[XG_MAX(a, b)] = XG_MIN(a, b);
}
/* Lies as its operands do (layout_assignment.c), whatever that is. */
XG_FN bool xg_conv_layout_passes(const xg_inst *i) {
    return xg_shape_is_array(i->shape) && i->shape->rank > 2 && xg_assign_keeps(i);
}
XG_FN bool xg_conv_layout_is_free(const xg_inst *i) {
    const xg_shape *s = i->shape;
    uint32_t k;
    if (i->op == XG_CONSTANT || i->op == XG_BROADCAST || i->op == XG_IOTA || i->op == XG_TRANSPOSE) return true;
    for (k = 2; k < s->rank && s->dims[k] == 1; k++) {} /* of one position: nothing moves */
    return k == s->rank;
}
/* What turns an array where the group ends: in front of it, or for readers that are none of it. */
XG_FN int64_t xg_conv_layout_border(const xg_inst *i, const unsigned char *inside) {
    int64_t copy = xg_conv_layout_copy(i);
    bool outside = i == i->comp->root;
    /* whole planes are written where they stay, or read where they are; parts of pixels are moved */
    bool parts = i->op == XG_CONCATENATE && xg_attr_dims(i).p[0] == 1;
    if (xg_conv_layout_is_free(i)) return 0;
    if (!inside[i->id]) return copy;
    XG_FOR_USES(u, i) outside = outside || (!inside[u->user->id] && u->user->op != XG_REDUCE);
    return xg_cost_mul(copy, parts + outside);
}
/* Joins the arrays that are turned together; marks by id what is inside of groups, if it is of one. */
XG_FN unsigned char *xg_conv_layout_connect(xg_comp *c, const xg_conv_choice *all, uint32_t n, uint32_t *group) {
    xg_module *m = c->module;
    unsigned char *inside = XG_NEW_N(m->work, unsigned char, m->n_ids + 1);
    const xg_inst *i;
    uint32_t k, o;
    for (k = 0; k < m->n_ids; k++) group[k] = k;
    for (k = 0; k < n; k++) {
        inside[all[k].conv->id] = 1;
        for (o = 0; o < 2; o++)
            if (all[k].turns.turn[o]) xg_conv_layout_join(group, all[k].conv->id, XG_OPERAND(all[k].conv, o)->id);
    }
    for (i = c->first; i; i = i->next) {
        if (!xg_conv_layout_passes(i)) continue;
        inside[i->id] = 1;
        for (o = 0; o < i->n_operands; o++)
            if (XG_OPERAND(i, o)->shape->rank == i->shape->rank && !xg_conv_layout_is_free(XG_OPERAND(i, o)))
                xg_conv_layout_join(group, i->id, XG_OPERAND(i, o)->id);
    }
    return inside;
}
/* Of each group, by its least id: how long its convolutions take, and would take. */
XG_FN xg_conv_group *xg_conv_layout_groups(xg_comp *c, const xg_conv_choice *all, uint32_t n, uint32_t *group) {
    xg_module *m = c->module;
    const unsigned char *inside = xg_conv_layout_connect(c, all, n, group);
    xg_conv_group *groups = XG_NEW_N(m->work, xg_conv_group, m->n_ids + 1), *g;
    const xg_inst *i;
    uint32_t k;
    for (k = 0; k < n; k++) {
        g = &groups[xg_conv_layout_find(group, all[k].conv->id)];
        g->now = xg_cost_add(g->now, all[k].now);
        g->then = xg_cost_add(g->then, all[k].then);
    }
    for (i = c->first; i; i = i->next) {
        g = &groups[xg_conv_layout_find(group, i->id)];
        if (g->now && xg_shape_is_array(i->shape)) g->then = xg_cost_add(g->then, xg_conv_layout_border(i, inside));
    }
    return groups;
}
XG_FN bool xg_conv_layout_gains(int64_t now, int64_t then) {
    return then < xg_cost_scale(now, XG_CONV_LAYOUT_GAIN_PERCENT, 100);
}
XG_FN void xg_conv_layout_make(xg_inst *conv, const xg_conv_turns *t) {
    xg_hb b = xg_hb_at(conv);
    xg_inst *in[2], *made;
    uint32_t k;
    for (k = 0; k < 2; k++) {
        in[k] = XG_OPERAND(conv, k);
        if (t->turn[k]) in[k] = xg_hb_transpose(&b, in[k], t->perm[k]);
    }
    made = xg_inst_clone(conv, conv->comp, in, conv);
    made->shape = t->shape[2];
    xg_inst_set_attr(made, t->labels);
    xg_opt_replace(conv, t->turn[2] ? xg_hb_transpose(&b, made, t->inverse[2]) : made);
    xg_inst_remove(conv);
}
/* All convolutions that the module has, in the order of their text: of no group that gains, each by itself. */
XG_FN bool xg_conv_layouts_comp(xg_comp *c) {
    xg_module *m = c->module;
    XG_VEC(xg_conv_choice) all = {NULL, 0, 0};
    uint32_t *group, k;
    const xg_conv_group *groups;
    bool changed = false;
    xg_dict known; /* equal ones are planned once */
    xg_inst *i;
    xg_dict_init(&known, m->work);
    for (i = c->first; i; i = i->next) {
        xg_conv_choice own;
        int64_t *times;
        xg_str key;
        if (!xg_conv_layout_suits(i)) continue;
        own.conv = i;
        xg_conv_layout_turns(i, &own.turns);
        if (!own.turns.any) continue;
        key = xg_split_key(i);
        times = (int64_t *)xg_dict_get(&known, key);
        if (!times) {
            times = XG_NEW_N(m->work, int64_t, 2);
            times[0] = xg_conv_layout_time(i, NULL);
            times[1] = times[0] ? xg_conv_layout_time(i, &own.turns) : 0;
            (void)xg_dict_put(&known, key, times);
        }
        own.now = times[0];
        own.then = times[1];
        if (own.then) xg_push(m->work, xg_conv_choice, &all, own);
    }
    if (!all.n) return false;
    group = XG_NEW_N(m->work, uint32_t, m->n_ids + 1);
    groups = xg_conv_layout_groups(c, all.p, all.n, group);
    for (k = 0; k < all.n; k++) {
        xg_conv_choice *own = &all.p[k];
        const xg_conv_group *g = &groups[xg_conv_layout_find(group, own->conv->id)];
        bool together = xg_conv_layout_gains(g->now, g->then);
        if (!together) xg_conv_layout_turns(own->conv, &own->turns); /* with what has been turned by now */
        if (!together && !xg_conv_layout_gains(own->now, xg_cost_add(own->then, own->turns.moves))) continue;
        xg_conv_layout_make(own->conv, &own->turns);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_tile_conv_layouts(xg_module *m) {
    return m->made[XG_CONVOLUTION] && !xg_device_is_cpu(&m->device) && xg_opt_each_sequence(m, xg_conv_layouts_comp);
}

#endif /* XG_SCHED_CONV_LAYOUTS_C */
