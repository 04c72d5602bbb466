/* emit/rows_plan.c -- row programs: how many lanes, rows and passes, and what lies in shared memory. emit/rows.c writes
 * the code.
 *
 * - A row is in the hands of so many lanes that each holds its elements in registers, if it is not too long for that.
 *   Else they are kept in shared memory, as much as a block may have, each lane's in places of its own. What is too
 *   long for that, too, is read again in each stage.
 * - What is too long for one block, or for two beside each other on a multiprocessor, or would leave most of the device
 *   idle, is in the hands of a cluster of blocks, `parts`, where the target has such: each keeps its part of the row.
 * - Rows that begin inside of sectors, but are long: the body of each is as many vectors, from its first whole sector
 *   on; `edges`, what lies before and behind, as many elements in each row, one a lane.
 * - Vectors that all rows read (scale, offset, a mask) a block reads once, into shared memory, and then goes over
 *   several groups of rows: blocks are one wave of the device, each with as many warps as need their registers, so that
 *   memory has enough to do although blocks are few. Rule: that begins with two rows for each multiprocessor. Of fewer,
 *   each has a block to itself, which reads the vectors itself, from the second cache: two rows a block would leave
 *   multiprocessors idle, and their share of the bandwidth of memory with them, to spare what memory is not asked for.
 * - Rows that begin inside of a sector: the rows of a block are one run of memory, which is read into shared memory,
 *   and written from there, side by side: no sector is touched by two blocks, or twice. What is kept there is what does
 *   not depend on reductions (`values`), and the results, where they can over a value: a lane reads its own elements
 *   only.
 *     Short rows:  lanes is the largest power of two in the length; each takes neighbours, an odd number of them, so
 *                  that lanes are in banks of their own.
 *     Others:      a warp, or more, side by side in the row. */
#ifndef XG_EMIT_ROWS_PLAN_C
#define XG_EMIT_ROWS_PLAN_C
#include "emit.h"
#include "reduction_walk.c"

enum {
    XG_ROWS_HELD_BYTES = 128 /* of a row, in the registers of one lane */,
    XG_ROWS_HELD_WORK = 800 /* on them, as straight code */,
    XG_ROWS_LOOP_TRIPS = 33 /* too many to become straight code */,
    XG_ROWS_GROUP = 4,
    XG_ROWS_VECTORS_BLOCK = 512,
    XG_ROWS_VECTOR_LEAST = 128 /* bytes that are worth it */,
    XG_ROWS_VECTOR_ROWS = 16
};
enum {
    XG_ROWS_PASSES_BYTES = 256 /* of all passes, in the registers of one lane */,
    XG_ROWS_UNIT_LEAST = 16 /* sectors of rows whose edges are few */
};
enum {
    XG_ROWS_PART_VECTORS = 1024 /* of a row, that are worth a block of their own */
};
enum {
    XG_ROWS_TILE_BYTES = 46 << 10,
    XG_ROWS_TILE_VALUES = 4,
    XG_ROWS_TILE_ELEMENTS = 1 << 14 /* of arrays that are worth it */,
    XG_ROWS_TILE_FEW = 12 /* elements of a lane while there are other lanes */
};

/* Rows of a block as one run of memory. */
typedef struct xg_rows_tile {
    int64_t vector; /* elements that a thread moves at once; 0: there is no tile */
    uint32_t n, n_made;
    /* one array in shared memory for each, then one for each result that has elements for the columns */
    const xg_inst *values[XG_ROWS_TILE_VALUES];
    const xg_inst *made[XG_ROWS_TILE_VALUES]; /* conversions of values: what lies there is the narrow one */
    uint32_t *over;                           /* by root: the value that its array was before, or UINT32_MAX */
    xg_kval **arrays;
} xg_rows_tile;

