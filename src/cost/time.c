/* cost/time.c -- how long a kernel takes: one formula over counts, whoever counted.
 *
 *     time = launch + norm of what works at the same time:
 *         issue slots, pipes, matrix units, passes of shared memory and of the first cache   a multiprocessor's, each
 *         second cache, device memory                                                        the device's
 *         a warp's own chain of waits, as often as blocks follow each other                  no pipe's: latency
 *          + what the last block does when all others are done
 *
 * The norm is the fourth root of the sum of fourth powers: the largest term decides, a second one of equal size adds a
 * fifth. It is what fits the occupancy scans of gpu-benches best (five GPUs, p = 3 to 4: mean error 4 %; the largest
 * term alone 5.5 %, the sum 16.5 %). Of what bulk copies and matrix units do beside the threads only the slowest stage
 * counts: it is a pipeline (xg_cost_stream).
 *
 * All arithmetic is in integers (picoseconds, clocks), so that every compiler and machine predicts, and decides, alike;
 * sums and products saturate. */
#ifndef XG_COST_TIME_C
#define XG_COST_TIME_C
#include "cost.h"

enum {
    XG_COST_SCHEDULERS = 4,      /* of a multiprocessor, each issues one warp instruction a clock (CUDA guide), and has
                                  * a quarter of the registers: warps take them in fours (CUDA occupancy calculator) */
    XG_COST_WARP_CLOCKS = 5,     /* more for each resident warp (the same: 4 to 5.5) */
    XG_COST_PHASES = 2,          /* barriers from which on a block works in phases */
    XG_COST_REGISTER_UNIT = 256, /* registers are given to warps in such portions (CUDA guide) */
    XG_COST_FEW_ROUNDS = 4,      /* up to here a last, partial round of blocks counts as a whole one */
    XG_COST_WARM_US = 100,       /* shorter kernels run at the highest clock: power is averaged over longer */
    XG_COST_IDLE_PERMILLE =
        200,                 /* of clocks in which matrix units are busy: fewer leave every part its highest clock */
    XG_COST_CLOCK_BITS = 25, /* of the fraction of squares whose fifth root is taken: that of the root has 10 */
    XG_COST_CLOCK_TIMES = 2, /* a lower clock changes the share that sets it: the second time by less than 1 % */
    XG_COST_PERMILLE = 1000
};
static const int64_t XG_COST_MOST = INT64_MAX / 4;

XG_ONE_COPY XG_FN int64_t xg_cost_add(int64_t a, int64_t b) { return a > XG_COST_MOST - b ? XG_COST_MOST : a + b; }
XG_ONE_COPY XG_FN int64_t xg_cost_mul(int64_t a, int64_t b) {
    int64_t r;
    return xg_mul64(a, b, &r) && r < XG_COST_MOST ? r : XG_COST_MOST;
}
XG_ONE_COPY XG_FN int64_t xg_cost_add_mul(int64_t a, int64_t b, int64_t c) { return xg_cost_add(a, xg_cost_mul(b, c)); }
XG_FN int64_t xg_cost_scale(int64_t a, int64_t b, int64_t c) {
    int64_t r;
    if (b == c) return a;
    if (!(((uint64_t)a | (uint64_t)b) >> 30)) return a * b / c;
    if (xg_mul64(a, b, &r) && r < XG_COST_MOST) return c == 1 ? r : r / c;
    return xg_cost_add(xg_cost_mul(a / c, b), xg_cost_mul(a % c, b) / c);
}

/* ---- the norm ---- */

enum {
    XG_COST_ONE_BITS = 14 /* the largest term is 2^14: fourth powers of sixteen terms have less than 61 bits */
};
/* The fourth root, rounded down, of what is at least that of the largest term and at most sixteen times as much: by
 * Newton's steps from above, where the curve's tangent at the largest term alone begins. */
XG_FN uint64_t xg_cost_root(uint64_t x) {
    uint64_t one = (uint64_t)1 << XG_COST_ONE_BITS, r = one + ((x >> (3 * XG_COST_ONE_BITS)) - one) / 4 + 1, next;
    r = XG_MIN(r, 2 * one);
    for (;; r = next) {
        next = (3 * r + x / (r * r * r)) / 4;
        if (next >= r) return r;
    }
}
XG_FN int64_t xg_cost_norm(const int64_t *terms, uint32_t n) {
    const int64_t *end = terms + n, *p;
    int64_t most = 1, t;
    uint64_t sum = 0, r;
    for (p = terms; p < end; p++)
        if (*p > most) most = *p;
    for (p = terms; p < end; p++) {
        if ((t = *p) == 0) continue;
        if (t >> (62 - XG_COST_ONE_BITS))
            r = (uint64_t)xg_cost_scale(t, (int64_t)1 << XG_COST_ONE_BITS, most);
        else
            r = (uint64_t)(t << XG_COST_ONE_BITS) / (uint64_t)most;
        r *= r;
        sum += r * r;
    }
    if (!sum) return 0;
    return xg_cost_scale(most, (int64_t)xg_cost_root(sum), (int64_t)1 << XG_COST_ONE_BITS);
}

