/* sched/tile_plan.c -- whether tiles are the way for a fusion, and which tile: the one place with an estimate. */
#ifndef XG_SCHED_TILE_PLAN_C
#define XG_SCHED_TILE_PLAN_C
#include "../cost/cost.h"
#include "tile_pack.h"

enum {
    XG_TILE_WORK_SURE = 1 << 16, /* above, one thread for each element reads far too often, whatever it takes */
    XG_TILE_WORK_EACH = 1 << 12, /* ... of a batch's matrix: a block that makes a smaller one mostly waits */
    XG_TILE_ROWS_USUAL = 64,     /* of a tile: only longer ones may lie half outside of the matrix for nothing */
    XG_TILE_VECTOR_MAX = 8,      /* elements: more are staged in too many registers */
    XG_TILE_CPU_LANES = 16,      /* ... on a processor: a register of f32 */
    XG_TILE_PAD = 4, /* elements: what is written across goes to rows of an odd number of these, so that neighbours
                        along k and along rows are in different banks, whatever the type */
    XG_TILE_GROUP_ROWS = 8,            /* rows of tiles that blocks take side by side: what they read stays in L2 */
    XG_TILE_LANES_N = 8,               /* of them along n: a row fragment of 8 lanes is 128 bytes, one access */
    XG_TILE_START_CYCLES = 1500,       /* of a block: the first step's way from memory, and the epilogue's to it */
    XG_TILE_DEEP_STAGES = 4,           /* of copies that wait long: a power of two, whose rest is cheap */
    XG_TILE_SLICES_MAX = 8,            /* of a step's k, that a shape gets beyond its own */
    XG_TILE_SLICED_THREADS = 256,      /* of a block that is sliced: more wait longer for each other */
    XG_TILE_CLUSTER_SHARE = 2,         /* tiles that have a multiprocessor each, of all: more than half are enough */
    XG_TILE_SHARED_STEPS = 4,          /* of a long sum, that blocks of a cluster share: fewer are one block's */
    XG_TILE_EQUAL = 128,               /* parts of the least time: the first of shapes that are no further apart */
    XG_TILE_FEW_ROWS = 16,             /* up to here memory is slower than plain cores */
    XG_TILE_SLICED_BYTES_MIN = 1 << 20 /* of the matrix: below, a launch takes longer than to read them */
};

/* ---- what is brought ---- */

XG_FN int64_t xg_tile_weight(const xg_inst *i) { return xg_shape_is_array(i->shape) ? xg_cost_bytes(i->shape) : 0; }
/* The parameter whose elements most of an operand is made of, and where they lie: (variables) -> its indices. */
XG_FN const xg_inst *xg_tile_source(xg_aff_ctx *x, const xg_inst *i, const xg_imap **m) {
    uint32_t k, best, depth;
    for (depth = 0; depth < 64 && i->op != XG_PARAMETER && i->n_operands; depth++) {
        best = 0;
        if (xg_op_flags(i->op) & XGF_EW) {
            for (k = 1; k < i->n_operands; k++)
                if (xg_tile_weight(XG_OPERAND(i, k)) > xg_tile_weight(XG_OPERAND(i, best))) best = k;
        } else {
            const xg_imap *step = xg_indexing_operand(x, i, 0);
            if (!xg_imap_ok(step) || step->n_syms || step->n_rts) return i;
            *m = xg_imap_compose(x, *m, step);
            if (!xg_imap_ok(*m)) return i;
        }
        i = XG_OPERAND(i, best);
    }
    return i;
}

