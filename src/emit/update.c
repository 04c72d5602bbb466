/* emit/update.c -- in-place dynamic-update-slices: only the elements of the updates are computed and written.
 *
 * Every result of the fusion is a dynamic-update-slice of a parameter, perhaps renamed, or of another such update
 * of it, in whose memory it lies (fuse/in_place.c): what is not updated is there already. Each update has blocks of
 * its own; so no other result may be made of its parameter, which may be overwritten by then, and where updates of
 * one array overlap, the last one alone computes and writes. Results that are numbers (a loop's counter) are
 * computed beside them. */
#ifndef XG_EMIT_UPDATE_C
#define XG_EMIT_UPDATE_C
#include "emit.h"

typedef struct xg_update {
    xg_section *sections;
    uint32_t *root, n;
    const xg_inst **which; /* the update; NULL: the root is a number */
} xg_update;               /* by section */

XG_FN const xg_inst *xg_update_of(const xg_inst *root) {
    root = xg_in_place_strip(root);
    return root->op == XG_DYNAMIC_UPDATE_SLICE ? root : NULL;
}

/* What the parameter goes into, but for one root: no other root. */
XG_FN bool xg_update_alone(const xg_fusion_emission *e, uint32_t param, uint32_t root) {
    const xg_partition *p = e->parts;
    bool *made = XG_NEW_N(e->arena, bool, p->n_insts + 1);
    uint32_t k, o;
    made[xg_partition_place(p, e->comp->params[param])] = true;
    for (k = 0; k < p->n_insts; k++)
        for (o = 0; o < p->insts[k]->n_operands; o++)
            made[k] = made[k] || made[xg_partition_place(p, XG_OPERAND(p->insts[k], o))];
    for (k = 0; k < e->n_roots; k++)
        if (k != root && made[xg_partition_place(p, e->roots[k])]) return false;
    return true;
}

XG_FN bool xg_update_takes(const xg_fusion_emission *e) {
    bool any = false;
    uint32_t k;
    for (k = 0; k < e->n_roots; k++) {
        int64_t param;
        if (!xg_update_of(e->roots[k])) {
            if (e->roots[k]->shape->rank) return false;
            continue;
        }
        param = xg_fuse_in_place(e->arena, e->fusion, k);
        if (param < 0 || !xg_update_alone(e, (uint32_t)param, k)) return false;
        any = true;
    }
    return any;
}

/* Where an update begins in dimension k, if that is a constant; it is moved until it fits. */
XG_FN bool xg_update_known_start(const xg_inst *i, uint32_t k, int64_t *start) {
    int64_t slack = i->shape->dims[k] - XG_OPERAND(i, 1)->shape->dims[k];
    const xg_inst *s;
    *start = 0;
    if (!slack) return true;
    if (i->n_operands != 2 + i->shape->rank) return false;
    s = XG_OPERAND(i, 2 + k);
    if (s->op != XG_CONSTANT || s->shape->type == XLAGPU_U64 || s->shape->rank ||
        !xg_literal_get_int(s->literal, 0, start))
        return false;
    *start = XG_MAX((int64_t)0, XG_MIN(*start, slack));
    return true;
}
/* Where element `at` of an update stands in the array. */
XG_FN void xg_update_place(xg_scope *s, const xg_inst *i, xg_kval *const *at, xg_kval **idx) {
    uint32_t k;
    for (k = 0; k < i->shape->rank; k++) {
        int64_t slack = i->shape->dims[k] - XG_OPERAND(i, 1)->shape->dims[k];
        idx[k] = at[k];
        if (!slack) continue;
        idx[k] = XG_KOP2(&s->b, XG_K_OP_ADDI, xg_elem_start(s, i, 2, k, slack), at[k]);
        xg_kval_set_range(idx[k], xg_range_of(0, i->shape->dims[k] - 1));
    }
}
/* Whether the update covers a place; NULL: it covers all. */
XG_FN xg_kval *xg_update_covers(xg_scope *s, const xg_inst *i, xg_kval *const *idx) {
    xg_kval *covers = NULL, *start;
    uint32_t k;
    for (k = 0; k < i->shape->rank; k++) {
        int64_t size = XG_OPERAND(i, 1)->shape->dims[k], slack = i->shape->dims[k] - size;
        if (!slack) continue;
        start = xg_elem_start(s, i, 2, k, slack);
        covers = xg_elem_and(s, covers, xg_kcmpi_(&s->b, XG_CI_SGE, idx[k], start));
        covers = xg_elem_and(s, covers, XG_KCMPI(&s->b, XG_CI_SLT, idx[k], xg_kaddi_int(&s->b, start, size)));
    }
    return covers;
}
/* Two updates of one array never meet: known in some dimension. */
XG_FN bool xg_update_apart(const xg_inst *a, const xg_inst *b) {
    uint32_t k;
    if (!xg_shape_same_dims(a->shape, b->shape)) return false;
    for (k = 0; k < a->shape->rank; k++) {
        int64_t x, y, n = XG_OPERAND(a, 1)->shape->dims[k], m = XG_OPERAND(b, 1)->shape->dims[k];
        if (!xg_update_known_start(a, k, &x) || !xg_update_known_start(b, k, &y)) continue;
        if (x + n <= y || y + m <= x) return true;
    }
    return false;
}
/* No later update of the same array covers the place; NULL: that is so everywhere. */
XG_FN xg_kval *xg_update_lasts(xg_scope *s, const xg_inst *root, const xg_inst *i, xg_kval *const *idx) {
    xg_kval *lasts = NULL, *covers, *yes;
    const xg_inst *later = xg_update_of(root);
    for (; later != i; later = xg_in_place_strip(XG_OPERAND(later, 0))) {
        xg_kval *own[XG_RANK_MAX];
        if (!XG_OPERAND(later, 1)->shape->elements || xg_update_apart(i, later)) continue;
        xg_elem_apply(s, xg_emit_same_place(s->b.m->aff, i->shape, later->shape), idx, own);
        covers = xg_update_covers(s, later, own);
        yes = xg_kconst_int(&s->b, XG_E_I1, 1);
        lasts =
            xg_elem_and(s, lasts, covers ? xg_k2(&s->b, XG_K_OP_XORI, covers, yes) : xg_kconst_int(&s->b, XG_E_I1, 0));
    }
    return lasts;
}

