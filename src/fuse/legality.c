/* fuse/legality.c -- what may be in one kernel, whatever it costs.
 *
 * Ideas
 * - An operation is FREE (computing it anew costs less than reading it: it is never made for a kernel's sake), a
 *   KERNEL's (it may be computed inside of one), or OTHER.
 * - A kernel has at most one hero: the reduction, contraction or window that decides how its threads walk. What is in
 *   front of the hero is computed for every element that the hero reads; what is behind it reads the hero's result
 *   once, at its own place, or folds a contraction's in windows that do not meet. So two heroes never meet, and a hero
 *   is never computed twice.
 * - How an operand is read (xg_access) is decided by the reader alone: at its own index, at another, in a loop, inside
 *   of a contraction. */
#ifndef XG_FUSE_LEGALITY_C
#define XG_FUSE_LEGALITY_C
#include "fuse.h"
#include "cost.c"
#include "in_place.c"

enum {
    XG_FUSE_CONTRACTED_MAX = 4 /* instructions for each element that a contraction reads */,
    XG_FUSE_PARTS_MIN = 4096 /* elements: less is cheap to keep, and kernels of it that compute little become one */,
    XG_FUSE_SERIAL_MAX = 15 /* a loop of so few steps may be computed anywhere: it is no hero */,
    XG_FUSE_REPEATED = 4 /* times, and at several places, is too often for a window */,
    XG_FUSE_BRIEF_ROWS = 16 /* of a tile of few rows: one block reads what they are multiplied with */,
    XG_FUSE_UPDATES_MAX = 32 /* of one array in a kernel: each asks those behind it */,
    XG_SCATTER_ASKED_MAX = 8 /* positions that every element may ask */
};

XG_FN int64_t xg_fuse_elements(const xg_inst *i) {
    return xg_shape_is_array(i->shape) ? i->shape->elements : i->shape->n_elems ? i->shape->elems[0]->elements : 0;
}

XG_FN bool xg_fuse_is_static_array(const xg_shape *s) { return xg_shape_is_array(s) && !s->dynamic; }

XG_FN bool xg_fuse_layout_noop(const xg_inst *copy) {
    return copy->shape->layout == XG_OPERAND(copy, 0)->shape->layout;
}

XG_FN xg_fuse_class xg_fuse_class_of(const xg_inst *i) {
    if ((i->op == XG_REDUCE || i->op == XG_REDUCE_WINDOW || i->op == XG_RNG_BIT_GENERATOR) &&
        i->shape->type == XLAGPU_TUPLE)
        return XG_FUSE_KERNEL;
    if (!xg_fuse_is_static_array(i->shape)) return XG_FUSE_OTHER;
    if (i->op == XG_CONSTANT && (i->literal->elided || (i->shape->rank && !xg_fuse_is_splat(i)))) return XG_FUSE_OTHER;
    switch (xg_op_fuses(i->op)) {
    case XG_OP_free: return XG_FUSE_FREE;
    case XG_OP_kernel: return XG_FUSE_KERNEL;
    default: return XG_FUSE_OTHER;
    }
}

/* A running sum, of which each element is made from the one before it. */
XG_FN bool xg_fuse_is_scan(const xg_inst *i) {
    uint32_t dim;
    bool reverse;
    return i->op == XG_REDUCE_WINDOW && xg_window_is_scan(i, &dim, &reverse);
}

/* Elements of one window; 1 without the attribute. */
XG_FN int64_t xg_fuse_window_size(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    int64_t n = 1;
    uint32_t k;
    for (k = 0; a && k < a->v.window->n; k++) n = xg_cost_mul(n, a->v.window->p[k].size);
    return n;
}

/* Do no two windows read the same element? */
XG_FN bool xg_fuse_windows_apart(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    uint32_t k;
    for (k = 0; a && k < a->v.window->n; k++) {
        const xg_window_dim *w = &a->v.window->p[k];
        if (w->size > 1 && (w->stride < w->size || w->window_dilation != 1 || w->base_dilation != 1)) return false;
    }
    return true;
}

