/* emit/reduction_pairs.c -- reductions of a function of operands that are broadcast: each thread has `high` by `wide`
 * results beside each other, in two of the kept dims, and reads what does not change along one of these once for all
 * of them. So min-plus products, sums over pairs of points, and all else that is like a product but for its two
 * operations.
 *
 * - `lanes` neighbouring threads have the same results; each takes runs of `steps` neighbouring places of what is
 *   reduced, so that loads are of vectors in whichever dim memory has them. In the end they shuffle.
 * - The last threads of a dim begin earlier than their place says, so that all have `high` by `wide` results, and
 *   threads behind the last do what that does; each result is written by one of them.
 * - Elements are made one by one: that equal loads are one is seen when equal values become one (kir/cse.c), and that
 *   neighbouring ones are a vector by widen-loads. */
#ifndef XG_EMIT_REDUCTION_PAIRS_C
#define XG_EMIT_REDUCTION_PAIRS_C
#include "emit.h"
#include "reduction_row.c"

enum {
    XG_PAIRS_THREADS = 256,
    XG_PAIRS_STEPS = 4,
    XG_PAIRS_LOAD = 4, /* operations that one of an operand's elements takes the time of */
    XG_PAIRS_SIDE_MOST = 8,
    XG_PAIRS_BYTES_MOST = 256,  /* of a thread's results */
    XG_PAIRS_WORK_MOST = 1536,  /* operations of a round */
    XG_PAIRS_CODE_MOST = 24576, /* of one that is ordered, ... */
    XG_PAIRS_CODE_FREE = 4,     /* ... if it has more elements than the smallest form that is chosen */
    XG_PAIRS_REDUCED_LEAST = 16,
    XG_PAIRS_LEAST = 1 << 17 /* elements */
};
typedef struct xg_pairs_plan {
    int64_t high, wide, lanes, steps;
    uint32_t dim[2];   /* of the operand: of high, of wide */
    int64_t size[2];   /* theirs; 1: there is none */
    int64_t across[2]; /* threads of a block, without lanes */
    int64_t tiles[2];  /* of a thread */
    int64_t threads, blocks;
} xg_pairs_plan;

/* Which places of an order of dims a read changes along. */
XG_FN uint32_t xg_pairs_uses(const xg_reduction *r, const xg_imap *m, const xg_index_order *o) {
    uint32_t uses = 0, k, d;
    for (d = 0; d < o->n; d++)
        for (k = 0; k < m->n_results; k++)
            if (xg_aff_uses(m->results[k], xg_aff_dim(r->e->m->aff, o->dim[d]))) uses |= 1u << d;
    return uses;
}
/* What is read for what is reduced: *shared: places of kept dims along which a read does not change; whole: of a kept
 * dim, those along which a read changes together with it. False where that is not known. */
