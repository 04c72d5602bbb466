/* emit/box.c -- what a transpose does to memory, and tiles that serve both of its sides.
 *
 * A box is a tile of a few elements of each dimension, so chosen that it is made of whole sectors both in the operand
 * and in the result: from the minor dimension on, whole dimensions are taken until a run is long enough. So a dimension
 * of three channels is in the box as it is, with as many pixels as make the runs of the other side long. A block reads
 * its box in the operand's order into shared memory and writes it in the order of the result; on both ways each thread
 * moves neighbours, as a vector where memory allows it.
 *
 * In shared memory the box lies in one of the two orders, `pad` elements further apart wherever the outermost dimension
 * that the other order runs through first begins anew. Which order, which pad and how long the vectors are is found by
 * trying: for each the banks of all accesses are counted, and what meets no bank twice is taken if there is any; among
 * these, what costs the fewest instructions. Where no pad will do for narrow elements, each dimension gets a distance
 * that is solved for (xg_box_spread). Boxes whose sides are no powers of two are walked slab by slab (xg_box_slabs). */
#ifndef XG_EMIT_BOX_C
#define XG_EMIT_BOX_C
#include "emit.h"

/* Moves pieces of sectors, though each of them as it is. */
XG_FN bool xg_permutation_splits_sectors(const xg_permutation *p, int64_t bytes) {
    return !xg_permutation_moves_minor(p) && p->dims[p->rank - 1] * bytes % XG_SECTOR_BYTES;
}
XG_FN uint32_t xg_permutation_b(const xg_permutation *p) { return p->from[p->rank - 1]; }

/* A plain shape with these dims in memory order. */
XG_FN const xg_shape *xg_permutation_shape(
    xg_fusion_emission *e, const xg_permutation *p, bool result, const xg_shape *like) {
    xg_shape *s = XG_NEW(e->arena, xg_shape);
    int64_t *dims = XG_NEW_N(e->arena, int64_t, p->rank);
    uint32_t k;
    for (k = 0; k < p->rank; k++) dims[k] = p->dims[result ? p->from[k] : k];
    s->type = like->type;
    s->rank = p->rank;
    s->dims = dims;
    s->elements = like->elements;
    return s;
}

/* ---- boxes ---- */

enum {
    XG_BOX_WORTH = 1 << 14,
    XG_BOX_ELEMENTS = 4096,
    XG_BOX_GROWN = 12 << 10,
    XG_BOX_SHARED = XG_SHARED_STATIC_BYTES / 2, /* two blocks share a multiprocessor where it has no more */
    XG_BOX_PADS = 33,
    XG_BOX_STRIDE_TRIES = 128,    /* elements: a stride has met each bank's bytes by then */
    XG_BOX_TOUCHED_PERCENT = 105, /* of the sectors of a walk in the order of memory: what tails of slabs may add */
    XG_BOX_CONFLICT_COST = 512    /* of a conflict, over the passes of a walk: in the units of xg_box_cost */
};

/* A walk over a box whose runs begin inside of sectors (skew.c). In elements: a run, what begins with a sector, the
 * window. lanes: threads side by side along a run, step: elements that they take. The runs are `others` times `rows` of
 * dimension dim; a thread goes `rounds` times from run to run, in each of so many phases in which all runs begin at one
 * place in a sector, and `turns` times `along` times along each, where the latter become straight code. */
typedef struct xg_skew_walk {
    int64_t run, unit, window, lanes, step, own, along, turns, rows, others, phases, rounds;
    uint32_t dim;
} xg_skew_walk;
/* Boxes of whole sectors and skewed ones. */
typedef struct xg_box {
    int64_t waste;  /* see xg_box_waste */
    uint32_t order; /* of shared memory: 0 the operand's, 1 the result's */
    /* of each group of lanes, which shared memory serves in one pass, how many take part: in the operand's order, in
     * the result's */
    int64_t group, lanes[2];
    int64_t v[2];     /* elements that a thread moves at once */
    int64_t row, pad; /* every `row` elements `pad` are left free */
    bool spread;      /* instead the distances of dimensions are solved for (xg_box_spread) */
    /* a walk goes from slab to slab (xg_box_slabs); its vectors are such in shared memory, too: known of slabs */
    bool slabs[2], whole[2];
    bool meets;       /* banks are met twice: there was no other way */
    xg_shared_tile t; /* by p's dims */
    xg_skew_walk walk[2];
} xg_box;
/* What has to be moved: the sizes of the elements that lie in shared memory, each a bit; the least; the bytes of one of
 * each; the widest element moved by a vector; blocks of a cluster at most. */
