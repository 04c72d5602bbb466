/* sched/attention_back_plan.c -- how large a block's tile of attention's backward pass is, what that takes, and how
 * long both kernels take beside the dots and what stands between them. */
#ifndef XG_SCHED_ATTENTION_BACK_PLAN_C
#define XG_SCHED_ATTENTION_BACK_PLAN_C
#include "attention.h"

/* Warps along rows, keys of a step. The first of equals is taken. Seven: of 112 rows 2048 have 19 tiles, and an RTX
 * 5090 as many rounds as of 32, with fewer walks over all keys. Thirteen: of 208 rows they have ten, which are one. */
/* clang-format off */
#define XG_ATTENTION_BACK_SHAPES(X) \
    X(4, 64) \
    X(4, 32) \
    X(8, 64) \
    X(8, 32) \
    X(2, 64) \
    X(2, 32) \
    X(1, 32) \
    X(7, 64) \
    X(7, 32) \
    X(7, 16) \
    X(2, 16) \
    X(13, 32)
/* The same of warps with 32 rows. */
#define XG_ATTENTION_BACK_WIDE_SHAPES(X) \
    X(4, 64) \
    X(4, 32)
/* The same of pairs of warps with 32 rows, each of which has half of the keys. */
#define XG_ATTENTION_BACK_PAIR_SHAPES(X) \
    X(2, 32) \
    X(2, 64) \
    X(1, 32) \
    X(1, 64)
/* The same of warp groups. */
#define XG_ATTENTION_BACK_GROUP_SHAPES(X) \
    X(8, 128) \
    X(8, 64) \
    X(4, 128) \
    X(4, 64) \
    X(8, 32) \
    X(4, 32)
/* The same with sums in tensor memory: of 128 rows, keys of a step, of which two groups have half. */
#define XG_ATTENTION_BACK_TENSOR_SHAPES(X) \
    X(4, 128) \
    X(4, 64)
/* clang-format on */
enum {
    XG_ATTENTION_BACK_GROUP_REGISTERS = 44, /* of a thread of a warp group beside its sums: counted by ptxas */
    XG_ATTENTION_BACK_MASKED = 16,          /* columns of a step, whose masks take one more: likewise */
    XG_ATTENTION_BACK_GROUP_THREAD = 240,   /* that it can have beside another group */
    XG_ATTENTION_BACK_GROUP_CLOCKS = 290,   /* of a walk's step by warp groups, in which one waits: by the estimates */
    XG_ATTENTION_BACK_TENSOR_CLOCKS = 170,  /* ... whose products another warp asks for: likewise */
    XG_ATTENTION_BACK_TURNED_CLOCKS = 60,   /* ... that sums up dK and dV: likewise */
    XG_ATTENTION_BACK_TURNED_ENDS = 1100,   /* ... more of such a block outside of its steps: likewise */
    XG_ATTENTION_BACK_VOTE_CLOCKS = 1200,   /* ... of a block that asks what all queries have: likewise */
    XG_ATTENTION_BACK_TERM_ISSUE = 11,      /* instructions for an element of dS, of the scores and of dP */
    XG_ATTENTION_BACK_SECOND_ISSUE = 3,     /* ... of the weights as well, where rows are keys */
    XG_ATTENTION_BACK_SCORE_ISSUE = 6,      /* ... for a score's maximum and sum */
    XG_ATTENTION_BACK_TWOS = 3,             /* of all these one part is spared where an instruction makes two numbers */
    XG_ATTENTION_BACK_REGISTERS = 62,       /* of a thread beside its sums: counted by ptxas */
    XG_ATTENTION_BACK_ROWS_REGISTERS = 50,  /* ... of a matrix unit's that has no sums of dots: likewise */
    XG_ATTENTION_BACK_PAIR_REGISTERS = 30,  /* ... of a pair's thread: likewise */
    XG_ATTENTION_BACK_SPLIT = 16,           /* ... that takes words of f16 apart: likewise */
    XG_ATTENTION_BACK_KEPT = 254,           /* ... with the rows of one operand: more, and ptxas spills */
    XG_ATTENTION_BACK_BOTH = 224,           /* ... of both */
    XG_ATTENTION_BACK_THREAD = 255,         /* registers that a thread can have */
    XG_ATTENTION_BACK_ENDS_CLOCKS = 800,    /* of a block outside of its steps: by the estimates */
    XG_ATTENTION_BACK_ENDS = 2,             /* ... times as many without warp groups; where dQ is made as many again */
    XG_ATTENTION_BACK_STEP_CLOCKS = 190,    /* ... of a walk's step, in which a warp waits: likewise */
    XG_ATTENTION_BACK_SHOWN_ISSUE = 2,      /* ... of dS that goes to memory: four are exchanged and stored at once */
    XG_ATTENTION_BACK_COPY_ISSUE = 6,       /* instructions for 16 bytes of a step */
    XG_ATTENTION_BACK_BARRIERS = 2,         /* ... of a walk's step: its keys have come, all have read them */
    XG_ATTENTION_BACK_EXTENT_MAX = 256,     /* columns of sums that a thread's registers have room for */
    XG_ATTENTION_BACK_SCHEDULERS = 4,       /* of a multiprocessor */
    XG_ATTENTION_BACK_MACS = 16 * 8 * 16,   /* of one instruction of a matrix unit */
    XG_ATTENTION_BACK_PLAIN_PERCENT = 80,   /* of the plain cores' rate that products alone reach */
    XG_ATTENTION_BACK_ROUND_ISSUE = 20,     /* instructions of a round of plain cores, beside reads and products */
    XG_ATTENTION_BACK_PIECE = 4,            /* numbers that a plain read brings, each in a pass of shared memory */
    XG_ATTENTION_BACK_LAUNCH_PS = 2500000,  /* of a kernel more */
    XG_ATTENTION_BACK_KERNELS = 3,          /* of the unfused pass beside as many as there are here */
    XG_ATTENTION_BACK_POWERS = 2,           /* of eight by multiply-adds, with sums in tensor memory: likewise */
    XG_ATTENTION_BACK_TENSOR_LEAST = 180, /* ... of its threads in tensor memory, however little there is to multiply */
    XG_ATTENTION_BACK_TENSOR_KEY = 7,     /* ... more for each of the step's keys: likewise */
    XG_ATTENTION_BACK_TURNED_LEAST = 90,  /* ... that sum up dK and dV: likewise */
    XG_ATTENTION_BACK_TURNED_KEY = 11,    /* ... more for each: likewise */
    XG_ATTENTION_BACK_ONCE_LEAST = 580,   /* ... that have one walk: likewise */
    XG_ATTENTION_BACK_ONCE_WAITS = 10,    /* ... of its step beside products: likewise */
    XG_ATTENTION_BACK_ONCE_ENDS = 1200,   /* ... more of its block outside of its steps: likewise */
    XG_ATTENTION_BACK_ONCE_CLOCKS = 340,  /* ... of another r0, in tensor memory: likewise */
    XG_ATTENTION_BACK_PASSES = 4          /* of scores' bytes, one way: dP, dS written; weights, dP, dS, dS read */
};

