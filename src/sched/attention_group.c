/* sched/attention_group.c -- attention by warp groups: tensor copies bring keys and values, wgmma multiplies.
 *
 *     the last warp group's first thread:            the other warp groups, 64 rows each:
 *     for each step:                                 for each step:
 *         wait until the keys' buffer is empty           wait until the keys' buffer is full
 *         ask for the keys                               s = Q K; the buffer is empty; scores, maximum, weights
 *         wait until the values' buffer is empty         wait until the values' buffer is full
 *         ask for the values                             o = o scale + p V; the buffer is empty
 *
 * Of few columns o += p V is asked for behind the next step's s, so that it is made while that one's weights are: the
 * first step's p before it is 0, and what that makes of o is not taken.
 *
 * Q and K lie in lines of 128 bytes along the first sum, V in lines of columns, swizzled as warp groups read them
 * (tile_wgmma.c). A thread has the sums of the same rows and columns that mma gives it (attention_mma.c), so packed
 * weights are the first matrix of the second product as they are, in registers. While one group makes weights, the
 * other one's products go on: only the threads of a group wait for each other. */
#ifndef XG_SCHED_ATTENTION_GROUP_C
#define XG_SCHED_ATTENTION_GROUP_C
#include "attention.h"

enum {
    XG_ATTENTION_STEP_K = 16, /* elements of a sum that one multiplication takes */
    XG_ATTENTION_STEPS_MAX = XG_KWGMMA_N_MAX / XG_ATTENTION_STEP_K,
    XG_ATTENTION_MORE = 232, /* registers of a thread with rows, where there are two groups of them */
    XG_ATTENTION_LESS = 40,  /* of one that asks: 128 * 40 + 256 * 232 are 64 K */
    XG_ATTENTION_ASKS = 16   /* ... more for one that asks for products, too; half as many less */
};

XG_FN int64_t xg_attention_group_threads(const xg_attention_plan *p) {
    int64_t all = p->shape.parts * (int64_t)XG_TILE_BULK_GROUP;
    return p->shape.in_tensor ? p->threads * XG_KTENSOR_M / p->tile : all;
}
XG_FN int64_t xg_attention_lines(int64_t extent) { return xg_tile_over(extent, XG_ATTENTION_LINE); }
XG_FN int64_t xg_attention_grad_at(const xg_attention_plan *p) { return xg_attention_lines(p->depth); }
XG_FN int64_t xg_attention_barriers(const xg_attention_plan *p) {
    return p->shape.grouped
               ? p->stages * XG_TILE_SIDES * XG_ATTENTION_STATES + xg_attention_tells(p) + xg_attention_meets(p)
               : 0;
}
XG_FN int64_t xg_attention_group_bytes(const xg_attention_plan *p) {
    int64_t keys = p->stages * p->shape.step, depth = xg_attention_lines(p->depth);
    int64_t lines = keys * (depth + xg_attention_lines(p->columns));
    if (!p->keeps_rows) lines += p->tile * depth;
    if (p->form.back.is && !p->keeps_grads) lines += p->tile * xg_attention_lines(p->columns);
    if (p->form.back.turned)
        lines += p->form.back.n_lines * xg_tile_over(keys * xg_type_bytes(p->form.sum), XG_KWGMMA_LINE_BYTES);
    return lines * XG_KWGMMA_LINE_BYTES + xg_shared_whole(xg_attention_barriers(p) * 8) +
           (p->shape.in_tensor ? XG_ATTENTION_PLACED : 0);
}
XG_FN int64_t xg_attention_resident(const xg_attention_plan *p, const xg_device *m) {
    bool back = xg_attention_back_through_keys(p);
    xg_cost_counts c;
    if (!back && (p->form.back.is || (!p->shape.grouped && p->shape.blocks == 1))) return p->shape.grouped;
    memset(&c, 0, sizeof c);
    c.threads = p->threads + p->producers;
    c.registers = back ? xg_attention_back_registers(p) : xg_attention_registers(p);
    c.registers = XG_MIN(c.registers, (int64_t)m->registers_per_thread);
    c.shared_bytes = back ? p->shared : 0;
    return xg_cost_residents(m, &c); /* of tensor memory's groups one */
}

