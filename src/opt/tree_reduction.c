/* opt/tree_reduction.c -- TreeReductionRewriter: a reduction that few blocks would have to do alone becomes two, one
 * behind the other.
 *
 *     x: f32[1000000], reduce over it   ==>   f32[P,L] bitcast(pad(x)), reduce over L to f32[P], reduce over that
 *
 * One reduced dimension is cut into P parts of L elements, so that there are some blocks for each multiprocessor; where
 * another reduced dimension has the right size anyway, it is just left to the second reduction. What is padded is the
 * value that partial results start from. A reduction stays whole if it has enough results to fill half of the device,
 * or if no block gets more than XG_TREE_BLOCK_BYTES, which takes about as long as a second kernel, or of rows work that
 * takes so long. Columns are shared by the blocks of a cluster, where there are such, and need no second kernel
 * therefore if that is half of the device. It stays whole, too, if it is part of what becomes a row program
 * (fuse/rows.c), and a cluster of blocks has room for the row: then it is read once in all. Sums of narrow floats are
 * carried in f32 from the first to the second, as they would be inside of one. */
#ifndef XG_OPT_TREE_REDUCTION_C
#define XG_OPT_TREE_REDUCTION_C
#include "opt.h"

enum {
    XG_TREE_BLOCK_BYTES = 256 << 10,
    XG_TREE_PART_BYTES = 32 << 10,
    XG_TREE_COLUMNS = 32,      /* that a block takes side by side */
    XG_TREE_SM_BYTES = 64,     /* a multiprocessor reads a clock */
    XG_TREE_AGAIN_PS = 500000, /* of a second kernel beside its launch */
    XG_TREE_WORK_EACH = 2,     /* instructions of a reduction, for each operand */
    XG_TREE_WORK_MOST = 64,    /* that counts: what is far up may be other kernels' */
    XG_TREE_WORK_BYTE = 4 /* instructions of a lane that take a multiprocessor longer than to read a byte for each */
};

typedef struct xg_tree {
    xg_inst *i;
    const xg_shape *in;
    xg_ints dims;
    uint32_t n, dim;
    int64_t parts, length;
    bool leave;
} xg_tree; /* leave: dim is not cut but left */

XG_FN bool xg_tree_reduces(const xg_tree *t, int64_t d) {
    uint32_t k;
    for (k = 0; k < t->dims.n; k++)
        if (t->dims.p[k] == d) return true;
    return false;
}
/* Of so many blocks those that there are if rows of so many bytes begin inside of sectors: their tiles are wide
 * (emit/reduction_column_plan.c). Only where these read for longer than memory takes, and a second kernel. */
XG_FN int64_t xg_tree_skewed(const xg_tree *t, int64_t rows, int64_t row, int64_t cluster, int64_t blocks) {
    enum {
        PARTS = 8, /* of the multiprocessors, of which one has blocks */
        SECTORS_LEAST = 7,
        SECTORS_MOST = 30 /* of a tile's row */
    };
    const xg_device *m = &t->i->comp->module->device;
    int64_t bytes = xg_cost_mul(t->in->elements, xg_type_bytes(t->in->type)), tiles, memory;
    tiles = XG_MAX(XG_MIN(m->sm_count / (PARTS * cluster), row / XG_SECTOR_BYTES / SECTORS_LEAST),
        XG_MAX(row / XG_SECTOR_BYTES / SECTORS_MOST, (int64_t)1));
    tiles *= rows * cluster;
    memory = xg_cost_scale(bytes, 1000, xg_device_gbs(m->bandwidth)) + m->graph_ns * 1000 + XG_TREE_AGAIN_PS;
    if (xg_device_is_cpu(m)) return blocks;
    return xg_cost_scale(bytes / tiles, 1000000, XG_TREE_SM_BYTES * m->clock_mhz) > memory ? XG_MIN(tiles, blocks)
                                                                                           : blocks;
}
/* Blocks that work on it as it is: those of a cluster share columns. */
XG_FN int64_t xg_tree_blocks(const xg_tree *t, int64_t results, bool padded) {
    int64_t columns = 1, cluster = padded ? 1 : XG_MAX(t->i->comp->module->device.blocks_per_cluster, (int64_t)1);
    int64_t row, blocks;
    uint32_t k;
    for (k = 0; k < t->in->rank; k++) {
        uint32_t d = xg_shape_minor(t->in, k);
        if (t->in->dims[d] == 1) continue;
        if (xg_tree_reduces(t, d)) break;
        columns *= t->in->dims[d];
    }
    row = columns * (int64_t)xg_type_bytes(t->in->type);
    blocks = results / columns * ((columns + XG_TREE_COLUMNS - 1) / XG_TREE_COLUMNS);
    return row % XG_SECTOR_BYTES ? xg_tree_skewed(t, results / columns, row, cluster, blocks) : blocks * cluster;
}
/* Into about so many parts; the fewer the better that no padding is needed. */
XG_FN bool xg_tree_cut(xg_tree *t, int64_t want) {
    int64_t size = 0, p;
    uint32_t k, others = 0;
    for (k = t->in->rank; k-- > 0;) {
        uint32_t d = xg_shape_minor(t->in, k);
        if (!xg_tree_reduces(t, d) || t->in->dims[d] == 1) continue;
        others++;
        if (size >= want || t->in->dims[d] <= size) continue;
        size = t->in->dims[d];
        t->dim = d;
    }
    t->leave = others > 1 && size <= 4 * want;
    t->parts = size;
    t->length = 1;
    if (t->leave) return size > 1;
    for (p = XG_MIN(want, size / 2); p > 1 && p >= want / 2; p--)
        if (size % p == 0 && size / p % 8 == 0) {
            t->parts = p;
            t->length = size / p;
            return true;
        }
    t->length = ((size + want - 1) / want + 31) / 32 * 32;
    t->parts = (size + t->length - 1) / t->length;
    return t->parts > 1;
}