/* ---- the tile ---- */

XG_FN bool xg_attention_is_paired(const xg_attention_plan *p) {
    return p->form.back.is && p->shape.parts > 1 && !p->shape.grouped;
}
XG_FN int64_t xg_attention_side_rows(const xg_attention_plan *p) { return p->stages * p->shape.step; }
/* ... in a step: sums; words of weights. */
XG_FN int64_t xg_attention_pair_given(const xg_attention_plan *p) {
    if (!xg_attention_is_paired(p) || p->form.back.rows_only) return 0;
    return (p->trades ? p->own / 4 : 0) + (p->form.back.turned ? p->own / 8 : 0);
}
XG_FN int64_t xg_attention_pair_vectors(const xg_attention_plan *p) {
    bool joins = xg_attention_is_paired(p) && !p->form.back.rows_only && !p->form.back.turned;
    return XG_MAX(xg_attention_pair_given(p), joins ? XG_ATTENTION_PAIR * (int64_t)p->shape.blocks : 0);
}
/* Columns of further sums. */
XG_FN int64_t xg_attention_back_second_width(const xg_attention_plan *p) {
    return p->shape.once ? p->depth : p->form.back.second ? p->columns : 0;
}
/* Columns whose sums a thread keeps; of a pair's warps one has those of dK, the other one those of dV. */
XG_FN int64_t xg_attention_back_sums(const xg_attention_plan *p) {
    if (p->form.back.rows_only) return 0;
    if (p->apart) return XG_MAX(p->depth, p->columns);
    return p->depth + (xg_attention_is_paired(p) ? 0 : xg_attention_back_second_width(p));
}
/* ... of f32 that is on its way through registers while it brings a step. */
XG_FN int64_t xg_attention_back_staged(const xg_attention_plan *p) {
    if (p->copied || p->form.unit != XG_TILE_NO_UNIT) return 0;
    return p->shape.step * (p->depth + p->columns) / p->threads;
}
XG_FN int64_t xg_attention_back_registers(const xg_attention_plan *p) {
    int64_t sums = p->shape.in_tensor ? 0 : p->halves * xg_attention_back_sums(p) / XG_ATTENTION_BESIDE;
    int64_t step = p->halves * 2 * p->own / XG_ATTENTION_BESIDE;
    if (!xg_attention_back_is_whole(&p->form)) step += p->halves * p->own / XG_ATTENTION_BESIDE;
    if (!xg_attention_back_is_whole(&p->form) && xg_attention_splits(&p->form)) step += XG_ATTENTION_BACK_SPLIT;
    if (xg_attention_back_keeps_bare(&p->form)) step += p->halves * p->own / XG_ATTENTION_BESIDE;
    if (p->shape.grouped && p->bounded) step += p->own / XG_ATTENTION_BACK_MASKED;
    if (p->shape.grouped) return XG_ATTENTION_BACK_GROUP_REGISTERS + sums + step;
    if (xg_attention_is_paired(p)) /* and rows of both operands, or, beside sums, of one */
        return XG_ATTENTION_BACK_PAIR_REGISTERS + sums + step + p->depth / (1 + p->trades);
    if (p->keeps_rows) sums += p->depth / XG_ATTENTION_BESIDE;
    if (p->keeps_grads) sums += p->columns / XG_ATTENTION_BESIDE;
    sums += p->form.back.rows_only && p->form.unit != XG_TILE_NO_UNIT ? XG_ATTENTION_BACK_ROWS_REGISTERS
                                                                      : XG_ATTENTION_BACK_REGISTERS;
    return sums + XG_MAX(step, xg_attention_back_staged(p));
}
/* The tile's rows come through the keys' array, one operand behind the other, where the steps' buffers are smaller. */
XG_FN bool xg_attention_back_in_turn(const xg_attention_plan *p) {
    return p->keeps_grads && !p->shape.grouped && p->tile > xg_attention_side_rows(p);
}
XG_FN bool xg_attention_back_through_keys(const xg_attention_plan *p) {
    return xg_attention_is_paired(p) || xg_attention_back_in_turn(p);
}
XG_FN int64_t xg_attention_back_keys_size(const xg_attention_plan *p) {
    int64_t size = xg_attention_side_rows(p) * p->pitch;
    return xg_attention_back_in_turn(p) ? XG_MAX(size, p->tile * XG_MAX(p->pitch, p->value_pitch)) : size;
}

