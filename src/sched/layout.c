/* sched/layout.c -- other coordinates: transform_layout for an array, transform_block_layout for a block's iterators;
 * pad_einsum, which makes iterators longer than what they run over.
 *
 * A map is accepted if it loses nothing: each of the old coordinates can be told from the new ones. How is found by
 * taking the results apart into digits (a sum whose terms' scales leave room for what lies below) and putting each old
 * coordinate together again. */
#ifndef XG_SCHED_LAYOUT_C
#define XG_SCHED_LAYOUT_C
#include "sched.h"
#include "reduction.c"
#include "inline.c"
#include "analysis.c"

/* A term that can be read off a result, and how: (result / scale) mod extent. */
typedef struct xg_nread {
    const xg_aff *of, *how;
} xg_nread;
typedef XG_VEC(xg_nread) xg_nreads;

/* The terms of e, given as a variable; false: they cannot be told apart. */
XG_FN bool xg_nreads_add(xg_loopnest *n, xg_aff_env *env, xg_nreads *v, const xg_aff *e, const xg_aff *given) {
    uint32_t order[XG_NTERMS_MAX], k, j;
    int64_t below = 0;
    const xg_aff *rest;
    xg_linear l;
    xg_aff_linear(e, &l);
    if (!xg_nterms_order(&l, order)) return false;
    rest = xg_aff_add_k(n->aff, given, -l.k);
    for (k = 0; k < l.n; k++) {
        const xg_term *t = &l.terms[order[k]];
        xg_range r = xg_aff_range(env, t->of);
        int64_t most;
        xg_nread d;
        if (t->scale < 0 || !xg_range_known(r) || r.lo != 0) return false;
        if (t->scale <= below || !xg_mul64(t->scale, r.hi, &most) || !xg_add64(below, most, &below)) return false;
        /* the terms above would not be a remainder of it */
        for (j = k + 1; j < l.n; j++)
            if (l.terms[order[j]].scale % t->scale) return false;
        d.of = t->of;
        d.how = rest ? xg_aff_div_in(env, rest, t->scale) : NULL;
        if (k + 1 < l.n) d.how = xg_aff_mod_in(env, d.how, l.terms[order[k + 1]].scale / t->scale);
        if (!d.how) return false;
        xg_push(n->arena, xg_nread, v, d);
    }
    return true;
}
XG_FN const xg_aff *xg_nreads_tell(xg_aff_env *env, const xg_nreads *v, const xg_aff *e, uint32_t depth) {
    uint32_t k;
    if (xg_range_is_point(xg_aff_range(env, e))) return xg_aff_const(env->x, xg_aff_range(env, e).lo);
    for (k = 0; k < v->n; k++)
        if (v->p[k].of == e) return v->p[k].how;
    if (depth == 6) return NULL;
    for (k = 0; k < v->n; k++) {
        const xg_aff *a = v->p[k].of, *high, *low;
        if (a->kind != XG_AFF_DIV && a->kind != XG_AFF_MOD) continue;
        high = xg_aff_div_in(env, e, a->k);
        low = xg_aff_mod_in(env, e, a->k);
        if (!high || !low || high == e || low == e) continue;
        high = xg_nreads_tell(env, v, high, depth + 1);
        low = high ? xg_nreads_tell(env, v, low, depth + 1) : NULL;
        if (low) return xg_aff_add_scaled(env, low, high, a->k);
    }
    return NULL;
}

/* ---- transform_layout ---- */

