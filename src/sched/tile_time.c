/* sched/tile_time.c -- how long a tile's kernel takes on plain cores, or with mma.sync: what a step of it does, counted
 * from the plan, for the one model of time (cost/time.c). */
#ifndef XG_SCHED_TILE_TIME_C
#define XG_SCHED_TILE_TIME_C
#include "tile_pack.h"

enum {
    XG_TILE_SURE_PERCENT = 90,     /* of a loop's time, which is not known better */
    XG_TILE_TOUCHED_FEW = 5,       /* sectors of a warp's neighbours in memory, of a word at most: no more are apart */
    XG_TILE_PASS_BYTES = 128,      /* of shared memory in a cycle */
    XG_TILE_STEP_ISSUE = 24,       /* instructions of a step beside its arithmetic: buffers, the loop, barrier, waits */
    XG_TILE_LOOP_ISSUE = 5,        /* of a round of the loop over a step's k */
    XG_TILE_GUARD_ISSUE = 3,       /* of what goes through registers, or may lie outside: its guard and address */
    XG_TILE_AXIS_ISSUE = 5,        /* of one more summed axis: division, the rest, its guard */
    XG_TILE_BARRIER_CLOCKS = 40,   /* of a step: until the last warp has come */
    XG_TILE_ASK_CLOCKS = 120,      /* of a step that is waited for: until it is asked for, and seen by all */
    XG_TILE_BEGIN_CLOCKS = 500,    /* of a block: indices, and its first step's copies, without their way */
    XG_TILE_PART_CLOCKS = 120,     /* of a part of the result: into shared memory, a barrier, out of it, a barrier */
    XG_TILE_WRITE_CLOCKS = 30,     /* of a round of a part's vectors */
    XG_TILE_BULK_WRITE_CLOCKS = 8, /* ... of many that are written together */
    XG_TILE_SLICE_CLOCKS = 30,     /* for a round of elements whose slices are added up */
    XG_TILE_SLICE_LATE = 2,        /* for an element of one more slice, read with the first one's */
    XG_TILE_SLICE_READ = 6,        /* for one of many, whose reads are on their way together */
    XG_TILE_PEER_READ = 8,         /* of another block's sums: its reads and the others' are on their way together */
    XG_TILE_OWNER_CLOCKS = 40,     /* of sums to other blocks: for each block that has some of a round */
    XG_TILE_MEET_PERCENT = 125,    /* of the time where stores meet in banks: shapes without that are preferred */
    XG_TILE_TURN_REGISTERS = 8,    /* of a thread, for rounds that begin alike: two pairs of addresses, and guards */
    XG_TILE_TENSOR_REGISTERS = 128,   /* of a thread: 64 columns of sums at a time, and the epilogue's */
    XG_TILE_TENSOR_ISSUE = 60,        /* of a step with tcgen05: of the thread that copies, and of the one that asks */
    XG_TILE_STORE_CLOCKS = 120,       /* of a chunk that leaves by a tensor store: into shared memory, two barriers */
    XG_TILE_STORE_WORDS_CLOCKS = 300, /* ... without stmatrix */
    XG_TILE_BARRIERS_CLOCKS = 200,    /* of a block: memory barriers begin, and are seen by all */
    XG_TILE_TRY_CLOCKS = 30,          /* of a wait at a memory barrier that is over (kir/estimate.c) */
    XG_TILE_UNIT_STEP_CLOCKS = 60,    /* of a step of mma.sync: barrier, addresses, and ... */
    XG_TILE_UNIT_LATE_CLOCKS = 120,   /* ... for the first bytes of a step that become fragments */
    XG_TILE_UNIT_PIXEL_CLOCKS = 2,    /* of an instruction of a step that finds pixels */
    XG_TILE_UNIT_SUM_CLOCKS = 4 /* ... for each product that the next step waits for; beside copies a quarter. Both
                                      from what the estimate of the finished kernels says, see xg_kir_estimate */
};

/* Multiply-adds of f32 that take as long as one of the sum's type. */
XG_FN int64_t xg_tile_arithmetic(xlagpu_type sum) {
    int64_t one = xg_type_bits(xg_type_real(sum)) > 32 ? 2 : 1;
    if (xg_type_class(sum) == XGT_C) return 4 * one;
    return xg_type_class(sum) == XGT_F ? one : 2 * one;
}
/* Instructions for one. */
XG_FN int64_t xg_tile_instructions(xlagpu_type sum) {
    if (xg_type_class(sum) == XGT_C) return 4;
    return xg_type_class(sum) & XGT_F ? 1 : xg_type_bits(sum) > 32 ? 4 : 2;
}
XG_FN xg_cost_pipe xg_tile_pipe(xlagpu_type sum) {
    if (!(xg_type_class(sum) & (XGT_F | XGT_C))) return XG_PIPE_INTEGER;
    return xg_type_bits(xg_type_real(sum)) > 32 ? XG_PIPE_F64 : XG_PIPE_F32;
}
/* Operands that go through registers cost instructions in each round, and the more rounds are written out the less each
 * counts; where both are copied past them a quarter of the code does, which compiles faster. */
XG_FN int64_t xg_tile_unrolled(const xg_tile_plan *p) {
    int64_t sums = p->shape.tm * p->shape.tn, most = XG_TILE_UNROLL;
    if (sums >= XG_TILE_MANY_SUMS && !(p->fetch[0].async && p->fetch[1].async)) most = XG_TILE_UNROLL_MANY;
    if (p->lanes > XG_TILE_PAIR) most = XG_TILE_CPU_UNROLL;
    return XG_MIN(XG_MAX(most, XG_TILE_UNROLL_SUMS / sums), (int64_t)(p->shape.k / p->shape.slices));
}
/* Passes of an access of so many bytes by each lane of a warp; loads of more than a word that each two neighbours make
 * together take half: of a row where lanes lie side by side in it, of a column where they lie below each other. */
XG_ONE_COPY XG_FN int64_t xg_tile_passes(int64_t bytes) {
    return XG_MAX(bytes * XG_WARP_LANES / XG_TILE_PASS_BYTES, (int64_t)1);
}

