/* emit/sort.c -- sort and topk: one block per row sorts the row's indices in shared memory; the elements stay where they are. What the comparator looks at
 * is brought into shared memory too: the elements, or, where it compares one function of both (JAX: zeros and NaNs made alike, in total order), what that makes of each,
 * once instead of at each comparison. Then, for the results, whatever there is room for.
 *
 * A bitonic network whose comparisons all go the same way (the first step of each merge mirrors one half), so that places behind the row's end, if its length is
 * no power of two, hold what is never moved. Whatever the comparator answers, the indices stay a permutation. Equal elements keep their order by their indices:
 * the sort is always stable.
 *     for half = 1, 2, 4 ... { step(half, mirrored); for bit = half/2 .. 1 { step(bit) } }
 *     step(bit): pair t compares place i (t with a zero put in at that bit) with place i + bit, or, mirrored, with the one as far from the end of the 2 * bit places
 * Two steps that follow each other, of bit and bit / 2, are closed on four places: a thread reads these, makes four comparisons, and writes them.
 * Then thread after thread writes operand[index[place]] to each result, or the part of the row that a slice takes. topk is a sort by the total order, cut off. Of a longer row (fuse/sort_passes.c) each block sorts one
 * run: indices count from its beginning, and the last run may be shorter. */
#ifndef XG_EMIT_SORT_C
#define XG_EMIT_SORT_C
#include "emit.h"

enum { XG_SORT_THREADS_MAX = 512 };

XG_FN const xg_inst *xg_sort_of_root(const xg_inst *root) {
    if (root->op == XG_SLICE) root = XG_OPERAND(root, 0); /* fuse/sort_slices.c */
    if (root->op == XG_GET_TUPLE_ELEMENT) root = XG_OPERAND(root, 0);
    return root->op == XG_SORT || root->op == XG_TOPK ? root : NULL;
}
XG_FN bool xg_emit_sort_match(const xg_fusion_emission *e) {
    const xg_inst *sort = xg_sort_of_root(e->roots[0]);
    uint32_t k;
    for (k = 1; k < e->n_roots; k++) if (xg_sort_of_root(e->roots[k]) != sort) return false;
    return sort != NULL;
}

typedef struct xg_sort_site {
    xg_fusion_emission *e;
    const xg_inst *i;
    const xg_shape *shape;        /* of the operands */
    uint32_t dim, n;              /* sorted; operands */
    int64_t length, places, threads, kept; /* of the row, or of a run */
    int64_t whole;                /* of the row; 0: it is one run */
    bool direct;                  /* one array, and equal elements may change places: it is the elements themselves that are sorted */
    xg_kval **close;          /* by operand: its elements in shared memory, or NULL */
    const xg_inst *key;       /* the comparator compares one function of both elements: this one, of operand `keyed` */
    uint32_t keyed;
    xg_kval *keys;            /* in shared memory: what it makes of each element */
    xg_kval *base, *limit;        /* runs: where this one begins, and how long it is if that differs */
    xg_scope s;                   /* where the entry is being written */
    xg_kval *thread, *row[XG_RANK_MAX]; /* the row's indices; row[dim] is set for each access */
} xg_sort_site;

/* Within a loop of the entry: the scope's builder goes inside, and comes back. */
typedef struct xg_sort_loop { xg_kop *op; xg_kb outer; xg_kval *var, *carried; } xg_sort_loop;
XG_FN xg_sort_loop xg_sort_loop_begin(xg_sort_site *d, xg_kval *hi, xg_kval *carried) {
    xg_sort_loop l;
    xg_kval *zero = xg_elem_index(&d->s, 0), *one = xg_elem_index(&d->s, 1);
    l.op = xg_kfor(&d->s.b, zero, hi, one, &carried, carried ? 1 : 0);
    l.outer = d->s.b;
    l.var = &l.op->regions[0]->args[0];
    l.carried = &l.op->regions[0]->args[1];
    d->s.b = xg_kb_end(d->e->m, l.op->regions[0]);
    d->s.b.loc = l.outer.loc;
    return l;
}
XG_FN xg_kval *xg_sort_loop_end(xg_sort_site *d, const xg_sort_loop *l, xg_kval *carried) {
    xg_kyield(&d->s.b, &carried, 1);
    d->s.b = l->outer;
    return l->op->results;
}

