/* emit/reduction_walk.c -- what walks by rows and by columns have in common: loops over maps that carry partial results
 * and destinations, the elements at one place, writing the results.
 *
 * Everything that a loop may change is in xg_partial: the partial results and the destinations. A loop over an indexing
 * map whose symbols have one value is how something is done by some threads only: lower-loops makes the cheapest tests
 * of its domain. */
#ifndef XG_EMIT_REDUCTION_WALK_C
#define XG_EMIT_REDUCTION_WALK_C
#include "emit.h"
#include "reduction_form.c"

typedef struct xg_partial {
    xg_elem *acc;
    uint32_t n;
    xg_kval **dest;
    uint32_t n_dest;
} xg_partial; /* dest: one per root, or shared arrays */

XG_FN xg_partial xg_partial_new(xg_reduction *r, uint32_t n, xg_kval **dest, uint32_t n_dest) {
    xg_partial p;
    p.acc = XG_NEW_N(r->e->arena, xg_elem, n + 1);
    p.n = n;
    p.dest = dest;
    p.n_dest = n_dest;
    return p;
}
/* The entry of a kernel of rows or columns begins: scope, thread and block of r, which has its own dest of n sums. */
XG_FN XG_NOINLINE xg_partial xg_partial_enter(xg_fusion_emission *e, xg_reduction *r, uint32_t n) {
    xg_kval **dest = xg_emit_enter(e, &r->s);
    xg_emit_forget(&r->s);
    r->thread = xg_kthread_id(&r->s.b, 0, r->threads);
    r->block = xg_kblock_id(&r->s.b, 0, r->blocks);
    return xg_partial_new(r, n, dest, e->n_roots);
}
XG_FN xg_flow xg_partial_flow(xg_reduction *r, const xg_partial *p) {
    xg_flow f = xg_flow_begin(&r->s);
    xg_flow_elems(&f, p->acc, p->n);
    xg_flow_slots(&f, p->dest, p->n_dest);
    return f;
}

/* ---- loops ---- */

typedef struct xg_walk {
    xg_flow flow;
    xg_memo *memo;
    xg_kval *syms, *at;
} xg_walk;

/* Within a loop over the map; dims are thread and block. Elements made before are not used inside: they may be at other
 * indices. */
XG_FN xg_walk xg_walk_begin(xg_reduction *r, const xg_imap *map, xg_partial *p) {
    xg_scope *s = &r->s;
    xg_kval *dims[3];
    xg_walk w;
    w.flow = xg_partial_flow(r, p);
    dims[0] = r->thread;
    dims[1] = r->block;
    dims[2] = r->round;
    w.syms = xg_flow_walk(&w.flow, map, dims);
    w.at = w.syms + map->n_syms;
    w.memo = s->memo;
    xg_emit_forget(s);
    return w;
}
XG_ONE_COPY XG_FN void xg_walk_end(xg_reduction *r, xg_walk *w) {
    xg_flow_end(&w->flow);
    r->s.memo = w->memo;
}

/* ---- maps ---- */

typedef struct xg_walk_map {
    xg_aff_ctx *x;
    uint32_t n_syms, n_constraints;
    int64_t syms[4];
    const char *names[4];
    const xg_aff *kept, *lin, *outer, **at;
    xg_constraint constraints[6];
    int64_t threads;
} xg_walk_map;

XG_FN xg_walk_map xg_walk_map_begin(const xg_reduction *r) {
    xg_walk_map w;
    memset(&w, 0, sizeof w);
    w.x = r->e->m->aff;
    w.threads = r->threads;
    return w;
}
XG_FN const xg_aff *xg_walk_sym(xg_walk_map *w, const char *name, int64_t count) {
    w->names[w->n_syms] = name;
    w->syms[w->n_syms] = count;
    return xg_aff_sym(w->x, w->n_syms++);
}
XG_FN void xg_walk_require(xg_walk_map *w, const xg_aff *e, int64_t lo, int64_t hi) {
    w->constraints[w->n_constraints].expr = e;
    w->constraints[w->n_constraints++].range = xg_range_of(lo, hi);
}
/* The map to these results, over thread, block and the symbols. */
XG_FN const xg_imap *xg_walk_map_end(
    const xg_reduction *r, const xg_walk_map *w, const xg_aff *const *results, uint32_t n) {
    xg_imap *m = xg_imap_new(w->x, r->round ? 3 : 2, w->n_syms, 0, n, w->n_constraints);
    uint32_t k;
    xg_imap_counts(&m->dims[0], "th_x", w->threads);
    xg_imap_counts(&m->dims[1], "bl_x", r->blocks);
    if (r->round) xg_imap_counts(&m->dims[2], "chunk", r->rounds);
    for (k = 0; k < w->n_syms; k++) xg_imap_counts(&m->syms[k], w->names[k], w->syms[k]);
    for (k = 0; k < w->n_constraints; k++) m->constraints[k] = w->constraints[k];
    for (k = 0; k < n; k++) m->results[k] = results[k];
    return xg_imap_simplify(w->x, m);
}
/* Dims [from, to) of an order. */
XG_FN xg_index_order xg_walk_order(const xg_index_order *o, uint32_t from, uint32_t to) {
    xg_index_order part;
    uint32_t k;
    part.n = 0;
    for (k = from; k < to; k++) xg_index_order_push(&part, o->dim[k], o->size[k]);
    return part;
}
/* ... to the indices of the operand: `at`, if that is given, or what kept and lin say. With `outer`, that counts the
 * reduced dims but those of the innermost run, and lin only these. */