XG_FN int xg_tile_contiguous(xg_aff_ctx *x, const xg_imap *m, uint32_t lane, int64_t lanes) {
    const xg_aff *v = xg_aff_dim(x, lane), *rest;
    if (!xg_imap_ok(m) || xg_aff_scale_of(m->results[0], v) != 1) return 0;
    rest = xg_aff_sub(x, m->results[0], v);
    if (!rest || xg_aff_uses(rest, v)) return 0;
    return xg_aff_divisor(rest) % lanes == 0 ? 2 : 1;
}
/* False: neighbours of the group's last axis surely do not lie side by side. linear: (indices) -> where they lie. */
XG_FN bool xg_tile_may_lie_beside(
    xg_aff_ctx *x, const xg_tile_group *g, const xg_imap *to, const xg_imap *linear, int64_t n) {
    const xg_tile_axis *last = &g->axes[g->n - 1];
    int64_t sum = 0, by;
    uint32_t k;
    if (last->extent % n || !xg_imap_ok(to) || !xg_imap_ok(linear)) return true;
    for (k = 0; k < to->n_results; k++) {
        if (!xg_aff_growth(to->results[k], xg_aff_dim(x, last->of), last->scale, &by) ||
            !xg_mul64(by, xg_aff_scale_of(linear->results[0], xg_aff_dim(x, k)), &by) || !xg_add64(sum, by, &sum))
            return true;
    }
    return sum == 1;
}
/* No quotients or remainders, which come first: only then rows can begin as far apart as each other. */
XG_FN bool xg_tile_is_linear(const xg_imap *m) {
    const xg_aff *e = m->results[0];
    return !(e->kind == XG_AFF_SUM ? e->terms->of->of : e->of);
}
XG_FN const xg_imap *xg_tile_probe_of(const xg_tile_form *f, xg_aff_ctx *x, const xg_tile_role *roles,
    const xg_imap *to, const xg_shape *s, bool second, int64_t n) {
    const xg_aff *linear[XG_TILE_ROLES], *lane = xg_aff_dim(x, 2);
    xg_imap *m = xg_imap_of_dims(x, 4, to->n_dims);
    uint32_t k;
    memset(linear, 0, sizeof linear);
    for (k = 0; k < 2; k++) {
        m->dims[k].range = xg_range_of(0, f->group[roles[k]].size / (k == second ? n : 1) - 1);
        linear[roles[k]] = xg_aff_dim(x, k);
    }
    m->dims[2].range = xg_range_of(0, n - 1);
    m->dims[3].range = xg_range_of(0, f->group[XG_TILE_B].size - 1);
    linear[XG_TILE_B] = xg_aff_dim(x, 3);
    linear[roles[second]] = xg_aff_add_mul(x, lane, linear[roles[second]], n);
    xg_tile_set_variables(f, x, m, linear);
    return xg_indexing_flatten(x, xg_imap_compose(x, m, to), s);
}
XG_FN const xg_imap *xg_tile_probe(const xg_tile_form *f, xg_aff_ctx *x, uint32_t side, const xg_imap *to,
    const xg_shape *s, bool along_k, int64_t n) {
    xg_tile_role roles[2];
    roles[0] = side ? XG_TILE_N : XG_TILE_M;
    roles[1] = XG_TILE_K;
    return xg_tile_probe_of(f, x, roles, to, s, along_k, n);
}
XG_FN const xg_imap *xg_tile_out_probe(const xg_tile_form *f, xg_aff_ctx *x, const xg_shape *root, int64_t n) {
    static const xg_tile_role roles[2] = {XG_TILE_M, XG_TILE_N};
    return xg_tile_probe_of(f, x, roles, xg_emit_same_place(x, f->hero->shape, root), root, true, n);
}
/* What making an element takes beside reading it: instructions, and arrays that are read. */
XG_FN void xg_tile_count_work(xg_tile_fetch *t, const xg_inst *i) {
    enum {
        DEPTH = 64,     /* instructions of an operand: more are not counted */
        MOVE_ISSUE = 4, /* of what moves elements by conditions: its index, and whether there is one */
    };
    const xg_inst *todo[DEPTH], *seen[DEPTH];
    uint32_t n = 0, n_seen = 0, k;
    todo[n++] = i;
    while (n) {
        i = todo[--n];
        for (k = 0; k < n_seen && seen[k] != i; k++) {}
        if (k < n_seen || n_seen == DEPTH) continue;
        seen[n_seen++] = i;
        if (i->op == XG_PARAMETER) t->loads++;
        if (xg_op_flags(i->op) & XGF_EW)
            t->work += xg_emit_inst_work(i);
        else if (i->op == XG_PAD || i->op == XG_CONCATENATE || i->op == XG_GATHER || i->op == XG_DYNAMIC_SLICE) {
            t->work += MOVE_ISSUE;
            t->branches++;
        }
        for (k = 0; k < i->n_operands && n < DEPTH; k++) todo[n++] = XG_OPERAND(i, k);
    }
}
XG_FN bool xg_tile_may_copy(const xg_tile_plan *p, const xg_tile_fetch *t) {
    xlagpu_type type = t->from->shape->type;
    if (type != t->held || (xg_type_class(type) & XGT_C) || !xg_tile_is_moved(t->from)) return false;
    if (xg_inst_is_tf32(p->form.hero)) return p->unit != XG_TILE_NO_UNIT; /* else rounded on the way */
    return p->unit != XG_TILE_NO_UNIT || (xg_contract_rounding(p->form.hero, type) == type && t->bytes >= 4);
}
#ifndef XLAGPU_SMALL
/* Where rows along k begin, or k along rows; row: see xg_tile_probe, of single elements. */
XG_FN void xg_tile_find_rows(xg_tile_fetch *t, xg_aff_ctx *x, const xg_imap *row) {
    enum {
        ROW,
        K,
        LANE,
        BATCH,
        DIMS
    };
    static const int64_t none[DIMS] = {0, 0, 0, 0};
    const xg_aff *e;
    uint32_t d;
    t->row_pitch = 0;
    if (!xg_imap_ok(row)) return;
    e = row->results[0];
    t->batch_pitch = xg_aff_scale_of(e, xg_aff_dim(x, BATCH));
    t->row_pitch = xg_aff_scale_of(e, xg_aff_dim(x, t->along_k ? ROW : K));
    if (xg_aff_scale_of(e, xg_aff_dim(x, t->along_k ? K : ROW)) != 1) t->row_pitch = 0;
    for (d = 0; e && d < DIMS; d++)
        e = xg_aff_sub(x, e, xg_aff_mul(x, xg_aff_dim(x, d), xg_aff_scale_of(e, xg_aff_dim(x, d))));
    for (d = 0; e && d < DIMS; d++)
        if (xg_aff_uses(e, xg_aff_dim(x, d))) e = NULL;
    if (!e || !xg_aff_eval(e, none, none, &t->first_row)) t->row_pitch = 0;
}
#endif
/* The widest access of a thread; elements of its widest vector. */
XG_ONE_COPY XG_FN int64_t xg_tile_access(const xg_tile_plan *p) {
    return p->on_processor ? (int64_t)XG_TILE_CPU_BYTES : (int64_t)XG_TILE_ACCESS_BYTES;
}
XG_ONE_COPY XG_FN int64_t xg_tile_most(const xg_tile_plan *p) {
    return p->on_processor ? (int64_t)XG_TILE_CPU_LANES : (int64_t)XG_TILE_VECTOR_MAX;
}
/* The widest vector of the operand's memory, along k or along rows; else the way in which elements lie side by side. */
XG_FN void xg_tile_choose_fetch(xg_tile_plan *p, xg_aff_ctx *x, const xg_device *m, uint32_t side) {
    const xg_tile_form *f = xg_tile_pack_form(p, side);
    xg_tile_fetch *t = &p->fetch[side];
    bool packed = f != &p->form, scaled = side && p->n_scales && !packed;
    const xg_imap *to = scaled ? p->scaled_map : f->map[side];
    const xg_inst *from = xg_tile_source(x, packed ? p->pack->from : scaled ? p->scaled : t->from, &to);
    const xg_imap *at, *row, *linear = xg_indexing_linear(x, from->shape);
    int64_t bytes = XG_MAX(xg_type_bytes(from->shape->type), 1), n = xg_tile_access(p) / bytes;
    int way;
    t->bytes = bytes;
    t->loads = t->work = t->branches = 0;
    xg_tile_count_work(t, t->from);
    t->copied = t->async = m->async_bytes && xg_tile_may_copy(p, t);
    t->vector = 1;
    t->along_k = false;
    t->row_pitch = t->touched = 0;
    if (xg_type_class(f->sum) & XGT_C) n = 1;
    for (n = XG_MIN(n, p->unit == XG_TILE_NO_UNIT ? xg_tile_most(p) : n); n > 1; n /= 2)
        for (way = 1; way >= 0; way--) {
            const xg_tile_group *g = &f->group[way ? XG_TILE_K : side ? XG_TILE_N : XG_TILE_M];
            if (way ? xg_tile_sums_groups(p) : !side && xg_tile_is_ragged(p)) continue; /* groups begin anywhere */
            if (g->size % n || !xg_tile_may_lie_beside(x, g, to, linear, n)) continue;
            at = xg_tile_probe(f, x, side, to, from->shape, way, n);
            if (xg_tile_contiguous(x, at, 2, n) < 2) continue;
            t->vector = n;
            t->along_k = way;
            if (xg_tile_sums_groups(p)) return;
            row = !packed && (way || p->may_group) && xg_tile_is_linear(at)
                      ? xg_tile_probe(f, x, side, to, from->shape, true, 1)
                      : xg_imap_undefined(x);
            xg_tile_bulk_describe(p, x, side, from, row, to);
#ifndef XLAGPU_SMALL
            if (way) xg_tile_find_rows(t, x, row);
#endif
            return;
        }
    t->along_k = f->group[XG_TILE_K].size > 1 &&
                 xg_tile_contiguous(x, xg_tile_probe(f, x, side, to, from->shape, true, 2), 2, 2) > 0;
    if (xg_tile_sums_groups(p)) return;
    row = xg_tile_probe(f, x, side, to, from->shape, true, 1);
    if (f->hero->op == XG_CONVOLUTION && !p->on_processor && xg_imap_ok(row)) xg_tile_choose_way(p, t, row);
#ifndef XLAGPU_SMALL
    xg_tile_find_rows(t, x, row);
#endif
}

