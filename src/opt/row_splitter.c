/* opt/row_splitter.c -- row-splitter: sums that wait for another reduction over the same rows, of rows that nothing can
 * keep, are made of parts that need not wait.
 *
 *     m = max(x over the row), s = sum(w * exp(x - m))          two readings of x, the second after all of the first
 *     m = sum(x over the row) * f, s = sum((x - m) * (x - m))   the same
 *
 * A row program (fuse/rows.c) reads a row once if a block, or a cluster of blocks, has room for it. Longer rows are cut
 * into parts [rows, parts, length] that a block keeps, and each part has a shift of its own instead of m:
 *
 *     its maximum h:   s = sum over the parts of exp(h - m) * sum(w * exp(x - h))
 *     its mean h:      s = sum over the parts of sum((x - h)^2) + 2 (h - m) sum(x - h) + length (h - m)^2
 *                      (Chan, Golub, LeVeque 1979)
 *
 * So m and s of a part are made while it is at hand, by one kernel; one more, of few elements, combines them; whoever
 * needs x - m afterwards reads x a second time, and the last.
 *
 * - Both identities hold for every h and every m, so nothing is asked about what else m is made of (a guard, a factor).
 *   They are as exact as what they replace: h is as close to its part as m would be, so no difference is larger than
 *   before; the term of sum(x - h), which is 0 but for rounding, makes up for the rounding of h. Maxima that are not
 *   finite are not subtracted.
 * - It pays where memory is read for each stage: rows so few that they would be cut anyway (opt/tree_reduction.c), or
 *   so many at a time that no cache has them still.
 * - Rows that do not lie in one piece, [outer, rows, length], as the channels of a batch norm, have their pieces for
 *   parts.
 * - A few elements at the end of a row that fill no part are parts of one element, for the kernel that combines. */
#ifndef XG_OPT_ROW_SPLITTER_C
#define XG_OPT_ROW_SPLITTER_C
#include "opt.h"
#include "tree_reduction.c"

enum {
    XG_PARTS_PATH = 16 /* operations between exp and its sum */,
    XG_PARTS_ASKED = 32 /* instructions between a reduction and what is subtracted */,
    XG_PARTS_BYTES = 32 << 10,
    XG_PARTS_LEAST = 4 << 10,
    XG_PARTS_UNIT = 32 /* elements of a part, or a multiple */,
    XG_PARTS_PIECE_LEAST = 512 /* bytes */,
    XG_PARTS_PIECES_LEAST = 4 << 20 /* of all, that no cache near by has */,
    XG_PARTS_SHORT =
        256 /* columns: a block has room for dozens of such rows, so what else is read with one is not asked */
};

/* A reduction made of parts, which other sums over the same rows may use, too. */
typedef struct xg_parts_rows {
    const xg_inst *x, *whole; /* what it reduces, its result */
    int64_t rows, cols;
    int64_t outer;               /* pieces of a row, which lie apart: more than one are the parts */
    int64_t parts, length, rest; /* rest: elements of a row behind the last part */
    /* x as [rows, parts, length], and as [rows, rest], which is NULL if nothing is left */
    xg_inst *cut, *last;
    xg_inst *shift, *last_shift; /* of each part */
} xg_parts_rows;
typedef struct xg_parts_sum {
    uint32_t n_path;
    xg_inst *reduce; /* which m comes from */
    xg_parts_rows rows;
    /* the sum; from what it sums to the exponential, or to the square; x - m */
    xg_inst *i, *path[XG_PARTS_PATH], *difference;
} xg_parts_sum;
typedef XG_VEC(xg_parts_rows) xg_parts_known;

/* ---- what is there ---- */

XG_FN xg_inst *xg_parts_plain(xg_inst *i) {
    while (i->op == XG_BITCAST || i->op == XG_RESHAPE) i = XG_OPERAND(i, 0);
    return i;
}
/* Rows of an array, of whose dimensions those in the list are inside of them, or all others: they lie innermost, or
 * outermost as well. */
