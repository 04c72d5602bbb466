/* opt/dot_strength_reduction.c -- dots with a vector, and those of sums of a few products, become multiply and reduce.
 *
 * Where one operand has no dimension of its own (but for ones), every element of the other is needed once: that is no
 * contraction by tiles but a reduction, which reads memory in order, fuses with what makes the matrix, and takes the
 * epilogue along.
 *     dot(m[b,i,k], v[b,k])  ->  reduce(multiply(m, broadcast(v)), 0) over k
 * Rows that have a one where a number says, and zeros elsewhere, choose rows of the other matrix: a gather.
 * Sums of up to four products (points of three coordinates, rotations) are few operations beside writing the result.
 * Dots that may become attention are left (the pass attention-split sees to those that do not), and what tiles make in
 * less time (xg_dot_is_of_tiles): beside fast memory large matrices of bytes, and columns for which reductions would
 * leave multiprocessors idle.
 * Products of floats of 16 bits or fewer are exact in f32 and summed there, as the dot does. */
#ifndef XG_OPT_DOT_STRENGTH_REDUCTION_C
#define XG_OPT_DOT_STRENGTH_REDUCTION_C
#include "opt.h"

/* One side of a dot. */
typedef struct xg_dot_part {
    xg_inst *x;
    xg_ints batch, contracting;
} xg_dot_part;

XG_FN bool xg_dot_takes(const xg_dot_part *s, uint32_t dim) {
    uint32_t k;
    for (k = 0; k < s->batch.n; k++)
        if (s->batch.p[k] == (int64_t)dim) return true;
    for (k = 0; k < s->contracting.n; k++)
        if (s->contracting.p[k] == (int64_t)dim) return true;
    return false;
}
XG_FN bool xg_dot_is_vector(const xg_dot_part *s) {
    uint32_t k;
    for (k = 0; k < s->x->shape->rank; k++)
        if (s->x->shape->dims[k] != 1 && !xg_dot_takes(s, k)) return false;
    return true;
}

/* The type in which is multiplied and summed up; INVALID for none. */
XG_FN xlagpu_type xg_dot_sum_type(const xg_inst *dot) {
    xlagpu_type l = XG_OPERAND(dot, 0)->shape->type, r = XG_OPERAND(dot, 1)->shape->type, t = dot->shape->type;
    if (xg_type_class(l) != xg_type_class(t) || xg_type_class(r) != xg_type_class(t) || t == XLAGPU_PRED)
        return XLAGPU_INVALID;
    if (xg_type_class(t) != XGT_F) return t;
    if (xg_type_bits(t) < 32) t = XLAGPU_F32;
    return xg_type_bits(l) > xg_type_bits(t) || xg_type_bits(r) > xg_type_bits(t) ? XLAGPU_INVALID : t;
}

/* A side in more dimensions: place, by dimension of it; -1: it is 1 and goes. */
XG_FN xg_inst *xg_dot_spread(const xg_hb *b, xg_inst *x, int64_t *place, const int64_t *to, uint32_t rank) {
    int64_t dims[XG_RANK_MAX] = {0}, order[XG_RANK_MAX] = {0}, sorted[XG_RANK_MAX] = {0};
    uint32_t k, j, n = 0;
    for (k = 0; k < x->shape->rank; k++)
        if (place[k] >= 0) {
            dims[n] = x->shape->dims[k];
            place[n++] = place[k];
        }
    x = xg_hb_reshape(b, x, dims, n);
    for (k = 0; k < n; k++) {
        for (j = k; j > 0 && place[order[j - 1]] > place[k]; j--) order[j] = order[j - 1];
        order[j] = k;
    }
    for (k = 0; k < n; k++) sorted[k] = place[order[k]];
    if (!xg_perm_is_identity(order, n)) x = xg_hb_transpose(b, x, order);
    return xg_hb_broadcast(b, x, to, rank, sorted, n);
}
/* Where the dimensions of a side stand among others: the batch, the sum (given), its own from `own` on (-1: gone). */
XG_FN void xg_dot_places(
    const xg_dot_part *s, const int64_t *batch, const int64_t *sum, int64_t own, int64_t place[XG_RANK_MAX]) {
    uint32_t k;
    for (k = 0; k < s->x->shape->rank; k++) place[k] = own < 0 || xg_dot_takes(s, k) ? -1 : own++;
    for (k = 0; k < s->batch.n; k++) place[s->batch.p[k]] = batch[k];
    for (k = 0; k < s->contracting.n; k++) place[s->contracting.p[k]] = sum[k];
}

