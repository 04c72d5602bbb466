/* emit/skew.c -- boxes for transposes whose rows begin inside of sectors.
 *
 * What is side by side of a box in one of the two arrays is a run; runs begin anywhere in a sector. So each is walked
 * over through a window that begins at the whole sector in front of it: lanes that come before its begin or behind its
 * end have nothing to do, and all others touch, in all accesses together, the sectors that the run lies in and no more.
 * That is one more than a run needs at most, so runs are made long: of all boxes that touch at most XG_SKEW_ENOUGH more
 * sectors than there are the smallest is taken, else the one that touches fewest. What two runs have in common cannot
 * be had for nothing: if tiles were skewed so that all sectors of one array were whole, those of the other would be
 * torn where the skewed edges are, as many of them.
 *
 * Clusters. Narrow elements want boxes that no block has room for, and that would leave blocks for a few
 * multiprocessors only. Then the boxes of a cluster lie side by side along the result's runs: each box reads alone,
 * with long runs of the operand, and a sector of the result that lies in two boxes is written by that in which it
 * begins, which fetches the other elements from its neighbour's shared memory. So a run of the result is as long as the
 * cluster. (On a device a cache would mostly have such a sector for the neighbour; what is saved there is the way
 * between it and the multiprocessor, and that a sector is written in two parts.)
 *
 * A run is served by `lanes` threads side by side, a whole number of warps, and those of a block go from run to run: so
 * no access goes over the end of one.
 *
 * Shared memory holds the box in one of the two orders, with distances of its own between neighbours in each dimension.
 * Lanes of a walk in the other order count their places with the digits of the dimensions of a run: they meet no bank
 * twice, wherever they begin, if a step in each digit is an odd number of words times what the digits before it count,
 * modulo the banks (as in xg_box_spread, though here only for dimensions inside of runs, and what is a run of shared
 * memory's own order stays side by side). Where both orders hold several dimensions of the box side by side there may
 * be no such distances: then fewer lanes of each walk take part (xg_skew_search). */
#ifndef XG_EMIT_SKEW_C
#define XG_EMIT_SKEW_C
#include "emit.h"
#include "box.c"

enum {
    XG_SKEW_THREADS = 256,
    XG_SKEW_PHASE_ISSUE = 40, /* instructions of a phase, for its place */
    XG_SKEW_ROUND_ISSUE = 2,  /* ... of a round beside its accesses */
    XG_SKEW_ACCESS_ISSUE = 6, /* ... of an access, with its condition */
    XG_SKEW_THREADS_MAX = 512,
    XG_SKEW_LARGE = 32 << 10 /* bytes of a box with more threads */,
    XG_SKEW_ENOUGH = 80 /* for a thousand, both walks together */,
    XG_SKEW_WORTH = 1 << 20 /* bytes of an array whose sectors count for more than instructions */,
    XG_SKEW_PATIENCE = 1 << 19,
    XG_SKEW_ALONG = 16 /* that become straight code */,
    XG_SKEW_GAIN = 10 /* for a thousand, by which a larger cluster has to be better */,
    XG_SKEW_REST = 1 << 10 /* what the device keeps for itself of each block's shared memory */
};

/* Where runs of this walk may begin: a sector is a multiple of so many bytes. */
XG_FN int64_t xg_skew_grain(const xg_box_ask *a, uint32_t order, const int64_t *tile) {
    xg_box_run r = xg_box_run_of(a->p, order, tile);
    return xg_gcd((r.dim < a->p->rank ? xg_gcd(r.length, r.pitch) : r.length) * a->least, XG_SECTOR_BYTES);
}

/* ---- the tile ---- */

XG_FN int64_t xg_skew_pieces(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }
/* Sectors touched for a thousand that are needed, both walks together. */
XG_FN int64_t xg_skew_waste(const xg_box_ask *a, const int64_t *tile, int64_t parts) {
    int64_t waste = 2000;
    uint32_t o, k;
    for (o = 0; o < 2; o++) {
        xg_box_run r = xg_box_run_of(a->p, o, tile);
        double bytes = (double)a->least; /* of a run, in the mean */
        for (k = a->p->rank; k-- > 0;) {
            uint32_t d = xg_box_dim(a->p, o, k);
            bytes *= (double)a->p->dims[d];
            if (d == r.dim) {
                bytes /= (double)xg_skew_pieces(a->p->dims[d], tile[d] * (o ? parts : 1));
                break;
            }
        }
        waste += (int64_t)((double)(XG_SECTOR_BYTES - xg_skew_grain(a, o, tile)) * 1000 / bytes);
    }
    return waste;
}
/* Takes dimensions, from the minor one on, until about `want` bytes are side by side, of so many boxes. Of the last one
 * pieces of equal length, or of whole sectors if it consists of such. */