/* ---- shared memory ---- */

XG_FN xg_kval *xg_attention_lined(xg_attention_kernel *w, int64_t rows, int64_t extent) {
    xg_kval *v = xg_attention_shared(w, w->f->held, rows * xg_attention_lines(extent) * XG_ATTENTION_LINE);
    v->def->b = XG_KWGMMA_ALIGN;
    return v;
}
XG_FN void xg_attention_group_arrays(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    int64_t keys = p->stages * p->shape.step, fixed = xg_attention_grad_at(p);
    uint32_t k;
    if (w->f->back.is && !p->keeps_grads)
        fixed += xg_attention_lines(p->columns); /* one array: one description for both */
    if (!p->keeps_rows) w->query = xg_attention_lined(w, p->tile, fixed * XG_ATTENTION_LINE);
    w->keys = xg_attention_lined(w, keys, p->depth);
    w->values = xg_attention_lined(w, keys, p->columns);
    for (k = 0; w->f->back.turned && k < w->f->back.n_lines; k++) {
        w->columns[k] = xg_attention_shared(w, w->f->sum, keys);
        w->columns[k]->def->b = XG_KWGMMA_LINE_BYTES;
    }
    w->barriers = xg_shared_array(xg_attention_b(w), XG_E_I64, xg_attention_barriers(p));
}
XG_FN xg_kval *xg_attention_group_spot(
    xg_attention_kernel *w, const int64_t *counts, int64_t rows, xg_kval *const *at) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    int64_t pieces = XG_ATTENTION_LINE / counts[XG_ATTENTION_AT_LANE];
    const xg_aff *piece = xg_aff_dim(x, XG_ATTENTION_AT_PIECE), *place,
                 *line = xg_aff_mul(x, xg_aff_div(x, piece, pieces), rows);
    xg_tile_lined lined;
    lined.bytes = xg_type_bytes(w->f->held);
    lined.elements = rows * XG_ATTENTION_LINE * xg_tile_over(counts[XG_ATTENTION_AT_PIECE], pieces);
    line = xg_aff_add(x, line, xg_aff_dim(x, XG_ATTENTION_AT_ROW));
    place = xg_aff_add_mul(
        x, xg_aff_dim(x, XG_ATTENTION_AT_LANE), xg_aff_mod(x, piece, pieces), counts[XG_ATTENTION_AT_LANE]);
    place = xg_aff_add_mul(x, place, line, XG_ATTENTION_LINE);
    return xg_tile_group_spot(w->t, lined, counts, XG_ATTENTION_AT_DIMS, place, at);
}

/* ---- barriers ---- */