struct xg_rows {
    xg_row_form form;
    int64_t lanes, per_block;
    int64_t parts;   /* blocks of a row: more than one are a cluster, and per_block is 1 */
    xg_reduction r;  /* the heroes of one stage at a time, thread, block, scope */
    xg_hero *heroes; /* all, by stage */
    int64_t vector;
    /* elements of a sector, where the body of a row begins at one; 0: rows begin at sectors, or anywhere */
    int64_t unit;
    int64_t vectors, edges; /* of the body of a row; elements of a row beside it */
    int64_t groups, passes; /* of per_block rows each; how many of them a block goes over */
    bool held;              /* a lane's elements stay in registers, */
    int64_t held_bytes;     /* an element in so many bytes of them, */
    /* or in so many places of shared memory for each row: those of the body, then those of the edges; 0: they do not */
    int64_t kept;
    int64_t kept_bytes;
    int64_t work;  /* of an element, by xg_rows_work, once it is asked of many shapes */
    bool is_given; /* what lies in the tile's arrays was put there by what stands in front (xg_rows_behind) */
    uint32_t now;  /* the stage whose code is written */
    bool *shares;  /* by parameter: a vector that all rows read, in shared memory */
    uint32_t n_shared;
    int64_t shared_bytes;
    xg_rows_tile tile;
};

/* ---- what is there ---- */

XG_FN bool xg_rows_form(xg_rows *w, const xg_fusion_emission *e) {
    memset(w, 0, sizeof *w);
    w->r.e = (xg_fusion_emission *)e;
    return xg_fuse_row_form(&w->form, e->arena, e->m->aff, e->parts->insts, e->parts->n_insts, e->roots, e->n_roots);
}

/* A large array that is no array of rows: one of which they are a piece, say, or that is padded. */
XG_FN bool xg_rows_is_odd(const xg_rows *w, const xg_inst *param) {
    return xg_shape_is_array(param->shape) && param->shape->elements > XG_MAX(w->form.rows, w->form.cols) &&
           param->shape->elements != w->form.rows * w->form.cols;
}
/* The widest access, in elements, that is one for all arrays of rows; *held: bytes of registers that one element of
 * each operand takes; *unit: elements after which all of them are at a sector again. */
XG_FN int64_t xg_rows_vector(const xg_rows *w, int64_t *held, int64_t *unit) {
    const xg_fusion_emission *e = w->r.e;
    int64_t most = 1;
    uint32_t k;
    *held = 0;
    *unit = 1;
    for (k = 0; k < e->comp->n_params + e->n_roots; k++) {
        const xg_shape *s = k < e->comp->n_params ? e->comp->params[k]->shape : e->roots[k - e->comp->n_params]->shape;
        int64_t bytes = (int64_t)xg_type_bytes(s->type);
        if (k < e->comp->n_params && xg_rows_is_odd(w, e->comp->params[k])) most = XG_MAX(most, bytes);
        if (s->elements != w->form.rows * w->form.cols) continue;
        most = XG_MAX(most, bytes);
        *unit = XG_MAX(*unit, XG_SECTOR_BYTES / bytes);
        if (k < e->comp->n_params) *held += XG_MAX(bytes, (int64_t)4);
    }
    *held = XG_MAX(*held, (int64_t)4);
    return XG_MAX(XG_ACCESS_BYTES / most, (int64_t)1);
}
/* Whether odd arrays are read in vectors: their elements have to lie so, and elements that are there under conditions
 * of their own do not. */
