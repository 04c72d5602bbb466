/* sched/attention_plan.c -- how large a block's tile of attention is, what that takes, and whether it pays off. */
#ifndef XG_SCHED_ATTENTION_PLAN_C
#define XG_SCHED_ATTENTION_PLAN_C
#include "attention.h"

/* Warps along rows, along keys, keys of a step. The first of equals is taken. */
/* clang-format off */
#define XG_ATTENTION_SHAPES(X) \
    X(4, 1, 64) \
    X(4, 1, 32) \
    X(8, 1, 64) \
    X(6, 1, 32) \
    X(5, 1, 32) \
    X(3, 1, 32) \
    X(4, 2, 128) \
    X(2, 2, 64) \
    X(2, 4, 128) \
    X(1, 4, 64) \
    X(1, 4, 128) \
    X(1, 8, 128) \
    X(2, 1, 32) \
    X(1, 2, 32) \
    X(1, 1, 32) \
    X(1, 1, 16)
/* The same of warps with 32 rows: warps, keys of a step, whether keys and values come in turns. */
#define XG_ATTENTION_WIDE_SHAPES(X) \
    X(4, 64, false) \
    X(4, 32, false) \
    X(2, 64, false) \
    X(2, 32, false) \
    X(4, 64, true) \
    X(4, 32, true) \
    X(3, 32, true) \
    X(2, 64, true) \
    X(2, 32, true)
/* The same of warp groups: warps, keys of a step. */
#define XG_ATTENTION_GROUP_SHAPES(X) \
    X(8, 128) \
    X(8, 64) \
    X(4, 128) \
    X(4, 64)
/* The same of groups whose sums lie in tensor memory, 32 rows of a warp. */
#define XG_ATTENTION_TENSOR_SHAPES(X) \
    X(8, 128) \
    X(8, 64) \
    X(4, 128) \
    X(4, 64)
/* clang-format on */
enum {
    XG_ATTENTION_UNIT_K = 16,      /* elements of 16 bits of the sum that a matrix unit takes at a time */
    XG_ATTENTION_SCORE_ISSUE = 5,  /* instructions for a score beside the dots: exponential, maximum, sum, rounding */
    XG_ATTENTION_PAIRED_ISSUE = 4, /* ... where exponents and sums are made of two in one */
    XG_ATTENTION_MADE_ISSUE = 7,   /* ... more for one whose power multiply-adds make */
    XG_ATTENTION_PAIRED_MADE = 4,  /* ... of two in one; one less where exponents are taken as they are */
    XG_ATTENTION_MADE_F32 = 6,     /* ... of them multiply-adds, where one of two counts twice */
    XG_ATTENTION_FINER = 2,        /* ... more */
    XG_ATTENTION_MADE_INTEGER = 2, /* ... or one: the same */
    XG_ATTENTION_PIECE_ISSUE = 5,  /* ... for 16 bytes that are brought */
    XG_ATTENTION_ROW_PIECE_ISSUE = 24, /* ... for 16 bytes of the tile's rows, and of the results */
    XG_ATTENTION_STEP_ISSUE = 50,      /* ... of a step, and of a block outside of its steps */
    XG_ATTENTION_PART_ISSUE = 30,      /* ... for what another part of the keys has */
    XG_ATTENTION_STEP_CLOCKS = 300,    /* of a step, in which a warp waits: barrier, first and last products, maxima */
    XG_ATTENTION_DEEP_CLOCKS = 32,     /* ... more for each 16 columns: products one behind the other */
    XG_ATTENTION_PLAIN_CLOCKS = 1000,  /* ... of a step of plain cores, whose weights go through shared memory */
    XG_ATTENTION_GROUP_CLOCKS = 400,   /* ... of a step of warp groups, beside products and powers */
    XG_ATTENTION_TENSOR_CLOCKS = 250,  /* ... whose sums lie in tensor memory */
    XG_ATTENTION_LATE_CLOCKS = 120,    /* from when a step's keys have come until the next ones are asked for */
    XG_ATTENTION_TURN_CLOCKS = 170,    /* of the way from memory, that keys and values in turns do not wait for */
    XG_ATTENTION_ENDS_CLOCKS = 430,    /* of a block outside of its steps, beside its way to memory */
    XG_ATTENTION_GROUP_ENDS_CLOCKS = 250, /* ... of one with warp groups */
    XG_ATTENTION_PART_CLOCKS = 300,       /* of warps that join their parts of the keys */
    XG_ATTENTION_REGISTERS = 72,          /* of a thread beside sums, scores and rows that it keeps: counted by ptxas */
    XG_ATTENTION_WIDE_REGISTERS = 16,     /* ... more, of a warp with 32 rows: words that are on their way */
    XG_ATTENTION_WHOLE_REGISTERS = 25,    /* ... less of those, where no mask and no edge asks where a thread stands */
    XG_ATTENTION_CPU_PART = 16,           /* of a host's memory, which scores may have */
    XG_ATTENTION_ROWS_PLAIN = 4           /* of a warp's 16: with fewer of them plain cores do too much for nothing */
};
/* Scores of so many bytes are never made in memory if it can be avoided. */
#define XG_ATTENTION_BYTES_MAX ((int64_t)64 << 20)