XG_FN bool xg_pairs_reads(const xg_reduction *r, uint32_t *shared, uint32_t *whole) {
    xg_aff_ctx *x = r->e->m->aff;
    const xg_comp *c = r->e->comp;
    uint32_t h, v, k, j, d;
    for (h = 0; h < r->n_heroes; h++)
        for (v = 0; v < r->heroes[h].n; v++) {
            xg_indexing_group *g =
                xg_indexing_group_back(x, r->heroes[h].sources[v], xg_imap_identity(x, r->in->dims, r->in->rank));
            for (k = 0; k < c->n_params; k++) {
                xg_imaps maps = xg_indexing_group_maps(g, c->params[k], 0);
                if (!xg_shape_is_array(c->params[k]->shape)) return false;
                for (j = 0; j < maps.n; j++) {
                    uint32_t uses;
                    if (!xg_imap_ok(maps.p[j]) || maps.p[j]->n_rts) return false;
                    if (!xg_pairs_uses(r, maps.p[j], &r->reduced)) continue;
                    uses = xg_pairs_uses(r, maps.p[j], &r->kept);
                    *shared |= ~uses;
                    for (d = 0; d < r->kept.n; d++)
                        if (uses >> d & 1) whole[d] |= uses;
                }
            }
        }
    return true;
}
/* Two kept dims along which no read changes together, and along each of which one does not; else one such dim. */
XG_APART XG_FN bool xg_pairs_dims(const xg_reduction *r, xg_pairs_plan *p) {
    uint32_t shared = 0, whole[XG_RANK_MAX], a, b, n = r->kept.n;
    memset(whole, 0, sizeof whole);
    if (n > 32 || !xg_pairs_reads(r, &shared, whole)) return false;
    for (b = 0; b <= n; b++)
        for (a = b < n ? b + 1 : 0; a < n; a++) {
            bool pair = b < n;
            if (r->kept.size[a] < XG_PAIRS_SIDE_MOST || (pair && r->kept.size[b] < XG_PAIRS_SIDE_MOST)) continue;
            if (pair ? whole[a] >> b & 1 || !(shared >> a & shared >> b & 1) : whole[a] || !(shared >> a & 1)) continue;
            p->dim[0] = r->kept.dim[a];
            p->dim[1] = pair ? r->kept.dim[b] : UINT32_MAX;
            p->size[0] = r->kept.size[a];
            p->size[1] = pair ? r->kept.size[b] : 1;
            return true;
        }
    return false;
}
/* NULL, or why the form cannot be; then threads and blocks. */
XG_FN const char *xg_pairs_complete(const xg_reduction *r, xg_pairs_plan *p) {
    int64_t threads, elements, side[2];
    uint32_t k;
    side[0] = p->high;
    side[1] = p->wide;
    if (!xg_form_power(p->lanes, XG_WARP_LANES) || p->steps < 1 || p->steps > XG_PAIRS_SIDE_MOST ||
        p->lanes * p->steps > r->n_reduced)
        return "lanes must be a power of two, at most 32, and steps at most 8, of what is reduced";
    threads = XG_PAIRS_THREADS / p->lanes;
    p->blocks = r->n_kept / (p->size[0] * p->size[1]);
    p->across[0] = p->across[1] = 1;
    for (k = 0; k < 2; k++) {
        if (side[k] < 1 || side[k] > XG_MIN(p->size[k], (int64_t)XG_PAIRS_SIDE_MOST))
            return "high and wide must be from 1 to 8, and at most what there is";
        p->tiles[k] = (p->size[k] + side[k] - 1) / side[k];
    }
    elements = p->high * p->wide * p->steps;
    if (elements > XG_PAIRS_CODE_FREE && elements * xg_emit_work(r->e->comp) > XG_PAIRS_CODE_MOST)
        return "a round is too much code";
    /* as square as the dims let them be */
    for (k = 1; p->across[0] * p->across[1] < threads && (p->across[0] < p->tiles[0] || p->across[1] < p->tiles[1] ||
                                                             p->across[0] * p->across[1] * p->lanes < XG_WARP_LANES);
         k ^= 1)
        if (p->across[k] < p->tiles[k] || p->across[!k] >= p->tiles[!k]) p->across[k] *= 2;
    p->threads = p->across[0] * p->across[1] * p->lanes;
    for (k = 0; k < 2; k++) p->blocks *= (p->tiles[k] + p->across[k] - 1) / p->across[k];
    return NULL;
}
/* How long a form takes, roughly: what the busiest multiprocessor does, which wants some warps. */
XG_FN int64_t xg_pairs_score(const xg_reduction *r, const xg_pairs_plan *p, int64_t work) {
    int64_t sms = XG_MAX(r->e->target->sms, (int64_t)1), each = p->lanes * p->steps, results = p->high * p->wide,
            threads = XG_MAX((p->blocks + sms - 1) / sms * p->threads, (int64_t)2 * XG_PAIRS_THREADS);
    return xg_cost_mul(threads,
        xg_cost_mul((r->n_reduced + each - 1) / each * p->steps, results * work + (p->high + p->wide) * XG_PAIRS_LOAD) +
            results * p->lanes);
}
/* Whether it can be; the form with the best score. */
XG_FN bool xg_pairs_plan_of(const xg_reduction *r, xg_pairs_plan *plan) {
    static const int8_t sides[][2] = {{8, 4}, {4, 4}, {4, 2}, {2, 2}};
    int64_t work = XG_MAX(xg_emit_work(r->e->comp), (int64_t)1), bytes = xg_reduction_bytes(r), best = INT64_MAX, score;
    xg_pairs_plan p = *plan;
    uint32_t k;
    if (r->pad || xg_reduction_has_sides(r) || r->n_reduced < XG_PAIRS_REDUCED_LEAST || !xg_pairs_dims(r, &p))
        return false;
    for (k = 0; k < XG_COUNT(sides); k++) {
        p.high = sides[k][0];
        p.wide = p.size[1] > 1 ? sides[k][1] : 1;
        for (p.steps = XG_PAIRS_STEPS; p.steps > 1 && p.high * p.wide * p.steps * work > XG_PAIRS_WORK_MOST;
             p.steps /= 2) {}
        if (k > 1 && p.size[1] > 1 && best < INT64_MAX) break;
        if (k + 1 < XG_COUNT(sides) && (p.steps < XG_PAIRS_STEPS || p.high * p.wide * bytes > XG_PAIRS_BYTES_MOST))
            continue;
        for (p.lanes = 1; p.lanes <= XG_WARP_LANES && (p.lanes == 1 || 4 * p.lanes * p.steps <= r->n_reduced);
             p.lanes *= 2)
            if (!xg_pairs_complete(r, &p) && (score = xg_pairs_score(r, &p, work)) < best) {
                best = score;
                *plan = p;
            }
    }
    return best < INT64_MAX;
}
/* ---- code ---- */