/* What the sum leaves, in the order of the dot: its batch dimensions, then its own. */
XG_FN xg_inst *xg_dot_arrange(const xg_hb *b, const xg_inst *dot, const xg_dot_part *m, xg_inst *sum) {
    int64_t order[XG_RANK_MAX] = {0}, at[XG_RANK_MAX] = {0};
    uint32_t k, n = 0, left = 0;
    for (k = 0; k < m->x->shape->rank; k++) {
        uint32_t j;
        for (j = 0; j < m->contracting.n && m->contracting.p[j] != (int64_t)k; j++) {}
        at[k] = j < m->contracting.n ? -1 : (int64_t)left++;
    }
    for (k = 0; k < m->batch.n; k++) order[n++] = at[m->batch.p[k]];
    for (k = 0; k < m->x->shape->rank; k++)
        if (!xg_dot_takes(m, k)) order[n++] = at[k];
    if (!xg_perm_is_identity(order, n)) sum = xg_hb_transpose(b, sum, order);
    return xg_hb_reshape(b, sum, dot->shape->dims, dot->shape->rank);
}

XG_FN void xg_dot_parts_of(const xg_inst *dot, xg_dot_part *side) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    side[0].x = XG_OPERAND(dot, 0);
    side[0].batch = d.lb;
    side[0].contracting = d.lc;
    side[1].x = XG_OPERAND(dot, 1);
    side[1].batch = d.rb;
    side[1].contracting = d.rc;
}
/* Which operand is a vector; 2: neither. */
XG_FN uint32_t xg_dot_vector(const xg_dot_part *side) {
    return xg_dot_is_vector(&side[1]) ? 1 : xg_dot_is_vector(&side[0]) ? 0 : 2;
}