XG_FN bool xg_rows_whole_vectors(xg_rows *w, const xg_indexing_group *g, const xg_inst *param, int64_t vector) {
    const xg_aff *sym = xg_aff_sym(w->form.x, 0);
    xg_imaps maps = xg_indexing_group_maps(g, param, 0);
    uint32_t j, k;
    for (j = 0; j < maps.n; j++)
        for (k = 0; k < maps.p[j]->n_constraints; k++)
            if (xg_aff_uses(maps.p[j]->constraints[k].expr, sym) ||
                xg_aff_uses(maps.p[j]->constraints[k].expr, xg_aff_dim_1(w->form.x)))
                return false;
    return xg_walk_has_vectors(w->form.x, g, param, vector);
}
XG_FN bool xg_rows_reads_vectors(xg_rows *w, int64_t vector) {
    xg_aff_ctx *x = w->form.x;
    xg_imap *m = xg_imap_new(x, 2, 1, 0, 2, 0);
    const xg_imap *walk;
    uint32_t k, j, p;
    m->dims[0].range = xg_range_of(0, w->form.rows - 1);
    m->dims[1].range = xg_range_of(0, w->form.cols / vector - 1);
    m->syms[0].range = xg_range_of(0, vector - 1);
    m->results[0] = xg_aff_dim_0(x);
    m->results[1] = xg_aff_add_dim(x, xg_aff_sym(x, 0), 1, vector);
    walk = xg_imap_simplify(x, m);
    for (k = 0; k < w->form.n; k++)
        for (j = 0; w->form.stage[k] && w->form.maps[k] && j < w->form.insts[k]->n_operands; j++) {
            const xg_inst *i = w->form.insts[k], *o = XG_OPERAND(i, j);
            const xg_imap *at = i->op == XG_REDUCE ? xg_row_map(&w->form, o->shape)
                                                   : xg_imap_compose(x, w->form.maps[k], xg_indexing_operand(x, i, j));
            xg_indexing_group *g;
            if (xg_row_stage(&w->form, o) || o->shape->rank == 0) continue;
            g = xg_indexing_group_back(x, o, xg_imap_compose(x, walk, at));
            for (p = 0; p < w->r.e->comp->n_params; p++)
                if (xg_rows_is_odd(w, w->r.e->comp->params[p]) &&
                    !xg_rows_whole_vectors(w, g, w->r.e->comp->params[p], vector))
                    return false;
        }
    return true;
}
/* May a result be written over an operand? Then rows of other blocks must not be read, not even for nothing. A tile
 * reads of arrays of rows what is its own. */
XG_FN bool xg_rows_writes_operand(const xg_rows *w) {
    const xg_fusion_emission *e = w->r.e;
    xg_ints *over = XG_NEW_N(e->arena, xg_ints, e->n_roots + (size_t)1);
    uint32_t k, j;
    xg_fuse_over(e->arena, e->fusion, false, over);
    for (k = 0; k < e->n_roots; k++)
        for (j = 0; j < e->fusion->n_operands; j++) {
            if (w->tile.vector && e->comp->params[j]->shape->elements == w->form.rows * w->form.cols) continue;
            if (xg_ints_at(over[k], j, NULL)) return true;
        }
    return false;
}
/* What a value that depends on no reduction reads of a parameter for (row, column): an element that the row has nothing
 * to do with? */
