/* block/sort.c -- sort and topk in one block: sorts rows, or runs of longer ones (fuse/sort_passes.c), in shared
 * memory.
 *
 * Only one integer for each element is moved there (fuse/sort_order.c): the key, the key with the element's number
 * below it, or the number alone, by which a comparator loads elements that stay in place. Numbers distinguish equal
 * keys, so every sort is stable.
 *
 * The network is bitonic, with all comparisons in one direction (the first step of each merge mirrors one half), so
 * that the padding behind a row, which is greater than every element, stays there:
 *     for half = 1, 2, 4 ... { step(half, mirrored); for bit = half/2 .. 1 { step(bit) } }
 *     step(bit): compares places p and p + bit, where p has a zero at that bit, or, mirrored, places at equal distances
 *     from both ends of 2 * bit places
 *
 * A thread holds `each` items (8, or 4 with a comparator). Successive steps, of bit, bit/2 ..., only exchange items
 * within so many places: a thread loads these, executes all of the steps, and stores them. The first merges run before
 * anything is stored: by Batcher's odd-even network, on strips of 16 bytes that are a row's length * strip / each
 * apart, so that neighbouring threads load neighbouring strips (the initial order does not matter, since no two items
 * are equal). Several short rows share a block; where rows are interleaved in memory (another dimension is sorted), as
 * many as fill whole sectors. A gap after every 32 words of shared memory prevents bank conflicts.
 *
 * Results: the elements are loaded into the same shared memory in the order of the row, and stored from there in sorted
 * order, 32 or 64 bits at a time, so that neighbouring threads access neighbouring places on both sides. topk is a sort
 * by the total order, truncated.
 *
 * Law: all threads of a block have read its elements of operand k before one of them writes output k, which may alias
 * it (fuse/in_place.c). */
#ifndef XG_BLOCK_SORT_C
#define XG_BLOCK_SORT_C
#include "block.h"
#include "sort_key.c"

enum {
    XG_SORT_EACH = 8,
    XG_SORT_EACH_ASKED = 4,
    XG_SORT_EACH_MAX = 16 /* in blocks of as many threads as pay off */,
    XG_SORT_THREADS = 512,
    XG_SORT_STRIP = 16 /* bytes */,
    XG_SORT_SHARED_ROWS = 1024 /* places of a block of short rows */
};

XG_FN bool xg_sort_takes(const xg_fusion_emission *e) {
    const xg_inst *sort = xg_sort_of_root(e->roots[0]);
    uint32_t k;
    for (k = 1; k < e->n_roots; k++)
        if (xg_sort_of_root(e->roots[k]) != sort) return false;
    return sort != NULL;
}

/* An item at a place. number: the element's number in its row, kept apart from keys of 64 bits. x: the elements that
 * the comparator may read. */
typedef struct xg_sort_item {
    xg_kval *entry, *number;
    xg_elem *x;
} xg_sort_item;

typedef struct xg_sort_site {
    xg_fusion_emission *e;
    const xg_inst *i;
    const xg_shape *shape; /* of the operands */
    uint32_t dim, n;       /* sorted; operands */
    /* of a row; of a row or run that is sorted at once; the same, rounded up to a power of two */
    int64_t whole, length, places;
    int64_t rows, group, runs; /* in all; in a block; of a row */
    int64_t each, threads, blocks;
    int64_t strip; /* contiguous places of a thread, which it loads and stores at once */
    xg_scope s;
    bool minor;                 /* neighbours of a row are neighbours in memory */
    xg_kval *at[2];             /* thread, block */
    xg_kval *entries, *numbers; /* in shared memory */
    bool *brings;               /* by operand: its elements are copied into shared memory for the comparator */
    xg_kval **close;            /* by operand: its elements in shared memory, or NULL */
    /* by operand: a thread's loaded elements, if keys were computed from them; or NULL */
    xg_elem **raw;
    xg_kval **given; /* merges: the number of each item of a thread; NULL: that of its place */
    xg_kval *end;    /* merges: the first number beyond the elements */
    xg_sort_order o;
    xg_index_order order; /* of the other dimensions */
} xg_sort_site;

/* ---- places ---- */

/* Affine expressions of thread (d0) and block (d1), and of other numbers. */
XG_FN void xg_sort_apply(
    xg_sort_site *d, const xg_aff *const *results, uint32_t n, xg_kval *other, xg_range range, xg_kval **out) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, other ? 3 : 2, n);
    xg_kval *dims[3];
    m->dims[0].range = xg_range_of(0, d->threads - 1);
    m->dims[1].range = xg_range_of(0, d->blocks - 1);
    if (other) m->dims[2].range = range;
    memcpy(m->results, results, n * sizeof *results);
    dims[0] = d->at[0];
    dims[1] = d->at[1];
    dims[2] = other;
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), dims, out);
}
/* The row in the block, and the place in it, at which item j of a thread is loaded and stored: a thread's places are
 * strips next to those of its neighbours. */
XG_FN void xg_sort_home(const xg_sort_site *d, int64_t j, const xg_aff **row, const xg_aff **place) {
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *t = xg_aff_dim_0(x);
    int64_t apart = d->places / d->each;
    if (!apart) { /* whole rows */
        *row = xg_aff_add_k(x, t, j / d->places * d->threads);
        *place = xg_aff_const(x, j % d->places);
        return;
    }
    *row = d->minor ? xg_aff_div(x, t, apart) : xg_aff_mod(x, t, d->group);
    *place = d->minor ? xg_aff_mul(x, xg_aff_mod(x, t, apart), d->strip) : xg_aff_div(x, t, d->group);
    *place = xg_aff_add_k(x, *place, j / d->strip * d->strip * apart + j % d->strip);
}
/* How many places are followed by a gap: those that fill all banks once. */
XG_ONE_COPY XG_FN int64_t xg_sort_row(const xg_sort_site *d) {
    return XG_PASS_BYTES / (d->o.entry_bytes == 8 ? 8 : XG_BANK_BYTES);
}
XG_FN const xg_aff *xg_sort_padded(const xg_sort_site *d, const xg_aff *flat) {
    return xg_shared_gapped(d->e->m->aff, flat, xg_sort_row(d), 1);
}
XG_FN int64_t xg_sort_room(const xg_sort_site *d) {
    return d->group * d->places / xg_sort_row(d) + d->group * d->places;
}