XG_FN xg_kval *xg_sort_ranged(xg_kval *v, int64_t hi) { v->lo = 0; v->hi = hi; return v; }
XG_FN xg_kval *xg_sort_barrier(xg_sort_site *d, xg_kval *tensor) { return xg_kir_op(&d->s.b, XG_K_OP_SYNC, &tensor, 1, &tensor->type, 1, 0)->results; }
/* chunk * threads + thread */
XG_FN xg_kval *xg_sort_nth(xg_sort_site *d, xg_kval *chunk, int64_t most) {
    return xg_sort_ranged(xg_k2(&d->s.b, XG_K_OP_ADDI, xg_k2(&d->s.b, XG_K_OP_MULI, chunk, xg_elem_index(&d->s, d->threads)), d->thread), most);
}

XG_FN xg_kval *xg_sort_in_row(xg_sort_site *d, xg_kval *index) { return d->whole ? xg_sort_ranged(xg_k2(&d->s.b, XG_K_OP_ADDI, d->base, index), d->whole - 1) : index; }
/* Element of operand k whose place in the row is an index read from shared memory. */
XG_FN xg_elem xg_sort_element(xg_sort_site *d, uint32_t k, xg_kval *index) {
    if (d->close[k]) return xg_emit_split(&d->s.b, xg_kextract(&d->s.b, d->close[k], &index, 1));
    d->row[d->dim] = xg_sort_in_row(d, index);
    return xg_elem_of(&d->s, XG_OPERAND(d->i, k), d->row);
}
/* What is compared of it: the key, if there are keys. */
XG_FN xg_elem xg_sort_compared(xg_sort_site *d, uint32_t k, xg_kval *index) {
    return d->keys && k == d->keyed ? xg_emit_split(&d->s.b, xg_kextract(&d->s.b, d->keys, &index, 1)) : xg_sort_element(d, k, index);
}
XG_FN xg_kval *xg_sort_position(xg_sort_site *d, xg_kval *index) { return xg_sort_ranged(xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, index, XG_E_INDEX), d->length - 1); }

/* ---- keys: what a comparator makes of each of its two elements is made once, not at each comparison ---- */

/* The same function of operand k's elements: x of the first, y of the second. */
XG_FN bool xg_sort_mirrors(const xg_comp *c, const xg_inst *x, const xg_inst *y, uint32_t *k, uint32_t depth) {
    uint32_t o;
    if (depth > 16 || x->op != y->op || x->n_operands != y->n_operands || !xg_shape_is_array(x->shape) || x->shape->rank || x->shape->type != y->shape->type) return false;
    if (x->op == XG_PARAMETER) {
        if (x->number % 2 || y->number != x->number + 1 || (*k != UINT32_MAX && *k != (uint32_t)x->number / 2)) return false;
        *k = (uint32_t)x->number / 2;
        return true;
    }
    if (x->op == XG_CONSTANT) return x == y || xg_reducer_same_bits(x->literal, y->literal);
    if (x == y || !(xg_op_flags(x->op) & XGF_EW) || x->op == XG_REDUCE_PRECISION) return false;
    if (x->op == XG_COMPARE && (!xg_str_eq(xg_attr_str(x, XG_A_direction), xg_attr_str(y, XG_A_direction)) || !xg_str_eq(xg_attr_str(x, XG_A_type), xg_attr_str(y, XG_A_type)))) return false;
    for (o = 0; o < x->n_operands; o++) if (!xg_sort_mirrors(c, XG_OPERAND(x, o), XG_OPERAND(y, o), k, depth + 1)) return false;
    return true;
}
XG_FN void xg_sort_find_key(xg_sort_site *d) {
    const xg_comp *c = d->i->op == XG_SORT ? xg_attr_comp(d->i, XG_A_to_apply) : NULL;
    uint32_t k = UINT32_MAX;
    if (!c || d->direct || c->root->op != XG_COMPARE || xg_type_class(XG_OPERAND(c->root, 0)->shape->type) == XGT_C || xg_type_bits(XG_OPERAND(c->root, 0)->shape->type) < 8) return;
    if (!xg_sort_mirrors(c, XG_OPERAND(c->root, 0), XG_OPERAND(c->root, 1), &k, 0) || k == UINT32_MAX) return;
    d->key = XG_OPERAND(c->root, 0);
    d->keyed = k;
}
/* Floats in total order are compared as integers. */
XG_FN bool xg_sort_key_ordered(const xg_sort_site *d) {
    xlagpu_type t = d->key->shape->type;
    return xg_type_class(t) == XGT_F && xg_type_bits(t) > 8 && xg_str_is(xg_attr_str(xg_attr_comp(d->i, XG_A_to_apply)->root, XG_A_type), "TOTALORDER");
}
XG_FN xg_elem xg_sort_key_of(xg_sort_site *d, xg_elem x) {
    const xg_comp *c = xg_attr_comp(d->i, XG_A_to_apply);
    xg_elem *args = XG_NEW_N(d->e->arena, xg_elem, c->n_params + 1), r;
    uint32_t k;
    for (k = 0; k < c->n_params; k++) args[k] = x; /* only those of the keyed operand are asked for */
    xg_elem_call_inst(&d->s, c, d->key, args, &r, 1);
    return xg_sort_key_ordered(d) ? xg_elem_real(xg_scalar_ordered_bits(&d->s.b, r.v)) : r;
}
XG_FN xg_kval *xg_sort_key_before(xg_sort_site *d, xg_elem x, xg_elem y) {
    const xg_inst *compare = xg_attr_comp(d->i, XG_A_to_apply)->root;
    if (xg_sort_key_ordered(d)) return xg_kcmpi_(&d->s.b, (xg_kcmpi)xg_scalar_direction(compare)->sint, x.v, y.v);
    return xg_scalar_compare(&d->s.b, compare, d->key->shape->type, x.v, y.v);
}