/* What lies in shared memory, of warps that each multiply alone. */
XG_FN void xg_attention_back_shared(xg_attention_plan *p) {
    const xg_attention_form *f = &p->form;
    int64_t bytes = xg_type_bytes(f->held), keys = p->stages * p->shape.step, pad = XG_ATTENTION_PAD_BYTES / bytes;
    p->swizzled = false;
    p->pitch = p->query_pitch = p->depth + pad;
    p->value_pitch = p->columns + pad;
    p->shared =
        xg_shared_whole(xg_attention_back_keys_size(p) * bytes) + xg_shared_whole(keys * p->value_pitch * bytes);
    if (!p->keeps_rows) p->shared += xg_shared_whole(p->tile * p->pitch * bytes);
    if (!p->keeps_grads) p->shared += xg_shared_whole(p->tile * p->value_pitch * bytes);
    if (f->back.turned) p->shared += xg_shared_whole(keys * f->back.n_lines * xg_type_bytes(f->sum));
    p->shared += p->threads * xg_attention_pair_vectors(p) * XG_TILE_ACCESS_BYTES;
    if (xg_attention_is_paired(p)) p->shared += xg_shared_whole(xg_attention_back_ends(p) * xg_type_bytes(f->sum));
    if (f->unit == XG_TILE_NO_UNIT) p->shared += xg_shared_whole(xg_attention_weights_size(p) * bytes);
    if (p->bounded) p->shared += xg_shared_whole(xg_attention_votes(p) * xg_type_bytes(f->sum));
}
/* The tile's rows stay in registers, where there is room. */
XG_FN void xg_attention_back_room(xg_attention_plan *p) {
    int64_t own;
    bool through = p->tile <= xg_attention_side_rows(p);
    p->trades = false;
    own = xg_attention_back_registers(p);
    if (xg_attention_is_paired(p)) {
        p->keeps_rows = p->keeps_grads = true;
        p->trades = own > XG_ATTENTION_BACK_KEPT && !p->form.back.rows_only;
    } else if (p->form.unit != XG_TILE_NO_UNIT && p->shape.blocks == 1) {
        p->keeps_grads = own + (p->depth + p->columns) / XG_ATTENTION_BESIDE <= XG_ATTENTION_BACK_BOTH;
        p->keeps_rows = p->keeps_grads || (through && own + p->depth / XG_ATTENTION_BESIDE <= XG_ATTENTION_BACK_KEPT);
    }
    xg_attention_back_shared(p);
}
XG_FN void xg_attention_back_settle(xg_attention_plan *p, const xg_attention_shape *s, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    xg_attention_settle(p, s, m);
    p->keeps_rows = p->keeps_grads = p->apart = false;
    if (s->once && s->in_tensor && p->stages > 1) p->stages++; /* the next but one step's scores are asked for early */
    if (s->in_tensor)
        p->apart = f->back.second && xg_attention_tensor_columns(p) > XG_KTENSOR_COLUMNS;
    else
        p->apart = f->back.second && s->parts == 1 && p->depth + p->columns > XG_ATTENTION_BACK_EXTENT_MAX;
    p->keeps_rows = p->keeps_grads = s->in_tensor && p->tile <= p->stages * s->step;
    if (xg_attention_tensor_columns(p) > XG_KTENSOR_COLUMNS) p->keeps_rows = false;
    if (xg_attention_tensor_columns(p) > XG_KTENSOR_COLUMNS) p->keeps_grads = false;
    if (!s->grouped) {
        xg_attention_back_room(p);
        return;
    }
    p->shared = xg_attention_group_bytes(p);
    if (p->bounded) p->shared += xg_shared_whole(xg_attention_votes(p) * xg_type_bytes(f->sum));
    if (s->parts > 1) p->shared += xg_shared_whole(xg_attention_back_ends(p) * xg_type_bytes(f->sum));
}

