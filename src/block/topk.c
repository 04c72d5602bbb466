/* block/topk.c -- topk by selection: one block per row looks at each element once, and again only at those of groups
 * that lead.
 *
 * The elements of a row fall into residue classes of their indices modulo `groups`. A thread finds the best of each of
 * its classes; of these the best k are found. All of the best k elements lie in the classes that lead by them, for each
 * class that is passed over has k others with something better. So only those k classes are looked at again, each split
 * into finer ones (the modulus grows `split` times), until a class is one element:
 *     modulus = width * split;  classes = all
 *     repeat: list = best of each class;  the best k of list, in order;  done if modulus >= length;  classes = those of
 *     the best k, modulus *= split
 *
 * List entries are integers of 64 bits: the element's key, ordered as signed, above the complement of its index, so
 * that no two are equal, the greater one goes first, and equal elements go by their indices. A class without an element
 * has the least key and an index behind the row, of the same class. The best `width` (k, rounded up to a power of two)
 * of a list: runs of width are sorted by a bitonic network, then pairs of runs become one: the better of each place of
 * one and the mirrored place of the other are the best of both, and bitonic, so log2(width) steps sort them.
 *
 * Of the first list the last of the best k is a bound: what is not behind it, mostly little more than k elements, goes
 * to a list in any order, which is sorted instead. Only where that list has no room for them classes are split. */
#ifndef XG_BLOCK_TOPK_C
#define XG_BLOCK_TOPK_C
#include "block.h"

enum {
    XG_TOPK_THREADS_MAX = 1024,
    XG_TOPK_GROUPS_USUAL = 512, /* more of them only where the estimate gains */
    XG_TOPK_GROUPS_LEAST = 256, /* so many keep some warps busy, whatever the estimate says */
    XG_TOPK_GROUPS_MAX = 4096,  /* of 8 bytes each in shared memory */
    XG_TOPK_FEW = 64            /* places of a short list */
};

typedef struct xg_topk_site {
    xg_fusion_emission *e;
    const xg_inst *i, *x;
    int64_t rows, length, k, width, split, groups, threads;
    uint32_t dim;
    xg_scope s;
    xg_kval *thread, *row[XG_RANK_MAX];
} xg_topk_site;

XG_FN bool xg_topk_takes(const xg_fusion_emission *e) {
    const xg_inst *i = xg_sort_of_root(e->roots[0]);
    uint32_t k;
    for (k = 1; k < e->n_roots; k++)
        if (xg_sort_of_root(e->roots[k]) != i) return false;
    return i && xg_fuse_topk_selects(i);
}

/* ---- blocks, loops, keys ---- */

XG_FN xg_kval *xg_topk_ranged(xg_kval *v, int64_t hi) {
    xg_kval_set_range(v, xg_range_of(0, hi));
    return v;
}
XG_FN xg_kval *xg_topk_i64(xg_topk_site *d, int64_t v) { return xg_kconst_int(&d->s.b, XG_E_I64, v); }
XG_FN xg_kval *xg_topk_sync(xg_topk_site *d, xg_kval *list) {
    xg_shared_wait(&d->s.b, &list, 1);
    return list;
}

/* body(d, data, number, list) for all numbers below n, each by one thread. */
typedef xg_kval *(*xg_topk_body)(xg_topk_site *d, const void *data, xg_kval *number, xg_kval *list);
XG_FN xg_kval *xg_topk_each(xg_topk_site *d, int64_t n, xg_kval *list, xg_topk_body body, const void *data) {
    bool loop = n > d->threads;
    xg_kval *number = d->thread, *zero;
    xg_flow all = xg_flow_of(&d->s, &list), some;
    if (loop) {
        int64_t turns = (n + d->threads - 1) / d->threads;
        zero = xg_elem_index_0(&d->s);
        number = xg_flow_for(&all, zero, xg_elem_index(&d->s, turns), 1, turns);
        number = xg_kaddi(&d->s.b, xg_k2_int(&d->s.b, XG_K_OP_MULI, number, d->threads), d->thread);
        xg_topk_ranged(number, turns * d->threads - 1);
    }
    some = xg_flow_of(&d->s, &list);
    xg_flow_if(&some, n % d->threads ? xg_kcmpi_int(&d->s.b, XG_CI_SLT, number, n) : NULL);
    list = body(d, data, number, list);
    xg_flow_end(&some);
    if (loop) xg_flow_end(&all);
    return list;
}

