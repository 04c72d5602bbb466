/* emit/scatter.c -- scatters in place: a thread takes an element of the updates, or a few of one window, to where it
 * goes.
 *
 * The operands are parameters in whose memory the results lie (fuse/in_place.c), so nothing is written but what is hit.
 * An update whose window does not lie inside the operand as a whole is left out. Forms:
 *   PLAIN    no two updates meet (unique_indices, or one position only): read, combine, write
 *   ATOMIC   a combiner that does not mind the order, on a type that memory or a compare-and-swap can change: one
 *            atomic step each; sums of floats that lie side by side in
 *            aligned rows are one step of several floats, where the target has that
 *   OWNER    everything else, if windows are either the same or apart: the first update of those that go to one place
 *            combines them all, in their order. That is
 *            deterministic, and right for every combiner and any number of arrays, at the price of reading all
 *            positions of its batch.
 * A sum of floats in the order in which threads come differs from run to run; where that is not wanted, it is OWNER's.
 * Of updates that overwrite each other, opt/scatter_winners.c has left the last ones only, where there are many. What
 * none of the forms takes is turned round by the loop emitter (gather.c). */
#ifndef XG_EMIT_SCATTER_C
#define XG_EMIT_SCATTER_C
#include "emit.h"

enum {
    XG_SCATTER_ROUNDS = 4,  /* vectors that a thread has on their way together */
    XG_SCATTER_NUMBERS = 16 /* numbers, where memory adds up no vectors: each thread waits for its indices first */
};

typedef enum xg_scatter_form {
    XG_SCATTER_NONE,
    XG_SCATTER_PLAIN,
    XG_SCATTER_ATOMIC,
    XG_SCATTER_OWNER
} xg_scatter_form;
XG_TABLE const char xg_scatter_walks[][7] = {"none", "plain", "atomic", "owner"};

typedef struct xg_scattering {
    xg_fusion_emission *e;
    const xg_inst *i;
    const xg_comp *combiner;
    uint32_t n, rank; /* arrays; of the operand */
    const xg_shape *operand, *update;
    int64_t unroll, vector; /* elements that a thread takes; so many of them side by side */
    xg_scatter_form form;
    xg_section section;
    xg_windows w;
    uint32_t n_rivals, rival[XG_RANK_MAX];     /* what numbers windows of one batch, by the numbers of such dims, and */
    int64_t rival_counts[XG_RANK_MAX], rivals; /* how many they are */
} xg_scattering;

XG_FN const xg_inst *xg_scattering_of(const xg_fusion_emission *e) {
    const xg_inst *i = e->roots[0];
    uint32_t k;
    if (i->op == XG_GET_TUPLE_ELEMENT) i = XG_OPERAND(i, 0);
    if (i->op != XG_SCATTER || i->n_operands / 2 != e->n_roots) return NULL;
    for (k = 0; k < e->n_roots; k++) {
        if (xg_fuse_in_place(e->arena, e->fusion, k) < 0) return NULL;
        if (i->shape->type != XLAGPU_TUPLE) continue;
        if (e->roots[k]->op != XG_GET_TUPLE_ELEMENT || XG_OPERAND(e->roots[k], 0) != i ||
            xg_attr_index(e->roots[k]) != (int64_t)k)
            return NULL;
    }
    return i;
}

/* ---- which form ---- */