XG_FN bool xg_tile_hangs_over(const xg_tile_plan *p) {
    return p->tiles[0] * p->shape.m > p->form.group[XG_TILE_M].size ||
           p->tiles[1] * p->shape.n > p->form.group[XG_TILE_N].size;
}
XG_FN void xg_tile_work_bring(const xg_tile_plan *p, xg_tile_work *w) {
    int64_t held = xg_type_bytes(p->held);
    uint32_t side;
    for (side = 0; side < XG_TILE_SIDES; side++) {
        const xg_tile_fetch *t = &p->fetch[side];
        int64_t stores = t->along_k ? t->vector : 1, each = t->along_k ? 1 : t->vector, axes;
        w->passes += t->rounds * stores * xg_tile_passes(each * held);
        axes = (int64_t)p->form.group[XG_TILE_K].n - 1;
        w->issued += t->rounds * axes * XG_TILE_AXIS_ISSUE;
        if (t->async)
            w->issued += t->rounds;
        else
            w->issued += t->rounds * (XG_TILE_GUARD_ISSUE + t->loads + stores + t->work * t->vector);
    }
}
XG_FN void xg_tile_work_multiply(const xg_tile_plan *p, const xg_device *m, xg_tile_work *w) {
    int64_t own = p->shape.k / p->shape.slices, rounds = own / xg_tile_unrolled(p), bytes = xg_type_bytes(p->form.sum);
    bool apart = (xg_type_class(p->form.sum) & XGT_C) || p->quad == 1, below;
    int64_t sums = (int64_t)p->shape.tm * p->shape.tn, each = apart ? 1 : p->quad;
    int64_t reads = (p->shape.tm + p->shape.tn) / each;
    int64_t one = sums * xg_tile_instructions(p->form.sum);
    w->multiplied = own * one;
    one /= p->lanes;
    w->issued += own * (one + reads) + rounds * XG_TILE_LOOP_ISSUE;
    bytes *= each;
    w->passes += own * (p->shape.tm / each) * xg_tile_passes(bytes > 4 && p->lanes_n > 1 ? bytes / 2 : bytes);
    below = bytes > 4 && xg_tile_slice_lanes(p) > p->lanes_n;
    w->passes += own * (p->shape.tn / each) * xg_tile_passes(below ? bytes / 2 : bytes);
    /* a round's first reads are waited for, the others come ahead of time, or while a pipe of few lanes is busy */
    one = one * XG_WARP_LANES * XG_TILE_UNIT_SCHEDULERS / xg_cost_rate(m, xg_tile_pipe(p->form.sum)) - one - reads;
    w->clocks = w->issued + rounds * m->shared_latency + own * XG_MAX(one, (int64_t)0);
}
/* Steps that a block asks for in front of its loop: they are there when the first one is. */
XG_FN int64_t xg_tile_first_steps(const xg_tile_plan *p) { return XG_MIN(p->shape.stages - 1, p->mean); }
/* Instructions there: copies ask for their row, or column, and for their k. */
XG_FN int64_t xg_tile_first_issue(const xg_tile_plan *p) {
    int64_t copies = 0;
    uint32_t side;
    if (!xg_tile_hangs_over(p) || p->form.group[XG_TILE_K].size % p->shape.k == 0) return 0;
    for (side = 0; side < XG_TILE_SIDES; side++) copies += p->fetch[side].async ? p->fetch[side].rounds : 0;
    return xg_tile_first_steps(p) * copies * XG_TILE_GUARD_ISSUE;
}
/* What is made of several numbers waits for them at once. */
XG_FN xg_tile_work xg_tile_work_of(const xg_tile_plan *p, const xg_device *m) {
    xg_tile_work w;
    int64_t way;
    uint32_t side;
    memset(&w, 0, sizeof w);
    w.issued = XG_TILE_STEP_ISSUE;
    xg_tile_work_bring(p, &w);
    xg_tile_work_multiply(p, m, &w);
    way = m->memory_latency + XG_TILE_ASK_CLOCKS;
    if (p->fetch[0].async && p->fetch[1].async) way /= p->shape.stages - 1;
    for (side = 0; side < XG_TILE_SIDES; side++) {
        const xg_tile_fetch *t = &p->fetch[side];
        if (!t->async && t->work) w.clocks += XG_MAX(t->branches * t->rounds, (int64_t)1) * m->memory_latency;
    }
    w.late = XG_MAX(way - w.clocks, (int64_t)0);
    w.clocks += w.late + XG_TILE_BARRIER_CLOCKS;
    return w;
}

/* Slices are added up by a pass of its own, element by element. */
XG_FN bool xg_tile_sums_slices(const xg_tile_plan *p) {
    return p->shape.slices > XG_TILE_SLICES_LATE || (p->shape.slices > 1 && xg_tile_sharers(p) > 1);
}
/* The sums of slices: a few wait for one another, of many the reads overlap. */
XG_FN int64_t xg_tile_slice_clocks(const xg_tile_plan *p) {
    int64_t each = xg_tile_over(p->shape.m / p->parts * p->shape.n, p->threads), slices = p->shape.slices;
    if (!xg_tile_sums_slices(p)) return p->parts * (slices - 1) * each * XG_TILE_SLICE_LATE;
    return p->parts * each * (slices * XG_TILE_SLICE_READ + XG_TILE_SLICE_CLOCKS);
}
/* Waits of so many rounds of the epilogue for what they read: those of several rounds that go together
 * (KL_READS_TOGETHER) are one. */
XG_FN int64_t xg_tile_waits(int64_t rounds) {
    int64_t together = XG_KUNROLL_TOGETHER;
    while (rounds % together) together--;
    return rounds / together;
}
/* As xg_tile_waits, but where rounds ask first whether they lie in the matrix, each waits for itself. */
XG_ONE_COPY XG_FN int64_t xg_tile_memory_waits(const xg_tile_plan *p, int64_t rounds) {
    return xg_tile_hangs_over(p) ? rounds : xg_tile_waits(rounds);
}
/* A round of the epilogue that reads memory waits for it, unless its rows lie outside of the matrix. */
XG_FN int64_t xg_tile_epilogue_clocks(const xg_tile_plan *p, const xg_device *m) {
    int64_t vectors = p->shape.m / p->parts * p->shape.n / XG_MAX(p->out_vector, (int64_t)1);
    int64_t rounds = xg_tile_over(vectors, p->threads * p->shape.cluster);
    int64_t clocks = p->parts * xg_tile_memory_waits(p, rounds) * m->memory_latency;
    if (xg_tile_has_rows(p)) return 0; /* they are among the clocks of its rows */
    return p->reads ? xg_cost_scale(clocks, p->form.group[XG_TILE_M].size, p->tiles[0] * p->shape.m) : 0;
}
/* Sectors of an operand that all blocks ask for. Neighbours side by side that do not begin with a sector touch one
 * more: on matrix units all rows but those that do. */
