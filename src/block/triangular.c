/* block/triangular.c -- cholesky and triangular-solve: one kernel, whatever the size, that works in the memory of its
 * result.
 *
 * Matrices are cut into tiles of side x side, a thread for each element of a tile: lane, the fast one, and line. A
 * block has one matrix (cholesky) or some of its right sides (triangular-solve). A tile is made from what is left of it
 * after the tiles in front of it have been multiplied, by tiles in shared memory, and is then written once:
 *     cholesky           for each column of tiles: the diagonal one is factored column by column; those below are X L^H
 *                        = B for its factor L
 *     triangular-solve   for each row of tiles: A X = B for the diagonal tile A
 * In both, the unknowns of a small system go along the lanes: each in turn is divided, and handed to the others by a
 * shuffle.
 *
 * Every form is brought to a lower triangle by the indices alone: the factor of an upper triangle is the adjoint of
 * that of the adjoint; op(a) transposes; an upper system is a lower one read from its end; x op(a) = y is op(a)^T x^T =
 * y^T. What lies in the other triangle is never read; where the pivots are not all positive the factor is NaN; its
 * other triangle is zero. */
#ifndef XG_BLOCK_TRIANGULAR_C
#define XG_BLOCK_TRIANGULAR_C
#include "block.h"

typedef struct xg_tiled_site {
    xg_fusion_emission *e;
    const xg_inst *i;
    xg_scope *s;
    xg_kelem real, element;
    bool is_complex;
    int64_t n, side, tiles, lines, columns; /* lines: threads / side; columns: right sides of a matrix */
    int64_t threads, blocks, parts;         /* parts: blocks for the right sides of a matrix */
    /* how the matrix is read: transposed, conjugate, from its end; right sides lie in rows; the diagonal is one */
    bool swap, conj, back, across, unit;
    xg_kval *lane, *line, *at[XG_RANK_MAX]; /* at: the indices of the batch */
    xg_kval *group;                         /* of lanes within a warp: the first one's number, i32 */
} xg_tiled_site;

/* ---- integers ---- */

XG_FN xg_kval *xg_tiled_index(xg_tiled_site *d, int64_t v) { return xg_elem_index(d->s, v); }
/* x * by + y, below the limit */
XG_FN xg_kval *xg_tiled_join(xg_tiled_site *d, xg_kval *x, int64_t by, xg_kval *y, int64_t limit) {
    xg_kval *v = xg_kaddi(&d->s->b, xg_k2(&d->s->b, XG_K_OP_MULI, x, xg_tiled_index(d, by)), y);
    xg_kval_set_range(v, xg_range_of(0, limit - 1));
    return v;
}
XG_FN xg_kval *xg_tiled_row(xg_tiled_site *d, xg_kval *tile, xg_kval *r) {
    return xg_tiled_join(d, tile, d->side, r, d->tiles * d->side);
}
XG_FN xg_kval *xg_tiled_place(xg_tiled_site *d, xg_kval *r, xg_kval *c) {
    return xg_tiled_join(d, r, d->side + 1, c, d->side * (d->side + 1));
} /* in a tile: rows meet different banks */
XG_FN xg_kval *xg_tiled_is(xg_tiled_site *d, xg_kcmpi p, xg_kval *x, xg_kval *y) {
    return xg_kcmpi_(&d->s->b, p, x, y);
}
/* Whether an index that tiles make exists; NULL: always. */
XG_FN xg_kval *xg_tiled_inside(xg_tiled_site *d, xg_kval *x, int64_t limit) {
    return xg_kval_range(x).hi < limit ? NULL : xg_tiled_is(d, XG_CI_SLT, x, xg_tiled_index(d, limit));
}

/* ---- numbers ---- */