/* The windows that may cover an element. */
XG_FN int64_t xg_fuse_windows_around(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    int64_t n = 1;
    uint32_t k;
    for (k = 0; a && k < a->v.window->n; k++)
        n = xg_cost_mul(n, (a->v.window->p[k].size - 1) / a->v.window->p[k].stride + 1);
    return n;
}
/* Elements that a loop inside of the instruction reads for one element of its result. */
XG_FN int64_t xg_fuse_steps(const xg_inst *i) {
    int64_t n = 1, in;
    uint32_t k;
    switch (i->op) {
    case XG_REDUCE: in = XG_OPERAND(i, 0)->shape->elements; return in / XG_MAX(xg_fuse_elements(i), (int64_t)1);
    case XG_RAGGED_DOT:
    case XG_DOT: {
        xg_ints dims = xg_attr_ints(i, XG_A_lhs_contracting_dims);
        for (k = 0; k < dims.n; k++) n = xg_cost_mul(n, XG_OPERAND(i, 0)->shape->dims[dims.p[k]]);
        return n;
    }
    case XG_CONVOLUTION: {
        const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
        return XG_OPERAND(i, 1)->shape->elements / XG_MAX(XG_OPERAND(i, 1)->shape->dims[l->kernel_output], (int64_t)1);
    }
    case XG_SELECT_AND_SCATTER:
        if (i->n_operands == 4) return xg_fuse_windows_around(i); /* fall through */
    case XG_REDUCE_WINDOW: return xg_fuse_is_scan(i) ? 1 : xg_fuse_window_size(i);
    case XG_SCATTER: return XG_OPERAND(i, 2)->shape->elements;
    default: return 1;
    }
}

XG_FN bool xg_fuse_is_hero(const xg_inst *i) {
    switch (i->op) {
    case XG_SCATTER:
    case XG_DOT:
    case XG_RAGGED_DOT:
    case XG_CONVOLUTION:
    case XG_RNG_BIT_GENERATOR: return true;
    case XG_SELECT_AND_SCATTER: return i->n_operands == 3;
    case XG_REDUCE: return i->shape->type == XLAGPU_TUPLE || xg_fuse_steps(i) > XG_FUSE_SERIAL_MAX;
    case XG_REDUCE_WINDOW: return i->shape->type == XLAGPU_TUPLE || xg_fuse_is_scan(i) || xg_fuse_steps(i) > 64;
    default: return false;
    }
}

/* The last dimension in memory that has more than one element; rank when there is none. */
XG_FN uint32_t xg_fuse_minor(const xg_shape *s) {
    uint32_t k;
    for (k = 0; k < s->rank; k++) {
        uint32_t d = xg_shape_minor(s, k);
        if (s->dims[d] != 1) return d;
    }
    return s->rank;
}

/* Do threads that write neighbours read neighbours? */
XG_FN bool xg_fuse_keeps_minor(const xg_inst *user, const xg_shape *from) {
    uint32_t minor = xg_fuse_minor(from), to = xg_fuse_minor(user->shape);
    if (minor == from->rank || to == user->shape->rank) return true;
    switch (user->op) {
    case XG_TRANSPOSE: return xg_attr_dims(user).p[to] == minor;
    case XG_COPY: return minor == to;
    case XG_SLICE: return xg_inst_attr(user, XG_A_slice)->v.slices->p[to].stride == 1;
    default: return true;
    }
}

XG_FN xg_access xg_access_ratio(xg_access_kind kind, int64_t num, int64_t den) {
    xg_access a;
    a.kind = kind;
    a.num = num;
    a.den = XG_MAX(den, (int64_t)1);
    a.coalesced = true;
    a.turn = 0;
    return a;
}

