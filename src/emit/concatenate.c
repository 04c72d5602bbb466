/* emit/concatenate.c -- fusions whose hero is a concatenate: the elements of each operand are copied by blocks of their
 * own, or those of another operand of about its size, so that no element asks where it comes from.
 *
 * What is fused behind the concatenate is made at the same place, once for each operand; so is every other result of
 * the fusion. The walk follows the result's memory order, by vectors where pieces of both sides begin at multiples of
 * them. Columns that are narrower than vectors are joined row by row (emit/loop.c). */
#ifndef XG_EMIT_CONCATENATE_C
#define XG_EMIT_CONCATENATE_C
#include "emit.h"

enum {
    XG_CONCATENATE_OPERANDS_MAX = 128,
    XG_CONCATENATE_WORK_MAX = 4096
};

typedef struct xg_concatenate {
    xg_fusion_emission *e;
    xg_heroes heroes;
    uint32_t n, dim, *operand;
    int64_t *offset;
    xg_section *sections;
} xg_concatenate;

/* The first hero, or one like it. */
XG_FN bool xg_concatenate_is_hero(void *data, const xg_inst *i, bool first) {
    const xg_inst **like = (const xg_inst **)data;
    uint32_t k;
    if (i->op != XG_CONCATENATE || !xg_index_has_order(i->shape)) return false;
    if (first) {
        *like = i;
        return true;
    }
    if (i->n_operands != (*like)->n_operands || xg_attr_dims(i).p[0] != xg_attr_dims(*like).p[0]) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_shape_same_dims(XG_OPERAND(i, k)->shape, XG_OPERAND(*like, k)->shape)) return false;
    return true;
}

/* Elements that one thread takes: pieces of an operand are contiguous in the result over the dims up to the
 * concatenated one. */
XG_FN int64_t xg_concatenate_unroll(
    const xg_concatenate *c, const xg_inst *hero, const xg_shape *operand, int64_t offset) {
    int64_t inner = 1, unroll;
    uint32_t k;
    if (hero->shape->elements < c->e->target->resident_threads) return 1;
    for (k = hero->shape->rank; k-- > 0;) {
        uint32_t d = hero->shape->layout ? (uint32_t)hero->shape->layout->minor_to_major[hero->shape->rank - 1 - k] : k;
        if (d == c->dim) break;
        inner *= operand->dims[d];
    }
    unroll = xg_gcd(c->e->target->max_unroll, operand->dims[c->dim] * inner);
    if (operand->elements == hero->shape->elements) return unroll;
    unroll = xg_gcd(unroll, hero->shape->dims[c->dim] * inner);
    return offset ? xg_gcd(unroll, offset * inner) : unroll;
}

