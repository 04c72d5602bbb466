/* emit/reduction_column_plan.c -- the plan of column reductions (reduction_column.c emits it): what is kept lies side
 * by side; each thread takes `vector` neighbouring columns down its rows, and keeps as many partial results.
 *
 * One step of a block covers `depth` rows of `width` columns, thread th the elements th * vector ... of these depth *
 * width, in row-major order; the block goes down in steps of depth rows. Four ways to choose the two:
 *   serial   depth 1, and the threads of all blocks simply follow each other: there are enough columns. Nothing has to
 *            be combined.
 *   tile     8 to 32 vectors of columns, some rows of them; blocks stand side by side.
 *   linear   all columns, where these are few and their rows many: depth * width elements of memory in a row, whatever
 *            the number of columns is.
 *   shifted  a tile of rows that begin inside of sectors: each is entered at the whole sector before the tile's first
 *            column, and read in vectors through a window that is a sector wider than the tile. A step covers as many
 *            rows as bring all of them back to where they began in their sectors, so that a thread keeps its columns.
 *            What it reads beside the tile belongs to the row before or behind; it is reduced like the rest, and
 *            nothing asks for it.
 * Where that leaves most of the device idle, a tile is in the hands of a cluster of blocks, `parts`: a step of the
 * cluster is one of each of its blocks, one below the other. In the end shared[depth][width] is reduced in rounds of up
 * to 8 to 1, neighbouring threads at neighbouring columns, so free of bank conflicts; then each block of a cluster
 * combines what all of them have, for some of the columns. */
#ifndef XG_EMIT_REDUCTION_COLUMN_PLAN_C
#define XG_EMIT_REDUCTION_COLUMN_PLAN_C
#include "emit.h"
#include "reduction_walk.c"

enum {
    XG_COLUMN_SERIAL,
    XG_COLUMN_TILE,
    XG_COLUMN_LINEAR,
    XG_COLUMN_SHIFTED
};
enum {
    XG_COLUMN_SKEWED_LEAST = 1 << 10 /* elements of an array that is worth the trouble */,
    XG_COLUMN_REGISTERS = 32 /* of a thread, for indices and addresses */,
    XG_COLUMN_THREADS_MAX = 1024,
    XG_COLUMN_GROUP = 8,
    XG_COLUMN_SECOND = 8 /* as many steps, where multiprocessors have a second block */,
    XG_COLUMN_RADIX = 8,
    XG_COLUMN_LANES_MAX = 8,
    XG_COLUMN_RESULTS_MAX = 32 /* partial ones of a thread */,
    XG_COLUMN_SPREAD_BYTES = 128 << 10, /* of a block: they take much longer to read than all else that it does */
    XG_COLUMN_SECTORS_LEAST = 7,
    XG_COLUMN_SECTORS_MOST = 40 /* of a tile's row */
};

typedef struct xg_column_plan {
    /* active: threads with elements; tiles: blocks side by side over the columns */
    int64_t vector, depth, width, active, threads, blocks, tiles;
    int way;
    /* blocks of a tile, below each other: more than one are a cluster */
    int64_t parts;
    /* elements of a row that a block may read, and of a sector: wider than the tile, and known, where rows are entered
     * before it */
    int64_t window, unit;
} xg_column_plan;

/* Bytes of the partial results of one column. */
XG_FN int64_t xg_column_bytes(const xg_reduction *r) { return XG_MAX(xg_reduction_bytes(r), (int64_t)1); }

/* Threads of a block at most, so that each has registers for what it holds of its columns: partial results, what all
 * rows read, and what is on its way from memory. */