/* ---- what is written ---- */

XG_FN int64_t xg_tile_choose_out(const xg_tile_plan *p, const xg_fusion_emission *e) {
    const xg_tile_form *f = &p->form;
    xg_aff_ctx *x = e->m->aff;
    const xg_shape *root = e->roots[0]->shape;
    int64_t n = XG_MIN(xg_tile_access(p) / XG_MAX(xg_type_bytes(root->type), 1), xg_tile_most(p));
    if (xg_type_class(root->type) & XGT_C) n = 1;
    for (; n > 1; n /= 2)
        if (xg_tile_columns(p) % n == 0 && xg_tile_contiguous(x, xg_tile_out_probe(f, x, root, n), 2, n) == 2) return n;
    return 1;
}

/* ---- one shape ---- */

XG_FN bool xg_tile_has_rows(const xg_tile_plan *p) {
#ifdef XLAGPU_SMALL
    (void)p;
    return false;
#else
    return p->rows_behind != NULL;
#endif
}
XG_ONE_COPY XG_FN int64_t xg_tile_over(int64_t a, int64_t b) { return (a + b - 1) / b; }
XG_FN int64_t xg_tile_power(int64_t n) { return n & -n; }
/* How many rows of tiles are taken side by side: what divides them. Blocks that stay go on together, so that what they
 * read at a time is about as wide as it is high. */
XG_FN int64_t xg_tile_rows_together(const xg_tile_plan *p) {
    int64_t n = XG_TILE_GROUP_ROWS;
    if (p->shape.stays && p->shape.n >= 2 * p->shape.m) n *= 2;
    while (p->tiles[0] % n) n /= 2;
    return n;
}
XG_FN void xg_tile_settle_fetch(xg_tile_plan *p, uint32_t side, int64_t vector) {
    xg_tile_fetch *t = &p->fetch[side];
    if (p->unit != XG_TILE_NO_UNIT) {
        xg_tile_unit_fetch(p, side, vector);
        return;
    }
    t->brick = 1;
    t->odd = vector * t->bytes < XG_TILE_ACCESS_BYTES;
    t->rows = side ? p->shape.n : p->shape.m;
    /* along k the elements of a vector go apart, and copies of several elements do not */
    t->vector = t->async && t->along_k ? 1 : XG_MIN(vector, t->along_k ? p->shape.k : t->rows);
    t->beside = XG_MIN(XG_SECTOR_BYTES / (t->vector * t->bytes), p->threads); /* a processor's may be fewer */
    t->beside = XG_MAX(XG_MIN(p->shape.k / t->vector, t->beside), (int64_t)1);
    t->by_rows = p->on_processor && t->along_k && !side && !(xg_type_class(p->form.sum) & XGT_C);
    t->pitch = t->rows + (t->along_k && t->rows / XG_TILE_PAD % 2 == 0 ? XG_TILE_PAD : 0);
    if (p->on_processor && t->along_k) t->pitch = t->rows + XG_TILE_CPU_BYTES / xg_type_bytes(p->held);
    if (t->by_rows) t->pitch = p->shape.k;
    t->vectors = t->rows * p->shape.k / t->vector;
    t->rounds = xg_tile_over(t->vectors, p->threads);
    t->offset = side ? p->shape.stages * xg_tile_buffer(p, 0) : 0;
#ifndef XLAGPU_SMALL
    xg_tile_settle_turns(p, side);
    xg_tile_settle_shift(p, side);
#endif
}
XG_FN void xg_tile_settle_all(xg_tile_plan *p) {
    p->tiles[0] = xg_tile_over(p->form.group[XG_TILE_M].size, xg_tile_pace(p, 0, p->shape.m));
    p->tiles[1] = xg_tile_over(p->form.group[XG_TILE_N].size, p->shape.n);
    p->all_steps = xg_tile_over(p->form.group[XG_TILE_K].size, p->shape.k);
    p->steps = xg_tile_over(p->all_steps, xg_tile_sharers(p));
    p->batch = p->form.group[XG_TILE_B].size;
    if (p->shape.multicast) { /* pairs: one of the last may have nothing to do */
        int64_t *along = &p->tiles[p->shape.multicast == 1];
        *along = xg_tile_over(*along, 2) * 2;
        if (xg_tile_is_two_pairs(p)) p->tiles[1] = xg_tile_over(p->tiles[1], 2) * 2;
    }
    p->group_rows = xg_tile_rows_together(p);
    p->blocks = xg_cost_mul(xg_cost_mul(xg_cost_mul(p->batch, p->tiles[0]), p->tiles[1]), xg_tile_sharers(p));
    xg_tile_settle_steps(p);
    p->grid = p->blocks + p->idle;
}
/* Of a warp, in one slice. */
XG_FN int64_t xg_tile_slice_lanes(const xg_tile_plan *p) {
    return XG_MIN(p->rows * p->columns, (int64_t)XG_WARP_LANES);
}
/* The vectors that eight lanes write lie in different banks: those of a row side by side, others a slant apart. */
XG_FN int64_t xg_tile_part_size(const xg_tile_plan *p) {
    int64_t rows = p->shape.m / p->parts;
    return rows * p->shape.n + (p->out_slant ? rows / p->quad * p->out_slant : 0);
}
/* Blocks of so many bytes more that a multiprocessor holds, of those that it gets. */
XG_FN int64_t xg_tile_held_blocks(const xg_tile_plan *p, int64_t more) {
    const xg_device *m = p->device;
    int64_t bytes = p->shared * xg_type_bytes(p->held) + more + m->shared_reserved;
    return XG_MIN(m->shared_per_sm / bytes, xg_tile_over(p->blocks, XG_MAX(m->sm_count, (int64_t)1)));
}
XG_FN xg_tile_walk xg_tile_walk_of(const xg_tile_plan *p, int64_t rows, int64_t columns) {
    xg_tile_walk w;
    int64_t whole;
    w.threads = p->threads * p->shape.cluster;
    w.vector = XG_MAX(XG_MIN(p->out_vector, columns), (int64_t)1);
    w.line = columns / w.vector;
    w.columns = XG_MIN(xg_tile_power(w.line), w.threads);
    w.rows = XG_MIN(w.threads / w.columns, rows);
    while (rows % w.rows) w.rows--; /* of a tile of 96 rows, or of five blocks: what divides them */
    w.rounds = w.line / w.columns * (rows / w.rows);
    for (whole = XG_MIN(w.threads / w.line, rows); whole && rows % whole; whole--) {}
    if (whole && rows / whole < w.rounds) {
        w.columns = w.line;
        w.rows = whole;
        w.rounds = rows / whole;
    }
    return w;
}
/* A place of its own for what others hand on, as they may be done before the block is; where threads bring operands,
 * and no fewer blocks are side by side for it. */