XG_FN xg_kval *xg_sort_value(xg_sort_site *d, const xg_aff *e) {
    xg_kval *v;
    xg_sort_apply(d, &e, 1, NULL, xg_range_of(0, 0), &v);
    return v;
}
/* Clamps v below `end`; gives the condition that it was below, or NULL if it always is. */
XG_FN xg_kval *xg_sort_below(xg_sort_site *d, xg_kval **v, int64_t end) {
    xg_kval *last, *is;
    if (xg_kval_range(*v).hi < end) return NULL;
    last = xg_elem_index(&d->s, end - 1);
    is = xg_kcmpi_(&d->s.b, XG_CI_SLE, *v, last);
    *v = xg_k2(&d->s.b, XG_K_OP_MINSI, *v, last);
    xg_kval_set_range(*v, xg_range_of(0, end - 1));
    return is;
}
/* The indices in the arrays of an element at a row and place of the block, clamped to one that exists, and the
 * condition that they were not clamped (NULL: they never are). */
typedef struct xg_sort_spot {
    xg_kval *indices[XG_RANK_MAX], *row_is, *place_is, *row,
        *strip; /* the last two of a thread's own items: which row, and which strip of it */
} xg_sort_spot;
/* Row and place in the arrays, as indices. */
XG_FN void xg_sort_at(xg_sort_site *d, xg_kval *row, xg_kval *place, xg_kval **indices) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 2, d->shape->rank);
    xg_kval *v[2];
    v[0] = row;
    v[1] = place;
    m->dims[0].range = xg_range_of(0, d->rows - 1);
    m->dims[1].range = xg_range_of(0, d->whole - 1);
    xg_index_delinearise(x, &d->order, xg_aff_dim_0(x), m->results);
    m->results[d->dim] = xg_aff_dim_1(x);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), v, indices);
}
XG_FN xg_sort_spot xg_sort_spot_at(xg_sort_site *d, const xg_aff *row, const xg_aff *place, xg_kval *other) {
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *both[2];
    xg_sort_spot s;
    xg_kval *v[2];
    both[0] = xg_aff_add_mul(x, row, xg_aff_div(x, xg_aff_dim_1(x), d->runs), d->group);
    both[1] = xg_aff_add_mul(x, place, xg_aff_mod(x, xg_aff_dim_1(x), d->runs), d->length);
    xg_sort_apply(d, both, 2, other, xg_range_of(0, d->places - 1), v);
    s.row_is = xg_sort_below(d, &v[0], d->rows);
    s.place_is = xg_sort_below(d, &v[1], d->whole);
    xg_sort_at(d, v[0], v[1], s.indices);
    return s;
}
/* Place `at` of the strip that a spot is in. */
XG_FN void xg_sort_in_strip(xg_sort_site *d, const xg_sort_spot *s, xg_kval *at, xg_kval **indices) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 2, 1);
    xg_kval *v[2], *place;
    v[0] = s->strip;
    v[1] = at;
    m->dims[0].range = xg_range_of(0, d->whole / d->strip - 1);
    m->dims[1].range = xg_range_of(0, d->strip - 1);
    m->results[0] = xg_aff_add_dim(x, xg_aff_dim_1(x), 0, d->strip);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), v, &place);
    xg_sort_at(d, s->row, place, indices);
}
XG_FN xg_sort_spot xg_sort_spot_of(xg_sort_site *d, int64_t j) {
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *row, *place, *both[2];
    xg_kval *v[2];
    xg_sort_spot s;
    xg_sort_home(d, j - j % d->strip, &row, &place);
    both[0] = xg_aff_add_mul(x, row, xg_aff_div(x, xg_aff_dim_1(x), d->runs), d->group);
    both[1] = xg_aff_div(x, xg_aff_add_mul(x, place, xg_aff_mod(x, xg_aff_dim_1(x), d->runs), d->length), d->strip);
    xg_sort_apply(d, both, 2, NULL, xg_range_of(0, 0), v);
    s.row_is = xg_sort_below(d, &v[0], d->rows);
    s.place_is = xg_sort_below(d, &v[1], d->whole / d->strip);
    s.row = v[0];
    s.strip = v[1];
    xg_sort_in_strip(d, &s, xg_elem_index(&d->s, j % d->strip), s.indices);
    return s;
}
/* The place of item j in shared memory, as an affine expression without gaps. */
XG_FN const xg_aff *xg_sort_flat(const xg_sort_site *d, int64_t j) {
    const xg_aff *row, *place;
    xg_sort_home(d, j, &row, &place);
    return xg_aff_add_mul(d->e->m->aff, place, row, d->places);
}

/* ---- items ---- */