/* The operation of a combiner of its two parameters; XG_OPCODE_COUNT for others. */
XG_FN xg_opcode xg_scatter_combiner(const xg_comp *c) {
    const xg_inst *r = c->root;
    if (c->n_params != 2 || r->n_operands != 2 || XG_OPERAND(r, 0)->op != XG_PARAMETER ||
        XG_OPERAND(r, 1)->op != XG_PARAMETER || XG_OPERAND(r, 0) == XG_OPERAND(r, 1))
        return XG_OPCODE_COUNT;
    return r->op;
}
/* Whether the order of the updates cannot be told from the result, or only by the rounding of floats. */
XG_FN bool xg_scatter_commutes(xg_opcode op) {
    switch (op) {
    case XG_ADD:
    case XG_MULTIPLY:
    case XG_MINIMUM:
    case XG_MAXIMUM:
    case XG_AND:
    case XG_OR:
    case XG_XOR: return true;
    default: return false;
    }
}
XG_FN bool xg_scatter_rounds(const xg_scattering *d, xg_opcode op) {
    return (op == XG_ADD || op == XG_MULTIPLY) && xg_type_class(d->operand->type) == XGT_F;
}
XG_FN bool xg_scatter_atomic(const xg_scattering *d) {
    xg_opcode op = xg_scatter_combiner(d->combiner);
    int64_t bytes = xg_kelem_bytes(xg_kelem_of(d->operand->type));
    if (d->n != 1 || !xg_scatter_commutes(op) || xg_type_class(d->operand->type) == XGT_C ||
        (xg_type_class(d->operand->type) == XGT_F && xg_type_bits(d->operand->type) < 8) || bytes > 8 ||
        (bytes == 1 && d->operand->elements % 4))
        return false;
    return !(d->e->target->deterministic && xg_scatter_rounds(d, op));
}
/* Is the update's dimension one of its windows, not one that numbers them? */
XG_FN bool xg_scatter_is_inside(const xg_scattering *d, uint32_t dim) {
    uint32_t k = 0;
    while (k < d->w.n_positions && d->w.position[k] != dim) k++;
    return k == d->w.n_positions;
}
XG_FN bool xg_scatter_is_batch(const xg_scattering *d, uint32_t position) {
    uint32_t k = 0;
    while (k < d->rank && d->w.batch[k] != (int32_t)position) k++;
    return k < d->rank;
}
/* Windows begin at multiples of their size, so two of them are the same or apart. */
XG_FN bool xg_scatter_aligned(const xg_scattering *d) {
    uint32_t k;
    for (k = 0; k < d->rank; k++)
        if (d->w.start[k] >= 0 && d->w.size[k] != 1 && d->w.size[k] != d->operand->dims[k]) return false;
    return true;
}
XG_FN xg_scatter_form xg_scatter_choose(const xg_scattering *d) {
    if (d->w.positions <= 1 || xg_attr_or_0(d->i, XG_A_unique_indices)) return XG_SCATTER_PLAIN;
    if (xg_scatter_atomic(d)) return XG_SCATTER_ATOMIC;
    if (xg_scatter_aligned(d) && d->update->elements / 4 <= d->operand->elements) return XG_SCATTER_OWNER;
    return XG_SCATTER_NONE;
}

/* How many neighbours of the update's dim `minor` memory adds up at a time: they are neighbours in the operand, too,
 * and windows begin at multiples of them. 1: there is no such instruction. */
XG_FN int64_t xg_scatter_red(const xg_scattering *d, uint32_t minor) {
    xlagpu_type t = d->operand->type;
    uint32_t dim;
    if (d->form != XG_SCATTER_ATOMIC || !d->rank || !d->e->target->red_bytes ||
        xg_scatter_combiner(d->combiner) != XG_ADD || (t != XLAGPU_F32 && t != XLAGPU_F16 && t != XLAGPU_BF16))
        return 1;
    dim = xg_shape_major(d->operand, d->rank - 1);
    if (d->w.inside[dim] == (int32_t)minor && d->w.start[dim] < 0)
        return xg_gcd(
            xg_gcd(d->operand->dims[dim], d->update->dims[minor]), d->e->target->red_bytes / xg_type_bytes(t));
    return 1;
}

/* Elements of a thread in `walk`: neighbouring threads change whole sectors, and all the device's have something to do.
 */
XG_FN int64_t xg_scatter_unroll(const xg_scattering *d, const xg_shape *walk, uint32_t minor) {
    const xg_emit_target *t = d->e->target;
    int64_t n = walk->dims[minor] / d->vector, rounds;
    if (walk->elements < d->vector * t->resident_threads || !xg_scatter_is_inside(d, minor)) return d->vector;
    if (d->vector > 1) return d->vector * xg_gcd(n, XG_SCATTER_ROUNDS);
    rounds = xg_gcd(n, d->form == XG_SCATTER_ATOMIC && t->max_unroll > 1 ? (int64_t)XG_SCATTER_NUMBERS : t->max_unroll);
    while (rounds > t->max_unroll &&
           (n / rounds * xg_type_bytes(walk->type) < XG_SECTOR_BYTES || walk->elements / rounds < t->resident_threads))
        rounds /= 2;
    return rounds;
}

