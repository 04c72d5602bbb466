/* sched/tile_bring.c -- copies the operands of a step from global to shared memory: which elements each thread copies,
 * through registers or by asynchronous copies, and where they are stored. */
#ifndef XG_SCHED_TILE_BRING_C
#define XG_SCHED_TILE_BRING_C
#include "tile_pack.h"

/* ---- indices ---- */

XG_FN xg_imap *xg_tile_map(xg_aff_ctx *x, const int64_t *counts, uint32_t n, uint32_t n_results) {
    xg_imap *m = xg_imap_of_dims(x, n, n_results);
    uint32_t k;
    for (k = 0; k < n; k++) m->dims[k].range = xg_range_of(0, counts[k] - 1);
    return m;
}
/* The slot of a small cache of index values (rows, columns and the like are needed often); its value is NULL unless one
 * is usable in this region. */
XG_FN xg_tile_made *xg_tile_made_of(
    xg_tile_kernel *w, xg_kopcode op, const xg_aff *e, int64_t n, const xg_kval *a, const xg_kval *b) {
    uint32_t h = xg_hash_mix((uint32_t)op + (e ? e->id : 0), (uint64_t)a->id << 32 | (b ? b->id : (uint32_t)n));
    xg_tile_made *m = &w->made[h % XG_TILE_MADE];
    if (m->op != op || m->e != e || m->n != n || m->a != a || m->b != b || w->s.b.before ||
        (m->v && !xg_kregion_inside(w->s.b.region, m->v->def->parent)))
        m->v = NULL;
    m->op = op;
    m->e = e;
    m->n = n;
    m->a = a;
    m->b = b;
    return m;
}
XG_FN xg_kval *xg_tile_apply(
    xg_tile_kernel *w, const int64_t *counts, uint32_t n, const xg_aff *e, xg_kval *const *at) {
    xg_tile_made *made = n == 1 && e ? xg_tile_made_of(w, XG_K_OP_APPLY, e, counts[0], at[0], NULL) : NULL;
    xg_kval *v;
    xg_imap *m;
    if (made && made->v) return made->v;
    m = xg_tile_map(w->s.b.m->aff, counts, n, 1);
    m->results[0] = e;
    v = xg_kapply(&w->s.b, xg_imap_simplify(w->s.b.m->aff, m), at)->results;
    if (made) made->v = v;
    return v;
}
/* v / n, v mod n and v * n + more as operations of their own: maps take the results as variables and stay small. */
XG_FN xg_kval *xg_tile_by(xg_tile_kernel *w, xg_kopcode op, xg_kval *v, int64_t n) {
    xg_tile_made *made = xg_tile_made_of(w, op, NULL, n, v, NULL);
    if (!made->v) made->v = xg_k2_int(&w->s.b, op, v, n);
    return made->v;
}
XG_ONE_COPY XG_FN xg_kval *xg_tile_quotient(xg_tile_kernel *w, xg_kval *v, int64_t n) {
    return n == 1 ? v : xg_tile_by(w, XG_K_OP_DIVUI, v, n);
}
XG_FN xg_kval *xg_tile_rest(xg_tile_kernel *w, xg_kval *v, int64_t n) {
    return n == 1 ? xg_elem_index_0(&w->s) : xg_tile_by(w, XG_K_OP_REMUI, v, n);
}
XG_FN xg_kval *xg_tile_join(xg_tile_kernel *w, xg_kval *v, int64_t n, xg_kval *more) {
    xg_tile_made *made;
    v = n == 1 ? v : xg_tile_by(w, XG_K_OP_MULI, v, n);
    made = xg_tile_made_of(w, XG_K_OP_ADDI, NULL, 0, v, more);
    if (!made->v) made->v = xg_k2(&w->s.b, XG_K_OP_ADDI, v, more);
    return made->v;
}
XG_FN xg_tile_rounds xg_tile_rounds_of(const xg_tile_plan *p, const xg_tile_fetch *t) {
    xg_tile_rounds r;
    int64_t across;
    r.row_units = t->along_k ? t->rows : t->rows / t->vector;
    r.k_units = xg_tile_pack_k(p, t == &p->fetch[1]) / (t->along_k ? t->vector : t->brick);
    r.lines = t->along_k ? t->beside : 1;
    across = XG_MIN(p->threads / r.lines, xg_tile_power(r.row_units));
    if (xg_tile_has_rows(p)) across = xg_gcd(p->threads / r.lines, r.row_units); /* for any number of warps */
    if (t->turns) across = XG_MIN(across, (int64_t)XG_WARP_LANES);
    if (t->brick > 1) { /* neighbouring threads store words of one row: to half of the banks, or, if swizzled, to all */
        int64_t words = XG_MIN(r.k_units, t->line ? (int64_t)XG_WARP_LANES : XG_WARP_LANES / 2);
        across = XG_MIN(across, XG_MAX(p->threads / words, (int64_t)1));
    }
    r.row_step = across;
    r.rows = r.row_units / across;
    r.k_step = p->threads / across;
    r.ks = xg_tile_over(r.k_units, r.k_step) * t->brick;
    return r;
}
XG_FN void xg_tile_fetch_counts(const xg_tile_plan *p, uint32_t side, int64_t *counts) {
    xg_tile_rounds r = xg_tile_rounds_of(p, &p->fetch[side]);
    counts[XG_TILE_ROW] = r.row_step;
    counts[XG_TILE_KS] = XG_MIN(r.k_step, r.k_units);
    if (p->fetch[side].shift) counts[p->fetch[side].turns ? XG_TILE_ROW : XG_TILE_KS] += p->fetch[side].shift - 1;
    counts[XG_TILE_ROW_ROUND] = r.rows;
    counts[XG_TILE_K_ROUND] = r.ks;
    counts[XG_TILE_LANE] = p->fetch[side].vector;
    counts[XG_TILE_STEP] = xg_tile_sums_groups(p) ? p->form.group[XG_TILE_K].size : p->all_steps;
    counts[XG_TILE_TILE] = xg_tile_paces(p, side);
    counts[XG_TILE_BATCH] = p->batch;
}
/* The tile's row and the step's k of a lane, as expressions of the fetch's dims. */
XG_FN void xg_tile_fetch_place(
    const xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, const xg_aff *lane, const xg_aff **row, const xg_aff **k) {
    const xg_tile_fetch *t = &p->fetch[side];
    xg_tile_rounds r = xg_tile_rounds_of(p, t);
    *row = xg_aff_add_dim(x, xg_aff_dim(x, XG_TILE_ROW), XG_TILE_ROW_ROUND, r.row_step);
    *k = xg_aff_dim(x, XG_TILE_K_ROUND);
    if (t->brick > 1) *k = xg_aff_div(x, *k, t->brick);
    *k = xg_aff_add_mul(x, xg_aff_dim(x, XG_TILE_KS), *k, r.k_step);
    if (t->brick > 1) *k = xg_aff_add_mul(x, xg_aff_mod(x, xg_aff_dim(x, XG_TILE_K_ROUND), t->brick), *k, t->brick);
    if (t->turns)
        *row = xg_aff_mod(x, *row, r.row_units);
    else if (t->shift)
        *k = xg_aff_mod(x, *k, r.k_units);
    if (t->along_k)
        *k = xg_aff_add_mul(x, lane, *k, t->vector);
    else
        *row = xg_aff_add_mul(x, lane, *row, t->vector);
}
/* The first step takes the remainder of K, so that all others are full and need no bounds checks. Gives how many k it
 * lacks. */
