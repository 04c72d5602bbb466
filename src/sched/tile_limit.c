/* sched/tile_limit.c -- where a sum may stop before its end: both operands are zero from a number of k on, which memory
 * says for each place of the batch.
 *
 *     select(iota along k < broadcast(sizes of the batch), x, 0)
 *
 * is what both have to be. Groups of a ragged-dot are (expand/ragged_dot.c): their blocks make as many steps as their
 * group has rows, not as all of them have. */
#ifndef XG_SCHED_TILE_LIMIT_C
#define XG_SCHED_TILE_LIMIT_C
#include "tile.h"

/* What a value's elements are those of; *m, to its indices, then leads there. */
XG_FN const xg_inst *xg_tile_moved_from(xg_aff_ctx *x, const xg_inst *i, const xg_imap **m) {
    enum {
        DEPTH = 16
    };
    uint32_t depth;
    for (depth = 0; depth < DEPTH && xg_imap_ok(*m); depth++) {
        if (i->op != XG_BITCAST && i->op != XG_RESHAPE && i->op != XG_TRANSPOSE && i->op != XG_BROADCAST &&
            i->op != XG_COPY)
            break;
        *m = xg_imap_compose(x, *m, xg_indexing_operand(x, i, 0));
        i = XG_OPERAND(i, 0);
    }
    return i;
}
XG_FN bool xg_tile_is_nothing(xg_aff_ctx *x, const xg_inst *i, const xg_imap *m) {
    const unsigned char *bytes;
    int64_t k, n;
    i = xg_tile_moved_from(x, i, &m);
    if (i->op != XG_CONSTANT || i->shape->elements != 1) return false;
    bytes = (const unsigned char *)i->literal->data;
    if (!bytes) return false;
    n = xg_type_bytes(i->shape->type);
    for (k = 0; k < n && !bytes[k]; k++) {}
    return k == n;
}
/* Of an operand: the array that says where it ends, and (variables) -> its indices. NULL: nothing says so. */
XG_FN const xg_inst *xg_tile_end_of(const xg_tile_form *f, xg_aff_ctx *x, uint32_t side, const xg_imap **at) {
    const xg_tile_group *k = &f->group[XG_TILE_K], *b = &f->group[XG_TILE_B];
    const xg_imap *m = f->map[side], *row;
    const xg_inst *i = xg_tile_moved_from(x, XG_OPERAND(f->hero, f->operand[side]), &m), *test, *iota;
    uint32_t v, r, j;
    if (i->op != XG_SELECT || k->n != 1 || !xg_tile_is_nothing(x, XG_OPERAND(i, 2), m)) return NULL;
    test = xg_tile_moved_from(x, XG_OPERAND(i, 0), &m);
    if (test->op != XG_COMPARE || !xg_str_is(xg_attr_str(test, XG_A_direction), "LT")) return NULL;
    row = *at = m;
    iota = xg_tile_moved_from(x, XG_OPERAND(test, 0), &row);
    i = xg_tile_moved_from(x, XG_OPERAND(test, 1), at);
    if (iota->op != XG_IOTA || !xg_imap_ok(row) || !xg_imap_ok(*at) || (*at)->n_rts) return NULL;
    if (row->results[xg_attr_int(iota, XG_A_iota_dimension, 0)] != xg_aff_dim(x, k->axes[0].of)) return NULL;
    for (v = 0; v < f->n_vars; v++) {
        for (j = 0; j < b->n && b->axes[j].of != v; j++) {}
        for (r = 0; r < i->shape->rank && j == b->n; r++)
            if (xg_aff_uses((*at)->results[r], xg_aff_dim(x, v))) return NULL;
    }
    return i;
}
XG_FN bool xg_tile_same_place(const xg_imap *a, const xg_imap *b, uint32_t rank) {
    uint32_t r;
    for (r = 0; r < rank && a->results[r] == b->results[r]; r++) {}
    return r == rank;
}
XG_FN void xg_tile_find_end(xg_tile_plan *p, xg_aff_ctx *x) {
    const xg_inst *ends[XG_TILE_SIDES];
    const xg_imap *at[XG_TILE_SIDES];
    uint32_t side;
    for (side = 0; side < XG_TILE_SIDES; side++)
        if (!(ends[side] = xg_tile_end_of(&p->form, x, side, &at[side]))) return;
    if (ends[0] != ends[1] || !xg_tile_same_place(at[0], at[1], ends[0]->shape->rank)) return;
    p->end = ends[0];
    p->end_at = at[0];
}

/* Of all steps those of the block's part: the last block of a cluster may have fewer. */
XG_FN xg_kval *xg_tile_part_steps(xg_tile_kernel *w, xg_kval *all) {
    const xg_tile_plan *p = w->p;
    xg_kval *none = xg_elem_index(&w->s, 0), *most = xg_elem_index(&w->s, p->steps);
    if (!w->rank) return all;
    if (p->all_steps % p->steps == 0) return most;
    all = xg_k2(&w->s.b, XG_K_OP_SUBI, all, xg_tile_join(w, w->rank, p->steps, none));
    return xg_k2(&w->s.b, XG_K_OP_MINSI, all, most);
}
XG_FN xg_kval *xg_tile_own_step(xg_tile_kernel *w, xg_kval *step) {
    return w->rank ? xg_tile_join(w, w->rank, w->p->steps, step) : step;
}
/* The number of steps of all sums of a tile. */
XG_FN xg_kval *xg_tile_whole_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_aff *linear[XG_TILE_ROLES], *vars[XG_TILE_VARS_MAX];
    xg_aff_ctx *x = w->e->m->aff;
    xg_kval *index[XG_RANK_MAX], *n;
    xg_aff_env env;
    xg_imap *m;
    uint32_t v;
    if (!p->end || p->all_steps == 1) return xg_elem_index(&w->s, p->all_steps);
    m = xg_tile_map(x, &p->batch, 1, p->form.n_vars);
    env = xg_imap_env(x, m);
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_dim(x, 0);
    xg_tile_variables(&p->form, &env, linear, vars);
    for (v = 0; v < p->form.n_vars; v++) m->results[v] = vars[v];
    xg_elem_apply(&w->s, xg_imap_compose(x, m, p->end_at), &w->batch, index);
    n = xg_elem_of(&w->s, p->end, index).v;
    n = xg_elem_clamped(&w->s, n, p->end->shape->type, p->form.group[XG_TILE_K].size);
    n = xg_k2_int(&w->s.b, XG_K_OP_ADDI, n, xg_tile_lead(p) + p->shape.k - 1);
    return xg_tile_quotient(w, n, p->shape.k);
}
XG_FN xg_kval *xg_tile_steps(xg_tile_kernel *w) { return xg_tile_part_steps(w, xg_tile_whole_steps(w)); }

#endif /* XG_SCHED_TILE_LIMIT_C */