typedef struct xg_box_ask {
    const xg_permutation *p;
    uint32_t sizes;
    int64_t least, bytes, widest, work, sms, cluster;
} xg_box_ask;

XG_ONE_COPY XG_FN uint32_t xg_box_dim(const xg_permutation *p, uint32_t order, uint32_t k) {
    return order ? p->from[k] : k;
}
XG_FN int64_t xg_box_power(int64_t n) {
    int64_t r = 1;
    while (r < n) r *= 2;
    return r;
}

/* At least `need` of n elements, a multiple of `step` unless it is all of them; what is left over at the end is
 * little. */
XG_FN int64_t xg_box_part(int64_t n, int64_t need, int64_t step) {
    if (n < 2 * need) return n;
    if (n % need && n < 8 * need) need = ((n + n / need - 1) / (n / need) + step - 1) / step * step;
    return XG_MIN(need, n);
}
/* Takes whole dimensions, from the minor one on, until `want` bytes are side by side (and end with a multiple of
 * `end`); of the last one as much as is needed. */
XG_FN void xg_box_cover(
    const xg_permutation *p, uint32_t order, int64_t bytes, int64_t want, int64_t end, int64_t *tile) {
    uint32_t k;
    for (k = p->rank; k-- > 0 && (bytes < want || bytes % end);) {
        uint32_t d = xg_box_dim(p, order, k);
        int64_t step = end / xg_gcd(bytes, end);
        tile[d] =
            XG_MAX(tile[d], xg_box_part(p->dims[d], xg_box_power(XG_MAX((want + bytes - 1) / bytes, step)), step));
        if (tile[d] < p->dims[d]) return;
        bytes *= p->dims[d];
    }
}
/* How the box lies in memory, in elements: what is side by side, how far apart such runs are, how long the last one is;
 * and the dimension where they end, or the rank. */