/* Of keys, or values, in a buffer. */
XG_FN xg_kval *xg_attention_barrier(xg_attention_kernel *w, uint32_t side, xg_attention_state state, xg_kval *buffer) {
    int64_t stages = w->p->stages, first = (side * XG_ATTENTION_STATES + (uint32_t)state) * stages;
    const xg_aff *at = xg_aff_add_k(w->t->s.b.m->aff, xg_aff_dim_0(w->t->s.b.m->aff), first);
    return xg_tile_bulk_at(w->t, w->barriers, xg_tile_apply(w->t, &stages, 1, at, &buffer));
}
/* How many steps the block has gone through before this one. */
XG_FN xg_kval *xg_attention_turn(xg_attention_kernel *w, xg_kval *step) {
    xg_kval *v = xg_k2(xg_attention_b(w), XG_K_OP_SUBI, step, w->begin);
    xg_kval_set_range(v, xg_range_of(0, xg_kval_range(step).hi));
    return w->done ? xg_k2(xg_attention_b(w), XG_K_OP_ADDI, v, w->done) : v;
}
/* The walk is over, at that step: what follows counts its own behind it. */
XG_FN void xg_attention_walked(xg_attention_kernel *w, xg_kval *to) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *n = xg_k2(b, XG_K_OP_SUBI, to, w->begin);
    xg_kval_set_range(n, xg_range_of(0, xg_kval_range(to).hi));
    w->done = w->done ? xg_k2(b, XG_K_OP_ADDI, w->done, n) : n;
}
XG_FN void xg_attention_await_side(
    xg_attention_kernel *w, uint32_t side, xg_attention_state state, xg_kval *turn, int64_t ahead) {
    xg_kval *barrier = xg_attention_barrier(w, side, state, xg_tile_rest(w->t, turn, w->p->stages));
    xg_tile_bulk_await_round(w->t, barrier, turn, w->p->stages, ahead);
}
XG_FN void xg_attention_meet_voters(xg_attention_kernel *w) {
    xg_kval *at = xg_tile_bulk_at(w->t, w->barriers, xg_elem_index(&w->t->s, xg_attention_barriers(w->p) - 1));
    xg_tile_bulk_tell(w->t, XG_K_OP_MBARRIER_ARRIVE, at, 0);
    xg_tile_bulk_await_round(w->t, at, w->walk, 1, 0);
    if (w->p->shape.in_tensor) xg_kir_do_0(xg_attention_b(w), XG_K_OP_TENSOR_AFTER);
}
/* One thread of each group says that its group has read the buffer. */
XG_FN void xg_attention_release(xg_attention_kernel *w, uint32_t side, xg_kval *turn) {
    xg_kval *own = xg_tile_rest(w->t, w->thread, XG_TILE_BULK_GROUP);
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_flow_if(&f, xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, own, 0));
    own = xg_attention_barrier(w, side, XG_ATTENTION_EMPTY, xg_tile_rest(w->t, turn, w->p->stages));
    xg_tile_bulk_tell(w->t, XG_K_OP_MBARRIER_ARRIVE, own, 0);
    xg_flow_end(&f);
}
/* Barriers are made and the tile's rows of Q are there, for all threads. */
XG_FN void xg_attention_group_begin(xg_attention_kernel *w, xg_kval *thread) {
    int64_t n = xg_attention_barriers(w->p), stages = w->p->stages,
            sides = n - xg_attention_tells(w->p) - xg_attention_meets(w->p), k;
    bool in_tensor = w->p->shape.in_tensor;
    xg_flow f = xg_flow_begin(&w->t->s), rows = xg_flow_of(&w->t->s, &w->query);
    xg_flow_if(&f, xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, thread, 0));
    for (k = 0; k < n; k++)
        xg_tile_bulk_tell(w->t, XG_K_OP_MBARRIER_INIT, xg_tile_bulk_at(w->t, w->barriers, xg_elem_index(&w->t->s, k)),
            k == n - xg_attention_meets(w->p)                       ? w->p->threads + w->p->producers
            : k >= sides                                            ? xg_attention_told(w->p, k - sides)
            : k / stages % XG_ATTENTION_STATES == XG_ATTENTION_FULL ? 1
                                                                    : w->p->threads / xg_attention_group_threads(w->p));
    xg_flow_end(&f);
    if (in_tensor) xg_tile_tensor_begin(w->t, thread, xg_attention_tensor_columns(w->p));
    if (w->p->keeps_rows) xg_flow_slot(&rows, &w->keys);
    if (w->p->keeps_grads) xg_flow_slot(&rows, &w->values);
    xg_flow_if(&rows, xg_kcmpi_int(xg_attention_b(w), XG_CI_SLT, thread, w->p->threads));
    xg_attention_bring_rows(w);
    xg_flow_end(&rows);
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_PROXY_FENCE);
    xg_attention_wait(w);
    if (in_tensor) xg_tile_tensor_place(w->t);
}

/* ---- the thread that asks ---- */

