/* sched/tile_wgmma.c -- tiles that warp groups multiply: four warps together, 64 rows at a time, by a matrix of up to
 * 256 columns, both in shared memory (wgmma).
 *
 *     bring the first stages - 2 steps, each a group of copies
 *     for each step:
 *         wait until its group is there, and for all threads
 *         bring the step that is stages - 2 further on; begin to multiply; wait for the step before
 *
 * So matrix units always have the next step at hand: they work while threads wait and copy. One barrier a step: behind
 * it the step before the last one is done in every warp, and its buffer may be filled again.
 *
 * In shared memory an operand is made of lines of 128 bytes: a row's k, or, where rows lie side by side in memory,
 * those of as many rows for one k. Lines follow each other, those of an atom (so many rows as a line has) for all k; in
 * eight neighbouring ones the pieces of 16 bytes are mixed as the hardware mixes them: piece p of line l lies in the
 * place of piece p xor l. Then what threads write, and the units read, meets each bank once. */
#ifndef XG_SCHED_TILE_WGMMA_C
#define XG_SCHED_TILE_WGMMA_C
#include "tile.h"

/* Of a block: m, n; rows of a warp group; steps in shared memory. A step has 128 bytes of k. */
/* clang-format off */
#define XG_TILE_GROUP_SHAPES(X) \
    X(128, 256, 64, 4) \
    X(256, 192, 128, 4) \
    X(256, 128, 128, 4) \
    X(128, 128, 64, 6) \
    X(128, 128, 64, 3) \
    X(64, 256, 64, 5) \
    X(64, 128, 64, 4) \
    X(128, 64, 64, 4) \
    X(64, 64, 64, 6) \
    X(64, 64, 64, 4)
/* clang-format on */

enum {
    XG_TILE_GROUP_K_BYTES = 128, /* of a step: a line */
    XG_TILE_GROUP_WARPS = 4,     /* of a group */
    XG_TILE_GROUP_THREADS = XG_TILE_GROUP_WARPS * XG_WARP_LANES,
    XG_TILE_GROUP_AHEAD = 2,        /* steps: one is multiplied, one is done but not known to be so in all warps */
    XG_TILE_GROUP_BANK_BYTES = 128, /* that shared memory gives in a cycle */
    XG_TILE_GROUP_REGISTERS = 232   /* of a thread, for sums and what it brings: the others are addresses (ptxas 13) */
};

/* ---- the plan ---- */

/* Warp groups sum up floats of 8 bits with fewer bits than f32 has; that is for the default precision alone, as XLA has
 * it. */
XG_FN bool xg_tile_may_group(const xg_tile_plan *p, const xg_device *m) {
    const xg_kmma_row *row = xg_kmma_row_of((uint32_t)p->unit);
    if (!(m->warp_groups || xg_tile_tensor_may_be(row, m))) return false;
    return row->tensor != XG_TENSOR_F8 || xg_inst_is_default_precision(p->form.hero);
}
XG_FN const xg_tile_row *xg_tile_group_row(size_t k) {
#define X(m, n, gm, stages) \
    {m, n, XG_TILE_GROUP_K_BYTES, (gm) / XG_TILE_GROUP_WARPS, n, stages, 1, XG_TILE_ROW_GROUPED},
    static const xg_tile_row rows[] = {XG_TILE_GROUP_SHAPES(X)};
#undef X
    return k < XG_COUNT(rows) ? &rows[k] : NULL;
}
/* Sums, and what is on its way through registers, leave enough of these for addresses: nothing spills. */
XG_FN bool xg_tile_group_fits(const xg_tile_plan *p) {
    int64_t n = p->n_sums * 4;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        const xg_tile_fetch *t = &p->fetch[k];
        int64_t words = xg_tile_over(t->vector * xg_type_bytes(t->held), 4); /* a single element has one, too */
        n += t->async ? 0 : t->rounds * words;
    }
    return n <= XG_TILE_GROUP_REGISTERS;
}
/* Of a step of so many blocks at a time: what matrix units, shared memory or schedulers take, or the way from memory,
 * which as many steps share as are on their way. Matrix units read their operands from shared memory: each group its
 * own rows and all columns. */