/* topk's order: larger first by the total order, or smaller first. */
XG_FN xg_kval *xg_sort_top_before(xg_sort_site *d, xg_elem x, xg_elem y) {
    xg_kb *b = &d->s.b;
    xlagpu_type t = d->shape->type;
    bool largest = xg_attr_int(d->i, XG_A_largest, 1) != 0;
    if (xg_type_class(t) == XGT_I) return xg_kcmpi_(b, xg_type_signed(t) ? (largest ? XG_CI_SGT : XG_CI_SLT) : (largest ? XG_CI_UGT : XG_CI_ULT), x.v, y.v);
    if (xg_type_bits(t) <= 8) { x.v = xg_scalar_ordered_small(b, x.v, xg_float_format_of(t)); y.v = xg_scalar_ordered_small(b, y.v, xg_float_format_of(t)); }
    else { x.v = xg_scalar_ordered_bits(b, x.v); y.v = xg_scalar_ordered_bits(b, y.v); }
    return xg_kcmpi_(b, largest ? XG_CI_SGT : XG_CI_SLT, x.v, y.v);
}
/* Whether the element at index a goes before that at index b by the comparator. */
XG_FN xg_kval *xg_sort_before(xg_sort_site *d, const xg_elem *a, const xg_elem *b) {
    xg_elem *args, r;
    uint32_t k;
    if (d->i->op == XG_TOPK) return xg_sort_top_before(d, a[0], b[0]);
    if (d->keys) return xg_sort_key_before(d, a[d->keyed], b[d->keyed]);
    args = XG_NEW_N(d->e->arena, xg_elem, 2 * d->n + 1);
    for (k = 0; k < d->n; k++) { args[2 * k] = a[k]; args[2 * k + 1] = b[k]; }
    xg_elem_call_comp(&d->s, xg_attr_comp(d->i, XG_A_to_apply), args, &r, 1);
    return r.v;
}

XG_FN xg_kval *xg_sort_exchange_elements(xg_sort_site *d, xg_kval *places, xg_kval *i, xg_kval *j) {
    xg_kb *b = &d->s.b;
    xg_kval *at_i = xg_kextract(b, places, &i, 1), *at_j = xg_kextract(b, places, &j, 1);
    xg_elem x = xg_emit_split(b, at_i), y = xg_emit_split(b, at_j);
    const xg_ktype *type = places->type;
    xg_kop *op = xg_kif(b, xg_sort_before(d, &y, &x), &type, 1);
    xg_kb outer = d->s.b;
    d->s.b = xg_kb_end(d->e->m, op->regions[1]);
    xg_kyield(b, &places, 1);
    d->s.b = xg_kb_end(d->e->m, op->regions[0]);
    places = xg_kinsert(b, at_j, places, &i, 1);
    places = xg_kinsert(b, at_i, places, &j, 1);
    xg_kyield(b, &places, 1);
    d->s.b = outer;
    return op->results;
}
/* Places i < j: exchanged when j's element goes first, by one question: whether the element that came later goes before the earlier one; if not, those two stay in
 * the order in which they came. */