XG_FN int64_t xg_tile_lead(const xg_tile_plan *p) {
    if (p->patch.places || xg_tile_sums_groups(p)) return 0; /* here the last step is the partial one */
    return p->all_steps * p->shape.k - p->form.group[XG_TILE_K].size;
}
#ifndef XLAGPU_SMALL
/* The offsets within a sector, in elements: of one row (or k) to the next, of one batch, of the first element. */
XG_FN void xg_tile_begins(const xg_tile_plan *p, uint32_t side, int64_t *row, int64_t *batch, int64_t *first) {
    const xg_tile_fetch *t = &p->fetch[side];
    int64_t sector = XG_SECTOR_BYTES / t->bytes, lead = xg_tile_lead(p);
    *row = xg_floor_mod(t->row_pitch, sector);
    *batch = p->batch > 1 ? xg_floor_mod(t->batch_pitch, sector) : 0;
    *first = xg_floor_mod(t->first_row - (t->along_k ? lead : lead % sector * *row), sector);
}
/* Aligns copies of single elements to sectors. A warp copies 32 neighbours of one k. Where rows begin inside a sector,
 * the lanes start at the next sector's begin, and the last round wraps around to the row's begin. The offset differs
 * from k to k and repeats after `turns` rounds. */
XG_FN void xg_tile_settle_turns(xg_tile_plan *p, uint32_t side) {
    xg_tile_fetch *t = &p->fetch[side];
    int64_t lanes = XG_SECTOR_BYTES / t->bytes, row, batch, first, turns = 1;
    xg_tile_rounds r;
    t->shift = t->turns = 0;
    if (!t->row_pitch || t->along_k || !t->async || t->vector > 1 || lanes < 2 || t->brick > 1) return;
    if (t->rows % (2 * XG_WARP_LANES) || p->threads % XG_WARP_LANES) return;
    xg_tile_begins(p, side, &row, &batch, &first);
    if (!row && !batch && !first) return;
    t->turns = 1;
    r = xg_tile_rounds_of(p, t);
    while (turns * r.k_step * row % lanes) turns *= 2;
    t->turns = r.row_step == XG_WARP_LANES && r.ks * r.k_step == r.k_units && r.ks % turns == 0 ? turns : 0;
    if (t->turns) t->shift = lanes;
}
XG_FN void xg_tile_settle_shift(xg_tile_plan *p, uint32_t side) {
    xg_tile_fetch *t = &p->fetch[side];
    int64_t lanes = XG_SECTOR_BYTES / (t->vector * t->bytes), row, batch, first;
    xg_tile_rounds r;
    if (t->turns) return;
    t->shift = 0;
    if (!t->row_pitch || !t->along_k || lanes < 2 || t->brick > 1) return;
    r = xg_tile_rounds_of(p, t);
    if (r.ks < 2 || r.k_units != r.k_step * r.ks || r.k_step % lanes || r.row_step % lanes) return;
    xg_tile_begins(p, side, &row, &batch, &first);
    if (row || batch || first) t->shift = lanes;
}
#endif
XG_FN const xg_imap *xg_tile_fetch_map(const xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, int64_t first) {
    const xg_tile_form *f = xg_tile_pack_form(p, side);
    const xg_aff *linear[XG_TILE_ROLES], *row, *k;
    int64_t counts[XG_TILE_FETCH_DIMS];
    const xg_imap *made;
    xg_imap *m;
    uint32_t v;
    xg_tile_fetch_counts(p, side, counts);
    m = xg_tile_map(x, counts, XG_TILE_FETCH_DIMS, f->map[side]->n_dims);
    m->dims[XG_TILE_STEP].range.lo = first;
    xg_tile_fetch_place(p, x, side, xg_aff_dim(x, XG_TILE_LANE), &row, &k);
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_dim(x, XG_TILE_BATCH);
    row = xg_aff_add_dim(x, row, XG_TILE_TILE, xg_tile_pace(p, side, p->fetch[side].rows));
    linear[side ? XG_TILE_N : XG_TILE_M] = row;
    linear[XG_TILE_K] = xg_aff_add_dim(x, k, XG_TILE_STEP, xg_tile_sums_groups(p) ? 1 : xg_tile_pack_k(p, side));
    linear[XG_TILE_K] = xg_aff_add_k(x, linear[XG_TILE_K], -xg_tile_lead(p));
    xg_tile_set_variables(f, x, m, linear);
    made = xg_imap_compose(x, m, f->map[side]);
    if (!xg_tile_sums_groups(p) || !xg_imap_ok(made)) return made;
    m = xg_imap_copy(x, made, 0); /* drop the conditions on the step: the group's end is a stricter one */
    for (v = m->n_constraints; v-- > 0;)
        if (xg_aff_uses(m->constraints[v].expr, xg_aff_dim(x, XG_TILE_STEP)))
            m->constraints[v] = m->constraints[--m->n_constraints];
    return m;
}
XG_FN bool xg_tile_lanes_agree(xg_aff_ctx *x, const xg_imap *m, int64_t lanes) {
    const xg_aff *lane = xg_aff_dim(x, XG_TILE_LANE), *rest;
    uint32_t k;
    if (lanes == 1) return true;
    if (m->dims[XG_TILE_LANE].range.lo != 0 || m->dims[XG_TILE_LANE].range.hi != lanes - 1) return false;
    for (k = 0; k < m->n_constraints; k++) {
        const xg_constraint *c = &m->constraints[k];
        if (!xg_aff_uses(c->expr, lane)) continue;
        rest = xg_aff_sub(x, c->expr, lane);
        if (!rest || xg_aff_uses(rest, lane) || xg_aff_divisor(rest) % lanes) return false;
        if ((c->range.lo != INT64_MIN && c->range.lo % lanes) ||
            (c->range.hi != INT64_MAX && (c->range.hi + 1) % lanes))
            return false;
    }
    return true;
}

XG_FN xg_kval *xg_tile_inside(xg_tile_kernel *w, const xg_imap *m, const xg_imap *all, xg_kval *const *at) {
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_aff_env env = xg_imap_env(x, all);
    xg_kval *cond = NULL, *v[1];
    uint32_t k;
    for (k = 0; k < m->n_dims; k++)
        cond = xg_elem_and(&w->s, cond, xg_elem_within(&w->s, at[k], m->dims[k].range, all->dims[k].range));
    for (k = 0; k < m->n_constraints; k++) {
        const xg_imap *test = xg_imap_with_results(x, all, &m->constraints[k].expr, 1);
        xg_range known = xg_aff_range(&env, test->results[0]);
        if (xg_range_within(known, m->constraints[k].range)) continue;
        xg_elem_apply(&w->s, test, at, v);
        cond = xg_elem_and(&w->s, cond, xg_elem_within(&w->s, v[0], m->constraints[k].range, known));
    }
    return cond;
}