/* ---- rows that a cluster keeps ---- */

enum {
    XG_TREE_ROW_INSTS = 256 /* of a row program, at most */,
    XG_TREE_ROW_REST = 16 << 10 /* bytes of each block for other things */,
    XG_TREE_ROW_HELD = 64 << 10 /* in the registers of a block */
};

/* What can be made of rows element by element, as far as it hangs together with one reduction. */
typedef struct xg_tree_row {
    xg_inst *insts[XG_TREE_ROW_INSTS];
    uint16_t slots[4 * XG_TREE_ROW_INSTS]; /* by id: 1 + its place in the list */
    uint32_t n;
    int64_t rows, cols, bytes; /* bytes: a column of what is read */
    bool back;
} xg_tree_row;

XG_FN void xg_tree_row_add(xg_tree_row *r, xg_inst *i) {
    uint32_t at = i->id * 2654435761u >> 16;
    if (!xg_shape_is_array(i->shape) || (i->shape->elements != r->rows && i->shape->elements != r->rows * r->cols) ||
        r->n == XG_TREE_ROW_INSTS)
        return;
    for (;; at++) {
        uint16_t *slot = &r->slots[at % XG_COUNT(r->slots)];
        if (*slot && r->insts[*slot - 1] == i) return;
        if (*slot) continue;
        r->insts[r->n++] = i;
        *slot = (uint16_t)r->n;
        return;
    }
}
/* The reduced dimensions lie innermost. */
XG_FN bool xg_tree_is_rows(const xg_tree *t) {
    uint32_t k;
    for (k = 0; k < t->dims.n; k++)
        if (!xg_tree_reduces(t, xg_shape_minor(t->in, k))) return false;
    return true;
}
XG_FN bool xg_tree_row_takes(const xg_tree_row *r, const xg_inst *i) {
    switch (i->op) {
    case XG_BITCAST:
    case XG_RESHAPE:
    case XG_BROADCAST:
    case XG_COPY: return true;
    case XG_REDUCE:
        return i->n_operands == 2 && i->shape->elements == r->rows &&
               XG_OPERAND(i, 0)->shape->elements == r->rows * r->cols;
    default: return (xg_op_flags(i->op) & XGF_EW) != 0;
    }
}
/* Bytes for each column of all that is read by what hangs together with i; *back: whether its results are used for all
 * of the row's elements. */