XG_FN bool xg_scattering_make(xg_scattering *d, xg_fusion_emission *e) {
    uint32_t minor, k;
    xg_shape *walk;
    int64_t *dims;
    memset(d, 0, sizeof *d);
    d->e = e;
    d->i = xg_scattering_of(e);
    if (!d->i) return false;
    d->n = d->i->n_operands / 2;
    d->w = xg_windows_of(d->i);
    d->operand = d->w.whole;
    d->update = d->w.part;
    d->rank = d->operand->rank;
    d->combiner = xg_attr_to_apply(d->i);
    for (d->rivals = 1, k = 0; k < d->w.n_positions; k++) {
        if (xg_scatter_is_batch(d, k)) continue;
        d->rivals *= d->w.counts[k];
        d->rival_counts[d->n_rivals] = d->w.counts[k];
        d->rival[d->n_rivals++] = k;
    }
    d->form = xg_scatter_choose(d);
    if (d->form == XG_SCATTER_NONE) return false;
    d->unroll = 1;
    walk = XG_NEW(e->arena, xg_shape);
    *walk = *d->update;
    if (walk->rank) {
        minor = xg_shape_major(walk, walk->rank - 1);
        d->vector = xg_scatter_red(d, minor);
        d->unroll = xg_scatter_unroll(d, walk, minor);
        if (d->form != XG_SCATTER_ATOMIC) d->vector = d->unroll;
        dims = XG_NEW_N(e->arena, int64_t, walk->rank);
        memcpy(dims, walk->dims, walk->rank * sizeof *dims);
        dims[minor] /= d->unroll;
        walk->dims = dims;
        walk->elements /= d->unroll;
    }
    d->section.shape = walk;
    d->section.unroll = 1;
    return true;
}
XG_FN bool xg_emit_scatter_plan(xg_fusion_emission *e) {
    xg_scattering *d = XG_NEW(e->arena, xg_scattering);
    e->form = d;
    if (!xg_scattering_make(d, e)) return false;
    xg_form_write_walk(e, xg_scatter_walks[d->form]);
    xg_form_put(e, "vector", d->unroll);
    return xg_sections_launch(e, &d->section, d->update->elements ? 1 : 0);
}

/* ---- where an update goes ---- */

/* The place of the update's element that is at hand: its position, its offset in the window and the window's start, by
 * dim of the operand. */
typedef struct xg_scatter_place {
    xg_kval *position[XG_RANK_MAX], *offset[XG_RANK_MAX], *start[XG_RANK_MAX];
} xg_scatter_place;

/* Where the window of a position begins along a dim of the operand, of 32 bits or 64: as many as places need. */
XG_FN xg_kval *xg_scatter_begin(xg_scope *s, const xg_scattering *d, xg_kval *const *position, uint32_t dim) {
    xlagpu_type t = d->w.indices->shape->type;
    xg_kval *v = xg_window_component(s, &d->w, position, d->w.start[dim]);
    int bits = d->operand->dims[dim] - d->w.size[dim] > INT32_MAX ? 64 : 32;
    return xg_type_bits(t) < bits
               ? xg_kcast(&s->b, xg_type_signed(t) ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, v, bits == 64 ? XG_E_I64 : XG_E_I32)
               : v;
}
/* Fills the place; the answer is whether the window lies inside, NULL for always. */
XG_FN xg_kval *xg_scatter_locate(xg_scope *s, const xg_scattering *d, xg_kval *const *at, xg_scatter_place *p) {
    xg_kval *inside = NULL;
    uint32_t k;
    for (k = 0; k < d->w.n_positions; k++) p->position[k] = at[d->w.position[k]];
    for (k = 0; k < d->rank; k++) {
        p->start[k] = NULL;
        p->offset[k] = d->w.batch[k] >= 0    ? p->position[d->w.batch[k]]
                       : d->w.inside[k] >= 0 ? at[d->w.inside[k]]
                                             : NULL;
        if (d->w.start[k] < 0) continue;
        p->start[k] = xg_scatter_begin(s, d, p->position, k);
        inside =
            xg_elem_and(s, inside, xg_kcmpi_int(&s->b, XG_CI_ULE, p->start[k], d->operand->dims[k] - d->w.size[k]));
    }
    return inside;
}
/* The operand's index, given that the window lies inside. */
XG_FN void xg_scatter_index(xg_scope *s, const xg_scattering *d, const xg_scatter_place *p, xg_kval **idx) {
    uint32_t k;
    for (k = 0; k < d->rank; k++) {
        xg_kval *start = p->start[k] ? xg_kcast(&s->b, XG_K_OP_INDEX_CAST, p->start[k], XG_E_INDEX) : NULL;
        if (start) xg_kval_set_range(start, xg_range_of(0, d->operand->dims[k] - d->w.size[k]));
        if (!start)
            idx[k] = p->offset[k] ? p->offset[k] : xg_elem_index_0(s);
        else if (!p->offset[k])
            idx[k] = start;
        else {
            idx[k] = xg_k2(&s->b, XG_K_OP_ADDI, start, p->offset[k]);
            xg_kval_set_range(idx[k], xg_range_of(0, d->operand->dims[k] - 1));
        }
    }
}