XG_FN xg_elem xg_tiled_number(xg_tiled_site *d, double v) {
    xg_elem z;
    z.v = xg_kconst_float(&d->s->b, d->real, v);
    z.im = d->is_complex ? xg_kconst_float(&d->s->b, d->real, 0) : NULL;
    return z;
}
XG_FN xg_elem xg_tiled_select(xg_tiled_site *d, xg_kval *p, xg_elem x, xg_elem y) {
    if (!p) return x;
    x.v = xg_kselect(&d->s->b, p, x.v, y.v);
    if (x.im) x.im = xg_kselect(&d->s->b, p, x.im, y.im);
    return x;
}
XG_FN xg_elem xg_tiled_conj(xg_tiled_site *d, xg_elem x) {
    if (x.im) x.im = xg_k1(&d->s->b, XG_K_OP_NEGF, x.im);
    return x;
}
/* z - x y */
XG_FN xg_elem xg_tiled_less(xg_tiled_site *d, xg_elem z, xg_elem x, xg_elem y) {
    xg_kb *b = &d->s->b;
    xg_kval *minus = xg_k1(b, XG_K_OP_NEGF, x.v);
    z.v = xg_k3(b, XG_K_OP_FMA, minus, y.v, z.v);
    if (!x.im) return z;
    z.v = xg_k3(b, XG_K_OP_FMA, x.im, y.im, z.v);
    z.im = xg_k3(b, XG_K_OP_FMA, minus, y.im, z.im);
    z.im = xg_k3(b, XG_K_OP_FMA, xg_k1(b, XG_K_OP_NEGF, x.im), y.v, z.im);
    return z;
}
XG_FN xg_elem xg_tiled_over_real(xg_tiled_site *d, xg_elem x, xg_kval *y) {
    x.v = xg_k2(&d->s->b, XG_K_OP_DIVF, x.v, y);
    if (x.im) x.im = xg_k2(&d->s->b, XG_K_OP_DIVF, x.im, y);
    return x;
}
/* What the lane of number r in this one's group has. */
XG_FN xg_elem xg_tiled_from_lane(xg_tiled_site *d, xg_elem x, xg_kval *r) {
    xg_kb *b = &d->s->b;
    xg_kval *lane = xg_kaddi(b, xg_kcast_index(b, r, XG_E_I32), d->group);
    x.v = xg_kshuffle(b, XG_K_OP_SHFLIDX, x.v, lane);
    if (x.im) x.im = xg_kshuffle(b, XG_K_OP_SHFLIDX, x.im, lane);
    return x;
}

/* ---- loops and conditions ---- */

/* What a loop or an if carries: some tensors, some elements, a flag. */
typedef struct xg_tiled_state {
    xg_kval *tensors[4];
    uint32_t n_tensors;
    xg_elem elems[2];
    uint32_t n_elems;
    xg_kval *flag;
} xg_tiled_state;
XG_FN xg_flow xg_tiled_carry(xg_tiled_site *d, xg_tiled_state *c) {
    xg_flow f = xg_flow_begin(d->s);
    uint32_t k;
    for (k = 0; k < c->n_tensors; k++) xg_flow_slot(&f, &c->tensors[k]);
    for (k = 0; k < c->n_elems; k++) xg_flow_elem(&f, &c->elems[k]);
    xg_flow_slot(&f, &c->flag);
    return f;
}
/* lo: NULL for zero. */
XG_FN xg_flow xg_tiled_loop(xg_tiled_site *d, xg_kval *lo, xg_kval *hi, int64_t limit, xg_tiled_state *c) {
    xg_flow f = xg_tiled_carry(d, c);
    if (!lo) lo = xg_tiled_index(d, 0);
    xg_flow_for(&f, lo, hi, 1, limit);
    return f;
}
/* Over places of a tile in shared memory, whose addresses it carries. */
XG_FN xg_flow xg_tiled_walk(xg_tiled_site *d, xg_tiled_state *c) {
    xg_flow f = xg_tiled_loop(d, NULL, xg_tiled_index(d, XG_MIN(d->side, d->n)), d->side, c);
    f.op->flags |= KL_STEP_POINTERS;
    return f;
}
XG_FN xg_flow xg_tiled_if(xg_tiled_site *d, xg_kval *cond, xg_tiled_state *c) {
    xg_flow f = xg_tiled_carry(d, c);
    xg_flow_if(&f, cond);
    return f;
}

/* ---- memory ---- */

