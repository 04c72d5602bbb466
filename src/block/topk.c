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
 * Where many are taken, these networks take the time. The other walk, by digits, finds the last of the best k (Alabi et
 * al., Fast k-selection on the GPU: radix select): rounds from the highest digit of eight bits on count how many elements
 * that are like the last one so far have each digit; the last one's digit follows. Indices are digits, too, where equal
 * keys are more than are wanted. What is not behind the last one takes the next free place of the list, which is sorted
 * once. Keys lie in shared memory, where it has room for them. */
#ifndef XG_BLOCK_TOPK_C
#define XG_BLOCK_TOPK_C
#include "block.h"

enum {
    XG_TOPK_THREADS_MAX = 512,
    XG_TOPK_GROUPS_USUAL = 1024, /* more of them only where the estimate gains */
    XG_TOPK_GROUPS_LEAST = 256,  /* so many keep some warps busy, whatever the estimate says */
    XG_TOPK_GROUPS_MAX = 4096,   /* of 8 bytes each in shared memory */
    XG_TOPK_DIGIT = 8,           /* bits */
    XG_TOPK_DIGITS = 1 << XG_TOPK_DIGIT,
    XG_TOPK_PARTS_OF = XG_TOPK_DIGITS / XG_WARP_LANES, /* digits by which a warp each asks */
    XG_TOPK_CELLS = XG_TOPK_DIGITS + XG_TOPK_PARTS_OF, /* counts of a round: of digits, and of warps of digits */
    XG_TOPK_EACH_MAX = 8,
    XG_TOPK_DIGITS_LEAST = 512 /* elements of a row */
};
static const char *const xg_topk_walks[] = {"classes", "digits"};