/* The map's results for these indices; the map's dims have their ranges in their own numbering. */
XG_FN const xg_aff **xg_nmap_apply(xg_loopnest *n, const xg_imap *map, const xg_aff *const *at) {
    xg_aff_env env = xg_nest_env(n);
    xg_aff_rewrite w = xg_aff_rewrite_begin(&env, at, map->n_dims, NULL, 0);
    const xg_aff **to = XG_NEW_N(n->arena, const xg_aff *, map->n_results);
    uint32_t k;
    for (k = 0; k < map->n_results; k++) {
        to[k] = xg_aff_rewrite_one(&w, map->results[k]);
        if (!to[k])
            xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "an index of the loop nest '%.*s' has grown too large", (int)n->name.n,
                n->name.p);
    }
    return to;
}
XG_FN const xg_imap *xg_nmap_with_dims(
    xg_loopnest *n, const char *primitive, const xg_imap *map, const int64_t *dims, uint32_t rank) {
    xg_imap *m;
    uint32_t k;
    if (!map || map->n_dims != rank || map->n_syms || map->n_rts || map->n_constraints || !map->n_results ||
        map->n_results > XG_RANK_MAX)
        xg_sched_fail(n, "%s: the map takes %u coordinates, not %u, and has neither symbols nor constraints", primitive,
            map ? map->n_dims : 0, rank);
    m = xg_imap_copy(n->aff, map, 0);
    for (k = 0; k < rank; k++) m->dims[k].range = xg_range_of(0, dims[k] - 1);
    return xg_imap_simplify(n->aff, m);
}
XG_FN void xg_do_transform_layout(xg_loopnest *n, xg_nbuf *buf, const xg_imap *map, bool padded) {
    const xg_imap *m;
    xg_aff_env env;
    xg_nreads reads;
    xg_nbuf *made;
    xg_nstmt *s;
    int64_t dims[XG_RANK_MAX], elements = 1, old = 1;
    uint32_t k;
    bool sound = true;
    memset(&reads, 0, sizeof reads);
    xg_sched_check_buf(n, "transform_layout", buf);
    m = xg_nmap_with_dims(n, "transform_layout", map, buf->dims, buf->rank);
    env = xg_imap_env(n->aff, m);
    for (k = 0; k < m->n_results; k++) {
        xg_range r = m->results[k] ? xg_aff_range(&env, m->results[k]) : xg_range_of(0, -1);
        if (!m->results[k] || !xg_range_known(r) || r.lo != 0)
            xg_sched_fail(n, "transform_layout: a new coordinate does not begin at 0");
        dims[k] = r.hi + 1;
        if (!xg_mul64(elements, dims[k], &elements)) xg_sched_fail(n, "transform_layout: the new array is too large");
        sound &= xg_nreads_add(n, &env, &reads, m->results[k], xg_aff_const(n->aff, 0));
    }
    for (k = 0; k < buf->rank; k++) {
        old *= buf->dims[k];
        if (!sound || !xg_nreads_tell(&env, &reads, xg_aff_dim(n->aff, k), 0))
            xg_sched_fail(
                n, "transform_layout: the map does not tell coordinate %u of '%.*s'", k, (int)buf->name.n, buf->name.p);
    }
    if (elements != old && !padded)
        xg_sched_fail(n, "transform_layout: the new array has %lld elements more than '%.*s', which is to be said",
            (long long)(elements - old), (int)buf->name.n, buf->name.p);
    made = xg_nest_buf(n, xg_sched_name(n, "%s_%s", buf->name.p, "new"), buf->type, dims, m->n_results, buf->scope);
    made->padded = buf->padded || elements != old;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        xg_nblock *b = s->block;
        xg_narg *args;
        xg_nout *outs;
        if (s->op != XG_N_BLOCK || !b->body) continue;
        args = XG_NEW_N(n->arena, xg_narg, b->n_args);
        outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
        for (k = 0; k < b->n_args; k++) {
            args[k] = b->args[k];
            if (args[k].kind != XG_NA_LOAD || args[k].buf != buf) continue;
            args[k].buf = made;
            args[k].at = xg_nmap_apply(n, m, args[k].at);
        }
        for (k = 0; k < b->n_outs; k++) {
            outs[k] = b->outs[k];
            if (outs[k].buf != buf) continue;
            outs[k].buf = made;
            outs[k].at = xg_nmap_apply(n, m, outs[k].at);
        }
        b->args = args;
        b->outs = outs;
    }
    made->name = buf->name;
    buf->name = XG_STR("(gone)");
    xg_nest_drop_bufs(n);
}

