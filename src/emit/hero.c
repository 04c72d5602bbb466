/* emit/hero.c -- the operations that decide how a fusion is walked: finding them, and what is behind them.
 *
 * A hero is reached from the roots at its own place in memory: its element k is what the roots' elements k are made of.
 * So an emitter may make heroes' elements in any order it likes, and whatever is behind them goes along: it gives the
 * element to the scope, and asks for the roots there. */
#ifndef XG_EMIT_HERO_C
#define XG_EMIT_HERO_C
#include "emit.h"

XG_FN const xg_imap *xg_emit_same_place(xg_aff_ctx *x, const xg_shape *from, const xg_shape *to) {
    xg_shape as = *to;
    as.type = from->type; /* elements of any width: only their order counts */
    return xg_indexing_bitcast(x, from, &as);
}

XG_FN bool xg_hero_in_place(const xg_fusion_emission *e, uint32_t place) {
    const xg_partition *p = e->parts;
    const xg_shape *s = p->insts[place]->shape;
    if (p->part_of[place] != 0 || !p->map_of[place] || !xg_shape_is_array(s) ||
        s->elements != e->roots[0]->shape->elements)
        return false;
    return xg_imap_equal(p->map_of[place], xg_emit_same_place(e->m->aff, e->roots[0]->shape, s));
}

/* Nothing behind a hero may be a function of its own: it could not be given the element. */
XG_FN bool xg_hero_sort_roots(const xg_fusion_emission *e, xg_heroes *h) {
    const xg_partition *p = e->parts;
    bool *behind = XG_NEW_N(e->arena, bool, p->n_insts + 1);
    uint32_t k, o;
    h->behind = XG_NEW_N(e->arena, bool, e->n_roots + 1);
    for (k = 0; k < h->n; k++) behind[xg_partition_place(p, h->p[k])] = true;
    for (k = 0; k < p->n_insts; k++) {
        const xg_inst *i = p->insts[k];
        for (o = 0; o < i->n_operands; o++) behind[k] = behind[k] || behind[xg_partition_place(p, XG_OPERAND(i, o))];
        if (i->op != XG_TUPLE && behind[k] && p->part_of[k] != UINT32_MAX && p->part_of[k] != 0) return false;
    }
    for (k = 0; k < e->n_roots; k++) {
        if (!xg_partition_is_near(p, k)) return false;
        h->behind[k] = behind[xg_partition_place(p, e->roots[k])];
    }
    return true;
}

XG_FN bool xg_heroes_find(const xg_fusion_emission *e, xg_hero_fn is_hero, void *data, xg_heroes *h) {
    const xg_partition *p = e->parts;
    bool *seen = XG_NEW_N(e->arena, bool, p->n_insts + 1); /* a root, or used by what is seen and no hero */
    uint32_t k, o;
    memset(h, 0, sizeof *h);
    if (!e->roots[0]->shape->elements) return false;
    h->p = XG_NEW_N(e->arena, const xg_inst *, p->n_insts + 1);
    for (k = 0; k < e->n_roots; k++) seen[xg_partition_place(p, e->roots[k])] = true;
    for (k = p->n_insts; k-- > 0;) {
        const xg_inst *i = p->insts[k];
        if (!seen[k]) continue;
        if (is_hero(data, i, h->n == 0) && xg_hero_in_place(e, k)) {
            h->p[h->n++] = i;
            continue;
        }
        for (o = 0; o < i->n_operands; o++) seen[xg_partition_place(p, XG_OPERAND(i, o))] = true;
    }
    return h->n && xg_hero_sort_roots(e, h);
}