XG_FN bool xg_dot_may_reduce(const xg_inst *i, xg_dot_part *side) {
    if (i->op != XG_DOT || xg_inst_attr(i, XG_A_algorithm) || xg_dot_sum_type(i) == XLAGPU_INVALID) return false;
    xg_dot_parts_of(i, side);
    if (i->shape->dynamic || side[0].x->shape->dynamic || side[1].x->shape->dynamic) return false;
    return side[0].contracting.n && i->shape->elements && side[0].x->shape->elements && side[1].x->shape->elements;
}
XG_FN bool xg_dot_reduces(const xg_inst *i) {
    xg_dot_part side[2];
    return xg_dot_may_reduce(i, side) && xg_dot_vector(side) < 2;
}
/* Everything that is made of it, element by element, is one number of each row in the end. */
XG_FN bool xg_dot_is_folded(const xg_inst *i) {
    const xg_inst *user;
    uint32_t steps = 16; /* no longer chains, so that many dots do not go through the same one */
    do {
        user = i->first_use ? i->first_use->user : NULL;
        XG_FOR_USES(u, i)
            if (u->user != user) return false;
        i = user;
    } while (user && (xg_op_flags(user->op) & XGF_EW) && --steps);
    return user && user->op == XG_REDUCE;
}
/* Few rows on one side: tiles would be empty. Rows that are far apart read the other side again. */
XG_FN bool xg_dot_is_narrow(const xg_inst *i, const xg_dot_part *side, int64_t k) {
    enum {
        ROWS = 9
    };
    int64_t rows = side[0].x->shape->elements / k, columns = side[1].x->shape->elements / k;
    uint32_t j;
    for (j = 0; j < side->batch.n; j++) {
        rows /= side->x->shape->dims[side->batch.p[j]];
        columns /= side->x->shape->dims[side->batch.p[j]];
    }
    if (rows <= ROWS && columns <= ROWS) return false; /* many small matrices have a way of their own */
    return columns <= ROWS ||
           (rows <= ROWS && columns * k * xg_type_bytes(side[1].x->shape->type) <= i->comp->module->device.l2_bytes);
}
/* A sum of a few products, which cost less than to write it down for a reduction, or to bring it into tiles. */
XG_FN bool xg_dot_is_short(const xg_inst *i) {
    enum {
        PRODUCTS = 4 /* more are worth tiles */
    };
    xg_dot_part side[2];
    int64_t k = 1;
    uint32_t j;
    if (!xg_dot_may_reduce(i, side)) return false;
    for (j = 0; j < side->contracting.n && k <= PRODUCTS; j++) k *= side->x->shape->dims[side->contracting.p[j]];
    return k <= PRODUCTS && i->shape->rank + side->contracting.n <= XG_RANK_MAX &&
           (xg_dot_is_folded(i) || xg_dot_is_narrow(i, side, k));
}
/* Elements of 4 bits out of bytes or words that have several. */
XG_FN bool xg_dot_is_packed(const xg_inst *x) {
    return x->op == XG_BITCAST_CONVERT && xg_type_bits(x->shape->type) == 4 &&
           xg_type_bits(XG_OPERAND(x, 0)->shape->type) > 4;
}
/* Up to so many rows of the other side tiles take less than a kernel that writes 16 bits and a product of these, as the
 * model of time has it for 4096 by 4096: later units multiply from shared memory, or tensor memory, and ask for these.
 * Where tiles cannot (sched/tile_pack.c), threads unpack each element for each tile of rows. */
XG_FN int64_t xg_dot_packed_rows(const xg_inst *dot) {
    enum {
        FEW = 16,
        TENSOR = 128,
        GROUPS = 192,
        MOST = 512,
        K_BYTES = 128 /* of a step */
    };
    const xg_device *m = &dot->comp->module->device;
    const xg_shape *x = XG_OPERAND(dot, 0)->shape;
    xg_dot_dims d = xg_dot_dims_of(dot);
    if (!m->async_bytes || !m->tensor_f16 || xg_type_class(x->type) != XGT_F || xg_type_bits(x->type) != 16 ||
        d.lc.n != 1 || x->dims[d.lc.p[0]] * xg_type_bytes(x->type) % K_BYTES)
        return FEW;
    return m->tensor_memory ? TENSOR : m->warp_groups ? GROUPS : MOST;
}
/* What a matrix is made of by conversions, and by numbers spread over it: a zero point and a scale; behind moves, of
 * elements of 4 bits that bytes or words have packed alone. */
XG_FN const xg_inst *xg_dot_unscaled(const xg_inst *x) {
    enum {
        NUMBERS = 2,
        TABLE = 16 /* elements of 4 bits choose one */
    };
    const xg_inst *moved = NULL;
    uint32_t n = 0, k = 0;
    for (; n <= NUMBERS; x = XG_OPERAND(x, k), k = 0) {
        if (x->op == XG_MULTIPLY || x->op == XG_SUBTRACT || x->op == XG_ADD) {
            const xg_inst *number = XG_OPERAND(x, 1);
            while (number->op == XG_RESHAPE || number->op == XG_BITCAST) number = XG_OPERAND(number, 0);
            k = x->op != XG_SUBTRACT && number->op != XG_BROADCAST;
            n++;
        } else if (x->op == XG_TRANSPOSE || x->op == XG_REVERSE ||
                   (x->op == XG_GATHER && XG_OPERAND(x, 0)->shape->elements == TABLE)) {
            if (!moved) moved = x;
            k = x->op == XG_GATHER;
        } else if (x->op != XG_CONVERT && x->op != XG_RESHAPE && x->op != XG_BITCAST)
            break;
    }
    return moved && !xg_dot_is_packed(x) ? moved : x;
}
/* A large matrix of bytes, or of 16 bits made of as many bytes: where memory is fast, threads would multiply and
 * convert for longer than they read, while tiles leave that to matrix units and convert two at a time. */