/* ---- the tile ---- */

XG_FN int64_t xg_attention_over(int64_t a, int64_t n) { return (a + n - 1) / n * n; }

XG_FN bool xg_attention_is_copied(const xg_attention_form *f, const xg_device *m) {
    enum {
        COPY_CC = 80,
        COPY_BYTES = 4 /* at least */
    };
    uint32_t k;
    for (k = XG_ATTENTION_KEYS; k <= XG_ATTENTION_VALUES; k++) {
        const xg_attention_stage *s = &f->stages[k];
        if (!xg_tile_is_moved(s->root) || s->root->shape->type != f->held) return false;
        if (s->lanes * xg_type_bytes(f->held) < COPY_BYTES) return false;
    }
    return m->cc >= COPY_CC;
}
/* Sixteen bytes of a row are one element of a stage's, and eight rows' are all banks, whichever piece it is. */
XG_FN bool xg_attention_may_swizzle(const xg_attention_plan *p) {
    const xg_attention_stage *s = &p->form.stages[XG_ATTENTION_QUERY];
    int64_t bytes = xg_type_bytes(p->form.held);
    return p->in_turns && s->lanes * bytes == XG_TILE_ACCESS_BYTES && p->form.depth == p->depth &&
           p->depth * bytes % XG_LINE_BYTES == 0;
}
/* What all warps' rows vote; of groups, which wait for that alone, in each walk elsewhere. */
XG_FN int64_t xg_attention_votes(const xg_attention_plan *p) {
    int64_t walks = p->form.back.is ? 3 : 2;
    return p->tile * p->shape.parts * (p->shape.grouped ? walks : 1);
}
XG_FN bool xg_attention_meets(const xg_attention_plan *p) {
    return p->form.back.is ? p->bounded && !p->form.back.turned : p->votes;
}
/* Scores or weights are made of arrays beside them, which have something for each key. */
XG_FN bool xg_attention_reads(const xg_attention_form *f) {
    uint32_t k;
    for (k = 0; k < f->comp->n_params; k++) {
        const xg_inst *i = f->comp->params[k];
        if (i->shape->elements >= f->keys && (xg_attention_reached(&f->stages[XG_ATTENTION_SCORES], i) ||
                                                 xg_attention_reached(&f->stages[XG_ATTENTION_WEIGHTS], i)))
            return true;
    }
    return false;
}
/* No row, no key of a step is another one than it seems: that spares registers. Of later devices the assembler takes
 * them all the same where keys and values come in turns (ptxas 13). */