XG_FN bool xg_rows_ignores_row(xg_rows *w, const xg_inst *i, const xg_imap *at, const xg_inst *param) {
    xg_imaps maps = xg_indexing_group_maps(xg_indexing_group_back(w->form.x, i, at), param, 0);
    uint32_t k, j;
    for (k = 0; k < maps.n; k++) {
        if (maps.p[k]->state == XG_IMAP_EMPTY) continue;
        if (!xg_imap_ok(maps.p[k])) return false;
        for (j = 0; j < maps.p[k]->n_results; j++)
            if (xg_aff_uses(maps.p[k]->results[j], xg_aff_dim_0(w->form.x))) return false;
    }
    return true;
}
XG_FN bool xg_rows_is_vector(xg_rows *w, const xg_inst *param) {
    uint32_t k, j;
    for (k = 0; k < w->form.n; k++)
        for (j = 0; w->form.stage[k] && w->form.maps[k] && j < w->form.insts[k]->n_operands; j++) {
            const xg_inst *i = w->form.insts[k], *o = XG_OPERAND(i, j);
            const xg_imap *at = i->op == XG_REDUCE
                                    ? xg_row_map(&w->form, o->shape)
                                    : xg_imap_compose(w->form.x, w->form.maps[k], xg_indexing_operand(w->form.x, i, j));
            if (xg_row_stage(&w->form, o) || o->shape->rank == 0) continue;
            if (!xg_rows_ignores_row(w, o, at, param)) return false;
        }
    return true;
}
/* Those that rows have in common, as many as there is room for; the answer is whether there are any. */
XG_FN bool xg_rows_find_vectors(xg_rows *w, int64_t room) {
    const xg_fusion_emission *e = w->r.e;
    bool any = false;
    uint32_t k;
    w->shares = XG_NEW_N(e->arena, bool, e->comp->n_params + (size_t)1);
    w->n_shared = 0;
    w->shared_bytes = 0;
    for (k = 0; k < e->comp->n_params; k++) {
        const xg_inst *p = e->comp->params[k];
        int64_t bytes = p->shape->elements * (int64_t)xg_type_bytes(p->shape->type);
        if (p->shape->elements != w->form.cols || bytes < XG_ROWS_VECTOR_LEAST ||
            xg_type_class(p->shape->type) == XGT_C || !xg_rows_is_vector(w, p))
            continue;
        any = true;
        if (w->form.rows < XG_ROWS_VECTOR_ROWS || bytes > room - w->shared_bytes) continue;
        w->shares[k] = true;
        w->n_shared++;
        w->shared_bytes += xg_shared_whole(bytes);
    }
    return any;
}
/* Operations on one element of the row, roughly. */
XG_FN int64_t xg_rows_work(const xg_rows *w) {
    int64_t n = 0;
    uint32_t k;
    for (k = 0; k < w->form.n; k++)
        if (!w->form.stage[k] || xg_row_is_wide(&w->form, k) || w->form.insts[k]->op == XG_REDUCE) {
            xg_opcode op = w->form.insts[k]->op;
            n += op == XG_REDUCE                                  ? 1
                 : !(xg_op_flags(op) & XGF_EW)                    ? 0
                 : (xg_op_flags(op) & XGF_ACC) || op == XG_DIVIDE ? 20
                                                                  : 1;
        }
    return n;
}
XG_FN int64_t xg_rows_wave(const xg_rows *w) { return w->r.e->target->sms; }

/* ---- the plan of a tile ---- */

XG_FN bool xg_rows_root_is_wide(const xg_rows *w, uint32_t k) {
    return w->r.e->roots[k]->shape->elements != w->form.rows;
}
XG_FN bool xg_rows_tile_type(xlagpu_type t) {
    return xg_type_class(t) != XGT_C && (t == XLAGPU_PRED || xg_type_bits(t) >= 8);
}
XG_FN bool xg_rows_tile_list(const xg_inst **list, uint32_t *n, const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < *n && list[k] != i; k++) {}
    if (k == XG_ROWS_TILE_VALUES) return false;
    list[k] = i;
    *n = XG_MAX(*n, k + 1);
    return true;
}
/* One more value for the tile: it has to be needed where it is, and nowhere else. */
XG_FN bool xg_rows_tile_add(xg_rows *w, const xg_inst *i, const xg_imap *at) {
    const xg_inst *from = i->op == XG_CONVERT ? XG_OPERAND(i, 0) : NULL;
    if (!at || !xg_imap_equal(at, xg_row_map(&w->form, i->shape))) return false;
    if (from && from->op == XG_PARAMETER && xg_type_bits(from->shape->type) < xg_type_bits(i->shape->type) &&
        xg_imap_equal(at, xg_row_map(&w->form, from->shape))) {
        if (!xg_rows_tile_list(w->tile.made, &w->tile.n_made, i)) return false;
        i = from;
    }
    return xg_rows_tile_type(i->shape->type) && xg_rows_tile_list(w->tile.values, &w->tile.n, i);
}
/* What depends on no reduction, but on a large array (or on `from`, where that is given), and is read by something that
 * does depend on one; by more than the first reductions, if those read memory themselves. */