XG_FN xg_access xg_fuse_access(const xg_inst *user, uint32_t k) {
    const xg_inst *o = XG_OPERAND(user, k);
    int64_t in = o->shape->elements, out = XG_MAX(xg_fuse_elements(user), (int64_t)1), steps;
    xg_access a = xg_access_ratio(XG_ACCESS_MOVED, 1, 1);
    switch (user->op) {
    case XG_BITCAST:
    case XG_RESHAPE: return xg_access_ratio(XG_ACCESS_ALIGNED, 1, 1);
    case XG_PAD: return xg_access_ratio(XG_ACCESS_MOVED, k ? 1 : XG_MIN(in, out), k ? 1 : out);
    case XG_CONCATENATE: return xg_access_ratio(XG_ACCESS_MOVED, in, out);
    case XG_DYNAMIC_UPDATE_SLICE:
        return k == 0 ? xg_access_ratio(XG_ACCESS_SAME, 1, 1) : k == 1 ? xg_access_ratio(XG_ACCESS_MOVED, in, out) : a;
    case XG_RNG_BIT_GENERATOR: return xg_access_ratio(XG_ACCESS_MOVED, in, 1);
    case XG_GATHER:
        if (k) return xg_access_ratio(XG_ACCESS_MOVED, xg_attr_ints(user, XG_A_start_index_map).n, 1);
        a.turn = XG_TURN_ELSEWHERE;
        return a;
    case XG_REDUCE:
    case XG_REDUCE_WINDOW: {
        bool data = k < user->n_operands / 2;
        steps = xg_fuse_steps(user);
        if (data && user->op == XG_REDUCE_WINDOW && xg_fuse_windows_apart(user))
            return xg_access_ratio(XG_ACCESS_LOOP, XG_MIN(xg_cost_mul(steps, out), in), out);
        return data ? xg_access_ratio(
                          XG_ACCESS_LOOP, user->op == XG_REDUCE ? in : steps, user->op == XG_REDUCE ? out : 1)
                    : a;
    }
    case XG_SELECT_AND_SCATTER:
        if (k == 2 || (k == 0 && user->n_operands == 4)) return a;
        if (user->n_operands == 4 && xg_fuse_windows_around(user) == 1)
            return xg_access_ratio(XG_ACCESS_LOOP, in, out); /* for a box of elements one is read */
        return xg_access_ratio(user->n_operands == 4 ? XG_ACCESS_CONTRACTED : XG_ACCESS_LOOP,
            user->n_operands == 4 ? 2 : xg_fuse_steps(user), 1);
    case XG_DOT:
    case XG_RAGGED_DOT:
    case XG_CONVOLUTION:
        return xg_access_ratio(XG_ACCESS_CONTRACTED, XG_MAX(xg_fuse_steps(user) / 64, (int64_t)1),
            1); /* a tile is read once for all that need it */
    case XG_SCATTER: return k == 0 ? xg_access_ratio(XG_ACCESS_SAME, 1, 1) : xg_access_ratio(XG_ACCESS_LOOP, in, out);
    case XG_BITCAST_CONVERT:
        return xg_type_bits(user->shape->type) == xg_type_bits(o->shape->type)
                   ? xg_access_ratio(XG_ACCESS_SAME, 1, 1)
                   : xg_access_ratio(XG_ACCESS_MOVED, XG_MAX(in, out), out);
    case XG_COPY:
        if (xg_fuse_layout_noop(user)) return xg_access_ratio(XG_ACCESS_SAME, 1, 1);
        break;
    case XG_MAP: return xg_access_ratio(XG_ACCESS_SAME, 1, 1);
    default:
        if (xg_op_flags(user->op) & XGF_EW)
            return xg_access_ratio(o->shape->rank == user->shape->rank ? XG_ACCESS_SAME : XG_ACCESS_MOVED, 1, 1);
        break;
    }
    a.coalesced = xg_fuse_keeps_minor(user, o->shape);
    if (!a.coalesced) a.turn = xg_permutation_turn(user);
    return a;
}

/* May what operand k is be computed inside of the user's kernel? If not it has to lie in memory. */
XG_FN bool xg_fuse_absorbs(const xg_inst *user, uint32_t k) {
    const xg_shape *s = XG_OPERAND(user, k)->shape;
    if (!xg_fuse_is_static_array(s) || xg_fuse_class_of(user) == XG_FUSE_OTHER) return false;
    if (user->op == XG_RAGGED_DOT && k == 2) return false; /* every block reads all of it */
    return user->op != XG_SCATTER || k > 0;
}

/* Only the update should be written, into the memory of the operand: worth a kernel of its own. */
XG_FN bool xg_fuse_is_update_in_place(const xg_inst *i) {
    return i->op == XG_DYNAMIC_UPDATE_SLICE && xg_cost_bytes(i->shape) > (1 << 20) &&
           XG_OPERAND(i, 1)->shape->elements <= i->shape->elements / 4;
}

/* Windows that do not meet (pooling) fold what a contraction makes: its elements are made where they are folded, each
 * at most as often as in a kernel of its own. But there every thread makes its own, where a kernel of the contraction
 * has tiles: only a contraction of few steps costs less than its result takes in memory, of narrow elements, which
 * matrix units multiply, fewer still. */