XG_FN void xg_skew_cover(const xg_box_ask *a, uint32_t order, int64_t want, int64_t boxes, int64_t *tile) {
    int64_t run = a->least;
    uint32_t k;
    for (k = a->p->rank; k-- > 0 && run < want;) {
        uint32_t d = xg_box_dim(a->p, order, k);
        int64_t n = a->p->dims[d], pieces = n * run < want ? 1 : n * run / want * boxes,
                part = xg_skew_pieces(n, pieces);
        if (n * run % XG_SECTOR_BYTES == 0) {
            int64_t step = XG_SECTOR_BYTES / xg_gcd(run, XG_SECTOR_BYTES);
            part = XG_MIN((part + step - 1) / step * step, n);
        }
        tile[d] = XG_MAX(tile[d], part);
        if (tile[d] < n) return;
        run *= n;
    }
}
/* ---- shared memory ---- */

/* Dimensions of which more than one element lies in a run of this order, as bits. */
XG_FN uint32_t xg_skew_inside(const xg_permutation *p, uint32_t order, const int64_t *tile) {
    xg_box_run r = xg_box_run_of(p, order, tile);
    uint32_t inside = 0, k;
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        if (tile[d] > 1) inside |= 1u << d;
        if (d == r.dim) break;
    }
    return inside;
}
/* By what lanes of a walk in this order go on in each dimension of its runs, in bytes modulo the banks. Where both
 * orders have the minor dimension in common neighbours stay side by side; narrow ones leave out a word where one row of
 * them ends, for two halves of one are of two rows. */
XG_FN void xg_skew_steps(const xg_permutation *p, uint32_t order, uint32_t inside, const int64_t *tile, int64_t cell,
    int64_t odd, int64_t *step) {
    bool together = !xg_permutation_moves_minor(p) && tile[p->rank - 1] > 1, first = true;
    int64_t next = (together ? cell : XG_MAX(cell, (int64_t)4)) * odd;
    uint32_t k;
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        if (!(inside >> d & 1)) continue;
        step[d] = next;
        next = (next * tile[d] + (first && together && cell < 4 ? 4 : 0)) % XG_PASS_BYTES;
        first = false;
    }
}
/* inside: by order, xg_skew_inside. The distances for one odd number, in cells of so many bytes; false: there are none.
 * Narrow cells leave banks free, so that gaps between them do no harm. */
XG_FN bool xg_skew_distances(
    const xg_box_ask *a, xg_box *s, const uint32_t *inside, uint32_t order, int64_t cell, int64_t odd) {
    const xg_permutation *p = a->p;
    uint32_t own = inside[order], other = inside[1 - order], k;
    int64_t step[XG_RANK_MAX], next = 1, inner = 1, gaps = XG_PASS_BYTES - XG_WARP_LANES * cell - 4,
                               apart = cell / a->least;
    xg_skew_steps(p, 1 - order, other, s->t.extent, cell, odd, step);
    s->t.room = 1;
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        int64_t at = next;
        s->t.stride[d] = at * apart;
        if (s->t.extent[d] == 1) continue;
        if (other >> d & 1)
            while (at * cell % XG_PASS_BYTES != step[d])
                if (++at - next > XG_PASS_BYTES) return false;
        if (own >> d & 1 && at != next) {
            gaps -= (at - next) * cell * (XG_WARP_LANES / inner + 1);
            if (inner == 1 || gaps < 0) return false;
        }
        s->t.stride[d] = at * apart;
        s->t.room += s->t.stride[d] * (s->t.extent[d] - 1);
        inner *= s->t.extent[d];
        next = at * s->t.extent[d];
    }
    return true;
}
XG_FN uint32_t xg_skew_count(uint32_t bits) {
    uint32_t n = 0;
    for (; bits; bits &= bits - 1) n++;
    return n;
}
/* The least room for an order; at first for that in which more of the runs need not be taken apart; narrow elements in
 * a word each if there is nothing else. */
XG_APART XG_FN bool xg_skew_layout(const xg_box_ask *a, xg_box *s) {
    uint32_t inside[2] = {xg_skew_inside(a->p, 0, s->t.extent), xg_skew_inside(a->p, 1, s->t.extent)},
             first = xg_skew_count(inside[1]) > xg_skew_count(inside[0]), o;
    xg_box trial = *s;
    int64_t odd, cell;
    for (cell = a->least; cell <= XG_MAX(a->least, (int64_t)4); cell += 4 - cell % 4)
        for (o = 0; o < 2; o++) {
            s->t.room = INT64_MAX;
            trial.order = first ^ o;
            for (odd = 1; odd < XG_WARP_LANES; odd += 2)
                if (xg_skew_distances(a, &trial, inside, trial.order, cell, odd) && trial.t.room < s->t.room)
                    *s = trial;
            if (s->t.room < INT64_MAX) return true;
        }
    return false;
}