/* ---- transform_block_layout ---- */

/* The loops around the block are one for each iterator and its extent, one directly inside of the other: they can be
 * replaced together. */
XG_FN xg_nstmt *xg_sched_own_loops(
    const xg_loopnest *n, const char *primitive, const xg_nstmt *block, uint32_t *which) {
    const xg_nblock *b = block->block;
    xg_nstmt *s = block->parent, *top = NULL;
    uint32_t k, left;
    for (k = 0; k < b->n_iters; k++) which[k] = UINT32_MAX;
    if (b->n_where)
        xg_sched_fail(n, "%s: '%.*s' does not run at all points of its loops", primitive, (int)b->name.n, b->name.p);
    for (left = b->n_iters; left; left--, s = s->parent) {
        if (s->op != XG_N_LOOP || s->first != s->last || s->kind != XG_NK_SERIAL || s->n_notes) break;
        for (k = 0; k < b->n_iters && (which[k] != UINT32_MAX || b->iters[k].binding != xg_aff_dim(n->aff, s->var) ||
                                          b->iters[k].extent != s->extent);
             k++) {}
        if (k == b->n_iters) break;
        which[k] = left - 1;
        top = s;
    }
    if (left)
        xg_sched_fail(n, "%s: the loops around '%.*s' are not one for each of its iterators", primitive, (int)b->name.n,
            b->name.p);
    return top ? top : (xg_nstmt *)block;
}
XG_FN void xg_sched_new_loops(xg_loopnest *n, xg_nstmt *block, xg_nstmt *top, const int64_t *extents, uint32_t count) {
    xg_nstmt *at = NULL, *first = NULL, *made;
    xg_nblock *b = block->block;
    uint32_t k;
    xg_nstmt *place = top->next, *parent = top->parent;
    xg_nstmt_detach(block);
    if (top != block) {
        xg_nstmt_detach(top);
        top->gone = true;
    }
    for (k = 0; k < count; k++) {
        char text[24];
        (void)xg_format(text, sizeof text, "ax%u", k);
        made = xg_nest_loop(n, xg_nest_var(n, xg_str_z(text), extents[k]), extents[k], XG_NK_SERIAL);
        if (at)
            xg_nstmt_append(at, made);
        else
            first = made;
        at = made;
        b->iters[k].binding = xg_nest_dim(n, made->var);
    }
    if (at)
        xg_nstmt_append(at, block);
    else
        first = block;
    if (place)
        xg_nstmt_insert(place, first);
    else
        xg_nstmt_append(parent, first);
}
XG_FN void xg_do_transform_block_layout(xg_loopnest *n, xg_nstmt *block, const xg_imap *map) {
    xg_nblock *b;
    const xg_imap *m;
    xg_aff_env env;
    xg_nreads reads;
    xg_nstmt *top;
    xg_niter *iters;
    xg_nsubst s;
    int64_t extents[XG_RANK_MAX], dims[XG_RANK_MAX];
    uint32_t which[XG_RANK_MAX], k, j;
    const xg_aff *old[XG_RANK_MAX], *given[XG_RANK_MAX];
    bool sound = true;
    memset(&reads, 0, sizeof reads);
    xg_sched_check_block(n, "transform_block_layout", block);
    b = block->block;
    if (b->n_iters > XG_RANK_MAX)
        xg_sched_fail(n, "transform_block_layout: '%.*s' has too many iterators", (int)b->name.n, b->name.p);
    for (k = 0; k < b->n_iters; k++) dims[k] = b->iters[k].extent;
    m = xg_nmap_with_dims(n, "transform_block_layout", map, dims, b->n_iters);
    top = xg_sched_own_loops(n, "transform_block_layout", block, which);
    env = xg_imap_env(n->aff, m);
    iters = XG_NEW_N(n->arena, xg_niter, m->n_results);
    for (k = 0; k < m->n_results; k++) {
        xg_range r = m->results[k] ? xg_aff_range(&env, m->results[k]) : xg_range_of(0, -1);
        char kind = 0;
        if (!m->results[k] || !xg_range_known(r) || r.lo != 0)
            xg_sched_fail(n, "transform_block_layout: a new iterator does not begin at 0");
        for (j = 0; j < b->n_iters; j++)
            if (xg_aff_uses(m->results[k], xg_aff_dim(n->aff, j))) {
                if (kind && kind != b->iters[j].kind)
                    xg_sched_fail(n, "transform_block_layout: new iterator %u is of spatial and reduced ones", k);
                kind = b->iters[j].kind;
            }
        extents[k] = iters[k].extent = r.hi + 1;
        iters[k].kind = kind ? kind : 'S';
    }
    /* the new iterators by name, then what the old ones are of them: all ranges in the nest's numbering from here on */
    for (k = 0; k < m->n_results; k++) {
        char text[24];
        (void)xg_format(text, sizeof text, "v%u", k);
        iters[k].var = xg_nest_var_named(n, xg_str_z(text), iters[k].extent);
    }
    {
        /* the map's variables are numbered from 0: as variables of the nest they would be others, so that the results
         * are read off with variables behind all of them */
        xg_range *ranges = XG_NEW_N(n->arena, xg_range, n->vars.n);
        xg_aff_env mixed;
        for (k = 0; k < n->vars.n; k++) ranges[k] = k < b->n_iters ? xg_range_of(0, dims[k] - 1) : n->ranges.p[k];
        mixed = xg_aff_env_of(n->aff, ranges, n->vars.n, NULL, 0);
        for (k = 0; k < m->n_results; k++) {
            given[k] = xg_nest_dim(n, iters[k].var);
            sound &= iters[k].var >= b->n_iters && xg_nreads_add(n, &mixed, &reads, m->results[k], given[k]);
        }
        for (k = 0; k < b->n_iters; k++) {
            old[k] = sound ? xg_nreads_tell(&mixed, &reads, xg_aff_dim(n->aff, k), 0) : NULL;
            if (!old[k])
                xg_sched_fail(n, "transform_block_layout: the map does not tell iterator %u of '%.*s'", k,
                    (int)b->name.n, b->name.p);
        }
    }
    {
        int64_t before = 1, after = 1;
        for (k = 0; k < b->n_iters; k++) before *= dims[k];
        for (k = 0; k < m->n_results; k++)
            if (!xg_mul64(after, extents[k], &after)) after = INT64_MAX;
        if (before != after)
            xg_sched_fail(n, "transform_block_layout: %lld points would be %lld", (long long)before, (long long)after);
    }
    xg_nsubst_begin(&s, n);
    for (k = 0; k < b->n_iters; k++) xg_nsubst_put(&s, b->iters[k].var, old[k]);
    xg_nsubst_args(&s, b);
    b->iters = iters;
    b->n_iters = m->n_results;
    xg_sched_new_loops(n, block, top, extents, m->n_results);
}