XG_FN int64_t xg_column_threads_most(const xg_reduction *r, int64_t vector) {
    int64_t bytes = xg_column_bytes(r), registers, threads = XG_COLUMN_THREADS_MAX;
    uint32_t k;
    for (k = 0; k < r->e->comp->n_params; k++) {
        const xg_shape *s = r->e->comp->params[k]->shape;
        if (xg_shape_is_array(s) && s->elements > 1)
            bytes += xg_type_bytes(s->type) * (s->elements > r->n_kept ? 2 : 1); /* the next ones, too */
    }
    registers = XG_COLUMN_REGISTERS + vector * bytes / 4;
    while (threads > XG_LAUNCH_THREADS && threads * registers > XG_REDUCTION_REGISTERS_SM) threads /= 2;
    return threads;
}
/* The most columns that a thread may take, by what it holds of each and what its block shares. */
XG_FN int64_t xg_column_most(const xg_reduction *r) {
    int64_t v = XG_MIN(xg_reduction_columns(r), (int64_t)XG_COLUMN_LANES_MAX);
    while (v > 1 && (v * (int64_t)r->n_values > XG_COLUMN_RESULTS_MAX ||
                        v * xg_column_bytes(r) * XG_LAUNCH_THREADS > XG_SHARED_TILE_BYTES))
        v /= 2;
    return v;
}
XG_FN bool xg_column_takes(const xg_reduction *r) {
    return xg_column_bytes(r) * XG_LAUNCH_THREADS <= XG_SHARED_TILE_BYTES;
}

/* The sizes of the reduced dims, minor first; those that follow each other in memory are as one, unless a pad tells
 * them apart. */
XG_FN uint32_t xg_column_runs(const xg_reduction *r, int64_t *sizes) {
    uint32_t n = 0, k, j = 0;
    bool open = false;
    for (k = 0; k < r->in->rank; k++) {
        uint32_t d = xg_shape_minor(r->in, k);
        bool reduced = j < r->reduced.n && r->reduced.dim[j] == d;
        j += reduced;
        if (r->in->dims[d] == 1) continue;
        if (reduced && open && !r->pad)
            sizes[n - 1] *= r->in->dims[d];
        else if (reduced)
            sizes[n++] = r->in->dims[d];
        open = reduced;
    }
    return n;
}
/* The depth of a step, `most` rows or up to a quarter less: one that nests in these sizes. Then whole steps fill the
 * columns, and a step changes other indices than a thread does: no quotient has to be computed anew in each. A multiple
 * of `unit`; `most` if there is none. */
XG_FN int64_t xg_column_depth(const xg_reduction *r, int64_t most, int64_t unit) {
    int64_t sizes[XG_RANK_MAX], depth;
    uint32_t n = xg_column_runs(r, sizes), k;
    for (depth = most; 4 * depth >= 3 * most; depth -= unit) {
        int64_t left = depth;
        for (k = 0; k < n && left % sizes[k] == 0; k++) left /= sizes[k];
        if (left == 1 || (k < n && sizes[k] % left == 0)) return depth;
    }
    return most;
}

/* Blocks of each of so many tiles: one of all for each multiprocessor, with some steps of so many rows, or up to two
 * of many steps. */
XG_FN int64_t xg_column_parts(const xg_reduction *r, int64_t tiles, int64_t depth) {
    int64_t parts = 1, sms = r->e->target->sms;
    while (!r->pad && 2 * parts <= r->e->target->cluster && parts * tiles <= sms &&
           r->n_reduced >= 2 * parts * depth * XG_COLUMN_GROUP * (2 * parts * tiles <= sms ? 1 : XG_COLUMN_SECOND))
        parts *= 2;
    return parts;
}

