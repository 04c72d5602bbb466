/* opt/reduce_reuse.c -- a reduction of more dimensions is made from one of fewer dimensions of the same array, where
 * that is wanted as well: the array is read once less.
 *
 *     a = reduce(x, 0), dimensions={2}     b = reduce(x, 0), dimensions={0,2}     ==>     b = reduce(a, 0),
 *         dimensions={0}
 *
 * The init value comes in several times then, so it has to be one that may. Sums of narrow floats stay as they are:
 * partial sums would be rounded. So do arrays that are read faster than another kernel starts. */
#ifndef XG_OPT_REDUCE_REUSE_C
#define XG_OPT_REDUCE_REUSE_C
#include "opt.h"

enum {
    XG_REUSE_BYTES = 128 << 10,
    XG_REUSE_GAIN = 8 /* times fewer elements than the array */,
    XG_REUSE_MOST = 16 /* reductions of one array */
};

typedef struct xg_reuse {
    xg_inst *reduce;
    uint64_t dims;
    uint32_t place;
} xg_reuse; /* dims: by bit; place: in the program */

XG_FN bool xg_reuse_may(const xg_inst *i, const xg_inst *x, xg_arena *a) {
    const xg_comp *c;
    if (i->op != XG_REDUCE || i->n_operands != 2 || XG_OPERAND(i, 0) != x || XG_OPERAND(i, 1) == x || xg_inst_order(i))
        return false;
    c = xg_attr_to_apply(i);
    return xg_reducer_is_plain(c) && c->root->shape->type == x->shape->type &&
           xg_reducer_wide(c, x->shape->type) == XLAGPU_INVALID && xg_reducer_start_of(i, a) == XG_REDUCER_FROM_INIT;
}
XG_FN uint64_t xg_reuse_dims(const xg_inst *i) {
    xg_ints d = xg_attr_dims(i);
    uint64_t bits = 0;
    uint32_t k;
    for (k = 0; k < d.n; k++) bits |= (uint64_t)1 << d.p[k];
    return bits;
}
XG_FN uint32_t xg_reuse_collect(xg_inst *x, uint32_t n_ids, xg_reuse *list) {
    uint32_t n = 0;
    XG_FOR_USES(u, x) {
        if (u->user->id >= n_ids || !xg_reuse_may(u->user, x, x->comp->module->arena))
            continue; /* what was made here has no place */
        if (n == XG_REUSE_MOST) return 0;
        list[n].reduce = u->user;
        list[n].dims = xg_reuse_dims(u->user);
        list[n++].place = (uint32_t)(uintptr_t)u->user->scratch;
    }
    return n;
}
/* Does `a` hold what `b` may be made from? */
XG_FN bool xg_reuse_serves(const xg_inst *x, const xg_reuse *a, const xg_reuse *b) {
    const xg_inst *p = a->reduce, *q = b->reduce;
    if (a == b || (a->dims & ~b->dims) || a->dims == b->dims || XG_OPERAND(p, 1) != XG_OPERAND(q, 1) ||
        xg_attr_to_apply(p)->root->op != xg_attr_to_apply(q)->root->op)
        return false;
    return p->shape->elements <= x->shape->elements / XG_REUSE_GAIN && (a->place < b->place || XG_OPERAND(p, 0) == x);
}
/* b in terms of a, whose place is in front of it. */
XG_FN void xg_reuse_apply(xg_reuse *a, xg_reuse *b) {
    xg_hb h = xg_hb_at(b->reduce);
    xg_ints dims = xg_attr_dims(b->reduce);
    int64_t left[XG_RANK_MAX];
    uint32_t n = 0, d, k, skipped;
    xg_inst *made;
    if (a->place > b->place) {
        xg_inst_move_before(a->reduce, b->reduce);
        a->place = b->place;
    }
    for (k = 0; k < dims.n; k++) {
        if (a->dims >> dims.p[k] & 1) continue;
        for (skipped = d = 0; d < (uint32_t)dims.p[k]; d++) skipped += (uint32_t)(a->dims >> d & 1);
        left[n++] = dims.p[k] - (int64_t)skipped;
    }
    made = xg_hb_reduce(&h, a->reduce, XG_OPERAND(b->reduce, 1), left, n, xg_attr_to_apply(b->reduce));
    made->shape = b->reduce->shape;
    xg_inst_replace(b->reduce, made);
    xg_inst_remove(b->reduce);
    b->reduce = made;
}
XG_FN bool xg_reuse_of(xg_inst *x, uint32_t n_ids) {
    xg_reuse list[XG_REUSE_MOST];
    uint32_t n = xg_reuse_collect(x, n_ids, list), k, j;
    bool changed = false;
    for (k = 0; k < n; k++) {
        xg_reuse *best = NULL;
        for (j = 0; j < n; j++)
            if (xg_reuse_serves(x, &list[j], &list[k]) &&
                (!best || list[j].reduce->shape->elements < best->reduce->shape->elements))
                best = &list[j];
        if (!best) continue;
        xg_reuse_apply(best, &list[k]);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_reuse_is_large(const xg_shape *s) {
    return xg_shape_is_array(s) && !s->dynamic &&
           s->elements >= XG_REUSE_BYTES / XG_MAX((int64_t)xg_type_bytes(s->type), (int64_t)1);
}
/* By more than one; nearly nothing is. One user is not looked at: it lies elsewhere. */
XG_FN bool xg_reuse_is_reduced(const xg_inst *x) {
    uint32_t n = 0;
    if (!x->first_use || !x->first_use->next) return false;
    XG_FOR_USES(u, x) n += u->user->op == XG_REDUCE;
    return n > 1;
}
XG_FN bool xg_reuse_reads_reduced(const xg_inst *reduce) {
    uint32_t k;
    for (k = 0; k < reduce->n_operands; k++)
        if (xg_reuse_is_large(XG_OPERAND(reduce, k)->shape) && xg_reuse_is_reduced(XG_OPERAND(reduce, k))) return true;
    return false;
}
XG_FN void xg_reuse_place(const xg_comp *c) {
    uintptr_t n = 0;
    XG_FOR_INSTS(i, c) i->scratch = (void *)n++;
}
XG_FN bool xg_reuse_in(xg_comp *c) {
    uint32_t n_ids = c->module->n_ids;
    bool changed = false, placed = false, any = false;
    /* from the reductions: users of all values lie far apart */
    XG_FOR_INSTS(i, c) any = any || (i->op == XG_REDUCE && xg_reuse_reads_reduced(i));
    if (!any) return false;
    XG_FOR_INSTS(i, c) {
        if (!xg_reuse_is_large(i->shape) || !xg_reuse_is_reduced(i)) continue;
        if (!placed) xg_reuse_place(c);
        placed = true;
        changed = xg_reuse_of(i, n_ids) || changed;
    }
    return changed;
}
XG_FN bool xg_opt_reduce_reuse(xg_module *m) { return m->made[XG_REDUCE] && xg_opt_each_sequence(m, xg_reuse_in); }

#endif /* XG_OPT_REDUCE_REUSE_C */