XG_FN int64_t xg_tile_sectors(const xg_tile_plan *p, uint32_t side) {
    const xg_tile_fetch *t = &p->fetch[side];
    const xg_tile_group *k = &p->form.group[XG_TILE_K], *own = &p->form.group[side ? XG_TILE_N : XG_TILE_M];
    int64_t line = (t->shift && !t->turns ? p->shape.k : t->along_k ? t->beside * t->vector : t->rows) * t->bytes;
    int64_t whole = XG_MAX(line, (int64_t)XG_SECTOR_BYTES), more = t->shift || t->odd ? (int64_t)XG_SECTOR_BYTES : 0;
    int64_t bytes = xg_cost_mul(xg_cost_mul(own->size, xg_tile_summed(p)), t->bytes) / xg_tile_pack_each(p, side);
    if (p->patch.places && !side)
        return xg_cost_mul(xg_cost_mul(p->blocks, p->mean), xg_tile_patch_brings(p) * t->bytes) / XG_SECTOR_BYTES;
    if (xg_tile_is_ragged(p)) /* the left side is that of all groups; a tile has the right side of one */
        bytes = xg_cost_mul(
            bytes, side ? p->blocks / (p->tiles[1] * p->shape.cluster) : xg_tile_ragged_places(p) * p->tiles[1]);
    else
        bytes = xg_cost_mul(xg_cost_mul(bytes, p->batch), p->tiles[1 - side]);
    if (t->touched > XG_TILE_TOUCHED_FEW) return xg_cost_scale(bytes / t->bytes, t->touched, XG_WARP_LANES);
    if (p->unit != XG_TILE_NO_UNIT)
        more = XG_SECTOR_BYTES - xg_gcd((t->along_k ? k : own)->size * t->bytes, XG_SECTOR_BYTES);
    return xg_cost_scale(bytes / XG_SECTOR_BYTES, whole + more, whole);
}
/* Registers of a thread: sums, two fragments of each side, what is on its way. */
XG_FN int64_t xg_tile_registers(const xg_tile_plan *p) {
    int64_t words = (xg_type_bytes(p->form.sum) + 3) / 4, staged = 0, turns = 0;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) staged += p->fetch[k].async ? 0 : p->fetch[k].rounds * p->fetch[k].vector;
    for (k = 0; k < XG_TILE_SIDES; k++) turns += p->fetch[k].turns * XG_TILE_TURN_REGISTERS;
    return (p->shape.tm * p->shape.tn + 2 * (p->shape.tm + p->shape.tn) + staged) * words + turns +
           XG_TILE_FEW_REGISTERS;
}

/* Blocks that a multiprocessor shall hold, so that the assembler keeps within the registers that this leaves a thread;
 * left alone it takes a few more for reads ahead of time, and half of the blocks do not fit. */
XG_FN int64_t xg_tile_plain_resident(const xg_tile_plan *p, const xg_device *m) {
    xg_cost_counts c;
    memset(&c, 0, sizeof c);
    c.threads = p->threads;
    c.shared_bytes = p->shared * xg_type_bytes(p->held) + xg_tile_rows_bytes(p);
    c.registers = XG_MIN(xg_tile_registers(p), m->registers_per_thread);
    return xg_cost_residents(m, &c);
}
/* Of an empty kernel, beside its launch. */
XG_FN int64_t xg_tile_empty(const xg_device *m) {
    return xg_cost_scale(XG_COST_TURNOVER_CLOCKS + m->l2_latency, 1000000, m->clock_mhz);
}
/* Of operands, which memory gives once each: windows of a convolution overlap. */
XG_FN int64_t xg_tile_operand_bytes(const xg_tile_plan *p) {
    const xg_tile_group *g = p->form.group;
    int64_t bytes = 0, one;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        one = xg_cost_mul(g[k ? XG_TILE_N : XG_TILE_M].size, g[XG_TILE_K].size);
        one = xg_cost_mul(xg_cost_mul(one, g[XG_TILE_B].size), p->fetch[k].bytes) / xg_tile_pack_each(p, k);
        bytes = xg_cost_add(bytes, XG_MIN(one, xg_cost_mul(p->fetch[k].from->shape->elements, p->fetch[k].bytes)));
    }
    return bytes;
}
/* What memory takes, whatever the shape; a kernel takes no less than this without an empty one's time. */
XG_FN int64_t xg_tile_roof(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes) {
    int64_t bytes = xg_cost_add(xg_tile_operand_bytes(p), out_bytes);
    return xg_device_is_cpu(m) ? 0 : xg_cost_scale(bytes, 1000, xg_device_gbs(m->bandwidth));
}
/* What the shape alone says. */
XG_FN void xg_tile_count(const xg_tile_plan *p, int64_t out_bytes, xg_cost_counts *c) {
    int64_t bytes;
    uint32_t k;
    memset(c, 0, sizeof *c);
    c->blocks = p->blocks;
    c->longest = p->longest;
    c->threads = p->threads;
    c->shared_bytes = p->shared * xg_type_bytes(p->held) + xg_tile_rows_bytes(p);
    for (k = 0; k < XG_TILE_SIDES; k++) {
        const xg_tile_fetch *t = &p->fetch[k];
        c->l2_sectors = xg_cost_add(c->l2_sectors, xg_tile_sectors(p, k));
        if (!t->touched || p->bulk || (p->patch.places && !k)) continue;
        bytes = xg_cost_mul(xg_cost_mul(p->blocks, p->mean), t->rows * p->shape.k / XG_WARP_LANES);
        c->l1_passes = xg_cost_add_mul(
            c->l1_passes, bytes, xg_tile_over(t->touched, XG_TILE_PASS_BYTES / (int64_t)XG_SECTOR_BYTES));
    }
    /* neighbours of a phase lie apart: all phases write each sector */
    bytes = p->form.group[XG_TILE_N].axes[p->form.group[XG_TILE_N].n - 1].scale;
    c->l2_sectors = xg_cost_add_mul(c->l2_sectors, out_bytes / XG_SECTOR_BYTES, bytes);
    c->read_bytes = xg_tile_operand_bytes(p);
    c->written_bytes = out_bytes;
    if (p->shape.split > 1) { /* the second cache has what is read again */
        bytes = xg_cost_mul(xg_tile_split_elements(p), xg_type_bytes(p->form.sum));
        c->written_bytes = xg_cost_add(out_bytes, bytes);
        c->l2_sectors = xg_cost_add(c->l2_sectors, bytes / XG_SECTOR_BYTES * 2);
        c->tail_clocks = xg_tile_split_clocks(p, p->device);
    }
    c->barriers = p->mean + 2 * p->parts;
}
/* What blocks of a cluster take to read each other's sums. */
XG_FN int64_t xg_tile_cluster_clocks(const xg_tile_plan *p) {
    int64_t rounds = xg_tile_walk_of(p, p->shape.m / p->parts, p->shape.n).rounds;
    xg_tile_inbox inbox = xg_tile_inbox_of(p);
    if (p->shape.cluster == 1) return 0;
    if (inbox.size)
        return (int64_t)XG_COST_MEET_CLOCKS + inbox.owners * inbox.rounds * XG_TILE_OWNER_CLOCKS +
               inbox.rounds * p->shape.cluster * XG_TILE_PEER_READ;
    return p->parts * (2 * XG_COST_MEET_CLOCKS + xg_tile_waits(rounds) * XG_COST_PEER_CLOCKS +
                          rounds * p->shape.cluster * XG_TILE_PEER_READ);
}
/* Clocks of the result's way into memory. */
XG_FN int64_t xg_tile_end_clocks(const xg_tile_plan *p) {
    int64_t out = xg_tile_over(p->shape.m * p->shape.n, p->threads * p->shape.cluster);
    if (p->unit != XG_TILE_NO_UNIT || !xg_tile_sums_slices(p))
        out = xg_tile_over(out, XG_MAX(p->out_vector, (int64_t)1));
    if (xg_tile_has_rows(p)) return xg_tile_rows_clocks(p);
    return p->parts * XG_TILE_PART_CLOCKS + out * XG_TILE_WRITE_CLOCKS + xg_tile_slice_clocks(p) +
           xg_tile_cluster_clocks(p);
}
/* Of matrix units' kernels the finished ones take next to nothing for it where copies are asynchronous. */
XG_FN int64_t xg_tile_begin_clocks(const xg_tile_plan *p) {
    return p->bulk || (p->fetch[0].async && p->fetch[1].async) ? 0 : XG_TILE_BEGIN_CLOCKS;
}
/* A block begins with the first step's way from memory. */
XG_FN int64_t xg_tile_around(const xg_tile_plan *p, const xg_device *m) {
    return m->memory_latency + xg_tile_begin_clocks(p) + xg_tile_end_clocks(p) + xg_tile_epilogue_clocks(p, m);
}
/* A warp's steps alone take no less than `most`, beyond an empty kernel. It spares the model most of the shapes. */
XG_FN bool xg_tile_is_late(const xg_tile_plan *p, const xg_device *m, int64_t step, int64_t most) {
    int64_t clocks = xg_cost_add_mul(xg_tile_around(p, m), p->mean, step);
    clocks = xg_cost_add(clocks, xg_tile_split_clocks(p, m) - m->l2_latency);
    return xg_cost_scale(clocks, 1000000, m->clock_mhz) > most; /* of two times that the model rounds down */
}
XG_FN int64_t xg_tile_predict(const xg_tile_plan *p, const xg_device *m, xg_cost_counts *c) {
    c->warp_clocks = xg_cost_add(c->warp_clocks, xg_tile_around(p, m));
    return xg_cost_launched(m, c);
}
/* Elements of a tile's sums on their way into shared memory and out of it: some threads of five blocks that share 128
 * rows read none, but take as long as the others. */