/* Whether anything is read from memory behind the heroes, or beside them. */
XG_FN bool xg_hero_epilogue_reads(const xg_fusion_emission *e, const xg_heroes *h) {
    const xg_partition *p = e->parts;
    bool *seen = XG_NEW_N(e->arena, bool, p->n_insts + 1), *hero = XG_NEW_N(e->arena, bool, p->n_insts + 1);
    uint32_t k, o;
    for (k = 0; k < e->n_roots; k++) seen[xg_partition_place(p, e->roots[k])] = true;
    for (k = 0; k < h->n; k++) hero[xg_partition_place(p, h->p[k])] = true;
    for (k = p->n_insts; k-- > 0;) {
        const xg_inst *i = p->insts[k];
        if (!seen[k] || hero[k]) continue;
        if (i->op == XG_PARAMETER) return true;
        for (o = 0; o < i->n_operands; o++) seen[xg_partition_place(p, XG_OPERAND(i, o))] = true;
    }
    return false;
}

XG_FN void xg_hero_give(xg_scope *s, const xg_inst *hero, xg_elem v) {
    xg_memo *memo = &s->memo[xg_partition_place(s->e->parts, hero)];
    memo->elem = v;
    memo->outs = &memo->elem;
    memo->region = s->b.region;
    memo->at = NULL;
}

XG_FN int64_t xg_emit_inst_work(const xg_inst *i) {
    if (i->op == XG_PARAMETER || i->op == XG_CONSTANT || i->op == XG_TUPLE) return 0;
    return (xg_op_flags(i->op) & XGF_ACC) || i->op == XG_POWER || i->op == XG_ATAN2 || i->op == XG_DIVIDE ||
                   i->op == XG_REMAINDER
               ? 10
               : 1;
}
XG_FN int64_t xg_emit_work(const xg_comp *comp) {
    int64_t n = 0;
    XG_FOR_INSTS(i, comp) n += xg_emit_inst_work(i);
    return n;
}

/* The roots that are, or are not, behind heroes, at an index of `shape`, each into its destination. */
XG_FN void xg_hero_roots(
    xg_scope *s, const xg_heroes *h, bool behind, const xg_shape *shape, xg_kval *const *at, xg_kval **dest) {
    xg_fusion_emission *e = s->e;
    uint32_t k;
    for (k = 0; k < e->n_roots; k++) {
        xg_kval *here[XG_RANK_MAX];
        if (h->behind[k] != behind) continue;
        xg_elem_apply(s, xg_emit_same_place(e->m->aff, shape, e->roots[k]->shape), at, here);
        dest[k] = xg_emit_insert(&s->b, xg_elem_of(s, e->roots[k], here), dest[k], e->roots[k]->shape, here);
    }
}

/* All roots at an index of `shape`, where the heroes are `values`; nothing where `cond` (NULL: never) does not hold.
 * For emitters whose threads make several indices one after the other. */
XG_FN void xg_hero_write(xg_scope *s, const xg_heroes *h, const xg_shape *shape, const xg_elem *values,
    xg_kval *const *at, xg_kval *cond, xg_kval **dest) {
    xg_fusion_emission *e = s->e;
    xg_elem *v = XG_NEW_N(e->arena, xg_elem, e->n_roots + 1);
    xg_kval **here = XG_NEW_N(e->arena, xg_kval *, (size_t)e->n_roots * XG_RANK_MAX + 1);
    xg_flow f = xg_flow_begin(s);
    uint32_t k;
    xg_flow_slots(&f, dest, e->n_roots);
    xg_flow_if(&f, cond);
    xg_emit_forget(s); /* what was made before was made at another index */
    for (k = 0; k < h->n; k++) xg_hero_give(s, h->p[k], values[k]);
    for (k = 0; k < e->n_roots; k++) {
        xg_elem_apply(s, xg_emit_same_place(e->m->aff, shape, e->roots[k]->shape), at, here + (size_t)k * XG_RANK_MAX);
        v[k] = xg_elem_of(s, e->roots[k], here + (size_t)k * XG_RANK_MAX);
    }
    for (k = 0; k < e->n_roots; k++)
        dest[k] = xg_emit_insert(&s->b, v[k], dest[k], e->roots[k]->shape, here + (size_t)k * XG_RANK_MAX);
    xg_flow_end(&f);
}

#endif /* XG_EMIT_HERO_C */