XG_FN xg_tile_inbox xg_tile_inbox_of(const xg_tile_plan *p) {
    xg_tile_walk w;
    int64_t bytes;
    xg_tile_inbox b;
    memset(&b, 0, sizeof b);
    if (p->shape.cluster == 1 || p->parts > 1 || p->shape.grouped || p->bulk || xg_tile_has_rows(p)) return b;
    w = xg_tile_walk_of(p, p->shape.m, p->shape.n);
    b.vectors = w.columns * w.rows;
    b.owners = xg_tile_over(b.vectors, p->threads);
    b.own = XG_MIN(b.vectors, p->threads);
    b.rounds = w.rounds;
    b.size = p->shape.cluster * b.rounds * b.own * w.vector;
    bytes = b.size * xg_type_bytes(p->form.sum);
    if (xg_tile_held_blocks(p, bytes) < xg_tile_held_blocks(p, 0)) b.size = 0;
    return b;
}
/* Blocks that stay are as many as run at a time. The multiprocessors of a cluster lie in one part of the chip, of which
 * some have no multiple of four: clusters of four are as few as take no longer, on seven eighths of them. */
XG_FN int64_t xg_tile_grid(const xg_tile_plan *p, const xg_device *m) {
    int64_t all = xg_cost_mul(xg_tile_unit_resident(p, m), m->sm_count);
    if (!p->shape.stays) return p->blocks + p->idle;
    if (xg_tile_is_two_pairs(p)) {
        int64_t clusters = XG_MAX(all * 7 / 8 / 4, (int64_t)1);
        return 4 * (xg_tile_is_ragged(p) ? XG_MIN(p->blocks / 4, clusters)
                                         : xg_tile_over(p->blocks / 4, xg_tile_over(p->blocks / 4, clusters)));
    }
    if (p->shape.multicast) all -= all % 2;
    if (p->shape.stays > 1) return 2 * xg_tile_over(p->blocks / 2, xg_tile_over(p->blocks, all));
    return XG_MAX(XG_MIN(p->blocks, all), (int64_t)(p->shape.multicast ? 2 : 1));
}
XG_FN int64_t xg_tile_shared_bytes(const xg_tile_plan *p) {
    int64_t address = xg_tile_is_tensor(p); /* of tensor memory, which has the room of a barrier */
    return xg_shared_whole(p->shared * xg_type_bytes(p->held)) + xg_shared_whole(xg_tile_store_bytes(p)) +
           xg_shared_whole(xg_tile_inbox_of(p).size * xg_type_bytes(p->form.sum)) +
           (p->shape.split > 1 ? (int64_t)XG_SHARED_GRAIN_BYTES : 0) + /* the count */
           xg_shared_whole((xg_tile_bulk_barriers(p) - address) * 8) + xg_shared_whole(address * 4) +
           xg_tile_rows_bytes(p);
}
/* All that follows from the shape. False: there are too many blocks. */
XG_FN bool xg_tile_settle(xg_tile_plan *p, const xg_tile_shape *s, const int64_t *vectors) {
    int64_t bytes = xg_type_bytes(p->form.sum), loop, out, lanes, beside;
    if (p->unit != XG_TILE_NO_UNIT) return xg_tile_unit_settle(p, s, vectors);
    p->shape = *s;
    p->quad = XG_MIN((int64_t)4, XG_MAX(XG_TILE_ACCESS_BYTES / bytes, (int64_t)1));
    p->quad_n = p->quad;
    if (p->on_processor && p->quad > 1) p->quad_n = XG_MIN((int64_t)s->tn, XG_TILE_CPU_BYTES / bytes);
    p->rows = s->m / s->tm;
    p->columns = s->n / s->tn;
    p->threads = p->rows * p->columns * s->slices;
    lanes = xg_tile_slice_lanes(p);
    p->lanes_n = XG_MIN(p->columns, (int64_t)XG_TILE_LANES_N);
    if (lanes / p->lanes_n > p->rows) p->lanes_n = lanes / p->rows;
    p->warps_n = p->columns / p->lanes_n;
    p->parts = s->tm / p->quad;
    p->lanes = p->quad_n * bytes == XG_KWHOLE_BYTES && (xg_type_class(p->form.sum) & XGT_F) ? p->quad_n : 1;
    if (p->form.sum == XLAGPU_F32 && xg_device_has_pairs(p->device)) p->lanes = XG_TILE_PAIR;
    p->n_sums = s->tm * s->tn / p->lanes;
    p->out_pitch = s->n;
    p->crossed = p->lanes_n > 1 && lanes > p->lanes_n;
    beside = XG_MIN(p->lanes_n, (int64_t)(p->crossed ? XG_TILE_LANES_N / 2 : XG_TILE_LANES_N));
    p->out_slant = p->quad > 1 && beside < XG_TILE_LANES_N && !p->on_processor ? beside * p->quad : 0;
    xg_tile_settle_all(p);
    xg_tile_settle_fetch(p, 0, vectors[0]);
    xg_tile_settle_fetch(p, 1, vectors[1]);
    loop = p->fetch[1].offset + s->stages * xg_tile_buffer(p, 1);
    while (p->parts > 1 && !p->on_processor && !xg_tile_has_rows(p) && 2 * xg_tile_part_size(p) * s->slices <= loop)
        p->parts /= 2; /* there is room where the operands were */
    out = xg_tile_part_size(p) * s->slices * (xg_tile_has_rows(p) ? p->parts : 1);
    p->shared = XG_MAX(loop, out);
    if (xg_tile_has_rows(p)) xg_tile_rows_settle(p);
    return p->blocks <= INT32_MAX && p->threads <= 1024;
}

/* ---- the estimate ---- */