/* Of a walk's neighbours so many never meet in a bank, wherever they begin; 0: fewer than `least`. stride: in cells of
 * a word or more; banks: a power of two. *patience: places that may be looked at yet. */
XG_FN int32_t xg_skew_apart(const xg_permutation *p, const xg_box *s, uint32_t order, const int64_t *stride,
    int32_t banks, int32_t least, int32_t *patience) {
    int32_t run = (int32_t)xg_box_run_of(p, order, s->t.extent).length, ends[XG_RANK_MAX], at[XG_RANK_MAX] = {0},
            last[XG_WARP_LANES], most = banks, i;
    uint32_t mask = (uint32_t)banks - 1, step[XG_RANK_MAX], place = 0, n = 0, k;
    for (k = p->rank; k-- > 0;) { /* step: to the next element of a dimension from the end of those inside of it */
        uint32_t d = xg_box_dim(p, order, k);
        if (s->t.extent[d] == 1) continue;
        ends[n] = (int32_t)s->t.extent[d];
        step[n] = (uint32_t)stride[d] - (n ? place : 0);
        place = (uint32_t)stride[d] * (uint32_t)s->t.extent[d];
        n++;
    }
    for (k = 0; k < XG_WARP_LANES; k++) last[k] = -banks;
    for (place = 0, i = 0; i < run; i++) {
        int32_t *bank = &last[place & mask];
        if (i - *bank < most && (most = i - *bank) < least) break;
        *bank = i;
        for (k = 0; k < n; k++) {
            place += step[k];
            if (++at[k] < ends[k]) break;
            at[k] = 0;
        }
    }
    *patience -= i;
    return most < least ? 0 : most;
}
/* Distances in cells with gaps where the first two dimensions end. The room; *n: dimensions with an end. */
XG_FN int64_t xg_skew_gaps(const xg_permutation *p, const xg_box *s, const int64_t *gap, int64_t *stride, uint32_t *n) {
    int64_t next = 1, room = 1;
    uint32_t k;
    for (*n = 0, k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, s->order, k);
        stride[d] = next;
        if (s->t.extent[d] == 1) continue;
        room += next * (s->t.extent[d] - 1);
        next = next * s->t.extent[d] + (*n < 2 ? gap[*n] : 0);
        ++*n;
    }
    return room;
}
/* Where both runs hold several dimensions in common no distances serve all lanes of both walks, but some may do for
 * fewer lanes that take part, of whole sectors: by trying. */
XG_APART XG_FN bool xg_skew_search(const xg_box_ask *a, int64_t shared, xg_box *s) {
    const xg_permutation *p = a->p;
    int32_t banks = (int32_t)(XG_PASS_BYTES / XG_MAX(a->least, (int64_t)4)),
            unit = (int32_t)(XG_SECTOR_BYTES / a->least), patience = XG_SKEW_PATIENCE, best = 0, take[2] = {0};
    int64_t apart = XG_MAX(4 / a->least, (int64_t)1), gap[2], stride[XG_RANK_MAX];
    xg_box trial = *s;
    uint32_t n = 0, k, o;
    for (trial.order = 0; trial.order < 2; trial.order++)
        for (gap[0] = 0; gap[0] < banks; gap[0]++)
            for (gap[1] = 0; gap[1] < banks; gap[1]++) {
                trial.t.room = xg_skew_gaps(p, &trial, gap, stride, &n) * apart;
                if (trial.t.room > shared / a->bytes) break;
                for (k = 0; k < 2; k++) { /* first the walk that memory does not lie for */
                    o = trial.order ^ (k ^ 1);
                    take[o] =
                        xg_skew_apart(p, &trial, o, stride, banks,
                            XG_MAX(best + unit - (k ? take[1 - o] : banks), unit) /* for more lanes than ever before */,
                            &patience) /
                        unit * unit;
                    if (!take[o]) break;
                }
                if (k == 2) {
                    best = take[0] + take[1];
                    for (k = 0; k < 2; k++) trial.lanes[k] = take[k];
                    for (k = 0; k < p->rank; k++) trial.t.stride[k] = stride[k] * apart;
                    *s = trial;
                }
                if (best == 2 * banks || patience < 0) return best != 0;
                if (n < 3) break; /* one gap only */
            }
    return best != 0;
}

/* ---- tile and layout together ---- */