XG_FN bool xg_column_serial(const xg_reduction *r, xg_column_plan *p) {
    int64_t resident = r->e->target->resident_threads;
    for (p->vector = xg_column_most(r);
         r->minor % p->vector ||
         (p->vector > 1 && (r->n_kept / p->vector < resident / 2 || !xg_walk_fits(r, XG_WALK_COLUMN, p->vector)));
         p->vector /= 2) {}
    if (r->n_kept / p->vector < resident / 4 && r->n_reduced >= 32) return false;
    p->way = XG_COLUMN_SERIAL;
    p->parts = 1;
    p->depth = 1;
    p->threads = p->active = XG_LAUNCH_THREADS;
    p->width = p->threads * p->vector;
    p->tiles = p->blocks = (r->n_kept + p->width - 1) / p->width;
    return true;
}
/* sectors: only in steps of whole ones, most of which begin with one. */
XG_FN bool xg_column_linear(const xg_reduction *r, xg_column_plan *p, bool sectors) {
    int64_t outer = r->n_kept / r->minor, threads, multiple;
    if (sectors && outer > 1 && r->n_reduced * r->minor * r->bytes % (XG_SECTOR_BYTES / 2)) return false;
    p->vector = XG_MIN(xg_column_most(r), r->vector);
    while (p->vector > 1 && !xg_walk_fits(r, XG_WALK_LINEAR, p->vector)) p->vector /= 2;
    for (;; p->vector /= 2) {
        threads = XG_LAUNCH_THREADS;
        p->parts = xg_column_parts(r, outer, XG_MAX(threads * p->vector / r->minor, (int64_t)1));
        while (2 * threads <= xg_column_threads_most(r, p->vector) &&
               (threads * p->vector < 2 * r->minor ||
                   (outer * p->parts < r->e->target->resident_threads / threads &&
                       r->n_reduced * r->minor >= 16 * threads * p->vector * p->parts)) &&
               2 * threads * p->vector * xg_column_bytes(r) <= XG_SHARED_TILE_BYTES)
            threads *= 2;
        p->depth = XG_MIN(threads * p->vector / r->minor, r->n_reduced);
        for (multiple = XG_MAX(p->vector, 2 * r->vector);;
             multiple = p->vector) { /* whole sectors, if there are so many rows */
            int64_t rows = multiple / xg_gcd(multiple, r->minor);
            if (rows > p->depth && multiple > p->vector && !sectors) continue;
            multiple = rows;
            break;
        }
        p->depth = p->depth / multiple * multiple;
        if (p->depth) break;
        if (p->vector == 1) return false;
    }
    if (sectors && r->n_reduced * r->minor % p->vector && r->n_reduced < 8 * p->depth)
        return false; /* the end is read element by element */
    p->way = XG_COLUMN_LINEAR;
    p->depth = xg_column_depth(r, p->depth, multiple);
    p->width = p->window = r->minor;
    p->active = p->depth * p->width / p->vector;
    p->threads = xg_warps_whole(p->active);
    p->tiles = 1;
    p->blocks = outer;
    return true;
}
/* Bytes of an element, where its array is read as a whole or gathered. */
XG_APART XG_FN int64_t xg_column_element(const xg_reduction *r) { return XG_MIN(r->bytes, xg_reduction_width(r)); }
/* Tiles of whole sectors that keep no more than half of the multiprocessors busy with much to read. */
XG_FN bool xg_column_idles(const xg_reduction *r, int64_t across, int64_t vector) {
    int64_t width = across * vector, tiles = r->n_kept / r->minor * ((r->minor + width - 1) / width);
    tiles *= xg_column_parts(r, tiles, XG_LAUNCH_THREADS / across);
    return width * xg_column_element(r) > XG_SECTOR_BYTES && 2 * tiles <= r->e->target->sms &&
           2 * r->n_kept * r->n_reduced * xg_column_element(r) >= tiles * XG_COLUMN_SPREAD_BYTES;
}
XG_FN void xg_column_tile(const xg_reduction *r, xg_column_plan *p) {
    enum {
        ACROSS_LEAST = 8,    /* lanes: a sector of single f32, the least that memory gives */
        ACROSS_FEWEST = 2,   /* ... of vectors, which take the fewest instructions */
        BLOCK_THREADS = 2048 /* resident ones of the device for each block: with fewer blocks multiprocessors idle */
    };
    int64_t across = XG_WARP_LANES, resident = r->e->target->resident_threads;
    /* bytes of a tile's row: without clusters narrower tiles are what keeps the device busy */
    int64_t least = r->e->target->cluster > 1 ? XG_LINE_BYTES : XG_LINE_BYTES / 2;
    for (p->vector = XG_MIN(xg_column_most(r), r->vector);
         r->minor % p->vector || (p->vector > 1 && !xg_walk_fits(r, XG_WALK_COLUMN, p->vector)); p->vector /= 2) {}
    while (
        across > ACROSS_LEAST && across * p->vector * r->bytes > least &&
        r->n_kept / r->minor * ((r->minor + across * p->vector - 1) / (across * p->vector)) < resident / BLOCK_THREADS)
        across /= 2; /* a block each */
    while (xg_column_idles(r, across, p->vector)) {
        if (across > ACROSS_FEWEST || p->vector == 1)
            across /= 2;
        else
            p->vector /= 2;
    }
    p->way = XG_COLUMN_TILE;
    p->width = p->window = across * p->vector;
    p->tiles = (r->minor + p->width - 1) / p->width;
    p->blocks = r->n_kept / r->minor * p->tiles;
    p->parts = xg_column_parts(r, p->blocks, XG_LAUNCH_THREADS / across);
    for (p->threads = XG_LAUNCH_THREADS;
         2 * p->threads <= xg_column_threads_most(r, p->vector) && p->blocks * p->parts < resident / p->threads &&
         r->n_reduced * across >= 16 * p->threads * p->parts &&
         2 * p->threads * p->vector * xg_column_bytes(r) <= XG_SHARED_TILE_BYTES;
         p->threads *= 2) {}
    p->depth = xg_column_depth(r, p->threads / across, XG_WARP_LANES / across); /* whole warps */
    p->threads = p->active = p->depth * across;
}