/* Or `most`, where it is no less. */
XG_FN int64_t xg_tile_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, int64_t most) {
    const xg_tile_group *g = p->form.group;
    int64_t each = xg_tile_over(p->blocks, m->sm_count), together, cycles, l2, first, compute, move, k_bytes[2];
    uint32_t k;
    if (xg_device_is_cpu(m)) return xg_tile_cpu_time(p, m);
    if (p->unit == XG_TILE_NO_UNIT) return xg_tile_plain_time(p, m, out_bytes);
    if (xg_tile_is_tensor(p) && !xg_tile_pair_stays(p)) return xg_tile_tensor_time(p, m, out_bytes, most);
    if (p->bulk) return xg_tile_bulk_time(p, m, out_bytes, most);
    if (!xg_tile_in_cycles(p)) return xg_tile_unit_time(p, m, out_bytes, most);
    together = XG_MIN(xg_tile_unit_resident(p, m), each);
    cycles = xg_cost_mul(p->mean, xg_tile_unit_cycles(p, m, together));
    cycles = xg_cost_add(cycles, XG_TILE_START_CYCLES + xg_tile_cluster_clocks(p));
    if (xg_tile_hangs_over(p)) cycles = xg_cost_add(cycles, xg_tile_epilogue_clocks(p, m));
    cycles = xg_cost_mul(xg_tile_over(each, together), cycles);
    cycles = xg_cost_add(cycles, xg_tile_split_clocks(p, m));
    compute = xg_cost_scale(cycles, 1000000, m->clock_mhz);
    for (k = 0; k < 2; k++) k_bytes[k] = xg_cost_mul(p->fetch[k].bytes, xg_tile_summed(p));
    l2 = xg_cost_mul(p->blocks / xg_tile_sharers(p), p->shape.m * k_bytes[0] + p->shape.n * k_bytes[1]);
    first = xg_cost_mul(p->batch, g[XG_TILE_M].size * k_bytes[0] + g[XG_TILE_N].size * k_bytes[1]);
    first = xg_cost_add(first, out_bytes);
    l2 = xg_cost_scale(l2, 1000, xg_device_gbs(m->l2_bandwidth));
    move = XG_MAX(xg_cost_scale(first, 1000, xg_device_gbs(m->bandwidth)), l2);
    return xg_cost_add(XG_MAX(compute, move), XG_MIN(compute, move) / 8);
}

/* ---- the choice ---- */

XG_FN bool xg_tile_is_named(const xg_record *given, const char *name) {
    return given && xg_record_get(&given->form, name);
}
/* The record says so, or, where it is whole and says nothing of it, this is `none`. */
XG_FN bool xg_tile_is_said(const xg_record *given, const char *name, int64_t is, bool whole, int64_t none) {
    const xg_numbers *want = xg_record_get(&given->form, name);
    return want ? want->n == 1 && want->p[0] == is : !whole || is == none;
}
/* The record says nothing of it, or so many numbers, which `may` be. */
XG_FN bool xg_tile_are_said(
    const xg_record *given, const char *name, bool may, uint32_t n, int64_t a, int64_t b, int64_t c) {
    const xg_numbers *want = xg_record_get(&given->form, name);
    return !want || (may && want->n == n && want->p[0] == a && want->p[1] == b && (n < 3 || want->p[2] == c));
}
/* The record names no other shape. */
XG_FN bool xg_tile_is_ordered(const xg_record *given, const xg_tile_shape *s) {
    bool whole, grouped, tile, part;
    if (!given) return true;
    whole = xg_record_is_whole(given);
    tile = whole || xg_tile_is_named(given, "tile");
    part = whole && xg_tile_is_named(given, "thread_tile");
    /* without the word, a record that names the tile of a warp group means the other way to bring operands */
    grouped = whole || xg_tile_is_named(given, "group_tile");
    return xg_tile_is_said(given, "multicast", s->multicast, grouped, 0) &&
           xg_tile_is_said(given, "stays", s->stays, grouped, 0) &&
           xg_tile_is_said(given, "tensor_store", s->stores, grouped, 0) &&
           xg_tile_is_said(given, "bulk", s->bulk, grouped, 0) && xg_tile_is_said(given, "halo", s->halo, grouped, 0) &&
           xg_tile_is_said(given, "patch", s->patch, tile, 0) &&
           /* nor does a record mean clusters that names a tile without them */
           xg_tile_is_said(given, "cluster", s->cluster, tile, 1) &&
           xg_tile_is_said(given, "split", s->split > 1 ? s->split : 0, tile, 0) &&
           xg_tile_is_said(given, "slices", s->slices, whole, 1) &&
           xg_tile_is_said(given, "stages", s->stages, part, XG_TILE_PLAIN_STAGES) &&
           xg_tile_are_said(given, "group_tile", s->grouped, 2, 4 * s->tm, s->tn, 0) &&
           xg_tile_are_said(given, "warp_tile", !s->grouped, 2, s->tm, s->tn, 0) &&
           xg_tile_are_said(given, "thread_tile", true, 2, s->tm, s->tn, 0) &&
           xg_tile_are_said(given, "tile", true, 3, s->m, s->n, s->k);
}
/* The record names a tile of other rows or columns, as all variants of the shape have. */
XG_FN bool xg_tile_is_another(const xg_record *given, const xg_tile_shape *s) {
    const xg_numbers *tile = given ? xg_record_get(&given->form, "tile") : NULL;
    return tile && tile->n == 3 && (tile->p[0] != s->m || tile->p[1] != s->n);
}
/* A few rows of a large matrix, which is read once: *few_m says that the rows are those of m. */
XG_FN bool xg_tile_is_few(const xg_tile_plan *p, bool *few_m) {
    const xg_tile_group *g = p->form.group;
    int64_t bytes;
    *few_m = g[XG_TILE_M].size <= g[XG_TILE_N].size;
    bytes = xg_cost_mul(p->fetch[*few_m].bytes, xg_cost_mul(g[XG_TILE_B].size, g[XG_TILE_K].size));
    return g[*few_m ? XG_TILE_M : XG_TILE_N].size <= XG_TILE_FEW_ROWS &&
           xg_cost_mul(bytes, g[*few_m ? XG_TILE_N : XG_TILE_M].size) >= XG_TILE_SLICED_BYTES_MIN;
}
/* Shapes of many slices bring much at a time, and hold as much shared memory: they are for a few rows, all of which one
 * tile has. */