/* Where the result's runs end: the boxes of a cluster are neighbours there. */
XG_FN uint32_t xg_skew_along(const xg_permutation *p, const xg_box *s) { return xg_box_run_of(p, 1, s->t.extent).dim; }
/* There are so many to join, and what lies of each in a sector of the one before it is not all of it. */
XG_FN bool xg_skew_may_join(const xg_box_ask *a, const xg_box *s) {
    xg_box_run r = xg_box_run_of(a->p, 1, s->t.extent);
    return r.dim < a->p->rank && xg_skew_pieces(a->p->dims[r.dim], s->t.extent[r.dim]) >= s->t.parts &&
           r.length * a->least >= 3 * XG_SECTOR_BYTES;
}

/* The best tile for clusters of so many boxes, if it is better than *best: that takes so many bytes of shared memory at
 * most, for as many blocks as are wanted. any: its layout is to be found yet. */
XG_FN void xg_skew_tile_of(
    const xg_box_ask *a, int64_t shared, int64_t blocks, int64_t parts, bool any, xg_box *s, int64_t *best) {
    XG_TABLE const int64_t wants[] = {64, 96, 128, 192, 256, 320, 384, 448, 512, 576, 640, 768, 1024, 1280};
    int64_t seen[XG_RANK_MAX] = {0}; /* the tile before: what is wanted gives few different ones */
    xg_box trial;
    int64_t least = 8 * XG_SKEW_THREADS;
    uint32_t i, j, k;
    memset(&trial, 0, sizeof trial);
    trial.t.parts = parts;
    for (i = 0; i < XG_COUNT(wants); i++)
        for (j = 0; j < XG_COUNT(wants); j++) {
            int64_t waste;
            for (k = 0; k < a->p->rank; k++) trial.t.extent[k] = 1;
            xg_skew_cover(a, 0, wants[i], 1, trial.t.extent);
            xg_skew_cover(a, 1, wants[j], parts, trial.t.extent);
            for (k = a->p->rank; k-- > 0;) { /* work for all threads */
                trial.t.elements = xg_box_size(a->p, trial.t.extent);
                if (trial.t.elements < least)
                    trial.t.extent[k] =
                        XG_MIN(a->p->dims[k], trial.t.extent[k] * ((least + trial.t.elements - 1) / trial.t.elements));
            }
            if (memcmp(trial.t.extent, seen, sizeof seen) == 0) continue;
            memcpy(seen, trial.t.extent, sizeof seen);
            trial.t.elements = xg_box_size(a->p, trial.t.extent);
            if (trial.t.elements > shared / a->bytes || trial.t.elements < least ||
                xg_box_blocks(a->p, trial.t.extent) < blocks)
                continue;
            if (parts > 1 && !xg_skew_may_join(a, &trial)) continue;
            trial.waste = xg_skew_waste(a, trial.t.extent, parts);
            waste = XG_MAX(trial.waste, (int64_t)2000 + XG_SKEW_ENOUGH);
            if (waste > *best || (waste == *best && trial.t.elements >= s->t.elements)) continue;
            if (any ? trial.t.elements * XG_MAX(4 / a->least, (int64_t)1) > shared / a->bytes
                    : !xg_skew_layout(a, &trial) || trial.t.room > shared / a->bytes)
                continue;
            *best = waste;
            *s = trial;
        }
}
/* As few boxes a cluster as will do. */
XG_FN bool xg_skew_tile(const xg_box_ask *a, int64_t shared, int64_t blocks, bool any, xg_box *s) {
    int64_t best = INT64_MAX, parts;
    for (parts = 1; parts <= (any ? 1 : a->cluster) && best > 2000 + XG_SKEW_ENOUGH; parts *= 2) {
        if (best != INT64_MAX) best -= XG_SKEW_GAIN;
        xg_skew_tile_of(a, shared, blocks, parts, any, s, &best);
        if (best != INT64_MAX && parts > 1 && s->t.parts < parts) best += XG_SKEW_GAIN;
    }
    if (best == INT64_MAX) return false;
    s->t.rank = a->p->rank;
    s->t.along = xg_skew_along(a->p, s);
    return xg_shared_cut(&s->t, a->p->dims);
}

/* ---- walks ---- */

/* Of the dimensions that are in no run, the longest of the box: runs of one thread follow each other there. The rank if
 * there is none. */
XG_FN uint32_t xg_skew_rows_dim(const xg_permutation *p, uint32_t order, const int64_t *tile) {
    uint32_t inside = xg_skew_inside(p, order, tile), best = p->rank, k;
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        if (!(inside >> d & 1) && tile[d] > 1 && (best == p->rank || tile[d] > tile[best])) best = d;
    }
    return best;
}
/* How far neighbours in a dimension are apart in this order's array. */
XG_FN int64_t xg_skew_pitch(const xg_permutation *p, uint32_t order, uint32_t dim) {
    int64_t pitch = 1;
    uint32_t k;
    for (k = p->rank; k-- > 0 && xg_box_dim(p, order, k) != dim;) pitch *= p->dims[xg_box_dim(p, order, k)];
    return pitch;
}
/* The runs of this walk go on in the next box of the cluster. */
XG_FN bool xg_skew_joins(const xg_box *s, uint32_t order) { return order && s->t.parts > 1; }
/* As many lanes along a run as leave the fewest instructions: about six for an element, and forty where a thread finds
 * out where it is. */