XG_FN bool xg_dot_is_of_bytes(const xg_inst *dot) {
    enum {
        BYTES_LEAST = 1 << 20, /* below, a launch takes longer than to read them; */
        BESIDE_TIMES = 8,      /* ... of rows of k a reduction reads so many as soon, */
        COLUMNS_TIMES = 4,     /* ... and fewer columns */
        K_LEAST = 512,
        TILE_COLUMNS = 32,
        F8_CC = 89,
        PACKED_TIMES = 40, /* of two or more in a byte or word, whose k lie side by side: an L40S has more */
        APART_TIMES = 16   /* of bytes whose k lie apart, which threads turn, too: xg_device_shared_times */
    };
    const xg_device *device = &dot->comp->module->device;
    const xg_inst *x;
    xg_dot_part side[2];
    int64_t k, columns;
    xlagpu_type from;
    int bits;
    bool quick, beside,
        packed; /* few instructions make that an f32, or products of it; a row's k are read beside each other */
    if (!xg_dot_reduces(dot)) return false;
    xg_dot_parts_of(dot, side);
    x = side[1 - xg_dot_vector(side)].x;
    if (x->shape->rank != 2 || side[0].batch.n) return false;
    from = xg_dot_unscaled(x)->shape->type;
    packed = xg_dot_is_packed(xg_dot_unscaled(x));
    bits = xg_type_bits(x->shape->type);
    if (xg_type_bytes(from) > 1 || (bits != 8 && bits != 16)) return false;
    if (xg_type_bits(side[0].x->shape->type) != xg_type_bits(side[1].x->shape->type)) return false;
    k = side[1 - xg_dot_vector(side)].contracting.p[0];
    columns = x->shape->dims[1 - k];
    beside = k && xg_device_is_narrow(device);
    if (side[0].contracting.n != 1 || x->shape->dims[k] < K_LEAST ||
        x->shape->elements < BYTES_LEAST * (beside ? (int64_t)BESIDE_TIMES : 1) ||
        4 * columns / TILE_COLUMNS * XG_MAX(device->blocks_per_cluster, (int64_t)1) <
            3 * device->sm_count * (beside ? (int64_t)COLUMNS_TIMES : 1))
        return false; /* blocks would be too few */
    if (from == XLAGPU_F8E8M0FNU || !device->tensor_f16) return false;
    if (xg_type_class(from) != XGT_I && (xg_type_class(from) != XGT_F || xg_type_bits(from) < 8)) return false;
    quick = xg_type_class(from) == XGT_I || device->cc >= F8_CC || from == XLAGPU_F8E5M2;
    if (device->cc < F8_CC && side[xg_dot_vector(side)].x->shape->type == XLAGPU_F8E4M3FN)
        quick = false; /* nor does the vector */
    else if (from == XLAGPU_F8E5M2)
        return xg_device_is_narrow(device);
    if ((k == 1 || bits == 8) && quick && !packed) return xg_device_is_narrow(device);
    if (packed && (!k || xg_device_shared_times(device) < PACKED_TIMES)) return device->async_bytes;
    return device->async_bytes && xg_device_shared_times(device) < APART_TIMES;
}
enum {
    XG_DOT_K_CUT = 2048 /* the longest sum of one step (opt/tree_reduction.c) */
};
/* A matrix x that lies k by n, whole or cut, for whose columns a reduction leaves multiprocessors idle, or becomes two;
 * tiles share k, by clusters or by way of memory, too. Of rows that begin inside of sectors a reduction takes so wide
 * tiles that it reads few sectors twice. Of others, without clusters, it cuts long sums. */