XG_FN bool xg_tile_may_slice(const xg_tile_plan *p, const xg_tile_shape *s) {
    bool few_m, few = xg_tile_is_few(p, &few_m);
    if (!few || p->form.group[few_m ? XG_TILE_M : XG_TILE_N].size > (few_m ? s->m : s->n)) return false;
    return few_m ? s->m <= s->n : s->n <= s->m;
}
/* ... and for blocks that share tiles, where even such small ones are few. */
XG_FN bool xg_tile_may_share(const xg_tile_plan *p, const xg_device *m, const xg_tile_shape *s) {
    const xg_tile_group *g = p->form.group;
    int64_t tiles = xg_cost_mul(xg_tile_over(g[XG_TILE_M].size, s->m), xg_tile_over(g[XG_TILE_N].size, s->n));
    tiles = xg_cost_mul(xg_cost_mul(tiles, g[XG_TILE_B].size), XG_TILE_CLUSTER_SHARE);
    if (s->m >= 2 * g[XG_TILE_M].size || s->n >= 2 * g[XG_TILE_N].size) return false;
    return tiles <= (int64_t)m->sm_count && g[XG_TILE_K].size >= XG_TILE_SHARED_STEPS * s->k;
}
/* False behind the last. */
XG_APART XG_FN bool xg_tile_shape_at(const xg_tile_plan *p, size_t k, xg_tile_shape *s) {
    bool plain = p->unit == XG_TILE_NO_UNIT;
    const xg_tile_row *r = plain ? xg_tile_plain_row(p, xg_type_bytes(p->form.sum), k) : xg_tile_unit_row(p, k);
    xg_tile_row own;
    if (xg_tile_has_rows(p)) r = xg_tile_rows_row(p, k, &own);
    if (p->halo && p->pixels_of == XG_TILE_K) r = xg_tile_halo_row_of(p, k, &own);
    if (!r) return false;
    memset(s, 0, sizeof *s);
    s->m = r->m;
    s->n = r->n;
    s->k = plain ? r->k : r->k / xg_kmma_row_of((uint32_t)p->unit)->bytes;
    s->tm = r->tm;
    s->tn = r->tn;
    s->stages = p->on_processor ? (int32_t)XG_TILE_CPU_STAGES : r->stages;
    s->slices = r->slices;
    s->grouped = !plain && r->how & XG_TILE_ROW_GROUPED;
    s->bulk = !plain && r->how & XG_TILE_ROW_BULK;
    s->cluster = s->split = 1;
    s->halo = s->bulk ? (int32_t)p->halo : 0;
    if (plain || r->how < XG_TILE_ROW_PAIRS) return true;
    s->multicast = (int8_t)(r->how / XG_TILE_ROW_PAIRS);
    s->stays = true;
    s->stores = xg_tile_store_may(p, s->n);
    return true;
}
/* The shape in twice as many slices of twice the k; false: they would be too many, or other blocks already keep the
 * device busy. */
XG_FN bool xg_tile_slice(const xg_tile_plan *p, const xg_device *m, xg_tile_shape *s) {
    int64_t threads = (int64_t)(s->m / s->tm) * (s->n / s->tn) * s->slices * 2;
    if (p->unit != XG_TILE_NO_UNIT || (xg_type_class(p->form.sum) & XGT_C) ||
        p->blocks / xg_tile_sharers(p) >= (int64_t)m->sm_count)
        return false;
    s->slices *= 2;
    s->k *= 2;
    return s->slices <= XG_TILE_SLICES_MAX && threads <= XG_TILE_SLICED_THREADS &&
           2 * s->k <= p->form.group[XG_TILE_K].size;
}
/* Half of the tile or more would lie outside of the matrix, and there are smaller ones. */
XG_FN bool xg_tile_is_vain(const xg_tile_plan *p, const xg_tile_shape *s) {
    const xg_tile_group *g = p->form.group;
    return p->unit == XG_TILE_NO_UNIT && ((s->m > XG_TILE_ROWS_USUAL && s->m >= 2 * g[XG_TILE_M].size) ||
                                             (s->n > XG_TILE_ROWS_USUAL && s->n >= 2 * g[XG_TILE_N].size));
}
/* More steps may be on their way: copies need no registers for them. */
XG_FN bool xg_tile_may_deepen(const xg_tile_plan *p) {
    return p->unit == XG_TILE_NO_UNIT && p->fetch[0].async && p->fetch[1].async && p->steps >= XG_TILE_DEEP_STAGES;
}
/* Steps that go through registers come one by one: of shapes that take as long, the one that brings fewer of them in
 * front of its loop. Times that are no less than the least one are only known to be so. */
XG_FN bool xg_tile_brings_fewer(
    const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, const xg_tile_shape *best, int64_t least) {
    return p->unit != XG_TILE_NO_UNIT && p->shape.stages < best->stages && !(p->fetch[0].async && p->fetch[1].async) &&
           xg_tile_time(p, m, out_bytes, INT64_MAX) == least;
}
/* It takes more shared memory than a block may have. */
XG_FN bool xg_tile_is_over(const xg_tile_plan *p, const xg_device *m) {
    return xg_tile_shared_bytes(p) > m->shared_per_block;
}
/* One that has been settled. */
XG_FN void xg_tile_try(const xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes,
    const xg_tile_shape *s, xg_tile_shape *best, int64_t *least) {
    int64_t time;
    if (!xg_tile_is_ordered(given, s)) return;
    if (xg_tile_has_rows(p) && (!p->rows_behind->fits || xg_tile_is_over(p, m)))
        return; /* blocks of a cluster have less */
    time = xg_tile_time(p, m, out_bytes, *least);
    if (time >= *least - (p->unit == XG_TILE_NO_UNIT ? *least / XG_TILE_EQUAL : 0) && /* large tiles do less */
        !(time == *least && xg_tile_brings_fewer(p, m, out_bytes, best, *least)))
        return;
    *best = *s;
    *least = time;
}
/* The blocks of a cluster may have the tile together, each of which has steps, whatever memory says (tile_limit.c). */
XG_FN bool xg_tile_may_cluster(const xg_tile_plan *p, const xg_device *m) {
    int64_t blocks = xg_tile_cluster_blocks(p), others = (int64_t)(p->shape.cluster - 1) * p->steps;
    if (p->unit == XG_TILE_NO_UNIT && p->shape.stages > XG_TILE_PLAIN_STAGES && p->steps < p->shape.stages)
        return false;
    if (p->patch.places || p->form.phased || blocks > m->blocks_per_cluster || (xg_type_class(p->form.sum) & XGT_C) ||
        xg_tile_sums_groups(p) || others >= p->all_steps || (xg_tile_halo_steps(p) && p->steps % p->halo))
        return false;
    return p->unit == XG_TILE_NO_UNIT || !(xg_tile_unit_meets(p, 0) || xg_tile_unit_meets(p, 1));
}
/* Where there are few tiles, or few warps, it is worth a look; the shape is that of single blocks. */
XG_FN bool xg_tile_wants_cluster(const xg_tile_plan *p, const xg_record *given, const xg_device *m) {
    int64_t tiles = p->blocks, warps;
    bool few_m;
    if (given && xg_record_get(&given->form, "cluster")) return true;
    if (tiles * XG_TILE_CLUSTER_SHARE <= (int64_t)m->sm_count) return true;
    if (p->unit == XG_TILE_NO_UNIT && p->shape.slices > 1 && xg_tile_is_few(p, &few_m) && tiles < 2 * m->sm_count)
        return true; /* one block of a multiprocessor, or two of some, would wait for its steps alone */
    warps = tiles * xg_tile_over(p->threads, XG_WARP_LANES); /* each scheduler wants one at least, or two that bring */
    if (p->unit != XG_TILE_NO_UNIT && !p->may_group && xg_tile_is_few(p, &few_m))
        warps /= 2;
    else if (p->unit != XG_TILE_NO_UNIT)
        return false;
    return warps <= (int64_t)m->sm_count * XG_TILE_UNIT_SCHEDULERS;
}
/* The shape in the hands of as many blocks as fill the device, which meet in memory, ... */
XG_FN void xg_tile_try_splits(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes,
    const xg_tile_shape *s, const int64_t *vectors, xg_tile_shape *best, int64_t *least) {
    int32_t parts[XG_TILE_SPLIT_WAVES];
    xg_tile_shape one = *s;
    uint32_t n, k;
    if (memcmp(&p->shape, s, sizeof *s) != 0 && !xg_tile_settle(p, s, vectors)) return;
    n = xg_tile_splits(p, given, m, parts);
    for (k = 0; k < n; k++) {
        one.split = parts[k];
        if (xg_tile_may_take(p, m, one.split * one.cluster, true, *least) && xg_tile_settle(p, &one, vectors) &&
            xg_tile_split_suits(p) && xg_tile_clusters_run(p, m) && !xg_tile_is_over(p, m))
            xg_tile_try(p, given, m, out_bytes, &one, best, least);
    }
}
/* ... of two blocks of a cluster, of four ..., where tensor copies bring operands of three, too ...; such clusters may
 * meet in memory, too. */