/* ---- what happens there ---- */

/* current becomes what the combiner makes of it and an update. */
XG_FN void xg_scatter_combine(xg_scope *s, const xg_scattering *d, xg_elem *current, const xg_elem *update) {
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, 2 * d->n + 1);
    uint32_t k;
    for (k = 0; k < d->n; k++) {
        args[k] = current[k];
        args[d->n + k] = update[k];
    }
    xg_elem_call_comp(s, d->combiner, args, current, d->n);
}
XG_FN void xg_scatter_updates(xg_scope *s, const xg_scattering *d, xg_kval *const *at, xg_elem *out) {
    uint32_t k;
    for (k = 0; k < d->n; k++) out[k] = xg_elem_of(s, XG_OPERAND(d->i, d->n + 1 + k), at);
}

/* The results with the elements in them. */
XG_FN void xg_scatter_insert_all(
    xg_scope *s, const xg_scattering *d, const xg_elem *v, xg_kval *const *idx, xg_kval **dest) {
    uint32_t k;
    for (k = 0; k < d->n; k++) dest[k] = xg_emit_insert(&s->b, v[k], dest[k], XG_OPERAND(d->i, k)->shape, idx);
}
/* Where cond (NULL: always) does not hold, the results stay. */
XG_FN xg_flow xg_scatter_if(xg_scope *s, const xg_scattering *d, xg_kval *cond, xg_kval **dest) {
    xg_flow f = xg_flow_begin(s);
    xg_flow_slots(&f, dest, d->n);
    xg_flow_if(&f, cond);
    return f;
}
XG_FN void xg_scatter_plain(
    xg_scope *s, const xg_scattering *d, xg_kval *const *at, xg_kval *const *idx, xg_kval **dest) {
    xg_elem *current = XG_NEW_N(s->e->arena, xg_elem, d->n + 1), *update = XG_NEW_N(s->e->arena, xg_elem, d->n + 1);
    uint32_t k;
    xg_scatter_updates(s, d, at, update);
    for (k = 0; k < d->n; k++) current[k] = xg_elem_of(s, XG_OPERAND(d->i, k), idx);
    xg_scatter_combine(s, d, current, update);
    xg_scatter_insert_all(s, d, current, idx, dest);
}

XG_FN void xg_scatter_atomically(
    xg_scope *s, const xg_scattering *d, xg_kval *const *at, xg_kval *const *idx, xg_kval **dest) {
    xg_kval *operands[XG_RANK_MAX + 1];
    const xg_ktype *elem = xg_kir_scalar(s->b.m, dest[0]->type->elem);
    xg_elem current, update;
    xg_kb outer;
    xg_kop *op;
    xg_scatter_updates(s, d, at, &update);
    operands[0] = dest[0];
    xg_emit_physical(d->operand, idx, operands + 1);
    op = xg_kir_op(&s->b, XG_K_OP_ATOMIC_RMW, operands, d->rank + 1, &dest[0]->type, 1, 1);
    xg_kir_region_args(&s->b, op, 0, &elem, 1);
    op->regions[0]->args[0].name = XG_STR("current");
    outer = s->b;
    s->b = xg_kb_end(s->b.m, op->regions[0]);
    s->b.loc = outer.loc;
    current = xg_elem_real(&op->regions[0]->args[0]);
    xg_scatter_combine(s, d, &current, &update);
    xg_kyield(&s->b, &current.v, 1);
    s->b = outer;
    dest[0] = op->results;
}

/* ---- the owner ---- */

typedef struct xg_scatter_owner {
    const xg_scattering *d;
    const xg_scatter_place *mine;
    xg_kval *const *at;
} xg_scatter_owner;

