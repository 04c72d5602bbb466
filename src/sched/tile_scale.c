/* sched/tile_scale.c -- weights of bytes that a number of each column, or of some k of a column, multiplies:
 *
 *     dot(x, multiply(convert(bytes), broadcast(scales)))
 *
 * The bytes come as such into shared memory, as those without scales do; a fragment's floats are multiplied by words of
 * two equal halves, which a lane has for each of its columns. The product is rounded where the module rounds it. */
#ifndef XG_SCHED_TILE_SCALE_C
#define XG_SCHED_TILE_SCALE_C
#include "tile.h"

/* The product of which the right operand's elements are, and what its map leads to then. */
XG_FN const xg_inst *xg_tile_product_of(const xg_tile_form *f, xg_aff_ctx *x, const xg_imap **m) {
    const xg_inst *i = XG_OPERAND(f->hero, f->operand[1]);
    for (*m = f->map[1]; i->op == XG_BITCAST || i->op == XG_RESHAPE || i->op == XG_TRANSPOSE; i = XG_OPERAND(i, 0))
        if (!xg_imap_ok(*m = xg_imap_compose(x, *m, xg_indexing_operand(x, i, 0)))) return NULL;
    return i->op == XG_MULTIPLY ? i : NULL;
}
/* How many k in a row, of those that steps may have, are multiplied by the same; 0: that differs. */
XG_FN int64_t xg_tile_scale_run(const xg_tile_plan *p, xg_aff_ctx *x) {
    enum {
        MOST = 1 << 10,
        LEAST = 32
    };
    const xg_imap *m = p->form.map[1], *place;
    const xg_inst *from = xg_tile_moved_from(x, p->scale, &m);
    int64_t all = p->form.group[XG_TILE_K].size, run, next;
    for (run = all, next = MOST; xg_imap_ok(m) && run >= LEAST; run = next, next /= 2) { /* all, then powers of two */
        if (all % run) continue;
        place = xg_tile_probe(&p->form, x, 1, m, from->shape, true, run);
        if (xg_imap_ok(place) && !xg_aff_uses(place->results[0], xg_aff_dim(x, 2))) return run;
    }
    return 0;
}
XG_FN void xg_tile_find_scale(xg_tile_plan *p, xg_aff_ctx *x) {
    const xg_imap *m;
    const xg_inst *i = xg_tile_product_of(&p->form, x, &m);
    uint32_t k;
    p->scale = NULL;
    if (!i || p->form.hero->op != XG_DOT || i->shape->type != p->held || xg_type_bits(p->held) != 16) return;
    if (p->unit == XG_TILE_NO_UNIT || xg_contract_rounding(p->form.hero, p->held) != p->held) return;
    for (k = 0; k < 2 && !p->scale; k++) {
        p->scaled = xg_tile_narrow(XG_OPERAND(i, k));
        if (xg_type_bits(p->scaled->shape->type) == 8 && xg_tile_holds(p->scaled->shape->type, p->held) &&
            xg_tile_is_moved(p->scaled))
            p->scale = XG_OPERAND(i, 1 - k);
    }
    if (!p->scale) return;
    p->form.map[1] = m;
    p->fetch[1].from = p->product = i;
    p->scale_run = xg_tile_scale_run(p, x);
    if (!p->scale_run) p->scale = NULL;
}
XG_FN bool xg_tile_scale_suits(const xg_tile_plan *p, int64_t k) {
    return p->scale_run % k == 0 && p->form.group[XG_TILE_K].size % k == 0;
}
/* Each step has numbers of its own. */
XG_FN bool xg_tile_scale_varies(const xg_tile_plan *p) { return p->scale_run < p->form.group[XG_TILE_K].size; }