XG_FN void xg_tile_try_clusters(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes,
    const xg_tile_shape *s, const int64_t *vectors, xg_tile_shape *best, int64_t *least) {
    xg_tile_shape one = *s;
    if (!xg_tile_wants_cluster(p, given, m)) return;
    one.stays = one.stores = false;
    if (one.multicast && one.tn == one.n) one.tn /= 2; /* eight warps read the sums */
    for (one.cluster = 2; one.cluster <= m->blocks_per_cluster; one.cluster += one.bulk ? 1 : one.cluster) {
        bool may = xg_tile_may_take(p, m, one.cluster, false, *least);
        if (!may && !one.bulk) continue;
        if (!xg_tile_settle(p, &one, vectors) || !xg_tile_may_cluster(p, m)) continue;
        if (!xg_tile_clusters_run(p, m)) continue;
        if (may && !xg_tile_is_over(p, m)) xg_tile_try(p, given, m, out_bytes, &one, best, least);
        if (one.bulk) xg_tile_try_splits(p, given, m, out_bytes, &one, vectors, best, least);
    }
}
/* A block that stays, with one box for all phases, or with room for all steps of the right side at once. */
XG_FN void xg_tile_try_kept(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes,
    const xg_tile_shape *s, const int64_t *vectors, xg_tile_shape *best, int64_t *least) {
    xg_tile_shape one = *s;
    if (!s->halo || !s->stays || p->steps > INT8_MAX) return;
    if (xg_tile_halo_phases(p))
        one.stays = (int8_t)p->batch;
    else
        one.stages = (int32_t)p->steps;
    if (xg_tile_settle(p, &one, vectors) && !xg_tile_is_over(p, m) && (one.stays > 1 || xg_tile_bulk_keeps(p)))
        xg_tile_try(p, given, m, out_bytes, &one, best, least);
    (void)xg_tile_settle(p, s, vectors);
}
/* The ways of blocks whose operands tensor copies bring: pairs of them, blocks that stay, tensor stores. */
XG_FN void xg_tile_try_variants(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes,
    const xg_tile_shape *s, const int64_t *vectors, xg_tile_shape *best, int64_t *least) {
    enum {
        WAYS = 12 /* 3 kinds of multicast, staying or not, by tensor stores or not */
    };
    int8_t wider = s->n >= s->m ? 2 : 1; /* to share that side spares more of the second cache: of equals, this one */
    uint32_t k;
    for (k = 1; k < WAYS; k++) {
        xg_tile_shape one = *s;
        one.multicast = k % 3 == 0 ? 0 : k % 3 == 1 ? wider : (int8_t)(3 - wider);
        one.stays = k / 3 % 2;
        one.stores = k / 6 % 2;
        if (!xg_tile_bulk_may_vary(p, m, &one) || !xg_tile_settle(p, &one, vectors)) continue;
        if (one.stays && xg_tile_grid(p, m) == p->blocks && !xg_tile_is_named(given, "stays")) continue;
        xg_tile_try_kept(p, given, m, out_bytes, &one, vectors, best, least);
        if (!xg_tile_is_over(p, m)) xg_tile_try(p, given, m, out_bytes, &one, best, least);
    }
}
/* Words are multiplied from shared memory where both sides have their k side by side; nothing turns them. A few rows
 * would leave most of 64 empty, while threads bring a large matrix. */