/* A barrier: all threads see all stores. */
XG_FN void xg_sort_sync(xg_sort_site *d) {
    xg_flow f = xg_flow_of(&d->s, &d->entries);
    uint32_t k;
    xg_flow_slot(&f, &d->numbers);
    for (k = 0; k < d->n; k++) xg_flow_slot(&f, &d->close[k]);
    xg_flow_wait(&f);
}
XG_FN xg_kval *xg_sort_number_of(xg_sort_site *d, const xg_sort_item *v) {
    xg_kb *b = &d->s.b;
    xg_kval *n;
    if (d->o.form != XG_SORT_BY_ENTRY)
        n = d->o.form == XG_SORT_BY_KEY ? v->number : v->entry;
    else if (d->o.entry_bytes == 8)
        n = xg_kcast(b, XG_K_OP_TRUNCI, v->entry, XG_E_I32);
    else
        n = XG_KOP2(b, XG_K_OP_ANDI, v->entry, xg_kconst_i32(b, 0xffff));
    return n;
}
/* The place in shared memory of an element by its number, in the row of a place. */
XG_FN xg_kval *xg_sort_flat_number(xg_sort_site *d, const xg_aff *flat, xg_kval *number, bool padded) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_range range = xg_range_of(0, d->places - 1);
    const xg_aff *to = xg_aff_add_mul(x, xg_aff_dim(x, 2), xg_aff_div(x, flat, d->places), d->places);
    xg_kval *index = xg_kcast_index(&d->s.b, number, XG_E_INDEX), *v;
    xg_kval_set_range(index, range);
    if (padded) to = xg_sort_padded(d, to);
    xg_sort_apply(d, &to, 1, index, range, &v);
    return v;
}
/* Loads the elements of an item that the comparator may read. */
XG_FN void xg_sort_fetch(xg_sort_site *d, const xg_aff *flat, xg_sort_item *v) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_kval *at = xg_sort_flat_number(d, flat, v->entry, false), *index;
    const xg_aff *both[2];
    xg_sort_spot spot;
    uint32_t k;
    v->x = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
    for (k = 0; k < d->n; k++)
        if (d->close[k]) v->x[k] = xg_emit_split(&d->s.b, xg_kextract(&d->s.b, d->close[k], &at, 1));
    for (k = 0; k < d->n && (d->close[k] || !xg_order_asks_for(d->i, k)); k++) {}
    if (k == d->n) return;
    /* not in shared memory, for want of room: load from global memory */
    both[0] = xg_aff_div(x, flat, d->places);
    both[1] = xg_aff_dim(x, 2);
    index = xg_kcast_index(&d->s.b, v->entry, XG_E_INDEX);
    xg_kval_set_range(index, xg_range_of(0, d->places - 1));
    spot = xg_sort_spot_at(d, both[0], both[1], index);
    for (k = 0; k < d->n; k++)
        if (xg_order_asks_for(d->i, k) && !d->close[k]) v->x[k] = xg_elem_of(&d->s, XG_OPERAND(d->i, k), spot.indices);
}
/* Load the item at a place, an affine expression of the thread; and store it. */
XG_FN xg_sort_item xg_sort_read(xg_sort_site *d, const xg_aff *flat) {
    xg_kval *place = xg_sort_value(d, xg_sort_padded(d, flat));
    xg_sort_item v;
    memset(&v, 0, sizeof v);
    v.entry = xg_kextract(&d->s.b, d->entries, &place, 1);
    if (d->numbers) v.number = xg_kextract(&d->s.b, d->numbers, &place, 1);
    if (d->o.form == XG_SORT_BY_COMPARATOR) xg_sort_fetch(d, flat, &v);
    return v;
}
XG_FN void xg_sort_put(xg_sort_site *d, const xg_aff *flat, const xg_sort_item *v) {
    xg_kval *place = xg_sort_value(d, xg_sort_padded(d, flat));
    d->entries = xg_kinsert_at(&d->s.b, v->entry, d->entries, place);
    if (d->numbers) d->numbers = xg_kinsert_at(&d->s.b, v->number, d->numbers, place);
}

/* ---- two items ---- */

XG_FN void xg_sort_swap(xg_kb *b, xg_kval *swap, xg_kval **x, xg_kval **y) {
    xg_kval *was = *x;
    if (!was) return;
    *x = xg_kselect(b, swap, *y, was);
    *y = xg_kselect(b, swap, was, *y);
}
/* The comparator's value: true if element a is ordered before b. */
XG_FN xg_kval *xg_sort_before(xg_scope *s, const xg_inst *sort, const xg_elem *a, const xg_elem *b) {
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, 2 * sort->n_operands + 1), r;
    uint32_t k;
    for (k = 0; k < sort->n_operands; k++) {
        args[2 * k] = a[k];
        args[2 * k + 1] = b[k];
    }
    xg_elem_call_comp(s, xg_attr_to_apply(sort), args, &r, 1);
    return r.v;
}
/* The first number beyond the elements of the row or run; NULL: it has no padding. */
XG_FN xg_kval *xg_sort_end(xg_sort_site *d) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_kval *left;
    if (d->given) return d->end;
    if (d->length == d->places && d->whole % d->length == 0) return NULL;
    if (d->whole % d->length == 0) return xg_kconst_i32(&d->s.b, d->length);
    left = xg_sort_value(
        d, xg_aff_sub(x, xg_aff_const(x, d->whole), xg_aff_mul(x, xg_aff_mod(x, xg_aff_dim_1(x), d->runs), d->length)));
    left = xg_k2_int(&d->s.b, XG_K_OP_MINSI, left, d->length);
    return xg_kcast_index(&d->s.b, left, XG_E_I32);
}
/* The condition to exchange x and y, by one call of the comparator: true if the later element of the input is ordered
 * before the earlier one. Otherwise the two keep their order. */