/* ---- what a device can do ---- */

XG_FN int64_t xg_cost_clocks_ps(int64_t clocks, int64_t mhz) {
    return xg_cost_scale(clocks, 1000000, XG_MAX(mhz, (int64_t)1));
}

XG_FN int64_t xg_cost_bytes_ps(int64_t bytes, int64_t bytes_a_second) {
    return xg_cost_scale(bytes, 1000, xg_device_gbs(bytes_a_second));
}

/* Blocks that a multiprocessor has at a time. */
XG_FN int64_t xg_cost_residents(const xg_device *d, const xg_cost_counts *c) {
    int64_t warps = (c->threads + XG_WARP_LANES - 1) / XG_WARP_LANES, most = d->blocks_per_sm, unit, shared;
    most = XG_MIN(most, d->threads_per_sm / XG_MAX(warps * XG_WARP_LANES, (int64_t)1));
    unit = (c->registers * XG_WARP_LANES + XG_COST_REGISTER_UNIT - 1) / XG_COST_REGISTER_UNIT * XG_COST_REGISTER_UNIT;
    if (unit)
        most = XG_MIN(
            most, d->registers_per_sm / unit / XG_COST_SCHEDULERS * XG_COST_SCHEDULERS / XG_MAX(warps, (int64_t)1));
    shared = c->shared_bytes + d->shared_reserved;
    if (c->shared_bytes) most = XG_MIN(most, d->shared_per_sm / shared);
    return XG_MAX(most, (int64_t)1);
}

/* Whole portions of a warp: one more, and a block less would fit. */
XG_FN int64_t xg_cost_registers(const xg_device *d, int64_t blocks, int64_t threads) {
    int64_t warps = blocks * ((threads + XG_WARP_LANES - 1) / XG_WARP_LANES), own;
    warps = XG_MAX((warps + XG_COST_SCHEDULERS - 1) / XG_COST_SCHEDULERS, (int64_t)1) * XG_COST_SCHEDULERS;
    own = d->registers_per_sm / warps / XG_COST_REGISTER_UNIT * XG_COST_REGISTER_UNIT / XG_WARP_LANES;
    return XG_MIN(own, d->registers_per_thread);
}

/* Where figures of a device lie in it. */
XG_TABLE const uint16_t xg_cost_tensor_figures[] = {
#define X(NAME, text, figure) offsetof(xg_device, figure),
    XG_COST_TENSORS(X)
#undef X
};
XG_TABLE const uint16_t xg_cost_pipe_figures[] = {
#define X(NAME, text, figure) offsetof(xg_device, figure),
    XG_COST_PIPES(X)
#undef X
};
XG_ONE_COPY XG_FN int64_t xg_cost_figure(const xg_device *d, const uint16_t *at) {
    const int64_t *figure = (const int64_t *)(const void *)((const char *)d + *at);
    return XG_MAX(*figure, (int64_t)1);
}
XG_ONE_COPY XG_FN int64_t xg_cost_tensor_rate(const xg_device *d, xg_cost_tensor type) {
    return type < XG_TENSOR_COUNT ? xg_cost_figure(d, &xg_cost_tensor_figures[type]) : 1;
}
/* Clocks of matrix units for all that they do, as if one multiprocessor did it. */
XG_FN int64_t xg_cost_tensor_clocks(const xg_device *d, const xg_cost_counts *c, bool peak) {
    int64_t sum = 0;
    uint32_t k;
    for (k = 0; k < XG_TENSOR_COUNT; k++) {
        int64_t rate;
        if (!c->macs[k] && !c->warp_macs[k]) continue;
        rate = xg_cost_tensor_rate(d, (xg_cost_tensor)k);
        sum = xg_cost_add(sum, c->macs[k] / rate);
        sum = xg_cost_add(sum, xg_cost_scale(c->warp_macs[k] / rate, XG_COST_PERMILLE,
                                   peak ? (int64_t)XG_COST_PERMILLE : XG_MAX(d->mma_permille, (int64_t)1)));
    }
    return sum;
}