/* ---- plans: rows that begin inside of sectors ---- */

/* The array that is read, in the order of memory, has the operand's elements in that order. */
XG_FN const xg_shape *xg_column_source(const xg_reduction *r) { return r->heroes[0].sources[0]->shape; }
XG_FN bool xg_column_is_flat(const xg_reduction *r) {
    xg_aff_ctx *x = r->e->m->aff;
    const xg_imap *m;
    if (!r->pad) return true;
    m = xg_indexing_flatten(x, xg_imap_compose(x, xg_indexing_delinear(x, r->in), r->pad), xg_column_source(r));
    return xg_imap_ok(m) && m->n_results == 1 && m->results[0] == xg_aff_dim_0(x);
}
/* (vector of memory)[lane] -> indices of what is read. */
XG_FN const xg_imap *xg_column_vector_map(const xg_reduction *r, int64_t vector, const xg_aff *lane) {
    xg_aff_ctx *x = r->e->m->aff;
    xg_imap *m = xg_imap_new(x, 1, lane ? 0 : 1, 0, 1, 0);
    m->dims[0].range = xg_range_of(0, (xg_column_source(r)->elements + vector - 1) / vector - 1);
    if (!lane) xg_imap_counts(&m->syms[0], "vector_index", vector);
    m->results[0] = xg_aff_add_dim(x, lane ? lane : xg_aff_sym(x, 0), 0, vector);
    return xg_imap_compose(x, xg_imap_simplify(x, m), xg_indexing_delinear(x, xg_column_source(r)));
}
XG_FN bool xg_column_reads_memory(const xg_reduction *r, int64_t vector) {
    const xg_imap *map = xg_column_vector_map(r, vector, NULL);
    uint32_t h, k;
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++)
            if (!xg_walk_reads_vectors(r, r->heroes[h].sources[k], map, vector)) return false;
    return true;
}
/* Another array is read, too, which has fewer elements than are reduced, though not one alone: element by element, by
 * each thread for the rows that it has. */