XG_FN void xg_update_body(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_update *u = (xg_update *)data;
    uint32_t root = u->root[which];
    const xg_inst *r = s->e->roots[root], *i = u->which[which];
    xg_kval *idx[XG_RANK_MAX], *here[XG_RANK_MAX];
    xg_flow f = xg_flow_of(s, &dest[root]);
    xg_elem v;
    if (!i) {
        dest[root] = xg_emit_insert(&s->b, xg_elem_of(s, r, at), dest[root], r->shape, at);
        return;
    }
    xg_update_place(s, i, at, idx);
    xg_flow_if(&f, xg_update_lasts(s, r, i, idx));
    v = xg_elem_of(s, XG_OPERAND(i, 1), at);
    xg_elem_apply(s, xg_emit_same_place(s->b.m->aff, i->shape, r->shape), idx, here);
    dest[root] = xg_emit_insert(&s->b, v, dest[root], r->shape, here);
    xg_flow_end(&f);
}

/* Whether vectors of its rows are vectors of the array, of which a later update covers all or nothing. */
XG_FN bool xg_update_is_aligned(const xg_inst *root, const xg_inst *i, int64_t vector) {
    uint32_t minor = xg_shape_major(i->shape, i->shape->rank - 1);
    const xg_inst *later = xg_update_of(root);
    int64_t start;
    if (!xg_update_known_start(i, minor, &start) || start % vector || i->shape->dims[minor] % vector) return false;
    for (; later != i; later = xg_in_place_strip(XG_OPERAND(later, 0))) {
        uint32_t own = xg_shape_major(later->shape, later->shape->rank - 1);
        if (!xg_update_apart(i, later) && XG_OPERAND(later, 1)->shape->dims[own] != later->shape->dims[own])
            return false;
    }
    return true;
}
XG_FN bool xg_emit_update_plan(xg_fusion_emission *e) {
    xg_update *u = XG_NEW(e->arena, xg_update);
    int64_t sum = 0;
    uint32_t k, n = 0;
    if (!xg_update_takes(e)) return false;
    XG_FOR_INSTS(i, e->comp) n += i->op == XG_DYNAMIC_UPDATE_SLICE;
    n = (n + 1) * e->n_roots + 1;
    u->sections = XG_NEW_N(e->arena, xg_section, n);
    u->root = XG_NEW_N(e->arena, uint32_t, n);
    u->which = XG_NEW_N(e->arena, const xg_inst *, n);
    for (k = 0; k < e->n_roots; k++) {
        const xg_inst *i = xg_update_of(e->roots[k]);
        if (!i) {
            u->sections[u->n].shape = e->roots[k]->shape;
            u->root[u->n++] = k;
            continue;
        }
        for (; i->op == XG_DYNAMIC_UPDATE_SLICE; i = xg_in_place_strip(XG_OPERAND(i, 0))) {
            xg_shape *walk = XG_NEW(e->arena, xg_shape);
            *walk = *XG_OPERAND(i, 1)->shape;
            if (!walk->elements) continue;
            walk->layout = i->shape->layout;
            u->sections[u->n].shape = walk;
            sum += walk->elements;
            u->root[u->n] = k;
            u->which[u->n++] = i;
        }
    }
    for (k = 0; k < u->n; k++) {
        xg_section *c = &u->sections[k];
        c->unroll = sum < e->target->resident_threads || !c->shape->rank
                        ? 1
                        : xg_gcd(c->shape->dims[xg_shape_major(c->shape, c->shape->rank - 1)], e->target->max_unroll);
        c->apart = c->unroll > 1 && !xg_update_is_aligned(e->roots[u->root[k]], u->which[k], c->unroll);
    }
    xg_sections_share(e, u->sections, u->n);
    e->form = u;
    return xg_sections_launch(e, u->sections, u->n);
}
XG_FN void xg_emit_update(xg_fusion_emission *e) {
    xg_update *u = (xg_update *)e->form;
    xg_emit_sections(e, u->sections, u->n, xg_update_body, u);
}

#endif /* XG_EMIT_UPDATE_C */