XG_FN xg_kval *xg_sort_asks(xg_sort_site *d, const xg_sort_item *x, const xg_sort_item *y) {
    xg_kb *b = &d->s.b;
    xg_elem *later = XG_NEW_N(d->e->arena, xg_elem, d->n + 1), *earlier = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
    xg_kval *turned = xg_kcmpi_(b, XG_CI_SGT, x->entry, y->entry), *swap, *end, *is;
    uint32_t k;
    for (k = 0; k < d->n; k++) {
        earlier[k] = x->x[k];
        later[k] = y->x[k];
        xg_sort_swap(b, turned, &earlier[k].v, &later[k].v);
        xg_sort_swap(b, turned, &earlier[k].im, &later[k].im);
    }
    swap = XG_KOP2(b, XG_K_OP_XORI, xg_sort_before(&d->s, d->i, later, earlier), turned);
    if (!(end = xg_sort_end(d))) return swap;
    is = xg_kcmpi_(b, XG_CI_SGE, x->entry, end);
    swap = xg_k2(b, XG_K_OP_ORI, swap, is);
    is = xg_kcmpi_(b, XG_CI_SLT, y->entry, end);
    return xg_kandi(b, swap, is);
}
XG_FN void xg_sort_exchange(xg_sort_site *d, xg_sort_item *x, xg_sort_item *y) {
    xg_kb *b = &d->s.b;
    xg_kval *swap, *same, *was = x->entry;
    uint32_t k;
    if (d->o.form == XG_SORT_BY_ELEMENT || d->o.form == XG_SORT_BY_ENTRY) {
        x->entry = xg_k2(b, XG_K_OP_MINSI, was, y->entry);
        y->entry = xg_k2(b, XG_K_OP_MAXSI, was, y->entry);
        return;
    }
    if (d->o.form == XG_SORT_BY_KEY) {
        swap = xg_kcmpi_(b, XG_CI_SLT, y->entry, x->entry);
        same = xg_kcmpi_(b, XG_CI_EQ, y->entry, x->entry);
        same = XG_KOP2(b, XG_K_OP_ANDI, same, xg_kcmpi_(b, XG_CI_SLT, y->number, x->number));
        swap = xg_k2(b, XG_K_OP_ORI, swap, same);
    } else
        swap = xg_sort_asks(d, x, y);
    xg_sort_swap(b, swap, &x->entry, &y->entry);
    xg_sort_swap(b, swap, &x->number, &y->number);
    if (x->x)
        for (k = 0; k < d->n; k++) {
            xg_sort_swap(b, swap, &x->x[k].v, &y->x[k].v);
            xg_sort_swap(b, swap, &x->x[k].im, &y->x[k].im);
        }
}

/* ---- the network ---- */

/* Batcher's odd-even merge sort of n items. */
XG_FN void xg_sort_items(xg_sort_site *d, xg_sort_item *v, int64_t n) {
    int64_t p, k, j, i;
    for (p = 1; p < n; p *= 2)
        for (k = p; k; k /= 2)
            for (j = k % p; j + k < n; j += 2 * k)
                for (i = 0; i < k && i + j + k < n; i++)
                    if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) xg_sort_exchange(d, &v[i + j], &v[i + j + k]);
}
/* Executes the steps of bit, bit/2 ... that exchange items within `closed` places. */
XG_FN void xg_sort_steps(xg_sort_site *d, int64_t bit, int64_t closed, bool mirrored) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t last = 2 * bit / closed, k, step, i, j;
    xg_sort_item v[XG_SORT_EACH_MAX];
    for (i = 0; i < d->each / closed; i++) {
        const xg_aff *t = xg_aff_add_k(x, xg_aff_dim_0(x), i * d->threads), *low = xg_aff_mod(x, t, last),
                     *base = xg_aff_mul(x, xg_aff_div(x, t, last), 2 * bit), *p[XG_SORT_EACH_MAX];
        for (k = 0; k < closed; k++) {
            p[k] = mirrored && k >= closed / 2 ? xg_aff_add_k(x, xg_aff_sub(x, base, low), k * last + last - 1)
                                               : xg_aff_add_k(x, xg_aff_add(x, base, low), k * last);
            v[k] = xg_sort_read(d, p[k]);
        }
        if (mirrored)
            for (k = 0; k < closed / 2; k++) xg_sort_exchange(d, &v[k], &v[closed - 1 - k]);
        for (step = mirrored ? closed / 4 : closed / 2; step; step /= 2)
            for (j = 0; j < closed; j += 2 * step)
                for (k = j; k < j + step; k++) xg_sort_exchange(d, &v[k], &v[k + step]);
        for (k = 0; k < closed; k++) xg_sort_put(d, p[k], &v[k]);
    }
    xg_sort_sync(d);
}
/* All steps of bit, bit/2 .. 1. */
XG_FN void xg_sort_steps_from(xg_sort_site *d, int64_t bit, bool mirrored) {
    int64_t closed;
    for (; bit; bit /= closed, mirrored = false) {
        for (closed = 2; closed < d->each && closed < 2 * bit; closed *= 2) {}
        xg_sort_steps(d, bit, closed, mirrored);
    }
}
/* Sorts the threads' items: afterwards rows are in order. */
XG_FN void xg_sort_network(xg_sort_site *d, xg_sort_item *v) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t own = XG_MIN(d->each, d->places), half, k;
    const xg_aff *row, *place, *first;
    for (k = 0; k < d->each; k += own) xg_sort_items(d, v + k, own);
    if (own == d->places) return;
    xg_sort_home(d, 0, &row, &place);
    /* from now on a thread's sorted items are contiguous */
    first = xg_aff_add_mul(x, xg_aff_mul(x, row, d->places), xg_aff_div(x, place, d->strip), own);
    for (k = 0; k < own; k++) xg_sort_put(d, xg_aff_add_k(x, first, k), &v[k]);
    xg_sort_sync(d);
    for (half = own; half < d->places; half *= 2) xg_sort_steps_from(d, half, true);
    for (k = 0; k < d->each; k++) v[k] = xg_sort_read(d, xg_sort_flat(d, k));
}