XG_FN bool xg_column_reads_others(const xg_reduction *r) {
    uint32_t k;
    for (k = 0; k < r->e->comp->n_params; k++) {
        const xg_shape *s = r->e->comp->params[k]->shape;
        if (xg_shape_is_array(s) && s->elements > 1 && s->elements < xg_column_source(r)->elements) return true;
    }
    return false;
}
/* So many tiles beside each other, or fewer; false where what a block shares does not fit. */
XG_APART XG_FN bool xg_column_shifted_by(const xg_reduction *r, xg_column_plan *p, int64_t tiles) {
    int64_t whole = p->unit / xg_gcd(p->unit, r->minor), across;
    p->width = tiles == 1 ? r->minor : ((r->minor + tiles - 1) / tiles + p->unit - 1) / p->unit * p->unit;
    p->tiles = (r->minor + p->width - 1) / p->width;
    p->window = (p->width + p->unit - 1 + p->vector - 1) / p->vector * p->vector;
    p->blocks = r->n_kept / r->minor * p->tiles;
    across = p->window / p->vector;
    for (p->depth = whole; p->depth * across < XG_LAUNCH_THREADS; p->depth *= 2) {}
    p->parts = xg_column_parts(r, p->blocks, p->depth);
    for (; 2 * p->depth * across <= xg_column_threads_most(r, p->vector) &&
           p->blocks * p->parts < r->e->target->resident_threads / (p->depth * across) &&
           r->n_reduced >= 16 * p->depth * p->parts &&
           2 * p->depth * p->window * xg_column_bytes(r) <= XG_SHARED_TILE_BYTES;
         p->depth *= 2) {}
    p->active = p->depth * across;
    p->threads = xg_warps_whole(p->active);
    return p->threads <= xg_column_threads_most(r, p->vector) &&
           p->depth * p->window * xg_column_bytes(r) <= XG_SHARED_TILE_BYTES &&
           r->n_reduced >= (xg_column_reads_others(r) ? 4 * p->vector : 2) * p->depth;
}
/* Tiles as wide as may be, if an eighth of the multiprocessors have one; narrower ones down to eight sectors. */
XG_APART XG_FN bool xg_column_shifted(const xg_reduction *r, xg_column_plan *p) {
    int64_t unit = XG_SECTOR_BYTES / r->bytes, outer = r->n_kept / r->minor,
            parts = xg_column_parts(r, outer, XG_COLUMN_GROUP),
            wanted = (r->e->target->sms / (8 * parts) + outer - 1) / outer, least, most, tiles;
    if (r->minor * r->bytes % XG_SECTOR_BYTES == 0 || r->minor < unit || xg_reduction_has_sides(r) ||
        !xg_reduction_is_stack(r) || !xg_column_is_flat(r))
        return false;
    p->way = XG_COLUMN_SHIFTED;
    p->unit = unit;
    for (p->vector = xg_column_most(r); p->vector > 1 && (unit % p->vector || !xg_column_reads_memory(r, p->vector));
         p->vector /= 2) {}
    least = (r->minor + XG_COLUMN_SECTORS_MOST * unit - 1) / (XG_COLUMN_SECTORS_MOST * unit);
    most = (r->minor + XG_COLUMN_SECTORS_LEAST * unit - 1) / (XG_COLUMN_SECTORS_LEAST * unit);
    for (tiles = XG_MAX(least, XG_MIN(wanted, r->minor / (XG_COLUMN_SECTORS_LEAST * unit))); tiles <= most; tiles++)
        if (xg_column_shifted_by(r, p, tiles)) return true;
    return false;
}
/* Tiles of some columns would keep twice as many blocks busy as all columns together, or wide tiles, which leave most
 * of the device idle while each block reads much; and have half as many vectors' elements on their way, at least. */
XG_FN bool xg_column_spreads(const xg_reduction *r, const xg_column_plan *wide) {
    int64_t blocks = wide->blocks * wide->parts;
    xg_column_plan tile = *wide;
    if (2 * blocks >= r->e->target->sms || r->minor * r->bytes % XG_SECTOR_BYTES ||
        r->n_kept * r->n_reduced * r->bytes < blocks * XG_COLUMN_SPREAD_BYTES)
        return false;
    xg_column_tile(r, &tile);
    tile.blocks *= tile.parts;
    return tile.blocks >= 2 * blocks && 2 * tile.blocks * tile.vector >= blocks * wide->vector;
}
XG_APART XG_FN void xg_column_choose(const xg_reduction *r, xg_column_plan *p) {
    enum {
        NARROW_LANES = 64 /* vectors of a row: tiles of a warp's width would leave too much of it */
    };
    bool narrow = r->minor < NARROW_LANES * r->vector;
    /* what a block would read at once: its threads are better off with columns of their own than with combining */
    bool brief = narrow && 4 * r->n_reduced * r->minor < 5 * XG_LAUNCH_THREADS * r->vector;
    if (!brief && r->minor * r->bytes % XG_SECTOR_BYTES && r->n_kept * r->n_reduced >= XG_COLUMN_SKEWED_LEAST) {
        if (narrow && xg_column_linear(r, p, true)) return;
        if (xg_column_shifted(r, p)) return;
    }
    if (xg_column_serial(r, p)) return;
    if (narrow && xg_column_linear(r, p, false) && !xg_column_spreads(r, p)) return;
    xg_column_tile(r, p);
}
XG_FN xg_column_plan xg_column_plan_of(const xg_reduction *r) {
    xg_column_plan p;
    memset(&p, 0, sizeof p);
    p.parts = 1;
    xg_column_choose(r, &p);
    p.blocks *= p.parts;
    return p;
}