XG_FN bool xg_parts_order(xg_parts_rows *r, const xg_shape *s, const xg_ints *list, bool listed) {
    int64_t inner = 1;
    uint32_t k;
    r->rows = r->outer = 1;
    for (k = 0; k < s->rank; k++) {
        bool inside = xg_ints_at(*list, k, NULL) == listed;
        if (s->dims[k] == 1) continue;
        if (!inside && inner > 1) return false;
        *(!inside ? &r->rows : r->rows == 1 ? &r->outer : &inner) *= s->dims[k];
    }
    if (r->rows == 1) {
        inner = r->outer;
        r->outer = 1;
    }
    r->length = inner;
    r->cols = r->outer * inner;
    return true;
}
/* One reduction of arrays of floats over rows. */
XG_FN bool xg_parts_is_rows(const xg_inst *i, xg_opcode op, xg_parts_rows *r) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    xg_ints dims;
    if (i->op != XG_REDUCE || i->n_operands != 2 || (s->type != XLAGPU_F32 && s->type != XLAGPU_F64) || s->dynamic ||
        !s->elements || i->shape->type != s->type)
        return false;
    if (!xg_reducer_is_plain(xg_attr_to_apply(i)) || xg_attr_to_apply(i)->root->op != op || xg_inst_order(i))
        return false;
    dims = xg_attr_dims(i);
    return xg_parts_order(r, s, &dims, true);
}
/* What each row has one of, if i is that for all of the row's elements; else NULL. */
XG_FN xg_inst *xg_parts_of_rows(xg_inst *i, const xg_parts_rows *r) {
    xg_parts_rows of;
    xg_ints dims;
    uint32_t k;
    i = xg_parts_plain(i);
    if (i->op != XG_BROADCAST) return NULL;
    dims = xg_attr_dims(i);
    for (k = 1; k < dims.n; k++)
        if (dims.p[k] < dims.p[k - 1]) return NULL;
    return xg_parts_order(&of, i->shape, &dims, false) && of.rows == r->rows && of.outer == r->outer ? XG_OPERAND(i, 0)
                                                                                                     : NULL;
}
/* The reduction of x that a value of each row is made from. */
XG_FN xg_inst *xg_parts_reduce(
    const xg_parts_known *known, const xg_parts_rows *rows, xg_opcode op, xg_inst *i, uint32_t *asked) {
    xg_parts_rows of;
    uint32_t k;
    if (++*asked > XG_PARTS_ASKED) return NULL;
    for (k = 0; k < known->n; k++)
        if (known->p[k].whole == i)
            return known->p[k].x == rows->x && known->p[k].rows == rows->rows && known->p[k].outer == rows->outer &&
                           xg_attr_to_apply(i)->root->op == op
                       ? i
                       : NULL;
    if (i->op == XG_REDUCE)
        return xg_parts_is_rows(i, op, &of) && xg_parts_plain(XG_OPERAND(i, 0)) == rows->x && of.rows == rows->rows &&
                       of.outer == rows->outer
                   ? i
                   : NULL;
    if (i->op != XG_BITCAST && i->op != XG_RESHAPE && !(xg_op_flags(i->op) & XGF_EW)) return NULL;
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *r = xg_parts_reduce(known, rows, op, XG_OPERAND(i, k), asked);
        if (r) return r;
    }
    return NULL;
}
/* x - m, where m is made from the reduction of x over its rows. */
XG_FN bool xg_parts_difference(const xg_parts_known *known, xg_parts_sum *s, xg_inst *i, xg_opcode op) {
    xg_inst *m;
    uint32_t asked = 0;
    s->difference = i = xg_parts_plain(i);
    if (i->op != XG_SUBTRACT || i->shape->type != s->i->shape->type) return false;
    m = xg_parts_of_rows(XG_OPERAND(i, 1), &s->rows);
    s->rows.x = xg_parts_plain(XG_OPERAND(i, 0));
    s->reduce = m ? xg_parts_reduce(known, &s->rows, op, m, &asked) : NULL;
    return s->reduce != NULL;
}
/* A known number everywhere; *v: which. */
XG_FN bool xg_parts_is_number(const xg_inst *i, double *v) {
    const xg_inst *c = i->op == XG_BROADCAST ? XG_OPERAND(i, 0) : i;
    if (c->op != XG_CONSTANT || c->shape->rank || c->literal->elided || !c->literal->data ||
        xg_type_class(c->shape->type) != XGT_F)
        return false;
    *v = xg_literal_get_float(c->literal, 0);
    return true;
}
XG_APART XG_FN bool xg_parts_is_zero(const xg_inst *i) {
    double v;
    return xg_parts_is_number(i, &v) && v == 0;
}
/* i is a multiple of one exp(x - m): s->path goes there. */
XG_FN bool xg_parts_linear(const xg_parts_known *known, xg_parts_sum *s, xg_inst *i) {
    uint32_t at;
    if (s->n_path == XG_PARTS_PATH) return false;
    i = xg_parts_plain(i);
    if (i->shape->type != s->i->shape->type) return false;
    at = s->n_path;
    s->path[s->n_path++] = i;
    switch (i->op) {
    case XG_EXPONENTIAL: return xg_parts_difference(known, s, XG_OPERAND(i, 0), XG_MAXIMUM);
    case XG_NEGATE: return xg_parts_linear(known, s, XG_OPERAND(i, 0));
    case XG_DIVIDE: return xg_parts_linear(known, s, XG_OPERAND(i, 0));
    case XG_MULTIPLY:
        if (xg_parts_linear(known, s, XG_OPERAND(i, 0))) return true;
        s->n_path = at + 1;
        return xg_parts_linear(known, s, XG_OPERAND(i, 1));
    case XG_SELECT:
        if (xg_parts_is_zero(XG_OPERAND(i, 2))) return xg_parts_linear(known, s, XG_OPERAND(i, 1));
        return xg_parts_is_zero(XG_OPERAND(i, 1)) && xg_parts_linear(known, s, XG_OPERAND(i, 2));
    default: return false;
    }
}
XG_FN bool xg_parts_square(const xg_parts_known *known, xg_parts_sum *s, xg_inst *i) {
    s->n_path = 1;
    s->path[0] = i = xg_parts_plain(i);
    return i->op == XG_MULTIPLY && XG_OPERAND(i, 0) == XG_OPERAND(i, 1) &&
           xg_parts_difference(known, s, XG_OPERAND(i, 0), XG_ADD);
}
/* Is it made from a reduction over these rows? Then parts would have to wait for it. */
XG_FN bool xg_parts_waits(const xg_inst *i, int64_t rows, uint32_t *asked) {
    uint32_t k;
    if (++*asked > XG_PARTS_ASKED) return true;
    if (i->op == XG_REDUCE) return i->shape->elements == rows;
    if (i->op != XG_BITCAST && i->op != XG_RESHAPE && i->op != XG_BROADCAST && !(xg_op_flags(i->op) & XGF_EW))
        return false;
    for (k = 0; k < i->n_operands; k++)
        if (xg_parts_waits(XG_OPERAND(i, k), rows, asked)) return true;
    return false;
}
XG_FN bool xg_parts_weights_wait(const xg_parts_sum *s) {
    uint32_t asked = 0, k, j;
    for (k = 0; k + 1 < s->n_path; k++) {
        bool found = false;
        for (j = 0; j < s->path[k]->n_operands; j++) {
            xg_inst *o = xg_parts_plain(XG_OPERAND(s->path[k], j));
            if (!found && o == s->path[k + 1])
                found = true;
            else if (xg_parts_waits(o, s->rows.rows, &asked))
                return true;
        }
    }
    return false;
}
XG_FN bool xg_parts_find(const xg_parts_known *known, xg_parts_sum *s, xg_inst *i) {
    memset(s, 0, sizeof *s);
    s->i = i;
    if (!xg_parts_is_rows(i, XG_ADD, &s->rows)) return false;
    if (xg_parts_square(known, s, XG_OPERAND(i, 0))) return true;
    s->n_path = 0;
    return xg_parts_linear(known, s, XG_OPERAND(i, 0)) && !xg_parts_weights_wait(s);
}