XG_FN xg_kval *xg_tiled_array(xg_tiled_site *d, int64_t elements) {
    return xg_shared_array(&d->s->b, d->element, elements);
}
XG_FN void xg_tiled_wait(xg_tiled_site *d, xg_tiled_state *c) { xg_shared_wait(&d->s->b, c->tensors, c->n_tensors); }
XG_FN xg_elem xg_tiled_get(xg_tiled_site *d, xg_kval *array, xg_kval *r, xg_kval *c) {
    xg_kval *at = xg_tiled_place(d, r, c);
    return xg_emit_split(&d->s->b, xg_kextract(&d->s->b, array, &at, 1));
}
XG_FN xg_kval *xg_tiled_put(xg_tiled_site *d, xg_elem v, xg_kval *array, xg_kval *r, xg_kval *c) {
    xg_kval *at = xg_tiled_place(d, r, c);
    return xg_kinsert_at(&d->s->b, xg_emit_join(&d->s->b, v), array, at);
}
XG_FN xg_kval *xg_tiled_from_end(xg_tiled_site *d, xg_kval *x) {
    xg_kval *v;
    if (!d->back) return x;
    v = xg_ksubi(&d->s->b, xg_tiled_index(d, d->n - 1), x);
    xg_kval_set_range(v, xg_range_of(0, d->n - 1));
    return v;
}
/* Indices of element (r, c) of the matrix, or of unknown r of right side c. */
XG_FN void xg_tiled_matrix_at(xg_tiled_site *d, const xg_shape *shape, xg_kval *r, xg_kval *c, xg_kval **at) {
    memcpy((void *)at, (void *)d->at, sizeof d->at);
    r = xg_tiled_from_end(d, r);
    c = xg_tiled_from_end(d, c);
    at[shape->rank - 2] = d->swap ? c : r;
    at[shape->rank - 1] = d->swap ? r : c;
}
XG_FN void xg_tiled_side_at(xg_tiled_site *d, const xg_shape *shape, xg_kval *r, xg_kval *c, xg_kval **at) {
    memcpy((void *)at, (void *)d->at, sizeof d->at);
    r = xg_tiled_from_end(d, r);
    at[shape->rank - 2] = d->across ? c : r;
    at[shape->rank - 1] = d->across ? r : c;
}
/* An element of an operand (array NULL) or of what has been written of the result; `missing` where it does not
 * exist. */
XG_FN xg_elem xg_tiled_read(xg_tiled_site *d, uint32_t operand, xg_kval *array, xg_kval *const *at, xg_kval *exists,
    xg_elem missing, bool conj) {
    const xg_inst *o = XG_OPERAND(d->i, operand);
    xg_kval *physical[XG_RANK_MAX];
    xg_tiled_state c;
    xg_flow f;
    memset(&c, 0, sizeof c);
    c.elems[0] = missing;
    c.n_elems = 1;
    if (exists) f = xg_tiled_if(d, exists, &c);
    if (array) {
        xg_emit_physical(d->i->shape, at, physical);
        c.elems[0] = xg_emit_split(&d->s->b, xg_kextract(&d->s->b, array, physical, d->i->shape->rank));
    } else
        c.elems[0] = xg_elem_of(d->s, o, at);
    if (conj) c.elems[0] = xg_tiled_conj(d, c.elems[0]);
    if (exists) xg_flow_end(&f);
    return c.elems[0];
}
XG_FN xg_kval *xg_tiled_write(xg_tiled_site *d, xg_elem v, xg_kval *dest, xg_kval *const *at, xg_kval *exists) {
    xg_tiled_state c;
    xg_flow f;
    memset(&c, 0, sizeof c);
    c.tensors[0] = dest;
    c.n_tensors = 1;
    if (exists) f = xg_tiled_if(d, exists, &c);
    c.tensors[0] = xg_emit_insert(&d->s->b, v, c.tensors[0], d->i->shape, at);
    if (exists) xg_flow_end(&f);
    return c.tensors[0];
}
/* Tile (i, j) of the matrix, from the operand or from the result, into an array; zeros where nothing is, on the
 * diagonal ones. */
XG_FN xg_kval *xg_tiled_bring(xg_tiled_site *d, xg_kval *result, xg_kval *i, xg_kval *j, xg_kval *array) {
    xg_kval *at[XG_RANK_MAX];
    int64_t k;
    for (k = 0; k < d->side / d->lines; k++) { /* threads run along memory */
        xg_kval *slow = k ? xg_kaddi(&d->s->b, d->line, xg_tiled_index(d, k * d->lines)) : d->line,
                *r = d->swap ? d->lane : slow, *c = d->swap ? slow : d->lane, *row, *column, *exists;
        xg_elem missing = xg_tiled_number(d, 0), v;
        row = xg_tiled_row(d, i, r);
        column = xg_tiled_row(d, j, c);
        exists = xg_tiled_inside(d, row, d->n);
        exists = xg_elem_and(d->s, exists, xg_tiled_inside(d, column, d->n));
        if (exists) {
            v = xg_tiled_number(d, 1);
            missing = xg_tiled_select(d, xg_tiled_is(d, XG_CI_EQ, row, column), v, missing);
        }
        xg_tiled_matrix_at(d, d->i->op == XG_CHOLESKY ? d->i->shape : XG_OPERAND(d->i, 0)->shape, row, column, at);
        v = xg_tiled_read(d, 0, result, at, exists, missing, d->conj);
        array = xg_tiled_put(d, v, array, r, c);
    }
    return array;
}