XG_FN xg_kval *xg_sort_exchange(xg_sort_site *d, xg_kval *places, xg_kval *i, xg_kval *j) {
    xg_kb *b = &d->s.b;
    xg_kval *at_i = xg_kextract(b, places, &i, 1), *at_j = xg_kextract(b, places, &j, 1), *in_order = xg_kcmpi_(b, XG_CI_SLT, at_i, at_j), *pi, *pj, *first;
    xg_elem *x = XG_NEW_N(d->e->arena, xg_elem, d->n + 1), *y = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
    const xg_ktype *type = places->type;
    xg_kb outer;
    xg_kop *op;
    uint32_t k;
    pi = xg_sort_position(d, xg_kselect(b, in_order, at_j, at_i)); /* the one that came later */
    pj = xg_sort_position(d, xg_kselect(b, in_order, at_i, at_j));
    for (k = 0; k < d->n; k++) { x[k] = xg_sort_compared(d, k, pi); y[k] = xg_sort_compared(d, k, pj); }
    first = XG_KOP2(b, XG_K_OP_XORI, xg_sort_before(d, x, y), xg_k2(b, XG_K_OP_XORI, in_order, xg_kconst_int(b, XG_E_I1, 1)));
    op = xg_kif(b, first, &type, 1);
    outer = d->s.b;
    d->s.b = xg_kb_end(d->e->m, op->regions[1]);
    xg_kyield(b, &places, 1);
    d->s.b = xg_kb_end(d->e->m, op->regions[0]);
    places = xg_kinsert(b, at_j, places, &i, 1);
    places = xg_kinsert(b, at_i, places, &j, 1);
    xg_kyield(b, &places, 1);
    d->s.b = outer;
    return op->results;
}

XG_FN xg_kval *xg_sort_exchange_any(xg_sort_site *d, xg_kval *places, xg_kval *i, xg_kval *j) { return d->direct ? xg_sort_exchange_elements(d, places, i, j) : xg_sort_exchange(d, places, i, j); }

/* All pairs of one step. */
XG_FN xg_kval *xg_sort_step(xg_sort_site *d, xg_kval *places, int64_t bit, bool mirrored) {
    int64_t pairs = d->places / 2;
    xg_sort_loop l = xg_sort_loop_begin(d, xg_elem_index(&d->s, pairs / d->threads), places);
    xg_kb *b = &d->s.b;
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *low = xg_aff_mod(x, xg_aff_dim(x, 0), bit), *at = xg_aff_sub(x, xg_aff_mul(x, xg_aff_dim(x, 0), 2), low);
    xg_imap *m = xg_imap_new(x, 1, 0, 0, 2, 0);
    xg_kval *t = xg_sort_nth(d, l.var, pairs - 1), *pair[2], *i, *j, *r;
    m->dims[0].range = xg_range_of(0, pairs - 1);
    m->results[0] = at;
    m->results[1] = mirrored ? xg_aff_add_k(x, xg_aff_sub(x, at, xg_aff_mul(x, low, 2)), 2 * bit - 1) : xg_aff_add_k(x, at, bit);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &t, pair);
    i = xg_sort_ranged(pair[0], d->places - 1);
    j = xg_sort_ranged(pair[1], d->places - 1);
    if (d->length == d->places && !d->limit) r = xg_sort_exchange_any(d, l.carried, i, j);
    else {
        const xg_ktype *type = l.carried->type;
        xg_kop *op = xg_kif(b, xg_kcmpi_(b, XG_CI_SLT, j, d->limit ? d->limit : xg_elem_index(&d->s, d->length)), &type, 1);
        xg_kb outer = d->s.b;
        d->s.b = xg_kb_end(d->e->m, op->regions[1]);
        xg_kyield(b, &l.carried, 1);
        d->s.b = xg_kb_end(d->e->m, op->regions[0]);
        r = xg_sort_exchange_any(d, l.carried, i, j);
        xg_kyield(b, &r, 1);
        d->s.b = outer;
        r = op->results;
    }
    r = xg_sort_loop_end(d, &l, r);
    return xg_sort_barrier(d, r);
}