typedef struct xg_box_run {
    int64_t length, pitch, last;
    uint32_t dim;
} xg_box_run;
XG_FN xg_box_run xg_box_run_of(const xg_permutation *p, uint32_t order, const int64_t *tile) {
    xg_box_run r;
    uint32_t k;
    r.length = 1;
    for (k = p->rank; k-- > 0;) {
        r.dim = xg_box_dim(p, order, k);
        r.pitch = r.length * p->dims[r.dim];
        r.last = r.length * (p->dims[r.dim] % tile[r.dim]);
        r.length *= tile[r.dim];
        if (tile[r.dim] < p->dims[r.dim]) return r;
    }
    r.dim = p->rank;
    return r;
}
/* Sectors touched for a thousand that are needed, both ways together. */
XG_FN int64_t xg_box_waste(const xg_permutation *p, int64_t bytes, const int64_t *tile) {
    int64_t waste = 0;
    uint32_t o;
    for (o = 0; o < 2; o++) {
        xg_box_run r = xg_box_run_of(p, o, tile);
        int64_t whole = xg_gcd(r.length, r.pitch) * bytes, part = xg_gcd(whole, XG_SECTOR_BYTES),
                piece = XG_MIN(r.length * bytes,
                    XG_WARP_LANES * XG_MAX(xg_gcd(whole, XG_ACCESS_BYTES), bytes)); /* of one access */
        waste += (piece + XG_SECTOR_BYTES - part) * 1000 / piece;
    }
    return waste;
}
XG_FN int64_t xg_box_size(const xg_permutation *p, const int64_t *tile) {
    int64_t n = 1;
    uint32_t k;
    for (k = 0; k < p->rank; k++)
        if (!xg_mul64(n, tile[k], &n)) return INT64_MAX / 64;
    return XG_MIN(n, INT64_MAX / 64);
}
XG_FN int64_t xg_box_blocks(const xg_permutation *p, const int64_t *tile) {
    int64_t n = 1;
    uint32_t k;
    for (k = 0; k < p->rank; k++) n *= (p->dims[k] + tile[k] - 1) / tile[k];
    return n;
}
/* A longer part of n elements that leaves little over; the same if there is none. */
XG_FN int64_t xg_box_more(int64_t n, int64_t tile) {
    return n <= 3 * tile ? n : n % (2 * tile) == 0 || n >= 16 * tile ? 2 * tile : tile;
}
/* Makes the shorter of the two runs longer, else the other, as long as that leaves work for every multiprocessor. */
XG_FN void xg_box_grow(const xg_box_ask *a, int64_t *tile) {
    const xg_permutation *p = a->p;
    for (;;) {
        xg_box_run r[2];
        int64_t n = xg_box_size(p, tile), more = 0;
        uint32_t o, d = p->rank;
        for (o = 0; o < 2; o++) r[o] = xg_box_run_of(p, o, tile);
        for (o = 0; o < 2 && d == p->rank; o++) {
            uint32_t at = r[r[1].length < r[0].length ? 1 - o : o].dim;
            more = at < p->rank ? xg_box_more(p->dims[at], tile[at]) : 0;
            if (more && more > tile[at]) d = at;
        }
        if (d == p->rank) return;
        n = n / tile[d] * more;
        if (n > XG_BOX_ELEMENTS || n * a->bytes > XG_BOX_GROWN ||
            (n >= 8 * XG_LAUNCH_THREADS && xg_box_blocks(p, tile) < 4 * a->sms))
            return;
        tile[d] = more;
    }
}
XG_FN bool xg_box_settle(const xg_box_ask *a, xg_box *b) {
    b->t.rank = a->p->rank;
    b->t.threads = XG_LAUNCH_THREADS;
    b->waste = xg_box_waste(a->p, a->least, b->t.extent);
    return xg_shared_cut(&b->t, a->p->dims) && b->t.elements >= b->t.threads;
}
/* The tile; false when none of them is small enough. */
XG_FN bool xg_box_tile(const xg_box_ask *a, xg_box *b) {
    XG_TABLE const int64_t wants[] = {128, 256, 64, 32, 512};
    int64_t least = INT64_MAX, tile[XG_RANK_MAX];
    uint32_t i, k;
    for (i = 0; i < 2 * (sizeof wants / sizeof *wants); i++) {
        int64_t waste, n, end = i & 1 ? a->least : (int64_t)XG_SECTOR_BYTES;
        for (k = 0; k < a->p->rank; k++) tile[k] = 1;
        xg_box_cover(a->p, 0, a->least, wants[i / 2], end, tile);
        xg_box_cover(a->p, 1, a->least, wants[i / 2], end, tile);
        n = xg_box_size(a->p, tile);
        if (n > 4 * XG_BOX_ELEMENTS || n * a->bytes > XG_BOX_SHARED) continue;
        waste = xg_box_waste(a->p, a->least, tile);
        if (waste >= least) continue;
        least = waste;
        memcpy(b->t.extent, tile, sizeof tile);
    }
    if (least == INT64_MAX) return false;
    xg_box_grow(a, b->t.extent);
    for (k = a->p->rank; k-- > 0;)
        while (b->t.extent[k] < a->p->dims[k] && xg_box_size(a->p, b->t.extent) < XG_LAUNCH_THREADS)
            b->t.extent[k] = XG_MIN(2 * b->t.extent[k], a->p->dims[k]); /* an element for each thread */
    return xg_box_settle(a, b);
}
/* The tile that is given; false: it is none of this array, too small for a block, or too large for its memory. */
XG_FN bool xg_box_set(const xg_box_ask *a, xg_box *b, const int64_t *tile) {
    uint32_t k;
    for (k = 0; k < a->p->rank; k++) {
        if (tile[k] < 1 || tile[k] > a->p->dims[k]) return false;
        b->t.extent[k] = tile[k];
    }
    return xg_box_settle(a, b) && b->t.elements <= 4 * XG_BOX_ELEMENTS && b->t.elements * a->bytes <= XG_BOX_SHARED;
}

/* ---- vectors ---- */

/* Vectors of v elements in this order are neighbours in memory, at multiples of v, and all of the array or all behind
 * its end. */
XG_FN bool xg_box_may_move(const xg_box_ask *a, const xg_box *b, uint32_t order, int64_t v) {
    xg_box_run r = xg_box_run_of(a->p, order, b->t.extent);
    return r.length % v == 0 && r.pitch % v == 0 && r.last % v == 0 && v * a->widest <= XG_ACCESS_BYTES &&
           v * XG_LAUNCH_THREADS <= b->t.elements && (v == 1 || v * a->work <= 256);
}