/* x over the pivot: of real numbers a division; complex ones are multiplied by what `inverse` says, and roots, which
 * are never so small that it would overflow, too. */
XG_FN xg_elem xg_tiled_inverse(xg_tiled_site *d, xg_elem pivot, bool root) {
    xg_elem one = xg_tiled_number(d, 1);
    if (root) {
        pivot.v = xg_k2(&d->s->b, XG_K_OP_DIVF, one.v, pivot.v);
        return pivot;
    }
    return pivot.im ? xg_cx_div(&d->s->b, one, pivot) : pivot;
}
XG_FN xg_elem xg_tiled_over(xg_tiled_site *d, xg_elem x, xg_elem inverse, bool root) {
    if (!root) return x.im ? xg_cx_mul(&d->s->b, x, inverse) : xg_tiled_over_real(d, x, inverse.v);
    x.v = xg_kmulf(&d->s->b, x.v, inverse.v);
    if (x.im) x.im = xg_kmulf(&d->s->b, x.im, inverse.v);
    return x;
}
/* The unknowns of one small system along the lanes, whose row lane the array has. conj: the factors are taken
 * conjugate, and the pivots are roots. */
XG_FN xg_elem xg_tiled_solve_tile(xg_tiled_site *d, xg_kval *array, xg_elem rest, bool conj) {
    xg_elem pivot = d->unit ? rest : xg_tiled_inverse(d, xg_tiled_get(d, array, d->lane, d->lane), conj), q;
    xg_tiled_state c;
    xg_flow l;
    memset(&c, 0, sizeof c);
    c.elems[0] = rest;
    c.elems[1] = xg_tiled_number(d, 0);
    c.n_elems = 2;
    l = xg_tiled_walk(d, &c);
    q = d->unit ? c.elems[0] : xg_tiled_over(d, c.elems[0], pivot, conj);
    c.elems[1] = xg_tiled_select(d, xg_tiled_is(d, XG_CI_EQ, d->lane, l.var), q, c.elems[1]);
    q = xg_tiled_from_lane(d, q, l.var);
    pivot = xg_tiled_get(d, array, d->lane, l.var);
    c.elems[0] = xg_tiled_less(d, c.elems[0], q, conj ? xg_tiled_conj(d, pivot) : pivot);
    xg_flow_end(&l);
    return c.elems[1];
}

/* ---- cholesky ---- */

/* acc - the sum over r of x[p, r] conj(y[q, r]) */
XG_FN xg_elem xg_tiled_less_product(xg_tiled_site *d, xg_elem acc, xg_kval *x, xg_kval *p, xg_kval *y, xg_kval *q) {
    xg_tiled_state c;
    xg_flow l;
    xg_elem u, v;
    memset(&c, 0, sizeof c);
    c.elems[0] = acc;
    c.n_elems = 1;
    l = xg_tiled_walk(d, &c);
    u = xg_tiled_get(d, x, p, l.var);
    v = xg_tiled_get(d, y, q, l.var);
    c.elems[0] = xg_tiled_less(d, c.elems[0], u, xg_tiled_conj(d, v));
    xg_flow_end(&l);
    return c.elems[0];
}
/* tensors of cholesky's state: the result; the factor of the diagonal tile; where there are several, tiles of two
 * rows */
enum {
    XG_TILED_OUT,
    XG_TILED_FACTOR,
    XG_TILED_LEFT,
    XG_TILED_RIGHT
};