/* ---- time ---- */

/* What a warp does in a step of a walk over the keys; plain cores multiply by instructions of 32 products. */
typedef struct xg_attention_back_work {
    int64_t products, reads, issue, passes;
} xg_attention_back_work;
XG_FN void xg_attention_back_plain_scores(const xg_attention_plan *p, int64_t width, xg_attention_back_work *w) {
    int64_t rounds = width / XG_ATTENTION_BACK_PIECE, reads = XG_ATTENTION_HALVES + p->own / XG_ATTENTION_BESIDE;
    w->products += p->own * width * XG_ATTENTION_ROWS / XG_WARP_LANES;
    w->issue += rounds * (reads + XG_ATTENTION_BACK_ROUND_ISSUE);
    w->passes += rounds * reads * XG_ATTENTION_BACK_PIECE;
}
XG_FN void xg_attention_back_scores(const xg_attention_plan *p, int64_t width, bool kept, xg_attention_back_work *w) {
    int64_t pairs = p->own / XG_ATTENTION_ROWS, rounds = width / XG_ATTENTION_ROWS;
    if (p->form.unit == XG_TILE_NO_UNIT) {
        xg_attention_back_plain_scores(p, width, w);
        return;
    }
    w->products += 2 * pairs * rounds * p->shape.blocks;
    w->reads += (pairs + (kept ? 0 : p->shape.blocks)) * rounds;
}
XG_FN void xg_attention_back_plain_out(const xg_attention_plan *p, int64_t width, xg_attention_back_work *w) {
    int64_t rounds = p->own / XG_ATTENTION_BACK_PIECE, pairs = width / XG_ATTENTION_EIGHT, shown = p->own / 2;
    w->products += p->own * width * XG_ATTENTION_ROWS / XG_WARP_LANES;
    w->issue +=
        rounds * (XG_ATTENTION_HALVES + XG_ATTENTION_BACK_PIECE * pairs + XG_ATTENTION_BACK_ROUND_ISSUE) + shown;
    w->passes += rounds * XG_ATTENTION_BACK_PIECE * (XG_ATTENTION_HALVES + XG_ATTENTION_PAIR * pairs) + shown;
}
XG_FN void xg_attention_back_out(const xg_attention_plan *p, int64_t width, bool second, xg_attention_back_work *w) {
    int64_t times = xg_attention_times(&p->form, second), pieces = p->form.pieces[second];
    int64_t pairs = width / XG_ATTENTION_ROWS, rounds = p->own / XG_ATTENTION_ROWS;
    if (p->form.unit == XG_TILE_NO_UNIT) {
        xg_attention_back_plain_out(p, width, w);
        return;
    }
    w->products += 2 * pairs * rounds * p->shape.blocks * times;
    w->reads += pairs * rounds;
    w->issue += p->halves * p->own / XG_ATTENTION_BESIDE * (pieces - 1) * XG_ATTENTION_PIECES_ISSUE;
    if (times > pieces) w->issue += pairs * rounds * XG_ATTENTION_EIGHT; /* words of f16 are taken apart */
}
/* Clocks of a warp's products on its scheduler's matrix unit, or on plain cores. */
XG_APART XG_FN int64_t xg_attention_back_each(const xg_attention_plan *p, const xg_device *m, int64_t products) {
    int64_t rate = XG_MAX(xg_cost_rate(m, XG_PIPE_F32), (int64_t)1), macs = XG_WARP_LANES;
    if (p->form.unit != XG_TILE_NO_UNIT) {
        rate = XG_MAX(xg_cost_tensor_rate(m, XG_TENSOR_F16) * XG_MAX(m->mma_permille, 1) / 1000, (int64_t)1);
        macs = XG_ATTENTION_BACK_MACS;
    }
    return products * macs * XG_ATTENTION_BACK_SCHEDULERS / rate;
}
/* Walks over scores and dP, but for that which finds maxima: for the sum over both, for dots. */
XG_FN int64_t xg_attention_back_both(const xg_attention_form *f) {
    return (f->back.delta && !f->back.together) + !f->back.rows_only;
}
/* What a warp does in a step of all its walks; the number of these. */
XG_FN int64_t xg_attention_back_step(const xg_attention_plan *p, xg_attention_back_work *w) {
    const xg_attention_form *f = &p->form;
    int64_t each = p->halves * p->own / XG_ATTENTION_BESIDE, walks = xg_attention_back_both(f) - p->shape.once, issue;
    memset(w, 0, sizeof *w);
    if (f->match.max) { /* maximum and sum */
        walks++;
        xg_attention_back_scores(p, p->depth, p->keeps_rows, w);
        w->issue += each * XG_ATTENTION_BACK_SCORE_ISSUE;
        if (f->back.together) {
            w->issue += each * XG_ATTENTION_BACK_SECOND_ISSUE;
            xg_attention_back_scores(p, p->columns, p->keeps_grads, w);
        }
    }
    for (issue = xg_attention_back_both(f) - p->shape.once; issue; issue--) {
        xg_attention_back_scores(p, p->depth, p->keeps_rows, w);
        xg_attention_back_scores(p, p->columns, p->keeps_grads, w);
        w->issue += each * XG_ATTENTION_BACK_TERM_ISSUE;
    }
    if (f->back.rows_only) return walks;
    if (f->back.shows) w->issue += each * XG_ATTENTION_BACK_SHOWN_ISSUE;
    if (p->apart) {
        walks++;
        xg_attention_back_scores(p, p->depth, p->keeps_rows, w);
        w->issue += each * XG_ATTENTION_BACK_SCORE_ISSUE;
    }
    xg_attention_back_out(p, p->depth, false, w);
    if (f->back.second || p->shape.once) {
        w->issue += each * (p->shape.once ? XG_ATTENTION_BACK_TERM_ISSUE : XG_ATTENTION_BACK_SECOND_ISSUE);
        xg_attention_back_out(p, xg_attention_back_second_width(p), true, w);
    }
    return walks;
}
/* Columns of all of a step's products, in all walks: of those whose first matrix lies in shared memory, and of all. */
XG_FN void xg_attention_back_widths(const xg_attention_plan *p, int64_t *scores, int64_t *all) {
    const xg_attention_form *f = &p->form;
    int64_t both = xg_attention_back_both(f) - p->shape.once, rows, grads;
    rows = (both + p->apart + (f->match.max != NULL)) * p->depth;
    grads = (both + (f->match.max && f->back.together)) * p->columns;
    *scores = (p->keeps_rows ? 0 : rows) + (p->keeps_grads ? 0 : grads);
    *all = rows + grads + f->pieces[1] * xg_attention_back_second_width(p);
    if (!f->back.rows_only) *all += f->pieces[0] * p->depth;
}
/* The same for warp groups. */
XG_APART XG_FN void xg_attention_back_count_group(
    const xg_attention_plan *p, const xg_device *m, int64_t walks, int64_t issue, xg_cost_counts *c) {
    int64_t rate = XG_MAX(xg_cost_tensor_rate(m, XG_TENSOR_F16), (int64_t)1), all = xg_cost_mul(p->blocks, p->walked);
    int64_t groups = p->threads / xg_attention_group_threads(p), rows = p->tile / groups, step = p->shape.step, scores,
            widths;
    int64_t bytes = xg_type_bytes(p->form.held), waits = XG_ATTENTION_BACK_GROUP_CLOCKS;
    int64_t ends = XG_ATTENTION_BACK_ENDS_CLOCKS, least = 0;
    xg_attention_back_widths(p, &scores, &widths);
    c->threads = p->threads + p->producers;
    c->registers = XG_TILE_REGISTERS / c->threads;
    c->macs[XG_TENSOR_F16] = xg_cost_mul(all, p->tile * step * widths);
    c->unit_passes = xg_cost_mul(all, groups * (rows * scores + step * widths) * bytes / XG_PASS_BYTES);
    c->shared_passes = c->unit_passes;
    c->bulk_sectors = c->l2_sectors;
    c->barriers = 1;
    if (p->shape.in_tensor) {
        waits = XG_ATTENTION_BACK_TENSOR_CLOCKS;
        least = walks * (XG_ATTENTION_BACK_TENSOR_LEAST + XG_ATTENTION_BACK_TENSOR_KEY * step);
    }
    if (p->shape.in_tensor && p->shape.once) {
        waits = XG_ATTENTION_BACK_ONCE_WAITS;
        least = XG_ATTENTION_BACK_ONCE_LEAST + XG_ATTENTION_BACK_ONCE_CLOCKS / xg_attention_once_seldom(p->walked);
        ends += XG_ATTENTION_BACK_ONCE_ENDS;
    }
    if (p->shape.in_tensor) { /* products beside the threads; copies fill what they read */
        issue = 0;
        c->shared_passes = xg_cost_add(c->shared_passes, c->l2_sectors * XG_SECTOR_BYTES / XG_PASS_BYTES);
        c->unit_passes = c->shared_passes;
        c->l2_sectors = xg_cost_add_mul(c->l2_sectors, p->blocks, /* the tile's rows; half sectors of results */
            p->tile * (p->depth + p->columns) * 2 * bytes / XG_SECTOR_BYTES);
        if (p->form.back.turned) { /* each two columns' lines take two passes of a warp */
            c->shared_passes = xg_cost_add_mul(c->shared_passes, all,
                p->threads / XG_WARP_LANES * p->form.back.n_lines * p->own / XG_ATTENTION_BESIDE);
            waits = XG_ATTENTION_BACK_TURNED_CLOCKS;
            least = XG_ATTENTION_BACK_TURNED_LEAST + XG_ATTENTION_BACK_TURNED_KEY * step;
            ends += XG_ATTENTION_BACK_TURNED_ENDS;
        }
    }
    waits = XG_MAX(rows * step * widths / rate + issue + walks * waits, least);
    c->warp_clocks = xg_cost_mul(p->walked, waits);
    if (p->bounded && p->form.back.turned) ends += XG_ATTENTION_BACK_VOTE_CLOCKS;
    c->warp_clocks = xg_cost_add(c->warp_clocks, ends);
}
XG_FN int64_t xg_attention_back_elements(const xg_attention_form *f) {
    return xg_cost_mul(xg_cost_mul(f->batch, f->rows), f->keys);
}
/* What the blocks do, counted from the plan, for the one model of time (cost/time.c); but for operands and gradients in
 * memory, which the dots (xg_attention_back_apart) move alike. */