typedef struct xg_cost_spread {
    int64_t busy;      /* multiprocessors that have blocks */
    int64_t residents; /* blocks of each at a time */
    int64_t most;      /* blocks of the busiest, in thousandths */
    int64_t rounds;    /* of blocks that follow each other, in thousandths */
    int64_t warps;     /* resident ones of a multiprocessor */
    int64_t share;     /* what the clocks of all blocks are divided by for `most` of them */
    int64_t tensor;    /* clocks of matrix units for all blocks, as if one multiprocessor did it */
} xg_cost_spread;

/* Work of the block at a place in the order. */
XG_FN int64_t xg_cost_falls(int64_t longest, int64_t rounds, int64_t place) {
    return longest - xg_cost_scale(2 * (longest - XG_COST_PERMILLE), place, rounds);
}
/* As long as so many rounds of blocks of the mean's work take blocks that begin by falling work, each where the one
 * before ends first. Those of two rounds add up to the same everywhere; of what is left the first one is longest, or
 * two are. */
XG_FN int64_t xg_cost_falling(int64_t longest, int64_t rounds) {
    int64_t pair = 2 * (int64_t)XG_COST_PERMILLE, whole = rounds / pair * pair, left = rounds - whole, tail = 0;
    if (left) tail = xg_cost_falls(longest, rounds, whole);
    if (left > XG_COST_PERMILLE) tail = XG_MAX(tail, 2 * xg_cost_falls(longest, rounds, whole + XG_COST_PERMILLE));
    return xg_cost_scale(xg_cost_falls(longest, rounds, whole / 2), whole, XG_COST_PERMILLE) + tail;
}
XG_FN xg_cost_spread xg_cost_spread_of(const xg_device *d, const xg_cost_counts *c) {
    xg_cost_spread s;
    int64_t blocks = XG_MAX(c->blocks, (int64_t)1), each;
    s.tensor = xg_cost_tensor_clocks(d, c, false);
    s.share = blocks * XG_COST_PERMILLE;
    s.busy = XG_MIN(blocks, d->sm_count);
    each = (blocks + s.busy - 1) / s.busy;
    s.residents = XG_MIN(xg_cost_residents(d, c), each);
    s.rounds = xg_cost_scale(blocks, XG_COST_PERMILLE, s.busy * s.residents);
    s.most = each * XG_COST_PERMILLE;
    if (each > XG_COST_FEW_ROUNDS * s.residents) { /* half a block of tail, on average */
        s.most = xg_cost_scale(blocks, XG_COST_PERMILLE, s.busy) + XG_COST_PERMILLE / 2;
        s.rounds += XG_COST_PERMILLE / 2 / s.residents;
    } else
        s.rounds = (each + s.residents - 1) / s.residents * XG_COST_PERMILLE;
    if (c->longest && each > 1) { /* of blocks that all begin at once the mean stands for each, as of other kernels */
        s.most = xg_cost_falling(c->longest, xg_cost_scale(blocks, XG_COST_PERMILLE, s.busy));
        s.rounds = xg_cost_falling(c->longest, xg_cost_scale(blocks, XG_COST_PERMILLE, s.busy * s.residents));
    }
    s.warps = s.residents * ((c->threads + XG_WARP_LANES - 1) / XG_WARP_LANES);
    return s;
}

/* Clocks of all blocks on one unit of a multiprocessor to picoseconds of the busiest one. */
XG_FN int64_t xg_cost_unit_ps(const xg_cost_spread *s, int64_t clocks, int64_t mhz) {
    return clocks ? xg_cost_clocks_ps(xg_cost_scale(clocks, s->most, s->share), mhz) : 0;
}

/* ---- terms ---- */

XG_FN int64_t xg_cost_rate(const xg_device *d, xg_cost_pipe pipe) {
    return pipe < XG_PIPE_COUNT ? xg_cost_figure(d, &xg_cost_pipe_figures[pipe]) : 1;
}
/* Bytes a second that a mix of loads and stores reaches: the middle between pure streams and a copy. */
XG_FN int64_t xg_cost_held_bandwidth(const xg_device *d, const xg_cost_counts *c) {
    int64_t sum = xg_cost_add(c->read_bytes, c->written_bytes), mixed = XG_MIN(c->read_bytes, c->written_bytes), held;
    held = d->read_permille - xg_cost_scale(d->read_permille - d->copy_permille, 2 * mixed, XG_MAX(sum, (int64_t)1));
    return d->bandwidth / XG_COST_PERMILLE * held;
}