/* acc less the products of the tiles in front of (i, j); i and j may be the same. */
XG_FN void xg_tiled_factor_front(xg_tiled_site *d, xg_tiled_state *c, xg_kval *i, xg_kval *j, xg_kval *p, xg_kval *q) {
    bool same = i == j;
    xg_flow l;
    if (d->tiles == 1) return;
    l = xg_tiled_loop(d, NULL, j, d->tiles, c);
    c->tensors[XG_TILED_LEFT] = xg_tiled_bring(d, c->tensors[XG_TILED_OUT], i, l.var, c->tensors[XG_TILED_LEFT]);
    if (!same)
        c->tensors[XG_TILED_RIGHT] = xg_tiled_bring(d, c->tensors[XG_TILED_OUT], j, l.var, c->tensors[XG_TILED_RIGHT]);
    xg_tiled_wait(d, c);
    c->elems[0] = xg_tiled_less_product(
        d, c->elems[0], c->tensors[XG_TILED_LEFT], p, c->tensors[same ? XG_TILED_LEFT : XG_TILED_RIGHT], q);
    xg_tiled_wait(d, c);
    xg_flow_end(&l);
}
/* An element of the operand's lower triangle. */
XG_FN xg_elem xg_tiled_start(xg_tiled_site *d, xg_kval *r, xg_kval *c, xg_kval *exists) {
    xg_kval *at[XG_RANK_MAX];
    xg_elem zero = xg_tiled_number(d, 0), one = xg_tiled_number(d, 1),
            missing = xg_tiled_select(d, xg_tiled_is(d, XG_CI_EQ, r, c), one, zero);
    exists = xg_elem_and(d->s, exists, xg_tiled_inside(d, r, d->n));
    xg_tiled_matrix_at(d, d->i->shape, r, c, at);
    return xg_tiled_read(d, 0, NULL, at, exists, missing, d->conj);
}
/* The threads of column k, whose pivot is at hand: what the factor has in it, into the array as well. */
XG_APART XG_FN void xg_tiled_factor_column(xg_tiled_site *d, xg_tiled_state *own, xg_elem pivot, xg_kval *k) {
    xg_kval *good = xg_kcmpf_(&d->s->b, XG_CF_OGT, pivot.v, xg_tiled_number(d, 0).v);
    xg_elem root = xg_tiled_number(d, 0), v;
    root.v = XG_KSELECT(
        &d->s->b, good, xg_k1(&d->s->b, XG_K_OP_SQRT, pivot.v), xg_kconst_float(&d->s->b, d->real, xg_f64_nan()));
    v = xg_tiled_over(d, own->elems[0], xg_tiled_inverse(d, root, true), true);
    v = xg_tiled_select(d, xg_tiled_is(d, XG_CI_EQ, d->lane, k), root, v);
    root = xg_tiled_number(d, 0);
    v = xg_tiled_select(d, xg_tiled_is(d, XG_CI_SLT, d->lane, k), root, v);
    own->elems[0] = v;
    own->tensors[0] = xg_tiled_put(d, v, own->tensors[0], d->lane, k);
}
/* Column after column: its pivot's root, what is below divided by that, and the product of both taken off the columns
 * behind. */