XG_FN bool xg_rows_find_tile(xg_rows *w, bool later, const xg_inst *from) {
    const xg_row_form *f = &w->form;
    bool *large = XG_NEW_N(w->r.e->arena, bool, f->n + (size_t)1);
    uint32_t k, j;
    w->tile.n = w->tile.n_made = 0;
    for (k = 0; k < f->n; k++) {
        const xg_inst *i = f->insts[k];
        large[k] = from ? i == from
                        : i->op == XG_PARAMETER && (i->shape->elements > XG_MAX(f->rows, f->cols) ||
                                                       i->shape->elements == f->rows * f->cols);
        for (j = 0; j < i->n_operands; j++) large[k] = large[k] || large[xg_row_place(f, XG_OPERAND(i, j))];
    }
    for (k = 0; k < f->n; k++)
        for (j = 0; f->stage[k] && f->maps[k] && j < f->insts[k]->n_operands; j++) {
            const xg_inst *i = f->insts[k], *o = XG_OPERAND(i, j);
            if (xg_row_stage(f, o) || !large[xg_row_place(f, o)] || (later && i->op == XG_REDUCE && f->stage[k] == 1))
                continue;
            if (!xg_rows_tile_add(w, o,
                    i->op == XG_REDUCE ? xg_row_map(&w->form, o->shape)
                                       : xg_imap_compose(f->x, f->maps[k], xg_indexing_operand(f->x, i, j))))
                return false;
        }
    for (k = 0; k < w->r.e->n_roots; k++) {
        const xg_inst *o = w->r.e->roots[k];
        if (!xg_rows_root_is_wide(w, k)) continue;
        if (!xg_rows_tile_type(o->shape->type)) return false;
        if (!xg_row_stage(f, o) && large[xg_row_place(f, o)] && !xg_rows_tile_add(w, o, xg_row_map(&w->form, o->shape)))
            return false;
    }
    return w->tile.n > 0;
}
/* Which results lie over values. */
XG_FN void xg_rows_tile_over(xg_rows *w) {
    const xg_fusion_emission *e = w->r.e;
    uint32_t taken = 0, k, j;
    w->tile.over = XG_NEW_N(e->arena, uint32_t, e->n_roots + (size_t)1);
    for (k = 0; k < e->n_roots; k++) {
        w->tile.over[k] = UINT32_MAX;
        for (j = 0; xg_rows_root_is_wide(w, k) && j < w->tile.n && w->tile.over[k] == UINT32_MAX; j++) {
            if (taken >> j & 1 || w->tile.values[j]->shape->type != e->roots[k]->shape->type) continue;
            w->tile.over[k] = j;
            taken |= 1u << j;
        }
    }
}
/* Bytes of one element of all arrays in shared memory. *apart: elements after which all arrays of memory are at a
 * sector again. */
XG_FN int64_t xg_rows_tile_bytes(const xg_rows *w, int64_t *apart, int64_t *vector) {
    const xg_fusion_emission *e = w->r.e;
    int64_t sum = 0, most = 1;
    uint32_t k;
    *apart = 1;
    for (k = 0; k < w->tile.n; k++) sum += xg_type_bytes(w->tile.values[k]->shape->type);
    for (k = 0; k < e->comp->n_params + e->n_roots; k++) {
        const xg_shape *s = k < e->comp->n_params ? e->comp->params[k]->shape : e->roots[k - e->comp->n_params]->shape;
        int64_t bytes = (int64_t)xg_type_bytes(s->type);
        if (s->elements != w->form.rows * w->form.cols) continue;
        if (k >= e->comp->n_params && w->tile.over && w->tile.over[k - e->comp->n_params] == UINT32_MAX) sum += bytes;
        *apart = XG_MAX(*apart, XG_SECTOR_BYTES / bytes);
        most = XG_MAX(most, bytes);
    }
    *vector = XG_ACCESS_BYTES / XG_MIN(most, (int64_t)XG_ACCESS_BYTES);
    return sum;
}
/* Lanes, vector, rows of a block for a tile; false if there is none. */
XG_FN bool xg_rows_plan_tile(xg_rows *w, int64_t held) {
    int64_t cols = w->form.cols,
            most = XG_MAX(XG_MIN((XG_ROWS_HELD_BYTES + 4) / held, XG_ROWS_HELD_WORK / xg_rows_work(w)), (int64_t)1),
            apart, vector, bytes, l, rows, in_row;
    if (w->form.rows * cols < XG_ROWS_TILE_ELEMENTS) return false;
    (void)xg_rows_tile_bytes(w, &apart, &vector);
    if (cols % apart == 0 || !xg_rows_find_tile(w, false, NULL)) return false;
    xg_rows_tile_over(w);
    bytes = xg_rows_tile_bytes(w, &apart, &vector);
    for (l = 1; cols % (2 * l) == 0; l *= 2) {}
    in_row = cols / l;
    if (l > XG_WARP_LANES || in_row > most) {
        in_row = 1;
        for (l = 1; l < XG_ROWS_LANES_MAX &&
                    (cols + l - 1) / l > (l < XG_WARP_LANES ? XG_MIN(most, (int64_t)XG_ROWS_TILE_FEW) : most);
             l *= 2) {}
        if ((cols + l - 1) / l > most) return false;
    }
    for (rows = XG_MAX(XG_LAUNCH_THREADS / l, (int64_t)1);
         rows > 1 && rows * cols * bytes + w->shared_bytes > XG_ROWS_TILE_BYTES; rows /= 2) {}
    while (rows * l < XG_WARP_LANES || rows * cols % apart) rows *= 2;
    if (rows * cols * bytes + w->shared_bytes > XG_ROWS_TILE_BYTES || rows * l > XG_ROWS_LANES_MAX) return false;
    w->tile.vector = xg_gcd(vector, w->form.rows * cols);
    if (w->form.rows % rows && xg_rows_writes_operand(w)) {
        w->tile.vector = 0;
        return false;
    }
    w->vector = in_row;
    w->vectors = cols / in_row;
    w->lanes = l;
    w->per_block = rows;
    w->held = true;
    return true;
}
/* ---- the plan ---- */