typedef struct xg_topk_site {
    xg_fusion_emission *e;
    const xg_inst *i, *x;
    int64_t rows, length, k, width, split, groups, threads;
    int64_t rounds, ties; /* by digits: of keys, of indices; 0: by classes */
    int64_t each, padded; /* elements of a thread at a time, of a row as such threads see them */
    bool cached;          /* keys lie in shared memory */
    uint32_t dim;
    xg_scope s;
    xg_kval *thread, *row[XG_RANK_MAX];
    xg_kval *keys, *counts; /* by digits: arrays of keys, or NULL, and of counts */
    uint32_t constants[26]; /* of formulas */
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
        zero = xg_elem_index(&d->s, 0);
        number = xg_flow_for(&all, zero, xg_elem_index(&d->s, turns), 1, turns);
        number = xg_k2(&d->s.b, XG_K_OP_ADDI, xg_k2_int(&d->s.b, XG_K_OP_MULI, number, d->threads), d->thread);
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
        v = word ? xg_k2_int(b, XG_K_OP_XORI, v, INT32_MIN) : xg_kcast(b, XG_K_OP_EXTUI, v, XG_E_I32);
    if (v->type->elem != XG_E_I32) v = xg_kcast(b, XG_K_OP_EXTSI, v, XG_E_I32);
    return xg_attr_int(d->i, XG_A_largest, 1) ? v : xg_k2_int(b, XG_K_OP_XORI, v, -1);
}
XG_FN xg_kval *xg_topk_at(xg_topk_site *d, xg_kval *index) {
    d->row[d->dim] = index;
    return xg_topk_key(d, xg_elem_of(&d->s, d->x, d->row));
}
XG_FN xg_kval *xg_topk_entry(xg_topk_site *d, xg_kval *key, xg_kval *index) {
    xg_kb *b = &d->s.b;
    xg_kval *high = XG_KOP2(b, XG_K_OP_SHLI, xg_kcast(b, XG_K_OP_EXTUI, key, XG_E_I64), xg_topk_i64(d, 32)),
            *low = xg_kcast(b, XG_K_OP_INDEX_CAST, index, XG_E_I32);
    low = xg_kcast(b, XG_K_OP_EXTUI, xg_k2_int(b, XG_K_OP_XORI, low, -1), XG_E_I64);
    return xg_k2(b, XG_K_OP_ORI, high, low);
}
/* The index of the list's entry at a place. */
XG_FN xg_kval *xg_topk_index(xg_topk_site *d, xg_kval *list, xg_kval *place, int64_t most) {
    xg_kb *b = &d->s.b;
    xg_kval *low = xg_kcast(b, XG_K_OP_TRUNCI, xg_kextract(b, list, &place, 1), XG_E_I32);
    return xg_topk_ranged(xg_kcast(b, XG_K_OP_INDEX_CAST, xg_k2_int(b, XG_K_OP_XORI, low, -1), XG_E_INDEX), most);
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
    m->results[0] = xg_aff_mod(x, xg_aff_dim(x, 0), d->width);
    m->results[1] = xg_aff_mul(x, xg_aff_div(x, xg_aff_dim(x, 0), d->width), coarse);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &group, part);
    xg_topk_ranged(part[0], d->width - 1);
    if (d->k < d->width) {
        *dead = xg_kcmpi_int(b, XG_CI_SGE, part[0], d->k);
        part[0] = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, part[0], d->k - 1), d->k - 1);
    }
    leader =
        xg_topk_ranged(xg_kcast(b, XG_K_OP_INDEX_CAST, xg_kextract(b, l->leaders, part, 1), XG_E_INDEX), coarse - 1);
    return xg_k2(b, XG_K_OP_ADDI, leader, xg_topk_ranged(part[1], l->modulus - coarse));
}
/* The class of each of the best k. */
XG_FN xg_kval *xg_topk_lead(xg_topk_site *d, const void *data, xg_kval *place, xg_kval *leaders) {
    const xg_topk_level *l = (const xg_topk_level *)data;
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 1, 1);
    xg_kval *index = xg_topk_index(d, l->leaders, place, d->length - 1), *klass;
    m->dims[0].range = xg_range_of(0, d->length - 1);
    m->results[0] = xg_aff_mod(x, xg_aff_dim(x, 0), l->modulus);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &index, &klass);
    return xg_kinsert(&d->s.b, xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, klass, XG_E_I32), leaders, &place, 1);
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
    xg_kval *index, *number, *from;
    const int64_t stride = 8, first = n % stride ? n % stride : stride;
    int64_t k;
    xg_flow f;
    best[0] = xg_topk_at(d, klass);
    best[1] = xg_kconst_int(b, XG_E_I32, 0);
    for (k = 1; k < first; k++) {
        index = xg_topk_ranged(xg_k2_int(b, XG_K_OP_ADDI, klass, k * l->modulus), d->length - 1);
        xg_topk_better(d, best, xg_topk_at(d, index), xg_kconst_int(b, XG_E_I32, k));
    }
    if (first == n) return;
    from = xg_elem_index(&d->s, first);
    index = xg_elem_index(&d->s, n);
    f = xg_flow_of(&d->s, &best[0]);
    xg_flow_slot(&f, &best[1]);
    number = xg_flow_for(&f, from, index, stride, n);
    from =
        xg_topk_ranged(XG_KOP2(b, XG_K_OP_ADDI, xg_k2_int(b, XG_K_OP_MULI, number, l->modulus), klass), d->length - 1);
    number = xg_kcast(b, XG_K_OP_INDEX_CAST, number, XG_E_I32);
    for (k = 0; k < stride; k++) {
        index = xg_topk_ranged(xg_k2_int(b, XG_K_OP_ADDI, from, k * l->modulus), d->length - 1);
        xg_topk_better(d, best, xg_topk_at(d, index), xg_k2_int(b, XG_K_OP_ADDI, number, k));
    }
    xg_flow_end(&f);
}