typedef struct xg_pairs {
    xg_reduction *r;
    const xg_pairs_plan *plan;
    xg_kval *tile[2]; /* of the thread in the dims, before the last ones begin earlier */
    bool even[2];     /* tiles fill the dim: at counts them; else elements */
    xg_kval *at[4];   /* in the dims, of the other kept dims, of what is reduced */
    int64_t side[2];
} xg_pairs;

/* One result of a map over the thread and the block. */
XG_FN xg_kval *xg_pairs_value(xg_reduction *r, const xg_aff *e) {
    xg_walk_map m = xg_walk_map_begin(r);
    xg_kval *dims[2], *v;
    dims[0] = r->thread;
    dims[1] = r->block;
    xg_elem_apply(&r->s, xg_walk_map_end(r, &m, &e, 1), dims, &v);
    return v;
}
XG_FN void xg_pairs_begin(xg_pairs *w) {
    const xg_pairs_plan *p = w->plan;
    xg_reduction *r = w->r;
    xg_aff_ctx *x = r->e->m->aff;
    xg_kb *b = &r->s.b;
    const xg_aff *th = xg_aff_div(x, xg_aff_dim_0(x), p->lanes), *bl = xg_aff_dim_1(x);
    uint32_t k;
    w->side[0] = p->high;
    w->side[1] = p->wide;
    for (k = 2; k-- > 0;) {
        int64_t blocks = (p->tiles[k] + p->across[k] - 1) / p->across[k];
        const xg_aff *t = xg_aff_add_mul(x, k ? xg_aff_mod(x, th, p->across[1]) : xg_aff_div(x, th, p->across[1]),
            xg_aff_mod(x, bl, blocks), p->across[k]);
        bl = xg_aff_div(x, bl, blocks);
        w->tile[k] = w->at[k] = xg_pairs_value(r, t);
        if (p->tiles[k] % p->across[k]) w->at[k] = xg_k2_int(b, XG_K_OP_MINSI, w->at[k], p->tiles[k] - 1);
        w->even[k] = p->size[k] % w->side[k] == 0;
        if (!w->even[k]) {
            w->at[k] = xg_k2(b, XG_K_OP_MULI, w->at[k], xg_elem_index(&r->s, w->side[k]));
            w->at[k] = xg_k2_int(b, XG_K_OP_MINSI, w->at[k], p->size[k] - w->side[k]);
        }
        xg_kval_set_range(w->at[k], xg_range_of(0, w->even[k] ? p->tiles[k] - 1 : p->size[k] - w->side[k]));
    }
    w->at[2] = xg_pairs_value(r, bl);
}
/* The indices of the operand, or, without what is reduced, of the results, of result i of a thread, at place
 * at[3] * scale + u. */