XG_FN int64_t xg_tile_sums_moved(const xg_tile_plan *p) {
    int64_t size = (int64_t)p->shape.m * p->shape.n;
    xg_tile_walk w = xg_tile_walk_of(p, p->shape.m / p->parts, p->shape.n);
    return size + (p->bulk && p->shape.cluster > 1 ? p->parts * w.rounds * w.threads * w.vector : size);
}
/* Sums go into shared memory and back. */
XG_FN void xg_tile_count_sums(const xg_tile_plan *p, xg_cost_counts *c) {
    int64_t out = xg_tile_sums_moved(p) * xg_type_bytes(xg_tile_shown_type(p)) / XG_TILE_PASS_BYTES;
    if (xg_tile_has_rows(p)) return;
    out *= p->shape.slices + (xg_tile_inbox_of(p).size > 0);
    c->shared_passes = xg_cost_add_mul(c->shared_passes, p->blocks, out);
}
/* Of warps that do the same, all that a step of one is. */
XG_FN void xg_tile_count_warps(const xg_tile_plan *p, int64_t out_bytes, const xg_tile_work *w, xg_cost_counts *c) {
    int64_t warps = xg_cost_mul(p->blocks, xg_tile_over(p->threads, XG_WARP_LANES)), all = xg_cost_mul(warps, p->mean);
    xg_tile_count(p, out_bytes, c);
    c->issued = xg_cost_add(xg_cost_mul(all, w->issued), xg_cost_mul(warps, xg_tile_end_clocks(p) / 4));
    c->shared_passes = xg_cost_mul(all, w->passes);
    xg_tile_count_sums(p, c);
    c->warp_clocks = xg_cost_mul(p->mean, w->clocks);
    c->warp_issued = xg_cost_mul(p->mean, w->issued);
}
XG_FN int64_t xg_tile_plain_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes) {
    xg_tile_work w = xg_tile_work_of(p, m);
    int64_t warps = xg_cost_mul(p->blocks, xg_tile_over(p->threads, XG_WARP_LANES)), all = xg_cost_mul(warps, p->mean);
    int64_t first = xg_tile_first_issue(p), sums;
    xg_cost_pipe pipe = xg_tile_pipe(p->form.sum);
    xg_cost_counts c;
    xg_tile_count_warps(p, out_bytes, &w, &c);
    c.registers = XG_MIN(xg_tile_registers(p), m->registers_per_thread);
    c.issued = xg_cost_add_mul(c.issued, warps, first);
    c.warp_clocks = xg_cost_add(c.warp_clocks, first - w.late * xg_tile_first_steps(p));
    if (xg_tile_is_ragged(p)) c.warp_clocks = xg_cost_add(c.warp_clocks, m->memory_latency); /* its group's rows */
    sums = xg_tile_has_rows(p) ? 0 : xg_cost_mul(p->blocks, (int64_t)p->shape.m * p->shape.n / XG_WARP_LANES);
    sums = xg_cost_mul(sums, p->shape.slices - (xg_tile_sharers(p) == 1)); /* of slices, and with other blocks' */
    if (pipe == XG_PIPE_INTEGER) sums = xg_cost_add(sums, (c.issued - xg_cost_mul(all, w.multiplied)) / 2);
    c.pipes[pipe] = xg_cost_add_mul(sums, all, w.multiplied);
    c.warp_issued = xg_cost_add(c.warp_issued, first + (xg_tile_has_rows(p) ? 0 : xg_tile_end_clocks(p) / 4));
    return xg_tile_predict(p, m, &c);
}

/* ---- mma.sync ---- */

/* Clocks of a warp that asks for its part of a step. Where pixels lie is found by instructions that wait for each
 * other, in front of the products: no unit works beside them. */
XG_FN int64_t xg_tile_unit_asks(const xg_tile_plan *p) {
    int64_t issue = xg_tile_unit_issue(p);
    return p->form.hero->op == XG_CONVOLUTION ? XG_TILE_UNIT_PIXEL_CLOCKS * (issue + XG_TILE_STEP_ISSUE) : issue;
}
/* A unit that multiplies a warp's part of a step for longer than the way from memory takes hides that: copies and
 * fragments but the first ones meet it, and those, too, where they are carried from step to step. */