/* The one more element that the first classes have; `full` others were seen. */
XG_FN void xg_topk_last(xg_topk_site *d, const xg_topk_level *l, xg_kval *klass, int64_t full, xg_kval *best[2]) {
    xg_kb *b = &d->s.b;
    xg_kval *beyond = xg_k2_int(b, XG_K_OP_ADDI, klass, full * l->modulus), *index, *key;
    xg_topk_ranged(beyond, (full + 1) * l->modulus - 1);
    index = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, beyond, d->length - 1), d->length - 1);
    key = xg_topk_at(d, index);
    key = xg_kselect(b, xg_kcmpi_int(b, XG_CI_SLT, beyond, d->length), key, xg_kconst_int(b, XG_E_I32, INT32_MIN));
    if (!full) best[0] = xg_kconst_int(b, XG_E_I32, INT32_MIN);
    if (!full) best[1] = xg_kconst_int(b, XG_E_I32, 0);
    xg_topk_better(d, best, key, xg_kconst_int(b, XG_E_I32, full));
}

XG_FN xg_kval *xg_topk_group(xg_topk_site *d, const void *data, xg_kval *group, xg_kval *list) {
    const xg_topk_level *l = (const xg_topk_level *)data;
    xg_kb *b = &d->s.b;
    int64_t full = d->length / l->modulus, behind = (d->length + l->modulus - 1) / l->modulus * l->modulus;
    xg_kval *best[2] = {NULL, NULL}, *dead, *klass = xg_topk_class(d, l, group, &dead), *entry, *none, *index;
    xg_topk_ranged(klass, l->modulus - 1);
    if (full) xg_topk_walk(d, l, klass, full, best);
    if (d->length % l->modulus) xg_topk_last(d, l, klass, full, best);
    index = xg_kcast(b, XG_K_OP_INDEX_CAST, best[1], XG_E_INDEX);
    xg_topk_ranged(index, XG_MAX(full, 1));
    index = xg_k2(b, XG_K_OP_ADDI, xg_k2_int(b, XG_K_OP_MULI, index, l->modulus), klass);
    entry = xg_topk_entry(d, best[0], xg_topk_ranged(index, (XG_MAX(full, 1) + 1) * l->modulus - 1));
    if (dead) {
        /* Not a class, so no index of one: behind all others, and different in each group. */
        none = xg_kcast(b, XG_K_OP_INDEX_CAST, xg_k2_int(b, XG_K_OP_ADDI, group, behind + l->modulus), XG_E_I64);
        none = xg_k2(b, XG_K_OP_SUBI, xg_topk_i64(d, INT64_MIN + (int64_t)UINT32_MAX), none);
        entry = xg_kselect(b, dead, none, entry);
    }
    return xg_kinsert(b, entry, list, &group, 1);
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
    list = xg_kinsert(b, xg_k2(b, XG_K_OP_MAXSI, x, y), list, &at[0], 1);
    return step->drop ? list : xg_kinsert(b, xg_k2(b, XG_K_OP_MINSI, x, y), list, &at[1], 1);
}
/* Pairs `bit` apart (mirrored: as far from the ends of 2 * bit places) in runs of `width` that stand `stride` apart. */
XG_FN xg_kval *xg_topk_exchange(
    xg_topk_site *d, xg_kval *list, int64_t runs, int64_t stride, int64_t bit, bool mirrored) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t half = d->width / 2, pairs = runs * half;
    const xg_aff *t = xg_aff_dim(x, 0), *low = xg_aff_mod(x, t, bit), *first;
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
    const xg_aff *t = xg_aff_dim(x, 0), *own = xg_aff_mod(x, t, d->width),
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