XG_FN int64_t xg_tile_group_cycles(const xg_tile_plan *p, const xg_device *m, int64_t blocks) {
    int64_t macs = (int64_t)p->shape.m * p->shape.n * p->shape.k, warps = blocks * p->threads / XG_WARP_LANES;
    int64_t multiply = macs * blocks * 1000 / xg_tile_unit_rate(p, m), shared, issue, memory;
    int64_t feed = p->threads / XG_TILE_GROUP_THREADS * p->shape.n * (p->shape.tm / XG_KMMA_M);
    int64_t put =
        p->bulk ? (p->shape.m + p->shape.n) * XG_TILE_GROUP_K_BYTES / XG_TILE_GROUP_BANK_BYTES : xg_tile_put_passes(p);
    shared = blocks * ((p->shape.m + feed) * XG_TILE_GROUP_K_BYTES / XG_TILE_GROUP_BANK_BYTES + put);
    issue = p->bulk ? 0 : warps * xg_tile_unit_issue(p) / XG_TILE_UNIT_SCHEDULERS;
    memory = p->shape.stages - (p->bulk ? 1 : XG_TILE_GROUP_AHEAD); /* steps that are on their way */
    memory = m->memory_latency / (p->fetch[0].async && p->fetch[1].async ? memory : 1);
    shared = XG_MAX(XG_MAX(shared, issue), multiply) + XG_MIN(XG_MAX(shared, issue), multiply) / 8;
    return XG_MAX(shared, memory) + XG_TILE_STEP_CYCLES / blocks;
}

/* ---- shared memory ---- */

XG_FN xg_kval *xg_tile_group_spot(
    xg_tile_kernel *w, xg_tile_lined in, const int64_t *counts, uint32_t n, const xg_aff *place, xg_kval *const *at) {
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t piece = XG_TILE_ACCESS_BYTES / in.bytes, pieces = in.elements / piece, all[8];
    xg_kval *v[8], *own, *line;
    memcpy(all, counts, n * sizeof *all);
    memcpy(v, at, n * sizeof *v);
    all[n] = pieces;
    own = xg_tile_apply(w, counts, n, xg_aff_div(x, place, piece), at);
    line = xg_tile_rest(w, xg_tile_quotient(w, own, XG_KWGMMA_LINES), XG_KWGMMA_LINES);
    v[n] = xg_k2(&w->s.b, XG_K_OP_XORI, own, line);
    xg_kval_set_range(v[n], xg_range_of(0, pieces - 1));
    place = xg_aff_add_dim(x, xg_aff_mod(x, place, piece), n, piece);
    return xg_tile_apply(w, all, n + 1, place, v);
}

/* ---- multiply ---- */

/* The matrix of a side in a buffer: its first rows for this warp group. */
XG_FN xg_kval *xg_tile_group_matrix(xg_tile_kernel *w, uint32_t side, xg_kval *buffer) {
    const xg_tile_plan *p = w->p;
    const xg_tile_fetch *t = &p->fetch[side];
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t counts[4], lines = p->shape.k * t->line; /* elements of an atom */
    bool halo = xg_tile_halo_is(p, side), view = halo && xg_tile_halo_steps(p);
    const xg_aff *place = xg_aff_mul(x, xg_aff_dim_1(x), xg_tile_buffer(p, side));
    xg_kval *at[4], *o[2], *v;
    counts[0] = p->threads / XG_TILE_GROUP_THREADS;
    counts[1] = view ? xg_tile_halo_stages(p) : p->shape.stages;
    counts[2] = view ? xg_tile_halo_views(p, w->kind) : 1;
    at[0] = xg_tile_quotient(w, w->thread, XG_TILE_GROUP_THREADS);
    at[1] = view ? xg_tile_rest(w, w->picture, counts[1]) : buffer;
    counts[XG_TILE_HALO_PHASE] = p->batch;
    at[2] = w->view;
    at[XG_TILE_HALO_PHASE] = w->batch;
    if (side == 0) place = xg_aff_add_dim(x, place, 0, xg_tile_halo_row(p, XG_KWGMMA_M));
    if (view) place = xg_aff_add(x, place, xg_tile_halo_moved(p, x, w->kind, xg_aff_dim(x, 2), false));
    if (w->fresh && view) place = xg_aff_add_mul(x, place, p->halo_phase, p->shape.k);
    o[0] = w->shared;
    o[1] = xg_tile_apply(w, counts, w->fresh ? 4 : view ? 3 : 2, xg_aff_add_k(x, place, t->offset), at);
    v = xg_kir_value(&w->s.b, XG_K_OP_DESCRIBE_MATRIX, o, 2, xg_kir_scalar(w->s.b.m, XG_E_I64));
    v->def->a = t->by_rows ? (int64_t)XG_TILE_ACCESS_BYTES : lines * xg_type_bytes(p->held);
    if (halo && !view) v->def->a = xg_tile_halo_next(p, side, 0) * XG_KWGMMA_LINE_BYTES;
    v->def->b = halo ? p->halo_pitch[side] * XG_KWGMMA_LINE_BYTES : t->line * xg_type_bytes(p->held) * XG_KWGMMA_LINES;
    return v;
}
/* The same, so many bytes further on. */
XG_ONE_COPY XG_FN xg_kval *xg_tile_group_on(xg_tile_kernel *w, xg_kval *matrix, int64_t bytes) {
    if (!bytes) return matrix;
    return xg_kaddi_int(&w->s.b, matrix, bytes / XG_TILE_ACCESS_BYTES);
}
/* 64 rows of each group times all columns, 32 bytes of k, added to the sums of `fragment`. */
XG_FN void xg_tile_group_product(xg_tile_kernel *w, xg_kval *const *matrix, int64_t fragment) {
    const xg_tile_plan *p = w->p;
    uint32_t n = (uint32_t)(p->shape.tn / XG_KMMA_N), k;
    xg_elem *sums = &w->sums[fragment * n];
    xg_kval *o[2 + XG_KWGMMA_SUMS_MAX];
    const xg_ktype *types[XG_KWGMMA_SUMS_MAX];
    xg_kop *op;
    o[0] = matrix[0];
    o[1] = matrix[1];
    for (k = 0; k < n; k++) {
        o[2 + k] = sums[k].v;
        types[k] = sums[k].v->type;
    }
    op = xg_kir_op(&w->s.b, XG_K_OP_WGMMA, o, n + 2, types, n, 0);
    op->flags = (uint32_t)p->unit;
    if (!p->fetch[0].by_rows) op->flags |= XG_KWGMMA_A_ROWS;
    if (!p->fetch[1].by_rows) op->flags |= XG_KWGMMA_B_ROWS;
    for (k = 0; k < n; k++) sums[k].v = &op->results[k];
}
/* Begins to multiply what lies in a buffer: all of it is one group. */
XG_FN void xg_tile_group_multiply(xg_tile_kernel *w, xg_kval *buffer) {
    const xg_tile_plan *p = w->p;
    int64_t bytes = xg_type_bytes(p->held), times = p->shape.k * bytes / XG_KMMA_K_BYTES, fragment, k, on;
    xg_kval *matrix[XG_TILE_SIDES], *part[XG_TILE_SIDES];
    uint32_t side;
    for (side = 0; side < XG_TILE_SIDES; side++) matrix[side] = xg_tile_group_matrix(w, side, buffer);
    xg_kir_do_0(&w->s.b, XG_K_OP_WGMMA_FENCE);
    for (k = 0; k < times; k++)
        for (fragment = 0; fragment < p->shape.tm / XG_KMMA_M; fragment++) {
            for (side = 0; side < XG_TILE_SIDES; side++) {
                on = xg_tile_halo_on(p, side, k);
                if (side == 0) on += xg_tile_halo_row(p, fragment * p->rows * XG_KMMA_M) * bytes;
                part[side] = xg_tile_group_on(w, matrix[side], on);
            }
            xg_tile_group_product(w, part, fragment);
        }
    xg_kir_do_0(&w->s.b, XG_K_OP_WGMMA_COMMIT);
}