/* Ordered as a signed number: what goes first is greater. */
XG_FN xg_kval *xg_topk_key(xg_topk_site *d, xg_elem x) {
    xg_kb *b = &d->s.b;
    xlagpu_type t = d->x->shape->type;
    bool word = xg_type_bits(t) == 32;
    xg_kval *v = x.v;
    if (xg_type_class(t) == XGT_F)
        v = xg_type_bits(t) <= 8 ? xg_scalar_ordered_small(b, v, xg_float_format_of(t)) : xg_scalar_ordered_bits(b, v);
    else if (!xg_type_signed(t))
        v = word ? xg_k2_int(b, XG_K_OP_XORI, v, INT32_MIN) : xg_kextui(b, v, XG_E_I32);
    if (v->type->elem != XG_E_I32) v = xg_kcast(b, XG_K_OP_EXTSI, v, XG_E_I32);
    return xg_attr_or_1(d->i, XG_A_largest) ? v : xg_k2_int(b, XG_K_OP_XORI, v, -1);
}
XG_FN xg_kval *xg_topk_at(xg_topk_site *d, xg_kval *index) {
    d->row[d->dim] = index;
    return xg_topk_key(d, xg_elem_of(&d->s, d->x, d->row));
}
XG_FN xg_kval *xg_topk_entry(xg_topk_site *d, xg_kval *key, xg_kval *index) {
    xg_kb *b = &d->s.b;
    xg_kval *high = XG_KOP2(b, XG_K_OP_SHLI, xg_kextui(b, key, XG_E_I64), xg_topk_i64(d, 32)),
            *low = xg_kcast_index(b, index, XG_E_I32);
    low = xg_kextui(b, xg_k2_int(b, XG_K_OP_XORI, low, -1), XG_E_I64);
    return xg_k2(b, XG_K_OP_ORI, high, low);
}
/* The index of the list's entry at a place. */
XG_FN xg_kval *xg_topk_index(xg_topk_site *d, xg_kval *list, xg_kval *place, int64_t most) {
    xg_kb *b = &d->s.b;
    xg_kval *low = xg_kcast(b, XG_K_OP_TRUNCI, xg_kextract(b, list, &place, 1), XG_E_I32);
    return xg_topk_ranged(xg_kcast_index(b, xg_k2_int(b, XG_K_OP_XORI, low, -1), XG_E_INDEX), most);
}

/* ---- the best of each class ---- */

/* leaders: the k classes of the modulus before; NULL: all of them */
typedef struct xg_topk_level {
    int64_t modulus;
    xg_kval *leaders;
} xg_topk_level;

/* The class of a group: its own number, or a part of a leader's. *dead: the group has none, as k is no power of two. */
XG_FN xg_kval *xg_topk_class(xg_topk_site *d, const xg_topk_level *l, xg_kval *group, xg_kval **dead) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_kb *b = &d->s.b;
    int64_t coarse = l->modulus / d->split;
    xg_kval *part[2], *leader;
    xg_imap *m;
    *dead = NULL;
    if (!l->leaders) return group;
    m = xg_imap_of_dims(x, 1, 2);
    m->dims[0].range = xg_range_of(0, d->groups - 1);
    m->results[0] = xg_aff_mod(x, xg_aff_dim_0(x), d->width);
    m->results[1] = xg_aff_mul(x, xg_aff_div(x, xg_aff_dim_0(x), d->width), coarse);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &group, part);
    xg_topk_ranged(part[0], d->width - 1);
    if (d->k < d->width) {
        *dead = xg_kcmpi_int(b, XG_CI_SGE, part[0], d->k);
        part[0] = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, part[0], d->k - 1), d->k - 1);
    }
    leader = xg_topk_ranged(xg_kcast_index(b, xg_kextract(b, l->leaders, part, 1), XG_E_INDEX), coarse - 1);
    return xg_kaddi(b, leader, xg_topk_ranged(part[1], l->modulus - coarse));
}
/* The class of each of the best k. */
XG_FN xg_kval *xg_topk_lead(xg_topk_site *d, const void *data, xg_kval *place, xg_kval *leaders) {
    const xg_topk_level *l = (const xg_topk_level *)data;
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 1, 1);
    xg_kval *index = xg_topk_index(d, l->leaders, place, d->length - 1), *klass;
    m->dims[0].range = xg_range_of(0, d->length - 1);
    m->results[0] = xg_aff_mod(x, xg_aff_dim_0(x), l->modulus);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &index, &klass);
    return xg_kinsert_at(&d->s.b, xg_kcast_index(&d->s.b, klass, XG_E_I32), leaders, place);
}