XG_FN xg_kval *xg_topk_by_classes(xg_topk_site *d, xg_kval *list) {
    xg_kval *leaders = NULL, *both[2];
    xg_topk_level l;
    l.leaders = NULL;
    for (l.modulus = d->groups;; l.modulus *= d->split) {
        list = xg_topk_best(d, xg_topk_sync(d, xg_topk_each(d, d->groups, list, xg_topk_group, &l)));
        if (l.modulus >= d->length) return list;
        if (!leaders) leaders = xg_shared_array(&d->s.b, XG_E_I32, d->k);
        l.leaders = list; /* read from here, written there */
        leaders = xg_topk_each(d, d->k, leaders, xg_topk_lead, &l);
        both[0] = list;
        both[1] = leaders;
        xg_shared_wait(&d->s.b, both, 2);
        list = both[0];
        l.leaders = leaders = both[1];
    }
}

/* ---- by digits ---- */

/* Cells of counts: those of rounds, then these. */
enum {
    XG_TOPK_FREE,  /* places of the list that are taken */
    XG_TOPK_LAST,  /* the last one's key or index, as far as it is known */
    XG_TOPK_AFTER, /* its place among those that are like it so far, from 1 on */
    XG_TOPK_MORE,  /* how many of these are behind it */
    XG_TOPK_KNOWN
};
typedef struct xg_topk_round {
    int64_t number, shift; /* number < 0: what is not behind the last one goes to the list */
    bool first;            /* of keys, or of indices */
    xg_kval *key, *index;  /* of the last one, as far as they are known; index NULL: a round of keys */
} xg_topk_round;
#define V(letter) f.v[#letter[0] - 'a']
XG_FN xg_kform xg_topk_form(xg_topk_site *d) {
    xg_kform f;
    memset(&f, 0, sizeof f);
    f.b = &d->s.b;
    f.elem = XG_E_I32;
    f.constants = d->constants;
    return f;
}
XG_FN int64_t xg_topk_cells(const xg_topk_site *d) { return (d->rounds + d->ties) * XG_TOPK_CELLS; }
XG_FN xg_kval *xg_topk_i32(xg_topk_site *d, int64_t v) { return xg_kconst_int(&d->s.b, XG_E_I32, v); }
XG_FN xg_kval *xg_topk_place(xg_topk_site *d, xg_kval *v, int64_t most) {
    return xg_topk_ranged(xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, v, XG_E_INDEX), most);
}
XG_FN xg_kval *xg_topk_known(xg_topk_site *d, int64_t what) {
    xg_kval *at = xg_elem_index(&d->s, xg_topk_cells(d) + what);
    return xg_kextract(&d->s.b, d->counts, &at, 1);
}
/* Counts one more; how many there were. */
XG_FN xg_kval *xg_topk_count(xg_topk_site *d, xg_kval *cell) {
    xg_kval *o[2];
    o[0] = d->counts;
    o[1] = cell;
    o[1] = xg_kir_value(&d->s.b, XG_K_OP_SHARED_AT, o, 2, xg_kir_pointer(d->e->m, XG_SPACE_SHARED));
    o[0] = xg_topk_i32(d, 1);
    return xg_kir_value(&d->s.b, XG_K_OP_ATOM_ADD, o, 2, o[0]->type);
}
/* An element's key as an unsigned number of as many bits; behind the row 0, so that no such one is wanted. */
XG_FN xg_kval *xg_topk_unsigned(xg_topk_site *d, xg_kval *index) {
    xlagpu_type t = d->x->shape->type;
    xg_kb *b = &d->s.b;
    int64_t bits = xg_type_bits(t), least = (int64_t)1 << (bits - 1);
    xg_kval *at, *v;
    if (d->keys) return xg_kextract(b, d->keys, &index, 1);
    if (bits < 32 && xg_type_class(t) != XGT_F && !xg_type_signed(t))
        least = xg_attr_int(d->i, XG_A_largest, 1) ? 0 : 2 * least;
    at = xg_topk_ranged(xg_k2_int(b, XG_K_OP_MINSI, index, d->length - 1), d->length - 1);
    v = xg_k2_int(b, XG_K_OP_ADDI, xg_topk_at(d, at), bits < 32 ? least : (int64_t)INT32_MIN);
    if (d->length == d->padded) return v;
    return xg_kselect(b, xg_kcmpi_int(b, XG_CI_SLT, index, d->length), v, xg_topk_i32(d, 0));
}
XG_FN xg_kval *xg_topk_fill(xg_topk_site *d, const void *data, xg_kval *place, xg_kval *array) {
    return xg_kinsert(&d->s.b, xg_kconst_int(&d->s.b, array->type->elem, *(const int64_t *)data), array, &place, 1);
}
/* What becomes of an element, if it does: it is counted in a cell, or takes the next place. */
typedef struct xg_topk_seen {
    xg_kval *index, *key, *is, *to;
} xg_topk_seen;
XG_FN void xg_topk_see(xg_topk_site *d, const xg_topk_round *r, xg_topk_seen *e) {
    xg_kform f = xg_topk_form(d);
    V(v) = V(k) = e->key;
    V(t) = V(h) = r->key;
    e->is = NULL;
    if (r->index) { /* of equal keys the lower index goes first */
        V(v) = xg_kcast(f.b, XG_K_OP_INDEX_CAST, e->index, XG_E_I32);
        V(t) = r->index;
        e->is = xg_kformula(&f, "v=v^-1;k==h");
    }
    if (r->number < 0) {
        e->is = xg_kformula(&f, "(k==h)&uge(v,t)|ugt(k,h)");
        e->to = xg_topk_entry(d, xg_kformula(&f, "k^M"), e->index);
        return;
    }
    d->constants['D' - 'A'] = (uint32_t)r->shift;
    d->constants['S' - 'A'] = (uint32_t)r->shift + XG_TOPK_DIGIT;
    if (!r->first) e->is = xg_elem_and(&d->s, e->is, xg_kformula(&f, "(v^t)>>>S==0"));
    e->to = xg_topk_place(d, xg_kformula(&f, "v>>>D&255"), XG_TOPK_DIGITS - 1);
    e->to = xg_k2_int(f.b, XG_K_OP_ADDI, e->to, r->number * XG_TOPK_CELLS);
}
/* All elements of the row, several of a thread at a time. r NULL: their keys go to the array. */
XG_FN xg_kval *xg_topk_sweep(xg_topk_site *d, xg_kval *array, const xg_topk_round *r) {
    xg_kb *b = &d->s.b;
    int64_t each = d->each * d->threads, k;
    bool gathers = r && r->number < 0;
    xg_topk_seen e[XG_TOPK_EACH_MAX];
    xg_flow f = xg_flow_of(&d->s, &array), some;
    xg_kval *first = xg_flow_count(&f, d->padded / each);
    first = xg_k2(b, XG_K_OP_ADDI, xg_k2_int(b, XG_K_OP_MULI, first, each), d->thread);
    for (k = 0; k < d->each; k++) {
        e[k].index = xg_topk_ranged(xg_k2_int(b, XG_K_OP_ADDI, first, k * d->threads), d->padded - 1);
        e[k].key = xg_topk_unsigned(d, e[k].index);
    }
    for (k = 0; r && k < d->each; k++) xg_topk_see(d, r, &e[k]);
    for (k = 0; k < d->each; k++) {
        if (!r) {
            array = xg_kinsert(b, e[k].key, array, &e[k].index, 1);
            continue;
        }
        some = xg_flow_of(&d->s, gathers ? &array : NULL);
        xg_flow_if(&some, e[k].is);
        /* few are like it in two digits, or are wanted */
        if (e[k].is) some.op->a = gathers ? 4 * XG_WARP_LANES * d->k < d->length : r->number > 1;
        first = xg_topk_count(d, gathers ? xg_elem_index(&d->s, xg_topk_cells(d)) : e[k].to);
        if (gathers) {
            first = xg_topk_place(d, first, d->k - 1);
            array = xg_kinsert(b, e[k].to, array, &first, 1);
        }
        xg_flow_end(&some);
    }
    xg_flow_end(&f);
    return array;
}
XG_FN xg_kval *xg_topk_cell(xg_topk_site *d, const xg_topk_round *r, xg_kval *at) {
    at = xg_k2_int(&d->s.b, XG_K_OP_ADDI, at, r->number * XG_TOPK_CELLS);
    return xg_kextract(&d->s.b, d->counts, &at, 1);
}
/* A thread for each digit: whether the last one is among those that have it. */
XG_FN void xg_topk_choose(xg_topk_site *d, const xg_topk_round *r, xg_kval *after) {
    xg_kform f = xg_topk_form(d);
    xg_kval *at, *mine = NULL;
    int64_t k;
    xg_flow own = xg_flow_of(&d->s, &d->counts), one;
    V(t) = xg_kcast(f.b, XG_K_OP_INDEX_CAST, d->thread, XG_E_I32);
    V(h) = r->index ? r->index : r->key;
    V(a) = after;
    if (d->threads > XG_TOPK_DIGITS) mine = xg_kcmpi_int(f.b, XG_CI_SLT, d->thread, XG_TOPK_DIGITS);
    (void)xg_kformula(&f, "o=t&0;u=o;l=t&31");
    xg_flow_slot(&own, &V(o));
    xg_flow_slot(&own, &V(u));
    xg_flow_if(&own, mine);
    at = xg_topk_ranged(xg_k2_int(f.b, XG_K_OP_MINSI, d->thread, XG_TOPK_DIGITS - 1), XG_TOPK_DIGITS - 1);
    V(o) = V(u) = xg_topk_cell(d, r, at);
    for (k = 1; k < XG_WARP_LANES; k *= 2) {
        V(s) = xg_kshuffle(f.b, XG_K_OP_SHFLDOWN, V(u), xg_topk_i32(d, k));
        d->constants['K' - 'A'] = (uint32_t)(XG_WARP_LANES - k);
        (void)xg_kformula(&f, "c=l<K;s=c?s:0;u=u+s");
    }
    one = xg_flow_of(&d->s, &d->counts);
    xg_flow_if(&one, xg_kformula(&f, "l==0"));
    at = xg_topk_place(d, xg_kformula(&f, "t>>>5"), XG_TOPK_PARTS_OF - 1);
    at = xg_k2_int(f.b, XG_K_OP_ADDI, at, r->number * XG_TOPK_CELLS + XG_TOPK_DIGITS);
    d->counts = xg_kinsert(f.b, V(u), d->counts, &at, 1);
    xg_flow_end(&one);
    xg_flow_end(&own);
    d->counts = xg_topk_sync(d, d->counts);
    for (k = 1; k < XG_TOPK_PARTS_OF; k++) {
        V(s) = xg_topk_cell(d, r, xg_elem_index(&d->s, XG_TOPK_DIGITS + k));
        d->constants['K' - 'A'] = (uint32_t)(k * XG_WARP_LANES);
        (void)xg_kformula(&f, "c=t<K;s=c?s:0;u=u+s");
    }
    d->constants['D' - 'A'] = (uint32_t)r->shift;
    one = xg_flow_of(&d->s, &d->counts);
    at = xg_kformula(&f, "m=u-a;p=o-m;h=t<<D|h;(m>=0)&(p>0)");
    xg_flow_if(&one, mine ? xg_k2(f.b, XG_K_OP_ANDI, at, mine) : at);
    for (k = XG_TOPK_LAST; k < XG_TOPK_KNOWN; k++) {
        at = xg_elem_index(&d->s, xg_topk_cells(d) + k);
        d->counts = xg_kinsert(f.b, k == XG_TOPK_LAST ? V(h) : k == XG_TOPK_AFTER ? V(p) : V(m), d->counts, &at, 1);
    }
    xg_flow_end(&one);
    d->counts = xg_topk_sync(d, d->counts);
}
#undef V
/* So many rounds, which find the last one's key, or index. */
XG_FN void xg_topk_find(xg_topk_site *d, xg_topk_round *r, int64_t rounds, xg_kval **known, xg_kval **after) {
    for (r->first = true; rounds-- > 0; r->first = false, r->number++) {
        r->shift = rounds * XG_TOPK_DIGIT;
        d->counts = xg_topk_sync(d, xg_topk_sweep(d, d->counts, r));
        xg_topk_choose(d, r, *after);
        *known = xg_topk_known(d, XG_TOPK_LAST);
        *after = xg_topk_known(d, XG_TOPK_AFTER);
    }
}
XG_FN xg_kval *xg_topk_by_digits(xg_topk_site *d, xg_kval *list) {
    xg_kb *b = &d->s.b;
    int64_t zero = 0, none = INT64_MIN, bits = d->ties * XG_TOPK_DIGIT;
    xg_kval *after = xg_topk_i32(d, d->k), *all[3];
    xg_topk_round r;
    xg_flow f;
    d->constants['M' - 'A'] = 0x80000000;
    all[0] = xg_shared_array(b, XG_E_I32, xg_topk_cells(d) + XG_TOPK_KNOWN);
    all[0] = xg_topk_each(d, all[0]->type->elements, all[0], xg_topk_fill, &zero);
    all[1] = xg_topk_each(d, d->width, list, xg_topk_fill, &none);
    if (d->cached) all[2] = xg_topk_sweep(d, xg_shared_array(b, XG_E_I32, d->padded), NULL);
    xg_shared_wait(b, all, d->cached ? 3 : 2);
    d->counts = all[0];
    d->keys = d->cached ? all[2] : NULL;
    memset(&r, 0, sizeof r);
    r.key = list = xg_topk_i32(d, 0);
    xg_topk_find(d, &r, d->rounds, &r.key, &after);
    f = xg_flow_of(&d->s, &list);
    xg_flow_slot(&f, &d->counts);
    xg_flow_if(&f, xg_kcmpi_int(b, XG_CI_SGT, xg_topk_known(d, XG_TOPK_MORE), 0));
    f.op->a = 1; /* equal keys */
    r.index = xg_topk_i32(d, bits < 32 ? -((int64_t)1 << bits) : 0);
    xg_topk_find(d, &r, d->ties, &r.index, &after);
    list = r.index;
    xg_flow_end(&f);
    r.index = list;
    r.number = -1;
    return xg_topk_best(d, xg_topk_sync(d, xg_topk_sweep(d, all[1], &r)));
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
        v = xg_elem_real(xg_scalar_convert(
            &d->s.b, xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, index, XG_E_I32), XLAGPU_S32, o->root->shape->type));
    memcpy(at, d->row, sizeof at);
    at[d->dim] = place;
    return xg_emit_insert(&d->s.b, v, dest, o->root->shape, at);
}