XG_FN void xg_skew_plan_walk(const xg_box_ask *a, xg_box *s, uint32_t order) {
    xg_skew_walk *w = &s->walk[order], t;
    int64_t least = INT64_MAX, pitch;
    memset(&t, 0, sizeof t);
    t.run = xg_box_run_of(a->p, order, s->t.extent).length;
    t.unit = XG_SECTOR_BYTES / a->least;
    t.window =
        t.run + (xg_skew_joins(s, order) ? 2 * t.unit : t.unit - xg_skew_grain(a, order, s->t.extent) / a->least);
    t.dim = xg_skew_rows_dim(a->p, order, s->t.extent);
    t.rows = t.dim < a->p->rank ? s->t.extent[t.dim] : 1;
    t.others = s->t.elements / t.run / t.rows;
    pitch = xg_skew_pitch(a->p, order, t.dim);
    for (t.lanes = XG_WARP_LANES; t.lanes <= s->t.threads; t.lanes *= 2) {
        int64_t at_once = s->t.threads / t.lanes, cost;
        t.step = t.lanes / s->group * s->lanes[order];
        t.along = (t.window + t.step - 1) / t.step;
        t.rounds = (t.rows + at_once - 1) / at_once;
        t.phases = XG_MIN(t.unit / xg_gcd(t.unit, at_once * pitch), t.rounds);
        t.rounds = (t.rounds + t.phases - 1) / t.phases;
        cost = t.others * t.phases *
               (XG_SKEW_PHASE_ISSUE + t.rounds * (XG_SKEW_ROUND_ISSUE + XG_SKEW_ACCESS_ISSUE * t.along));
        if (cost >= least) continue;
        least = cost;
        *w = t;
    }
    if (xg_skew_joins(s, order)) {
        w->own = XG_MAX((w->run - w->unit + 1) / w->step, (int64_t)0);
        return;
    }
    w->turns = (w->along + XG_SKEW_ALONG - 1) / XG_SKEW_ALONG;
    w->along = (w->along + w->turns - 1) / w->turns;
}
/* shared: bytes that a block may take; blocks: how many there shall be; idle: what a tile may waste of which lanes stay
 * idle, so that one that nothing takes is not looked for. */
XG_FN bool xg_skew_make(const xg_box_ask *a, int64_t shared, int64_t blocks, int64_t idle, xg_box *s) {
    uint32_t o;
    xg_box any;
    bool found;
    if (a->least > XG_SECTOR_BYTES / 2 || (a->sizes & (a->sizes - 1))) return false;
    found = xg_skew_tile(a, shared, blocks, false, s);
    if (found) s->group = s->lanes[0] = s->lanes[1] = XG_WARP_LANES;
    if ((!found || s->waste > 2000 + XG_SKEW_ENOUGH) && xg_skew_tile(a, shared, blocks, true, &any) &&
        any.waste <= idle && (!found || any.waste < s->waste - 20) && xg_skew_search(a, shared, &any)) {
        *s = any;
        s->group = XG_MIN(XG_PASS_BYTES / a->least, (int64_t)XG_WARP_LANES);
        found = true;
    }
    if (!found) return false;
    s->t.threads = s->t.elements * a->bytes > XG_SKEW_LARGE ? XG_SKEW_THREADS_MAX : XG_SKEW_THREADS;
    for (o = 0; o < 2; o++) xg_skew_plan_walk(a, s, o);
    return true;
}

/* A thread finds out where it is, for all runs that begin at the same place in a sector: (th_x, bl_x)[i] -> values from
 * which the others differ by constants. WINDOW, ELEMENT: its place in a window of so many lanes in front of which the
 * run begins, and the array's element there; both are more by a sector less one element, so that they are not negative:
 * such a constant becomes part of addresses. PLACE: the run's first one in shared memory. ROW, INDEX: of the first run,
 * in the box and in the array. FIRST: of the box in what the array has side by side. Of runs that go on in the next box
 * RANK: which box of its cluster it is; BEHIND: the elements there of the last sector that begins in this one; MOST: no
 * less than these, but none in the last box. */