/* ---- periodic rounds ---- */

/* Finds after how many rounds each expression repeats, up to a constant that is a multiple of `of`; later rounds then
 * add that constant instead of evaluating the map. */
XG_FN void xg_tile_repeats_of(
    xg_tile_kernel *w, xg_tile_repeats *q, uint32_t side, const xg_aff *const *e, uint32_t n, int64_t of) {
    xg_tile_rounds rounds = xg_tile_rounds_of(w->p, &w->p->fetch[side]);
    uint32_t d, k = 0;
    memset(q, 0, sizeof *q);
    q->n = n;
    q->rounds[0] = rounds.rows;
    q->rounds[1] = rounds.ks;
    for (d = 0; d < 2; d++) {
        const xg_aff *round = xg_aff_dim(w->s.b.m->aff, XG_TILE_ROW_ROUND + d);
        q->by[d] = XG_NEW_N(w->e->arena, int64_t, n + (size_t)1);
        for (q->period[d] = 1; q->period[d] < q->rounds[d]; q->period[d]++) {
            for (k = 0; k < n; k++)
                if (!e[k] || !xg_aff_growth(e[k], round, q->period[d], &q->by[d][k]) || q->by[d][k] % of) break;
            if (n && k == n) break;
        }
    }
    q->made = XG_NEW_N(w->e->arena, xg_kval *, (size_t)(q->period[0] * q->period[1]) * n + 1);
}
XG_ONE_COPY XG_FN void xg_tile_repeats_at(xg_tile_repeats *q, int64_t row_round, int64_t k_round) {
    q->now[0] = row_round;
    q->now[1] = k_round;
    q->slot = (size_t)(k_round % q->period[1] * q->period[0] + row_round % q->period[0]);
}
/* The current round, or the same one of the first period. */
XG_FN xg_kval *xg_tile_repeats_round(xg_tile_kernel *w, const xg_tile_repeats *q, uint32_t d, bool first) {
    return xg_elem_index(&w->s, first ? q->now[d] % q->period[d] : q->now[d]);
}
/* An expression's value in the current round. */
XG_FN xg_kval *xg_tile_repeated(xg_tile_kernel *w, const xg_tile_repeats *q, uint32_t k) {
    int64_t more = 0;
    uint32_t d;
    for (d = 0; d < 2; d++) more += q->now[d] / q->period[d] * q->by[d][k];
    return xg_kir_index_plus(&w->s.b, q->made[q->slot * q->n + k], more, xg_str_of(NULL, 0));
}
/* ---- from memory into registers ---- */

XG_FN xg_kelem xg_tile_held(const xg_tile_kernel *w) { return xg_kelem_of(w->p->held); }
XG_FN xg_kelem xg_tile_staged_elem(const xg_tile_kernel *w, uint32_t side) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    return t->raw ? xg_kelem_of(t->from->shape->type) : xg_tile_held(w);
}
XG_FN xg_elem xg_tile_zero(xg_tile_kernel *w) {
    if (w->p->unit == XG_TILE_NO_UNIT) return xg_contract_zero(&w->s, w->p->form.sum);
    return xg_elem_real(xg_kconst_bits(&w->s.b, xg_kir_scalar(w->s.b.m, xg_tile_held(w)), 0));
}