/* The better of the best so far (its key, how many elements of its class stand before it) and the element at an index
 * behind it; equal ones leave the former. */
XG_FN void xg_topk_better(xg_topk_site *d, xg_kval *best[2], xg_kval *key, xg_kval *number) {
    xg_kb *b = &d->s.b;
    xg_kval *better = xg_kcmpi_(b, XG_CI_SGT, key, best[0]);
    best[0] = xg_kselect(b, better, key, best[0]);
    best[1] = xg_kselect(b, better, number, best[1]);
}

/* The elements class, class + modulus .. that every class has: the first, then in strides of a few, so that their
 * addresses differ by constants. */
XG_FN void xg_topk_walk(xg_topk_site *d, const xg_topk_level *l, xg_kval *klass, int64_t n, xg_kval *best[2]) {
    xg_kb *b = &d->s.b;
    xg_kval *index, *key, *number, *from;
    const int64_t stride = 8, first = n % stride ? n % stride : stride;
    int64_t k;
    xg_flow f;
    best[0] = xg_topk_at(d, klass);
    best[1] = xg_kconst_i32(b, 0);
    for (k = 1; k < first; k++) {
        index = xg_topk_ranged(xg_kaddi_int(b, klass, k * l->modulus), d->length - 1);
        key = xg_topk_at(d, index);
        xg_topk_better(d, best, key, xg_kconst_i32(b, k));
    }
    if (first == n) return;
    from = xg_elem_index(&d->s, first);
    index = xg_elem_index(&d->s, n);
    f = xg_flow_of(&d->s, &best[0]);
    xg_flow_slot(&f, &best[1]);
    number = xg_flow_for(&f, from, index, stride, n);
    from =
        xg_topk_ranged(XG_KOP2(b, XG_K_OP_ADDI, xg_k2_int(b, XG_K_OP_MULI, number, l->modulus), klass), d->length - 1);
    number = xg_kcast_index(b, number, XG_E_I32);
    for (k = 0; k < stride; k++) {
        index = xg_topk_ranged(xg_kaddi_int(b, from, k * l->modulus), d->length - 1);
        key = xg_topk_at(d, index);
        xg_topk_better(d, best, key, xg_kaddi_int(b, number, k));
    }
    xg_flow_end(&f);
}

/* The one more element that the first classes have; `full` others were seen. */
XG_FN void xg_topk_last(xg_topk_site *d, const xg_topk_level *l, xg_kval *klass, int64_t full, xg_kval *best[2]) {
    xg_kb *b = &d->s.b;
    xg_kval *beyond = xg_kaddi_int(b, klass, full * l->modulus), *index, *key;
    xg_topk_ranged(beyond, (full + 1) * l->modulus - 1);
    index = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, beyond, d->length - 1), d->length - 1);
    key = xg_topk_at(d, index);
    beyond = xg_kcmpi_int(b, XG_CI_SLT, beyond, d->length);
    key = xg_kselect(b, beyond, key, xg_kconst_i32(b, INT32_MIN));
    if (!full) best[0] = xg_kconst_i32(b, INT32_MIN);
    if (!full) best[1] = xg_kconst_i32(b, 0);
    xg_topk_better(d, best, key, xg_kconst_i32(b, full));
}