/* A block between two barriers takes as long as the warps' waits or as the work of all its warps, on the schedulers or
 * on the matrix units. What overlaps in a block that has no barriers, or with other blocks, follows each other in one
 * that has them and is alone. */
XG_FN bool xg_cost_in_phases(const xg_cost_counts *c) { return c->barriers >= XG_COST_PHASES; }
XG_FN int64_t xg_cost_block_clocks(const xg_cost_counts *c, const xg_cost_spread *s) {
    int64_t warps = (c->threads + XG_WARP_LANES - 1) / XG_WARP_LANES,
            busy = XG_MIN(XG_MAX(warps, (int64_t)1), (int64_t)XG_COST_SCHEDULERS);
    int64_t work = c->warp_issued * warps / XG_COST_SCHEDULERS, own = c->warp_issued, apart, most,
            tensor = s->tensor / XG_MAX(c->blocks, (int64_t)1) * XG_COST_SCHEDULERS / busy;
    if (tensor > work) {
        work = tensor;
        own = c->warp_tensor;
    }
    apart = XG_MAX(c->warp_clocks - own, (int64_t)0) + work;
    most = XG_MAX(c->warp_clocks, work);
    if (!xg_cost_in_phases(c)) return c->warp_clocks;
    return most + XG_MAX(apart - most, (int64_t)0) / s->residents;
}

XG_FN void xg_cost_terms(
    const xg_device *d, const xg_cost_counts *c, const xg_cost_spread *s, int64_t mhz, int64_t *t) {
    int64_t warps = XG_MAX(XG_MIN(s->warps, (int64_t)XG_COST_SCHEDULERS), (int64_t)1), bytes, port, round, tensor;
    uint32_t k;
    t[XG_LIMIT_ISSUE] = xg_cost_unit_ps(s, c->issued / warps, mhz);
    for (k = 0; k < XG_PIPE_COUNT; k++)
        t[k] = !c->pipes[k] ? 0
                            : xg_cost_unit_ps(s,
                                  xg_cost_scale(c->pipes[k], (int64_t)XG_WARP_LANES * XG_COST_SCHEDULERS,
                                      xg_cost_rate(d, (xg_cost_pipe)k) * warps),
                                  mhz);
    tensor = xg_cost_scale(s->tensor, XG_COST_SCHEDULERS, warps);
    t[XG_LIMIT_TENSOR] = xg_cost_unit_ps(s, tensor, mhz);
    t[XG_LIMIT_SHARED] = xg_cost_unit_ps(s, c->shared_passes, mhz);
    t[XG_LIMIT_L1] = xg_cost_unit_ps(s, c->l1_passes, mhz);
    bytes = xg_cost_mul(c->l2_sectors, XG_SECTOR_BYTES);
    port = xg_cost_add_mul(bytes, c->multicast_sectors, XG_SECTOR_BYTES);
    port = xg_cost_unit_ps(s, port / XG_COST_PORT_BYTES, mhz);
    t[XG_LIMIT_L2] = XG_MAX(xg_cost_bytes_ps(bytes, d->l2_bandwidth), port);
    bytes = xg_cost_add(c->read_bytes, c->written_bytes);
    t[XG_LIMIT_MEMORY] = xg_cost_bytes_ps(bytes, xg_cost_held_bandwidth(d, c));
    round = xg_cost_block_clocks(c, s) + XG_COST_TURNOVER_CLOCKS + XG_COST_WARP_CLOCKS * s->warps;
    t[XG_LIMIT_LATENCY] = xg_cost_clocks_ps(xg_cost_scale(round, s->rounds, XG_COST_PERMILLE), mhz);
}

/* What bulk copies and matrix units do beside the threads is a pipeline: each of its stages (memory, second cache,
 * shared memory, units) has a queue before it that the stage before fills, so that the slowest one decides and the
 * others work in its time. Takes their part out of the terms; returns that of the slowest. */