/* The map of the current step: the first one's, or the loop's. */
XG_FN const xg_imap *xg_tile_fetched(const xg_tile_kernel *w, uint32_t side) {
    return w->looping ? w->p->fetch[side].map : w->p->fetch[side].first;
}
XG_FN xg_elem xg_tile_to_held(xg_tile_kernel *w, uint32_t side, xg_elem v) {
    const xg_tile_form *f = &w->p->form;
    xlagpu_type t = w->p->fetch[side].from->shape->type, held = w->p->fetch[side].held;
    xlagpu_type rounded = xg_contract_rounding(f->hero, t);
    if (w->p->unit != XG_KMMA_TF32) v = xg_contract_round(&w->s, f->hero, v, t); /* tf32 units ignore the low bits */
    v = xg_elem_convert_to(&w->s, v, rounded, held);
    if (xg_kelem_of(held) != xg_tile_held(w)) v.v = xg_kcast(&w->s.b, XG_K_OP_BITCAST, v.v, xg_tile_held(w));
    return v;
}
/* Copies of single elements, round by round. */
typedef struct xg_tile_gather {
    uint32_t side;
    bool shares;       /* rounds a period apart share their condition */
    const xg_imap *to; /* to the place in memory, or to the indices of a computed operand */
    xg_kval *memory;   /* the parameter as a flat array; NULL: the operand is computed */
    xg_tile_repeats q; /* of the results of `to` */
    xg_kval **conds;   /* by round of the period, if shared */
} xg_tile_gather;
/* g: NULL outside of gathers. */
XG_FN xg_elem xg_tile_element(xg_tile_kernel *w, uint32_t side, const xg_tile_gather *g, xg_kval *const *at) {
    xg_kval *index[XG_RANK_MAX];
    xg_elem v;
    uint32_t k;
    xg_emit_forget(&w->s); /* existing values belong to other indices */
    if (g)
        for (k = 0; k < g->to->n_results; k++) index[k] = xg_tile_repeated(w, &g->q, k);
    else
        xg_elem_apply(&w->s, xg_tile_fetched(w, side), at, index);
    if (g && g->memory)
        v = xg_emit_split(&w->s.b, xg_kextract(&w->s.b, g->memory, index, 1));
    else
        v = xg_elem_of(&w->s, w->p->fetch[side].from, index);
    return w->p->fetch[side].raw ? v : xg_tile_to_held(w, side, v);
}
XG_FN xg_elem xg_tile_guarded(
    xg_tile_kernel *w, uint32_t side, const xg_tile_gather *g, xg_kval *cond, xg_kval *const *at) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_elem v;
    if (!cond) return xg_tile_element(w, side, g, at);
    v = xg_tile_zero(w);
    if (w->p->fetch[side].raw) v.v = xg_kconst_bits(&w->s.b, xg_kir_scalar(w->s.b.m, xg_tile_staged_elem(w, side)), 0);
    xg_flow_elem(&f, &v);
    xg_flow_if(&f, cond);
    v = xg_tile_element(w, side, g, at);
    xg_flow_end(&f);
    return v;
}
XG_FN void xg_tile_fetch_at(xg_tile_kernel *w, uint32_t side, xg_kval *row_round, xg_kval *k_round, xg_kval **at) {
    at[XG_TILE_ROW] = w->place[side][0];
    at[XG_TILE_KS] = w->place[side][1];
    at[XG_TILE_ROW_ROUND] = row_round;
    at[XG_TILE_K_ROUND] = k_round;
    at[XG_TILE_LANE] = xg_elem_index_0(&w->s);
    at[XG_TILE_STEP] = w->step;
    if (xg_tile_sums_groups(w->p)) at[XG_TILE_STEP] = xg_tile_join(w, w->step, w->p->shape.k, w->ragged.first);
    at[XG_TILE_TILE] = w->tile[side];
    at[XG_TILE_BATCH] = w->batch;
}
#ifndef XLAGPU_SMALL
XG_APART XG_FN void xg_tile_shift(xg_tile_kernel *w) {
    xg_aff_ctx *x = w->s.b.m->aff;
    uint32_t side;
    for (side = 0; side < XG_TILE_SIDES; side++) {
        const xg_tile_fetch *t = &w->p->fetch[side];
        int64_t counts[XG_TILE_FETCH_DIMS], row, batch, first;
        const xg_aff *begin;
        xg_kval *at[XG_TILE_FETCH_DIMS];
        if (!t->shift || t->turns) continue;
        xg_tile_begins(w->p, side, &row, &batch, &first);
        xg_tile_fetch_counts(w->p, side, counts);
        w->step = xg_elem_index_0(&w->s);
        xg_tile_fetch_at(w, side, w->step, w->step, at);
        begin = xg_aff_dim(x, XG_TILE_TILE);
        begin = xg_aff_add_mul(x, xg_aff_dim(x, XG_TILE_ROW), begin, xg_tile_pace(w->p, side, t->rows));
        begin = xg_aff_add_dim(x, xg_aff_mul(x, begin, -row), XG_TILE_BATCH, -batch);
        begin = xg_aff_div(x, xg_aff_add_k(x, begin, -first), t->vector);
        begin = xg_aff_add(x, xg_aff_dim(x, XG_TILE_KS), xg_aff_mod(x, begin, t->shift));
        w->place[side][1] = xg_tile_apply(w, counts, XG_TILE_FETCH_DIMS, begin, at);
    }
}
#endif
/* The ranges of the fetch's dims in the current step. */
XG_FN xg_imap *xg_tile_fetch_all(const xg_tile_kernel *w, uint32_t side) {
    int64_t counts[XG_TILE_FETCH_DIMS];
    xg_imap *all;
    xg_tile_fetch_counts(w->p, side, counts);
    all = xg_tile_map(w->s.b.m->aff, counts, XG_TILE_FETCH_DIMS, 0);
    if (w->looping) all->dims[XG_TILE_STEP].range.lo = 1;
    return all;
}
/* The condition under which the current element exists. */
XG_FN xg_kval *xg_tile_has_elements(xg_tile_kernel *w, uint32_t side, xg_kval *const *at) {
    xg_kval *cond = xg_tile_inside(w, xg_tile_fetched(w, side), xg_tile_fetch_all(w, side), at);
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t counts[XG_TILE_FETCH_DIMS];
    const xg_aff *row, *k;
    if (!xg_tile_sums_groups(w->p)) return cond;
    xg_tile_fetch_counts(w->p, side, counts);
    counts[XG_TILE_STEP]++; /* an empty group may begin at the end */
    xg_tile_fetch_place(w->p, x, side, xg_aff_dim(x, XG_TILE_LANE), &row, &k);
    k = xg_aff_add(x, k, xg_aff_dim(x, XG_TILE_STEP));
    return xg_elem_and(&w->s, cond, xg_tile_ragged_has(w, xg_tile_apply(w, counts, XG_TILE_FETCH_DIMS, k, at)));
}
/* The condition that a thread has a vector to copy, if a step has fewer vectors than threads; NULL: always. */
XG_FN xg_kval *xg_tile_has_vector(xg_tile_kernel *w, uint32_t side) {
    int64_t vectors = w->p->fetch[side].vectors;
    if (vectors >= w->p->threads) return NULL;
    return xg_kcmpi_int(&w->s.b, XG_CI_SLT, w->thread, vectors);
}
XG_FN const xg_ktype *xg_tile_staged_type(xg_tile_kernel *w, uint32_t side) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    int64_t each = t->raw ? XG_TILE_WORD_BYTES / t->bytes : t->brick > 1 ? (int64_t)XG_TILE_WORD_BYTES : 1;
    bool words = each > 1 || (t->raw && t->bytes == XG_TILE_WORD_BYTES);
    return xg_kir_vector(w->s.b.m, words ? XG_E_I32 : xg_tile_held(w), t->vector / each);
}
/* Loads a vector of a side; elements exist under the condition (NULL: always). */
XG_FN xg_kval *xg_tile_bring_vector(xg_tile_kernel *w, uint32_t side, xg_kval *cond, xg_kval **at) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    const xg_ktype *type = xg_kir_vector(w->s.b.m, xg_tile_staged_elem(w, side), t->vector);
    xg_kval *vector = xg_kconst_bits(&w->s.b, type, 0), *put[3], *last = xg_elem_index(&w->s, t->vector);
    xg_flow f = xg_flow_of(&w->s, &vector);
    at[XG_TILE_LANE] = xg_flow_for(&f, at[XG_TILE_LANE], last, 1, t->vector);
    put[0] = xg_tile_guarded(w, side, NULL, cond, at).v;
    put[1] = vector;
    put[2] = at[XG_TILE_LANE];
    vector = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, put, 3, type);
    xg_flow_end(&f);
    if (t->brick == 1 && !t->raw) return vector;
    return xg_kir_of(&w->s.b, XG_K_OP_BITCAST, vector, xg_tile_staged_type(w, side));
}
/* The condition that a thread copies something of a side; NULL: always. */
XG_FN xg_kval *xg_tile_brings(xg_tile_kernel *w, uint32_t side, xg_kval *const *at) {
    xg_kval *has = xg_tile_has_vector(w, side);
    return xg_elem_and(&w->s, has, xg_tile_has_elements(w, side, at));
}
/* Loads a thread's vector of a side in one round. */
XG_FN xg_elem xg_tile_bring(xg_tile_kernel *w, uint32_t side, int64_t round) {
    xg_tile_rounds r = xg_tile_rounds_of(w->p, &w->p->fetch[side]);
    xg_kval *at[XG_TILE_FETCH_DIMS], *row_round = xg_elem_index(&w->s, round % r.rows);
    xg_tile_fetch_at(w, side, row_round, xg_elem_index(&w->s, round / r.rows), at);
    return xg_elem_real(xg_tile_bring_vector(w, side, xg_tile_brings(w, side, at), at));
}

/* ---- single elements, round by round ---- */