XG_FN bool xg_fuse_folds_once(const xg_kernel *p, const xg_kernel *c, const xg_kernel_input *in) {
    return (p->hero->op == XG_CONVOLUTION || p->hero->op == XG_DOT) && !p->loops && c->loops && in->sites == 1 &&
           in->reads <= p->elements && xg_fuse_steps(p->hero) <= xg_type_bits(XG_OPERAND(p->hero, 0)->shape->type);
}

XG_FN int64_t xg_fuse_scatter_positions(const xg_inst *scatter) {
    const xg_shape *s = XG_OPERAND(scatter, scatter->n_operands / 2)->shape;
    int64_t vector_dim = xg_attr_or_0(scatter, XG_A_index_vector_dim), n = 1;
    uint32_t k;
    for (k = 0; k < s->rank; k++)
        if ((int64_t)k != vector_dim) n = xg_cost_mul(n, s->dims[k]);
    return n;
}

/* Would the consumer, an update in place of something large, read it elsewhere, too, if the producer came in? Then all
 * of it would have to be written anew, and in a loop copied back, for each update. A scatter of any size would even ask
 * all positions for each element, so only a handful may be asked. The window that the update itself replaces may be
 * read. */
XG_FN bool xg_fuse_reads_what_is_updated(const xg_kernel *p, const xg_kernel *c) {
    enum {
        LARGE_BYTES = 1 << 20, /* what is smaller is written anew in less time than a launch takes */
        WINDOW_PART = 4        /* of the array: a larger window leaves little in place */
    };
    const xg_inst *u, *x;
    uint32_t k;
    if (!c->updates && !c->hero) return false; /* it has neither in it */
    u = c->inst;
    if ((u->op != XG_DYNAMIC_UPDATE_SLICE && u->op != XG_SCATTER) || u->shape->type == XLAGPU_TUPLE || c->roots.n > 1)
        return false;
    x = XG_OPERAND(u, 0);
    if ((u->op != XG_SCATTER || xg_fuse_scatter_positions(u) <= XG_SCATTER_ASKED_MAX) &&
        (xg_cost_bytes(u->shape) <= LARGE_BYTES ||
            XG_OPERAND(u, u->op == XG_SCATTER ? 2 : 1)->shape->elements > u->shape->elements / WINDOW_PART))
        return false;
    while (xg_kernel_computes(c, (const xg_kernel *)x->scratch) && xg_in_place_is_link(x)) {
        u = x; /* of a chain the first update's array is written */
        x = XG_OPERAND(u, 0);
    }
    if (xg_kernel_computes(c, (const xg_kernel *)x->scratch)) return false;
    for (k = 0; k < p->n_inputs && p->inputs[k].from->inst != x; k++) {}
    if (k == p->n_inputs) return false;
    XG_FOR_USES(v, x) {
        const xg_kernel *reader = (const xg_kernel *)v->user->scratch;
        if (v->user == u || !reader || (reader != p && !xg_kernel_computes(p, reader))) continue;
        if (v->user->op != XG_DYNAMIC_SLICE || xg_in_place_window(v->user) != u) return true;
    }
    return false;
}

/* Two large arrays are updated in place, each by what is read of the other. If both kernels read, the second would find
 * what the first has written, so one array would have to be copied as a whole; what is read stays in front of both.
 * Arguments that the program keeps are not written by any update. */
XG_FN bool xg_fuse_is_kept(const xg_inst *x) {
    const xg_module *m = x->comp->module;
    return x->op == XG_PARAMETER && x->comp == m->entry && !m->n_aliases && !m->n_donors;
}
XG_FN bool xg_fuse_reads_in_turn(const xg_kernel *p, const xg_kernel *c) {
    const xg_kernel *of;
    uint32_t k, j;
    if (!c->is_update_in_place || c->roots.n > 1) return false;
    of = (const xg_kernel *)xg_in_place_strip(XG_OPERAND(c->inst, 0))->scratch;
    if (!of) return false;
    for (k = 0; k < p->n_inputs; k++)
        if (!xg_fuse_is_kept(p->inputs[k].from->inst))
            XG_FOR_USES(v, p->inputs[k].from->inst) {
                const xg_kernel *other = (const xg_kernel *)v->user->scratch;
                if (p->inputs[k].from == of || !other || other == c || !other->is_update_in_place || XG_USE_INDEX(v))
                    continue;
                if (xg_kernel_find_input(other, of)) return true;
                for (j = 0; j < other->n_inputs; j++)
                    if (xg_kernel_find_input(other->inputs[j].from, of)) return true;
            }
    return false;
}

