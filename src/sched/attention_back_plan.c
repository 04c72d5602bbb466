/* sched/attention_back_plan.c -- how large a block's tile of attention's backward pass is, what that takes, and how
 * long both kernels take beside the dots and what stands between them. */
#ifndef XG_SCHED_ATTENTION_BACK_PLAN_C
#define XG_SCHED_ATTENTION_BACK_PLAN_C
#include "attention.h"

/* Warps along rows, keys of a step. The first of equals is taken. */
/* clang-format off */
#define XG_ATTENTION_BACK_SHAPES(X) \
    X(4, 64) \
    X(4, 32) \
    X(8, 64) \
    X(8, 32) \
    X(2, 64) \
    X(2, 32) \
    X(1, 32)
/* clang-format on */
enum {
    XG_ATTENTION_BACK_TERM_ISSUE = 22,     /* instructions for an element of dS, of the scores and of dP */
    XG_ATTENTION_BACK_SECOND_ISSUE = 6,    /* ... of the weights as well, where rows are keys */
    XG_ATTENTION_BACK_SCORE_ISSUE = 12,    /* ... for a score's maximum and sum */
    XG_ATTENTION_BACK_REGISTERS = 62,      /* of a thread beside its sums: counted by ptxas */
    XG_ATTENTION_BACK_THREAD = 255,        /* registers that a thread can have */
    XG_ATTENTION_BACK_ENDS_CYCLES = 4000,  /* of a block outside of its steps */
    XG_ATTENTION_BACK_WAIT_CYCLES = 400,   /* of a step: barriers, and what waits for products */
    XG_ATTENTION_BACK_COPY_ISSUE = 6,      /* instructions for 16 bytes of a step */
    XG_ATTENTION_BACK_WAIT_THREADS = 128,  /* ... of a block of so many threads */
    XG_ATTENTION_BACK_HIDDEN_PERCENT = 85, /* that are left of a warp's waits beside another block */
    XG_ATTENTION_BACK_ISSUE_TENTHS = 25,   /* of a clock, for an instruction of a warp between products */
    XG_ATTENTION_BACK_READ_CYCLES = 8,     /* of a warp's read for its products */
    XG_ATTENTION_BACK_EXTENT_MAX = 256,    /* columns of sums that a thread's registers have room for */
    XG_ATTENTION_BACK_SCHEDULERS = 4,      /* of a multiprocessor */
    XG_ATTENTION_BACK_MACS = 16 * 8 * 16,  /* of one instruction of a matrix unit */
    XG_ATTENTION_BACK_PLAIN_PERCENT = 80,  /* of the plain cores' rate that products alone reach */
    XG_ATTENTION_BACK_ROUND_ISSUE = 20,    /* instructions of a round of plain cores, beside reads and products */
    XG_ATTENTION_BACK_PIECE = 4,           /* numbers that a plain read brings, each in a pass of shared memory */
    XG_ATTENTION_BACK_LAUNCH_PS = 2500000, /* of a kernel more */
    XG_ATTENTION_BACK_KERNELS = 3,         /* of the unfused pass beside as many as there are here */
    XG_ATTENTION_BACK_PASSES = 4           /* of scores' bytes, one way: dP, dS written; weights, dP, dS, dS read */
};

/* ---- the tile ---- */