XG_FN int64_t xg_tree_row_bytes(xg_inst *reduce, int64_t rows, bool *back) {
    xg_arena *work = reduce->comp->module->work;
    xg_mark none = xg_arena_mark(work);
    xg_tree_row *r = XG_NEW(work, xg_tree_row);
    int64_t bytes;
    uint32_t k, j;
    r->rows = rows;
    r->cols = XG_OPERAND(reduce, 0)->shape->elements / rows;
    xg_tree_row_add(r, reduce);
    for (k = 0; k < r->n; k++) {
        xg_inst *i = r->insts[k];
        if (!xg_tree_row_takes(r, i)) {
            if (i->shape->elements != rows) r->bytes += xg_type_bytes(i->shape->type);
            continue;
        }
        r->back = r->back ||
                  (i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->elements == rows && i->shape->elements != rows);
        for (j = 0; j < (i->op == XG_REDUCE ? 1 : i->n_operands); j++) xg_tree_row_add(r, XG_OPERAND(i, j));
        XG_FOR_USES(u, i)
            if (xg_tree_row_takes(r, u->user)) xg_tree_row_add(r, u->user);
    }
    *back = r->back && r->n < XG_TREE_ROW_INSTS;
    bytes = r->bytes;
    xg_arena_reset(work, none);
    return bytes;
}
XG_FN int64_t xg_tree_cluster_room(const xg_device *m) {
    return XG_MAX(m->blocks_per_cluster, (int64_t)1) * (m->shared_per_block - XG_TREE_ROW_REST);
}
/* Whether a block has room for so many bytes, in registers, or a cluster of them in shared memory. */
XG_FN bool xg_tree_row_fits(const xg_device *m, int64_t bytes) {
    return bytes <= XG_TREE_ROW_HELD || bytes <= xg_tree_cluster_room(m);
}
XG_FN bool xg_tree_keeps_rows(const xg_tree *t, int64_t rows) {
    const xg_module *m = t->i->comp->module;
    int64_t bytes;
    bool back;
    if (!m->row_programs || m->device.blocks_per_cluster < 2 || t->n > 1 || !xg_tree_is_rows(t)) return false;
    bytes = xg_tree_row_bytes(t->i, rows, &back);
    return back && bytes <= xg_tree_cluster_room(&m->device) / (t->in->elements / rows);
}

/* Instructions of a lane for each element, roughly: the reduction's and those that make what it reads. */
XG_FN int64_t xg_tree_work(const xg_tree *t) {
    xg_arena *memory = t->i->comp->module->work;
    xg_mark none = xg_arena_mark(memory);
    xg_tree_row *r = XG_NEW(memory, xg_tree_row);
    int64_t work = t->n * XG_TREE_WORK_EACH;
    uint32_t k, j;
    r->rows = t->in->elements;
    r->cols = 1;
    for (k = 0; k < t->n; k++) xg_tree_row_add(r, XG_OPERAND(t->i, k));
    for (k = 0; k < r->n && work < XG_TREE_WORK_MOST; k++) {
        const xg_inst *i = r->insts[k];
        if (i->op == XG_REDUCE && xg_shape_is_array(i->shape)) /* a short one becomes part of it */
            work += XG_TREE_WORK_EACH * XG_MIN(XG_OPERAND(i, 0)->shape->elements / t->in->elements, (int64_t)8);
        if (!(xg_op_flags(i->op) & XGF_EW) && i->op != XG_BITCAST && i->op != XG_RESHAPE) continue;
        if (i->op != XG_RESHAPE) work += xg_cost_op(i);
        for (j = 0; j < i->n_operands; j++) xg_tree_row_add(r, XG_OPERAND(i, j));
    }
    xg_arena_reset(memory, none);
    return work;
}

XG_FN bool xg_tree_plan(xg_tree *t, xg_inst *i) {
    const xg_module *m = i->comp->module;
    int64_t sms = m->device.sm_count, results, blocks, single, bytes = 0;
    uint32_t k;
    memset(t, 0, sizeof *t);
    t->i = i;
    t->in = XG_OPERAND(i, 0)->shape;
    t->n = i->n_operands / 2;
    t->dims = xg_attr_dims(i);
    if (t->in->elements == 0 || t->in->dynamic || t->in->rank >= XG_RANK_MAX) return false;
    for (results = t->in->elements, k = 0; k < t->dims.n; k++) results /= t->in->dims[t->dims.p[k]];
    for (k = 0; k < t->n; k++) {
        const xg_shape *s = XG_OPERAND(i, k)->shape;
        if (!xg_mul64(s->elements, xg_type_bytes(s->type), &results) || results > INT64_MAX / 64) return false;
        bytes += results;
        if (s->layout != t->in->layout) return false;
    }
    for (results = t->in->elements, k = 0; k < t->dims.n; k++) results /= t->in->dims[t->dims.p[k]];
    blocks = xg_tree_blocks(t, results, XG_OPERAND(i, 0)->op == XG_PAD);
    if (blocks >= sms / 2) return false;
    if (xg_tree_is_rows(t) && t->in->elements / blocks > XG_TREE_BLOCK_BYTES / XG_TREE_WORK_MOST * XG_TREE_WORK_BYTE)
        bytes = XG_MAX(bytes, xg_cost_mul(t->in->elements, xg_tree_work(t) / XG_TREE_WORK_BYTE));
    if (bytes / blocks <= XG_TREE_BLOCK_BYTES || xg_tree_keeps_rows(t, results)) return false;
    /* what is padded has no clusters: it is cut for blocks of their own */
    for (single = xg_tree_blocks(t, results, true);; blocks = single) {
        bool cut = xg_tree_cut(
            t, XG_MIN((2 * sms + blocks - 1) / blocks, XG_MAX(bytes / blocks / XG_TREE_PART_BYTES, (int64_t)2)));
        if (!cut || t->leave || t->parts * t->length == t->in->dims[t->dim] || single == blocks) return cut;
    }
}