/* Are both of one chain of updates in place, of which neither reads the array elsewhere? Then one kernel makes all of
 * them, each by blocks of its own (emit/update.c). */
XG_FN bool xg_fuse_continues_update(const xg_kernel *p, const xg_kernel *c) {
    const xg_inst *y = c->inst, *x;
    const xg_kernel_input *in;
    uint32_t links = 0;
    bool met = false;
    if (!c->is_update_in_place || c->roots.n > 1) return false;
    for (;;) {
        const xg_kernel *of;
        x = xg_in_place_strip(XG_OPERAND(y, 0));
        of = (const xg_kernel *)x->scratch;
        if (!xg_in_place_is_link(x) || !of || !(of == p || xg_kernel_computes(met ? p : c, of)) ||
            ++links > XG_FUSE_UPDATES_MAX)
            break;
        met = met || of == p;
        y = x;
    }
    if (!met || !(in = xg_kernel_find_input(p, (const xg_kernel *)x->scratch)) || in->sites != 1) return false;
    return !xg_kernel_find_input(c, in->from);
}

/* A contraction, and nothing else, reads each of the producer's elements hardly more often than it is made in a kernel
 * of its own: of a few rows. */
XG_FN bool xg_fuse_reads_briefly(const xg_inst *hero, int64_t elements, int64_t rows) {
    return xg_cost_mul(xg_fuse_elements(hero), xg_fuse_steps(hero)) / rows <= elements;
}
/* Packed weights, which tiles of few rows unpack (sched/tile_pack.c). */
XG_FN bool xg_fuse_unpacks(const xg_inst *w, const xg_kernel *c) {
    return c->hero && c->hero->op == XG_DOT && xg_dot_is_packed(xg_dot_unscaled(w)) &&
           xg_fuse_reads_briefly(c->hero, w->shape->elements, xg_dot_packed_rows(c->hero));
}
XG_FN bool xg_fuse_contracts_briefly(const xg_kernel *p, const xg_kernel *c) {
    return p->n_readers == 1 && c->hero &&
           (xg_fuse_reads_briefly(c->hero, p->elements, XG_FUSE_BRIEF_ROWS) || xg_fuse_unpacks(p->inst, c));
}

/* Zero points or scales of packed weights, which kernels find once for many of them (sched/tile_scale.c). */
XG_FN bool xg_fuse_is_scale(const xg_kernel *p, const xg_kernel *c) {
    uint32_t k;
    for (k = 0; k < 2 && c->hero && c->hero->op == XG_DOT; k++) {
        const xg_inst *w = XG_OPERAND(c->hero, k);
        if (w->shape->elements / XG_FUSE_BRIEF_ROWS >= p->elements && xg_fuse_unpacks(w, c)) return p->n_readers == 1;
    }
    return false;
}
/* What such weights are multiplied with, which tiles copy as it lies in memory. */
XG_FN bool xg_fuse_meets_packed(const xg_kernel *p, const xg_kernel *c) {
    uint32_t k;
    for (k = 0; k < 2 && c->hero && c->hero->op == XG_DOT; k++) {
        const xg_inst *x = XG_OPERAND(c->hero, k);
        while (x->op == XG_BITCAST || x->op == XG_RESHAPE) x = XG_OPERAND(x, 0);
        if (x == p->inst && xg_fuse_unpacks(XG_OPERAND(c->hero, 1 - k), c)) return true;
    }
    return false;
}
/* What is computed element by element at a price that nothing pays inside of a contraction, from it up to what lies in
 * memory: so it will lie in memory itself. */
XG_FN int64_t xg_fuse_contracted_price(const xg_kernel *k, uint32_t depth) {
    int64_t price = k->instructions;
    uint32_t j;
    if (depth == 0) return price;
    for (j = 0; j < k->n_inputs && price <= XG_FUSE_CONTRACTED_MAX * k->elements; j++) {
        const xg_kernel *from = k->inputs[j].from;
        if (from->candidate && !from->hero && from->elements == k->elements)
            price = xg_cost_add(price, xg_fuse_contracted_price(from, depth - 1));
    }
    XG_ESTIMATED(price);
    return price;
}
/* Would arrays lie in memory in the producer's place, if a contraction computed it, of which one is made there for
 * nothing else? Then it is better made with that one, and other readers of it make it again. */