/* True if no condition differs between rounds that are a period apart. */
XG_FN bool xg_tile_gather_shares(
    const xg_tile_gather *g, xg_aff_ctx *x, const xg_imap *m, const xg_imap *all, bool sums) {
    uint32_t d, k;
    int64_t by = 0;
    if (sums) return false;
    for (d = 0; d < 2; d++) {
        uint32_t dim = XG_TILE_ROW_ROUND + d;
        if (g->q.period[d] == g->q.rounds[d]) continue;
        if (!xg_range_equal(m->dims[dim].range, all->dims[dim].range)) return false;
        for (k = 0; k < m->n_constraints; k++)
            if (!xg_aff_growth(m->constraints[k].expr, xg_aff_dim(x, dim), g->q.period[d], &by) || by) return false;
    }
    return true;
}
/* If the operand is a parameter that was only moved, reads the parameter directly. */
XG_FN void xg_tile_gather_from(xg_tile_kernel *w, xg_tile_gather *g) {
    const xg_inst *from = w->p->fetch[g->side].from, *i;
    const xg_imap *to = g->to = xg_tile_fetched(w, g->side);
    xg_kval *tensor;
    i = xg_tile_moved_from(w->s.b.m->aff, from, &to);
    if (i->op != XG_PARAMETER || i->shape->type != from->shape->type) return;
    to = xg_indexing_flatten(w->s.b.m->aff, to, i->shape);
    if (!xg_imap_ok(to)) return;
    g->to = to;
    tensor = w->s.tensors[i->number];
    g->memory = xg_kir_of(
        &w->s.b, XG_K_OP_VIEW, tensor, xg_kir_tensor(w->s.b.m, tensor->type->elem, &tensor->type->elements, 1));
}
XG_APART XG_FN void xg_tile_gather_begin(xg_tile_kernel *w, xg_tile_gather *g, uint32_t side) {
    const xg_imap *all = xg_tile_fetch_all(w, side);
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_imap *to;
    memset(g, 0, sizeof *g);
    g->side = side;
    xg_tile_gather_from(w, g);
    xg_tile_repeats_of(w, &g->q, side, g->to->results, g->to->n_results, 1);
    g->shares = xg_tile_gather_shares(g, x, xg_tile_fetched(w, side), all, xg_tile_sums_groups(w->p));
    to = xg_imap_copy(x, g->to, 0);
    memcpy(to->dims, all->dims, XG_TILE_FETCH_DIMS * sizeof *to->dims);
    to->n_constraints = 0; /* a place is computed in front of its conditions, so these must not simplify it */
    g->to = to;
    g->conds = XG_NEW_N(w->e->arena, xg_kval *, (size_t)(g->q.period[0] * g->q.period[1]));
}
/* The values of the fetch's dims in the current round, or in the same one of the first period. */
XG_FN void xg_tile_gather_at(xg_tile_kernel *w, const xg_tile_gather *g, bool first, xg_kval **at) {
    xg_kval *rounds[2];
    uint32_t d;
    for (d = 0; d < 2; d++) rounds[d] = xg_tile_repeats_round(w, &g->q, d, first);
    xg_tile_fetch_at(w, g->side, rounds[0], rounds[1], at);
}
/* Computes place and condition of a round of the first period. */
XG_FN void xg_tile_gather_first(xg_tile_kernel *w, xg_tile_gather *g) {
    uint32_t n = g->to->n_results, k;
    xg_kval **place = g->q.made + g->q.slot * n, *at[XG_TILE_FETCH_DIMS];
    xg_tile_gather_at(w, g, true, at);
    if (g->shares) g->conds[g->q.slot] = xg_tile_brings(w, g->side, at);
    for (k = 0; k < n; k++) { /* each on its own, since none has readers yet */
        const xg_imap *one = xg_imap_with_results(w->s.b.m->aff, g->to, &g->to->results[k], 1);
        xg_elem_apply(&w->s, one, at, &place[k]);
        if (place[k]->def && place[k]->def->p == one) place[k] = xg_kir_simplify_index(w->s.b.m, place[k]);
    }
}
/* Loads a thread's element of a side in one round. */
XG_APART XG_FN xg_elem xg_tile_gathered(xg_tile_kernel *w, xg_tile_gather *g, int64_t round) {
    xg_kval *at[XG_TILE_FETCH_DIMS], *cond;
    xg_tile_repeats_at(&g->q, round % g->q.rounds[0], round / g->q.rounds[0]);
    if (!g->to->n_results || !g->q.made[g->q.slot * g->q.n]) xg_tile_gather_first(w, g);
    cond = g->conds[g->q.slot];
    if (!g->shares) {
        xg_tile_gather_at(w, g, false, at);
        cond = xg_tile_brings(w, g->side, at);
    }
    return xg_tile_guarded(w, g->side, g, cond, at);
}

/* ---- from registers into shared memory ---- */

XG_FN xg_kval *xg_tile_unstage(xg_tile_kernel *w, uint32_t side, xg_kval *staged) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    int64_t each = XG_TILE_WORD_BYTES / t->bytes, n = each * staged->type->elements, k;
    bool floats = xg_tile_unit_has_floats(w->p, t->from->shape->type);
    const xg_ktype *words = staged->type, *part;
    xg_kval *o[3], *vector, *word[2];
    vector = xg_kconst_bits(&w->s.b, xg_kir_vector(w->s.b.m, xg_tile_held(w), n), 0);
    part = floats ? xg_kir_vector(w->s.b.m, vector->type->elem, 2)
                  : xg_kir_vector(w->s.b.m, xg_tile_staged_elem(w, side), each);
    for (k = 0; k < n; k++) {
        o[0] = staged;
        o[1] = xg_elem_index(&w->s, k / each);
        if (k % each == 0) {
            word[0] = xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->s.b.m, words->elem));
            if (floats) xg_tile_unit_floats(w, side, word[0], false, word);
        }
        o[0] = xg_kir_value(&w->s.b, XG_K_OP_BITCAST, &word[floats ? k / 2 % 2 : 0], 1, part);
        o[1] = xg_elem_index(&w->s, k % part->elements);
        o[0] = xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->s.b.m, part->elem));
        if (!floats) o[0] = xg_tile_to_held(w, side, xg_elem_real(o[0])).v;
        o[1] = vector;
        o[2] = xg_elem_index(&w->s, k);
        vector = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, vector->type);
    }
    return vector;
}

/* Converts staged words to the form in shared memory. */
XG_FN xg_kval *xg_tile_to_shared(xg_tile_kernel *w, uint32_t side, xg_kval *staged) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    const xg_ktype *type;
    if (!t->raw) return staged;
    if (!t->late) return xg_tile_unstage(w, side, staged);
    type = xg_kir_vector(w->s.b.m, xg_tile_held(w), t->vector * t->bytes / xg_type_bytes(w->p->held));
    return xg_kir_of(&w->s.b, XG_K_OP_BITCAST, staged, type);
}
/* Permutes k for products of bytes with 16-bit types. A fragment of bytes gives four consecutive k, or, `packed`, two
 * fragments eight; one of 16 bits takes two, and two more eight further on. So the rows of the 16-bit side are stored
 * in that order. */