XG_FN void xg_attention_back_settle(xg_attention_plan *p, const xg_attention_shape *s, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    int64_t bytes = xg_type_bytes(f->held), keys;
    xg_attention_settle(p, s, m);
    keys = p->stages * s->step;
    p->shared = xg_shared_whole(p->tile * p->pitch * bytes) + xg_shared_whole(p->tile * p->value_pitch * bytes) +
                xg_shared_whole(keys * p->pitch * bytes) + xg_shared_whole(keys * p->value_pitch * bytes);
    if (f->back.turned) p->shared += xg_shared_whole(keys * f->back.n_lines * xg_type_bytes(f->sum));
    if (f->unit == XG_TILE_NO_UNIT) p->shared += xg_shared_whole(xg_attention_weights_size(p) * bytes);
    if (p->bounded) p->shared += xg_shared_whole(XG_MAX(p->tile, p->threads / XG_WARP_LANES) * xg_type_bytes(f->sum));
}
/* Columns whose sums a thread keeps. */
XG_FN int64_t xg_attention_back_sums(const xg_attention_plan *p) {
    return p->depth + (p->form.back.second ? p->columns : 0);
}
/* ... of f32 that is on its way through registers while it brings a step. */
XG_FN int64_t xg_attention_back_staged(const xg_attention_plan *p) {
    if (p->copied || p->form.unit != XG_TILE_NO_UNIT) return 0;
    return p->shape.step * (p->depth + p->columns) / p->threads;
}
XG_FN int64_t xg_attention_back_registers(const xg_attention_plan *p) {
    int64_t sums = XG_ATTENTION_HALVES * xg_attention_back_sums(p) / XG_ATTENTION_BESIDE;
    int64_t step = XG_ATTENTION_HALVES * 2 * p->own / XG_ATTENTION_BESIDE;
    return XG_ATTENTION_BACK_REGISTERS + sums + XG_MAX(step, xg_attention_back_staged(p));
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
XG_FN void xg_attention_back_scores(const xg_attention_plan *p, int64_t width, xg_attention_back_work *w) {
    int64_t pairs = p->own / XG_ATTENTION_ROWS, rounds = width / XG_ATTENTION_ROWS;
    if (p->form.unit == XG_TILE_NO_UNIT) {
        xg_attention_back_plain_scores(p, width, w);
        return;
    }
    w->products += 2 * pairs * rounds;
    w->reads += (pairs + 1) * rounds;
}
XG_FN void xg_attention_back_plain_out(const xg_attention_plan *p, int64_t width, xg_attention_back_work *w) {
    int64_t rounds = p->own / XG_ATTENTION_BACK_PIECE, pairs = width / XG_ATTENTION_EIGHT, shown = p->own / 2;
    w->products += p->own * width * XG_ATTENTION_ROWS / XG_WARP_LANES;
    w->issue +=
        rounds * (XG_ATTENTION_HALVES + XG_ATTENTION_BACK_PIECE * pairs + XG_ATTENTION_BACK_ROUND_ISSUE) + shown;
    w->passes += rounds * XG_ATTENTION_BACK_PIECE * (XG_ATTENTION_HALVES + XG_ATTENTION_PAIR * pairs) + shown;
}
XG_FN void xg_attention_back_out(const xg_attention_plan *p, int64_t width, xg_attention_back_work *w) {
    int64_t pairs = width / XG_ATTENTION_ROWS, rounds = p->own / XG_ATTENTION_ROWS;
    if (p->form.unit == XG_TILE_NO_UNIT) {
        xg_attention_back_plain_out(p, width, w);
        return;
    }
    w->products += 2 * pairs * rounds;
    w->reads += pairs * rounds;
}
/* Clocks of a warp's instruction of products on its scheduler: of a matrix unit, or of plain cores. */
XG_FN int64_t xg_attention_back_each(const xg_attention_plan *p, const xg_device *m, const xg_attention_back_work *w) {
    int64_t rate = XG_MAX((int64_t)m->f32_rate, (int64_t)1), macs = XG_WARP_LANES;
    if (p->form.unit != XG_TILE_NO_UNIT) {
        rate = XG_MAX(xg_cost_tensor_rate(m, XG_TENSOR_F16) * XG_MAX(m->mma_permille, 1) / 1000, (int64_t)1);
        macs = XG_ATTENTION_BACK_MACS;
    }
    return w->products * macs * XG_ATTENTION_BACK_SCHEDULERS / rate;
}
/* Clocks of a step of as many blocks as a multiprocessor has at a time: what one warp waits for, one thing behind the
 * other, or what all of them ask of matrix units, of shared memory and of the schedulers. */
XG_FN int64_t xg_attention_back_cycles(
    const xg_attention_plan *p, const xg_device *m, int64_t blocks, const xg_attention_back_work *w) {
    int64_t warps = blocks * p->threads / XG_WARP_LANES, each = xg_attention_back_each(p, m, w), own, all, second;
    int64_t bytes = p->shape.step * (p->depth + p->columns) * xg_type_bytes(p->form.held);
    int64_t issue = w->issue + bytes / XG_TILE_ACCESS_BYTES / p->threads * XG_ATTENTION_BACK_COPY_ISSUE;
    own = each + issue * XG_ATTENTION_BACK_ISSUE_TENTHS / 10 + w->reads * XG_ATTENTION_BACK_READ_CYCLES +
          XG_ATTENTION_BACK_WAIT_CYCLES * p->threads / XG_ATTENTION_BACK_WAIT_THREADS;
    if (blocks > 1) own = own * XG_ATTENTION_BACK_HIDDEN_PERCENT / 100;
    all = XG_MAX(each * warps, (issue + w->products + w->reads) * warps) / XG_ATTENTION_BACK_SCHEDULERS;
    all = XG_MAX(all, warps * (w->reads * XG_TILE_UNIT_READ_CYCLES + w->passes));
    second = m->l2_bandwidth / 1000000 / XG_MAX((int64_t)m->sm_count * m->clock_mhz, (int64_t)1); /* bytes a clock */
    all = XG_MAX(all, blocks * bytes / XG_MAX(second, (int64_t)1));
    return XG_MAX(own, all) + XG_MIN(own, all) / 8;
}
XG_FN int64_t xg_attention_back_time(const xg_attention_plan *p, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    int64_t each = XG_ATTENTION_HALVES * p->own / XG_ATTENTION_BESIDE, cycles = 0, resident, blocks, rounds;
    xg_attention_back_work walk;
    resident = XG_MIN((int64_t)m->shared_per_sm / XG_MAX(p->shared + m->shared_reserved, (int64_t)1),
        (int64_t)XG_TILE_REGISTERS / (p->threads * xg_attention_back_registers(p)));
    resident = XG_MAX(resident, (int64_t)1);
    blocks = XG_MIN(xg_tile_over(p->blocks, m->sm_count), resident);
    rounds = xg_tile_over(p->blocks, blocks * m->sm_count);
    if (f->match.max) { /* maximum and sum */
        memset(&walk, 0, sizeof walk);
        xg_attention_back_scores(p, p->depth, &walk);
        walk.issue = each * XG_ATTENTION_BACK_SCORE_ISSUE;
        if (f->back.together) {
            walk.issue += each * XG_ATTENTION_BACK_SECOND_ISSUE;
            xg_attention_back_scores(p, p->columns, &walk);
        }
        cycles += xg_attention_back_cycles(p, m, blocks, &walk);
    }
    memset(&walk, 0, sizeof walk);
    xg_attention_back_scores(p, p->depth, &walk);
    xg_attention_back_scores(p, p->columns, &walk);
    walk.issue = each * XG_ATTENTION_BACK_TERM_ISSUE;
    if (f->back.delta && !f->back.together) cycles += xg_attention_back_cycles(p, m, blocks, &walk);
    xg_attention_back_out(p, p->depth, &walk);
    if (f->back.second) {
        walk.issue += each * XG_ATTENTION_BACK_SECOND_ISSUE;
        xg_attention_back_out(p, p->columns, &walk);
    }
    cycles += xg_attention_back_cycles(p, m, blocks, &walk);
    cycles = xg_cost_add(xg_cost_mul(p->walked, cycles), XG_ATTENTION_BACK_ENDS_CYCLES);
    return xg_cost_scale(xg_cost_mul(rounds, cycles), 1000000, m->clock_mhz);
}
/* Both kernels' work by dots and what stands between them; first: the kernel of dQ. */
XG_FN int64_t xg_attention_back_apart(
    const xg_attention_plan *first, const xg_attention_plan *other, const xg_device *m) {
    const xg_attention_form *f = &first->form;
    int64_t scores = xg_cost_mul(xg_cost_mul(f->batch, f->rows), f->keys), products = f->columns + f->depth, passes;
    int64_t rate = xg_cost_tensor_rate(m, XG_TENSOR_F16) * XG_MAX(m->mma_permille, 1) / 1000, cycles, bytes, kernels;
    if (f->unit == XG_TILE_NO_UNIT) rate = (int64_t)m->f32_rate * XG_ATTENTION_BACK_PLAIN_PERCENT / 100;
    if (other) products += f->depth + (other->form.back.second ? f->columns : 0);
    if (f->match.max) products += f->depth;
    passes = XG_ATTENTION_BACK_PASSES + (f->match.max ? 2 : 0);
    kernels = XG_ATTENTION_BACK_KERNELS + (f->match.max ? 2 : 0);
    cycles = xg_cost_mul(scores, products) / XG_MAX(rate * (int64_t)m->sm_count, (int64_t)1);
    bytes = xg_cost_mul(scores, passes * xg_type_bytes(f->match.exp->shape->type));
    if (bytes / passes * 2 < m->l2_bytes) bytes /= 2; /* what one kernel writes is still there for the next */
    return xg_cost_add(xg_cost_add(xg_cost_scale(cycles, 1000000, m->clock_mhz),
                           xg_cost_scale(bytes, 1000, xg_device_gbs(m->bandwidth))),
        kernels * (int64_t)XG_ATTENTION_BACK_LAUNCH_PS);
}

/* ---- the plan ---- */

XG_FN bool xg_attention_back_fits(const xg_attention_plan *p, const xg_device *m) {
    return p->shared <= m->shared_per_block && p->blocks <= INT32_MAX &&
           xg_attention_back_registers(p) <= XG_ATTENTION_BACK_THREAD;
}
XG_FN bool xg_attention_back_plan_of(xg_attention_plan *p, const xg_device *m, const xg_record *given) {
    static const xg_attention_shape shapes[] = {
#define X(warps, step) {warps, 1, step, 1, false, false, false},
        XG_ATTENTION_BACK_SHAPES(X)
#undef X
    };
    int64_t least = INT64_MAX, time;
    const xg_attention_shape *best = NULL;
    size_t k;
    if (p->form.depth + (p->form.back.second ? p->form.columns : 0) > XG_ATTENTION_BACK_EXTENT_MAX ||
        p->form.columns > XG_ATTENTION_EXTENT_MAX)
        return false;
    for (k = 0; k < XG_COUNT(shapes); k++) {
        if (!xg_attention_is_ordered(given, &shapes[k], 1)) continue;
        xg_attention_back_settle(p, &shapes[k], m);
        if (!xg_attention_back_fits(p, m)) continue;
        time = xg_attention_back_time(p, m);
        if (time >= least) continue;
        least = time;
        best = &shapes[k];
    }
    if (!best) return false;
    xg_attention_back_settle(p, best, m);
    p->picoseconds = least;
    return true;
}

#endif /* XG_SCHED_ATTENTION_BACK_PLAN_C */