/* A box of map `map` whose first n coordinates are among the operands; the others are of the batch and the key. */
XG_FN void xg_attention_ask_box(
    xg_attention_kernel *w, const xg_attention_box *box, uint32_t n, int64_t map, xg_kval *step, xg_kval **o) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    xg_kval *of[XG_ATTENTION_KEY + 1];
    int64_t counts[XG_ATTENTION_KEY + 1];
    uint32_t j;
    counts[XG_ATTENTION_BATCH] = w->f->batch;
    counts[XG_ATTENTION_ROW] = 1;
    counts[XG_ATTENTION_KEY] = w->p->steps * w->p->shape.step;
    of[XG_ATTENTION_BATCH] = w->batch;
    of[XG_ATTENTION_ROW] = xg_elem_index_0(&w->t->s);
    of[XG_ATTENTION_KEY] = xg_tile_join(w->t, step, w->p->shape.step, of[XG_ATTENTION_ROW]);
    for (j = 0; j < box->tensor.rank; j++) {
        const xg_aff *at = j < n ? NULL : xg_aff_add_k(x, box->batch[j], box->first[j]);
        if (at) o[2 + j] = xg_tile_apply(w->t, counts, box->period ? XG_COUNT(counts) : 1, at, of);
        o[2 + j] = xg_kcast(xg_attention_b(w), XG_K_OP_INDEX_CAST, o[2 + j], XG_E_I32);
    }
    xg_kir_do(xg_attention_b(w), XG_K_OP_TENSOR_COPY, o, 2 + box->tensor.rank)->b = map;
}
/* The coordinate of a step's first key. */
XG_FN xg_kval *xg_attention_ask_key(xg_attention_kernel *w, const xg_attention_box *box, xg_kval *step, int64_t first) {
    int64_t rows = w->p->shape.step;
    if (box->period) step = xg_tile_rest(w->t, step, box->period / rows);
    return xg_tile_join(w->t, step, rows, xg_elem_index(&w->t->s, first));
}
/* The boxes of a step's keys or values: of 64 columns each. */
XG_FN void xg_attention_ask_side(xg_attention_kernel *w, uint32_t side, xg_kval *step, xg_kval *turn) {
    const xg_attention_box *box = &w->f->boxes[side];
    int64_t lines = xg_attention_lines(side ? w->p->columns : w->p->depth), rows = w->p->shape.step, k;
    int64_t stages = w->p->stages, bytes = rows * XG_ATTENTION_LINE * xg_type_bytes(w->f->held), all = lines * bytes;
    xg_kval *buffer = xg_tile_rest(w->t, turn, stages), *o[2 + XG_KMAP_RANK], *full, *key;
    xg_aff_ctx *x = w->t->s.b.m->aff;
    xg_attention_await_side(w, side, XG_ATTENTION_EMPTY, turn, 1);
    full = xg_attention_barrier(w, side, XG_ATTENTION_FULL, buffer);
    if (side && w->f->back.turned) all += w->f->back.n_lines * rows * xg_type_bytes(w->f->sum);
    xg_tile_bulk_tell(w->t, XG_K_OP_MBARRIER_EXPECT, full, all);
    key = xg_attention_ask_key(w, box, step, box->first[1]);
    for (k = 0; k < lines; k++) {
        const xg_aff *place = xg_aff_add_k(
            x, xg_aff_mul(x, xg_aff_dim_0(x), lines * rows * XG_ATTENTION_LINE), k * rows * XG_ATTENTION_LINE);
        o[0] = xg_tile_bulk_at(w->t, side ? w->values : w->keys, xg_tile_apply(w->t, &stages, 1, place, &buffer));
        o[1] = full;
        o[2] = xg_elem_index(&w->t->s, box->first[0] + k * XG_ATTENTION_LINE);
        o[3] = key;
        xg_attention_ask_box(w, box, 2, side, step, o);
    }
}
/* What each of a step's keys has one of, beside the values. */
XG_FN void xg_attention_ask_line(xg_attention_kernel *w, uint32_t line, xg_kval *step, xg_kval *turn) {
    const xg_attention_box *box = &w->f->back.boxes[line];
    int64_t stages = w->p->stages, rows = w->p->shape.step;
    xg_kval *buffer = xg_tile_rest(w->t, turn, stages), *o[2 + XG_KMAP_RANK];
    xg_aff_ctx *x = w->t->s.b.m->aff;
    o[0] = xg_tile_bulk_at(
        w->t, w->columns[line], xg_tile_apply(w->t, &stages, 1, xg_aff_mul(x, xg_aff_dim_0(x), rows), &buffer));
    o[1] = xg_attention_barrier(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, buffer);
    o[2] = xg_attention_ask_key(w, box, step, box->first[0]);
    xg_attention_ask_box(w, box, 1, XG_TILE_SIDES + (int64_t)line, step, o);
}
XG_FN void xg_attention_ask_steps(xg_attention_kernel *w) {
    xg_kval *thread = xg_kthread_id(xg_attention_b(w), 0, w->p->threads + w->p->producers), *step, *turn;
    xg_flow one = xg_flow_begin(&w->t->s), f = one;
    uint32_t side, line;
    xg_flow_if(&one, xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, thread, w->p->threads));
    f.rolled = true;
    step = xg_flow_for(&f, w->from, w->to, 1, xg_kval_range(w->to).hi);
    if (w->p->bounded) f.op->a = w->p->walked;
    turn = xg_attention_turn(w, step);
    step = xg_attention_wrapped(w, step);
    for (side = 0; side < XG_TILE_SIDES; side++) xg_attention_ask_side(w, side, step, turn);
    for (line = 0; w->f->back.turned && line < w->f->back.n_lines; line++) xg_attention_ask_line(w, line, step, turn);
    xg_flow_end(&f);
    xg_flow_end(&one);
}
XG_FN void xg_attention_ask_all(xg_attention_kernel *w) {
    xg_attention_ask_steps(w);
    if (w->p->shape.in_tensor) xg_attention_ask_products(w);
}