XG_FN bool xg_dot_columns_pay(const xg_device *device, const xg_inst *x, bool converted) {
    enum {
        BYTES_LEAST = 1 << 20,
        K_BYTES_LEAST = 2048, /* of a column: shorter ones have too few steps for tiles that share them */
        QUICK_PARTS = 2,      /* of that, where bulk copies and matrix units begin sooner */
        COLUMNS_SM = 16,      /* of long sums, for each multiprocessor */
        ROW_BYTES_SM = 128    /* of a row for each multiprocessor: wider ones give all of them a tile */
    };
    xlagpu_type t = x->shape->type;
    uint32_t rank = x->shape->rank;
    int64_t each = xg_type_bytes(t), columns = x->shape->dims[rank - 1], k = x->shape->dims[rank - 2];
    int64_t row = columns * each, column = k * each;
    bool narrow = xg_device_is_narrow(device), units = each == 2 && xg_type_class(t) == XGT_F, whole = rank == 2;
    if (xg_device_is_cpu(device) || columns < 2 || xg_type_class(t) == XGT_C) return false;
    if (each < 4 && !units && (narrow || !device->async_bytes)) return false; /* instructions bound these */
    if (narrow && units) column *= QUICK_PARTS;
    if (xg_cost_mul(x->shape->elements, each) < BYTES_LEAST || (whole && column < K_BYTES_LEAST)) return false;
    if (row % XG_SECTOR_BYTES) return row <= device->sm_count * ROW_BYTES_SM;
    return device->async_bytes && device->blocks_per_cluster <= 1 && (each == 4 || units) && !converted &&
           (k > XG_DOT_K_CUT || !whole) && columns < COLUMNS_SM * device->sm_count;
}
/* The matrix of a product with a vector, as it lies in memory. */
XG_FN const xg_inst *xg_dot_matrix(const xg_dot_part *m) { return m->x->op == XG_CONVERT ? XG_OPERAND(m->x, 0) : m->x; }
XG_FN bool xg_dot_is_of_columns(const xg_inst *dot) {
    xg_dot_part side[2];
    const xg_dot_part *m;
    const xg_inst *x;
    uint32_t rank, v;
    if (!xg_dot_reduces(dot)) return false;
    xg_dot_parts_of(dot, side);
    v = xg_dot_vector(side);
    m = &side[1 - v];
    rank = m->x->shape->rank;
    x = xg_dot_matrix(m);
    return m->contracting.n == 1 && rank == m->batch.n + 2 && m->contracting.p[0] + 2 == rank &&
           !xg_dot_takes(m, rank - 1) && xg_shape_minor(m->x->shape, 0) == rank - 1 &&
           xg_dot_columns_pay(&dot->comp->module->device, x, x->shape->type != side[v].x->shape->type);
}
XG_FN bool xg_dot_is_of_tiles(const xg_inst *dot) { return xg_dot_is_of_bytes(dot) || xg_dot_is_of_columns(dot); }
/* Of a batch whose rows begin at sectors and whose sums are one step's each: a reduction is one kernel. Of one that
 * split-k made of a matrix it is not. */
XG_FN bool xg_dot_is_batch_of_short(const xg_dot_part *m) {
    const xg_inst *x = xg_dot_matrix(m);
    const xg_shape *s = x->shape;
    return m->batch.n && x->op != XG_RESHAPE && x->op != XG_BITCAST && s->dims[s->rank - 2] <= XG_DOT_K_CUT &&
           s->dims[s->rank - 1] * xg_type_bytes(s->type) % XG_SECTOR_BYTES == 0;
}
/* One of these is left as it is, unless reductions fuse better: with what computes columns, and, where others read the
 * vector, with these, to one kernel that has more to read at a time. */