/* ---- shared memory ---- */

XG_FN void xg_box_strides(const xg_permutation *p, const xg_box *b, uint32_t order, int64_t *stride) {
    int64_t n = 1;
    uint32_t k;
    for (k = p->rank; k-- > 0;) {
        stride[xg_box_dim(p, order, k)] = n;
        n *= b->t.extent[xg_box_dim(p, order, k)];
    }
}
/* Distances by which the other order meets no bank twice: 32 lanes in a row count their places in it with the digits of
 * its dimensions, so if a step in each is, in words and modulo 32, an odd number times what the digits before it count,
 * all are in banks of their own, wherever they carry. What is side by side in memory stays so. Each distance is the
 * least of this kind. The room that is taken; 0: there are none. */
XG_FN int64_t xg_box_spread(
    const xg_box_ask *a, const xg_box *b, uint32_t order, int64_t odd, int64_t v, int64_t *stride) {
    const xg_permutation *p = a->p;
    int64_t want[XG_RANK_MAX], unit[XG_RANK_MAX], lanes = 1, room = 1, next = 0;
    bool first = true;
    uint32_t k, tries;
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, 1 - order, k);
        if (b->t.extent[d] == 1) continue;
        unit[d] = first ? v : 1;
        want[d] = 4 * odd * lanes % 128;
        if (b->t.extent[d] % unit[d]) return 0;
        lanes = lanes * (b->t.extent[d] / unit[d]) % XG_WARP_LANES;
        first = false;
    }
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, order, k);
        stride[d] = XG_MAX(next, (int64_t)1);
        if (b->t.extent[d] == 1) continue;
        for (tries = 0; next && stride[d] * a->least * unit[d] % 128 != want[d]; stride[d]++)
            if (++tries > XG_BOX_STRIDE_TRIES) return 0;
        next = stride[d] * b->t.extent[d];
        room += stride[d] * (b->t.extent[d] - 1);
    }
    return room;
}
/* For each element of the box, in the order of a walk: its place in shared memory without gaps, and the rows in front
 * of it. */
typedef struct xg_box_place {
    int32_t at, rows;
} xg_box_place;
XG_FN void xg_box_places(
    const xg_permutation *p, const xg_box *b, uint32_t walk, const int64_t *stride, int64_t row, xg_box_place *out) {
    int64_t at[XG_RANK_MAX], place = 0, i;
    uint32_t k;
    memset(at, 0, sizeof at);
    for (i = 0; i < b->t.elements; i++) {
        out[i].at = (int32_t)place;
        out[i].rows = (int32_t)(place / row);
        for (k = p->rank; k-- > 0;) {
            uint32_t d = xg_box_dim(p, walk, k);
            place += stride[d];
            if (++at[d] < b->t.extent[d]) break;
            place -= stride[d] * b->t.extent[d];
            at[d] = 0;
        }
    }
}
/* A walk by slabs, which are all of a box but one element of dimension `along`: the longest that is no part of what is
 * side by side in memory. Threads find out once where they are in as many slabs as they have at a time, and in each
 * round go on by as many: so all indices of a round are those of the one before and a constant. In vectors: of a slab,
 * and of those for one element of `along` that are side by side in the walk; of a round; in turns of a thread;
 * rounds. */
typedef struct xg_box_slabs {
    int64_t slab, inner, step, turns, rounds;
    uint32_t along;
} xg_box_slabs;
XG_FN xg_box_slabs xg_box_slabs_of(const xg_permutation *p, const xg_box *b, uint32_t walk, int64_t v) {
    xg_box_run run = xg_box_run_of(p, walk, b->t.extent);
    xg_box_slabs s;
    uint32_t minor = p->rank - 1, k;
    int64_t inner = 1, most = 0;
    memset(&s, 0, sizeof s);
    while (minor && b->t.extent[xg_box_dim(p, walk, minor)] == 1) minor--;
    if (b->t.extent[xg_box_dim(p, walk, minor)] % v) return s;
    for (k = minor + 1; k-- > 0;) {
        uint32_t d = xg_box_dim(p, walk, k);
        if (k < minor && (inner >= run.length || inner * b->t.extent[d] == b->t.elements) && b->t.extent[d] > most) {
            most = b->t.extent[d];
            s.along = d;
            s.inner = inner / v;
        }
        inner *= b->t.extent[d];
    }
    if (most < 2) {
        s.slab = 0;
        return s;
    }
    s.slab = b->t.elements / v / most;
    s.step = s.slab * XG_MAX(XG_LAUNCH_THREADS / s.slab, (int64_t)1);
    s.turns = (s.step + XG_LAUNCH_THREADS - 1) / XG_LAUNCH_THREADS;
    s.rounds = (b->t.elements / v + s.step - 1) / s.step;
    return s;
}
typedef struct xg_box_trial {
    const xg_box_ask *a;
    const xg_box_place *places;
    const xg_box_slabs *slabs;
    const int64_t *stride;
    int64_t n, end, row, pad, group, least_lanes, bearable;
    bool spread;
} xg_box_trial;
XG_INLINE int64_t xg_box_at(const xg_box_trial *t, int64_t i) { return t->places[i].at + t->pad * t->places[i].rows; }