XG_FN bool xg_sort_asks_for(const xg_sort_site *d, uint32_t k) {
    const xg_comp *c = d->i->op == XG_TOPK ? NULL : xg_attr_comp(d->i, XG_A_to_apply);
    return !c || c->params[2 * k]->first_use || c->params[2 * k + 1]->first_use || c->root == c->params[2 * k] || c->root == c->params[2 * k + 1];
}
/* Places behind the end of the row, or of a run, are never moved. */
XG_FN bool xg_sort_has_end(const xg_sort_site *d) { return d->length != d->places || d->limit; }

/* ---- two steps at once ---- */

/* What stands at a place: its index (NULL: the element itself is sorted), its elements. */
typedef struct xg_sort_item { xg_kval *place, *index; xg_elem *x; } xg_sort_item;

XG_FN xg_sort_item xg_sort_item_at(xg_sort_site *d, xg_kval *places, xg_kval *place) {
    xg_sort_item v;
    xg_kval *read = xg_kextract(&d->s.b, places, &place, 1), *position;
    uint32_t k;
    v.place = place;
    v.index = d->direct ? NULL : read;
    v.x = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
    if (d->direct) { v.x[0] = xg_emit_split(&d->s.b, read); return v; }
    position = xg_sort_ranged(xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, read, XG_E_INDEX), d->places - 1);
    for (k = 0; k < d->n; k++) if (xg_sort_asks_for(d, k)) v.x[k] = xg_sort_compared(d, k, position);
    return v;
}
XG_FN void xg_sort_swap_elem(xg_kb *b, xg_kval *swap, xg_elem *x, xg_elem *y) {
    xg_elem was = *x;
    x->v = xg_kselect(b, swap, y->v, was.v);
    y->v = xg_kselect(b, swap, was.v, y->v);
    if (!was.im) return;
    x->im = xg_kselect(b, swap, y->im, was.im);
    y->im = xg_kselect(b, swap, was.im, y->im);
}
/* x stands in front of y; as xg_sort_exchange has it. */
XG_FN void xg_sort_order(xg_sort_site *d, xg_sort_item *x, xg_sort_item *y) {
    xg_kb *b = &d->s.b;
    xg_elem *later = y->x, *earlier = x->x;
    xg_kval *swap, *in_order = NULL;
    uint32_t k;
    if (x->index) {
        in_order = xg_kcmpi_(b, XG_CI_SLT, x->index, y->index);
        later = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
        earlier = XG_NEW_N(d->e->arena, xg_elem, d->n + 1);
        for (k = 0; k < d->n; k++) {
            if (!x->x[k].v) continue;
            earlier[k] = x->x[k];
            later[k] = y->x[k];
            xg_sort_swap_elem(b, xg_k2(b, XG_K_OP_XORI, in_order, xg_kconst_int(b, XG_E_I1, 1)), &earlier[k], &later[k]);
        }
    }
    swap = xg_sort_before(d, later, earlier);
    if (in_order) swap = XG_KOP2(b, XG_K_OP_XORI, swap, xg_k2(b, XG_K_OP_XORI, in_order, xg_kconst_int(b, XG_E_I1, 1)));
    if (xg_sort_has_end(d)) swap = XG_KOP2(b, XG_K_OP_ANDI, swap, xg_kcmpi_(b, XG_CI_SLT, y->place, d->limit ? d->limit : xg_elem_index(&d->s, d->length)));
    for (k = 0; k < d->n; k++) if (x->x[k].v) xg_sort_swap_elem(b, swap, &x->x[k], &y->x[k]);
    if (x->index) {
        xg_kval *was = x->index;
        x->index = xg_kselect(b, swap, y->index, was);
        y->index = xg_kselect(b, swap, was, y->index);
    }
}