XG_FN bool xg_attention_is_whole(const xg_attention_plan *p, const xg_device *m) {
    enum {
        LATER_CC = 100
    };
    const xg_attention_form *f = &p->form;
    return !f->n_bounds && !f->stages[XG_ATTENTION_BARE].root && !xg_attention_reads(f) &&
           f->rows == p->tiles * p->tile && f->keys == p->steps * p->shape.step && (!p->in_turns || m->cc < LATER_CC);
}
XG_FN void xg_attention_settle(xg_attention_plan *p, const xg_attention_shape *s, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    bool unit = f->unit != XG_TILE_NO_UNIT;
    int64_t bytes = xg_type_bytes(f->held), piece = XG_TILE_ACCESS_BYTES / bytes, pad = XG_ATTENTION_PAD_BYTES / bytes;
    int64_t warps = (int64_t)s->warps * s->parts, deep, *counted = p->form.counted;
    p->shape = *s;
    p->producers = s->grouped ? XG_TILE_BULK_GROUP : 0;
    p->own = s->step / s->parts;
    p->halves = s->blocks * (int64_t)XG_ATTENTION_HALVES;
    p->warp_rows = s->blocks * (int64_t)XG_ATTENTION_ROWS;
    p->tile = s->warps * p->warp_rows;
    p->threads = warps * XG_WARP_LANES;
    p->tiles = xg_tile_over(f->rows, p->tile);
    p->steps = xg_tile_over(f->keys, s->step);
    p->cluster = XG_MAX(p->cluster, (int64_t)1);
    p->bounded = f->n_bounds && p->steps > 1 && f->key_period % s->step == 0 &&
                 !(f->votes && p->cluster > 1); /* a vote is one block's */
    p->span = p->bounded && f->key_period ? f->key_period / s->step : p->steps;
    p->votes = p->bounded && f->votes;
    if (p->bounded && (counted[0] != p->tile || counted[1] != s->step)) {
        counted[0] = p->tile;
        counted[1] = s->step;
        counted[2] = xg_attention_mean_steps(p);
    }
    p->walked = xg_tile_over(p->bounded ? counted[2] : p->steps, p->cluster);
    p->blocks = xg_cost_mul(xg_cost_mul(f->batch, p->tiles), p->cluster);
    p->ramp = p->tiles;
    p->together = 1;
    p->longest = 0;
    if (p->bounded) xg_attention_order(p, m);
    deep = unit ? (int64_t)XG_ATTENTION_UNIT_K : piece;
    if (f->back.is) deep = XG_MAX(deep, (int64_t)XG_ATTENTION_EIGHT); /* gradients are as wide: four lanes' pairs */
    p->depth = xg_attention_over(f->depth, deep);
    p->columns = xg_attention_over(f->columns, XG_ATTENTION_UNIT_K);
    p->copied = xg_attention_is_copied(f, m);
    p->in_turns = s->in_turns && p->copied && p->steps > 1;
    p->is_whole = xg_attention_is_whole(p, m);
    p->pitch = p->depth + pad;
    p->swizzled = xg_attention_may_swizzle(p);
    p->query_pitch = p->swizzled ? p->depth : p->pitch;
    p->value_pitch = p->columns + pad;
    p->weight_pitch = p->own + XG_ATTENTION_EIGHT;  /* so that four rows' pairs lie in different banks */
    p->sum_pitch = p->columns + XG_ATTENTION_EIGHT; /* a warp's eight rows lie in different banks by two words */
    p->stages = p->copied && p->steps > 1 && !p->in_turns ? 2 : 1;
    p->shared = xg_shared_whole(p->tile * p->query_pitch * bytes) +
                xg_shared_whole(p->stages * s->step * p->pitch * bytes) +
                xg_shared_whole(p->stages * s->step * p->value_pitch * bytes);
    if (s->grouped) p->shared = xg_attention_group_bytes(p);
    if (!unit) p->shared += xg_shared_whole(warps * XG_ATTENTION_ROWS * p->weight_pitch * bytes);
    if (s->parts > 1) p->shared += xg_shared_whole(warps * xg_attention_end_size(p) * xg_type_bytes(f->sum));
    if (p->cluster > 1) p->shared += xg_shared_whole(s->warps * xg_attention_end_size(p) * xg_type_bytes(f->sum));
    if (p->votes) p->shared += xg_shared_whole(xg_attention_votes(p) * xg_type_bytes(f->sum));
}
/* Tensor copies bring keys and values as they lie in memory, all of one type; of the tile's rows no more than half lie
 * outside. */
XG_FN bool xg_attention_has_boxes(const xg_attention_form *f, const xg_attention_shape *s) {
    if (xg_attention_splits(f) && !xg_attention_back_is_whole(f)) return false;
    return f->unit != XG_TILE_NO_UNIT && f->boxes[0].is_made && f->boxes[1].is_made &&
           2 * f->rows >= s->warps * s->blocks * (int64_t)XG_ATTENTION_ROWS &&
           f->boxes[0].period % s->step + f->boxes[1].period % s->step == 0;
}
XG_FN bool xg_attention_may_group(const xg_attention_form *f, const xg_attention_shape *s, const xg_device *m) {
    return (s->in_tensor ? m->tensor_memory : m->warp_groups) && xg_attention_has_boxes(f, s);
}
XG_FN int64_t xg_attention_warps(const xg_attention_plan *p) { return (int64_t)p->shape.warps * p->shape.parts; }
/* Of a warp: maximum and sum of each row, then its sums of columns: elements. */
XG_FN int64_t xg_attention_end_size(const xg_attention_plan *p) {
    return 2 * XG_WARP_LANES * XG_ATTENTION_HALVES + XG_ATTENTION_ROWS * p->sum_pitch;
}
XG_FN int64_t xg_attention_held_columns(const xg_attention_plan *p) { return p->shape.in_tensor ? 0 : p->columns; }
/* The tile's rows stay in registers, where there is room. */
XG_FN bool xg_attention_keeps_query(const xg_attention_plan *p) {
    enum {
        DEPTH = 128, /* as many bytes of a thread's registers */
        KEYS = 32    /* with more of them the scores take what is left */
    };
    return p->form.unit != XG_TILE_NO_UNIT && p->depth <= DEPTH && p->own <= KEYS && p->steps > 1 &&
           p->halves == XG_ATTENTION_HALVES;
}