XG_FN int64_t xg_attention_back_time(const xg_attention_plan *p, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    int64_t warps = p->threads / XG_WARP_LANES, held = xg_type_bytes(f->held), walks, all, bytes, each, own, ends;
    xg_attention_back_work w;
    xg_cost_counts c;
    walks = xg_attention_back_step(p, &w);
    if (p->shape.in_tensor) w.issue -= w.issue / XG_ATTENTION_BACK_TWOS;
    bytes = walks * p->shape.step * (p->depth + p->columns) * held;
    own = f->unit == XG_TILE_NO_UNIT ? 0 : w.issue; /* for elements: the warp does not multiply meanwhile */
    if (p->shape.grouped)
        w.products = w.reads = 0;
    else
        w.issue += bytes / XG_TILE_ACCESS_BYTES / p->threads * XG_ATTENTION_BACK_COPY_ISSUE;
    all = xg_cost_mul(xg_cost_mul(p->blocks, p->walked), warps);
    each = xg_attention_back_each(p, m, w.products);
    memset(&c, 0, sizeof c);
    c.blocks = p->blocks;
    c.longest = p->longest;
    c.threads = p->threads;
    c.registers = XG_MIN(xg_attention_back_registers(p), (int64_t)m->registers_per_thread);
    c.shared_bytes = p->shared;
    c.warp_issued = xg_cost_mul(p->walked, w.issue + w.products + w.reads);
    c.issued = xg_cost_mul(xg_cost_mul(p->blocks, warps), c.warp_issued);
    if (f->unit == XG_TILE_NO_UNIT)
        c.pipes[XG_PIPE_F32] = xg_cost_mul(all, w.products);
    else if (!p->shape.grouped) {
        c.warp_macs[XG_TENSOR_F16] = xg_cost_mul(all, w.products * XG_ATTENTION_BACK_MACS);
        c.warp_tensor = xg_cost_mul(p->walked, each);
    }
    c.shared_passes = xg_cost_mul(all, w.reads * XG_TILE_UNIT_READ_CYCLES + w.passes);
    c.shared_passes =
        xg_cost_add_mul(c.shared_passes, xg_cost_mul(p->blocks, p->walked), bytes / XG_PASS_BYTES); /* copies */
    c.l2_sectors = xg_cost_mul(xg_cost_mul(p->blocks, p->walked), bytes / XG_SECTOR_BYTES);
    if (f->back.shows) c.written_bytes = xg_cost_mul(xg_attention_back_elements(f), held);
    c.l2_sectors = xg_cost_add(c.l2_sectors, c.written_bytes / XG_SECTOR_BYTES);
    c.barriers = xg_cost_mul(p->walked, walks * XG_ATTENTION_BACK_BARRIERS);
    own = XG_MAX(c.warp_issued, xg_cost_mul(p->walked, each + own));
    if (xg_attention_pair_given(p)) { /* each takes four passes, each way; pairs wait once more */
        walks++;
        c.shared_passes =
            xg_cost_add_mul(c.shared_passes, all, XG_ATTENTION_BACK_PIECE * 2 * xg_attention_pair_given(p));
    }
    own = xg_cost_add_mul(own, p->walked, walks * (int64_t)XG_ATTENTION_BACK_STEP_CLOCKS);
    ends = XG_ATTENTION_BACK_ENDS_CLOCKS * XG_ATTENTION_BACK_ENDS;
    c.warp_clocks = xg_cost_add(own, f->back.turned || f->back.rows_only ? ends : 2 * ends);
    if (p->shape.grouped) xg_attention_back_count_group(p, m, walks, w.issue, &c);
    return xg_cost_launched(m, &c);
}
/* Both kernels' work by dots and what stands between them; first: the kernel of dQ. */
XG_FN int64_t xg_attention_back_apart(
    const xg_attention_plan *first, const xg_attention_plan *other, const xg_device *m) {
    const xg_attention_form *f = &first->form;
    int64_t scores = xg_attention_back_elements(f), products = f->columns + f->depth, passes;
    int64_t rate = xg_cost_tensor_rate(m, XG_TENSOR_F16) * XG_MAX(m->mma_permille, 1) / 1000, cycles, bytes, kernels;
    int64_t plain_rate = (int64_t)m->f32_rate * XG_ATTENTION_BACK_PLAIN_PERCENT / 100, plain = 0;
    if (f->unit == XG_TILE_NO_UNIT) rate = plain_rate;
    if (other) products += f->depth + (other->form.back.second ? f->columns : 0);
    if (f->match.max) products += f->depth;
    if (f->pieces[0] > 1) plain = f->depth; /* by dots of f32 */
    if (other && other->form.pieces[0] > 1) plain += f->depth;
    if (other && other->form.pieces[1] > 1) plain += f->columns;
    passes = XG_ATTENTION_BACK_PASSES + (f->match.max ? 2 : 0);
    kernels = XG_ATTENTION_BACK_KERNELS + (f->match.max ? 2 : 0);
    cycles = xg_cost_mul(scores, products - plain) / XG_MAX(rate * (int64_t)m->sm_count, (int64_t)1) +
             xg_cost_mul(scores, plain) / XG_MAX(plain_rate * (int64_t)m->sm_count, (int64_t)1);
    bytes = xg_cost_mul(scores, passes * xg_type_bytes(f->match.exp->shape->type));
    if (bytes / passes * 2 < m->l2_bytes) bytes /= 2; /* what one kernel writes is still there for the next */
    return xg_cost_add(xg_cost_add(xg_cost_scale(cycles, 1000000, m->clock_mhz), xg_cost_copied(m, bytes)),
        kernels * (int64_t)XG_ATTENTION_BACK_LAUNCH_PS);
}