XG_FN int64_t xg_cost_stream(const xg_cost_counts *c, int64_t *t) {
    XG_TABLE const xg_cost_limit stages[] = {XG_LIMIT_SHARED, XG_LIMIT_L2, XG_LIMIT_MEMORY};
    int64_t slowest = t[XG_LIMIT_TENSOR];
    uint32_t k;
    if (!c->bulk_sectors) return 0;
    t[XG_LIMIT_TENSOR] = 0;
    for (k = 0; k < XG_COUNT(stages); k++) {
        bool shared = stages[k] == XG_LIMIT_SHARED;
        int64_t own = xg_cost_scale(t[stages[k]], shared ? c->unit_passes : c->bulk_sectors,
            XG_MAX(shared ? c->shared_passes : c->l2_sectors, (int64_t)1));
        slowest = XG_MAX(slowest, own);
        t[stages[k]] = XG_MAX(t[stages[k]] - own, (int64_t)0);
    }
    return slowest;
}
/* The norm of all terms. The time of a block that works in phases contains its work already: only the larger counts. So
 * it does that of the pipeline beside its threads, for which they wait. */
XG_FN int64_t xg_cost_together(const xg_cost_counts *c, const int64_t *terms) {
    int64_t t[XG_LIMIT_LAUNCH], *latency = &t[XG_LIMIT_LATENCY], most = 0, stream;
    uint32_t k;
    memcpy(t, terms, sizeof t);
    for (k = 0; k < XG_LIMIT_LAUNCH; k++) most = XG_MAX(most, t[k]);
    stream = xg_cost_stream(c, t); /* once: it takes terms away */
    *latency = XG_MAX(*latency, stream);
    if (xg_cost_in_phases(c)) {
        *latency = XG_MAX(*latency, XG_MAX(t[XG_LIMIT_ISSUE], t[XG_LIMIT_TENSOR]));
        t[XG_LIMIT_ISSUE] = t[XG_LIMIT_TENSOR] = 0;
    }
    return XG_MAX(most, xg_cost_norm(t, XG_LIMIT_LAUNCH));
}
/* The clock that power allows. Dynamic power is that of a clock's work times the voltage's square; the voltage rises
 * with the clock, though not in proportion: together about clock^2.5. Matrix units draw most of it, so a kernel in
 * which they are busy in a share u of the clocks holds tensor_mhz * (1 / u)^0.4, up to the highest clock. Short kernels
 * keep that: power is averaged over a longer time. */
XG_FN int64_t xg_cost_held_mhz(const xg_device *d, const int64_t *terms, int64_t whole) {
    int64_t busy = XG_MIN(terms[XG_LIMIT_TENSOR], whole), share;
    uint64_t square, root = 0, bit;
    if (whole <= XG_COST_WARM_US * (int64_t)1000000 || d->tensor_mhz >= d->clock_mhz) return d->clock_mhz;
    share = XG_MAX(xg_cost_scale(busy, XG_COST_PERMILLE, whole), (int64_t)XG_COST_IDLE_PERMILLE);
    square = (uint64_t)(((int64_t)XG_COST_PERMILLE << XG_COST_CLOCK_BITS) / share); /* of 1 / u, as root^5 */
    square *= square;
    for (bit = (uint64_t)1 << (XG_COST_CLOCK_BITS * 2 / 5 + 1); bit; bit >>= 1) {
        uint64_t r = root + bit;
        if (r * r * r * r * r <= square) root = r;
    }
    return XG_MIN(
        xg_cost_scale(d->tensor_mhz, (int64_t)root, (int64_t)1 << (XG_COST_CLOCK_BITS * 2 / 5)), d->clock_mhz);
}

/* The share of the device's best that the kernel reaches, of memory or of the pipe that it uses most. */
XG_FN int64_t xg_cost_permille_of(const xg_device *d, const xg_cost_counts *c, int64_t ps) {
    int64_t best = xg_cost_bytes_ps(xg_cost_add(c->read_bytes, c->written_bytes), d->bandwidth),
            clocks = xg_cost_tensor_clocks(d, c, true);
    uint32_t k;
    for (k = 0; k < XG_PIPE_COUNT; k++)
        clocks = XG_MAX(clocks, xg_cost_scale(c->pipes[k], XG_WARP_LANES, xg_cost_rate(d, (xg_cost_pipe)k)));
    best = XG_MAX(best, xg_cost_clocks_ps(clocks / XG_MAX(d->sm_count, (int64_t)1), d->clock_mhz));
    return XG_MIN(xg_cost_scale(best, XG_COST_PERMILLE, XG_MAX(ps, (int64_t)1)), (int64_t)XG_COST_PERMILLE);
}