/* ---- in and out ---- */

/* A loop over the places of a strip, which becomes one access; carried: the variables that it changes. */
typedef struct xg_sort_strip {
    xg_flow flow;
    xg_memo *memo;
    xg_kval *lane;
} xg_sort_strip;
XG_FN xg_sort_strip xg_sort_strip_begin(xg_sort_site *d, xg_kval **carried) {
    xg_sort_strip l;
    l.flow = xg_flow_of(&d->s, carried);
    l.lane = xg_flow_count(&l.flow, d->strip);
    l.memo = d->s.memo;
    xg_emit_forget(&d->s);
    return l;
}
XG_FN void xg_sort_strip_end(xg_sort_site *d, xg_sort_strip *l) {
    xg_flow_end(&l->flow);
    d->s.memo = l->memo;
}
/* Insert v into a lane of vec; extract a lane. */
XG_FN xg_kval *xg_sort_lane_set(xg_kb *b, xg_kval *vec, xg_kval *v, xg_kval *lane) {
    xg_kval *o[3];
    o[0] = v;
    o[1] = vec;
    o[2] = lane;
    return xg_kir_value(b, XG_K_OP_VINSERT, o, 3, vec->type);
}
XG_FN xg_kval *xg_sort_lane_get(xg_sort_site *d, xg_kval *vec, xg_kval *lane) {
    xg_kval *o[2];
    o[0] = vec;
    o[1] = lane;
    return xg_kir_value(&d->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(d->e->m, vec->type->elem));
}
/* Loads a thread's elements of an operand. */
XG_FN void xg_sort_load_strip(xg_sort_site *d, const xg_inst *operand, const xg_sort_spot *spot, xg_elem *x) {
    const xg_ktype *type = xg_kir_vector(d->e->m, xg_kelem_of(operand->shape->type), d->strip);
    xg_kval *vec = xg_kconst_bits(&d->s.b, type, 0), *at[XG_RANK_MAX];
    xg_sort_strip l = xg_sort_strip_begin(d, &vec);
    int64_t j;
    xg_sort_in_strip(d, spot, l.lane, at);
    vec = xg_sort_lane_set(&d->s.b, vec, xg_elem_of(&d->s, operand, at).v, l.lane);
    xg_sort_strip_end(d, &l);
    for (j = 0; j < d->strip; j++) x[j] = xg_elem_real(xg_sort_lane_get(d, vec, xg_elem_index(&d->s, j)));
}
XG_FN void xg_sort_load(xg_sort_site *d, uint32_t k, const xg_sort_spot *spots, xg_elem *x) {
    int64_t j;
    for (j = 0; j < d->each; j += d->strip) {
        if (d->strip > 1)
            xg_sort_load_strip(d, XG_OPERAND(d->i, k), &spots[j], x + j);
        else
            x[j] = xg_elem_of(&d->s, XG_OPERAND(d->i, k), spots[j].indices);
    }
}
XG_FN xg_kval *xg_sort_place_number(xg_sort_site *d, int64_t j) {
    const xg_aff *row, *place;
    if (d->given) return d->given[j];
    xg_sort_home(d, j, &row, &place);
    return xg_kcast_index(&d->s.b, xg_sort_value(d, place), XG_E_I32);
}
/* The item of a key and its element's number. */
XG_FN xg_sort_item xg_sort_item_of(xg_sort_site *d, xg_kval *key, xg_kval *number) {
    xg_kb *b = &d->s.b;
    xg_sort_item v;
    memset(&v, 0, sizeof v);
    v.entry = key;
    if (d->o.form == XG_SORT_BY_KEY) v.number = number;
    if (d->o.form != XG_SORT_BY_ENTRY) return v;
    if (d->o.entry_bytes == 8) {
        key = xg_kextui(b, key, XG_E_I64);
        number = xg_kextui(b, number, XG_E_I64);
    }
    key = XG_KOP2(b, XG_K_OP_SHLI, key, xg_kconst_int(b, key->type->elem, d->o.entry_bytes * 4));
    v.entry = xg_k2(b, XG_K_OP_ORI, key, number);
    return v;
}
XG_FN void xg_sort_begin(xg_sort_site *d, const xg_sort_spot *spots, xg_sort_item *v) {
    xg_kb *b = &d->s.b;
    int64_t j, most = d->o.bits == 64                                   ? INT64_MAX
                      : d->o.bits < 32 && d->o.form == XG_SORT_BY_ENTRY ? INT16_MAX
                                                                        : INT32_MAX;
    xg_kelem e = d->o.entry_bytes == 8 ? XG_E_I64 : XG_E_I32;
    xg_elem *x = XG_NEW_N(d->e->arena, xg_elem, d->n + (size_t)1), raw[XG_SORT_EACH_MAX];
    uint32_t k;
    d->entries = xg_shared_array(&d->s.b, e, xg_sort_room(d));
    if (d->o.form == XG_SORT_BY_KEY) d->numbers = xg_shared_array(&d->s.b, XG_E_I32, xg_sort_room(d));
    if (d->o.form != XG_SORT_BY_COMPARATOR) {
        for (k = 0; k < d->o.n_keys; k++) {
            uint32_t keyed = d->o.keys[k].keyed;
            if (d->raw[keyed]) continue;
            d->raw[keyed] = XG_NEW_N(d->e->arena, xg_elem, d->each + 1);
            xg_sort_load(d, keyed, spots, d->raw[keyed]);
        }
        for (j = 0; j < d->each; j++) {
            xg_kval *key, *number;
            for (k = 0; k < d->n; k++)
                if (d->raw[k]) x[k] = d->raw[k][j];
            key = xg_sort_key_of(&d->s, &d->o, x);
            number = xg_sort_place_number(d, j);
            /* padding sorts last: elements of the same key have lower numbers, or are equal */
            if (spots[j].place_is) key = XG_KSELECT(b, spots[j].place_is, key, xg_kconst_int(b, key->type->elem, most));
            v[j] = xg_sort_item_of(d, key, number);
        }
        return;
    }
    for (j = 0; j < d->each; j++) {
        memset(&v[j], 0, sizeof v[j]);
        v[j].entry = xg_sort_place_number(d, j);
        v[j].x = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
    }
    for (k = 0; k < d->n; k++) {
        if (!xg_order_asks_for(d->i, k)) continue;
        xg_sort_load(d, k, spots, raw);
        for (j = 0; j < d->each; j++) v[j].x[k] = raw[j];
        if (!d->brings[k]) continue;
        d->close[k] = xg_shared_array(&d->s.b, xg_kelem_of(XG_OPERAND(d->i, k)->shape->type), d->group * d->places);
        for (j = 0; j < d->each; j++) {
            xg_kval *at = d->given ? xg_sort_flat_number(d, xg_sort_flat(d, j), d->given[j], false)
                                   : xg_sort_value(d, xg_sort_flat(d, j));
            d->close[k] = xg_kinsert_at(b, xg_emit_join(b, raw[j]), d->close[k], at);
        }
    }
}