/* ---- whether, and into how many parts ---- */

XG_FN bool xg_parts_pays(const xg_parts_sum *s) {
    const xg_device *h = &s->i->comp->module->device;
    int64_t sms = h->sm_count, element = xg_type_bytes(s->i->shape->type), bytes, at_once;
    bool back;
    if (s->rows.outer > 1)
        return s->rows.length * element >= XG_PARTS_PIECE_LEAST && s->rows.length * element <= XG_TREE_ROW_HELD &&
               s->rows.outer * s->rows.rows >= sms &&
               XG_OPERAND(s->i, 0)->shape->elements >= XG_PARTS_PIECES_LEAST / element;
    if (s->rows.cols <= XG_PARTS_SHORT) return false;
    if (!xg_mul64(s->rows.cols, xg_tree_row_bytes(s->i, s->rows.rows, &back), &bytes) || bytes > INT64_MAX / 4096)
        return false;
    if (xg_tree_row_fits(h, bytes)) return false;
    at_once = XG_MIN(s->rows.rows, sms);
    return s->rows.rows < sms / 2 ? bytes > XG_TREE_BLOCK_BYTES : at_once > h->l2_bytes / 2 / bytes;
}
/* Parts that a block keeps in registers, and enough of them for all multiprocessors; as long as leaves least. */
XG_FN bool xg_parts_plan(xg_parts_sum *s) {
    xg_parts_rows *r = &s->rows;
    const xg_device *h = &s->i->comp->module->device;
    int64_t element = xg_type_bytes(s->i->shape->type), most = XG_PARTS_BYTES / element,
            least = XG_PARTS_LEAST / element, fair, length;
    r->parts = r->outer;
    r->rest = 0;
    if (r->outer > 1) return true;
    fair = r->rows * r->cols / (2 * h->sm_count);
    fair = XG_MAX(XG_MIN(fair, most), least) / XG_PARTS_UNIT * XG_PARTS_UNIT;
    for (r->rest = r->cols, length = fair + fair / 4 / XG_PARTS_UNIT * XG_PARTS_UNIT;
         length > fair - fair / 4 && r->rest; length -= XG_PARTS_UNIT) {
        if (r->cols % length >= r->rest) continue;
        r->rest = r->cols % length;
        r->length = length;
    }
    r->parts = r->cols / r->length;
    return r->parts > 1;
}