XG_FN const xg_aff *xg_tile_word_place(xg_aff_ctx *x, const xg_aff *k, bool packed) {
    enum {
        PAIR = 2, /* elements of a word */
        WORDS = 8 /* of a fragment's k */
    };
    const xg_aff *word = xg_aff_div(x, k, PAIR), *in = xg_aff_mod(x, word, packed ? 2 * WORDS : WORDS);
    const xg_aff *to = xg_aff_add_mul(x, xg_aff_div(x, in, packed ? 4 : 2), xg_aff_mod(x, in, 2), WORDS / 2);
    if (packed) to = xg_aff_add_mul(x, to, xg_aff_mod(x, xg_aff_div(x, in, 2), 2), WORDS);
    return xg_aff_mul(x, xg_aff_add(x, xg_aff_sub(x, word, in), to), PAIR);
}
/* The place in shared memory of lane `lane`, before swizzling, as an expression of the fetch's dims and the buffer. */
XG_FN const xg_aff *xg_tile_spot_place(const xg_tile_kernel *w, uint32_t side, int64_t lane) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *row, *k, *at;
    xg_tile_fetch_place(w->p, x, side, xg_aff_const(x, lane), &row, &k);
    if (t->late && !t->by_rows)
        row = xg_aff_div(x, xg_aff_mul(x, row, t->bytes), xg_type_bytes(w->p->held));
    else if (t->late)
        k = xg_aff_div(x, xg_aff_mul(x, k, t->bytes), xg_type_bytes(w->p->held));
    else if (xg_tile_pack_moves(w->p))
        k = xg_tile_word_place(x, k, xg_tile_pack_is(w->p, XG_TILE_PACK_BESIDE) && !xg_tile_is_across(w->p, 1));
    if (t->line && t->by_rows)
        row = xg_aff_mul(x, row, t->line);
    else if (t->line) {
        k = xg_aff_add_mul(x, xg_aff_mod(x, row, t->line), k, t->line);
        row = xg_aff_mul(x, xg_aff_div(x, row, t->line), w->p->shape.k * t->line);
    } else if (t->slant)
        row = xg_aff_add_mul(x, xg_aff_mul(x, row, t->pitch), xg_aff_div(x, row, XG_KMMA_M), t->slant);
    else if (t->by_rows)
        row = xg_aff_mul(x, row, t->pitch);
    else
        k = xg_aff_mul(x, k, t->pitch);
    at = xg_aff_add_k(x, xg_aff_add(x, row, k), t->offset);
    return xg_aff_add_dim(x, at, 4, xg_tile_buffer(w->p, side));
}
XG_FN xg_kval *xg_tile_spot_of(
    xg_tile_kernel *w, uint32_t side, xg_kval *row_round, xg_kval *k_round, const xg_aff *place, xg_kval *buffer) {
    int64_t counts[XG_TILE_FETCH_DIMS], own[5];
    xg_tile_lined lined;
    xg_kval *v[5];
    xg_tile_fetch_counts(w->p, side, counts);
    memcpy(own, counts, 4 * sizeof *own);
    own[4] = w->p->shape.stages;
    v[XG_TILE_ROW] = w->place[side][0];
    v[XG_TILE_KS] = w->place[side][1];
    v[XG_TILE_ROW_ROUND] = row_round;
    v[XG_TILE_K_ROUND] = k_round;
    v[4] = buffer;
    if (!w->p->fetch[side].line) return xg_tile_apply(w, own, 5, place, v);
    lined.elements = w->p->shared;
    lined.bytes = xg_type_bytes(w->p->held);
    return xg_tile_group_spot(w, lined, own, 5, place, v);
}
XG_FN xg_kval *xg_tile_spot(xg_tile_kernel *w, uint32_t side, xg_kval *row_round, xg_kval *k_round, xg_kval *buffer) {
    return xg_tile_spot_of(w, side, row_round, k_round, xg_tile_spot_place(w, side, 0), buffer);
}
/* Prepares the places of a side's rounds in a buffer. Swizzled lines repeat after a whole group of lines. */
XG_FN void xg_tile_spots_begin(xg_tile_kernel *w, xg_tile_spots *s, uint32_t side, xg_kval *buffer) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    uint32_t n = (uint32_t)t->vector, k;
    int64_t group = XG_KWGMMA_LINES * XG_KWGMMA_LINE_BYTES / xg_type_bytes(w->p->held);
    s->side = side;
    s->buffer = buffer;
    s->lanes = XG_NEW_N(w->e->arena, const xg_aff *, n);
    for (k = 0; k < n; k++) s->lanes[k] = xg_tile_spot_place(w, side, k);
    xg_tile_repeats_of(w, &s->q, side, s->lanes, n, t->line ? group : 1);
}
XG_FN xg_kval *xg_tile_spots_at(xg_tile_kernel *w, xg_tile_spots *s, int64_t row_round, int64_t k_round, int64_t lane) {
    xg_kval **made;
    xg_tile_repeats_at(&s->q, row_round, k_round);
    made = &s->q.made[s->q.slot * s->q.n + (size_t)lane];
    if (!*made) {
        xg_kval *first[2], *spot;
        first[0] = xg_tile_repeats_round(w, &s->q, 0, true);
        first[1] = xg_tile_repeats_round(w, &s->q, 1, true);
        spot = xg_tile_spot_of(w, s->side, first[0], first[1], s->lanes[lane], s->buffer);
        *made = xg_kir_simplify_index(w->s.b.m, spot);
    }
    return xg_tile_repeated(w, &s->q, (uint32_t)lane);
}
XG_FN void xg_tile_put_into(xg_tile_kernel *w, xg_kval **array, xg_kval *vector, xg_kval *spot) {
    xg_kval *v[3];
    v[0] = vector;
    v[1] = *array;
    v[2] = spot;
    *array = xg_kir_value(&w->s.b, XG_K_OP_WRITE, v, 3, (*array)->type);
}
XG_FN void xg_tile_put_vector(xg_tile_kernel *w, xg_kval *vector, xg_kval *spot) {
    xg_tile_put_into(w, &w->shared, vector, spot);
}
XG_FN void xg_tile_put(xg_tile_kernel *w, xg_tile_spots *s, int64_t round) {
    const xg_tile_fetch *t = &w->p->fetch[s->side];
    int64_t row_round = round % s->q.rounds[0], k_round = round / s->q.rounds[0];
    xg_elem v = w->staged[s->side][round];
    xg_kval *o[2], *at;
    int64_t lane;
    v.v = xg_tile_to_shared(w, s->side, v.v);
    if (t->vector > 1 && t->along_k == t->by_rows) {
        xg_tile_put_vector(w, v.v, xg_tile_spots_at(w, s, row_round, k_round, 0));
        return;
    }
    for (lane = 0; lane < t->vector; lane++) {
        xg_elem one = v;
        o[0] = v.v;
        o[1] = xg_elem_index(&w->s, lane);
        if (t->vector > 1) {
            const xg_ktype *scalar = xg_kir_scalar(w->s.b.m, v.v->type->elem);
            one = xg_elem_real(xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, scalar));
        }
        at = xg_tile_spots_at(w, s, row_round, k_round, lane);
        w->shared = xg_kinsert_at(&w->s.b, xg_emit_join(&w->s.b, one), w->shared, at);
    }
}
XG_FN void xg_tile_put_step(xg_tile_kernel *w, xg_kval *buffer) {
    uint32_t side;
    int64_t k;
    for (side = 0; side < XG_TILE_SIDES; side++) {
        xg_flow f = xg_flow_of(&w->s, &w->shared);
        xg_tile_spots s;
        if (w->p->fetch[side].async) continue;
        xg_flow_if(&f, xg_tile_has_vector(w, side));
        xg_tile_spots_begin(w, &s, side, buffer);
        if (w->p->fetch[side].brick > 1)
            xg_tile_unit_put_bricks(w, &s);
        else
            for (k = 0; k < w->p->fetch[side].rounds; k++) xg_tile_put(w, &s, k);
        xg_flow_end(&f);
    }
}

