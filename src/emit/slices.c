/* emit/slices.c -- fusions whose results are slices of one shape.
 *
 * Slices that do not overlap much are written by blocks of their own, each from its part of the input, and what no
 * slice takes is never read. Otherwise the smallest box that holds them all is walked once: an element is computed once
 * and goes into every slice that has it. */
#ifndef XG_EMIT_SLICES_C
#define XG_EMIT_SLICES_C
#include "emit.h"

typedef struct xg_input_slices {
    xg_fusion_emission *e;
    const xg_inst **slices;
    xg_section *sections;
    uint32_t *root;
    uint32_t n;
    int64_t low[XG_RANK_MAX];
    bool once;
} xg_input_slices;

XG_FN const xg_inst *xg_slices_of(const xg_inst *root) {
    root = xg_in_place_strip(root);
    return root->op == XG_SLICE ? root : NULL;
}

/* Takes the box of all slices and decides. */
XG_FN void xg_slices_decide(xg_input_slices *c) {
    const xg_shape *from = XG_OPERAND(c->slices[0], 0)->shape;
    int64_t sum = 0, box = 1, dims[XG_RANK_MAX];
    uint32_t d, k;
    xg_shape *walk = XG_NEW(c->e->arena, xg_shape);
    for (k = 0; k < c->e->n_roots; k++) sum += c->slices[k]->shape->elements;
    for (d = 0; d < from->rank; d++) {
        int64_t lo = from->dims[d], hi = 0;
        for (k = 0; k < c->e->n_roots; k++) {
            xg_slice_dim s = xg_inst_attr(c->slices[k], XG_A_slice)->v.slices->p[d];
            if (s.start >= s.limit) continue;
            lo = XG_MIN(lo, s.start);
            hi = XG_MAX(hi, s.limit);
        }
        c->low[d] = lo;
        dims[d] = hi - lo;
        box *= dims[d];
    }
    c->once = sum > box;
    if (!c->once) return;
    *walk = *from;
    walk->dims =
        (const int64_t *)memcpy(XG_NEW_N(c->e->arena, int64_t, from->rank + 1), dims, from->rank * sizeof *dims);
    walk->elements = box;
    c->sections[0].shape = walk;
    c->n = 1;
}

XG_FN bool xg_slices_make(xg_input_slices *c, xg_fusion_emission *e) {
    enum {
        WORK_MAX = 4096 /* instructions of all sections: each has the code of the whole */
    };
    int64_t sum = 0;
    uint32_t k;
    memset(c, 0, sizeof *c);
    c->e = e;
    if (e->n_roots < 2) return false;
    c->slices = XG_NEW_N(e->arena, const xg_inst *, e->n_roots + 1);
    c->sections = XG_NEW_N(e->arena, xg_section, e->n_roots + 1);
    c->root = XG_NEW_N(e->arena, uint32_t, e->n_roots + 1);
    for (k = 0; k < e->n_roots; k++) {
        c->slices[k] = xg_slices_of(e->roots[k]);
        if (!c->slices[k] ||
            !xg_shape_same_dims(XG_OPERAND(c->slices[k], 0)->shape, XG_OPERAND(c->slices[0], 0)->shape) ||
            !xg_index_has_order(e->roots[k]->shape))
            return false;
        if (!e->roots[k]->shape->elements) continue;
        c->root[c->n] = k;
        c->sections[c->n++].shape = e->roots[k]->shape;
    }
    if (!c->n || e->n_roots * xg_emit_work(e->comp) > WORK_MAX) return false;
    xg_slices_decide(c);
    for (k = 0; k < c->n; k++) sum += c->sections[k].shape->elements;
    for (k = 0; k < c->n; k++)
        c->sections[k].unroll =
            sum < e->target->resident_threads ? 1 : xg_gcd(c->sections[k].shape->elements, e->target->max_unroll);
    if (!c->once) xg_sections_share(e, c->sections, c->n);
    return true;
}
XG_FN bool xg_emit_slices_plan(xg_fusion_emission *e) {
    xg_input_slices *c = XG_NEW(e->arena, xg_input_slices);
    e->form = c;
    return xg_slices_make(c, e) && xg_sections_launch(e, c->sections, c->n);
}

/* An element at an index of the input, for a root that may have it. */
typedef struct xg_slices_put {
    uint32_t root;
    xg_elem v;
    const xg_imap *place;
    xg_kval *const *at;
    xg_kval *dest;
} xg_slices_put;
XG_FN xg_kval *xg_slices_insert(xg_scope *s, const xg_slices_put *d) {
    const xg_inst *r = s->e->roots[d->root];
    xg_kval *in[XG_RANK_MAX], *here[XG_RANK_MAX];
    xg_elem_apply(s, d->place, d->at, in);
    xg_elem_apply(s, xg_emit_same_place(s->b.m->aff, xg_slices_of(r)->shape, r->shape), in, here);
    return xg_emit_insert(&s->b, d->v, d->dest, r->shape, here);
}
/* dest with the element in it where cond holds. */
XG_FN xg_kval *xg_slices_insert_when(xg_scope *s, xg_kval *cond, const xg_slices_put *d) {
    xg_kval *v = d->dest;
    xg_flow f = xg_flow_of(s, &v);
    xg_flow_if(&f, cond);
    v = xg_slices_insert(s, d);
    xg_flow_end(&f);
    return v;
}

XG_FN void xg_slices_once(xg_scope *s, const xg_input_slices *c, xg_kval *const *at, xg_kval **dest) {
    const xg_shape *box = c->sections[0].shape;
    xg_imap *shift = xg_imap_of_dims(s->b.m->aff, box->rank, box->rank);
    xg_kval *in[XG_RANK_MAX];
    uint32_t k, d;
    for (d = 0; d < box->rank; d++) {
        shift->dims[d].range = xg_range_of(0, box->dims[d] - 1);
        shift->results[d] = xg_aff_add_k(s->b.m->aff, xg_aff_dim(s->b.m->aff, d), c->low[d]);
    }
    xg_elem_apply(s, xg_imap_simplify(s->b.m->aff, shift), at, in);
    for (k = 0; k < c->e->n_roots; k++) {
        xg_slices_put put;
        if (!c->e->roots[k]->shape->elements) continue;
        put.root = k;
        put.v = xg_elem_of(s, XG_OPERAND(c->slices[k], 0), in);
        put.place = xg_indexing_operand_to_output(s->b.m->aff, c->slices[k], 0, 0);
        put.at = in;
        put.dest = dest[k];
        dest[k] = xg_slices_insert_when(
            s, xg_elem_in_domain(s, put.place, XG_OPERAND(c->slices[k], 0)->shape, NULL, in), &put);
    }
}

XG_FN void xg_slices_body(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_input_slices *c = (xg_input_slices *)data;
    uint32_t root = c->root[which];
    if (c->once) {
        xg_slices_once(s, c, at, dest);
        return;
    }
    dest[root] = xg_emit_insert(&s->b, xg_elem_of(s, s->e->roots[root], at), dest[root], s->e->roots[root]->shape, at);
}
XG_FN void xg_emit_slices(xg_fusion_emission *e) {
    xg_input_slices *c = (xg_input_slices *)e->form;
    xg_emit_sections(e, c->sections, c->n, xg_slices_body, c);
}

#endif /* XG_EMIT_SLICES_C */