XG_FN const xg_imap *xg_walk_map_operand(const xg_reduction *r, const xg_walk_map *w) {
    const xg_aff *at[XG_RANK_MAX];
    uint32_t split = w->outer ? r->minor_dims : r->reduced.n;
    xg_index_order inner = xg_walk_order(&r->reduced, 0, split), rest = xg_walk_order(&r->reduced, split, r->reduced.n);
    if (w->at) return xg_walk_map_end(r, w, w->at, r->in->rank);
    xg_index_delinearise(w->x, &r->kept, w->kept, at);
    xg_index_delinearise(w->x, &inner, w->lin, at);
    if (w->outer) xg_index_delinearise(w->x, &rest, w->outer, at);
    return xg_walk_map_end(r, w, at, r->in->rank);
}
/* ... to the indices of the sources, in whose domain is only what lies in these. */
XG_FN const xg_imap *xg_walk_map_source(const xg_reduction *r, const xg_walk_map *w) {
    const xg_imap *map = xg_walk_map_operand(r, w);
    return r->pad ? xg_imap_compose(w->x, map, r->pad) : map;
}
/* The part of a sum that depends on the block alone; *rest: what else there is to it, by range. */
XG_FN const xg_aff *xg_walk_of_block(xg_aff_ctx *x, const xg_imap *map, const xg_aff *e, xg_range *rest) {
    xg_aff_env env = xg_imap_env(x, map);
    const xg_aff *block = xg_aff_const(x, 0);
    xg_linear l;
    uint32_t k, j;
    xg_aff_linear(e, &l);
    for (k = 0; k < l.n; k++) {
        bool alone = !xg_aff_uses(l.terms[k].of, xg_aff_dim_0(x));
        for (j = 0; j < map->n_syms; j++) alone = alone && !xg_aff_uses(l.terms[k].of, xg_aff_sym(x, j));
        if (alone) block = xg_aff_add_mul(x, block, l.terms[k].of, l.terms[k].scale);
    }
    *rest = xg_aff_range(&env, xg_aff_sub(x, e, block));
    return block;
}
/* Whether all variables have the ranges that they had before. */
XG_FN bool xg_walk_same_ranges(const xg_imap *m, const xg_imap *before) {
    uint32_t k;
    for (k = 0; k < m->n_dims; k++)
        if (!xg_range_equal(m->dims[k].range, before->dims[k].range)) return false;
    for (k = 0; k < m->n_syms; k++)
        if (!xg_range_equal(m->syms[k].range, before->syms[k].range)) return false;
    return m->n_dims == before->n_dims && m->n_syms == before->n_syms;
}
/* If the pad cuts something off at the end, and only there: most blocks have nothing to do with it. Then *inside is a
 * map for those, without its tests, and *across one for the others. */