/* Permutes elements by the items' numbers, through the shared array, which is free by now. */
XG_FN void xg_sort_bring_in_order(xg_sort_site *d, xg_kval *const *numbers, xlagpu_type t, xg_elem *x) {
    xg_kb *b = &d->s.b;
    xg_kelem e = d->entries->type->elem;
    xg_kval *pieces[XG_SORT_EACH_MAX][4], *at;
    uint32_t n = xg_sort_pieces(t, xg_kelem_bits(e)), k;
    int64_t j;
    for (k = 0; k < n; k++) {
        xg_sort_sync(d);
        for (j = 0; j < d->each; j++) {
            at = d->given ? xg_sort_flat_number(d, xg_sort_flat(d, j), d->given[j], true)
                          : xg_sort_value(d, xg_sort_padded(d, xg_sort_flat(d, j)));
            d->entries = xg_kinsert_at(b, xg_sort_piece_of(b, x[j], t, e, k), d->entries, at);
        }
        xg_sort_sync(d);
        for (j = 0; j < d->each; j++) {
            at = xg_sort_flat_number(d, xg_sort_flat(d, j), numbers[j], true);
            pieces[j][k] = xg_kextract(b, d->entries, &at, 1);
        }
    }
    for (j = 0; j < d->each; j++) x[j] = xg_sort_from_pieces(b, pieces[j], t);
}
XG_FN int64_t xg_sort_output(const xg_inst *root) {
    if (root->op == XG_SLICE) root = XG_OPERAND(root, 0);
    return root->op == XG_GET_TUPLE_ELEMENT ? xg_attr_index(root) : 0;
}
/* The condition that item j is in a result of `kept` places from `first` on; NULL: always. *place: its place there,
 * clamped to one that exists. */