/* The code of all sections: what makes an operand stands in one of them, all else in each. */
XG_FN int64_t xg_concatenate_work(const xg_concatenate *c) {
    const xg_partition *p = c->e->parts;
    uint32_t n = c->heroes.p[0]->n_operands, *in = XG_NEW_N(c->e->arena, uint32_t, p->n_insts + 1), o, k, j;
    int64_t work = 0;
    for (o = 1; o <= n; o++) {
        for (k = 0; k < c->heroes.n; k++) in[xg_partition_place(p, XG_OPERAND(c->heroes.p[k], o - 1))] = o;
        for (k = p->n_insts; k-- > 0;) {
            if (in[k] != o) continue;
            work += xg_emit_inst_work(p->insts[k]);
            for (j = 0; j < p->insts[k]->n_operands; j++) in[xg_partition_place(p, XG_OPERAND(p->insts[k], j))] = o;
        }
    }
    for (k = 0; k < p->n_insts; k++)
        if (!in[k]) work += n * xg_emit_inst_work(p->insts[k]);
    return work;
}
XG_FN bool xg_concatenate_make(xg_concatenate *c, xg_fusion_emission *e) {
    const xg_inst *hero = NULL;
    int64_t offset = 0, most;
    uint32_t k;
    memset(c, 0, sizeof *c);
    c->e = e;
    if (!xg_heroes_find(e, xg_concatenate_is_hero, (void *)&hero, &c->heroes)) return false;
    hero = c->heroes.p[0];
    if (xg_loop_pieces(e, hero) || hero->n_operands > XG_CONCATENATE_OPERANDS_MAX ||
        xg_concatenate_work(c) > XG_CONCATENATE_WORK_MAX)
        return false;
    /* of a stencil rows are worth more, where many can be written out */
    if (xg_concat_whole(hero) && xg_emit_work(e->comp) <= XG_CONCATENATE_WORK_MAX / 32 && xg_loop_neighbours(e))
        return false;
    c->dim = (uint32_t)xg_attr_dims(hero).p[0];
    c->sections = XG_NEW_N(e->arena, xg_section, hero->n_operands + 1);
    c->offset = XG_NEW_N(e->arena, int64_t, hero->n_operands + 1);
    c->operand = XG_NEW_N(e->arena, uint32_t, hero->n_operands + 1);
    for (k = 0; k < hero->n_operands; k++) {
        const xg_shape *s = XG_OPERAND(hero, k)->shape;
        xg_shape *walk = XG_NEW(e->arena, xg_shape);
        if (s->elements) {
            *walk = *s;
            walk->layout = hero->shape->layout;
            c->sections[c->n].shape = walk;
            c->sections[c->n].unroll = xg_concatenate_unroll(c, hero, s, offset);
            c->operand[c->n] = k;
            c->offset[c->n++] = offset;
        }
        offset += s->dims[c->dim];
        /* Not even vectors: the place of a piece of one array is chosen as well. */
        if (c->n && c->sections[c->n - 1].unroll == 1 && xg_concat_whole(hero)) return false;
    }
    xg_sections_share(e, c->sections, c->n);
    /* Blocks that are nearly empty are no gain over choosing. */
    most = 2 * ((hero->shape->elements + XG_LAUNCH_THREADS - 1) / XG_LAUNCH_THREADS) + 4;
    return xg_sections_blocks(c->sections, c->n) <= most;
}
XG_FN bool xg_emit_concatenate_plan(xg_fusion_emission *e) {
    xg_concatenate *c = XG_NEW(e->arena, xg_concatenate);
    e->form = c;
    return xg_concatenate_make(c, e) && xg_sections_launch(e, c->sections, c->n);
}

XG_FN void xg_concatenate_body(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_concatenate *c = (xg_concatenate *)data;
    const xg_shape *to = c->heroes.p[0]->shape, *from = c->sections[which].shape;
    xg_kval *here[XG_RANK_MAX];
    xg_imap *shift = xg_imap_of_dims(s->b.m->aff, to->rank, to->rank);
    uint32_t k;
    for (k = 0; k < to->rank; k++) {
        shift->dims[k].range = xg_range_of(0, from->dims[k] - 1);
        shift->results[k] = xg_aff_add_k(s->b.m->aff, xg_aff_dim(s->b.m->aff, k), k == c->dim ? c->offset[which] : 0);
    }
    for (k = 0; k < c->heroes.n; k++)
        xg_hero_give(s, c->heroes.p[k], xg_elem_of(s, XG_OPERAND(c->heroes.p[k], c->operand[which]), at));
    xg_elem_apply(s, xg_imap_simplify(s->b.m->aff, shift), at, here);
    xg_hero_roots(s, &c->heroes, true, to, here, dest);
    xg_hero_roots(s, &c->heroes, false, to, here, dest);
}
XG_FN void xg_emit_concatenate(xg_fusion_emission *e) {
    xg_concatenate *c = (xg_concatenate *)e->form;
    xg_emit_sections(e, c->sections, c->n, xg_concatenate_body, c);
}

#endif /* XG_EMIT_CONCATENATE_C */