/* ---- the two products ---- */

/* A matrix in shared memory from a line on; atoms: bytes from 64 columns to the next ones. */
XG_FN xg_kval *xg_attention_matrix(xg_attention_kernel *w, xg_kval *from, xg_kval *line, int64_t lines, int64_t atoms) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    xg_kval *o[2], *v;
    o[0] = from;
    o[1] = xg_tile_apply(w->t, &lines, 1, xg_aff_mul(x, xg_aff_dim_0(x), XG_ATTENTION_LINE), &line);
    v = xg_kir_value(xg_attention_b(w), XG_K_OP_DESCRIBE_MATRIX, o, 2, xg_kir_scalar(w->t->s.b.m, XG_E_I64));
    v->def->a = atoms;
    v->def->b = XG_KWGMMA_ALIGN;
    return v;
}
XG_FN xg_kval *xg_attention_matrix_on(xg_attention_kernel *w, xg_kval *matrix, int64_t bytes) {
    xg_kval *on = xg_kconst_int(xg_attention_b(w), XG_E_I64, bytes / XG_TILE_ACCESS_BYTES);
    return bytes ? xg_k2(xg_attention_b(w), XG_K_OP_ADDI, matrix, on) : matrix;
}
/* x times y, added to n vectors of sums. */
XG_FN void xg_attention_group_product(
    xg_attention_kernel *w, xg_kval *x, xg_kval *y, uint32_t flags, xg_kval **sums, uint32_t n) {
    xg_kval *o[2 + XG_KWGMMA_SUMS_MAX];
    const xg_ktype *types[XG_KWGMMA_SUMS_MAX];
    xg_kop *op;
    uint32_t k;
    memset(types, 0, sizeof types);
    o[0] = x;
    o[1] = y;
    for (k = 0; k < n; k++) {
        o[2 + k] = sums[k];
        types[k] = sums[k]->type;
    }
    op = xg_kir_op(xg_attention_b(w), XG_K_OP_WGMMA, o, n + 2, types, n, 0);
    op->flags = (uint32_t)w->f->unit | flags;
    for (k = 0; k < n; k++) sums[k] = &op->results[k];
}
/* All of a group's products are there but those of the last so many asks. */
XG_FN void xg_attention_group_wait(xg_attention_kernel *w, int64_t but) {
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_WGMMA_WAIT)->b = but;
}
/* The step's first line in a buffer of so many lines of 64 columns of all keys. */
XG_FN xg_kval *xg_attention_buffer_line(xg_attention_kernel *w, xg_kval *turn, int64_t lines) {
    xg_kval *buffer = xg_tile_rest(w->t, turn, w->p->stages);
    return xg_tile_join(w->t, buffer, lines * w->p->shape.step, xg_elem_index_0(&w->t->s));
}
XG_FN void xg_attention_group_scores_of(
    xg_attention_kernel *w, const xg_attention_product *o, xg_kval *turn, xg_kval **sums, uint32_t n) {
    const xg_attention_plan *p = w->p;
    int64_t lines = xg_attention_lines(o->width), keys = p->shape.step, bytes = XG_KWGMMA_LINE_BYTES, k;
    const int64_t step = XG_ATTENTION_STEP_K, times = o->width / step, in = XG_ATTENTION_LINE / step;
    int64_t rows = p->warp_rows * (XG_TILE_BULK_GROUP / (int)XG_WARP_LANES);
    xg_kval *query, *key;
    query = xg_tile_quotient(w->t, w->thread, xg_attention_group_threads(p));
    query = xg_tile_join(w->t, query, rows, xg_elem_index_0(&w->t->s));
    if (!o->held) query = xg_attention_matrix(w, o->fixed, query, p->tile, XG_TILE_ACCESS_BYTES);
    key = xg_attention_buffer_line(w, turn, lines);
    key = xg_attention_matrix(w, o->step, key, p->stages * lines * keys, XG_TILE_ACCESS_BYTES);
    if (sums) xg_kir_do_0(xg_attention_b(w), XG_K_OP_WGMMA_FENCE);
    for (k = 0; k < times; k++) {
        int64_t on = k % in * XG_KMMA_K_BYTES;
        xg_kval *x, *y;
        if (o->held)
            x = xg_attention_cell(w, -1, xg_attention_back_rows_at(p) + o->fixed_at + k * XG_KMMA_N, 0);
        else
            x = xg_attention_matrix_on(w, query, o->fixed_at + k / in * p->tile * bytes + on);
        y = xg_attention_matrix_on(w, key, k / in * keys * bytes + on);
        if (sums)
            xg_attention_group_product(w, x, y, 0, sums, n);
        else
            xg_attention_tensor_product(w, x, y, o->at, keys, false, k > 0);
    }
}
XG_FN void xg_attention_group_ask_scores(xg_attention_kernel *w, xg_kval *turn, xg_kval **sums, uint32_t n) {
    xg_attention_product o = xg_attention_scores_product(w);
    uint32_t j;
    xg_attention_await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, turn, 0);
    for (j = 0; j < n; j++) sums[j] = xg_attention_no_sums(w);
    xg_attention_group_scores_of(w, &o, turn, sums, n);
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_WGMMA_COMMIT);
}
XG_FN void xg_attention_group_out_of(
    xg_attention_kernel *w, const xg_attention_summed *o, xg_kval *turn, xg_kval **sums, uint32_t n) {
    const xg_attention_plan *p = w->p;
    int64_t lines = xg_attention_lines(o->width), keys = p->shape.step, bytes = XG_KWGMMA_LINE_BYTES, k, j;
    int64_t steps = keys / XG_ATTENTION_STEP_K, pieces = o->pieces;
    xg_kval *words[(int)XG_ATTENTION_STEPS_MAX * XG_TILE_PIECES], *value;
    value = xg_attention_buffer_line(w, turn, lines);
    value = xg_attention_matrix(w, o->step, value, p->stages * lines * keys, keys * bytes);
    for (k = 0; sums && k < steps * pieces; k++)
        words[k] = xg_attention_packed_piece(w, o->weights, k / pieces, pieces - 1 - k % pieces, pieces);
    if (sums) xg_kir_do_0(xg_attention_b(w), XG_K_OP_WGMMA_FENCE);
    for (k = 0; k < steps; k++) {
        xg_kval *y = xg_attention_matrix_on(w, value, k * XG_ATTENTION_STEP_K * bytes);
        for (j = 0; j < pieces; j++) {
            if (sums)
                xg_attention_group_product(w, words[k * pieces + j], y, XG_KWGMMA_B_ROWS, sums, n);
            else
                xg_attention_tensor_product(w, xg_attention_tensor_weights(w, o->weights_at, k, pieces - 1 - j), y,
                    o->at, o->width, true, true);
        }
    }
}
XG_FN void xg_attention_group_ask_out(xg_attention_kernel *w, xg_kval *turn, xg_kval **sums, uint32_t n) {
    xg_attention_summed o = xg_attention_out_summed(w);
    uint32_t j;
    xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, turn, 0);
    for (j = 0; j < n; j++) sums[j] = xg_attention_out_sums(w, w->out, j);
    xg_attention_group_out_of(w, &o, turn, sums, n);
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_WGMMA_COMMIT);
}
XG_FN void xg_attention_group_take_out(xg_attention_kernel *w, xg_kval *const *sums, uint32_t n) {
    uint32_t j;
    xg_attention_group_wait(w, 0);
    for (j = 0; j < n; j++) xg_attention_take(w, w->out, j, sums[j]);
}
/* Of more columns matrix units have no time left beside products: there one more of a tile's is not made good. */
XG_FN bool xg_attention_is_behind(const xg_attention_plan *p) {
    enum {
        COLUMNS = 128 /* of keys and values */
    };
    return p->shape.grouped && !p->shape.in_tensor && !p->form.back.is && p->form.pieces[0] == 1 && !p->votes &&
           p->steps > 1 && p->depth + p->columns <= COLUMNS;
}
XG_FN bool xg_attention_is_lazy(const xg_attention_plan *p) {
    if (p->votes && (p->shape.in_tensor || p->columns > XG_ATTENTION_LINE)) return false; /* for want of registers */
    return p->shape.grouped && p->form.is_lazy && p->form.pieces[0] == 1;
}
/* Powers that multiply-adds make take exponents as they are, of which the largest is looked for: where it is too large
 * weights are made once more. Masked scores, which would be, are raised. Of other masks a step may have many. */