/* The steps of bit, perhaps mirrored, and bit / 2: first the far pairs of four places, then the near ones. */
XG_FN xg_kval *xg_sort_two_steps(xg_sort_site *d, xg_kval *places, int64_t bit, bool mirrored) {
    int64_t fours = d->places / 4;
    xg_sort_loop l = xg_sort_loop_begin(d, xg_elem_index(&d->s, fours / d->threads), places);
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *t = xg_aff_dim(x, 0), *low = xg_aff_mod(x, t, bit / 2), *base = xg_aff_mul(x, xg_aff_div(x, t, bit / 2), 2 * bit), *own = xg_aff_add(x, base, low), *end = xg_aff_sub(x, base, low);
    xg_imap *m = xg_imap_new(x, 1, 0, 0, 4, 0);
    xg_kval *number = xg_sort_nth(d, l.var, fours - 1), *at[4], *r = l.carried;
    xg_sort_item v[4];
    uint32_t k;
    m->dims[0].range = xg_range_of(0, fours - 1);
    m->results[0] = own;
    m->results[1] = xg_aff_add_k(x, own, bit / 2);
    m->results[2] = mirrored ? xg_aff_add_k(x, end, bit + bit / 2 - 1) : xg_aff_add_k(x, own, bit);
    m->results[3] = mirrored ? xg_aff_add_k(x, end, 2 * bit - 1) : xg_aff_add_k(x, own, bit + bit / 2);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &number, at);
    for (k = 0; k < 4; k++) v[k] = xg_sort_item_at(d, l.carried, xg_sort_ranged(at[k], d->places - 1));
    xg_sort_order(d, &v[0], &v[mirrored ? 3 : 2]);
    xg_sort_order(d, &v[1], &v[mirrored ? 2 : 3]);
    xg_sort_order(d, &v[0], &v[1]);
    xg_sort_order(d, &v[2], &v[3]);
    for (k = 0; k < 4; k++) r = xg_kinsert(&d->s.b, d->direct ? xg_emit_join(&d->s.b, v[k].x[0]) : v[k].index, r, &v[k].place, 1);
    return xg_sort_barrier(d, xg_sort_loop_end(d, &l, r));
}

/* The elements of the row that the comparator asks for go to shared memory, one operand after the other while there is room. */
XG_FN xg_kval *xg_sort_bring_one(xg_sort_site *d, uint32_t k, bool key) {
    xg_kelem e = key ? xg_kelem_of(d->key->shape->type) : xg_kelem_of(XG_OPERAND(d->i, k)->shape->type);
    const xg_ktype *type;
    xg_kval *tensor, *p, *from;
    xg_sort_loop l;
    xg_elem x;
    if (key && xg_sort_key_ordered(d)) e = xg_kelem_bits(e) == 64 ? XG_E_I64 : xg_kelem_bits(e) == 32 ? XG_E_I32 : XG_E_I16;
    type = xg_kir_tensor(d->e->m, e, &d->places, 1);
    tensor = xg_kir_op(&d->s.b, XG_K_OP_ALLOC_SHARED, NULL, 0, &type, 1, 0)->results;
    l = xg_sort_loop_begin(d, xg_elem_index(&d->s, d->places / d->threads), tensor);
    p = from = xg_sort_nth(d, l.var, d->places - 1);
    /* Behind the end stands the last element again: it may be read in vain, with four places at a time. */
    if (xg_sort_has_end(d)) from = xg_sort_ranged(XG_KOP2(&d->s.b, XG_K_OP_MINSI, p, XG_KOP2(&d->s.b, XG_K_OP_SUBI, d->limit ? d->limit : xg_elem_index(&d->s, d->length), xg_elem_index(&d->s, 1))), d->length - 1);
    if (key && d->close[k]) from = p; /* each thread reads what it wrote itself */
    x = xg_sort_element(d, k, from);
    return xg_sort_loop_end(d, &l, xg_kinsert(&d->s.b, xg_emit_join(&d->s.b, key ? xg_sort_key_of(d, x) : x), l.carried, &p, 1));
}
/* First what is compared, then, for the results, what there is room for. */
XG_FN void xg_sort_bring(xg_sort_site *d) {
    int64_t bytes = 4 * d->places, more;
    uint32_t k, turn;
    xg_sort_find_key(d);
    if (d->key) {
        more = d->places * xg_kelem_bytes(xg_kelem_of(d->key->shape->type));
        if (bytes + more <= XG_SORT_SHARED_MAX) { d->keys = xg_sort_bring_one(d, d->keyed, true); bytes += more; }
    }
    for (turn = 0; turn < 2; turn++) for (k = 0; k < d->n; k++) {
        if (d->close[k] || (!turn && (d->keys || !xg_sort_asks_for(d, k)))) continue;
        more = d->places * xg_kelem_bytes(xg_kelem_of(XG_OPERAND(d->i, k)->shape->type));
        if (bytes + more > XG_SORT_SHARED_MAX) continue;
        bytes += more;
        d->close[k] = xg_sort_bring_one(d, k, false);
    }
}