/* The number of a position among those of its batch, and back. */
XG_FN xg_kval *xg_scatter_number(xg_scope *s, const xg_scattering *d, xg_kval *const *position) {
    xg_kval *r, *in[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < d->n_rivals; k++) in[k] = position[d->rival[k]];
    xg_elem_apply(s, xg_indexing_reshape(s->b.m->aff, d->rival_counts, d->n_rivals, &d->rivals, 1), in, &r);
    return r;
}
XG_FN void xg_scatter_position_of(xg_scope *s, const xg_scatter_owner *o, xg_kval *number, xg_kval **position) {
    const xg_scattering *d = o->d;
    xg_kval *out[XG_RANK_MAX];
    uint32_t k;
    xg_elem_apply(s, xg_indexing_reshape(s->b.m->aff, &d->rivals, 1, d->rival_counts, d->n_rivals), &number, out);
    for (k = 0; k < d->w.n_positions; k++) position[k] = o->mine->position[k];
    for (k = 0; k < d->n_rivals; k++) position[d->rival[k]] = out[k];
}
/* for number = lo to hi */
XG_FN void xg_scatter_for(
    xg_scope *s, const xg_scatter_owner *o, xg_kval *lo, xg_kval *hi, xg_carry_fn body, xg_elem *carried, uint32_t n) {
    xg_flow f = xg_flow_begin(s);
    xg_flow_elems(&f, carried, n);
    xg_flow_for(&f, lo, hi, 1, o->d->rivals);
    body(s, (void *)(uintptr_t)o, &f.var, carried);
    xg_flow_end(&f);
}

/* Whether the window of another position of the batch is the same. */
XG_FN xg_kval *xg_scatter_same(xg_scope *s, const xg_scatter_owner *o, xg_kval *const *position) {
    const xg_scattering *d = o->d;
    xg_kval *same = NULL;
    uint32_t k;
    for (k = 0; k < d->rank; k++) {
        if (d->w.start[k] < 0) continue;
        same = xg_elem_and(s, same, xg_kcmpi_(&s->b, XG_CI_EQ, xg_scatter_begin(s, d, position, k), o->mine->start[k]));
    }
    return same ? same : xg_kconst_int(&s->b, XG_E_I1, 1);
}
/* carried[0]: no position so far was the same. */
XG_FN void xg_scatter_first(xg_scope *s, void *data, xg_kval *const *number, xg_elem *carried) {
    const xg_scatter_owner *o = (const xg_scatter_owner *)data;
    xg_kval *position[XG_RANK_MAX];
    xg_scatter_position_of(s, o, *number, position);
    carried[0].v = XG_KOP2(&s->b, XG_K_OP_ANDI, carried[0].v,
        XG_KOP2(&s->b, XG_K_OP_XORI, xg_scatter_same(s, o, position), xg_kconst_int(&s->b, XG_E_I1, 1)));
}
XG_FN void xg_scatter_take_one(xg_scope *s, void *data, xg_kval *const *position, xg_elem *carried) {
    const xg_scatter_owner *o = (const xg_scatter_owner *)data;
    const xg_scattering *d = o->d;
    xg_elem *update = XG_NEW_N(s->e->arena, xg_elem, d->n + 1);
    xg_kval *at[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < d->update->rank; k++) at[k] = o->at[k];
    for (k = 0; k < d->w.n_positions; k++) at[d->w.position[k]] = position[k];
    xg_scatter_updates(s, d, at, update);
    xg_scatter_combine(s, d, carried, update);
}
XG_FN void xg_scatter_collect(xg_scope *s, void *data, xg_kval *const *number, xg_elem *carried) {
    const xg_scatter_owner *o = (const xg_scatter_owner *)data;
    xg_kval *position[XG_RANK_MAX];
    xg_scatter_position_of(s, o, *number, position);
    xg_elem_when(s, xg_scatter_same(s, o, position), xg_scatter_take_one, data, position, carried, o->d->n);
}
/* One component, and no batches: sorted indices are sorted places. */
XG_FN bool xg_scatter_is_plain(const xg_scattering *d) { return d->w.n_starts == 1 && d->n_rivals == d->w.n_positions; }
/* No thread but the owner touches the element: others may not even read it. */
XG_FN void xg_scatter_by_owner(xg_scope *s, const xg_scattering *d, const xg_scatter_place *p, xg_kval *const *at,
    xg_kval *const *idx, xg_kval **dest) {
    xg_elem *carried = XG_NEW_N(s->e->arena, xg_elem, d->n + 1), owner = xg_elem_real(xg_kconst_int(&s->b, XG_E_I1, 1));
    xg_kval *number = xg_scatter_number(s, d, p->position), *from = xg_elem_index_0(s);
    xg_scatter_owner o;
    xg_flow f;
    uint32_t k;
    o.d = d;
    o.mine = p;
    o.at = at;
    if (xg_attr_or_0(d->i, XG_A_indices_are_sorted) && xg_scatter_is_plain(d)) { /* the one before says it */
        from = XG_KOP2(&s->b, XG_K_OP_MAXSI, xg_k2_int(&s->b, XG_K_OP_SUBI, number, 1), from);
    }
    xg_scatter_for(s, &o, from, number, xg_scatter_first, &owner, 1);
    f = xg_scatter_if(s, d, owner.v, dest);
    for (k = 0; k < d->n; k++) carried[k] = xg_elem_of(s, XG_OPERAND(d->i, k), idx);
    xg_scatter_for(s, &o, number, xg_elem_index(s, d->rivals), xg_scatter_collect, carried, d->n);
    xg_scatter_insert_all(s, d, carried, idx, dest);
    xg_flow_end(&f);
}