XG_APART XG_FN void xg_cost_grow(xg_cost_counts *c, int64_t grid, int64_t memory) {
    uint32_t k;
    c->blocks = xg_cost_mul(c->blocks, grid);
    c->issued = xg_cost_mul(c->issued, grid);
    for (k = 0; k < XG_PIPE_COUNT; k++) c->pipes[k] = xg_cost_mul(c->pipes[k], grid);
    for (k = 0; k < XG_TENSOR_COUNT; k++) {
        c->macs[k] = xg_cost_mul(c->macs[k], grid);
        c->warp_macs[k] = xg_cost_mul(c->warp_macs[k], grid);
    }
    c->shared_passes = xg_cost_mul(c->shared_passes, grid);
    c->l1_passes = xg_cost_mul(c->l1_passes, grid);
    c->l2_sectors = xg_cost_mul(c->l2_sectors, grid);
    c->unit_passes = xg_cost_mul(c->unit_passes, grid);
    c->bulk_sectors = xg_cost_mul(c->bulk_sectors, grid);
    c->multicast_sectors = xg_cost_mul(c->multicast_sectors, grid);
    c->read_bytes = xg_cost_mul(c->read_bytes, memory);
    c->written_bytes = xg_cost_mul(c->written_bytes, memory);
}
/* The formula. The launch figure is that of an empty kernel, whose own time it contains. */
XG_FN int64_t xg_cost_formula(const xg_device *d, const xg_cost_counts *c, const xg_cost_spread *s, int64_t *terms) {
    int64_t empty = xg_cost_clocks_ps(XG_COST_TURNOVER_CLOCKS + d->l2_latency, d->clock_mhz), mhz, together;
    uint32_t k;
    xg_cost_terms(d, c, s, d->clock_mhz, terms);
    together = xg_cost_together(c, terms);
    for (k = 0; k < XG_COST_CLOCK_TIMES && terms[XG_LIMIT_TENSOR]; k++) {
        mhz = xg_cost_held_mhz(d, terms, together);
        if (mhz == d->clock_mhz) break;
        xg_cost_terms(d, c, s, mhz, terms);
        together = xg_cost_together(c, terms);
    }
    terms[XG_LIMIT_LAUNCH] = d->graph_ns * 1000;
    XG_ESTIMATED(*c);
    XG_ESTIMATED(together);
    together = XG_MAX(together - empty, (int64_t)0);
    return xg_cost_add(terms[XG_LIMIT_LAUNCH], xg_cost_add(together, xg_cost_clocks_ps(c->tail_clocks, d->clock_mhz)));
}
XG_FN int64_t xg_cost_picoseconds(const xg_device *d, const xg_cost_counts *c) {
    int64_t terms[XG_LIMIT_COUNT];
    xg_cost_spread s = xg_cost_spread_of(d, c);
    return xg_cost_formula(d, c, &s, terms);
}
XG_FN int64_t xg_cost_launched(const xg_device *d, const xg_cost_counts *c) {
    return xg_cost_picoseconds(d, c) - d->graph_ns * 1000;
}
XG_FN double xg_cost_moved(const xg_device *d, double bytes) {
    XG_ESTIMATED(bytes);
    return bytes * 1e12 * 1000 /
           ((double)XG_MAX(d->bandwidth, (int64_t)1) * (double)XG_MAX(d->copy_permille, (int64_t)1));
}
XG_FN int64_t xg_cost_copied(const xg_device *d, int64_t bytes) {
    return (int64_t)XG_MIN(xg_cost_moved(d, (double)bytes), 9e17);
}
XG_FN xg_cost_prediction xg_cost_predict(const xg_device *d, const xg_cost_counts *c) {
    xg_cost_prediction p;
    xg_cost_spread s = xg_cost_spread_of(d, c);
    uint32_t k;
    memset(&p, 0, sizeof p);
    p.picoseconds = xg_cost_formula(d, c, &s, p.terms);
    p.residents = s.residents;
    p.rounds_permille = s.rounds;
    for (k = 1; k < XG_LIMIT_COUNT; k++)
        if (p.terms[k] > p.terms[p.limit]) p.limit = (xg_cost_limit)k;
    p.permille = xg_cost_permille_of(d, c, p.picoseconds);
    return p;
}

XG_FN const char *xg_cost_limit_name(uint32_t limit) {
    XG_TABLE const char names[] =
#define X(NAME, text, figure) text "\0"
        XG_COST_PIPES(X)
#undef X
#define X(NAME, text) text "\0"
            XG_COST_LIMITS(X)
#undef X
        ;
    const char *name = xg_text_nth(names, limit);
    return name ? name : "?";
}

#endif /* XG_COST_TIME_C */