XG_FN bool xg_attention_is_near(const xg_attention_plan *p) {
    const xg_attention_form *f = &p->form;
    xg_inst *bare = f->stages[XG_ATTENTION_BARE].root, *scores = bare ? bare : f->stages[XG_ATTENTION_SCORES].root;
    if (!xg_attention_is_lazy(p) || !p->shape.in_tensor) return false;
    if (xg_attention_unmoved(scores) != (f->scaled ? f->scaled : f->match.scores_dot)) return false;
    return xg_attention_has_inner(p) || (!bare && f->keys % p->shape.step == 0);
}
/* The step's weights for the next one, when the products that read the last ones' registers are there. */
XG_FN void xg_attention_group_keep(xg_attention_kernel *w) {
    int64_t half;
    xg_attention_refer_sums(w);
    for (half = 0; half < w->p->halves; half++) xg_attention_make_words(w, w->scores[half]);
}
XG_FN void xg_attention_group_step(xg_attention_kernel *w, xg_kval *step) {
    xg_kb *b = xg_attention_b(w);
    uint32_t n = (uint32_t)(w->p->shape.step / XG_KMMA_N), columns = (uint32_t)(w->p->columns / XG_KMMA_N), j;
    bool behind = xg_attention_is_behind(w->p);
    xg_kval *sums[XG_KWGMMA_SUMS_MAX], *out[XG_KWGMMA_SUMS_MAX], *turn = xg_attention_turn(w, step), *values = turn;
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_attention_begin_step(w, step);
    xg_attention_group_ask_scores(w, turn, sums, n);
    if (behind) {
        values = xg_k2(b, XG_K_OP_MAXSI, xg_kaddi_int(b, turn, -1), w->digits[0]);
        xg_kval_set_range(values, xg_kval_range(turn));
        xg_attention_group_ask_out(w, values, out, columns);
    }
    xg_attention_group_wait(w, behind);
    for (j = 0; j < n; j++) xg_attention_take(w, w->scores, j, sums[j]);
    xg_attention_release(w, XG_ATTENTION_SIDE_KEYS, turn);
    xg_attention_weigh(w);
    if (!behind) {
        xg_attention_refer_sums(w);
        xg_attention_group_ask_out(w, values, out, columns);
    }
    xg_attention_group_take_out(w, out, columns);
    xg_flow_if(&f, behind ? xg_kcmpi_(b, XG_CI_SLT, w->from, step) : NULL);
    xg_attention_release(w, XG_ATTENTION_SIDE_VALUES, values);
    xg_flow_end(&f);
    if (behind) xg_attention_group_keep(w);
}
/* Sums of the last step's weights, if there is one. */
XG_FN void xg_attention_group_last(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    uint32_t n = (uint32_t)(w->p->columns / XG_KMMA_N);
    xg_kval *out[XG_KWGMMA_SUMS_MAX], *step;
    xg_flow f = xg_flow_begin(&w->t->s);
    int64_t half;
    for (half = 0; half < w->p->halves; half++)
        xg_flow_slots(&f, w->out[half], (uint32_t)(w->p->columns / XG_ATTENTION_BESIDE));
    xg_flow_if(&f, w->p->bounded ? xg_kcmpi_(b, XG_CI_SLT, w->from, w->to) : NULL);
    step = xg_kaddi_int(b, w->to, -1);
    xg_kval_set_range(step, xg_range_of(0, w->p->steps - 1));
    xg_attention_group_ask_out(w, xg_attention_turn(w, step), out, n);
    xg_attention_group_take_out(w, out, n);
    xg_flow_end(&f);
}