/* ---- time ---- */

/* Columns of all products of a step: of depth, then of values. */
XG_FN int64_t xg_attention_widths(const xg_attention_plan *p) {
    return p->depth + xg_attention_times(&p->form, false) * p->columns;
}
/* Scores of a thread in a step; and those of which multiply-adds make the power. */
XG_FN int64_t xg_attention_scores_each(const xg_attention_plan *p) { return p->own / XG_ATTENTION_BESIDE * p->halves; }
XG_FN int64_t xg_attention_made_each(const xg_attention_plan *p) {
    return xg_attention_scores_each(p) * p->powers / XG_ATTENTION_POWERS;
}
/* Of these the maxima that are not looked for. */
XG_FN int64_t xg_attention_unsought(const xg_attention_plan *p) {
    return xg_attention_is_lazy(p) ? xg_attention_scores_each(p) - xg_attention_made_each(p) : 0;
}
/* What pipes make of the scores of so many steps of a warp; without a matrix unit its products count alone. */
XG_FN void xg_attention_count_pipes(const xg_attention_plan *p, int64_t *pipes, int64_t steps) {
    int64_t scores = xg_attention_scores_each(p), made = xg_attention_made_each(p), f32 = XG_ATTENTION_MADE_F32;
    if (p->form.unit == XG_TILE_NO_UNIT) return;
    f32 = made * (f32 + (xg_attention_is_fine(&p->form) ? XG_ATTENTION_FINER : 0));
    pipes[XG_PIPE_SPECIAL] = xg_cost_mul(steps, scores - made);
    pipes[XG_PIPE_F32] =
        xg_cost_mul(steps, scores * 2 + (scores - xg_attention_unsought(p)) / (1 + p->shape.in_tensor) + f32);
    pipes[XG_PIPE_INTEGER] = xg_cost_mul(steps, made * (XG_ATTENTION_MADE_INTEGER - xg_attention_is_near(p)));
    if (p->form.pieces[0] == 1) return; /* else two rests, and three words for two numbers */
    pipes[XG_PIPE_F32] = xg_cost_add_mul(pipes[XG_PIPE_F32], steps, scores * 2);
    pipes[XG_PIPE_INTEGER] = xg_cost_add_mul(pipes[XG_PIPE_INTEGER], steps, scores * 7 / 2);
}
/* Instructions of a warp in a step. */
XG_FN int64_t xg_attention_issue(const xg_attention_plan *p) {
    int64_t bytes = xg_type_bytes(p->form.held), piece = XG_TILE_ACCESS_BYTES / bytes, dots, scores, brought;
    int64_t pairs = p->own / XG_ATTENTION_UNIT_K, deep = xg_attention_widths(p) / XG_ATTENTION_UNIT_K;
    int64_t made = xg_attention_made_each(p), finer = xg_attention_is_fine(&p->form) ? made * XG_ATTENTION_FINER : 0;
    scores = xg_attention_scores_each(p);
    if (p->shape.in_tensor)
        return scores * XG_ATTENTION_PAIRED_ISSUE - xg_attention_unsought(p) / 2 +
               made * (XG_ATTENTION_PAIRED_MADE - xg_attention_is_near(p)) + finer / 2 + XG_ATTENTION_STEP_ISSUE;
    scores = scores * (XG_ATTENTION_SCORE_ISSUE + (p->form.pieces[0] - 1) * XG_ATTENTION_PIECES_ISSUE) +
             made * XG_ATTENTION_MADE_ISSUE + finer;
    if (p->shape.grouped) return scores - xg_attention_unsought(p) + XG_ATTENTION_STEP_ISSUE;
    brought = (int64_t)p->shape.step * (p->depth + p->columns) / piece / p->threads * XG_ATTENTION_PIECE_ISSUE;
    if (p->form.unit != XG_TILE_NO_UNIT) /* sums of V's columns are scaled and packed */
        dots = (1 + p->halves) * pairs * deep + p->columns * p->halves / XG_ATTENTION_BESIDE * 3 / 2;
    else
        dots = (2 * piece + 1) * (p->own / XG_ATTENTION_BESIDE) * (p->depth / piece) +
               3 * p->own * (p->columns / XG_ATTENTION_BESIDE) + p->columns;
    return dots + scores + brought + XG_ATTENTION_STEP_ISSUE;
}
/* ... outside of its steps: it brings rows, joins parts of the keys, and writes results. */
XG_FN int64_t xg_attention_ends_issue(const xg_attention_plan *p) {
    int64_t piece = XG_TILE_ACCESS_BYTES / xg_type_bytes(p->form.held), parts = p->shape.parts, all;
    all = p->tile * (p->depth + p->columns) / piece / p->threads * XG_ATTENTION_ROW_PIECE_ISSUE;
    if (parts > 1) all += (parts + p->columns / XG_ATTENTION_UNIT_K) * XG_ATTENTION_PART_ISSUE;
    return all + XG_ATTENTION_STEP_ISSUE;
}
/* Passes over shared memory of a block's step: its keys and values are written there and read by each warp, 16 by 16
 * elements in four passes, or, by plain cores, four bytes of all lanes in one; lanes of a row ask each other. */