/* ---- pad_einsum ---- */

/* Each iterator counts to a multiple; what lies behind the old end is read as zero and adds nothing, and the arrays
 * that the block writes have room for it. */
XG_FN void xg_do_pad_einsum(xg_loopnest *n, xg_nstmt *block, const int64_t *multiples, uint32_t count) {
    xg_nblock *b;
    xg_nstmt *top;
    uint32_t which[XG_RANK_MAX], plain[XG_RANK_MAX], k, d;
    int64_t extents[XG_RANK_MAX];
    XG_VEC(xg_constraint) where = {NULL, 0, 0};
    xg_sched_check_reduction(n, "pad_einsum", block);
    b = block->block;
    if (count != b->n_iters || count > XG_RANK_MAX)
        xg_sched_fail(n, "pad_einsum: %u multiples for %u iterators", count, b->n_iters);
    if (b->n_outs != 1) xg_sched_fail(n, "pad_einsum: '%.*s' has %u results", (int)b->name.n, b->name.p, b->n_outs);
    top = xg_sched_own_loops(n, "pad_einsum", block, which);
    for (k = 0; k < count; k++) {
        if (multiples[k] < 1 || multiples[k] > INT32_MAX)
            xg_sched_fail(n, "pad_einsum: %lld is no multiple to count to", (long long)multiples[k]);
        extents[k] = (b->iters[k].extent + multiples[k] - 1) / multiples[k] * multiples[k];
    }
    for (k = 0; k < b->n_args; k++) {
        const xg_narg *a = &b->args[k];
        if (a->kind != XG_NA_LOAD)
            xg_sched_fail(n, "pad_einsum: '%.*s' is no product of elements alone", (int)b->name.n, b->name.p);
        for (d = 0; d < a->buf->rank; d++)
            if (a->at[d]->kind != XG_AFF_DIM && a->at[d]->kind != XG_AFF_CONST)
                xg_sched_fail(n, "pad_einsum: an index of '%.*s' is no iterator: reindex comes first",
                    (int)a->buf->name.n, a->buf->name.p);
    }
    {
        xg_nstmt *w;
        if (xg_nest_writers(n, b->outs[0].buf, &w, 1) != 1)
            xg_sched_fail(n, "pad_einsum: '%.*s' is written by other blocks too", (int)b->outs[0].buf->name.n,
                b->outs[0].buf->name.p);
    }
    if (!xg_literal_is_identity(b->combine, b->init[0], n->arena))
        xg_sched_fail(
            n, "pad_einsum: combining with what '%.*s' begins with may change the result", (int)b->name.n, b->name.p);
    {
        xg_nblock spatial = *b; /* indices of what it writes are its spatial iterators */
        spatial.iters = xg_nblock_spatial(n, b, 0, &spatial.n_iters);
        for (k = d = 0; k < b->n_iters; k++)
            if (b->iters[k].kind == 'S') spatial.iters[d++].var = b->iters[k].var;
        if (!xg_nblock_plain(n, &spatial, b->outs[0].buf, b->outs[0].at, plain))
            xg_sched_fail(n, "pad_einsum: the indices of '%.*s' are not the iterators: reindex comes first",
                (int)b->outs[0].buf->name.n, b->outs[0].buf->name.p);
    }
    for (k = 0; k < count; k++)
        if (extents[k] != b->iters[k].extent) {
            xg_constraint c;
            memset(&c, 0, sizeof c);
            for (d = 0; d < b->outs[0].buf->rank && b->iters[k].kind == 'S' &&
                        b->outs[0].at[d] != xg_nest_dim(n, b->iters[k].var);
                 d++) {}
            if (b->iters[k].kind == 'S' && d == b->outs[0].buf->rank)
                xg_sched_fail(n, "pad_einsum: what '%.*s' writes has no room for more of iterator %u", (int)b->name.n,
                    b->name.p, k);
            c.expr = xg_nest_dim(n, b->iters[k].var);
            c.range = xg_range_of(0, b->iters[k].extent - 1);
            xg_push(n->arena, xg_constraint, &where, c);
        }
    if (!where.n) return;
    if (b->outs[0].buf->param) { /* the caller's array stays as large: what is inside of it is copied there */
        (void)xg_do_cache_write(n, block, b->outs[0].buf, XG_NS_GLOBAL);
        top = xg_sched_own_loops(n, "pad_einsum", block, which);
    }
    {
        xg_nbuf *buf = b->outs[0].buf;
        int64_t *dims = XG_NEW_N(n->arena, int64_t, buf->rank);
        for (d = 0; d < buf->rank; d++) {
            dims[d] = buf->dims[d];
            for (k = 0; k < count; k++)
                if (b->outs[0].at[d] == xg_nest_dim(n, b->iters[k].var)) dims[d] = extents[k];
        }
        buf->dims = dims;
    }
    for (k = 0; k < count; k++) {
        b->iters[k].extent = extents[k];
        n->ranges.p[b->iters[k].var] = xg_range_of(0, extents[k] - 1);
    }
    xg_nblock_guard_value(n, b, where.p, where.n);
    xg_sched_new_loops(n, block, top, extents, count);
}

#endif /* XG_SCHED_LAYOUT_C */