XG_FN bool xg_walk_split(const xg_reduction *r, const xg_walk_map *w, const xg_imap **inside, const xg_imap **across) {
    xg_walk_map free = *w, edge = *w;
    const xg_imap *map;
    const xg_aff *block;
    xg_aff_env env;
    xg_range rest, range;
    free.n_constraints = 0;
    map = xg_walk_map_source(r, &free);
    if (!r->pad || !xg_imap_ok(map) || map->n_constraints != 1 || w->n_constraints == XG_COUNT(w->constraints))
        return false;
    if (!xg_walk_same_ranges(map, xg_walk_map_operand(r, &free))) return false;
    block = xg_walk_of_block(w->x, map, map->constraints[0].expr, &rest);
    range = map->constraints[0].range;
    env = xg_imap_env(w->x, map);
    if (block->kind == XG_AFF_CONST || !xg_range_known(rest) || range.hi == INT64_MAX ||
        xg_aff_range(&env, map->constraints[0].expr).lo < range.lo)
        return false;
    free.n_constraints = w->n_constraints;
    xg_walk_require(&free, block, INT64_MIN, range.hi - rest.hi);
    xg_walk_require(&edge, block, range.hi - rest.hi + 1, INT64_MAX);
    *inside = xg_walk_map_end(r, &free, map->results, map->n_results);
    *across = xg_imap_compose(w->x, xg_walk_map_operand(r, &edge), r->pad);
    return true;
}
/* ... to the indices of the heroes' results, whose dims are the kept ones in logical order. */
XG_FN const xg_imap *xg_walk_map_result(const xg_reduction *r, const xg_walk_map *w) {
    const xg_aff *at[XG_RANK_MAX], *out[XG_RANK_MAX];
    uint32_t d, n = 0;
    memset((void *)at, 0, sizeof at);
    xg_index_delinearise(w->x, &r->kept, w->kept, at);
    for (d = 0; d < r->in->rank; d++)
        if (at[d]) out[n++] = at[d];
    return xg_walk_map_end(r, w, out, n);
}

/* ---- vectors ---- */

typedef enum xg_walk_way {
    XG_WALK_ROW,
    XG_WALK_SHIFTED,
    XG_WALK_COLUMN,
    XG_WALK_LINEAR
} xg_walk_way;

/* Rows of an odd length: the last place before a row's begin that is a multiple of `unit` elements in memory, counted
 * from that begin. */
XG_FN const xg_aff *xg_walk_shift(const xg_reduction *r, const xg_walk_map *w, int64_t unit) {
    const xg_aff *begin = xg_aff_mul(w->x, w->kept, r->n_reduced);
    return xg_aff_sub(w->x, xg_aff_mul(w->x, xg_aff_div(w->x, begin, unit), unit), begin);
}

/* What is read of the parameter one after the other by the symbol of the group's first map, is read in whole vectors of
 * so many elements. */
XG_FN bool xg_walk_has_vectors(xg_aff_ctx *x, const xg_indexing_group *g, const xg_inst *param, int64_t vector) {
    xg_imaps maps = xg_indexing_group_maps(g, param, 0);
    uint32_t j;
    for (j = 0; j < maps.n; j++) {
        const xg_imap *m = xg_imap_ok(maps.p[j]) && xg_shape_is_array(param->shape)
                               ? xg_indexing_flatten(x, maps.p[j], param->shape)
                               : NULL;
        int64_t stride;
        if (m && xg_imap_ok(m) && xg_indexing_stride(m->results[0], xg_aff_sym(x, 0), &stride) && stride == 1 &&
            xg_indexing_vector_width(x, m, 0, vector) < vector)
            return false;
    }
    return true;
}
XG_FN bool xg_walk_reads_vectors(const xg_reduction *r, const xg_inst *source, const xg_imap *map, int64_t vector) {
    xg_aff_ctx *x = r->e->m->aff;
    xg_indexing_group *g = xg_indexing_group_back(x, source, map);
    uint32_t k;
    for (k = 0; k < r->e->comp->n_params; k++)
        if (!xg_walk_has_vectors(x, g, r->e->comp->params[k], vector)) return false;
    return true;
}
/* Whether threads may take `vector` neighbours each: of a row, of a row that they enter at a multiple of them, of a row
 * of columns, or of all memory of the columns. */