/* The body of a row and its edges. Where vectors of all rows are read along, accesses are as wide as theirs may be in
 * each row; from memory, if blocks do not go over several rows, and those are the ones that begin at sectors then. */
XG_FN void xg_rows_plan_body(xg_rows *w, int64_t vector, int64_t unit, bool vectors, bool several) {
    int64_t cols = w->form.cols;
    w->unit = cols % unit && cols >= XG_ROWS_UNIT_LEAST * unit && (!vectors || (several && w->n_shared)) ? unit : 0;
    w->vector = w->unit && !vectors ? vector : xg_gcd(vector, cols);
    w->vectors = (cols - (w->unit ? unit - xg_gcd(unit, cols) : 0)) / w->vector; /* so many wherever the row begins */
    w->edges = cols - w->vectors * w->vector;
}
XG_FN int64_t xg_rows_part(const xg_rows *w) { return (w->vectors + w->parts - 1) / w->parts; } /* vectors of a block */
/* Whole warps of a row, as few as make no round more than so many lanes. */
XG_FN int64_t xg_rows_even_lanes(const xg_rows *w, int64_t lanes) {
    int64_t vectors = xg_rows_part(w), rounds = (vectors + lanes - 1) / lanes;
    return lanes <= XG_WARP_LANES ? lanes : xg_warps_whole((vectors + rounds - 1) / rounds);
}
/* Places in shared memory for what is not held. */
XG_FN void xg_rows_plan_kept(xg_rows *w) {
    int64_t bytes = 0, places, vectors = xg_rows_part(w), lanes = xg_rows_even_lanes(w, XG_ROWS_LANES_MAX);
    uint32_t k;
    w->kept = w->kept_bytes = 0;
    if (w->held || vectors < XG_ROWS_LANES_MAX || !xg_rows_find_tile(w, true, NULL)) return;
    for (k = 0; k < w->tile.n; k++) bytes += xg_type_bytes(w->tile.values[k]->shape->type);
    places = (vectors + lanes - 1) / lanes * lanes * w->vector + (w->edges ? lanes : 0);
    if (bytes * places > w->r.e->target->shared - XG_SHARED_REST_BYTES) return;
    w->lanes = lanes;
    w->per_block = 1;
    w->kept = places;
    for (k = 0; k < w->tile.n; k++)
        w->kept_bytes += xg_shared_whole(places * xg_type_bytes(w->tile.values[k]->shape->type));
}
/* Lanes of a row, and rows of a block, that read memory as they need it. */
XG_FN void xg_rows_plan_lanes(xg_rows *w, int64_t held) {
    int64_t resident = w->r.e->target->resident_threads, vectors = xg_rows_part(w),
            most = XG_ROWS_HELD_BYTES / held /* elements of a lane */, l;
    if (!w->n_shared || most * xg_rows_work(w) > XG_ROWS_HELD_WORK) most /= 2;
    most = XG_MAX(most, w->vector);
    for (l = 1; l < XG_WARP_LANES && l < vectors; l *= 2) {}
    while (l < XG_ROWS_LANES_MAX && (vectors + l - 1) / l * w->vector > most) l *= 2;
    while (!w->n_shared && l < XG_ROWS_LANES_MAX / 2 && w->form.rows * w->parts <= resident / l / 2 && vectors >= 8 * l)
        l *= 2;
    w->held = (vectors + l - 1) / l * w->vector <= most;
    if (!w->held)
        for (l = XG_ROWS_LANES_MAX; l > XG_WARP_LANES && vectors / l < XG_ROWS_LOOP_TRIPS; l /= 2) {}
    w->lanes = l;
    if (w->parts > 1)
        w->per_block = 1;
    else
        for (w->per_block = XG_MAX(XG_LAUNCH_THREADS / w->lanes, (int64_t)1);
             w->per_block > 1 && w->per_block / 2 >= w->form.rows && w->per_block * w->lanes > XG_WARP_LANES;
             w->per_block /= 2) {}
    if (w->n_shared)
        for (w->per_block = XG_MAX(
                 XG_ROWS_VECTORS_BLOCK * (w->shared_bytes > XG_SHARED_TILE_BYTES ? 2 : 1) / w->lanes, (int64_t)1);
             w->per_block > 1 && w->per_block * w->lanes > XG_WARP_LANES &&
             w->form.rows / w->per_block < xg_rows_wave(w) * 3 / 8;
             w->per_block /= 2) {}
    if (xg_rows_writes_operand(w))
        while (w->form.rows % w->per_block) w->per_block -= w->lanes < XG_WARP_LANES ? w->per_block / 2 : 1;
    if (w->held) w->lanes = xg_rows_even_lanes(w, w->lanes);
}
/* Blocks of a row: as many as the device has room for, with some work for each; and as many as can keep the row. */
XG_FN void xg_rows_plan_parts(xg_rows *w, int64_t held, int64_t vector, int64_t unit, bool vectors, bool several) {
    int64_t most = w->r.e->target->cluster;
    uint32_t n_shared = w->n_shared;
    bool last;
    w->parts = 1;
    xg_rows_plan_body(w, vector, unit, vectors, several);
    while (!n_shared && 2 * w->parts <= most && 2 * w->parts * w->form.rows <= xg_rows_wave(w) &&
           w->vectors >= 2 * w->parts * XG_ROWS_PART_VECTORS)
        w->parts *= 2;
    for (;;) {
        xg_rows_plan_lanes(w, held);
        xg_rows_plan_kept(w);
        last = 2 * w->parts > most;
        if (w->held || (w->kept && (last || 2 * (w->kept_bytes + XG_SHARED_REST_BYTES) <= w->r.e->target->shared)))
            return; /* two of them on a multiprocessor: one moves while the other one computes */
        if (last) break;
        w->parts *= 2;
        w->n_shared = 0; /* each goes over one row */
        xg_rows_plan_body(w, vector, unit, vectors, several);
    }
    w->parts = 1; /* it is read again in each stage */
    w->n_shared = n_shared;
    xg_rows_plan_body(w, vector, unit, vectors, several);
    xg_rows_plan_lanes(w, held);
}
/* Blocks in one wave; each of as many passes if that is possible, so that the loop is known to the compiler. */
XG_FN void xg_rows_plan_passes(xg_rows *w) {
    int64_t beside = XG_MAX(XG_ROWS_VECTORS_BLOCK / (w->per_block * w->lanes), (int64_t)1),
            bytes = w->shared_bytes + w->kept_bytes, wave, least, p;
    if (bytes > XG_SHARED_TILE_BYTES)
        beside = XG_MIN(beside, XG_MAX(w->r.e->target->shared / (bytes + XG_SHARED_REST_BYTES), (int64_t)1));
    wave = xg_rows_wave(w) * beside;
    least = (w->groups + wave - 1) / wave;
    w->passes = least;
    for (p = bytes > XG_SHARED_TILE_BYTES ? least : least - least / 4; p <= least + least / 4 && w->groups % w->passes;
         p++)
        if (w->groups % p == 0) w->passes = p;
}
/* Passes of a block, if they are ordered; NULL, or why not. */
XG_FN const char *xg_rows_order_passes(xg_rows *w) {
    int64_t passes = w->passes;
    if (!xg_form_number(w->r.e, "passes", &passes)) return NULL;
    if (passes < 1 || passes > w->groups) return "passes must be 1 to the groups of rows that there are";
    if (passes > 1 && !w->n_shared) return "a block goes over several groups of rows only where they share vectors";
    w->passes = passes;
    return NULL;
}
XG_FN void xg_rows_record(const xg_rows *w) {
    xg_fusion_emission *e = w->r.e;
    const char *place = w->tile.vector ? "tile" : w->held ? "registers" : w->kept ? "shared" : "memory";
    xg_form_write_walk(e, place); /* where elements are from stage to stage */
    xg_form_put(e, "vector", w->vector);
    xg_form_put(e, "lanes", w->lanes);
    xg_form_put(e, "rows", w->per_block);
    xg_form_put(e, "parts", w->parts);
    xg_form_put(e, "passes", w->passes);
    xg_form_put(e, "unit", w->unit);
    xg_form_put(e, "vectors_shared", w->n_shared);
}
/* false: not as it is ordered. */
XG_FN bool xg_rows_plan(xg_rows *w) {
    int64_t held, unit, vector = xg_rows_vector(w, &held, &unit), room = w->r.e->target->shared - XG_SHARED_REST_BYTES;
    bool vectors = xg_rows_find_vectors(w, XG_SHARED_TILE_BYTES);
    int64_t most;
    const char *why;
    uint32_t k;
    for (k = 0; k < w->r.e->comp->n_params && !xg_rows_is_odd(w, w->r.e->comp->params[k]); k++) {}
    while (k < w->r.e->comp->n_params && vector > 1 && !xg_rows_reads_vectors(w, vector)) vector /= 2;
    most = vector;
    if (xg_form_number(w->r.e, "vector", &vector) && (vector < 1 || most % vector)) vector = most; /* a tile's may */
    w->held_bytes = held;
    w->parts = 1;
    if (!xg_rows_plan_tile(w, held)) {
        /* rows in each block, although it is alone on its multiprocessor */
        bool several = w->form.rows >= 2 * xg_rows_wave(w);
        if (vectors && several) (void)xg_rows_find_vectors(w, room);
        xg_rows_plan_parts(w, held, vector, unit, vectors, several);
        if (w->n_shared && w->shared_bytes + w->kept_bytes > room) (void)xg_rows_find_vectors(w, room - w->kept_bytes);
    }
    w->groups = (w->form.rows + w->per_block - 1) / w->per_block;
    w->passes = 1;
    if (w->n_shared) xg_rows_plan_passes(w);
    why = xg_rows_order_passes(w);
    if (why) return xg_emit_refuse(w->r.e, why);
    if (w->per_block * w->passes == 1) w->n_shared = 0;                           /* no row to share with */
    if (w->parts == 1) w->lanes = XG_MAX(w->lanes, XG_WARP_LANES / w->per_block); /* whole warps */
    w->r.rounds = w->groups;
    w->r.threads = w->lanes * w->per_block;
    w->r.blocks = (w->groups + w->passes - 1) / w->passes * w->parts;
    xg_rows_record(w);
    return true;
}

#endif /* XG_EMIT_ROWS_PLAN_C */