XG_FN void xg_tile_unit_hides(const xg_tile_plan *p, const xg_device *m, xg_tile_work *w, int64_t way) {
    int64_t unit = (int64_t)p->shape.tm * p->shape.tn * p->shape.k * XG_TILE_UNIT_SCHEDULERS, first = 0;
    bool async = p->fetch[0].async && p->fetch[1].async;
    unit = xg_cost_scale(unit, 1000, xg_tile_unit_rate(p, m));
    w->clocks = XG_MAX(w->clocks, async && !xg_tile_unit_reads_ahead(p) ? way - unit : way);
    if (!xg_tile_unit_reads_ahead(p) || (unit < way && !async)) return;
    if (!xg_tile_unit_carries(p))
        first = (p->shape.tm + p->shape.tn) / XG_KMMA_M * XG_TILE_UNIT_READ_CYCLES + XG_TILE_UNIT_READ_LATENCY;
    w->multiplied = unit; /* beside all that the step waits for */
    unit += first + xg_tile_unit_asks(p) / (first ? 1 : 2) + XG_TILE_BARRIER_CLOCKS;
    w->clocks = w->multiplied < way ? XG_MAX(w->clocks, unit) : unit;
}
/* What one warp does in a step: it brings its part, and for each 32 bytes of k reads fragments, waits for them, and
 * multiplies. A step is waited for as far as the others that are on their way do not hide it. */
XG_FN xg_tile_work xg_tile_unit_work(const xg_tile_plan *p, const xg_device *m) {
    int64_t bytes = xg_type_bytes(p->held), times = p->shape.k * bytes / XG_KMMA_K_BYTES, way;
    int64_t reads = xg_tile_unit_reads(p);
    bool async = p->fetch[0].async && p->fetch[1].async;
    xg_tile_work w;
    w.issued = xg_tile_unit_issue(p) + reads + times * (p->n_sums / p->chains) + XG_TILE_STEP_ISSUE;
    w.multiplied = 0;
    w.passes = reads * XG_TILE_UNIT_READ_CYCLES;
    w.passes += xg_tile_over(xg_tile_put_passes(p), xg_tile_over(p->threads, XG_WARP_LANES)); /* what is brought */
    way = m->memory_latency;
    if (async) { /* asked for behind a step's barrier, addresses, first fragments */
        int64_t first = xg_tile_unit_asks(p) / (p->patch.places && p->patch.of == XG_TILE_K ? 2 : 1); /* of many k */
        way = (way + XG_TILE_UNIT_STEP_CLOCKS + first) / (p->shape.stages - 1);
    }
    w.clocks = xg_tile_unit_issue(p) + reads * XG_TILE_UNIT_READ_CYCLES;
    w.clocks += XG_TILE_UNIT_READ_LATENCY * (xg_tile_unit_reads_ahead(p) ? 1 : times / p->deep);
    if (p->deep > 1) w.clocks += XG_TILE_UNIT_LATE_CLOCKS;
    if (p->shape.patch > 1 && !xg_tile_unit_reads_ahead(p) && !xg_tile_unit_reads_in_place(p)) /* each k waits */
        w.clocks += xg_tile_patch_issue(p) + times * XG_TILE_UNIT_READ_LATENCY;
    w.clocks += XG_TILE_STEP_ISSUE + XG_TILE_UNIT_STEP_CLOCKS + p->n_sums * (async ? 1 : XG_TILE_UNIT_SUM_CLOCKS);
    xg_tile_unit_hides(p, m, &w, way);
    return w;
}
/* Two rows of less than 128 bytes that one store of a warp writes lie in some of the same banks. */
XG_FN bool xg_tile_unit_meets(const xg_tile_plan *p, uint32_t side) {
    const xg_tile_fetch *t = &p->fetch[side];
    int64_t row = (t->by_rows ? (int64_t)p->shape.k : t->rows) * xg_type_bytes(t->held);
    return !t->async && !t->line && t->brick == 1 && t->by_rows == t->along_k && t->vector > 1 &&
           row < XG_TILE_PASS_BYTES;
}
XG_FN int64_t xg_tile_unit_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, int64_t most) {
    xg_tile_work w = xg_tile_unit_work(p, m);
    int64_t macs = xg_cost_mul(xg_cost_mul(p->blocks, p->mean), (int64_t)p->shape.m * p->shape.n * p->shape.k);
    int64_t time;
    xg_cost_counts c;
    if (xg_tile_is_late(p, m, w.clocks, most)) return most;
    xg_tile_count_warps(p, out_bytes, &w, &c);
    c.registers = xg_tile_unit_registers(p, m);
    c.warp_macs[xg_kmma_row_of((uint32_t)p->unit)->tensor] = macs;
    c.warp_tensor = xg_cost_mul(p->mean, w.multiplied);
    time = xg_tile_predict(p, m, &c);
    if (xg_tile_unit_meets(p, 0) || xg_tile_unit_meets(p, 1)) time = xg_cost_scale(time, XG_TILE_MEET_PERCENT, 100);
    return time;
}

/* ---- wgmma, of what tensor copies bring ---- */

/* Lines of 128 bytes that come of a side for a tile. */
XG_FN int64_t xg_tile_all_lines(const xg_tile_plan *p, uint32_t side) {
    int64_t each = xg_tile_bulk_lines(p, side), lines = p->mean * each;
    if (side && xg_tile_bulk_keeps(p)) return xg_cost_scale(lines, p->grid, p->blocks);
    if (side || !xg_tile_halo_steps(p)) return lines;
    lines = p->steps * each / p->shape.halo * p->halo_kinds;
    if (p->shape.stays > 1) { /* tiles in a row begin with any phase */
        int64_t n = xg_tile_over(p->blocks, xg_tile_grid(p, p->device)), apart = xg_gcd(n, p->batch);
        lines = xg_cost_scale(lines, n - apart + p->batch, n * p->batch);
    }
    return lines;
}

/* Lines that a step brings. */
XG_FN int64_t xg_tile_step_lines(const xg_tile_plan *p) {
    return xg_tile_over(xg_tile_all_lines(p, 0) + xg_tile_all_lines(p, 1), p->mean);
}
/* Of a step of a block: boxes are written to shared memory, and each warp group's products read from there. A warp
 * waits for its group's products, or for the way from memory, which the other steps share. */