/* ---- from memory into shared memory ---- */

XG_FN xg_kval *xg_tile_lane_spot(xg_tile_kernel *w, xg_kval *first, xg_kval *lane, int64_t lanes, int64_t apart) {
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_imap *sum = xg_imap_of_dims(x, 2, 1);
    xg_kval *both[2];
    sum->dims[0].range = xg_range_of(0, w->p->shared - 1 - (lanes - 1) * apart);
    sum->dims[1].range = xg_range_of(0, lanes - 1);
    sum->results[0] = xg_aff_add_dim(x, xg_aff_dim_0(x), 1, apart);
    both[0] = first;
    both[1] = lane;
    return xg_kapply(&w->s.b, sum, both)->results;
}
XG_FN void xg_tile_put_zeros(xg_tile_kernel *w, int64_t lanes, xg_kval *spot) {
    const xg_ktype *type = xg_kir_vector(w->s.b.m, w->shared->type->elem, lanes);
    xg_tile_put_vector(w, xg_kconst_bits(&w->s.b, type, 0), spot);
}
/* Copies a thread's elements of one round, under its guard: the load of each is directly followed by its store, which
 * makes an asynchronous copy of the two. */
XG_FN void xg_tile_copy_vector(xg_tile_kernel *w, uint32_t side, xg_kval **at, xg_kval *first) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    xg_flow f = xg_flow_of(&w->s, &w->shared);
    xg_kval *last, *spot = first;
    if (t->late) {
        xg_tile_put_vector(w, xg_tile_to_shared(w, side, xg_tile_bring_vector(w, side, NULL, at)), first);
        return;
    }
    if (t->vector > 1) {
        last = xg_elem_index(&w->s, t->vector);
        at[XG_TILE_LANE] = xg_flow_for(&f, at[XG_TILE_LANE], last, 1, t->vector);
        spot = xg_tile_lane_spot(w, first, at[XG_TILE_LANE], t->vector, 1);
    }
    w->shared = xg_kinsert_at(&w->s.b, xg_tile_element(w, side, NULL, at).v, w->shared, spot);
    xg_flow_end(&f);
}
XG_FN void xg_tile_copy(xg_tile_kernel *w, uint32_t side, xg_kval *row_round, xg_kval *k_round, xg_kval *buffer) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    xg_kval *at[XG_TILE_FETCH_DIMS], *cond, *spot;
    xg_flow f = xg_flow_of(&w->s, &w->shared);
    xg_tile_fetch_at(w, side, row_round, k_round, at);
    spot = xg_tile_spot(w, side, row_round, k_round, buffer);
    cond = xg_tile_has_elements(w, side, at);
    xg_flow_if(&f, cond);
    xg_tile_copy_vector(w, side, at, spot);
    if (cond) {
        xg_flow_else(&f);
        if (t->vector == 1)
            w->shared = xg_kinsert_at(&w->s.b, xg_tile_zero(w).v, w->shared, spot);
        else
            xg_tile_put_zeros(w, t->late ? t->vector * t->bytes / xg_type_bytes(w->p->held) : t->vector, spot);
    }
    xg_flow_end(&f);
}
typedef struct xg_tile_span {
    int64_t first, last, by;
} xg_tile_span;
XG_FN xg_kval *xg_tile_span_for(xg_tile_kernel *w, xg_flow *f, xg_tile_span s) {
    xg_kval *first = xg_elem_index(&w->s, s.first), *v;
    if (s.last - s.first <= s.by) return first;
    v = xg_flow_for(f, first, xg_elem_index(&w->s, s.last), s.by, s.last);
    f->op->flags = KL_UNROLL_LOWERED;
    return v;
}
/* Copies rounds along k, and along rows within these: loops that are unrolled after lowering, because their rounds
 * differ only in constants. */
XG_FN void xg_tile_copy_rounds(xg_tile_kernel *w, uint32_t side, xg_kval *buffer, xg_tile_span ks, xg_tile_span rows) {
    xg_flow outer = xg_flow_of(&w->s, &w->shared), inner;
    xg_kval *k_round, *row_round;
    if (ks.first >= ks.last || rows.first >= rows.last) return;
    k_round = xg_tile_span_for(w, &outer, ks);
    inner = xg_flow_of(&w->s, &w->shared);
    row_round = xg_tile_span_for(w, &inner, rows);
    xg_tile_copy(w, side, row_round, k_round, buffer);
    xg_flow_end(&inner);
    xg_flow_end(&outer);
}
XG_APART XG_FN xg_tile_span xg_tile_span_of(int64_t first, int64_t last, int64_t by) {
    xg_tile_span s;
    s.first = first;
    s.last = last;
    s.by = by;
    return s;
}
#ifndef XLAGPU_SMALL
/* The row with which a thread begins in a round of k, and in each `turns` rounds later. */
XG_APART XG_FN xg_kval *xg_tile_turned(xg_tile_kernel *w, uint32_t side, int64_t turn) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t counts[XG_TILE_FETCH_DIMS], row, batch, first;
    xg_kval *at[XG_TILE_FETCH_DIMS], *zero = xg_elem_index_0(&w->s);
    const xg_aff *begin;
    xg_tile_begins(w->p, side, &row, &batch, &first);
    xg_tile_fetch_counts(w->p, side, counts);
    counts[XG_TILE_ROW] -= t->shift - 1;
    counts[XG_TILE_STEP] = 1;
    xg_tile_fetch_at(w, side, zero, zero, at);
    at[XG_TILE_STEP] = zero;
    begin = xg_aff_add_k(x, xg_aff_dim(x, XG_TILE_KS), turn * xg_tile_rounds_of(w->p, t).k_step);
    begin = xg_aff_add_dim(x, xg_aff_mul(x, begin, -row), XG_TILE_BATCH, -batch);
    begin = xg_aff_mod(x, xg_aff_add_k(x, begin, -first), t->shift);
    return xg_tile_apply(w, counts, XG_TILE_FETCH_DIMS, xg_aff_add(x, xg_aff_dim(x, XG_TILE_ROW), begin), at);
}
XG_FN void xg_tile_copy_turns(xg_tile_kernel *w, uint32_t side, xg_kval *buffer) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    xg_tile_rounds r = xg_tile_rounds_of(w->p, t);
    xg_kval *row = w->place[side][0];
    int64_t turn;
    for (turn = 0; turn < t->turns; turn++) {
        xg_tile_span ks = xg_tile_span_of(turn, r.ks, t->turns);
        w->place[side][0] = xg_tile_turned(w, side, turn);
        xg_tile_copy_rounds(w, side, buffer, ks, xg_tile_span_of(0, r.rows - 1, 1));
        xg_tile_copy_rounds(w, side, buffer, ks, xg_tile_span_of(r.rows - 1, r.rows, 1));
        w->place[side][0] = row;
    }
}
#endif
/* Copies one step. Where rows are shifted, only the last round wraps around to the step's begin. */
XG_APART XG_FN void xg_tile_copy_step(xg_tile_kernel *w, uint32_t side, xg_kval *buffer) {
    enum {
        WRITTEN_OUT = 32 /* rounds: kir/unroll.c keeps longer loops, which then compute every address */
    };
    xg_tile_rounds r = xg_tile_rounds_of(w->p, &w->p->fetch[side]);
    int64_t whole = r.ks - (w->p->fetch[side].shift > 0), k;
    xg_tile_span rows = xg_tile_span_of(0, r.rows, 1);
    xg_flow some = xg_flow_of(&w->s, &w->shared);
    xg_flow_if(&some, xg_tile_has_vector(w, side));
#ifndef XLAGPU_SMALL
    if (w->p->fetch[side].turns)
        xg_tile_copy_turns(w, side, buffer);
    else
#endif
    {
        for (k = 0; k < whole; k += WRITTEN_OUT)
            xg_tile_copy_rounds(w, side, buffer, xg_tile_span_of(k, XG_MIN(k + WRITTEN_OUT, whole), 1), rows);
        xg_tile_copy_rounds(w, side, buffer, xg_tile_span_of(whole, r.ks, 1), rows);
    }
    xg_flow_end(&some);
}