XG_FN int64_t xg_attention_shared_passes(const xg_attention_plan *p) {
    enum {
        PASSES = 4,
        SHUFFLES = 4
    };
    int64_t pairs = p->own / XG_ATTENTION_UNIT_K, deep = p->depth / XG_ATTENTION_UNIT_K, all;
    int64_t step = p->shape.step * (p->depth + p->columns) * xg_type_bytes(p->form.held) / XG_PASS_BYTES;
    all = PASSES * pairs * (deep + p->columns / XG_ATTENTION_UNIT_K);
    if (p->form.unit == XG_TILE_NO_UNIT)
        all = all * XG_ATTENTION_UNIT_K + PASSES * PASSES * deep;
    else if (!xg_attention_keeps_query(p))
        all += PASSES * deep * p->halves / XG_ATTENTION_HALVES;
    return step + (all + p->halves * SHUFFLES) * (p->threads / XG_WARP_LANES);
}
/* Of a thread: what it has of two rows, and, with a matrix unit, its words of the tile's rows. */
XG_FN int64_t xg_attention_registers(const xg_attention_plan *p) {
    int64_t columns = xg_attention_held_columns(p), own = p->own, sums;
    if (!columns && xg_attention_reads(&p->form)) own += own / 2; /* what is on its way */
    sums = columns ? p->halves * (columns + own) : XG_MAX(XG_ATTENTION_HALVES * p->columns, p->halves * own);
    sums /= XG_ATTENTION_BESIDE;
    int64_t kept = xg_attention_keeps_query(p) ? p->depth / XG_ATTENTION_BESIDE : 0;
    int64_t wide = p->shape.blocks > 1 && columns ? XG_ATTENTION_WIDE_REGISTERS : 0;
    if (wide && p->is_whole) wide -= XG_ATTENTION_WHOLE_REGISTERS;
    return XG_ATTENTION_REGISTERS + wide + (sums + kept) * XG_MAX(xg_type_bytes(p->form.sum) / 4, (int64_t)1);
}
XG_FN int64_t xg_attention_operand_bytes(const xg_attention_form *f) {
    int64_t elements = xg_cost_mul(f->batch, (f->rows + f->keys) * (f->depth + f->columns));
    return xg_cost_mul(elements, xg_type_bytes(f->stages[XG_ATTENTION_QUERY].root->shape->type));
}
/* Of a cluster: two barriers, and what each block reads of the others. */
XG_FN int64_t xg_attention_cluster_clocks(const xg_attention_plan *p) {
    enum {
        BARRIERS = 2
    };
    if (p->cluster == 1) return 0;
    return BARRIERS * (int64_t)XG_COST_MEET_CLOCKS + 2 * XG_COST_PEER_CLOCKS + p->cluster * XG_WARP_LANES;
}
/* Of a step of warp groups: its group's products, but those that are made meanwhile, then the pipe that has most, or
 * the warp's instructions, one in a clock. */