XG_FN xg_kval *xg_topk_group(xg_topk_site *d, const void *data, xg_kval *group, xg_kval *list) {
    const xg_topk_level *l = (const xg_topk_level *)data;
    xg_kb *b = &d->s.b;
    int64_t full = d->length / l->modulus, behind = (d->length + l->modulus - 1) / l->modulus * l->modulus;
    xg_kval *best[2] = {NULL, NULL}, *dead, *klass = xg_topk_class(d, l, group, &dead), *entry, *none, *index;
    xg_topk_ranged(klass, l->modulus - 1);
    if (full) xg_topk_walk(d, l, klass, full, best);
    if (d->length % l->modulus) xg_topk_last(d, l, klass, full, best);
    index = xg_kcast_index(b, best[1], XG_E_INDEX);
    xg_topk_ranged(index, XG_MAX(full, 1));
    index = xg_kaddi(b, xg_k2_int(b, XG_K_OP_MULI, index, l->modulus), klass);
    entry = xg_topk_entry(d, best[0], xg_topk_ranged(index, (XG_MAX(full, 1) + 1) * l->modulus - 1));
    if (dead) {
        /* Not a class, so no index of one: behind all others, and different in each group. */
        none = xg_kcast_index(b, xg_kaddi_int(b, group, behind + l->modulus), XG_E_I64);
        none = xg_ksubi(b, xg_topk_i64(d, INT64_MIN + (int64_t)UINT32_MAX), none);
        entry = xg_kselect(b, dead, none, entry);
    }
    return xg_kinsert_at(b, entry, list, group);
}

/* ---- the best of the list ---- */

/* Pair t of a step: places first and second; the greater entry goes to the first, the other to the second unless it is
 * given up. */
typedef struct xg_topk_step {
    const xg_imap *places;
    bool drop;
} xg_topk_step;
XG_FN xg_kval *xg_topk_pair(xg_topk_site *d, const void *data, xg_kval *t, xg_kval *list) {
    const xg_topk_step *step = (const xg_topk_step *)data;
    xg_kb *b = &d->s.b;
    xg_kval *at[2], *x, *y;
    xg_elem_apply(&d->s, step->places, &t, at);
    xg_topk_ranged(at[0], d->groups - 1);
    xg_topk_ranged(at[1], d->groups - 1);
    x = xg_kextract(b, list, &at[0], 1);
    y = xg_kextract(b, list, &at[1], 1);
    list = xg_kinsert_at(b, xg_k2(b, XG_K_OP_MAXSI, x, y), list, at[0]);
    return step->drop ? list : xg_kinsert_at(b, xg_k2(b, XG_K_OP_MINSI, x, y), list, at[1]);
}
/* Pairs `bit` apart (mirrored: as far from the ends of 2 * bit places) in runs of `width` that stand `stride` apart. */
XG_FN xg_kval *xg_topk_exchange(
    xg_topk_site *d, xg_kval *list, int64_t runs, int64_t stride, int64_t bit, bool mirrored) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t half = d->width / 2, pairs = runs * half;
    const xg_aff *t = xg_aff_dim_0(x), *low = xg_aff_mod(x, t, bit), *first;
    xg_imap *m = xg_imap_of_dims(x, 1, 2);
    xg_topk_step step;
    first = xg_aff_sub(x, xg_aff_mul(x, xg_aff_mod(x, t, half), 2), low);
    first = xg_aff_add_mul(x, first, xg_aff_div(x, t, half), stride);
    m->dims[0].range = xg_range_of(0, pairs - 1);
    m->results[0] = first;
    m->results[1] = mirrored ? xg_aff_add_k(x, xg_aff_sub(x, first, xg_aff_mul(x, low, 2)), 2 * bit - 1)
                             : xg_aff_add_k(x, first, bit);
    step.places = xg_imap_simplify(x, m);
    step.drop = false;
    return xg_topk_sync(d, xg_topk_each(d, pairs, list, xg_topk_pair, &step));
}
/* Of runs that stand `stride` apart each second one goes into the one before it. */
XG_FN xg_kval *xg_topk_merge(xg_topk_site *d, xg_kval *list, int64_t runs, int64_t stride) {
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *t = xg_aff_dim_0(x), *own = xg_aff_mod(x, t, d->width),
                 *base = xg_aff_mul(x, xg_aff_div(x, t, d->width), 2 * stride);
    xg_imap *m = xg_imap_of_dims(x, 1, 2);
    xg_topk_step step;
    int64_t bit;
    m->dims[0].range = xg_range_of(0, runs / 2 * d->width - 1);
    m->results[0] = xg_aff_add(x, base, own);
    m->results[1] = xg_aff_add_k(x, xg_aff_sub(x, base, own), stride + d->width - 1);
    step.places = xg_imap_simplify(x, m);
    step.drop = true;
    list = xg_topk_sync(d, xg_topk_each(d, runs / 2 * d->width, list, xg_topk_pair, &step));
    for (bit = d->width / 2; bit; bit /= 2) list = xg_topk_exchange(d, list, runs / 2, 2 * stride, bit, false);
    return list;
}
XG_FN xg_kval *xg_topk_best(xg_topk_site *d, xg_kval *list) {
    int64_t half, bit, runs = d->groups / d->width;
    for (half = 1; half < d->width; half *= 2) {
        list = xg_topk_exchange(d, list, runs, d->width, half, true);
        for (bit = half / 2; bit; bit /= 2) list = xg_topk_exchange(d, list, runs, d->width, bit, false);
    }
    for (; runs > 1; runs /= 2) list = xg_topk_merge(d, list, runs, d->groups / runs);
    return list;
}