XG_FN xg_kval *xg_sort_kept(xg_sort_site *d, const xg_sort_spot *spot, int64_t first, int64_t kept, xg_kval **place) {
    xg_kb *b = &d->s.b;
    xg_kval *is = xg_elem_and(&d->s, spot->row_is, spot->place_is), *from;
    xg_range r = xg_kval_range(*place);
    if (first == 0 && kept == d->whole) return is;
    if (r.lo < first || r.hi >= first + kept) {
        from = xg_k2_int(b, XG_K_OP_MINSI, *place, first + kept - 1);
        from = xg_k2_int(b, XG_K_OP_MAXSI, from, first);
        is = xg_elem_and(&d->s, is, xg_kcmpi_(b, XG_CI_EQ, from, *place));
        xg_kval_set_range(from, xg_range_of(first, first + kept - 1));
        *place = from;
    }
    *place = xg_k2_int(b, XG_K_OP_SUBI, *place, first);
    xg_kval_set_range(*place, xg_range_of(0, kept - 1));
    return is;
}
/* Stores a strip of elements, the first at `at`. */
XG_APART XG_FN xg_kval *xg_sort_write_strip(xg_sort_site *d, const xg_inst *root, const xg_sort_spot *spot,
    xg_kval **at, const xg_elem *x, int64_t strip, xg_kval *dest) {
    xg_kval *vec;
    xg_sort_strip l;
    int64_t j;
    if (strip == 1) return xg_emit_insert(&d->s.b, x[0], dest, root->shape, at);
    vec = xg_kconst_bits(&d->s.b, xg_kir_vector(d->e->m, x[0].v->type->elem, strip), 0);
    for (j = 0; j < strip; j++) vec = xg_sort_lane_set(&d->s.b, vec, x[j].v, xg_elem_index(&d->s, j));
    l = xg_sort_strip_begin(d, &dest);
    xg_sort_in_strip(d, spot, l.lane, at);
    dest = xg_emit_insert(&d->s.b, xg_elem_real(xg_sort_lane_get(d, vec, l.lane)), dest, root->shape, at);
    xg_sort_strip_end(d, &l);
    return dest;
}
XG_FN xg_kval *xg_sort_write(
    xg_sort_site *d, const xg_inst *root, const xg_sort_spot *spots, const xg_elem *x, xg_kval *dest) {
    int64_t kept = root->shape->dims[d->dim],
            first = root->op == XG_SLICE ? xg_inst_attr(root, XG_A_slice)->v.slices->p[d->dim].start : 0,
            strip = kept == d->whole ? d->strip : 1, j;
    for (j = 0; j < d->each; j += strip) {
        xg_kval *at[XG_RANK_MAX];
        xg_flow f = xg_flow_of(&d->s, &dest);
        memcpy(at, spots[j].indices, sizeof at);
        xg_flow_if(&f, xg_sort_kept(d, &spots[j], first, kept, &at[d->dim]));
        dest = xg_sort_write_strip(d, root, &spots[j], at, x + j, strip, dest);
        xg_flow_end(&f);
    }
    return dest;
}
/* Stores the sorted elements of output k. */
XG_APART XG_FN void xg_sort_result(xg_sort_site *d, uint32_t k, const xg_sort_spot *spots, const xg_sort_item *v,
    xg_kval *const *numbers, xg_elem *x) {
    const xg_elem *raw = d->raw[k];
    xg_kb *b = &d->s.b;
    int64_t j;
    if (raw && d->o.exact) {
        for (j = 0; j < d->each; j++) {
            xg_kval *key = v[j].entry;
            if (d->o.form == XG_SORT_BY_ENTRY)
                key = XG_KOP2(b, XG_K_OP_SHRSI, key, xg_kconst_int(b, key->type->elem, d->o.entry_bytes * 4));
            if (d->o.form == XG_SORT_BY_ENTRY && d->o.entry_bytes == 8)
                key = xg_kcast(b, XG_K_OP_TRUNCI, key, XG_E_I32);
            x[j] = xg_elem_real(xg_sort_unkey(b, &d->o.keys[0], key));
        }
    } else if (d->close[k]) {
        for (j = 0; j < d->each; j++) x[j] = v[j].x[k];
    } else {
        if (raw)
            memcpy(x, raw, (size_t)d->each * sizeof *x);
        else
            xg_sort_load(d, k, spots, x);
        xg_sort_bring_in_order(d, numbers, XG_OPERAND(d->i, k)->shape->type, x);
    }
}
/* Stores the sorted items; from, to: where a thread's elements were loaded, and where they are stored. */
XG_FN void xg_sort_finish(
    xg_sort_site *d, const xg_sort_spot *from, const xg_sort_spot *to, const xg_sort_item *v, xg_kval **dest) {
    xg_elem x[XG_SORT_EACH_MAX];
    xg_kval *numbers[XG_SORT_EACH_MAX];
    uint32_t root, n = d->i->op == XG_TOPK ? 2 : d->n, k;
    int64_t j;
    if (d->o.form != XG_SORT_BY_ELEMENT)
        for (j = 0; j < d->each; j++) numbers[j] = xg_sort_number_of(d, &v[j]);
    for (k = 0; k < n; k++) {
        bool made = false;
        for (root = 0; root < d->e->n_roots; root++) {
            const xg_inst *r = d->e->roots[root];
            if (xg_sort_output(r) != (int64_t)k) continue;
            if (!made && d->i->op == XG_TOPK && k == 1) {
                while (r->op != XG_TOPK) r = XG_OPERAND(r, 0);
                for (j = 0; j < d->each; j++)
                    x[j] = xg_elem_real(xg_scalar_convert(&d->s.b, numbers[j], XLAGPU_S32, r->shape->elems[1]->type));
            } else if (!made)
                xg_sort_result(d, k, from, v, numbers, x);
            made = true;
            dest[root] = xg_sort_write(d, d->e->roots[root], to, x, dest[root]);
        }
    }
}

XG_FN void xg_sort_body(xg_sort_site *d, xg_kval **dest) {
    xg_sort_spot spots[XG_SORT_EACH_MAX];
    xg_sort_item v[XG_SORT_EACH_MAX];
    int64_t j;
    for (j = 0; j < d->each; j++) spots[j] = xg_sort_spot_of(d, j);
    xg_sort_begin(d, spots, v);
    if (d->o.form == XG_SORT_BY_COMPARATOR) xg_sort_sync(d);
    xg_sort_network(d, v);
    /* threads that sort whole rows have had no barrier yet; clamped ones have read the last row, too */
    if (d->places <= d->each && spots[d->each - 1].row_is) xg_shared_wait(&d->s.b, NULL, 0);
    xg_sort_finish(d, spots, spots, v, dest);
}

/* ---- sizes ---- */

XG_FN void xg_sort_rows(xg_sort_site *d) {
    uint32_t k, j;
    d->whole = d->length = d->shape->dims[d->dim];
    d->rows = d->whole ? d->shape->elements / d->whole : 0;
    d->runs = d->group = d->strip = 1;
    d->minor = true;
    for (k = 0; k < d->shape->rank; k++) {
        uint32_t which = xg_shape_minor(d->shape, k);
        if (which != d->dim)
            xg_index_order_push(&d->order, which, d->shape->dims[which]);
        else
            for (j = 0; j < d->order.n; j++) d->minor = d->minor && d->order.size[j] == 1;
    }
}
XG_FN void xg_sort_blocks(xg_sort_site *d, int64_t each) {
    d->each = XG_MIN(each, d->group * d->places);
    while (d->group * d->places / d->each > XG_SORT_THREADS && d->each < XG_SORT_EACH_MAX) d->each *= 2;
    d->threads = d->group * d->places / d->each;
    d->blocks = (d->rows + d->group - 1) / d->group;
    if (d->blocks > INT32_MAX / d->runs)
        xg_hlo_fail(d->i, XLAGPU_ERROR_LIMIT, NULL,
            "%lld rows of %lld runs; at most 2147483647 runs are supported in kernels", (long long)d->rows,
            (long long)d->runs);
    d->blocks *= d->runs;
}
XG_FN int64_t xg_sort_each(const xg_sort_site *d) {
    return d->o.form == XG_SORT_BY_COMPARATOR ? XG_SORT_EACH_ASKED : XG_SORT_EACH;
}
/* The longest strips that one access moves for every operand, each of which is either in the row or run or in its
 * padding. */