/* ---- all steps ---- */

XG_FN void xg_tile_group_wait(xg_tile_kernel *w, int64_t but) { xg_kir_do_0(&w->s.b, XG_K_OP_WGMMA_WAIT)->b = but; }
/* The step's operands are there for all warp groups. */
XG_FN void xg_tile_group_await(xg_tile_kernel *w, int64_t but) {
    if (xg_tile_unit_copies(w->p)) xg_kir_do_0(&w->s.b, XG_K_OP_ASYNC_WAIT_GROUP)->b = but;
    xg_kir_do_0(&w->s.b, XG_K_OP_PROXY_FENCE);
    xg_tile_wait(w);
}
XG_FN void xg_tile_group_step(xg_tile_kernel *w, xg_kval *step) {
    int64_t stages = w->p->shape.stages, ahead = stages - XG_TILE_GROUP_AHEAD;
    xg_kval *next, *spare;
    xg_tile_group_await(w, ahead - 1);
    next = xg_kaddi_int(&w->s.b, step, ahead);
    spare = xg_tile_rest(w, next, stages);
    xg_tile_unit_bring_next(w, next, spare);
    xg_tile_group_multiply(w, xg_tile_rest(w, step, stages));
    xg_tile_group_wait(w, 1);
    xg_tile_put_step(w, spare);
}
XG_FN void xg_tile_group_none(xg_tile_kernel *w) {
    xg_kval *none = xg_kconst_bits(&w->s.b, xg_kir_vector(w->s.b.m, xg_kelem_of(w->p->form.sum), 4), 0);
    int64_t k;
    for (k = 0; k < w->p->n_sums; k++) w->sums[k] = xg_elem_real(none);
}
XG_FN void xg_tile_group_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_tile_group_none(w);
    xg_tile_unit_first(w, p->shape.stages - XG_TILE_GROUP_AHEAD);
    if (p->steps == 1) {
        xg_tile_group_await(w, 0);
        xg_tile_group_multiply(w, xg_elem_index_0(&w->s));
    } else
        xg_tile_unit_loop(w, xg_tile_group_step);
    xg_tile_group_wait(w, 0);
    xg_tile_unit_end(w);
}

#endif /* XG_SCHED_TILE_WGMMA_C */