/* ---- parts ---- */

XG_FN xg_inst *xg_parts_as(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t rank) {
    return xg_hb_in_dims(b, XG_BITCAST, x, dims, rank);
}
/* The dimension of [rows, parts, length], or [parts, rows, length], that has the rows. */
XG_FN uint32_t xg_parts_row_dim(const xg_parts_rows *r) { return r->outer > 1; }
/* An array of rows as [rows, parts, length], or what of it is left, [rows, rest]. */
XG_FN xg_inst *xg_parts_cut(const xg_hb *b, const xg_parts_rows *r, xg_inst *x, bool last) {
    int64_t dims[3], all = r->parts * r->length;
    double number;
    dims[0] = r->rows;
    dims[1] = last ? r->rest : r->parts;
    dims[2] = r->length;
    x = xg_parts_plain(x);
    if (r->outer > 1) {
        dims[0] = r->parts;
        dims[1] = r->rows;
    }
    if (x->op == XG_BROADCAST && xg_parts_is_number(x, &number))
        return xg_hb_splat(b, XG_OPERAND(x, 0), dims, last ? 2 : 3);
    if (r->outer > 1) return xg_parts_as(b, x, dims, 3);
    dims[1] = r->cols;
    if (r->rest) x = xg_hb_slice_dim(b, xg_parts_as(b, x, dims, 2), 1, last ? all : 0, last ? r->cols : all);
    dims[1] = r->parts;
    return last ? x : xg_parts_as(b, x, dims, 3);
}
/* A value of each part at all of its elements. */
XG_FN xg_inst *xg_parts_spread(const xg_hb *b, xg_inst *v, const xg_inst *like) {
    XG_TABLE const int64_t places[] = {0, 1};
    return xg_hb_broadcast(b, v, like->shape->dims, like->shape->rank, places, 2);
}
/* A value of each row at all of its parts. */
XG_FN xg_inst *xg_parts_of_row(const xg_hb *b, const xg_parts_rows *r, xg_inst *v) {
    int64_t dims[2], at = xg_parts_row_dim(r);
    dims[at] = r->rows;
    v = xg_parts_as(b, v, dims + at, 1);
    dims[1 - at] = r->parts + r->rest;
    return xg_hb_broadcast(b, v, dims, 2, &at, 1);
}
/* Values of the parts, and of those of one element. */
XG_FN xg_inst *xg_parts_all(const xg_hb *b, xg_inst *parts, xg_inst *last) {
    xg_inst *in[2];
    in[0] = parts;
    in[1] = last;
    return last ? xg_hb_concat(b, in, 2, 1) : parts;
}
XG_FN xg_inst *xg_parts_number(const xg_hb *b, const xg_inst *like, double v) {
    return like ? xg_hb_float_like(b, like, v) : NULL;
}
/* The sum of each part, behind a barrier: what follows waits for the whole rows, and would keep what stands here from
 * being made together with the first reduction. */