/* ---- a short list ---- */

/* Of two for each of the best k seldom more than one is wanted, since there are twice as many groups. */
XG_FN int64_t xg_topk_places(const xg_topk_site *d) {
    return XG_MIN(XG_MAX(2 * d->width, (int64_t)XG_TOPK_FEW), d->groups);
}
typedef struct xg_topk_short {
    xg_kval *leaders, *bound, *count;
    int64_t modulus, places;
} xg_topk_short;
XG_FN xg_kval *xg_topk_fill(xg_topk_site *d, const void *data, xg_kval *place, xg_kval *array) {
    return xg_kinsert_at(&d->s.b, xg_kconst_int(&d->s.b, array->type->elem, *(const int64_t *)data), array, place);
}
/* Element t / k of the class of leader t mod k takes the next place, if it is not behind the bound. */
XG_FN xg_kval *xg_topk_gather(xg_topk_site *d, const void *data, xg_kval *t, xg_kval *list) {
    const xg_topk_short *l = (const xg_topk_short *)data;
    xg_kb *b = &d->s.b;
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 1, 2);
    xg_kval *part[2], *index, *o[2], *entry, *is;
    xg_flow f, room;
    int64_t each = (d->length + l->modulus - 1) / l->modulus, most = each * l->modulus - 1;
    m->dims[0].range = xg_range_of(0, each * d->k - 1);
    m->results[0] = xg_aff_mod(x, xg_aff_dim_0(x), d->k);
    m->results[1] = xg_aff_mul(x, xg_aff_div(x, xg_aff_dim_0(x), d->k), l->modulus);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &t, part);
    index = xg_kcast_index(b, xg_kextract(b, l->leaders, part, 1), XG_E_INDEX);
    index = xg_topk_ranged(xg_kaddi(b, xg_topk_ranged(index, l->modulus - 1), part[1]), most);
    o[0] = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, index, d->length - 1), d->length - 1);
    entry = xg_topk_entry(d, xg_topk_at(d, o[0]), index);
    is = xg_kcmpi_(b, XG_CI_SGE, entry, l->bound);
    if (most >= d->length) is = XG_KOP2(b, XG_K_OP_ANDI, is, xg_kcmpi_int(b, XG_CI_SLT, index, d->length));
    f = xg_flow_of(&d->s, &list);
    xg_flow_if(&f, is);
    o[0] = l->count;
    o[1] = xg_elem_index_0(&d->s);
    o[1] = xg_kir_value(b, XG_K_OP_SHARED_AT, o, 2, xg_kir_pointer(d->e->m, XG_SPACE_SHARED));
    o[0] = xg_kconst_i32(b, 1);
    o[0] = xg_kir_value(b, XG_K_OP_ATOM_ADD, o, 2, o[0]->type);
    o[0] = xg_kcast_index(b, o[0], XG_E_INDEX);
    room = xg_flow_of(&d->s, &list);
    xg_flow_if(&room, xg_kcmpi_int(b, XG_CI_SLT, o[0], l->places));
    o[0] = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, o[0], l->places - 1), l->places - 1);
    list = xg_kinsert(b, entry, list, o, 1);
    xg_flow_end(&room);
    xg_flow_end(&f);
    return list;
}
/* Classes of leaders are split until they are one element. */
XG_FN xg_kval *xg_topk_levels(xg_topk_site *d, xg_topk_level *l, xg_kval *list) {
    xg_kval *both[2];
    both[1] = l->leaders;
    for (;;) {
        l->modulus *= d->split;
        list = xg_topk_best(d, xg_topk_sync(d, xg_topk_each(d, d->groups, list, xg_topk_group, l)));
        if (l->modulus >= d->length) return list;
        both[0] = l->leaders = list; /* read from here, written there */
        both[1] = xg_topk_each(d, d->k, both[1], xg_topk_lead, l);
        xg_shared_wait(&d->s.b, both, 2);
        list = both[0];
        l->leaders = both[1];
    }
}
XG_APART XG_FN xg_kval *xg_topk_rest(xg_topk_site *d, xg_topk_level *l, xg_kval *list) {
    xg_kb *b = &d->s.b;
    int64_t none = INT64_MIN, zero = 0, groups = d->groups;
    xg_kval *at = xg_elem_index(&d->s, d->k - 1), *all[3];
    xg_topk_short s;
    xg_flow f;
    l->leaders = list;
    s.bound = xg_kextract(b, list, &at, 1);
    s.modulus = l->modulus;
    s.places = xg_topk_places(d);
    all[0] = list;
    all[1] = xg_topk_each(d, d->k, xg_shared_array(b, XG_E_I32, d->k), xg_topk_lead, l);
    all[2] = xg_topk_each(d, 1, xg_shared_array(b, XG_E_I32, 1), xg_topk_fill, &zero);
    xg_shared_wait(b, all, 3);
    all[0] = xg_topk_each(d, s.places, all[0], xg_topk_fill, &none);
    xg_shared_wait(b, all, 3);
    s.leaders = l->leaders = all[1];
    s.count = all[2];
    all[0] = xg_topk_each(d, (d->length + l->modulus - 1) / l->modulus * d->k, all[0], xg_topk_gather, &s);
    xg_shared_wait(b, all, 3);
    l->leaders = all[1];
    at = xg_elem_index_0(&d->s);
    at = xg_kextract(b, all[2], &at, 1);
    f = xg_flow_of(&d->s, &all[0]);
    xg_flow_slot(&f, &all[1]);
    xg_flow_if(&f, xg_kcmpi_int(b, XG_CI_SLE, at, s.places));
    d->groups = s.places;
    all[0] = xg_topk_best(d, all[0]);
    d->groups = groups;
    xg_flow_else(&f);
    l->leaders = all[1];
    all[0] = xg_topk_levels(d, l, all[0]);
    xg_flow_end(&f);
    return all[0];
}