/* ---- the kernel ---- */

XG_FN void xg_attention_group_maps(xg_attention_kernel *w, xg_kfunc *f) {
    uint32_t lines = w->f->back.turned ? w->f->back.n_lines : 0, side, line;
    f->producers = (uint32_t)w->p->producers;
    f->n_maps = XG_TILE_SIDES + lines;
    f->maps = XG_NEW_N(w->t->e->arena, xg_kmap, f->n_maps);
    for (line = 0; line < lines; line++) {
        xg_kmap *m = &f->maps[XG_TILE_SIDES + line];
        uint32_t k;
        *m = w->f->back.boxes[line].tensor;
        m->box[0] = (uint32_t)w->p->shape.step;
        for (k = 1; k < XG_KMAP_RANK; k++) m->box[k] = 1;
    }
    for (side = 0; side < XG_TILE_SIDES; side++) {
        xg_kmap *m = &f->maps[side];
        uint32_t k;
        *m = w->f->boxes[side].tensor;
        m->box[0] = XG_ATTENTION_LINE;
        m->box[1] = (uint32_t)w->p->shape.step;
        for (k = 2; k < XG_KMAP_RANK; k++) m->box[k] = 1;
    }
}
XG_FN void xg_attention_group_registers(xg_attention_kernel *w, xg_kopcode op, int64_t n) {
    if (w->p->threads == 2 * XG_TILE_BULK_GROUP) xg_kir_do_0(xg_attention_b(w), op)->b = n;
}
/* Shared memory as it was before the threads parted: the others have written to it on a way that these do not go. */
XG_FN void xg_attention_group_begin_again(xg_attention_kernel *w, const xg_attention_kernel *before) {
    w->keys = before->keys;
    w->values = before->values;
    w->query = before->query;
    w->votes = before->votes;
    w->ends = before->ends;
}
XG_FN xg_kval *xg_attention_group_open(xg_attention_kernel *w, xg_flow *part, uint32_t n) {
    xg_kval *thread = xg_kthread_id(xg_attention_b(w), 0, w->p->threads + w->p->producers);
    uint32_t k;
    *part = xg_flow_begin(&w->t->s);
    xg_attention_group_maps(w, w->t->s.b.m->entry);
    xg_attention_group_begin(w, thread);
    for (k = 0; k < n; k++) xg_flow_slot(part, &w->dest[k]);
    return thread;
}
XG_FN void xg_attention_group_kernel(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    int64_t asks = p->shape.in_tensor ? XG_ATTENTION_ASKS : 0;
    xg_flow part;
    xg_kval *thread = xg_attention_group_open(w, &part, p->form.n_stats + 1);
    xg_attention_kernel before = *w;
    xg_flow_if(&part, xg_kcmpi_int(xg_attention_b(w), XG_CI_SLT, thread, p->threads));
    xg_attention_group_registers(w, XG_K_OP_REGISTERS_MORE, XG_ATTENTION_MORE - asks / 2);
    if (p->shape.in_tensor) xg_attention_tensor_begin(w);
    xg_attention_steps(w);
    if (p->shape.in_tensor) xg_attention_tensor_take(w);
    xg_attention_results(w);
    if (p->shape.in_tensor) xg_attention_tensor_end(w);
    xg_flow_else(&part);
    xg_attention_group_begin_again(w, &before);
    xg_attention_group_registers(w, XG_K_OP_REGISTERS_LESS, XG_ATTENTION_LESS + asks);
    xg_attention_walk_all(w, false, xg_attention_ask_all);
    if (p->shape.in_tensor) xg_attention_ask_last(w);
    xg_flow_end(&part);
}

#endif /* XG_SCHED_ATTENTION_GROUP_C */