XG_FN void xg_pairs_index(xg_pairs *w, int64_t i, int64_t scale, int64_t u, xg_kval **out) {
    const xg_pairs_plan *p = w->plan;
    xg_reduction *r = w->r;
    xg_aff_ctx *x = r->e->m->aff;
    const xg_aff *at[XG_RANK_MAX];
    xg_index_order rest;
    xg_imap *m;
    uint32_t k, n = 0, dims = scale ? 4 : 3;
    rest.n = 0;
    memset((void *)at, 0, sizeof at);
    for (k = 0; k < r->kept.n; k++)
        if (r->kept.dim[k] != p->dim[0] && r->kept.dim[k] != p->dim[1])
            xg_index_order_push(&rest, r->kept.dim[k], r->kept.size[k]);
    xg_index_delinearise(x, &rest, xg_aff_dim(x, 2), at);
    if (scale) xg_index_delinearise(x, &r->reduced, xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim(x, 3), scale), u), at);
    for (k = 0; k < 2; k++)
        if (p->size[k] > 1)
            at[p->dim[k]] = xg_aff_add_k(
                x, xg_aff_mul(x, xg_aff_dim(x, k), w->even[k] ? w->side[k] : 1), k ? i % p->wide : i / p->wide);
    for (k = 0; k < r->in->rank; k++)
        if (at[k]) at[n++] = at[k];
    m = xg_imap_new(x, dims, 0, 0, n, 0);
    for (k = 0; k < dims; k++) m->dims[k].range = xg_kval_range(w->at[k]);
    for (k = 0; k < n; k++) m->results[k] = at[k];
    xg_elem_apply(&r->s, xg_imap_simplify(x, m), w->at, out);
}
/* Takes in what is at at[3] * steps and the places behind it, for all results. */
XG_FN void xg_pairs_take(xg_pairs *w, int64_t steps, xg_partial *all) {
    xg_reduction *r = w->r;
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    xg_memo *memo = r->s.memo;
    xg_kval *at[XG_RANK_MAX];
    int64_t u, i, n = w->plan->high * w->plan->wide;
    for (u = 0; u < steps; u++)
        for (i = 0; i < n; i++) {
            xg_emit_forget(&r->s);
            xg_pairs_index(w, i, steps, u, at);
            xg_reduction_elements(r, at, x);
            xg_reduction_merge(r, all->acc + i * r->n_values, x);
        }
    r->s.memo = memo;
}
/* All results: whole rounds, then what is left, a lane each. */
XG_FN void xg_pairs_loop(xg_pairs *w, xg_partial *all) {
    const xg_pairs_plan *p = w->plan;
    xg_reduction *r = w->r;
    xg_aff_ctx *x = r->e->m->aff;
    xg_kb *b = &r->s.b;
    xg_kval *lane = xg_pairs_value(r, xg_aff_mod(x, xg_aff_dim_0(x), p->lanes)), *round;
    int64_t each = p->lanes * p->steps, rounds = r->n_reduced / each, done = rounds * each;
    xg_flow f = xg_partial_flow(r, all);
    f.rolled = rounds > 1;
    round = xg_flow_count(&f, rounds);
    w->at[3] = xg_k2(b, XG_K_OP_MULI, round, xg_elem_index(&r->s, p->lanes));
    w->at[3] = xg_k2(b, XG_K_OP_ADDI, w->at[3], lane);
    xg_kval_set_range(w->at[3], xg_range_of(0, rounds * p->lanes - 1));
    xg_pairs_take(w, p->steps, all);
    xg_flow_end(&f);
    for (; done < r->n_reduced; done += p->lanes) {
        xg_kval *at = xg_k2(b, XG_K_OP_ADDI, lane, xg_elem_index(&r->s, done));
        f = xg_partial_flow(r, all);
        if (done + p->lanes > r->n_reduced) xg_flow_if(&f, xg_kcmpi_int(b, XG_CI_SLT, at, r->n_reduced));
        w->at[3] = xg_k2_int(b, XG_K_OP_MINSI, at, r->n_reduced - 1);
        xg_kval_set_range(w->at[3], xg_range_of(done, XG_MIN(done + p->lanes, r->n_reduced) - 1));
        xg_pairs_take(w, 1, all);
        xg_flow_end(&f);
    }
}
/* Whether the thread is the one that writes: the first lane, of a tile that there is. NULL: all are. */
XG_FN xg_kval *xg_pairs_writes(xg_pairs *w) {
    const xg_pairs_plan *p = w->plan;
    xg_aff_ctx *x = w->r->e->m->aff;
    xg_kb *b = &w->r->s.b;
    xg_kval *writes = NULL, *inside;
    uint32_t k;
    if (p->lanes > 1)
        writes = xg_kcmpi_int(b, XG_CI_EQ, xg_pairs_value(w->r, xg_aff_mod(x, xg_aff_dim_0(x), p->lanes)), 0);
    for (k = 0; k < 2; k++)
        if (p->tiles[k] % p->across[k]) {
            inside = xg_kcmpi_int(b, XG_CI_SLT, w->tile[k], p->tiles[k]);
            writes = writes ? xg_k2(b, XG_K_OP_ANDI, writes, inside) : inside;
        }
    return writes;
}
/* Whether result i is the thread's own: the neighbour in front does not have it, too. NULL: it is. */
XG_FN xg_kval *xg_pairs_owns(xg_pairs *w, int64_t i) {
    xg_kb *b = &w->r->s.b;
    xg_kval *own = NULL, *place, *begin;
    uint32_t k;
    for (k = 0; k < 2; k++) {
        if (w->even[k]) continue;
        place = xg_k2(b, XG_K_OP_ADDI, w->at[k], xg_elem_index(&w->r->s, k ? i % w->plan->wide : i / w->plan->wide));
        begin = xg_k2(b, XG_K_OP_MULI, w->tile[k], xg_elem_index(&w->r->s, w->side[k]));
        begin = xg_kcmpi_(b, XG_CI_SGE, place, begin);
        own = own ? xg_k2(b, XG_K_OP_ANDI, own, begin) : begin;
    }
    return own;
}
XG_APART XG_FN void xg_pairs_emit(xg_reduction *r, const xg_pairs_plan *p, xg_partial *out) {
    int64_t n = p->high * p->wide, i;
    xg_partial all = xg_partial_new(r, (uint32_t)n * r->n_values, NULL, 0);
    xg_kval *at[XG_RANK_MAX];
    xg_flow outer, f;
    xg_memo *memo;
    xg_pairs w;
    w.r = r;
    w.plan = p;
    xg_pairs_begin(&w);
    for (i = 0; i < n; i++) xg_reduction_start(r, all.acc + i * r->n_values);
    xg_pairs_loop(&w, &all);
    if (p->lanes > 1) xg_row_shuffle_all(r, p->lanes, all.acc, all.n);
    out->n = 0;
    outer = xg_partial_flow(r, out);
    xg_flow_if(&outer, xg_pairs_writes(&w));
    for (i = 0; i < n; i++) {
        xg_kval *own = xg_pairs_owns(&w, i);
        f = xg_partial_flow(r, out);
        xg_flow_if(&f, own);
        memo = r->s.memo;
        xg_emit_forget(&r->s);
        xg_pairs_index(&w, i, 0, 0, at);
        xg_reduction_results(r, all.acc + i * r->n_values, at, out->dest);
        r->s.memo = memo;
        xg_flow_end(&f);
    }
    xg_flow_end(&outer);
}

#endif /* XG_EMIT_REDUCTION_PAIRS_C */