XG_APART XG_FN void xg_tiled_factor_tile(xg_tiled_site *d, xg_tiled_state *c) {
    xg_flow l = xg_tiled_walk(d, c), f;
    xg_kval *k = l.var;
    xg_elem v, u, pivot = xg_tiled_from_lane(d, c->elems[0], k);
    xg_tiled_state own;
    memset(&own, 0, sizeof own);
    own.tensors[0] = c->tensors[XG_TILED_FACTOR];
    own.n_tensors = 1;
    own.elems[0] = c->elems[0];
    own.n_elems = 1;
    f = xg_tiled_if(d, xg_tiled_is(d, XG_CI_EQ, d->line, k), &own);
    xg_tiled_factor_column(d, &own, pivot, k);
    xg_flow_end(&f);
    c->tensors[XG_TILED_FACTOR] = own.tensors[0];
    xg_tiled_wait(d, c);
    v = xg_tiled_get(d, c->tensors[XG_TILED_FACTOR], d->lane, k);
    u = xg_tiled_get(d, c->tensors[XG_TILED_FACTOR], d->line, k);
    v = xg_tiled_less(d, c->elems[0], v, xg_tiled_conj(d, u)); /* columns in front of it are finished */
    c->elems[0] = xg_tiled_select(d, xg_tiled_is(d, XG_CI_SGT, d->line, k), v, own.elems[0]);
    pivot = xg_tiled_get(d, c->tensors[XG_TILED_FACTOR], k, k);
    c->flag = xg_kandi(&d->s->b, c->flag, xg_kcmpf_(&d->s->b, XG_CF_OGT, pivot.v, xg_tiled_number(d, 0).v));
    xg_flow_end(&l);
}
XG_FN void xg_tiled_factor_put(xg_tiled_site *d, xg_tiled_state *c, xg_elem v, xg_kval *row, xg_kval *column) {
    xg_kval *at[XG_RANK_MAX], *exists = xg_tiled_inside(d, row, d->n);
    exists = xg_elem_and(d->s, exists, xg_tiled_inside(d, column, d->n));
    xg_tiled_matrix_at(d, d->i->shape, row, column, at);
    c->tensors[XG_TILED_OUT] =
        xg_tiled_write(d, d->conj ? xg_tiled_conj(d, v) : v, c->tensors[XG_TILED_OUT], at, exists);
}
XG_FN void xg_tiled_factor_below(xg_tiled_site *d, xg_tiled_state *c, xg_kval *j) {
    xg_kval *row, *column;
    xg_flow l;
    xg_elem v;
    if (d->tiles == 1) return;
    row = xg_kaddi(&d->s->b, j, xg_tiled_index(d, 1));
    l = xg_tiled_loop(d, row, xg_tiled_index(d, d->tiles), d->tiles, c);
    row = xg_tiled_row(d, l.var, d->line);
    column = xg_tiled_row(d, j, d->lane);
    c->elems[0] = xg_tiled_start(d, row, column, NULL);
    xg_tiled_factor_front(d, c, l.var, j, d->line, d->lane);
    v = xg_tiled_solve_tile(d, c->tensors[XG_TILED_FACTOR], c->elems[0], true);
    xg_tiled_factor_put(d, c, v, row, column);
    xg_tiled_factor_put(d, c, xg_tiled_number(d, 0), column, row);
    xg_flow_end(&l);
}
/* All of the lower triangle is NaN if a pivot was not positive. */
XG_FN void xg_tiled_factor_refuse(xg_tiled_site *d, xg_tiled_state *c) {
    xg_kval *bad = xg_k2_int(&d->s->b, XG_K_OP_XORI, c->flag, 1), *at[XG_RANK_MAX], *row, *column, *exists;
    xg_tiled_state own;
    xg_flow i, j;
    xg_flow f;
    memset(&own, 0, sizeof own);
    own.tensors[0] = c->tensors[XG_TILED_OUT];
    own.n_tensors = 1;
    f = xg_tiled_if(d, bad, &own);
    i = xg_tiled_loop(d, NULL, xg_tiled_index(d, d->tiles), d->tiles, &own);
    j = xg_tiled_loop(d, NULL, xg_tiled_index(d, d->tiles), d->tiles, &own);
    row = xg_tiled_row(d, i.var, d->line);
    column = xg_tiled_row(d, j.var, d->lane);
    exists = xg_tiled_inside(d, row, d->n);
    exists = xg_elem_and(d->s, exists, xg_tiled_is(d, XG_CI_SGE, row, column));
    xg_tiled_matrix_at(d, d->i->shape, row, column, at);
    own.tensors[0] = xg_tiled_write(d, xg_tiled_number(d, xg_f64_nan()), own.tensors[0], at, exists);
    xg_flow_end(&j);
    xg_flow_end(&i);
    xg_flow_end(&f);
    c->tensors[XG_TILED_OUT] = own.tensors[0];
}
XG_APART XG_FN xg_kval *xg_tiled_cholesky(xg_tiled_site *d, xg_kval *dest) {
    int64_t tile = d->side * (d->side + 1);
    xg_kval *row, *column, *j;
    xg_tiled_state c;
    xg_flow l;
    memset(&c, 0, sizeof c);
    c.tensors[XG_TILED_OUT] = dest;
    for (c.n_tensors = 1; c.n_tensors < (d->tiles > 1 ? 4u : 2u); c.n_tensors++)
        c.tensors[c.n_tensors] = xg_tiled_array(d, tile);
    c.elems[0] = xg_tiled_number(d, 0);
    c.n_elems = 1;
    c.flag = xg_kconst_int(&d->s->b, XG_E_I1, 1);
    l = xg_tiled_loop(d, NULL, xg_tiled_index(d, d->tiles), d->tiles, &c);
    j = l.var;
    row = xg_tiled_row(d, j, d->lane);
    column = xg_tiled_row(d, j, d->line);
    c.elems[0] = xg_tiled_start(d, row, column, xg_tiled_is(d, XG_CI_SGE, row, column));
    xg_tiled_factor_front(d, &c, j, j, d->lane, d->line);
    xg_tiled_factor_tile(d, &c);
    xg_tiled_factor_put(d, &c, c.elems[0], row, column);
    xg_tiled_factor_below(d, &c, j);
    if (d->tiles > 1) xg_tiled_wait(d, &c);
    xg_flow_end(&l);
    xg_tiled_wait(d, &c);
    xg_tiled_factor_refuse(d, &c);
    return c.tensors[XG_TILED_OUT];
}

/* ---- triangular-solve ---- */