/* Every vector is one in shared memory, too: what is side by side there is a multiple of vectors, and so is every step
 * to elsewhere. */
XG_FN bool xg_box_is_vector(const xg_box_trial *t, const xg_box *b, uint32_t walk, int64_t v) {
    const xg_permutation *p = t->a->p;
    int64_t run = 1;
    bool joined = true;
    uint32_t k;
    for (k = p->rank; k-- > 0;) {
        uint32_t d = xg_box_dim(p, walk, k);
        int64_t stride = t->stride[d] + t->pad * (t->stride[d] / t->row);
        if (b->t.extent[d] == 1) continue;
        joined = joined && stride == run;
        if (joined)
            run *= b->t.extent[d];
        else if (stride % v)
            return false;
    }
    return run % v == 0;
}
/* The element of the walk with which lane vector `at` of all begins. */
XG_FN int64_t xg_box_lane(const xg_box_trial *t, int64_t at, int64_t step) {
    const xg_box_slabs *s = t->slabs;
    int64_t along, in;
    if (!s) return at * step;
    along = at / s->slab;
    in = at % s->slab;
    return (in / s->inner * (t->n / step / s->slab * s->inner) + along * s->inner + in % s->inner) * step;
}
/* An access of `wide` elements by each lane of a warp, element `off` of a vector of `step`, from vector `from` on; of
 * each `group` lanes n take part. How many of them want a bank that has to give another word in the same pass. */
XG_FN int64_t xg_box_access(const xg_box_trial *t, int64_t from, int64_t step, int64_t off, int64_t n, int64_t wide,
    int64_t size, int64_t most) {
    int64_t bytes = wide * size, pass = bytes > XG_BANK_BYTES ? XG_PASS_BYTES / bytes : (int64_t)XG_BANKS, met = 0,
            lane, w;
    int64_t banks[XG_BANKS];
    for (lane = 0; lane < XG_WARP_LANES && met <= most; lane++) {
        int64_t i = from + lane / t->group * n + lane % t->group, word;
        if (lane % pass == 0) memset(banks, 0xff, sizeof banks);
        if (lane % t->group >= n || i >= t->end) continue;
        word = xg_box_at(t, xg_box_lane(t, i, step) + off) * size / 4;
        for (w = 0; w < (bytes + 3) / 4; w++) {
            int64_t *bank = &banks[(word + w) % XG_BANKS];
            met += *bank >= 0 && *bank != word + w;
            *bank = word + w;
        }
    }
    return met;
}
/* Of all accesses; or any number that is more than `most`. */
XG_FN int64_t xg_box_conflicts(xg_box_trial *t, int64_t v, int64_t lanes, bool vector, int64_t most) {
    int64_t from, j, size, met = 0;
    t->end = t->n / v;
    t->slabs = NULL;
    for (size = 1; size <= 16; size *= 2) {
        if (!(t->a->sizes & (uint32_t)size)) continue;
        for (from = 0; from < t->end && met <= most; from += lanes * (XG_WARP_LANES / t->group)) {
            for (j = 0; j < (vector ? 1 : v) && met <= most; j++)
                met += xg_box_access(t, from, v, j, lanes, vector ? v : 1, size, most);
        }
    }
    return met;
}
/* The same by slabs. Rounds are alike, but for where in a word they begin: a few tell of all. */
XG_FN int64_t xg_box_slab_conflicts(xg_box_trial *t, const xg_box_slabs *s, int64_t v, bool vector, int64_t most) {
    int64_t round, from, j, size, met = 0, rounds = XG_MIN(s->rounds, (int64_t)4);
    t->slabs = s;
    for (size = 1; size <= 16; size *= 2) {
        if (!(t->a->sizes & (uint32_t)size)) continue;
        for (round = 0; round < rounds && met <= most; round++) {
            t->end = XG_MIN((round + 1) * s->step, t->n / v);
            for (from = round * s->step; from < t->end && met <= most; from += XG_WARP_LANES) {
                for (j = 0; j < (vector ? 1 : v) && met <= most; j++)
                    met += xg_box_access(t, from, v, j, t->group, vector ? v : 1, size, most);
            }
        }
    }
    return met * s->rounds / rounds;
}
/* What telling apart the indices of an element costs in units of a quarter instruction: remainders by what is no power
 * of two. Without the innermost `inside` elements. */