/* ---- the kernel ---- */

/* One element; only its offset in the window differs from that of its neighbours. */
XG_FN void xg_scatter_one(
    xg_scope *s, const xg_scattering *d, const xg_scatter_place *base, xg_kval *const *at, xg_kval **dest) {
    xg_scatter_place p = *base;
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < d->rank; k++)
        if (d->w.inside[k] >= 0) p.offset[k] = at[d->w.inside[k]];
    xg_scatter_index(s, d, &p, idx);
    if (d->form == XG_SCATTER_PLAIN)
        xg_scatter_plain(s, d, at, idx, dest);
    else if (d->form == XG_SCATTER_ATOMIC)
        xg_scatter_atomically(s, d, at, idx, dest);
    else
        xg_scatter_by_owner(s, d, &p, at, idx, dest);
}
/* The elements of one thread: vectors of what memory changes at a time, as far apart as leaves neighbours to
 * neighbouring threads: several are on their way together. */
XG_FN void xg_scatter_row(
    xg_scope *s, const xg_scattering *d, const xg_scatter_place *base, xg_kval *const *at, xg_kval **dest) {
    xg_imap *m;
    xg_kval *here[XG_RANK_MAX];
    xg_aff_ctx *x = s->b.m->aff;
    xg_flow f = xg_flow_begin(s);
    uint32_t minor;
    if (d->unroll == 1) {
        xg_scatter_one(s, d, base, at, dest);
        return;
    }
    minor = xg_shape_major(d->update, d->update->rank - 1);
    m = xg_imap_new(x, 1, 2, 0, 1, 0);
    m->dims[0].range = xg_range_of(0, d->update->dims[minor] / d->unroll - 1);
    xg_imap_counts(&m->syms[0], "round", d->unroll / d->vector);
    xg_imap_counts(&m->syms[1], "vector_index", d->vector);
    m->results[0] = xg_aff_add_mul(
        x, xg_aff_mul(x, xg_aff_dim_0(x), d->vector), xg_aff_sym(x, 0), d->update->dims[minor] / d->unroll * d->vector);
    m->results[0] = xg_aff_add(x, m->results[0], xg_aff_sym(x, 1));
    xg_flow_slots(&f, dest, d->n);
    memcpy(here, at, d->update->rank * sizeof *here);
    here[minor] = xg_flow_walk(&f, xg_imap_simplify(x, m), &at[minor]) + 2;
    xg_scatter_one(s, d, base, here, dest);
    xg_flow_end(&f);
}
XG_FN void xg_scatter_body(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    const xg_scattering *d = (const xg_scattering *)data;
    xg_scatter_place p;
    xg_flow f;
    (void)which;
    f = xg_scatter_if(s, d, xg_scatter_locate(s, d, at, &p), dest);
    xg_scatter_row(s, d, &p, at, dest);
    xg_flow_end(&f);
}
XG_FN void xg_emit_scatter(xg_fusion_emission *e) {
    xg_scattering *d = (xg_scattering *)e->form;
    xg_emit_sections(e, &d->section, d->update->elements ? 1 : 0, xg_scatter_body, d);
}

#endif /* XG_EMIT_SCATTER_C */