XG_FN bool xg_dot_is_left(const xg_inst *dot) {
    const xg_device *device = &dot->comp->module->device;
    xg_dot_part side[2];
    uint32_t v;
    bool alone, bytes = xg_dot_is_of_bytes(dot);
    if (!bytes && !xg_dot_is_of_columns(dot)) return false;
    xg_dot_parts_of(dot, side);
    v = xg_dot_vector(side);
    alone = xg_opt_has_one_user(side[v].x);
    if (bytes) return alone || device->tensor_memory;
    return (alone || device->blocks_per_cluster > 1) && !xg_dot_is_batch_of_short(&side[1 - v]) &&
           !(xg_op_flags(xg_dot_matrix(&side[1 - v])->op) & XGF_EW);
}
/* The numbers of the ones, where the left side of a dot of much work is one-hot; else NULL. */
XG_FN xg_inst *xg_dot_labels(const xg_inst *dot) {
    enum {
        WORK_LEAST = 1 << 26, /* products: below, the kernels of a gather are no sooner launched */
        UNITS_TIMES = 32      /* as many by matrix units */
    };
    xg_dot_dims d = xg_dot_dims_of(dot);
    const xg_inst *hot = XG_OPERAND(dot, 0), *w = XG_OPERAND(dot, 1), *y;
    int64_t work, at;
    uint32_t j;
    if (d.lb.n || d.lc.n != 1 || d.rc.p[0] || w->shape->rank != 2) return NULL;
    at = d.lc.p[0];
    work = xg_cost_mul(dot->shape->elements, w->shape->dims[0]);
    if (xg_type_bits(w->shape->type) < 32) work /= UNITS_TIMES;
    if (work < WORK_LEAST ||
        xg_type_class(w->shape->type) == (xg_type_bits(w->shape->type) < 16 ? (int)XGT_F : (int)XGT_C))
        return NULL; /* some floats of 8 bits have no 0; zeros times complex numbers may be NaN */
    if (hot->op == XG_RESHAPE && at + 1 == hot->shape->rank) { /* of rows */
        hot = XG_OPERAND(hot, 0);
        at = (int64_t)hot->shape->rank - 1;
    }
    if (hot->op != XG_CONVERT || at < 0 || hot->shape->dims[at] != w->shape->dims[0]) return NULL;
    y = xg_opt_label(XG_OPERAND(hot, 0), at);
    for (j = 0; y && j < xg_attr_dims(y).n && xg_attr_dims(y).p[j] == (int64_t)j + (j >= at); j++) {}
    return y && j + 1 == hot->shape->rank ? XG_OPERAND(y, 0) : NULL;
}
/* Zeros times what is infinite or NaN are NaN, too: of such elements a column has none, or only the one that is
 * chosen. */