XG_FN bool xg_fuse_parts_stay(const xg_kernel *p) {
    uint32_t k, large = 0;
    bool dear = false;
    for (k = 0; k < p->n_inputs && p->elements > XG_FUSE_PARTS_MIN; k++) {
        const xg_kernel *from = p->inputs[k].from;
        if (from->elements < p->elements) continue;
        large++;
        dear = dear ||
               (from->candidate && !from->hero && !from->loops &&
                   xg_fuse_contracted_price(from, XG_FUSE_CONTRACTED_MAX) > XG_FUSE_CONTRACTED_MAX * from->elements);
    }
    return large > 1 && dear;
}

/* Bytes that are turned over for a dot: sched/byte_rows.c has found that it takes less so. */
XG_FN bool xg_fuse_turns_bytes(const xg_kernel *p) {
    const xg_device *m = &p->inst->comp->module->device;
    return p->inst->op == XG_TRANSPOSE && xg_type_bits(p->inst->shape->type) == 8 &&
           (m->warp_groups || m->tensor_memory);
}
/* A convolution of all features, whose arrays lie as sched/conv_layouts.c has found it takes less. */
XG_FN bool xg_fuse_is_dense(const xg_inst *hero) {
    return hero && hero->op == XG_CONVOLUTION && xg_attr_or_1(hero, XG_A_feature_group_count) == 1 &&
           xg_attr_or_1(hero, XG_A_batch_group_count) == 1;
}
/* Why the producer may not be computed in the consumer's kernel; NULL: it may. */
XG_FN const char *xg_fuse_refusal(const xg_kernel *p, const xg_kernel *c, const xg_kernel_input *in) {
    const xg_inst *h = p->hero;
    if (p->is_update_in_place) return xg_fuse_continues_update(p, c) ? NULL : "the producer is an update in place";
    if (xg_fuse_reads_what_is_updated(p, c)) return "it reads what the consumer updates in place";
    if (xg_fuse_reads_in_turn(p, c)) return "it reads what is updated in place by what it updates";
    if (in->contracted) {
        if (h) return "a hero inside of a contraction";
        if (xg_fuse_turns_bytes(p)) return "matrix units take bytes by rows";
        if (xg_fuse_meets_packed(p, c)) return "tiles that unpack weights copy what they are multiplied with";
        if (p->turns && xg_fuse_is_dense(c->hero)) return "the convolution would read across its rows";
        if ((p->instructions > XG_FUSE_CONTRACTED_MAX * XG_MAX(p->elements, (int64_t)1) || p->n_inputs > 2) &&
            !xg_fuse_contracts_briefly(p, c) && !xg_fuse_is_scale(p, c))
            return "too much work to repeat inside of a contraction";
        if (!xg_fuse_contracts_briefly(p, c) && xg_fuse_parts_stay(p))
            return "what it is made of would lie in memory in its place";
    }
    if (!h)
        return p->loops && in->sites > 1 && in->reads / XG_FUSE_REPEATED >= p->elements
                   ? "windows would be folded again for each reader"
                   : NULL;
    if (h->op == XG_SCATTER || h->op == XG_SELECT_AND_SCATTER || h->shape->type == XLAGPU_TUPLE)
        return "nothing is computed behind the producer's hero";
    if (c->hero) return "both have a hero";
    if (xg_fuse_folds_once(p, c, in)) return NULL;
    if (!in->aligned || in->sites != 1 || in->reads != p->elements || c->elements != p->elements)
        return "the producer's hero would be computed elsewhere or more than once";
    return NULL;
}

XG_FN bool xg_fuse_is_splat(const xg_inst *i) {
    const xg_literal *l = i->literal;
    size_t n = (size_t)xg_type_bytes(i->shape->type);
    int64_t k;
    if (l->elided || !l->data) return false;
    for (k = 1; k < i->shape->elements; k++)
        if (memcmp(l->data, (const char *)l->data + (size_t)k * n, n) != 0) return false;
    return true;
}

#endif /* XG_FUSE_LEGALITY_C */