/* ---- orders ---- */

/* Blocks of a cluster, and what a block shares. */
XG_FN const char *xg_column_suits(const xg_reduction *r, const xg_column_plan *p) {
    if (!xg_form_power(p->parts, 16) || (p->parts > 1 && (r->pad || p->parts > r->e->target->cluster)))
        return "parts must be a power of two, within the target's clusters";
    if (p->threads > xg_column_threads_most(r, p->vector)) return "threads have no registers for so many columns";
    if (p->depth > r->n_reduced || p->depth * p->window * xg_column_bytes(r) > XG_SHARED_TILE_BYTES)
        return "steps are too deep";
    return NULL;
}
/* What follows from the way, vector, depth, width and parts; NULL, or why they cannot be. */
XG_APART XG_FN const char *xg_column_complete(const xg_reduction *r, xg_column_plan *p) {
    int64_t outer = r->n_kept / r->minor, across;
    if (!xg_form_power(p->vector, xg_column_most(r))) return "vector must be a power of two that its registers hold";
    if (p->depth < 1 || p->width < 1 || p->depth > XG_COLUMN_THREADS_MAX * p->vector || p->width > INT32_MAX)
        return "depth and width must be those of a block";
    p->window = p->width;
    p->unit = 0;
    p->tiles = (r->minor + p->width - 1) / p->width;
    switch (p->way) {
    case XG_COLUMN_SERIAL:
        if (r->minor % p->vector || p->depth != 1 || p->parts != 1 || p->width != XG_LAUNCH_THREADS * p->vector)
            return "the width must be 128 vectors, which divide the columns";
        p->threads = p->active = XG_LAUNCH_THREADS;
        p->window = 0;
        p->tiles = p->blocks = (r->n_kept + p->width - 1) / p->width;
        return NULL;
    case XG_COLUMN_TILE:
        across = p->width / p->vector;
        if (r->minor % p->vector || p->width % p->vector || p->depth * across % XG_WARP_LANES)
            return "vectors must divide the columns and the width, and threads be whole warps";
        p->threads = p->active = p->depth * across;
        break;
    case XG_COLUMN_LINEAR:
        if (p->width != r->minor || p->depth * p->width % p->vector) return "vectors must divide steps of all columns";
        p->active = p->depth * p->width / p->vector;
        p->threads = xg_warps_whole(p->active);
        break;
    default:
        p->unit = XG_SECTOR_BYTES / r->bytes;
        if (r->minor < p->unit || xg_reduction_has_sides(r) || !xg_reduction_is_stack(r) || !xg_column_is_flat(r) ||
            p->unit % p->vector || (p->width != r->minor && p->width % p->unit) || p->width > r->minor ||
            p->depth % (p->unit / xg_gcd(p->unit, r->minor)) ||
            (p->vector > 1 && !xg_column_reads_memory(r, p->vector)))
            return "rows cannot be entered at sectors";
        p->window = (p->width + p->unit - 1 + p->vector - 1) / p->vector * p->vector;
        p->active = p->depth * (p->window / p->vector);
        p->threads = xg_warps_whole(p->active);
        break;
    }
    p->blocks = outer * p->tiles * p->parts;
    return xg_column_suits(r, p);
}

#endif /* XG_EMIT_REDUCTION_COLUMN_PLAN_C */