XG_FN int64_t xg_sort_strip_of(const xg_sort_site *d) {
    int64_t strip = d->minor ? XG_MIN(d->each, d->places) : 1, least = XG_SORT_STRIP;
    uint32_t k;
    for (k = 0; k < d->n; k++) {
        xlagpu_type t = XG_OPERAND(d->i, k)->shape->type;
        int64_t bytes = xg_kelem_bytes(xg_kelem_of(t));
        if (xg_type_class(t) == XGT_C) return 1;
        while (strip > 1 && strip * bytes > XG_SORT_STRIP) strip /= 2;
        least = XG_MIN(least, bytes);
    }
    if (least >= 4 && d->places / d->each * least >= 32) return 1; /* neighbouring threads fill whole sectors anyway */
    while (d->whole % strip || d->length % strip) strip /= 2;
    return strip;
}
XG_FN const char *xg_sort_plan(xg_sort_site *d) {
    int64_t most = xg_fuse_sort_run(&d->o), wanted, from, to;
    xg_sort_rows(d);
    if (xg_fuse_sorted_runs(d->i, &from, &to)) {
        d->length = XG_MIN(to, d->whole);
        d->runs = (d->whole + to - 1) / to;
    }
    if (d->length > most)
        xg_hlo_fail(d->i, XLAGPU_ERROR_UNSUPPORTED, NULL,
            "%s of %lld elements at once; a block sorts at most %lld of these", xg_op_name(d->i->op),
            (long long)d->length, (long long)most);
    for (d->places = 1; d->places < d->length; d->places *= 2) {}
    wanted = d->minor ? (int64_t)XG_SORT_SHARED_ROWS : most;
    while (d->group * 2 * d->places <= wanted && d->group < d->rows && (d->minor || d->group < XG_WARP_LANES))
        d->group *= 2;
    if (xg_form_number(d->e, "rows", &wanted)) {
        if (!xg_form_power(wanted, d->group)) return "rows must be a power of two that a block has room for";
        d->group = wanted;
    }
    xg_sort_blocks(d, xg_sort_each(d));
    d->strip = xg_sort_strip_of(d);
    xg_form_put(d->e, "rows", d->group);
    xg_form_put(d->e, "places", d->places);
    xg_form_put(d->e, "each", d->each);
    return NULL;
}
/* Entries, their numbers, and compared elements, as far as there is room. */
XG_FN int64_t xg_sort_shared_bytes(xg_sort_site *d) {
    int64_t bytes = xg_shared_whole(xg_sort_room(d) * d->o.entry_bytes), more;
    uint32_t k;
    if (d->o.form == XG_SORT_BY_KEY) bytes += xg_shared_whole(xg_sort_room(d) * xg_kelem_bytes(XG_E_I32));
    d->brings = XG_NEW_N(d->e->arena, bool, d->n + (size_t)1);
    for (k = 0; d->o.form == XG_SORT_BY_COMPARATOR && k < d->n; k++) {
        more = xg_shared_whole(d->group * d->places * xg_kelem_bytes(xg_kelem_of(XG_OPERAND(d->i, k)->shape->type)));
        d->brings[k] = xg_order_asks_for(d->i, k) && bytes + more <= XG_SHARED_STATIC_BYTES;
        if (d->brings[k]) bytes += more;
    }
    return bytes;
}
/* plan gives NULL, or why the order cannot be followed. */
XG_FN bool xg_sort_launch(xg_fusion_emission *e, const char *(*plan)(xg_sort_site *)) {
    const char *why;
    bool some = XG_OPERAND(xg_sort_of_root(e->roots[0]), 0)->shape->elements > 0;
    xg_sort_site *d = XG_NEW(e->arena, xg_sort_site);
    uint32_t k;
    e->form = d;
    d->e = e;
    d->i = xg_sort_of_root(e->roots[0]);
    d->o = xg_fuse_sort_order(d->i);
    d->shape = XG_OPERAND(d->i, 0)->shape;
    d->dim = d->i->op == XG_TOPK ? d->shape->rank - 1 : (uint32_t)xg_attr_dims(d->i).p[0];
    d->n = d->i->n_operands;
    d->close = XG_NEW_N(e->arena, xg_kval *, d->n + 1);
    d->raw = XG_NEW_N(e->arena, xg_elem *, d->n + 1);
    for (k = 0; k < e->n_roots; k++) some = some && e->roots[k]->shape->elements;
    if (!some) return xg_emit_launch(e, 1, 1, 0);
    why = plan(d);
    if (why) return xg_emit_refuse(e, why);
    e->record->launch.shared += xg_sort_shared_bytes(d);
    return xg_emit_launch(e, d->threads, d->blocks, 0);
}
/* Emits the kernel, with the body of one of the plans. */
XG_FN void xg_sort_emit(xg_fusion_emission *e, void (*body)(xg_sort_site *, xg_kval **)) {
    xg_sort_site *d = (xg_sort_site *)e->form;
    xg_kval **dest = xg_emit_enter(e, &d->s);
    if (d->threads) { /* else there is nothing to sort */
        d->at[0] = xg_kthread_id(&d->s.b, 0, d->threads);
        d->at[1] = xg_kblock_id(&d->s.b, 0, d->blocks);
        body(d, dest);
    }
    xg_kreturn(&d->s.b, dest, e->n_roots);
}
XG_FN bool xg_emit_sort_plan(xg_fusion_emission *e) { return xg_sort_takes(e) && xg_sort_launch(e, xg_sort_plan); }
XG_FN void xg_emit_sort(xg_fusion_emission *e) { xg_sort_emit(e, xg_sort_body); }

#endif /* XG_BLOCK_SORT_C */