XG_FN int64_t xg_attention_group_clocks(const xg_attention_plan *p, const xg_device *m, int64_t rate, int64_t issue) {
    int64_t pipes[XG_PIPE_COUNT] = {0}, most = issue, rows = XG_TILE_BULK_GROUP / (int)XG_WARP_LANES * p->warp_rows;
    int64_t columns = xg_attention_widths(p) - (xg_attention_is_behind(p) ? p->columns : 0);
    uint32_t k;
    xg_attention_count_pipes(p, pipes, 1);
    for (k = 0; k < XG_PIPE_COUNT; k++)
        most = XG_MAX(most, pipes[k] * XG_TILE_BULK_GROUP / xg_cost_rate(m, (xg_cost_pipe)k));
    return rows * p->shape.step * columns / rate + most +
           (p->shape.in_tensor ? XG_ATTENTION_TENSOR_CLOCKS : XG_ATTENTION_GROUP_CLOCKS);
}
/* Of a step: one thing behind the other in a warp, or the way from memory, where that is longer. */
XG_FN int64_t xg_attention_step_clocks(const xg_attention_plan *p, const xg_device *m, int64_t issue) {
    int64_t rate = XG_MAX(xg_cost_tensor_rate(m, XG_TENSOR_F16), (int64_t)1), way = m->memory_latency, own;
    if (p->shape.grouped) return xg_attention_group_clocks(p, m, rate, issue);
    if (p->form.unit == XG_TILE_NO_UNIT) return issue + XG_ATTENTION_PLAIN_CLOCKS;
    own = 3 * issue / 2 + p->depth / XG_ATTENTION_UNIT_K * XG_ATTENTION_DEEP_CLOCKS + XG_ATTENTION_STEP_CLOCKS;
    if (p->in_turns) return own + XG_MAX(way - XG_ATTENTION_TURN_CLOCKS, (int64_t)0);
    return p->stages > 1 ? XG_MAX(own, way + XG_ATTENTION_LATE_CLOCKS) : own + (p->steps > 1 ? way : 0);
}
/* Of a block: all steps, of which the last one asks for no other, and the ways to memory around them. */
XG_FN int64_t xg_attention_walk_clocks(const xg_attention_plan *p, const xg_device *m, int64_t issue) {
    int64_t step = xg_attention_step_clocks(p, m, issue), all = xg_cost_mul(p->walked, step);
    if (p->shape.grouped) return xg_cost_add(all, m->memory_latency + XG_ATTENTION_GROUP_ENDS_CLOCKS);
    all += 7 * m->memory_latency / 4;
    if (p->form.unit != XG_TILE_NO_UNIT) all += XG_ATTENTION_ENDS_CLOCKS - (p->walked > 1 ? step / 3 : 0);
    all += ((p->shape.parts > 1) + (p->cluster > 1)) * XG_ATTENTION_PART_CLOCKS + xg_attention_cluster_clocks(p);
    return all;
}
/* What the blocks multiply, of matrix units or plain cores. */
XG_FN void xg_attention_count_products(const xg_attention_plan *p, xg_cost_counts *c, int64_t all) {
    const xg_attention_form *f = &p->form;
    int64_t macs = xg_cost_mul(all, p->tile * p->shape.step * xg_attention_widths(p)), passes;
    passes = xg_cost_mul(all, xg_attention_shared_passes(p));
    if (p->shape.parts > 1)
        passes = xg_cost_add_mul(passes, p->blocks, p->threads / XG_WARP_LANES * p->columns * 3 / 2);
    if (f->unit == XG_TILE_NO_UNIT)
        c->pipes[f->sum == XLAGPU_F64 ? XG_PIPE_F64 : XG_PIPE_F32] = macs / XG_WARP_LANES;
    else if (!p->shape.grouped)
        c->warp_macs[XG_TENSOR_F16] = macs;
    else { /* each group's products read all keys */
        int64_t keys = p->shape.step * xg_attention_widths(p), rows = p->tile * p->depth;
        c->macs[XG_TENSOR_F16] = macs;
        keys = p->shape.step * (p->depth + p->columns) + keys * (p->threads / XG_TILE_BULK_GROUP);
        passes = c->unit_passes = xg_cost_mul(all, (keys + rows) * xg_type_bytes(f->held) / XG_PASS_BYTES);
        c->bulk_sectors = c->l2_sectors;
    }
    c->shared_passes = passes;
}
/* Barriers that a block takes: for each step's keys to have come, for the tile's rows, for other parts of the keys. */
XG_APART XG_FN int64_t xg_attention_waits(const xg_attention_plan *p) {
    bool ahead = p->stages > 1;
    if (p->shape.grouped) return 1;
    return p->walked * (ahead ? 1 : 2) + xg_attention_keeps_query(p) + 2 * ((p->shape.parts > 1) + (p->cluster > 1));
}
/* What the blocks do, counted from the plan, for the one model of time (cost/time.c). */
XG_FN int64_t xg_attention_time(const xg_attention_plan *p, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    int64_t warps = p->threads / XG_WARP_LANES, all = xg_cost_mul(p->blocks, p->walked), bytes, rows;
    int64_t issue = xg_attention_issue(p), ends = xg_attention_ends_issue(p), held = xg_type_bytes(f->held);
    xg_cost_counts c;
    memset(&c, 0, sizeof c);
    c.blocks = p->blocks;
    c.longest = p->longest;
    c.threads = p->threads + p->producers;
    c.registers = XG_MIN(xg_attention_registers(p), (int64_t)m->registers_per_thread);
    if (p->shape.grouped) c.registers = xg_cost_registers(m, xg_attention_resident(p, m), c.threads);
    c.shared_bytes = p->shared;
    c.l2_sectors = xg_cost_mul(all, p->shape.step * (p->depth + p->columns) * held / XG_SECTOR_BYTES);
    xg_attention_count_products(p, &c, all);
    xg_attention_count_pipes(p, c.pipes, xg_cost_mul(warps, all));
    /* eights of the result are half sectors */
    rows = p->tile * (p->depth + 2 * p->columns / p->cluster) * held / XG_SECTOR_BYTES;
    c.l2_sectors = xg_cost_add_mul(c.l2_sectors, p->blocks, rows);
    bytes = xg_attention_operand_bytes(f);
    c.read_bytes = bytes / 4 * 3;
    c.written_bytes = bytes / 4;
    c.barriers = xg_attention_waits(p);
    c.issued = xg_cost_mul(warps, xg_cost_add(xg_cost_mul(all, issue), xg_cost_mul(p->blocks, ends)));
    c.warp_issued = xg_cost_add(xg_cost_mul(p->walked, issue), ends);
    c.warp_clocks = xg_cost_add(xg_attention_walk_clocks(p, m, issue), ends);
    return xg_cost_launched(m, &c);
}
/* The dots alone, and scores that go to memory and back: at least three times one way. */
XG_FN int64_t xg_attention_apart_time(const xg_attention_plan *p, const xg_device *m) {
    const xg_attention_form *f = &p->form;
    int64_t scores = xg_cost_mul(xg_cost_mul(f->batch, f->rows), f->keys), cycles, bytes;
    int64_t rate = f->unit == XG_TILE_NO_UNIT ? m->f32_rate : xg_cost_tensor_rate(m, XG_TENSOR_F16), plain;
    if (f->sum == XLAGPU_F64) rate = m->f64_rate;
    plain = f->pieces[0] > 1 ? m->f32_rate : rate;
    cycles = xg_cost_mul(scores, f->depth) / XG_MAX(rate * (int64_t)m->sm_count, (int64_t)1) +
             xg_cost_mul(scores, f->columns) / XG_MAX(plain * (int64_t)m->sm_count, (int64_t)1);
    bytes = xg_cost_mul(scores, 4 * xg_type_bytes(f->match.exp->shape->type));
    bytes = xg_cost_add(bytes, xg_attention_operand_bytes(f));
    return xg_cost_add(xg_cost_add(xg_cost_scale(cycles, 1000000, m->clock_mhz), xg_cost_copied(m, bytes)),
        2 * (int64_t)XG_ATTENTION_LAUNCH_PS);
}
/* On a processor threads of the one kernel multiply number by number, where tiles do it by whole registers: a layer of
 * GPT-2 takes 15 ms so, and 5 ms apart (a core of a Zen 5, with registers of 64 bytes). */