XG_FN int64_t xg_box_index_cost(const xg_permutation *p, const xg_box *b, uint32_t walk, int64_t inside) {
    int64_t cost = 0, n = 1;
    uint32_t k;
    for (k = p->rank; k-- > 0;) {
        n *= b->t.extent[xg_box_dim(p, walk, k)];
        if (n <= inside || b->t.extent[xg_box_dim(p, walk, k)] == 1) continue;
        cost += n / b->t.extent[xg_box_dim(p, walk, k)] & (n / b->t.extent[xg_box_dim(p, walk, k)] - 1) ? 20 : 8;
    }
    return cost;
}
/* Sectors that accesses of so many elements touch for a thousand that they need, when each begins at a multiple of
 * `from` elements of the walk. */
XG_FN int64_t xg_box_touched(const xg_box_trial *t, const xg_box *b, uint32_t walk, int64_t n, int64_t from) {
    xg_box_run run = xg_box_run_of(t->a->p, walk, b->t.extent);
    int64_t piece = XG_MIN(run.length, n) * t->a->least,
            part = xg_gcd(xg_gcd(xg_gcd(run.length, run.pitch), from) * t->a->least, XG_SECTOR_BYTES);
    return (piece + XG_SECTOR_BYTES - part) * 1000 / piece;
}
/* A thread's quarter instructions for 16 elements. */
XG_FN int64_t xg_box_cost(
    const xg_box_trial *t, const xg_box *b, uint32_t walk, uint32_t order, int64_t v, int64_t lanes, bool vector) {
    const xg_permutation *p = t->a->p;
    xg_box_run run = xg_box_run_of(p, walk, b->t.extent);
    int64_t vectors = 16 / v, minor = 1,
            cost = vectors * (8 + xg_box_index_cost(p, b, walk, run.length)) + (vector ? vectors : 16) * 8;
    uint32_t k;
    for (k = p->rank; k-- > 0 && minor == 1;) minor = b->t.extent[xg_box_dim(p, walk, k)];
    if (walk == order && !t->spread)
        cost += t->pad ? vectors * (t->row & (t->row - 1) ? 20 : 8) : 0;
    else
        cost += (minor % v ? 16 : vectors) * xg_box_index_cost(p, b, walk, 1);
    XG_ESTIMATED(cost);
    return cost * t->group / lanes *
           xg_box_touched(t, b, walk, lanes * (XG_WARP_LANES / t->group) * v, lanes * (XG_WARP_LANES / t->group) * v) /
           1000;
}
/* The same by slabs: indices are told apart once for all rounds. It may touch no more sectors than a walk that takes
 * all elements in their order. */
XG_FN int64_t xg_box_slab_cost(
    const xg_box_trial *t, const xg_box *b, uint32_t walk, const xg_box_slabs *s, int64_t v, bool vector) {
    int64_t vectors = 16 / v, n = XG_WARP_LANES * v,
            touched = xg_box_touched(t, b, walk, XG_MIN(n, s->slab * v), xg_gcd(n, s->inner * v));
    int64_t cost = vectors * 8 + (vector ? vectors : 16) * 4 +
                   vectors * 2 * (8 + xg_box_index_cost(t->a->p, b, walk, 1)) / s->rounds;
    XG_ESTIMATED(cost);
    XG_ESTIMATED(touched);
    if (touched * 100 > xg_box_touched(t, b, walk, n, n) * XG_BOX_TOUCHED_PERCENT) return INT64_MAX;
    return cost * s->turns * XG_LAUNCH_THREADS / s->step * touched / 1000;
}
/* The best way to walk over shared memory that lies like this, if it costs less than `limit`; 0: there is none. Lanes
 * may stay idle where what is left of them moves whole sectors still. */