XG_FN void xg_tile_may_still_group(xg_tile_plan *p, const xg_record *given) {
    bool few_m, few = !xg_tile_bulk_shapes(p) && !xg_tile_is_named(given, "group_tile") && xg_tile_is_few(p, &few_m);
    if (!few && (p->unit != XG_KMMA_TF32 || (p->fetch[0].along_k && p->fetch[1].along_k))) return;
    p->may_group = p->in_tensor = false;
}
XG_FN void xg_tile_choose(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes) {
    int64_t vectors[2], least = p->picoseconds ? p->picoseconds : INT64_MAX; /* of another plan, to be beaten */
    const int64_t most = least;
    xg_tile_shape best, one, deep;
    bool few_m, few, deepens, shares, units = p->unit != XG_TILE_NO_UNIT;
    size_t k;
    memset(&best, 0, sizeof best);
    p->roof = xg_tile_roof(p, m, out_bytes);
    xg_tile_may_still_group(p, given);
    for (k = 0; k < 2; k++) vectors[k] = p->fetch[k].vector;
    few = !units && xg_tile_is_few(p, &few_m) && !xg_tile_has_rows(p); /* has shapes of its own */
    for (k = 0; xg_tile_shape_at(p, k, &one); k++) {
        if ((p->pixels && !one.bulk) || (k < 64 && p->vain >> k & 1) || !xg_tile_patch_suits(p, &one)) continue;
        if (xg_tile_is_another(given, &one)) continue;
        if (one.slices > 1 && !xg_tile_has_rows(p) && !xg_tile_may_slice(p, &one) && !xg_tile_may_share(p, m, &one))
            continue;
        if (one.grouped && !one.bulk && xg_tile_bulk_shapes(p) && !p->in_tensor && !given) continue; /* copies do it */
        if (one.multicast && !xg_tile_pairs_may_be(p, m, &one)) continue;
        if (given && xg_tile_is_named(given, "group_tile") && !xg_tile_is_named(given, "tensor_store"))
            one.stores = false;
        if (xg_tile_has_rows(p) && !xg_tile_rows_may(p, &one)) continue;
        if (xg_tile_is_vain(p, &one) && !(given && xg_record_get(&given->form, "tile"))) continue;
        do {
            if (!xg_tile_settle(p, &one, vectors)) break;
            xg_tile_look(p, m);
            if (units && !one.bulk && !xg_tile_may_take(p, m, p->alone_steps, false, least)) {
                if (least == most && k < 64) p->vain |= (uint64_t)1 << k;
                break;
            }
            xg_tile_try_kept(p, given, m, out_bytes, &one, vectors, &best, &least);
            if (xg_tile_is_over(p, m) && !xg_tile_has_rows(p)) break;
            if (xg_tile_may_take(p, m, 1, false, least)) xg_tile_try(p, given, m, out_bytes, &one, &best, &least);
            deepens = xg_tile_may_deepen(p);
            shares = !one.bulk || xg_tile_may_take(p, m, p->alone_steps, false, least);
            if (shares && (!one.multicast || (one.multicast == 2 && !one.halo)) && (!few || one.slices > 1))
                xg_tile_try_clusters(p, given, m, out_bytes, &one, vectors, &best, &least);
            if (shares) xg_tile_try_splits(p, given, m, out_bytes, &one, vectors, &best, &least);
            if (one.bulk) xg_tile_try_variants(p, given, m, out_bytes, &one, vectors, &best, &least);
            deep = one;
            deep.stages = XG_TILE_DEEP_STAGES;
            if (!deepens || !xg_tile_settle(p, &deep, vectors)) continue;
            if (xg_tile_is_over(p, m) && !xg_tile_has_rows(p)) continue;
            xg_tile_look(p, m);
            xg_tile_try(p, given, m, out_bytes, &deep, &best, &least);
            if (!few || one.slices > 1) xg_tile_try_clusters(p, given, m, out_bytes, &deep, vectors, &best, &least);
            xg_tile_try_splits(p, given, m, out_bytes, &deep, vectors, &best, &least);
        } while (!few && !xg_tile_has_rows(p) && xg_tile_slice(p, m, &one));
    }
    p->blocks = 0;
    p->picoseconds = least;
    if (!best.m) return;
    (void)xg_tile_settle(p, &best, vectors);
    p->grid = xg_tile_grid(p, m);
    if (p->blocks > m->sm_count && !p->shape.grouped)
        p->resident = p->unit == XG_TILE_NO_UNIT ? xg_tile_plain_resident(p, m) : xg_tile_unit_resident(p, m);
}
/* Tiles are the way whatever they take; not of a convolution to one feature, or in groups, which may have few. */
XG_FN bool xg_tile_is_sure(const xg_tile_form *f) {
    int64_t work = xg_cost_mul(f->hero->shape->elements, f->group[XG_TILE_K].size);
    return !xg_tile_few(f->hero) && xg_tile_is_wide(f) && work >= XG_TILE_WORK_SURE &&
           work / f->group[XG_TILE_B].size >= XG_TILE_WORK_EACH;
}
XG_FN bool xg_tile_settle_map(xg_tile_plan *p, xg_aff_ctx *x, uint32_t side) {
    xg_tile_fetch *t = &p->fetch[side];
    t->map = t->first = xg_tile_fetch_map(p, x, side, 0);
    if (p->all_steps > 1 && xg_tile_lead(p)) t->map = xg_tile_fetch_map(p, x, side, 1);
    return xg_imap_ok(t->first) && xg_imap_ok(t->map);
}
/* Vectors of which some lanes only have an element are brought element by element, or, on a processor, by shorter ones.
 */
XG_FN bool xg_tile_settle_maps(xg_tile_plan *p, xg_aff_ctx *x) {
    uint32_t side;
    for (side = 0; side < XG_TILE_SIDES; side++)
        for (;;) {
            xg_tile_fetch *t = &p->fetch[side];
            if (!xg_tile_settle_map(p, x, side)) return false;
            if (xg_tile_lanes_agree(x, t->first, t->vector) && xg_tile_lanes_agree(x, t->map, t->vector)) break;
            if (p->deep > 1) return false; /* bytes and words have no other way */
            xg_tile_settle_fetch(p, side, p->on_processor ? t->vector / 2 : 1);
        }
    return true;
}
XG_FN void xg_tile_plan_order(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes) {
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) xg_tile_choose_fetch(p, e->m->aff, m, k);
    if (p->pixels && !xg_tile_may_bulk(p)) return;
    if (xg_tile_has_rows(p))
        p->out_vector = xg_gcd(p->form.group[XG_TILE_N].size, XG_TILE_ACCESS_BYTES / xg_type_bytes(p->form.sum));
    else {
        p->out_vector = p->out_most = xg_tile_choose_out(p, e);
        xg_tile_store_describe(p, e);
    }
    p->vain = 0;
    xg_tile_choose(p, e->given, m, out_bytes);
}
XG_FN bool xg_tile_plan_of(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m) {
    int64_t out_bytes = 0;
    uint32_t k;
    p->rows_behind = NULL;
    if (!e->parts) return false;
    if (xg_heroes_find(e, xg_tile_is_hero, NULL, &p->heroes)) {
        if (!xg_tile_form_of(&p->form, e->m->aff, p->heroes.p[0])) return false;
        xg_tile_form_phases(&p->form, e->m->aff);
    } else if (!xg_tile_rows_find(p, e))
        return false;
    if (!xg_tile_is_worth(&p->form)) return false;
    xg_tile_choose_unit(p, e->given, m);
    if (xg_tile_has_rows(p) && (p->unit != XG_TILE_NO_UNIT || p->on_processor)) return false;
    xg_tile_find_scale(p, e->m->aff);
    xg_tile_pack_find(p, e->m->aff);
    for (k = 0; k < e->n_roots; k++) out_bytes = xg_cost_add(out_bytes, xg_cost_bytes(e->roots[k]->shape));
    p->reads = xg_tile_has_rows(p) || xg_hero_epilogue_reads(e, &p->heroes);
    XG_FOR_INSTS(i, e->comp) {
        if (i->op == XG_REDUCE && xg_fuse_is_hero(i) && !xg_tile_has_rows(p)) return false; /* each element's own */
        if (!(xg_op_flags(i->op) & XGF_EW) || i->shape->elements != p->form.hero->shape->elements) continue;
        p->ends += xg_emit_inst_work(i);
        for (k = 0; k < i->n_operands; k++) p->adds = p->adds || XG_OPERAND(i, k)->op == XG_PARAMETER;
    }
    for (;;) {
        xg_tile_patch_plan(p, e, m, out_bytes);
        if (p->blocks || !p->pack) break;
        p->form = p->pack->plain; /* as any other operand */
        p->pack = NULL;
        p->table = NULL;
        p->n_scales = p->picoseconds = 0;
    }
    if (!p->blocks) return false;
    if (!(e->given && e->given->way.n) && !xg_tile_is_sure(&p->form) && !xg_tile_is_quicker(p, m)) return false;
    p->out_vector = XG_MIN(p->out_vector, (int64_t)p->shape.n);
    return xg_tile_settle_maps(p, e->m->aff);
}

#endif /* XG_SCHED_TILE_PLAN_C */