XG_FN xg_tile_work xg_tile_bulk_work(const xg_tile_plan *p, const xg_device *m) {
    int64_t rate = xg_cost_tensor_rate(m, xg_kmma_row_of((uint32_t)p->unit)->tensor),
            fragments = p->shape.tm / XG_KMMA_M;
    int64_t groups = p->threads / XG_TILE_BULK_GROUP, bytes = p->shape.k * xg_type_bytes(p->held);
    xg_tile_work w;
    w.passes = xg_tile_step_lines(p) + groups * fragments * (XG_KWGMMA_M + p->shape.n) * bytes / XG_TILE_PASS_BYTES;
    w.multiplied = fragments * XG_KWGMMA_M * p->shape.n * p->shape.k / rate;
    w.issued = fragments * bytes / XG_KMMA_K_BYTES + XG_TILE_STEP_ISSUE;
    w.clocks = XG_MAX(w.multiplied, m->memory_latency / (p->shape.stages - 1) + XG_TILE_TRY_CLOCKS);
    return w;
}
/* Clocks of a tile's result on its way out of registers. A round that reads memory waits for the second cache. */
XG_FN int64_t xg_tile_bulk_end_clocks(const xg_tile_plan *p, const xg_device *m) {
    int64_t chunks = xg_tile_store_chunks(p) / xg_tile_store_beside(p), rounds, waits = 0;
    if (p->shape.stores) return chunks * (p->result.bytes == 2 ? XG_TILE_STORE_CLOCKS : XG_TILE_STORE_WORDS_CLOCKS);
    rounds = p->parts * xg_tile_walk_of(p, p->shape.m / p->parts, p->shape.n).rounds;
    if (p->reads) waits = xg_tile_memory_waits(p, rounds) * (p->adds ? m->memory_latency : m->l2_latency);
    rounds = rounds * XG_TILE_BULK_WRITE_CLOCKS + waits;
    return (xg_tile_is_apart(p) ? chunks : p->parts) * XG_TILE_PART_CLOCKS + rounds + xg_tile_cluster_clocks(p);
}
/* What blocks ask the second cache for: of what two of them share, each for half, and gets all. */
XG_FN void xg_tile_bulk_sectors(const xg_tile_plan *p, int64_t out_bytes, xg_cost_counts *c) {
    enum {
        SECTORS = (int)XG_KWGMMA_LINE_BYTES / (int)XG_SECTOR_BYTES
    };
    uint32_t k;
    c->l2_sectors = out_bytes / XG_SECTOR_BYTES;
    c->bulk_sectors = p->shape.stores ? c->l2_sectors : 0;
    c->l2_sectors += xg_cost_mul(xg_tile_split_elements(p), xg_type_bytes(p->form.sum)) / XG_SECTOR_BYTES * 2;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        int64_t one = xg_cost_mul(xg_cost_mul(p->blocks, xg_tile_all_lines(p, k)), SECTORS);
        if (xg_tile_bulk_is_shared(p, k)) c->multicast_sectors = one /= 2;
        c->l2_sectors = xg_cost_add(c->l2_sectors, one);
        c->bulk_sectors = xg_cost_add(c->bulk_sectors, one);
    }
}
/* No kernel of these counts takes less, beyond an empty one: what matrix units or the second cache take, at their best.
 * It spares the model most of the shapes. */
XG_FN int64_t xg_tile_bulk_least(const xg_tile_plan *p, const xg_device *m, const xg_cost_counts *c, int64_t macs) {
    int64_t rate = xg_cost_tensor_rate(m, xg_kmma_row_of((uint32_t)p->unit)->tensor), clocks, l2;
    l2 = xg_cost_scale(xg_cost_mul(c->l2_sectors, XG_SECTOR_BYTES), 1000, xg_device_gbs(m->l2_bandwidth));
    clocks = macs / (rate * XG_MAX(m->sm_count, (int64_t)1));
    l2 = XG_MAX(xg_cost_scale(clocks, 1000000, m->clock_mhz), l2);
    return l2 - xg_tile_empty(m);
}
/* ---- tcgen05 ---- */

/* Of a step of a block: its matrices come into shared memory, by copies for which one thread asks or by all threads,
 * and are read from there; one thread asks for the products. A step is waited for as far as the others that are on
 * their way do not hide it. */
XG_FN xg_tile_work xg_tile_tensor_work(const xg_tile_plan *p, const xg_device *m) {
    int64_t spared = xg_tile_tensor_spared(p), steps = p->shape.stages - 1, reads;
    int64_t macs = ((int64_t)p->shape.m * p->shape.n - XG_KTENSOR_M * spared) * p->shape.k;
    bool copied = p->fetch[0].async && p->fetch[1].async;
    xg_tile_work w;
    w.issued = XG_TILE_TENSOR_ISSUE + (p->bulk ? 0 : xg_tile_over(p->threads, XG_WARP_LANES) * xg_tile_unit_issue(p));
    reads = (p->shape.m + xg_tile_tensor_halves(p) * p->fetch[1].rows - spared) * p->shape.k * xg_type_bytes(p->held) /
            XG_TILE_PASS_BYTES;
    w.passes = reads + (p->bulk ? xg_tile_step_lines(p) : xg_tile_put_passes(p));
    w.multiplied = macs;
    w.clocks = XG_MAX(macs / xg_cost_tensor_rate(m, xg_kmma_row_of((uint32_t)p->unit)->tensor), reads);
    w.clocks = XG_MAX(w.clocks, m->memory_latency / (p->bulk ? steps : copied ? XG_MAX(steps - 1, (int64_t)1) : 1));
    if (!p->bulk) w.clocks = XG_MAX(w.clocks, xg_tile_unit_issue(p)) + XG_TILE_UNIT_STEP_CLOCKS;
    return w;
}
/* Of what tensor copies bring, by warp groups or pairs of blocks. Blocks that stay make tiles one after the other.
 * Where tensor memory has room for the sums of two, those of one leave while the next one is multiplied, or are late if
 * the sums are short. Or `most`, where it is no less. */