typedef struct xg_box_way {
    int64_t v, lanes;
    bool slabs, whole;
} xg_box_way;
XG_APART XG_FN int64_t xg_box_walk(
    xg_box_trial *t, const xg_box *b, uint32_t walk, uint32_t order, int64_t most, int64_t limit, xg_box_way *way) {
    int64_t best = 0, w, n, met;
    for (w = most; w; w /= 2) {
        xg_box_slabs s = xg_box_slabs_of(t->a->p, b, walk, w);
        int vector = w == 1 ? 0 : -1; /* not yet known */
        for (n = t->group; n >= t->least_lanes; n--) {
            int64_t cost;
            if (n * (XG_WARP_LANES / t->group) * w * t->a->least % XG_SECTOR_BYTES ||
                xg_box_cost(t, b, walk, order, w, n, true) >= limit)
                continue;
            if (vector < 0) vector = xg_box_is_vector(t, b, walk, w);
            cost = xg_box_cost(t, b, walk, order, w, n, vector != 0);
            if (cost >= limit) continue;
            met = xg_box_conflicts(t, w, n, vector != 0, t->bearable);
            cost += met * XG_BOX_CONFLICT_COST / t->n;
            if (met > t->bearable || cost >= limit) continue;
            best = limit = cost;
            way->v = w;
            way->lanes = n;
            way->slabs = way->whole = false;
            break;
        }
        if (s.slab && xg_box_slab_cost(t, b, walk, &s, w, true) < limit) {
            int64_t cost;
            if (vector < 0) vector = xg_box_is_vector(t, b, walk, w);
            cost = xg_box_slab_cost(t, b, walk, &s, w, vector != 0);
            if (cost >= limit) continue;
            met = xg_box_slab_conflicts(t, &s, w, vector != 0, t->bearable);
            cost += met * XG_BOX_CONFLICT_COST / t->n;
            if (met > t->bearable || cost >= limit) continue;
            best = limit = cost;
            way->v = w;
            way->lanes = t->group;
            way->slabs = true;
            way->whole = vector != 0;
        }
    }
    return best;
}
/* Where the order that shared memory has not got leaves it first: the elements inside of that dimension. */
XG_FN int64_t xg_box_row(const xg_permutation *p, const xg_box *b, uint32_t order) {
    uint32_t other = p->rank, mine = p->rank;
    int64_t row = 1;
    for (;;) { /* the minor dimensions that both have in common stay together */
        uint32_t x, y;
        while (other && b->t.extent[xg_box_dim(p, 1 - order, other - 1)] == 1) other--;
        while (mine && b->t.extent[xg_box_dim(p, order, mine - 1)] == 1) mine--;
        if (!other || !mine) return row;
        x = xg_box_dim(p, 1 - order, other - 1);
        y = xg_box_dim(p, order, mine - 1);
        if (x != y) break;
        row *= b->t.extent[x];
        other--;
        mine--;
    }
    while (xg_box_dim(p, order, mine - 1) != xg_box_dim(p, 1 - order, other - 1))
        row *= b->t.extent[xg_box_dim(p, order, --mine)];
    return row;
}
/* What a trial makes of both walks: if that is better than anything before it becomes the box's. */
XG_FN bool xg_box_take(
    xg_box_trial *t, xg_box *b, uint32_t order, xg_box_place *const *places, const int64_t *most, int64_t *best) {
    xg_box_way way[2];
    int64_t cost = 0, one = 1;
    uint32_t k, o;
    for (k = 0; k < 2 && one; k++) { /* first the order that solved distances say nothing of */
        o = k ? 1 - order : order;
        if (t->spread) xg_box_places(t->a->p, b, o, t->stride, t->row, places[o]);
        t->places = places[o];
        one = xg_box_walk(t, b, o, order, most[o], *best - cost, &way[o]);
        cost += one;
    }
    if (!one) return false;
    *best = cost;
    b->order = order;
    b->row = t->row;
    b->pad = t->pad;
    b->spread = t->spread;
    for (o = 0; o < 2; o++) {
        b->v[o] = way[o].v;
        b->lanes[o] = way[o].lanes;
        b->slabs[o] = way[o].slabs;
        b->whole[o] = way[o].whole;
    }
    return true;
}
XG_FN bool xg_box_is_best(const xg_box *b, const int64_t *most) {
    return b->v[0] == most[0] && b->v[1] == most[1] && b->lanes[0] + b->lanes[1] == 2 * b->group;
}
/* One order of shared memory, with all pads. */
XG_FN void xg_box_try(const xg_box_ask *a, xg_box *b, uint32_t order, xg_box_place *const *places, const int64_t *most,
    bool idle, bool bear, int64_t *best) {
    int64_t step = XG_MAX(4 / a->least, (int64_t)1) /* a word */, stride[XG_RANK_MAX];
    xg_box_trial t;
    uint32_t o;
    memset(&t, 0, sizeof t);
    t.a = a;
    t.n = b->t.elements;
    t.group = b->group;
    t.least_lanes = idle ? t.group / 2 : t.group;
    t.bearable = bear ? b->t.elements : 0;
    t.row = xg_box_row(a->p, b, order);
    xg_box_strides(a->p, b, order, stride);
    t.stride = stride;
    for (o = 0; o < 2; o++) xg_box_places(a->p, b, o, stride, t.row, places[o]);
    for (t.pad = 0; t.pad < XG_BOX_PADS * step && !(bear && t.pad); t.pad += t.pad < 2 * step ? 1 : step) {
        int64_t room = b->t.elements + t.pad * ((b->t.elements + t.row - 1) / t.row);
        if (room * a->bytes > 2 * XG_BOX_SHARED) return;
        if (!xg_box_take(&t, b, order, places, most, best)) continue;
        b->t.room = room;
        if (xg_box_is_best(b, most)) return;
    }
}
/* The same with distances that are solved for. */
XG_FN void xg_box_try_spread(
    const xg_box_ask *a, xg_box *b, uint32_t order, xg_box_place *const *places, const int64_t *most, int64_t *best) {
    int64_t odd, v, room, stride[XG_RANK_MAX];
    xg_box_trial t;
    memset(&t, 0, sizeof t);
    t.a = a;
    t.n = b->t.elements;
    t.group = t.least_lanes = b->group;
    t.row = b->t.elements;
    t.stride = stride;
    t.spread = true;
    for (v = most[1 - order]; v; v /= 2)
        for (odd = 1; odd < 16; odd += 2) {
            room = xg_box_spread(a, b, order, odd, v, stride);
            if (!room || room * a->bytes > 2 * XG_BOX_SHARED) continue;
            if (!xg_box_take(&t, b, order, places, most, best)) continue;
            b->t.room = room;
            memcpy(b->t.stride, stride, sizeof stride);
            return; /* others that are solved for cost as much */
        }
}
/* Shared memory. */
XG_FN void xg_box_layout(xg_arena *arena, const xg_box_ask *a, xg_box *b) {
    xg_box_place *places[2];
    int64_t most[2], best = INT64_MAX;
    uint32_t o;
    b->group = a->sizes >= 16 ? 8 : a->sizes >= 8 ? 16 : 32;
    for (o = 0; o < 2; o++) {
        places[o] = XG_NEW_N(arena, xg_box_place, b->t.elements);
        for (most[o] = XG_ACCESS_BYTES; most[o] > 1 && !xg_box_may_move(a, b, o, most[o]);) most[o] /= 2;
    }
    for (o = 0; o < 2; o++) xg_box_try(a, b, o, places, most, false, false, &best);
    if (a->least < 4 && !(a->sizes & (a->sizes - 1)) &&
        (best == INT64_MAX || !xg_box_is_best(b, most) || most[0] + most[1] == 2))
        for (o = 0; o < 2; o++) xg_box_try_spread(a, b, o, places, most, &best);
    if (best == INT64_MAX || (b->v[0] == 1 && most[0] > 1) || (b->v[1] == 1 && most[1] > 1))
        for (o = 0; o < 2; o++) xg_box_try(a, b, o, places, most, true, false, &best);
    b->meets = best == INT64_MAX;
    for (o = 0; o < 2 && best == INT64_MAX; o++) xg_box_try(a, b, o, places, most, false, true, &best);
    if (b->spread) return;
    xg_box_strides(a->p, b, b->order, b->t.stride);
    for (o = 0; o < b->t.rank; o++) b->t.stride[o] += b->pad * (b->t.stride[o] / b->row);
}
#endif /* XG_EMIT_BOX_C */