/* Tile after tile; tensors: the result; the matrix' tile; unknowns that are known. */
XG_FN xg_kval *xg_tiled_solve(xg_tiled_site *d, xg_kval *dest, xg_kval *column) {
    const xg_shape *shape = d->i->shape;
    xg_kval *at[XG_RANK_MAX], *exists_column = xg_tiled_inside(d, column, d->columns), *row, *exists, *i, *place;
    xg_tiled_state c, sum;
    xg_flow rows, front, l;
    xg_elem zero = xg_tiled_number(d, 0), x, a;
    memset(&c, 0, sizeof c);
    c.n_tensors = d->tiles > 1 ? 3 : 2;
    c.tensors[0] = dest;
    c.tensors[1] = xg_tiled_array(d, d->side * (d->side + 1));
    if (d->tiles > 1) c.tensors[2] = xg_tiled_array(d, d->side * d->lines);
    rows = xg_tiled_loop(d, NULL, xg_tiled_index(d, d->tiles), d->tiles, &c);
    i = rows.var;
    row = xg_tiled_row(d, i, d->lane);
    exists = xg_elem_and(d->s, xg_tiled_inside(d, row, d->n), exists_column);
    xg_tiled_side_at(d, shape, row, column, at);
    x = xg_tiled_read(d, 1, NULL, at, exists, zero, false);
    if (d->tiles > 1) {
        c.elems[0] = x;
        c.n_elems = 1;
        front = xg_tiled_loop(d, NULL, i, d->tiles, &c);
        c.tensors[1] = xg_tiled_bring(d, NULL, i, front.var, c.tensors[1]);
        xg_tiled_side_at(d, shape, xg_tiled_row(d, front.var, d->lane), column, at);
        x = xg_tiled_read(d, 1, c.tensors[0], at, exists_column, zero, false);
        place = xg_tiled_join(d, d->lane, d->lines, d->line, d->side * d->lines);
        c.tensors[2] = xg_kinsert_at(&d->s->b, xg_emit_join(&d->s->b, x), c.tensors[2], place);
        xg_tiled_wait(d, &c);
        memset(&sum, 0, sizeof sum);
        sum.elems[0] = c.elems[0];
        sum.n_elems = 1;
        l = xg_tiled_loop(d, NULL, xg_tiled_index(d, XG_MIN(d->side, d->n)), d->side, &sum);
        a = xg_tiled_get(d, c.tensors[1], d->lane, l.var);
        place = xg_tiled_join(d, l.var, d->lines, d->line, d->side * d->lines);
        x = xg_emit_split(&d->s->b, xg_kextract(&d->s->b, c.tensors[2], &place, 1));
        sum.elems[0] = xg_tiled_less(d, sum.elems[0], a, x);
        xg_flow_end(&l);
        c.elems[0] = sum.elems[0];
        xg_tiled_wait(d, &c);
        xg_flow_end(&front);
        x = c.elems[0];
        c.n_elems = 0;
    }
    c.tensors[1] = xg_tiled_bring(d, NULL, i, i, c.tensors[1]);
    xg_tiled_wait(d, &c);
    x = xg_tiled_solve_tile(d, c.tensors[1], x, false);
    xg_tiled_side_at(d, shape, row, column, at);
    c.tensors[0] = xg_tiled_write(d, x, c.tensors[0], at, exists);
    if (d->tiles > 1) xg_tiled_wait(d, &c);
    xg_flow_end(&rows);
    return c.tensors[0];
}

/* ---- the kernel ---- */