XG_FN xg_inst *xg_parts_sum_up(const xg_hb *b, xg_inst *x) {
    int64_t inside = 2;
    x = xg_hb_sum(b, x, &inside, 1);
    return xg_hb_of(b, XG_OPT_BARRIER, x->shape, x);
}
/* What is subtracted for a maximum: not what is not finite, so that no difference is a NaN that was none. */
XG_FN xg_inst *xg_parts_finite(const xg_hb *b, xg_inst *x) {
    xg_inst *finite = xg_hb_of(b, XG_IS_FINITE, xg_hb_shape(b, XLAGPU_PRED, x->shape->dims, x->shape->rank), x),
            *zero = xg_hb_float_like(b, x, 0);
    return xg_hb_select(b, finite, x, zero);
}
/* The reduction that others wait for, of parts; each part's shift. */
XG_APART XG_FN void xg_parts_first(xg_parts_sum *s) {
    xg_parts_rows *r = &s->rows;
    xg_inst *i = s->reduce, *init = XG_OPERAND(i, 1), *part, *number;
    xg_comp *to_apply = xg_attr_to_apply(i);
    int64_t inside = 2, across = 1 - (int64_t)xg_parts_row_dim(r);
    xg_hb b = xg_hb_at(i);
    r->cut = xg_parts_cut(&b, r, XG_OPERAND(i, 0), false);
    r->last = r->rest ? xg_parts_cut(&b, r, XG_OPERAND(i, 0), true) : NULL;
    if (to_apply->root->op == XG_ADD) {
        part = xg_hb_sum(&b, r->cut, &inside, 1);
        number = xg_hb_float_like(&b, part, 1 / (double)r->length);
        r->shift = xg_hb_2(&b, XG_MULTIPLY, part, number);
        r->last_shift = r->last;
    } else {
        part = xg_hb_reduce(&b, r->cut, init, &inside, 1, to_apply);
        r->shift = xg_parts_finite(&b, part);
        r->last_shift = r->last ? xg_parts_finite(&b, r->last) : NULL;
    }
    part = xg_parts_all(&b, part, r->last);
    part = xg_hb_reduce(&b, part, init, &across, 1, to_apply);
    r->whole = part;
    xg_inst_replace(i, xg_parts_as(&b, part, i->shape->dims, i->shape->rank));
    xg_inst_remove(i);
}
/* What stands between the exponential and the sum, for parts or for what is left; v: x less the shift. */
XG_FN xg_inst *xg_parts_path(const xg_hb *b, const xg_parts_sum *s, xg_inst *v, bool last) {
    uint32_t k, j;
    v = xg_hb_1(b, XG_EXPONENTIAL, v);
    for (k = s->n_path - 1; k-- > 0;) {
        xg_inst *i = s->path[k], *in[3];
        bool done = false;
        for (j = 0; j < i->n_operands; j++) {
            bool here = !done && xg_parts_plain(XG_OPERAND(i, j)) == s->path[k + 1];
            in[j] = here ? v : xg_parts_cut(b, &s->rows, XG_OPERAND(i, j), last);
            done = done || here;
        }
        v = xg_hb_op(b, i->op, v->shape, in, i->n_operands);
    }
    return v;
}
/* The terms of the sum, one of each part; m: of each row. */
XG_APART XG_FN xg_inst *xg_parts_terms(const xg_hb *b, const xg_parts_sum *s, xg_inst *m) {
    const xg_parts_rows *r = &s->rows;
    xg_inst *h = xg_parts_all(b, r->shift, r->last_shift),
            *d = xg_hb_2(b, XG_SUBTRACT, r->cut, xg_parts_spread(b, r->shift, r->cut)), *squares, *rest, *n, *last;
    h = xg_hb_2(b, XG_SUBTRACT, h, xg_parts_of_row(b, r, m));
    if (s->path[s->n_path - 1]->op == XG_EXPONENTIAL) {
        d = xg_parts_sum_up(b, xg_parts_path(b, s, d, false));
        last = r->last ? xg_parts_path(b, s, xg_hb_2(b, XG_SUBTRACT, r->last, r->last_shift), true) : NULL;
        d = xg_parts_all(b, d, last);
        h = xg_hb_1(b, XG_EXPONENTIAL, h);
        return xg_hb_2(b, XG_MULTIPLY, d, h);
    }
    squares = xg_parts_sum_up(b, xg_hb_2(b, XG_MULTIPLY, d, d));
    d = xg_parts_sum_up(b, d);
    last = xg_parts_number(b, r->last, 0);
    squares = xg_parts_all(b, squares, last);
    n = xg_hb_float_like(b, d, (double)r->length);
    d = xg_parts_all(b, d, last);
    last = xg_parts_number(b, r->last, 1);
    n = xg_parts_all(b, n, last);
    rest = xg_hb_2(b, XG_ADD, d, d);
    rest = xg_hb_2(b, XG_ADD, rest, xg_hb_2(b, XG_MULTIPLY, h, n));
    rest = xg_hb_2(b, XG_MULTIPLY, rest, h);
    return xg_hb_2(b, XG_ADD, squares, rest);
}
/* What nothing reads any more. Of what is read on two ways the second one finds it gone: without operands. */
XG_FN void xg_parts_drop(xg_inst *i) {
    uint32_t n = i->n_operands, k;
    xg_inst *in[4];
    if (!n || !XG_OPERAND(i, 0) || i->first_use || i == i->comp->root || n > XG_COUNT(in) ||
        !(xg_op_flags(i->op) & XGF_EW || i->op == XG_BROADCAST || i->op == XG_BITCAST || i->op == XG_RESHAPE))
        return;
    for (k = 0; k < n; k++) in[k] = XG_OPERAND(i, k);
    xg_inst_remove(i);
    for (k = 0; k < n; k++) xg_parts_drop(in[k]);
}
XG_FN bool xg_parts_step(xg_parts_known *known, xg_inst *i) {
    xg_inst *m, *terms, *x;
    int64_t across;
    xg_parts_sum s;
    uint32_t k;
    xg_hb b;
    if (!xg_parts_find(known, &s, i)) return false;
    for (k = 0; k < known->n && known->p[k].whole != s.reduce; k++) {}
    if (k < known->n)
        s.rows = known->p[k];
    else {
        if (!xg_parts_pays(&s) || !xg_parts_plan(&s)) return false;
        xg_parts_first(&s);
        xg_push(i->comp->module->work, xg_parts_rows, known, s.rows);
    }
    b = xg_hb_at(i);
    across = 1 - (int64_t)xg_parts_row_dim(&s.rows);
    m = xg_parts_of_rows(XG_OPERAND(s.difference, 1), &s.rows);
    terms = xg_parts_terms(&b, &s, m);
    terms = xg_hb_reduce(&b, terms, XG_OPERAND(i, 1), &across, 1, xg_attr_to_apply(i));
    xg_inst_replace(i, xg_parts_as(&b, terms, i->shape->dims, i->shape->rank));
    x = XG_OPERAND(i, 0);
    xg_inst_remove(i);
    xg_parts_drop(x);
    return true;
}
XG_FN bool xg_parts_in(xg_comp *c) {
    xg_inst *i = c->first, *next;
    bool changed = false;
    xg_parts_known known;
    memset(&known, 0, sizeof known);
    for (; i; i = next) {
        next = xg_inst_behind(i);
        changed = (i->op == XG_REDUCE && xg_parts_step(&known, i)) || changed;
    }
    return changed;
}
XG_FN bool xg_opt_row_splitter(xg_module *m) {
    return m->row_programs && m->made[XG_REDUCE] && m->made[XG_SUBTRACT] && xg_opt_each_sequence(m, xg_parts_in);
}

#endif /* XG_OPT_ROW_SPLITTER_C */