/* places[p] = p */
XG_FN xg_kval *xg_sort_start(xg_sort_site *d, xg_kval *places) {
    xg_sort_loop l = xg_sort_loop_begin(d, xg_elem_index(&d->s, d->places / d->threads), places);
    xg_kval *p = xg_sort_nth(d, l.var, d->places - 1), *v = xg_kinsert(&d->s.b, xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, p, XG_E_I32), l.carried, &p, 1);
    return xg_sort_barrier(d, xg_sort_loop_end(d, &l, v));
}

/* What may be asked for of an index behind the end is all in shared memory. */
XG_FN bool xg_sort_by_fours(const xg_sort_site *d) {
    uint32_t k;
    for (k = 0; k < d->n; k++) if (!d->direct && xg_sort_has_end(d) && xg_sort_asks_for(d, k) && !d->close[k] && !(d->keys && k == d->keyed)) return false;
    return d->places >= 4;
}
XG_FN xg_kval *xg_sort_network(xg_sort_site *d, xg_kval *places) {
    bool fours = xg_sort_by_fours(d);
    int64_t half, bit;
    for (half = 1; half < d->places; half *= 2) {
        for (bit = half; bit;) {
            if (fours && bit > 1) { places = xg_sort_two_steps(d, places, bit, bit == half); bit /= 4; }
            else { places = xg_sort_step(d, places, bit, bit == half); bit /= 2; }
        }
    }
    return places;
}

/* What root k takes from the sorted row: an operand's element, or (topk's second result) the index itself. */
XG_FN xg_elem xg_sort_result(xg_sort_site *d, const xg_inst *root, xg_kval *index) {
    int64_t output;
    if (root->op == XG_SLICE) root = XG_OPERAND(root, 0);
    output = root->op == XG_GET_TUPLE_ELEMENT ? xg_attr_int(root, XG_A_index, 0) : 0;
    if (d->i->op == XG_TOPK && output == 1) return xg_elem_real(xg_scalar_convert(&d->s.b, index, XLAGPU_S32, root->shape->type));
    return xg_sort_element(d, (uint32_t)output, xg_sort_position(d, index));
}

XG_FN xg_kval *xg_sort_write(xg_sort_site *d, uint32_t root, xg_kval *places, xg_kval *dest) {
    const xg_inst *i = d->e->roots[root];
    int64_t kept = d->whole ? d->kept : i->shape->dims[d->dim], first = i->op == XG_SLICE ? xg_inst_attr(i, XG_A_slice)->v.slices->p[d->dim].start : 0;
    bool exact = !d->limit && kept % d->threads == 0;
    xg_sort_loop l = xg_sort_loop_begin(d, xg_elem_index(&d->s, (kept + d->threads - 1) / d->threads), dest);
    xg_kb *b = &d->s.b;
    xg_kval *p = xg_sort_nth(d, l.var, exact ? kept - 1 : d->places * 2), *place, *r, *inside[XG_RANK_MAX];
    const xg_ktype *type = dest->type;
    xg_kb outer = d->s.b;
    xg_kop *op = NULL;
    xg_elem v;
    if (!exact) {
        op = xg_kif(b, xg_kcmpi_(b, XG_CI_SLT, p, d->limit ? d->limit : xg_elem_index(&d->s, kept)), &type, 1);
        outer = d->s.b;
        d->s.b = xg_kb_end(d->e->m, op->regions[1]);
        xg_kyield(b, &l.carried, 1);
        d->s.b = xg_kb_end(d->e->m, op->regions[0]);
    }
    place = first ? xg_sort_ranged(xg_k2(b, XG_K_OP_ADDI, p, xg_elem_index(&d->s, first)), d->places - 1) : p;
    v = d->direct ? xg_emit_split(b, xg_kextract(b, places, &place, 1)) : xg_sort_result(d, i, xg_kextract(b, places, &place, 1));
    memcpy(inside, d->row, sizeof inside);
    inside[d->dim] = xg_sort_in_row(d, p);
    r = xg_emit_insert(b, v, l.carried, i->shape, inside);
    if (!exact) {
        xg_kyield(b, &r, 1);
        d->s.b = outer;
        r = op->results;
    }
    return xg_sort_loop_end(d, &l, r);
}