XG_FN int64_t xg_tile_bulk_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, int64_t most) {
    bool pair = xg_tile_is_pair(p);
    xg_tile_work w = pair ? xg_tile_tensor_work(p, m) : xg_tile_bulk_work(p, m);
    int64_t grid = xg_tile_grid(p, m), each = xg_tile_over(p->blocks, grid), steps = xg_cost_mul(each, p->mean);
    int64_t all = xg_cost_mul(p->blocks, p->mean), warps = p->threads / XG_WARP_LANES, around, out;
    int64_t size = (int64_t)p->shape.m * p->shape.n, end = xg_tile_bulk_end_clocks(p, m);
    xg_cost_tensor type = xg_kmma_row_of((uint32_t)p->unit)->tensor;
    xg_cost_counts c;
    xg_tile_count(p, out_bytes, &c);
    xg_tile_bulk_sectors(p, out_bytes, &c);
    c.macs[type] = xg_cost_mul(all, size * p->shape.k);
    if (xg_tile_bulk_least(p, m, &c, c.macs[type]) >= most) return most;
    if (pair && !p->shape.stores) end += size / XG_WARP_LANES / XG_TILE_UNIT_SCHEDULERS * p->ends;
    c.blocks = grid;
    c.threads = p->threads + p->producers;
    c.shared_bytes = xg_tile_shared_bytes(p);
    c.registers = pair ? (int64_t)XG_TILE_TENSOR_REGISTERS : xg_cost_registers(m, xg_tile_bulk_resident(p), c.threads);
    c.unit_passes = xg_cost_mul(all, w.passes);
    /* sums go through shared memory, or elements, of which tensor stores read */
    c.shared_passes = p->shape.stores ? size * p->result.bytes : xg_tile_sums_moved(p) * 4;
    c.shared_passes = xg_cost_mul(p->blocks, c.shared_passes / XG_TILE_PASS_BYTES);
    if (p->shape.stores) c.unit_passes = xg_cost_add(c.unit_passes, c.shared_passes);
    c.shared_passes = xg_cost_add(c.unit_passes, c.shared_passes);
    c.issued = xg_cost_mul(xg_cost_mul(all, pair ? 1 : warps), w.issued);
    c.issued = xg_cost_add_mul(c.issued, p->blocks * warps, end / XG_TILE_UNIT_SCHEDULERS);
    around = m->memory_latency;
    if (p->shape.cluster == 1 && !pair)
        around += XG_TILE_BARRIERS_CLOCKS + (p->shape.multicast ? 2 * XG_COST_MEET_CLOCKS : 0);
    out = pair && xg_tile_pairs_turns(p) > 1 ? 1 : each;
    c.warp_clocks = XG_MAX(xg_cost_add(xg_cost_mul(steps, w.clocks), out * end), each * end) + around;
    c.warp_issued =
        pair ? p->mean * (w.issued / warps) : xg_cost_mul(steps, w.issued) + each * end / XG_TILE_UNIT_SCHEDULERS;
    c.warp_tensor = xg_cost_mul(steps, pair ? w.multiplied / xg_cost_tensor_rate(m, type) : w.multiplied);
    if (!pair) c.barriers = 2 * p->parts + xg_tile_store_chunks(p);
    return xg_cost_launched(m, &c);
}
XG_FN int64_t xg_tile_tensor_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, int64_t most) {
    int64_t steps = xg_cost_mul(p->blocks, p->mean), warps = p->threads / XG_WARP_LANES;
    xg_cost_tensor type = xg_kmma_row_of((uint32_t)p->unit)->tensor;
    xg_tile_work w = xg_tile_tensor_work(p, m);
    xg_cost_counts c;
    if (xg_tile_is_late(p, m, w.clocks, most)) return most;
    xg_tile_count(p, out_bytes, &c);
    c.registers = XG_TILE_TENSOR_REGISTERS;
    /* no more blocks than tensor memory has room for */
    c.shared_bytes = XG_MAX(c.shared_bytes, m->shared_per_sm / (XG_KTENSOR_COLUMNS / xg_tile_tensor_columns(p) + 1));
    c.macs[type] = xg_cost_mul(steps, w.multiplied);
    c.issued = xg_cost_add(xg_cost_mul(steps, w.issued), xg_cost_mul(p->blocks * warps, xg_tile_end_clocks(p) / 4));
    c.shared_passes = xg_cost_mul(steps, w.passes);
    c.warp_clocks = xg_cost_mul(p->mean, w.clocks);
    c.warp_issued = xg_cost_mul(p->mean, w.issued / warps);
    c.warp_tensor = xg_cost_mul(p->mean, w.multiplied / xg_cost_tensor_rate(m, type));
    if (p->bulk) {
        xg_tile_bulk_sectors(p, out_bytes, &c);
        c.threads += p->producers;
        c.warp_issued += xg_tile_end_clocks(p) / XG_TILE_UNIT_SCHEDULERS;
        c.unit_passes = c.shared_passes;
    }
    xg_tile_count_sums(p, &c);
    return xg_tile_predict(p, m, &c);
}

/* What a step of a settled shape is at least; zeros: nothing is known. */
XG_FN void xg_tile_look(xg_tile_plan *p, const xg_device *m) {
    xg_tile_work *w = &p->work;
    bool tensor = xg_tile_is_tensor(p), units = p->unit != XG_TILE_NO_UNIT;
    memset(w, 0, sizeof *w);
    p->sectors = 0;
    p->alone_steps = p->mean;
    p->alone_blocks = p->blocks;
    if (xg_device_is_cpu(m) || xg_tile_is_pair(p)) return;
    if (tensor || p->bulk) {
        *w = tensor ? xg_tile_tensor_work(p, m) : xg_tile_bulk_work(p, m);
        w->issued = w->late = 0;
        w->passes /= p->threads / XG_WARP_LANES;
        if (p->bulk) return;
    } else if (units && xg_tile_in_cycles(p)) {
        w->clocks = xg_tile_unit_cycles(p, m, 1) - XG_TILE_STEP_CYCLES;
        return;
    } else
        *w = units ? xg_tile_unit_work(p, m) : xg_tile_work_of(p, m);
    if (units) w->late = 0;
    p->sectors = xg_cost_add(xg_tile_sectors(p, 0), xg_tile_sectors(p, 1));
}
/* Whether its tiles may take no more than `most` in the hands of so many blocks, which do the same work together, and
 * meet in memory, or in a cluster: a warp alone waits for its steps, and for the first one's way; schedulers or shared
 * memory do the work of all; memory and the second cache give operands. The norm of these (cost/time.c) is no more than
 * that of all terms. It spares the model most of the shapes. */
XG_FN bool xg_tile_may_take(const xg_tile_plan *p, const xg_device *m, int64_t sharers, bool split, int64_t most) {
    enum {
        ONE = 1 << 12, /* three fourth powers of it have less than 63 bits */
        FEW = 4        /* blocks of a multiprocessor: up to here the last round counts as a whole one (cost/time.c) */
    };
    const xg_tile_work *w = &p->work;
    int64_t steps = xg_tile_over(p->alone_steps, sharers), warps = xg_tile_over(p->threads, XG_WARP_LANES), terms[3];
    int64_t own, all, norm = 0, sums = 0, blocks, each;
    uint32_t k;
    if (w->clocks <= 0) return true;
    own = xg_cost_mul(steps, w->clocks) - w->late * XG_MIN(p->shape.stages - 1, steps) + m->memory_latency +
          xg_tile_begin_clocks(p) + XG_COST_TURNOVER_CLOCKS;
    blocks = xg_cost_mul(p->alone_blocks, sharers);
    each = xg_tile_over(blocks, m->sm_count);
    if (each <= FEW && !p->bulk && !p->form.phased) blocks = each * m->sm_count;
    all = xg_cost_mul(xg_cost_mul(blocks, steps), warps);
    all = xg_cost_mul(all, XG_MAX(w->issued / XG_TILE_UNIT_SCHEDULERS, w->passes)) / m->sm_count;
    most = xg_cost_add(most, xg_tile_empty(m));
    if (split) {
        most -= xg_cost_scale(xg_tile_split_least(p, m, sharers / p->shape.cluster, 0), 1000000, m->clock_mhz);
        sums = xg_cost_mul(p->alone_blocks * sharers, xg_tile_split_each(p) * XG_COST_PORT_BYTES);
    }
    terms[0] = xg_cost_scale(XG_MAX(own, all), 1000000, m->clock_mhz);
    terms[1] = p->roof + xg_cost_scale(sums, 1000, xg_device_gbs(m->bandwidth));
    sums = xg_cost_add_mul(2 * sums, p->sectors, XG_SECTOR_BYTES);
    terms[2] = xg_cost_scale(sums, 1000, xg_device_gbs(m->l2_bandwidth));
    for (k = 0; k < (p->sectors ? XG_COUNT(terms) : 1); k++) {
        if (terms[k] > most) return false;
        own = xg_cost_scale(terms[k], ONE, most);
        norm += own * own * own * own;
    }
    return norm <= (int64_t)ONE * ONE * ONE * ONE;
}