enum {
    XG_TILE_SCALE_LANE, /* a quarter of the lane's number: lanes beside each other have k of the same column */
    XG_TILE_SCALE_WARP,
    XG_TILE_SCALE_STEP,
    XG_TILE_SCALE_TILE,
    XG_TILE_SCALE_BATCH,
    XG_TILE_SCALE_DIMS
};
/* To the product's indices: of matrix `matrix` of the warp's right side. */
XG_FN const xg_imap *xg_tile_scale_map(const xg_tile_plan *p, xg_aff_ctx *x, const int64_t *counts, int64_t matrix) {
    const xg_aff *linear[XG_TILE_ROLES], *vars[XG_TILE_VARS_MAX], *lane = xg_aff_dim(x, XG_TILE_SCALE_LANE), *row;
    xg_imap *m = xg_tile_map(x, counts, XG_TILE_SCALE_DIMS, p->form.n_vars);
    xg_aff_env env = xg_imap_env(x, m);
    bool across = xg_tile_is_across(p, 1);
    uint32_t v;
    row = xg_aff_add_k(x, xg_aff_mul(x, lane, across ? 2 : 1), across ? matrix % 2 : matrix % 2 * XG_KMMA_N);
    row = xg_aff_add_dim(x, row, XG_TILE_SCALE_WARP, XG_KMMA_M);
    row = xg_aff_add_k(x, row, matrix / 2 * p->columns * XG_KMMA_M);
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_dim(x, XG_TILE_SCALE_BATCH);
    linear[XG_TILE_N] = xg_aff_add_dim(x, row, XG_TILE_SCALE_TILE, p->shape.n);
    linear[XG_TILE_K] = xg_aff_mul(x, xg_aff_dim(x, XG_TILE_SCALE_STEP), p->shape.k);
    xg_tile_variables(&p->form, &env, linear, vars);
    for (v = 0; v < p->form.n_vars; v++) m->results[v] = vars[v];
    return xg_imap_compose(x, m, p->form.map[1]);
}
/* The number for a matrix; of columns that are none, zero. */
XG_FN xg_kval *xg_tile_scale_number(
    xg_tile_kernel *w, const xg_imap *map, const xg_imap *all, xg_kval *const *at, xg_elem v) {
    xg_flow f = xg_flow_of(&w->s, NULL);
    xg_kval *index[XG_RANK_MAX], *cond = xg_tile_inside(w, map, all, at);
    if (cond) xg_flow_elem(&f, &v);
    xg_flow_if(&f, cond);
    xg_emit_forget(&w->s);
    xg_elem_apply(&w->s, map, at, index);
    v = xg_elem_of(&w->s, w->p->scale, index);
    xg_flow_end(&f);
    return v.v;
}
XG_FN int64_t xg_tile_scale_numbers(const xg_tile_plan *p) {
    return p->deep > 1 && p->scale ? p->shape.tn / XG_KMMA_N : 0;
}
XG_FN void xg_tile_scale_read(xg_tile_kernel *w, xg_kval *step, xg_kval **numbers) {
    const xg_tile_plan *p = w->p;
    xg_kval *at[XG_TILE_SCALE_DIMS], *last = xg_k2_int(&w->s.b, XG_K_OP_SUBI, w->steps, 1);
    int64_t counts[XG_TILE_SCALE_DIMS], k;
    const xg_imap *all;
    step = xg_k2(&w->s.b, XG_K_OP_MINSI, step, last); /* what comes behind the last step is not multiplied by */
    step = xg_k2_int(&w->s.b, XG_K_OP_MAXSI, step, 0);
    counts[XG_TILE_SCALE_LANE] = XG_WARP_LANES / 4;
    counts[XG_TILE_SCALE_WARP] = p->columns;
    counts[XG_TILE_SCALE_STEP] = p->all_steps;
    counts[XG_TILE_SCALE_TILE] = p->tiles[1];
    counts[XG_TILE_SCALE_BATCH] = p->batch;
    at[XG_TILE_SCALE_LANE] = w->quarter;
    at[XG_TILE_SCALE_WARP] = w->column;
    at[XG_TILE_SCALE_STEP] = xg_tile_own_step(w, step);
    at[XG_TILE_SCALE_TILE] = w->tile[1];
    at[XG_TILE_SCALE_BATCH] = w->batch;
    all = xg_tile_map(w->e->m->aff, counts, XG_TILE_SCALE_DIMS, 0);
    for (k = 0; k < xg_tile_scale_numbers(p); k++)
        numbers[k] = xg_tile_scale_number(w, xg_tile_scale_map(p, w->e->m->aff, counts, k), all, at, xg_tile_zero(w));
}
/* In both halves of a word each. */
XG_FN void xg_tile_scale_spread(xg_tile_kernel *w) {
    enum {
        LOW_TWICE = 0x1010
    };
    xg_kb *b = &w->s.b;
    int64_t k;
    for (k = 0; k < xg_tile_scale_numbers(w->p); k++) {
        xg_kval *v = xg_kcast(b, XG_K_OP_EXTUI, xg_kcast(b, XG_K_OP_BITCAST, w->numbers[k], XG_E_I16), XG_E_I32);
        w->scale[k] = xg_k3(b, XG_K_OP_PRMT, v, v, xg_kconst_int(b, XG_E_I32, LOW_TWICE));
    }
}

#endif /* XG_SCHED_TILE_SCALE_C */