/* ---- the two reductions ---- */

/* The shape with dim cut into parts and length, or, with length 0, without it when `drop`; the order in memory
 * stays. */
XG_FN const xg_shape *xg_tree_shape(const xg_tree *t, xlagpu_type type) {
    xg_module *m = t->i->comp->module;
    int64_t dims[XG_RANK_MAX + 1];
    int32_t order[XG_RANK_MAX + 1] = {0};
    uint32_t rank = 0, k, n = 0;
    for (k = 0; k < t->in->rank; k++) {
        if (k != t->dim) {
            dims[rank++] = t->in->dims[k];
            continue;
        }
        dims[rank++] = t->parts;
        dims[rank++] = t->length;
    }
    for (k = 0; k < t->in->rank; k++) {
        int32_t d = (int32_t)xg_shape_minor(t->in, k);
        if (d == (int32_t)t->dim) order[n++] = d + 1;
        order[n++] = d > (int32_t)t->dim ? d + 1 : d;
    }
    return xg_shape_with_layout(
        m, xg_shape_plain(m, type, dims, rank), xg_layout_make(m, order, rank, 0, 0, XG_STR("")));
}
/* What a reduce over these dims leaves, in the same order in memory. */
XG_FN const xg_shape *xg_tree_rest(xg_module *m, const xg_shape *s, const int64_t *gone, uint32_t n_gone) {
    int64_t dims[XG_RANK_MAX + 1];
    int32_t order[XG_RANK_MAX + 1] = {0}, place[XG_RANK_MAX + 1];
    uint32_t rank = 0, k, j, n = 0;
    for (k = 0; k < s->rank; k++) {
        for (j = 0; j < n_gone && gone[j] != (int64_t)k; j++) {}
        place[k] = -1;
        if (j == n_gone) {
            place[k] = (int32_t)rank;
            dims[rank++] = s->dims[k];
        }
    }
    for (k = 0; k < s->rank; k++)
        if (place[xg_shape_minor(s, k)] >= 0) order[n++] = place[xg_shape_minor(s, k)];
    return xg_shape_with_layout(
        m, xg_shape_plain(m, s->type, dims, rank), xg_layout_make(m, order, rank, 0, 0, XG_STR("")));
}
XG_FN xg_inst *xg_tree_reduce(const xg_hb *b, const xg_shape *shape, xg_inst *const *in, uint32_t n,
    const int64_t *dims, uint32_t n_dims, xg_comp *to_apply) {
    xg_inst *i = xg_hb_op(b, XG_REDUCE, shape, in, 2 * n);
    xg_inst_set_ints(i, XG_A_dimensions, dims, n_dims);
    xg_inst_set_comp(i, XG_A_to_apply, to_apply);
    return i;
}
/* Operand k, cut; `start` is what it is padded with. */
XG_FN xg_inst *xg_tree_operand(const xg_hb *b, const xg_tree *t, xg_inst *x, xg_inst *start) {
    xg_pad_dim pads[XG_RANK_MAX];
    const xg_shape *s = xg_tree_shape(t, x->shape->type);
    if (t->leave) return x;
    memset(pads, 0, sizeof pads);
    pads[t->dim].high = t->parts * t->length - t->in->dims[t->dim];
    if (pads[t->dim].high) {
        const xg_layout *layout = x->shape->layout;
        x = xg_hb_pad(b, x, start, pads);
        x->shape = xg_shape_with_layout(b->comp->module, x->shape, layout);
    }
    return xg_hb_of(b, XG_BITCAST, s, x);
}
XG_FN xg_inst *xg_tree_start(const xg_hb *b, const xg_tree *t, xg_reducer_start start, xg_inst *init) {
    double neutral = xg_reducer_neutral(xg_attr_to_apply(t->i));
    if (start == XG_REDUCER_FROM_INIT) return init;
    return xg_type_class(init->shape->type) == XGT_F ? xg_hb_float(b, init->shape->type, neutral)
                                                     : xg_hb_int(b, init->shape->type, (int64_t)neutral);
}
XG_FN bool xg_tree_rewrite(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_hb b = xg_hb_at(i);
    xg_comp *to_apply = xg_attr_to_apply(i);
    xg_inst **in, **next, *first, *second;
    const xg_shape **shapes, *shape;
    int64_t dims[XG_RANK_MAX + 1], place;
    xlagpu_type narrow = XLAGPU_INVALID, wide;
    xg_reducer_start start;
    uint32_t k, n_dims = 0;
    xg_tree t;
    if (!xg_tree_plan(&t, i)) return false;
    start = xg_reducer_start_of(i, m->arena);
    if (start == XG_REDUCER_UNKNOWN || (start == XG_REDUCER_FROM_NEUTRAL && xg_type_class(t.in->type) == XGT_C))
        return false;
    in = XG_NEW_N(m->arena, xg_inst *, 2 * t.n + 1);
    next = XG_NEW_N(m->arena, xg_inst *, 2 * t.n + 1);
    shapes = XG_NEW_N(m->arena, const xg_shape *, t.n + 1);
    for (k = 0; k < 2 * t.n; k++) in[k] = next[k] = XG_OPERAND(i, k);
    wide = t.n == 1 ? xg_reducer_wide(to_apply, t.in->type) : XLAGPU_INVALID;
    if (wide != XLAGPU_INVALID) {
        narrow = t.in->type;
        to_apply = xg_hb_reducer(&b, XG_ADD, wide);
        for (k = 0; k < 2; k++) {
            const xg_shape *s = xg_shape_with_type(m, in[k]->shape, wide);
            in[k] = next[k] = xg_hb_of(&b, XG_CONVERT, s, in[k]);
        }
    }
    for (k = 0; k < t.dims.n; k++) {
        int64_t d = t.dims.p[k];
        if (d != (int64_t)t.dim)
            dims[n_dims++] = d > (int64_t)t.dim && !t.leave ? d + 1 : d;
        else if (!t.leave)
            dims[n_dims++] = d + 1;
    }
    for (k = 0; k < t.n; k++) {
        in[t.n + k] = xg_tree_start(&b, &t, start, in[t.n + k]);
        in[k] = xg_tree_operand(&b, &t, in[k], in[t.n + k]);
        shapes[k] = xg_tree_rest(m, in[k]->shape, dims, n_dims);
    }
    shape = t.n == 1 && i->shape->type != XLAGPU_TUPLE ? shapes[0] : xg_shape_tuple(m, shapes, t.n);
    first = xg_tree_reduce(&b, shape, in, t.n, dims, n_dims, to_apply);
    for (place = (int64_t)t.dim, k = 0; k < n_dims; k++)
        if (dims[k] < (int64_t)t.dim) place--;
    for (k = 0; k < t.n; k++) {
        next[k] = first;
        if (first->shape->type != XLAGPU_TUPLE) continue;
        next[k] = xg_hb_of(&b, XG_GET_TUPLE_ELEMENT, shapes[k], first);
        xg_inst_set_int(next[k], XG_A_index, k);
    }
    shape = narrow == XLAGPU_INVALID ? i->shape : xg_shape_with_type(m, i->shape, wide);
    second = xg_tree_reduce(&b, shape, next, t.n, &place, 1, to_apply);
    if (narrow != XLAGPU_INVALID) second = xg_hb_of(&b, XG_CONVERT, i->shape, second);
    xg_inst_replace(i, second);
    xg_inst_remove(i);
    return true;
}

XG_FN bool xg_tree_step(xg_inst *i) { return i->op == XG_REDUCE && xg_tree_rewrite(i); }
/* reductions inside of fusions stay what they are */
XG_FN bool xg_opt_tree_reduction(xg_module *m) { return m->made[XG_REDUCE] && xg_opt_each_step(m, xg_tree_step); }

#endif /* XG_OPT_TREE_REDUCTION_C */