/* ---- a host's processor ---- */

/* On a processor, whose lanes are a thread's columns, in 64ths of a clock: products (by the sums of a thread, which
 * wait for each other if they are few), elements brought to the block, and sums that go to memory and back with each
 * step. Blocks run one after the other on each core. */
XG_FN int64_t xg_tile_cpu_time(const xg_tile_plan *p, const xg_device *m) {
    enum {
        PARTS = 64,
        RATE = 85,       /* of a product where sums fill registers, times lanes a clock: 24 of 32 lanes do one */
        FULL = 16,       /* sums of a thread, vectors: of registers of 64 bytes ... */
        FULL_NARROW = 4, /* ... and of shorter ones */
        SCALAR = 4,      /* a sum of single numbers takes as much longer ... */
        SCALAR_FEW = 16, /* ... where a thread has less than so many, which LLVM makes registers of: */
        SCALAR_FULL = 64,
        FETCH = 16,  /* of an element that comes into shared memory */
        TURNED = 64, /* ... and is written apart from its neighbours */
        LINE = 1024, /* of a step's first line of a row, which is waited for */
        CARRY = 8    /* of a sum that is kept between two steps */
    };
    const xg_tile_shape *s = &p->shape;
    int64_t full = m->f32_rate >= XG_TILE_WIDE_RATE ? FULL : FULL_NARROW, each = xg_tile_over(p->blocks, m->sm_count);
    int64_t step = (int64_t)s->m * s->n * s->k * RATE / m->f32_rate;
    uint32_t side;
    if (p->lanes == 1)
        step *= p->n_sums < SCALAR_FULL ? SCALAR_FEW : SCALAR;
    else if (p->n_sums < full)
        step = step * full / p->n_sums;
    for (side = 0; side < XG_TILE_SIDES; side++) {
        const xg_tile_fetch *t = &p->fetch[side];
        bool single = t->vector == 1 || t->along_k != t->by_rows;
        step += t->rows * (s->k * (single ? (int64_t)TURNED : (int64_t)FETCH) + LINE);
    }
    step += (int64_t)s->m * s->n * s->slices * CARRY;
    return xg_cost_scale(xg_cost_mul(xg_cost_mul(each, p->mean), step / PARTS), 1000000, m->clock_mhz);
}

XG_FN bool xg_tile_few(const xg_inst *hero) {
    enum {
        FEW = 16
    };
    int64_t groups = xg_attr_or_1(hero, XG_A_feature_group_count) * xg_attr_or_1(hero, XG_A_batch_group_count);
    return hero->op == XG_CONVOLUTION && groups > 1 &&
           hero->shape->dims[xg_inst_attr(hero, XG_A_dim_labels)->v.labels->output_feature] <= groups * FEW;
}
XG_FN bool xg_tile_is_worth(const xg_tile_form *f) {
    enum {
        WORK_MIN = 1 << 14, /* multiply-adds: below, a launch takes longer than any way to do them, ... */
        WAITED = 64,        /* ... unless a thread waits for so many terms, one after the other */
        LONG = 1024         /* terms of a sum: no window of a channel has as many */
    };
    bool wide = xg_tile_is_wide(f);
    int64_t work = xg_cost_mul(f->hero->shape->elements, f->group[XG_TILE_K].size);
    if (f->hero->op == XG_CONVOLUTION && (!xg_tile_few(f->hero) || f->group[XG_TILE_K].size >= LONG)) wide = true;
    return wide && (work >= WORK_MIN || f->group[XG_TILE_K].size >= WAITED);
}
XG_FN int64_t xg_tile_terms(const xg_inst *conv) {
    const xg_dim_labels *l = xg_inst_attr(conv, XG_A_dim_labels)->v.labels;
    const xg_shape *kernel = XG_OPERAND(conv, 1)->shape;
    return kernel->elements / XG_MAX(kernel->dims[l->kernel_output], (int64_t)1);
}
/* With one thread for each element: two reads a step, which caches serve at best, and a step waits for the one before,
 * and for its reads, of a loop that is unrolled for those of a few steps together. Of a convolution results share what
 * is read (emit/convolution.c). Memory gives operands no sooner than to tiles. */
XG_FN int64_t xg_tile_loop_time(const xg_tile_plan *p, const xg_device *m) {
    enum {
        READ_LANES = 32 /* a cycle and multiprocessor */,
        STEP_LATENCY = 30 /* cycles */,
        SHARED = 5,
        UNROLLED = 4 /* steps at least, where they divide the loop */,
        UNROLLED_MOST = 8 /* of a dot, that many at most */,
        WRITTEN_OUT = 64 /* steps: so short a loop is no loop */
    };
    const xg_tile_form *f = &p->form;
    const xg_tile_group *g = &f->group[XG_TILE_K];
    int64_t terms = f->phased ? xg_tile_terms(f->hero) : g->size, wait = STEP_LATENCY;
    int64_t steps = xg_cost_mul(terms, xg_tile_arithmetic(f->sum));
    int64_t reads = xg_cost_mul(xg_cost_mul(f->hero->shape->elements, steps), 2), cycles;
    int64_t together = xg_gcd(g->axes[g->n - 1].extent, UNROLLED_MOST), terms_of[2];
    if (g->size > WRITTEN_OUT && f->hero->op == XG_DOT && !p->on_processor)
        wait = m->memory_latency / together;
    else if (g->size > WRITTEN_OUT && p->unit == XG_TILE_NO_UNIT && together < UNROLLED)
        wait = m->memory_latency / 2;
    if (xg_tile_few(f->hero)) reads /= SHARED;
    cycles = XG_MAX(reads / (READ_LANES * m->sm_count), xg_cost_mul(steps, wait));
    if (p->unit == XG_TILE_NO_UNIT) /* as the model of time has them */
        cycles = xg_cost_add(cycles, m->memory_latency + XG_COST_TURNOVER_CLOCKS);
    terms_of[0] = xg_cost_scale(cycles, 1000000, m->clock_mhz);
    terms_of[1] = p->on_processor ? 0 : xg_cost_copied(m, xg_tile_operand_bytes(p));
    return xg_cost_norm(terms_of, 2);
}
/* What tiles would make of little work has to be sure to take less than a loop. */
XG_FN bool xg_tile_is_quicker(const xg_tile_plan *p, const xg_device *m) {
    int64_t loop = xg_tile_loop_time(p, m);
    if (p->unit == XG_TILE_NO_UNIT) loop = xg_cost_scale(loop, XG_TILE_SURE_PERCENT, 100);
    return p->picoseconds <= loop;
}

#endif /* XG_SCHED_TILE_TIME_C */