enum {
    XG_SKEW_WINDOW,
    XG_SKEW_ELEMENT,
    XG_SKEW_PLACE,
    XG_SKEW_ROW,
    XG_SKEW_INDEX,
    XG_SKEW_FIRST,
    XG_SKEW_ALONE,
    XG_SKEW_RANK = XG_SKEW_ALONE,
    XG_SKEW_BEHIND,
    XG_SKEW_MOST,
    XG_SKEW_VALUES
};
XG_FN uint32_t xg_skew_values(const xg_box *s, uint32_t order) {
    return xg_skew_joins(s, order) ? XG_SKEW_VALUES : XG_SKEW_ALONE;
}
/* Does a dimension end inside of a box, or in front of one? */
XG_FN bool xg_skew_is_cut(const xg_permutation *p, const xg_box *s, uint32_t d) {
    return s->t.counts[d] * s->t.extent[d] > p->dims[d];
}
/* Of a number of places along a run. peers: some of them may be in the next box. */
typedef struct xg_skew_span {
    int64_t first, turns, along;
    bool peers;
} xg_skew_span;
XG_FN uint32_t xg_skew_spans(const xg_box *s, uint32_t order, xg_skew_span *out) {
    const xg_skew_walk *w = &s->walk[order];
    uint32_t n = 0;
    memset(out, 0, 2 * sizeof *out);
    if (!xg_skew_joins(s, order)) {
        out[0].turns = w->turns;
        out[0].along = w->along;
        return 1;
    }
    if (w->own) {
        for (out[0].turns = 1; w->own % out[0].turns || w->own / out[0].turns > XG_SKEW_ALONG;) out[0].turns++;
        out[n++].along = w->own / out[0].turns;
    }
    out[n].first = w->own;
    out[n].turns = 1;
    out[n].along = w->along - w->own;
    out[n++].peers = true;
    return n;
}
XG_FN const xg_imap *xg_skew_begin_map(xg_aff_ctx *x, const xg_permutation *p, const xg_box *s, uint32_t order) {
    const xg_skew_walk *w = &s->walk[order];
    const xg_aff *block[XG_RANK_MAX], *thread = xg_aff_dim_0(x), *other, *zero = xg_aff_const(x, 0), *begin = zero,
                                      *shift = zero, *rank = xg_shared_block(x, &s->t, xg_aff_dim_1(x), block), *lane,
                                      *v[XG_SKEW_VALUES];
    uint32_t inside = xg_skew_inside(p, order, s->t.extent), dim = xg_box_run_of(p, order, s->t.extent).dim,
             n = xg_skew_values(s, order), k;
    xg_imap *m = xg_imap_new(x, 2, 1, 0, n, 0);
    const xg_imap *out = m;
    int64_t stride = 1, left = w->others, at_once = s->t.threads / w->lanes;
    xg_imap_counts(&m->dims[0], "th_x", s->t.threads);
    xg_imap_counts(&m->dims[1], "bl_x", s->t.blocks);
    xg_imap_counts(&m->syms[0], "i", w->others * w->phases);
    for (k = 0; k < n; k++) v[k] = m->results[k] = zero;
    other = w->others == 1 ? zero : xg_aff_div(x, xg_aff_sym(x, 0), w->phases);
    if (w->rows > 1) {
        v[XG_SKEW_ROW] = at_once > 1 ? xg_aff_div(x, thread, w->lanes) : zero;
        if (w->phases > 1)
            v[XG_SKEW_ROW] = xg_aff_add_mul(x, v[XG_SKEW_ROW], xg_aff_mod(x, xg_aff_sym(x, 0), w->phases), at_once);
    } else if (at_once > 1)
        out = xg_imap_with_constraint(x, out, thread, xg_range_of(0, w->lanes - 1));
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        const xg_aff *index = xg_aff_mul(x, block[d], s->t.extent[d]), *digit = NULL;
        if (d == w->dim) {
            digit = v[XG_SKEW_ROW];
            v[XG_SKEW_INDEX] = xg_aff_add(x, index, digit);
        } else if (!(inside >> d & 1) && d != dim) {
            if (s->t.extent[d] > 1) {
                digit = left > s->t.extent[d] ? xg_aff_mod(x, other, s->t.extent[d]) : other;
                other = xg_aff_div(x, other, s->t.extent[d]);
                left /= s->t.extent[d];
            }
            if (xg_skew_is_cut(p, s, d))
                out = xg_imap_with_constraint(
                    x, out, digit ? xg_aff_add(x, index, digit) : index, xg_range_of(0, p->dims[d] - 1));
        }
        if (digit) {
            index = xg_aff_add(x, index, digit);
            v[XG_SKEW_PLACE] = xg_aff_add_mul(x, v[XG_SKEW_PLACE], digit, s->t.stride[d]);
        }
        if (d == dim) v[XG_SKEW_FIRST] = xg_aff_mul(x, block[d], w->run);
        begin = xg_aff_add_mul(x, begin, index, stride);
        stride *= p->dims[d];
    }
    if (xg_skew_joins(s, order)) { /* only the first box of a cluster begins with a sector that is not all there */
        const xg_aff *behind = xg_aff_add_k(x, begin, w->run);
        shift = xg_aff_add_mul(x, xg_aff_mod(x, xg_aff_mul(x, begin, -1), w->unit),
            xg_aff_div(x, xg_aff_add_k(x, rank, s->t.parts - 1), s->t.parts), w->unit);
        v[XG_SKEW_RANK] = rank;
        v[XG_SKEW_BEHIND] = xg_aff_mod(x, xg_aff_mul(x, behind, -1), w->unit);
        v[XG_SKEW_MOST] = xg_aff_mul(
            x, xg_aff_sub(x, xg_aff_const(x, 1), xg_aff_div(x, xg_aff_add_k(x, rank, 1), s->t.parts)), w->unit - 1);
    } else if (w->window > w->run)
        shift = xg_aff_mod(x, xg_aff_sub(x, xg_aff_const(x, -1), begin), w->unit);
    lane = at_once > 1 ? xg_aff_mod(x, thread, w->lanes) : thread;
    if (s->lanes[order] < s->group) {
        const xg_aff *own = xg_aff_mod(x, thread, s->group);
        lane = xg_aff_add_mul(x, own, xg_aff_div(x, lane, s->group), s->lanes[order]);
        out = xg_imap_with_constraint(x, out, own, xg_range_of(0, s->lanes[order] - 1));
    }
    v[XG_SKEW_WINDOW] = xg_aff_add(x, lane, shift);
    v[XG_SKEW_ELEMENT] = xg_aff_add(x, begin, v[XG_SKEW_WINDOW]);
    return xg_imap_with_results(x, out, v, n);
}
XG_FN int64_t xg_skew_back(const xg_box *s, uint32_t order) {
    const xg_skew_walk *w = &s->walk[order];
    return xg_skew_joins(s, order) ? w->unit : w->window > w->run ? w->unit - 1 : 0;
}
XG_FN xg_range xg_skew_begin_range(
    const xg_permutation *p, const xg_box *s, uint32_t order, int64_t elements, uint32_t k) {
    const xg_skew_walk *w = &s->walk[order];
    xg_box_run r = xg_box_run_of(p, order, s->t.extent);
    int64_t shift = xg_skew_back(s, order) + (xg_skew_joins(s, order) ? w->unit - 1 : 0);
    uint32_t d;
    switch (k) {
    case XG_SKEW_WINDOW: return xg_range_of(0, w->step - 1 + shift);
    case XG_SKEW_ELEMENT:
        for (d = 0; d < p->rank && s->t.parts > 1; d++)
            elements += (s->t.counts[d] * s->t.extent[d] - p->dims[d]) *
                        xg_skew_pitch(p, order, d); /* of boxes behind the end of a dimension */
        return xg_range_of(0, elements - 1 + w->step + shift);
    case XG_SKEW_PLACE: return xg_range_of(0, s->t.room - 1);
    case XG_SKEW_ROW: return xg_range_of(0, s->t.threads / w->lanes * w->phases - 1);
    case XG_SKEW_INDEX:
        return xg_range_of(0,
            w->dim < p->rank ? (s->t.counts[w->dim] - 1) * s->t.extent[w->dim] + s->t.threads / w->lanes * w->phases - 1
                             : 0);
    case XG_SKEW_FIRST: return xg_range_of(0, r.dim < p->rank ? (s->t.counts[r.dim] - 1) * w->run : 0);
    case XG_SKEW_RANK: return xg_range_of(0, s->t.parts - 1);
    default: return xg_range_of(0, w->unit - 1);
    }
}
enum {
    XG_SKEW_WHERE = 4
};
/* These[i, turn, j] -> which element of the array; which of its run; the place of the run's first one in shared memory;
 * the box's rank. i counts the runs, the others the places along one. */