XG_FN bool xg_walk_fits(const xg_reduction *r, xg_walk_way way, int64_t vector) {
    xg_reduction copy = *r;
    xg_walk_map m;
    const xg_aff *first, *other, *at;
    const xg_imap *map;
    uint32_t h, k;
    bool row = way == XG_WALK_ROW || way == XG_WALK_SHIFTED;
    int64_t run = row ? r->n_reduced : way == XG_WALK_COLUMN ? r->n_kept : r->n_reduced * r->minor;
    copy.threads = (run + vector - 1) / vector;
    copy.blocks = row ? r->n_kept : way == XG_WALK_COLUMN ? r->n_reduced : r->n_kept / r->minor;
    m = xg_walk_map_begin(&copy);
    first = xg_aff_mul(m.x, xg_aff_dim_0(m.x), vector);
    other = xg_aff_dim_1(m.x);
    at = xg_aff_add(m.x, first, xg_walk_sym(&m, "vector_index", vector));
    m.lin = row ? at : way == XG_WALK_COLUMN ? other : xg_aff_div(m.x, at, r->minor);
    m.kept = row                     ? other
             : way == XG_WALK_COLUMN ? at
                                     : xg_aff_add_mul(m.x, xg_aff_mod(m.x, at, r->minor), other, r->minor);
    if (way == XG_WALK_SHIFTED) m.lin = xg_aff_add(m.x, at, xg_walk_shift(r, &m, vector));
    map = xg_walk_map_operand(&copy, &m);
    if (way == XG_WALK_LINEAR &&
        xg_indexing_vector_width(m.x, xg_indexing_flatten(m.x, map, r->in), 0, vector) < vector)
        return false; /* not in a row */
    if (r->pad) map = xg_imap_compose(m.x, map, r->pad);
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++)
            if (!xg_walk_reads_vectors(r, r->heroes[h].sources[k], map, vector)) return false;
    return true;
}

/* ---- elements and results ---- */

/* Writes the side outputs at the operand's indices. */
XG_FN void xg_reduction_sides(xg_reduction *r, xg_kval *const *at, xg_kval **dest) {
    xg_fusion_emission *e = r->e;
    uint32_t k;
    for (k = 0; k < e->n_roots; k++) {
        const xg_inst *root = e->roots[k];
        xg_kval *here[XG_RANK_MAX];
        xg_shape to = *root->shape;
        if (r->epilogue[xg_partition_place(e->parts, root)]) continue;
        to.type = r->in->type;
        xg_elem_apply(&r->s, xg_indexing_bitcast(e->m->aff, r->in, &to), at, here);
        dest[k] = xg_emit_insert(&r->s.b, xg_elem_of(&r->s, root, here), dest[k], root->shape, here);
    }
}
/* All heroes' elements at the operand's indices. */
XG_FN void xg_reduction_elements(xg_reduction *r, xg_kval *const *at, xg_elem *out) {
    uint32_t h, k;
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++) out[r->heroes[h].first + k] = xg_hero_element(&r->s, &r->heroes[h], k, at);
}
XG_FN void xg_reduction_merge(xg_reduction *r, xg_elem *acc, const xg_elem *x) {
    uint32_t h;
    for (h = 0; h < r->n_heroes; h++)
        xg_hero_merge(&r->s, &r->heroes[h], acc + r->heroes[h].first, x + r->heroes[h].first);
}
XG_FN void xg_reduction_start(xg_reduction *r, xg_elem *acc) {
    uint32_t h;
    for (h = 0; h < r->n_heroes; h++) xg_hero_start(&r->s, &r->heroes[h], acc + r->heroes[h].first);
}

/* From whole results at the heroes' output indices: epilogues in program order, each root into its destination. */
XG_FN void xg_reduction_results(xg_reduction *r, const xg_elem *acc, xg_kval *const *at, xg_kval **dest) {
    xg_scope *s = &r->s;
    const xg_partition *p = r->e->parts;
    uint32_t k, h;
    xg_kval *here[XG_RANK_MAX];
    for (h = 0; h < r->n_heroes; h++) {
        xg_memo *memo = &s->memo[xg_partition_place(p, r->heroes[h].i)];
        xg_elem *outs = XG_NEW_N(r->e->arena, xg_elem, r->heroes[h].n + 1);
        memcpy(outs, acc + r->heroes[h].first, r->heroes[h].n * sizeof *outs);
        xg_hero_end(s, &r->heroes[h], outs);
        memo->elem = outs[0];
        memo->outs = outs;
        memo->region = s->b.region;
    }
    for (k = 0; k < p->n_insts; k++)
        if (r->epilogue[k] && p->insts[k]->op != XG_REDUCE) {
            xg_elem_apply(s, r->maps[k], at, here);
            (void)xg_elem_make(s, p->insts[k], &s->memo[k], here);
        }
    for (k = 0; k < p->n_roots; k++) {
        uint32_t place = xg_partition_place(p, p->roots[k]);
        if (!r->epilogue[place]) continue;
        xg_elem_apply(s, r->maps[place], at, here);
        dest[k] = xg_emit_insert(&s->b, s->memo[place].elem, dest[k], p->roots[k]->shape, here);
    }
}

#endif /* XG_EMIT_REDUCTION_WALK_C */