/* Block to the indices of its row, all dimensions but the sorted one, which has the run's beginning. */
XG_FN void xg_sort_row(xg_sort_site *d, int64_t rows, int64_t runs) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_new(x, 1, 0, 0, d->shape->rank, 0);
    const xg_aff *rest = xg_aff_div(x, xg_aff_dim(x, 0), runs);
    xg_kval *block = xg_kblock_id(&d->s.b, 0, rows * runs);
    uint32_t k;
    m->dims[0].range = xg_range_of(0, rows * runs - 1);
    for (k = d->shape->rank; k-- > 0;) {
        if (k == d->dim) { m->results[k] = xg_aff_mul(x, xg_aff_mod(x, xg_aff_dim(x, 0), runs), d->length); continue; }
        m->results[k] = xg_aff_mod(x, rest, d->shape->dims[k]);
        rest = xg_aff_div(x, rest, d->shape->dims[k]);
    }
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &block, d->row);
    if (!d->whole) return;
    d->base = d->row[d->dim];
    if (d->whole % d->length) d->limit = XG_KOP2(&d->s.b, XG_K_OP_MINSI, xg_k2(&d->s.b, XG_K_OP_SUBI, xg_elem_index(&d->s, d->whole), d->base), xg_elem_index(&d->s, d->length));
}

XG_FN void xg_emit_sort(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_sort_site d;
    xg_kval *places, **dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    const xg_ktype *type;
    int64_t rows, runs = 1, from, to;
    uint32_t k;
    memset(&d, 0, sizeof d);
    d.e = e;
    d.i = xg_sort_of_root(e->roots[0]);
    d.shape = XG_OPERAND(d.i, 0)->shape;
    d.dim = d.i->op == XG_TOPK ? d.shape->rank - 1 : (uint32_t)xg_attr_ints(d.i, XG_A_dimensions).p[0];
    d.n = d.i->n_operands;
    d.close = XG_NEW_N(e->arena, xg_kval *, d.n + 1);
    d.length = d.shape->dims[d.dim];
    d.kept = e->roots[0]->shape->dims[d.dim];
    rows = d.length ? d.shape->elements / d.length : 0;
    if (xg_fuse_sorted_runs(d.i, &from, &to)) {
        d.whole = d.length;
        d.length = d.kept = to;
        runs = (d.whole + to - 1) / to;
    }
    if (d.length > XG_SORT_ROW_MAX) xg_hlo_fail(d.i, XLAGPU_ERROR_INTERNAL, NULL, "%s of rows of %lld elements in one block", xg_op_name(d.i->op), (long long)d.length);
    for (d.places = 1; d.places < d.length; d.places *= 2) {}
    d.threads = XG_MIN(XG_MAX(d.places / 4, (int64_t)1), (int64_t)XG_SORT_THREADS_MAX);
    if (rows > INT32_MAX / runs) xg_hlo_fail(d.i, XLAGPU_ERROR_LIMIT, NULL, "%lld rows of %lld runs; at most 2147483647 runs are supported in kernels", (long long)rows, (long long)runs);
    f->threads[0] = (uint32_t)d.threads;
    f->blocks[0] = (uint32_t)XG_MAX(rows * runs, (int64_t)1);
    for (k = 1; k < 3; k++) f->threads[k] = f->blocks[k] = 1;
    xg_emit_functions(e, false);
    d.s = xg_emit_scope(e, f, UINT32_MAX);
    d.s.b.loc = e->fusion->id + 1;
    for (k = 0; k < e->n_roots; k++) dest[k] = &f->body->args[e->comp->n_params + k];
    if (d.shape->elements && e->roots[0]->shape->elements) {
        d.thread = xg_kthread_id(&d.s.b, 0, d.threads);
        xg_sort_row(&d, rows, runs);
        d.direct = d.i->op == XG_SORT && d.n == 1 && !xg_attr_int(d.i, XG_A_is_stable, 0) && d.places * xg_kelem_bytes(xg_kelem_of(d.shape->type)) <= XG_SORT_SHARED_MAX;
        if (d.direct) places = xg_sort_barrier(&d, xg_sort_bring_one(&d, 0, false));
        else {
            type = xg_kir_tensor(e->m, XG_E_I32, &d.places, 1);
            places = xg_kir_op(&d.s.b, XG_K_OP_ALLOC_SHARED, NULL, 0, &type, 1, 0)->results;
            xg_sort_bring(&d);
            places = xg_sort_start(&d, places);
        }
        places = xg_sort_network(&d, places);
        for (k = 0; k < e->n_roots; k++) dest[k] = xg_sort_write(&d, k, places, dest[k]);
    }
    xg_kreturn(&d.s.b, dest, e->n_roots);
}

#endif /* XG_EMIT_SORT_C */