/* ---- on a processor, where rounds and lanes are loops ---- */

/* Copies a thread's elements of one round. Contiguous lanes become a vector. */
XG_FN void xg_tile_pass(xg_tile_kernel *w, uint32_t side, xg_kval *row_round, xg_kval *k_round, xg_kval *buffer) {
    const xg_tile_fetch *t = &w->p->fetch[side];
    bool turned = t->along_k != t->by_rows;
    xg_kval *at[XG_TILE_FETCH_DIMS], *spot = xg_tile_spot(w, side, row_round, k_round, buffer), *cond;
    xg_flow f = xg_flow_of(&w->s, &w->shared);
    xg_tile_fetch_at(w, side, row_round, k_round, at);
    cond = xg_tile_has_elements(w, side, at);
    if (t->vector > 1) {
        f.rolled = true;
        at[XG_TILE_LANE] = xg_flow_for(&f, at[XG_TILE_LANE], xg_elem_index(&w->s, t->vector), 1, t->vector);
        if (!turned) f.op->flags |= KL_LANES;
        spot = xg_tile_lane_spot(w, spot, at[XG_TILE_LANE], t->vector, turned ? t->pitch : 1);
    }
    w->shared =
        xg_kinsert_at(&w->s.b, xg_emit_join(&w->s.b, xg_tile_guarded(w, side, NULL, cond, at)), w->shared, spot);
    xg_flow_end(&f);
}
XG_FN xg_kval *xg_tile_pass_for(xg_tile_kernel *w, xg_flow *f, int64_t rounds) {
    xg_kval *first = xg_elem_index_0(&w->s);
    if (rounds == 1) return first;
    f->rolled = true;
    return xg_flow_for(f, first, xg_elem_index(&w->s, rounds), 1, rounds);
}
XG_FN void xg_tile_pass_step(xg_tile_kernel *w, xg_kval *step, xg_kval *buffer) {
    uint32_t side;
    w->step = xg_tile_own_step(w, step);
    for (side = 0; side < XG_TILE_SIDES; side++) {
        xg_tile_rounds r = xg_tile_rounds_of(w->p, &w->p->fetch[side]);
        xg_flow some = xg_flow_of(&w->s, &w->shared), outer, inner;
        xg_kval *k_round, *row_round;
        xg_flow_if(&some, xg_tile_has_vector(w, side));
        outer = xg_flow_of(&w->s, &w->shared);
        row_round = xg_tile_pass_for(w, &outer, r.rows);
        inner = xg_flow_of(&w->s, &w->shared);
        k_round = xg_tile_pass_for(w, &inner, r.ks);
        xg_tile_pass(w, side, row_round, k_round, buffer);
        xg_flow_end(&inner);
        xg_flow_end(&outer);
        xg_flow_end(&some);
    }
}

/* ---- a step ---- */

XG_FN void xg_tile_bring_step(xg_tile_kernel *w, xg_kval *step, xg_kval *buffer) {
    uint32_t side;
    int64_t k;
    w->step = xg_tile_own_step(w, step);
    for (side = 0; side < XG_TILE_SIDES; side++) {
        const xg_tile_fetch *t = &w->p->fetch[side];
        xg_tile_gather g;
        if (w->p->shape.patch && !side)
            xg_tile_patch_bring(w, buffer);
        else if (t->async)
            xg_tile_copy_step(w, side, buffer);
        else if (t->vector > 1)
            for (k = 0; k < t->rounds; k++) w->staged[side][k] = xg_tile_bring(w, side, k);
        else {
            xg_tile_gather_begin(w, &g, side);
            for (k = 0; k < t->rounds; k++) w->staged[side][k] = xg_tile_gathered(w, &g, k);
        }
    }
}
XG_FN void xg_tile_wait(xg_tile_kernel *w) {
    xg_kop *op = xg_shared_wait(&w->s.b, &w->shared, 1);
    op->a = w->team ? w->p->threads : 0;
    op->b = w->team;
}

/* ---- operands in registers between steps ---- */

XG_FN void xg_tile_carry_staged(xg_tile_kernel *w, xg_flow *f) {
    uint32_t side;
    int64_t k;
    for (side = 0; side < XG_TILE_SIDES; side++)
        for (k = 0; k < w->p->fetch[side].rounds; k++)
            if (!w->p->fetch[side].async) xg_flow_elem(f, &w->staged[side][k]);
}
/* Zeros instead of a step's operands. */
XG_FN void xg_tile_bring_nothing(xg_tile_kernel *w) {
    uint32_t side;
    int64_t k;
    for (side = 0; side < XG_TILE_SIDES; side++)
        for (k = 0; k < w->p->fetch[side].rounds && !w->p->fetch[side].async; k++) {
            w->staged[side][k] = xg_tile_zero(w);
            if (w->p->fetch[side].vector > 1)
                w->staged[side][k].v = xg_kconst_bits(&w->s.b, xg_tile_staged_type(w, side), 0);
        }
}

#endif /* XG_SCHED_TILE_BRING_C */