XG_FN void xg_tiled_describe(xg_tiled_site *d, xg_fusion_emission *e) {
    const xg_inst *i = e->roots[0];
    const xg_shape *a = XG_OPERAND(i, 0)->shape, *y = i->shape;
    bool lower = xg_attr_or_0(i, XG_A_lower) != 0;
    memset(d, 0, sizeof *d);
    d->e = e;
    d->i = i;
    d->n = a->dims[a->rank - 1];
    d->element = xg_kelem_of(y->type);
    d->real = xg_kelem_of(xg_type_real(y->type));
    d->is_complex = xg_type_class(y->type) == XGT_C;
    if (i->op == XG_CHOLESKY)
        d->swap = d->conj = !lower;
    else {
        xg_str op = xg_attr_str(i, XG_A_transpose_a);
        d->across = xg_attr_or_0(i, XG_A_left_side) == 0;
        d->unit = xg_attr_or_0(i, XG_A_unit_diagonal) != 0;
        d->conj = xg_str_is(op, "ADJOINT");
        d->swap = (xg_str_is(op, "TRANSPOSE") || d->conj) != d->across;
        d->back = lower == d->swap;
        d->columns = y->dims[y->rank - (d->across ? 2 : 1)];
    }
    for (d->side = 8; d->side < d->n && d->side < (xg_kelem_bytes(d->element) == 16 ? 16 : 32); d->side *= 2) {}
    d->tiles = (d->n + d->side - 1) / d->side;
    if (i->op == XG_CHOLESKY)
        d->lines = d->side;
    else
        for (d->lines = XG_MAX(32 / d->side, (int64_t)1); d->lines < d->columns && d->lines < d->side; d->lines *= 2) {}
}
/* Threads and blocks as indices: lane and line; those of the batch, and (returned) the right side. */
XG_APART XG_FN xg_kval *xg_tiled_where(xg_tiled_site *d, int64_t threads, int64_t blocks, int64_t parts) {
    xg_aff_ctx *x = d->e->m->aff;
    uint32_t batch = d->i->shape->rank - 2, k;
    xg_imap *m = xg_imap_of_dims(x, 2, batch + 3);
    const xg_aff *rest = xg_aff_div(x, xg_aff_dim_1(x), parts);
    xg_kval *dims[2], *out[XG_RANK_MAX + 3];
    dims[0] = xg_kthread_id(&d->s->b, 0, threads);
    dims[1] = xg_kblock_id(&d->s->b, 0, blocks);
    m->dims[0].range = xg_range_of(0, threads - 1);
    m->dims[1].range = xg_range_of(0, blocks - 1);
    for (k = batch; k-- > 0;) {
        m->results[k] = k ? xg_aff_mod(x, rest, d->i->shape->dims[k]) : rest;
        rest = xg_aff_div(x, rest, d->i->shape->dims[k]);
    }
    m->results[batch] = xg_aff_mod(x, xg_aff_dim_0(x), d->side);
    m->results[batch + 1] = xg_aff_div(x, xg_aff_dim_0(x), d->side);
    m->results[batch + 2] = xg_aff_add_mul(x, m->results[batch + 1], xg_aff_mod(x, xg_aff_dim_1(x), parts), d->lines);
    xg_elem_apply(d->s, xg_imap_simplify(x, m), dims, out);
    for (k = 0; k < batch; k++) d->at[k] = out[k];
    d->lane = out[batch];
    d->line = out[batch + 1];
    d->group = XG_KOP2(&d->s->b, XG_K_OP_ANDI, xg_kcast_index(&d->s->b, dims[0], XG_E_I32),
        xg_kconst_i32(&d->s->b, 31 & ~(d->side - 1)));
    return out[batch + 2];
}
/* Of the factorisation, a tile and, where there are several, two more; of the solution, the matrix' tile and what is
 * known already. */
XG_FN int64_t xg_tiled_shared_bytes(const xg_tiled_site *d) {
    int64_t element = xg_kelem_bytes(d->element), tile = xg_shared_whole(d->side * (d->side + 1) * element);
    if (!d->i->shape->elements) return 0;
    if (d->tiles == 1) return tile;
    return d->i->op == XG_CHOLESKY ? 3 * tile : tile + xg_shared_whole(d->side * d->lines * element);
}
XG_FN bool xg_emit_triangular_plan(xg_fusion_emission *e) {
    int64_t batch = 1;
    xg_tiled_site *d;
    uint32_t k;
    if (e->n_roots != 1 || (e->roots[0]->op != XG_CHOLESKY && e->roots[0]->op != XG_TRIANGULAR_SOLVE)) return false;
    d = XG_NEW(e->arena, xg_tiled_site);
    e->form = d;
    xg_tiled_describe(d, e);
    d->threads = d->side * d->lines;
    d->parts = d->columns ? (d->columns + d->lines - 1) / d->lines : 1;
    for (k = 0; k + 2 < d->i->shape->rank; k++) batch *= d->i->shape->dims[k];
    d->blocks = d->i->shape->elements ? batch * d->parts : 1;
    if (d->blocks > INT32_MAX)
        xg_hlo_fail(d->i, XLAGPU_ERROR_LIMIT, NULL, "%s for %lld blocks; at most 2147483647 are supported in kernels",
            xg_op_name(d->i->op), (long long)d->blocks);
    e->record->launch.shared = xg_tiled_shared_bytes(d);
    return xg_emit_launch(e, d->threads, d->blocks, 0);
}
XG_FN void xg_emit_triangular(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_kval *dest = &f->body->args[e->comp->n_params], *column;
    xg_tiled_site *d = (xg_tiled_site *)e->form;
    xg_scope s;
    xg_emit_functions(e, false);
    s = xg_emit_scope(e, f, UINT32_MAX);
    s.b.loc = e->fusion->id + 1;
    d->s = &s;
    if (d->i->shape->elements) {
        column = xg_tiled_where(d, d->threads, d->blocks, d->parts);
        dest = d->i->op == XG_CHOLESKY ? xg_tiled_cholesky(d, dest) : xg_tiled_solve(d, dest, column);
    }
    xg_kreturn(&s.b, &dest, 1);
}

#endif /* XG_BLOCK_TRIANGULAR_C */