/* ---- results ---- */

typedef struct xg_topk_output {
    const xg_inst *root;
    xg_kval *list;
} xg_topk_output;
XG_FN xg_kval *xg_topk_write(xg_topk_site *d, const void *data, xg_kval *place, xg_kval *dest) {
    const xg_topk_output *o = (const xg_topk_output *)data;
    bool values = o->root->op != XG_GET_TUPLE_ELEMENT || xg_attr_index(o->root) == 0;
    xg_kval *index = xg_topk_index(d, o->list, place, d->length - 1), *at[XG_RANK_MAX];
    xg_elem v;
    d->row[d->dim] = index;
    if (values)
        v = xg_elem_of(&d->s, d->x, d->row);
    else
        v = xg_elem_real(
            xg_scalar_convert(&d->s.b, xg_kcast_index(&d->s.b, index, XG_E_I32), XLAGPU_S32, o->root->shape->type));
    memcpy(at, d->row, sizeof at);
    at[d->dim] = place;
    return xg_emit_insert(&d->s.b, v, dest, o->root->shape, at);
}

/* ---- sizes ---- */

/* Shared memory accesses and what belongs to them weigh about as much as an element that is read. */
XG_FN int64_t xg_topk_pairs(const xg_topk_site *d, int64_t groups) {
    int64_t runs = groups / d->width, log = 0, half, pairs;
    for (half = 1; half < d->width; half *= 2) log++;
    pairs = groups / 2 * (log * (log + 1) / 2);
    for (runs /= 2; runs; runs /= 2) pairs += runs * d->width / 2 * (2 + log);
    return pairs;
}
XG_FN int64_t xg_topk_cost(const xg_topk_site *d, int64_t groups) {
    int64_t cost = 2 * xg_topk_pairs(d, groups) + 4 * groups;
    if (groups < d->length) cost += 2 * xg_topk_pairs(d, 2 * d->width) + d->length / groups * d->k;
    return cost + d->length * XG_TOPK_GROUPS_LEAST / XG_MIN(groups, (int64_t)XG_TOPK_THREADS_MAX);
}
XG_FN void xg_topk_sizes(xg_topk_site *d) {
    int64_t split, best = INT64_MAX;
    for (d->width = 1; d->width < d->k; d->width *= 2) {}
    for (split = 2; d->width * split <= XG_TOPK_GROUPS_MAX; split *= 2) {
        int64_t groups = d->width * split, cost = xg_topk_cost(d, groups);
        XG_ESTIMATED(cost);
        if (d->split && (cost >= best || groups > XG_TOPK_GROUPS_USUAL) &&
            !(groups <= XG_TOPK_GROUPS_LEAST && groups <= d->length))
            continue;
        best = cost;
        d->split = split;
    }
    d->groups = d->width * d->split;
    /* a list is as many pairs as half its length */
    d->threads = XG_MIN(d->length > 4 * d->groups ? d->groups : d->groups / 2, (int64_t)XG_TOPK_THREADS_MAX);
}