/* ---- sizes ---- */

/* Shared memory accesses and what belongs to them weigh about as much as an element that is read. */
XG_FN int64_t xg_topk_cost(const xg_topk_site *d, int64_t split) {
    int64_t groups = d->width * split, pairs = 0, runs, modulus = groups, levels = 1, log = 0, half;
    for (half = 1; half < d->width; half *= 2) log++;
    pairs = groups / 2 * (log * (log + 1) / 2);
    for (runs = split / 2; runs; runs /= 2) pairs += runs * d->width / 2 * (2 + log);
    for (; modulus < d->length; modulus *= split) levels++;
    return levels * (2 * pairs + 4 * groups);
}
XG_FN void xg_topk_sizes(xg_topk_site *d) {
    int64_t split, best = INT64_MAX;
    for (d->width = 1; d->width < d->k; d->width *= 2) {}
    for (split = 2; d->width * split <= XG_TOPK_GROUPS_MAX; split *= 2) {
        int64_t cost = xg_topk_cost(d, split), groups = d->width * split;
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
    const xg_aff *rest = xg_aff_dim(x, 0);
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

XG_FN int64_t xg_topk_shared(const xg_topk_site *d) {
    int64_t list = xg_shared_whole(d->groups * 8);
    if (d->rounds)
        return list + xg_shared_whole((xg_topk_cells(d) + XG_TOPK_KNOWN) * 4) +
               (d->cached ? xg_shared_whole(d->padded * 4) : 0);
    return list + (d->groups < d->length ? xg_shared_whole(d->k * 4) : 0); /* leaders */
}
/* By digits; false: a block has no room. */
XG_FN bool xg_topk_digits(xg_topk_site *d) {
    int64_t room, turns;
    d->rounds = (xg_type_bits(d->x->shape->type) + XG_TOPK_DIGIT - 1) / XG_TOPK_DIGIT;
    d->groups = d->width;
    d->threads = d->length >= 16384 ? 1024 : d->length >= 4096 ? 512 : XG_TOPK_DIGITS;
    turns = (d->length + XG_TOPK_EACH_MAX * d->threads - 1) / (XG_TOPK_EACH_MAX * d->threads);
    d->each = (d->length + turns * d->threads - 1) / (turns * d->threads);
    d->padded = turns * d->each * d->threads;
    for (d->ties = 1; d->ties * XG_TOPK_DIGIT < 32 && d->padded >> d->ties * XG_TOPK_DIGIT; d->ties++) {}
    room = d->e->target->shared - xg_topk_shared(d);
    d->cached = xg_shared_whole(d->padded * 4) <= room;
    return room >= 0;
}
XG_FN bool xg_emit_topk_plan(xg_fusion_emission *e) {
    uint32_t walk = xg_form_walk(e, xg_topk_walks, XG_COUNT(xg_topk_walks));
    xg_topk_site *d;
    if (!xg_topk_takes(e)) return false;
    d = XG_NEW(e->arena, xg_topk_site);
    e->form = d;
    d->e = e;
    d->i = xg_sort_of_root(e->roots[0]);
    d->x = XG_OPERAND(d->i, 0);
    d->dim = d->x->shape->rank - 1;
    d->length = d->x->shape->dims[d->dim];
    d->k = xg_attr_int(d->i, XG_A_k, 0);
    d->rows = d->x->shape->elements / d->length;
    if (d->rows > INT32_MAX)
        xg_hlo_fail(d->i, XLAGPU_ERROR_LIMIT, NULL, "%lld rows; at most 2147483647 are supported in kernels",
            (long long)d->rows);
    xg_topk_sizes(d);
    if (walk == 1 && !xg_topk_digits(d)) return xg_emit_refuse(e, "a block has no room for the counts of digits");
    xg_form_write_walk(e, xg_topk_walks[walk == 1]);
    if (walk > 1 && d->length >= XG_TOPK_DIGITS_LEAST) {
        xg_form_leave_open(e, xg_topk_walks[0]);
        xg_form_leave_open(e, xg_topk_walks[1]);
    }
    e->record->launch.shared = xg_topk_shared(d);
    return xg_emit_launch(e, d->threads, d->rows, 0);
}
XG_FN void xg_emit_topk(xg_fusion_emission *e) {
    xg_topk_site *d = (xg_topk_site *)e->form;
    xg_topk_output o;
    xg_kval **dest = xg_emit_enter(e, &d->s), *list;
    uint32_t k;
    d->thread = xg_kthread_id(&d->s.b, 0, d->threads);
    xg_topk_row(d, d->rows);
    list = xg_shared_array(&d->s.b, XG_E_I64, d->groups);
    o.list = d->rounds ? xg_topk_by_digits(d, list) : xg_topk_by_classes(d, list);
    for (k = 0; k < e->n_roots; k++) {
        o.root = e->roots[k];
        dest[k] = xg_topk_each(d, d->k, dest[k], xg_topk_write, &o);
    }
    xg_kreturn(&d->s.b, dest, e->n_roots);
}

#endif /* XG_BLOCK_TOPK_C */