/* dQ as a product of dS, which it reads from memory. */
XG_FN int64_t xg_attention_back_product_time(const xg_attention_plan *p, const xg_device *m) {
    enum {
        PERCENT = 85 /* of matrix units' best */
    };
    const xg_attention_form *f = &p->form;
    bool whole = m->tensor_memory && (f->rows | f->keys) % XG_KTENSOR_M == 0; /* no tile has less to do */
    int64_t rate = xg_cost_tensor_rate(m, XG_TENSOR_F16) * (whole ? 1000 : XG_MAX(m->mma_permille, 1)) / 1000;
    int64_t cycles = xg_cost_mul(xg_attention_back_elements(f), f->depth) / XG_MAX(rate * m->sm_count, (int64_t)1);
    int64_t rows = xg_cost_mul(xg_cost_mul(f->batch, f->rows + f->keys), f->depth); /* of K, dQ */
    int64_t bytes = xg_cost_mul(xg_cost_add(xg_attention_back_elements(f), rows), xg_type_bytes(f->held));
    int64_t time = xg_cost_scale(cycles, 1000000 * 100 / PERCENT, m->clock_mhz);
    return xg_cost_add(XG_MAX(time, xg_cost_copied(m, bytes)), XG_ATTENTION_BACK_LAUNCH_PS);
}