XG_FN const xg_imap *xg_skew_map(xg_aff_ctx *x, const xg_permutation *p, const xg_box *s, uint32_t order,
    const xg_skew_span *span, int64_t elements) {
    const xg_skew_walk *w = &s->walk[order];
    const xg_aff *along = xg_aff_add_k(x,
                     xg_aff_mul(x, xg_aff_add_mul(x, xg_aff_sym(x, 2), xg_aff_sym(x, 1), span->along), w->step),
                     span->first * w->step - xg_skew_back(s, order)),
                 *results[XG_SKEW_WHERE], *row;
    xg_box_run r = xg_box_run_of(p, order, s->t.extent);
    uint32_t values = xg_skew_values(s, order), n = span->peers ? XG_SKEW_WHERE : XG_SKEW_WHERE - 1, k;
    xg_imap *m = xg_imap_new(x, values, 3, 0, n, 0);
    const xg_imap *out;
    int64_t step = s->t.threads / w->lanes * w->phases;
    for (k = 0; k < values; k++) m->dims[k].range = xg_skew_begin_range(p, s, order, elements, k);
    xg_imap_counts(&m->syms[0], "i", w->rounds);
    xg_imap_counts(&m->syms[1], "turn", span->turns);
    xg_imap_counts(&m->syms[2], "j", span->along);
    row = xg_aff_mul(x, xg_aff_sym(x, 0), step);
    results[0] = xg_aff_add(x, xg_aff_dim(x, XG_SKEW_ELEMENT), along);
    results[1] = xg_aff_add(x, xg_aff_dim(x, XG_SKEW_WINDOW), along);
    results[2] = xg_aff_dim(x, XG_SKEW_PLACE);
    results[3] = xg_aff_dim(x, XG_SKEW_RANK);
    for (k = 0; k < n; k++) m->results[k] = results[k];
    out = xg_imap_with_constraint(x, m, results[1], xg_range_of(0, w->run - 1 + (span->peers ? w->unit - 1 : 0)));
    if (span->peers)
        for (k = XG_SKEW_BEHIND; k <= XG_SKEW_MOST; k++)
            out = xg_imap_with_constraint(
                x, out, xg_aff_sub(x, results[1], xg_aff_dim(x, k)), xg_range_of(-w->unit, w->run - 1));
    if (r.dim < p->rank && xg_skew_is_cut(p, s, r.dim)) /* the last one is shorter */
        out = xg_imap_with_constraint(x, out, xg_aff_add(x, results[1], xg_aff_dim(x, XG_SKEW_FIRST)),
            xg_range_of(-w->unit, w->run / s->t.extent[r.dim] * p->dims[r.dim] - 1));
    if (w->dim < p->rank) {
        results[0] = xg_aff_add_mul(x, results[0], row, xg_skew_pitch(p, order, w->dim));
        results[2] = xg_aff_add_mul(x, results[2], row, s->t.stride[w->dim]);
        if (step * w->rounds > w->rows)
            out = xg_imap_with_constraint(
                x, out, xg_aff_add(x, xg_aff_dim(x, XG_SKEW_ROW), row), xg_range_of(0, w->rows - 1));
        if (xg_skew_is_cut(p, s, w->dim))
            out = xg_imap_with_constraint(
                x, out, xg_aff_add(x, xg_aff_dim(x, XG_SKEW_INDEX), row), xg_range_of(0, p->dims[w->dim] - 1));
    }
    return xg_imap_with_results(x, out, results, n);
}
XG_FN bool xg_skew_idles(const xg_box *s) { return s->lanes[0] + s->lanes[1] < 2 * s->group; }
/* What result k of it runs through. */
XG_FN xg_range xg_skew_range(const xg_box *s, uint32_t order, const xg_skew_span *span, int64_t elements, uint32_t k) {
    const xg_skew_walk *w = &s->walk[order];
    switch (k) {
    case 0: return xg_range_of(0, elements - 1);
    case 1: return xg_range_of(0, w->run - 1 + (span->peers ? w->unit - 1 : 0));
    case 2: return xg_range_of(0, s->t.room - 1);
    default: return xg_range_of(0, s->t.parts - 1);
    }
}
/* These -> the element's place in shared memory, and of what peers may have the rank of the box that does. Places of a
 * run's elements are those of a dimension without end, but for a jump wherever a dimension ends: a quotient for each of
 * these instead of two digits. */
XG_FN void xg_skew_place(xg_aff_ctx *x, const xg_permutation *p, const xg_box *s, uint32_t order,
    const xg_skew_span *span, const xg_aff **out) {
    const xg_aff *at = xg_aff_dim_1(x), *beyond;
    uint32_t inside = xg_skew_inside(p, order, s->t.extent), k;
    int64_t run = 1, next = 0; /* of a dimension: elements, and where its next one would lie */
    out[0] = xg_aff_dim(x, 2);
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        if (!(inside >> d & 1)) continue;
        out[0] = xg_aff_add_mul(x, out[0], xg_aff_div(x, at, run), s->t.stride[d] - next);
        run *= s->t.extent[d];
        next = s->t.stride[d] * s->t.extent[d];
    }
    if (!span->peers) return;
    beyond = xg_aff_div(x, at, run); /* all over again */
    out[0] = xg_aff_sub(x, out[0], xg_aff_mul(x, beyond, next));
    out[1] = xg_aff_mod(x, xg_aff_add(x, xg_aff_dim(x, 3), beyond), s->t.parts); /* the last one has nothing there */
}
#endif /* XG_EMIT_SKEW_C */