XG_FN bool xg_attention_pays(const xg_attention_plan *p, const xg_device *m) {
    int64_t scores = xg_cost_mul(xg_cost_mul(p->form.batch, p->form.rows), p->form.keys);
    int64_t bytes = xg_cost_mul(scores, xg_type_bytes(p->form.match.exp->shape->type));
    if (xg_device_is_cpu(m)) return bytes > m->memory_bytes / XG_ATTENTION_CPU_PART;
    if (bytes > XG_ATTENTION_BYTES_MAX) return true;
    if (p->form.unit == XG_TILE_NO_UNIT && p->form.rows < XG_ATTENTION_ROWS_PLAIN) return false;
    return p->picoseconds <= xg_attention_apart_time(p, m);
}

/* ---- the plan ---- */

/* What an order says of a form; absent: what holds where it says nothing. */
XG_FN bool xg_attention_says(const xg_record *given, const char *what, const int64_t *v, uint32_t n, bool absent) {
    const xg_numbers *said = xg_record_get(&given->form, what);
    return said ? said->n == n && memcmp(said->p, v, n * sizeof *v) == 0 : absent;
}
/* An order that names a tile takes no other. */
XG_FN bool xg_attention_is_ordered(
    const xg_record *given, const xg_attention_shape *s, int64_t cluster, int64_t powers) {
    int64_t parts = s->parts, turns = s->in_turns, once = s->once, rows = s->blocks * (int64_t)XG_ATTENTION_ROWS,
            tile[2];
    const char *own = s->grouped ? "group_tile" : "tile", *other = s->grouped ? "tile" : "group_tile";
    bool named;
    if (!given) return true;
    named = xg_record_get(&given->form, own) != NULL;
    tile[0] = s->warps * rows;
    tile[1] = s->step;
    return !xg_record_get(&given->form, other) && xg_attention_says(given, own, tile, 2, true) &&
           xg_attention_says(given, "parts", &parts, 1, true) &&
           xg_attention_says(given, "cluster", &cluster, 1, !named || cluster == 1) &&
           xg_attention_says(given, "in_turns", &turns, 1, !named || !turns) &&
           xg_attention_says(given, "powers", &powers, 1, !named || !powers) &&
           xg_attention_says(given, "once", &once, 1, !named || !once) &&
           xg_attention_says(given, "warp_rows", &rows, 1, !named || s->grouped || s->blocks == 1);
}
/* The blocks of a cluster may share the keys: there are steps for each, and tiles of rows are few. */
XG_FN bool xg_attention_may_cluster(const xg_attention_plan *p, const xg_device *m) {
    return !p->shape.grouped && (p->cluster - 1) * xg_tile_over(p->steps, p->cluster) < p->steps &&
           (p->shape.warps == 1 || p->tile < 2 * p->form.rows) && p->blocks <= (int64_t)m->sm_count;
}
XG_FN bool xg_attention_plan_of(xg_attention_plan *p, const xg_device *m, const xg_record *given) {
    static const xg_attention_shape shapes[] = {
#define X(warps, step) {warps, 1, step, 2, true, false, true, false},
        XG_ATTENTION_TENSOR_SHAPES(X)
#undef X
#define X(warps, step) {warps, 1, step, 1, true, false, false, false},
            XG_ATTENTION_GROUP_SHAPES(X)
#undef X
#define X(warps, parts, step) {warps, parts, step, 1, false, false, false, false},
                XG_ATTENTION_SHAPES(X)
#undef X
#define X(warps, step, in_turns) {warps, 1, step, 2, false, in_turns, false, false},
                    XG_ATTENTION_WIDE_SHAPES(X)
#undef X
    };
    const xg_attention_form *f = &p->form;
    int64_t least = INT64_MAX, cluster = 1, powers = 0, blocks, time;
    const xg_attention_shape *best = NULL, *s;
    size_t k;
    if (f->depth > XG_ATTENTION_EXTENT_MAX || f->columns > XG_ATTENTION_EXTENT_MAX) return false;
    for (k = 0; k < XG_COUNT(shapes); k++) {
        s = &shapes[k];
        if (s->grouped && !xg_attention_may_group(f, s, m)) continue;
        for (blocks = 1; blocks <= m->blocks_per_cluster; blocks *= 2) {
            p->cluster = blocks;
            xg_attention_settle(p, s, m);
            if (blocks > 1 && (p->shape.blocks > 1 || !xg_attention_may_cluster(p, m))) break;
            if (p->shape.blocks > 1 && f->unit == XG_TILE_NO_UNIT) break;
            if (p->shape.in_turns && !p->in_turns) break;
            if (p->shape.blocks > 1 && xg_attention_registers(p) > m->registers_per_thread) break;
            if (p->shape.in_tensor && xg_attention_tensor_columns(p) > XG_KTENSOR_COLUMNS) continue;
            if (p->shared > m->shared_per_block || p->blocks > INT32_MAX) continue;
            for (p->powers = 0; p->powers < (s->grouped ? XG_ATTENTION_POWERS : 1); p->powers++) {
                if (!xg_attention_is_ordered(given, s, blocks, p->powers)) continue;
                time = xg_attention_time(p, m);
                if (time >= least) continue;
                least = time;
                best = s;
                cluster = blocks;
                powers = p->powers;
            }
        }
    }
    p->cluster = cluster;
    p->powers = powers;
    if (!best) return false;
    xg_attention_settle(p, best, m);
    p->picoseconds = least;
    return true;
}

#endif /* XG_SCHED_ATTENTION_PLAN_C */