XG_FN xg_inst *xg_dot_gather(const xg_hb *b, xg_inst *dot, xg_inst *labels) {
    xg_inst *w = XG_OPERAND(dot, 1), *x[2], *in, *below;
    xlagpu_type t = w->shape->type;
    int64_t dims[2], at[2] = {0, 1};
    uint32_t k;
    dims[0] = labels->shape->elements;
    dims[1] = w->shape->dims[1];
    labels = xg_hb_reshape(b, labels, dims, 1);
    in = xg_hb_compare(b, "GE", labels, xg_hb_int_like(b, labels, 0));
    below = xg_hb_compare(b, "LT", labels, xg_hb_int_like(b, labels, w->shape->dims[0]));
    in = xg_hb_2(b, XG_AND, in, below);
    x[0] = xg_hb_rows(b, w, labels);
    in = xg_hb_broadcast(b, in, dims, 2, at, 1);
    x[0] = xg_hb_select(b, in, x[0], xg_hb_int_like(b, x[0], 0));
    in = x[0];
    if (xg_type_class(t) == XGT_F) {
        x[1] = w;
        for (k = 0; k < 2; k++) x[k] = xg_hb_convert(b, xg_hb_1(b, XG_NOT, xg_hb_1(b, XG_IS_FINITE, x[k])), XLAGPU_S32);
        x[1] = xg_hb_broadcast(b, xg_hb_sum(b, x[1], at, 1), dims, 2, at + 1, 1);
        x[0] = xg_hb_compare(b, "GT", x[1], x[0]);
        in = xg_hb_select(b, x[0], xg_hb_float_like(b, in, fabs((double)NAN)), in);
    }
    return xg_hb_reshape(b, xg_hb_convert(b, in, dot->shape->type), dot->shape->dims, dot->shape->rank);
}
XG_FN bool xg_dot_is_one_hot(const xg_inst *i) {
    xg_dot_part side[2];
    return xg_dot_may_reduce(i, side) && xg_dot_labels(i);
}
XG_FN bool xg_dot_reduces_alone(const xg_inst *i) {
    if (xg_dot_is_one_hot(i)) return true;
    return !i->scratch && (xg_dot_reduces(i) ? !xg_dot_is_left(i) : xg_dot_is_short(i));
}
/* Of two matrices: both in the dimensions of the result, and of the sum behind those. */
XG_FN xg_inst *xg_dot_reduce_short(const xg_hb *b, xg_inst *dot, const xg_dot_part *side) {
    xlagpu_type t = xg_dot_sum_type(dot);
    int64_t dims[XG_RANK_MAX], at[XG_RANK_MAX], place[XG_RANK_MAX];
    uint32_t rank = dot->shape->rank, n = side->contracting.n, k, own = side->batch.n;
    xg_inst *x[2];
    for (k = 0; k < rank + n; k++) {
        dims[k] = k < rank ? dot->shape->dims[k] : side->x->shape->dims[side->contracting.p[k - rank]];
        at[k] = k;
    }
    for (k = 0; k < 2; k++) {
        xg_dot_places(&side[k], at, at + rank, own, place);
        x[k] = xg_dot_spread(b, xg_hb_convert(b, side[k].x, t), place, dims, rank + n);
        own = side->x->shape->rank - n;
    }
    return xg_hb_convert(b, xg_hb_sum(b, xg_hb_2(b, XG_MULTIPLY, x[0], x[1]), at + rank, n), dot->shape->type);
}
XG_FN xg_inst *xg_dot_reduce(const xg_hb *b, xg_inst *dot) {
    xlagpu_type t = xg_dot_sum_type(dot);
    xg_dot_part side[2];
    const xg_dot_part *m;
    int64_t place[XG_RANK_MAX];
    uint32_t v;
    xg_inst *x[2], *r;
    if (xg_dot_is_one_hot(dot)) return xg_dot_gather(b, dot, xg_dot_labels(dot));
    xg_dot_parts_of(dot, side);
    v = xg_dot_vector(side);
    if (v == 2) return xg_dot_reduce_short(b, dot, side);
    m = &side[1 - v];
    xg_dot_places(&side[v], m->batch.p, m->contracting.p, -1, place);
    x[v] = xg_dot_spread(b, xg_hb_convert(b, side[v].x, t), place, m->x->shape->dims, m->x->shape->rank);
    x[1 - v] = xg_hb_convert(b, m->x, t);
    r = xg_hb_sum(b, xg_hb_2(b, XG_MULTIPLY, x[0], x[1]), m->contracting.p, m->contracting.n);
    return xg_dot_arrange(b, dot, m, xg_hb_convert(b, r, dot->shape->type));
}
XG_FN bool xg_opt_dot_strength_reduction(xg_module *m) {
    if (!m->made[XG_DOT]) return false;
    xg_attention_mark(m, m);
    return xg_opt_expand(m, xg_dot_reduces_alone, xg_dot_reduce);
}

#endif /* XG_OPT_DOT_STRENGTH_REDUCTION_C */