/* Block to the indices of its row. */
XG_FN void xg_topk_row(xg_topk_site *d, int64_t rows) {
    xg_aff_ctx *x = d->e->m->aff;
    const xg_shape *s = d->x->shape;
    xg_imap *m = xg_imap_of_dims(x, 1, s->rank);
    const xg_aff *rest = xg_aff_dim_0(x);
    xg_kval *block = xg_kblock_id(&d->s.b, 0, rows);
    uint32_t k;
    m->dims[0].range = xg_range_of(0, rows - 1);
    m->results[d->dim] = xg_aff_const(x, 0);
    for (k = d->dim; k-- > 0;) {
        m->results[k] = xg_aff_mod(x, rest, s->dims[k]);
        rest = xg_aff_div(x, rest, s->dims[k]);
    }
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &block, d->row);
}

XG_FN bool xg_emit_topk_plan(xg_fusion_emission *e) {
    xg_topk_site *d;
    if (!xg_topk_takes(e)) return false;
    d = XG_NEW(e->arena, xg_topk_site);
    e->form = d;
    d->e = e;
    d->i = xg_sort_of_root(e->roots[0]);
    d->x = XG_OPERAND(d->i, 0);
    d->dim = d->x->shape->rank - 1;
    d->length = d->x->shape->dims[d->dim];
    d->k = xg_attr_or_0(d->i, XG_A_k);
    d->rows = d->x->shape->elements / d->length;
    if (d->rows > INT32_MAX)
        xg_hlo_fail(d->i, XLAGPU_ERROR_LIMIT, NULL, "%lld rows; at most 2147483647 are supported in kernels",
            (long long)d->rows);
    xg_topk_sizes(d);
    e->record->launch.shared = xg_shared_whole(d->groups * 8);
    if (d->groups < d->length) e->record->launch.shared += xg_shared_whole(d->k * 4) + xg_shared_whole(4);
    return xg_emit_launch(e, d->threads, d->rows, 0);
}
XG_FN void xg_emit_topk(xg_fusion_emission *e) {
    xg_topk_site *d = (xg_topk_site *)e->form;
    xg_topk_output o;
    xg_topk_level l;
    xg_kval **dest = xg_emit_enter(e, &d->s), *list;
    uint32_t k;
    d->thread = xg_kthread_id(&d->s.b, 0, d->threads);
    xg_topk_row(d, d->rows);
    list = xg_shared_array(&d->s.b, XG_E_I64, d->groups);
    l.leaders = NULL;
    l.modulus = d->groups;
    list = xg_topk_best(d, xg_topk_sync(d, xg_topk_each(d, d->groups, list, xg_topk_group, &l)));
    o.list = l.modulus < d->length ? xg_topk_rest(d, &l, list) : list;
    for (k = 0; k < e->n_roots; k++) {
        o.root = e->roots[k];
        dest[k] = xg_topk_each(d, d->k, dest[k], xg_topk_write, &o);
    }
    xg_kreturn(&d->s.b, dest, e->n_roots);
}

#endif /* XG_BLOCK_TOPK_C */