/* ---- the plan ---- */

/* Tensor copies bring a step's operands and lines as they lie in memory. */
XG_FN bool xg_attention_back_may_group(const xg_attention_form *f, const xg_attention_shape *s, const xg_device *m) {
    return (s->in_tensor ? m->tensor_memory : m->warp_groups) && (!f->back.turned || f->back.boxed) &&
           xg_attention_has_boxes(f, s);
}

/* The rows come through the steps' buffers; both operands are as wide, and each warp has half of dQ's columns. */
XG_FN bool xg_attention_back_may_pair(const xg_attention_plan *p) {
    const xg_attention_form *f = &p->form;
    return xg_attention_back_is_whole(f) && p->depth == p->columns && p->tile <= xg_attention_side_rows(p) &&
           (!f->back.turned || f->back.second);
}

/* Of rows that are queries; one walk has fewer of them. An order that names a tile says how many. */
XG_FN int64_t xg_attention_back_powers(
    const xg_attention_form *f, const xg_attention_shape *s, const xg_record *given) {
    const xg_numbers *said = given ? xg_record_get(&given->form, "powers") : NULL;
    if (!s->in_tensor || f->back.turned) return 0;
    if (said && said->n == 1) return XG_MIN((int64_t)said->p[0], (int64_t)XG_ATTENTION_POWERS - 1);
    return given && xg_record_get(&given->form, "group_tile") ? 0 : XG_ATTENTION_BACK_POWERS - s->once;
}
XG_FN bool xg_attention_back_fits(const xg_attention_plan *p, const xg_device *m) {
    int64_t most = p->shape.grouped && p->threads > XG_TILE_BULK_GROUP
                       ? (int64_t)XG_ATTENTION_BACK_GROUP_THREAD
                       : XG_MIN((int64_t)XG_ATTENTION_BACK_THREAD, (int64_t)m->registers_per_sm / p->threads);
    if (p->shape.in_tensor ? xg_attention_tensor_columns(p) > XG_KTENSOR_COLUMNS
                           : xg_attention_back_sums(p) > XG_ATTENTION_BACK_EXTENT_MAX)
        return false;
    return p->shared <= m->shared_per_block && p->blocks <= INT32_MAX && xg_attention_back_registers(p) <= most;
}
XG_FN bool xg_attention_back_plan_of(xg_attention_plan *p, const xg_device *m, const xg_record *given) {
    static const xg_attention_shape shapes[] = {
#define X(warps, step) {warps, 2, step, 2, true, false, true, false},
        XG_ATTENTION_BACK_TENSOR_SHAPES(X)
#undef X
            {8, 1, 64, 1, true, false, true, true}, /* two groups with half of the keys each would need one reference */
        {4, 1, 64, 2, true, false, true, true},     /* slower: for orders */
#define X(warps, step) {warps, 1, step, 1, true, false, false, false}, {warps, 1, step, 1, true, false, false, true},
        XG_ATTENTION_BACK_GROUP_SHAPES(X)
#undef X
#define X(warps, step) {warps, 2, step, 2, false, false, false, false},
            XG_ATTENTION_BACK_PAIR_SHAPES(X)
#undef X
#define X(warps, step) {warps, 1, step, 1, false, false, false, false},
                XG_ATTENTION_BACK_SHAPES(X)
#undef X
#define X(warps, step) {warps, 1, step, 2, false, false, false, false},
                    XG_ATTENTION_BACK_WIDE_SHAPES(X)
#undef X
    };
    int64_t least = INT64_MAX, time;
    const xg_attention_shape *best = NULL, *s;
    size_t k;
    if (p->form.depth > XG_ATTENTION_EXTENT_MAX || p->form.columns > XG_ATTENTION_EXTENT_MAX) return false;
    for (k = 0; k < XG_COUNT(shapes); k++) {
        bool narrow = shapes[k].step == XG_ATTENTION_ROWS;
        s = &shapes[k];
        p->powers = xg_attention_back_powers(&p->form, s, given);
        if (!xg_attention_is_ordered(given, s, 1, p->powers)) continue;
        if (s->grouped && !xg_attention_back_may_group(&p->form, s, m)) continue;
        if ((s->blocks > 1 || narrow) && p->form.unit == XG_TILE_NO_UNIT) continue;
        if (s->once && s->blocks > 1 && !(given && xg_record_get(&given->form, "warp_rows"))) continue;
        if (narrow && !given && xg_attention_reads(&p->form))
            continue; /* they would read a sector for few of its elements */
        xg_attention_back_settle(p, s, m);
        if (s->once && !xg_attention_once_may(p)) continue;
        if (xg_attention_is_paired(p) && !xg_attention_back_may_pair(p)) continue;
        if (!xg_attention_back_fits(p, m) || (p->bounded && p->form.back.shows)) continue; /* steps left out: no dS */
        time = xg_attention_back_time(p, m);
        if (time >= least) continue;
        least = time;
        best = s;
    }
    if (!best) return false;
    xg_attention_back_settle(p, best, m);
    p->powers = xg_attention_back_powers(&p->form, best, given);
    p->picoseconds = least;
    return true;
}

#endif /* XG_SCHED_ATTENTION_BACK_PLAN_C */
