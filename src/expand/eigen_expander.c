/* expand/eigen_expander.c -- eigenvalues of Hermitian matrices and singular values, by Jacobi rotations.
 *
 * The columns stand in two halves; column j of the left half and column j of the right one are a pair, and all pairs
 * are rotated at once: elementwise work on halves. Then all columns but the first move on by one place, right along the
 * left half and back along the right one (Brent and Luk), so that after n - 1 rounds, a sweep, every two have met and
 * each is back in its place. An odd number of columns gets one more, of zeros, which no rotation mixes with the others.
 * Sweeps go on until all matrices of the batch have converged, which takes six to ten; one that has not is LAPACK's
 * info > 0. */
#ifndef XG_EXPAND_EIGEN_EXPANDER_C
#define XG_EXPAND_EIGEN_EXPANDER_C
#include "expand.h"
#include "qr_expander.c"

enum {
    XG_JACOBI_ROUNDS = 40
}; /* sweeps at most */

/* c and s of the matrix's type, [batch, 1, pairs]; how far the two diagonal elements move apart */
typedef struct xg_rotation {
    xg_inst *c, *s, *shift;
} xg_rotation;

/* The power of two below the largest element of each matrix [batch, 1, 1], by which it can be divided without rounding;
 * 1 for zero, infinity and NaN. */
XG_FN xg_inst *xg_linear_magnitude(const xg_hb *b, xg_inst *x) {
    bool wide = xg_type_real(x->shape->type) == XLAGPU_F64;
    xg_inst *most = xg_linear_most(b, xg_linear_most(b, xg_linear_size(b, x), 2), 1),
            *bits = xg_hb_bitcast_convert(b, most, wide ? XLAGPU_S64 : XLAGPU_S32);
    bits = xg_linear_and(b, bits, xg_hb_int_like(b, bits, wide ? (int64_t)0x7ff0000000000000 : 0x7f800000));
    return xg_linear_scale(b, xg_hb_bitcast_convert(b, bits, most->shape->type));
}
/* Is it true of any? A scalar. */
XG_FN xg_inst *xg_linear_any(const xg_hb *b, xg_inst *p) {
    XG_TABLE const int64_t all[3] = {0, 1, 2};
    xg_inst *no = xg_hb_zero(b, XLAGPU_PRED);
    return xg_hb_reduce(b, p, no, all, 3, xg_hb_reducer(b, XG_OR, XLAGPU_PRED));
}

/* The rotation that makes [[app, apq], [conj(apq), aqq]] diagonal; none where `act` is false. */
XG_FN xg_rotation xg_jacobi_rotation(const xg_hb *b, xg_inst *app, xg_inst *aqq, xg_inst *apq, xg_inst *act) {
    xg_lin frame, *f = &frame;
    xg_rotation r;
    xg_lin_begin(f, b);
    V(x) = app;
    V(y) = aqq;
    V(a) = apq;
    V(p) = act;
    r.c = xg_lin_read(f, "s=abs(a);t=y-x;o=one(s);z=zero(s);t=t/(s+s);u=sqrt(t*t+o);u=u+abs(t);u=o/u;c=t<z;"
                         "u=c?neg(u):u;u=p?u:z;c=o/sqrt(u*u+o);h=p?u*s:z;u=u*c;u=cx(u,a);r=kept(p,over(a,s)*u);"
                         "cx(c,a)");
    r.s = V(r);
    r.shift = V(h);
    return r;
}
/* (p, q) := (c p - s1 q, s2 p + c q), with c, s1, s2 that stretch to them. */
XG_FN void xg_jacobi_mix(const xg_hb *b, xg_inst **p, xg_inst **q, xg_inst *c, xg_inst *s1, xg_inst *s2) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(p) = *p;
    V(q) = *q;
    V(c) = c;
    V(s) = s1;
    V(t) = s2;
    *q = xg_lin_read(f, "x=times(p,c);y=times(p,t);x=x-times(q,s);y+times(q,c)");
    *p = V(x);
}
XG_FN xg_inst *xg_jacobi_columns_of(const xg_hb *b, xg_inst *x, const xg_rotation *r) {
    xg_inst *left = xg_jacobi_half(b, x, 2, false), *right = xg_jacobi_half(b, x, 2, true);
    xg_jacobi_mix(b, &left, &right, r->c, xg_linear_conj(b, r->s), r->s);
    return xg_jacobi_turn(b, left, right, 2);
}
/* The loop of sweeps: at most XG_JACOBI_ROUNDS, while state k, a scalar, is true. */
XG_FN xg_loop xg_jacobi_sweeps(const xg_hb *b, xg_inst *const *state, uint32_t n, uint32_t k) {
    xg_loop l = xg_hb_loop(b, state, n, XG_JACOBI_ROUNDS);
    xg_hb c = xg_hb_end(l.condition, b->from);
    l.condition->root = xg_linear_and(&c, l.condition->root, xg_hb_element(&c, l.condition->params[0], 1 + (int64_t)k));
    return l;
}
/* values[batch, 1, n] and x[batch, m, n] whose columns belong to them, both in order. */
XG_FN void xg_linear_sorted(const xg_hb *b, xg_inst **values, xg_inst **x, bool descending) {
    xg_module *m = b->comp->module;
    xg_comp *c = xg_comp_new(m, XG_STR("order"), b->comp);
    xg_hb in = xg_hb_end(c, b->from);
    xg_inst *keys[2], *p[2], *i;
    uint32_t k;
    keys[0] = xg_linear_stretch(b, *values, (*x)->shape->dims);
    keys[1] = *x;
    for (k = 0; k < 4; k++) {
        xg_inst *param = xg_comp_add_param(c, xg_shape_scalar(m, keys[k / 2]->shape->type), XG_STR("x"));
        if (k < 2) p[k] = param;
    }
    c->root = xg_hb_compare(&in, descending ? "GT" : "LT", p[0], p[1]);
    i = xg_hb_op(b, XG_SORT, xg_shape_tuple(m, NULL, 0), keys, 2);
    {
        XG_TABLE const int64_t last[1] = {2};
        xg_inst_set_ints(i, XG_A_dimensions, last, 1);
        xg_inst_set_int(i, XG_A_is_stable, 1);
        xg_inst_set_comp(i, XG_A_to_apply, c);
    }
    (void)xg_hb_done(i);
    *values = xg_hb_slice_dim(b, xg_hb_element(b, i, 0), 1, 0, 1);
    *x = xg_hb_element(b, i, 1);
}
XG_FN xg_inst *xg_linear_extended(const xg_hb *b, xg_inst *x, uint32_t dim, int64_t by) { /* with zeros */
    xg_pad_dim pads[3];
    memset(pads, 0, sizeof pads);
    pads[dim].high = by;
    return xg_hb_pad(b, x, xg_linear_number(b, x->shape->type, 0, NULL, 0), pads);
}
XG_FN xg_inst *xg_linear_padded(const xg_hb *b, xg_inst *x, uint32_t dim) { /* to an even number */
    return xg_linear_extended(b, x, dim, x->shape->dims[dim] & 1);
}

/* ---- Hermitian matrices ---- */

XG_FN xg_inst *xg_eigen_round(const xg_hb *b, xg_inst *a, xg_rotation *r) {
    xg_inst *c, *s, *conj, *back;
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(a) = a;
    /* the quarters: l r over u v */
    (void)xg_lin_read(f, "l=left2(a);r=right2(a);u=right1(l);v=right1(r);l=left1(l);r=left1(r);x=re(diag(l));"
                         "y=re(diag(v));z=diag(r);p=abs(z);p=p>0");
    *r = xg_jacobi_rotation(b, V(x), V(y), V(z), V(p)); /* [batch, pairs, 1], as rows want it */
    c = r->c;
    s = r->s;
    conj = xg_linear_conj(b, s);
    r->c = xg_linear_swap(b, c);
    r->s = xg_linear_swap(b, s);
    back = xg_linear_conj(b, r->s);
    xg_jacobi_mix(b, &V(l), &V(r), r->c, back, r->s);
    xg_jacobi_mix(b, &V(u), &V(v), r->c, back, r->s);
    xg_jacobi_mix(b, &V(l), &V(u), c, s, conj);
    xg_jacobi_mix(b, &V(r), &V(v), c, s, conj);
    V(h) = r->shift;
    /* What the rotation is for is known without rounding. */
    return xg_lin_read(f, "x=cx(x-h,a);y=cx(y+h,a);z=zero(z);l=wdiag(l,x);v=wdiag(v,y);r=wdiag(r,z);u=wdiag(u,z);"
                          "l=turn1(l,u);r=turn1(r,v);turn2(l,r)");
}
/* Has a[batch, n, n] anything off its diagonal? [batch, 1, 1]; NaN counts as something. */
XG_FN xg_inst *xg_eigen_unfinished(const xg_hb *b, xg_inst *a) {
    double eps = xg_linear_epsilon(a->shape->type);
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(a) = a;
    (void)xg_lin_read(f, "s=abs(a);s=s*s;o=sum1(sum2(mkeq(s)));w=sum1(sum2(mkne(s)))");
    V(e) = xg_linear_splat_like(b, V(o), eps * eps);
    return xg_lin_read(f, "o=o*e;not(w<=o)");
}
/* The Hermitian matrix of which a[batch, n, n] is a triangle. */
XG_FN xg_inst *xg_linear_whole(const xg_hb *b, xg_inst *a, bool lower) {
    xg_inst *other = xg_linear_hermitian(b, a), *d;
    a = xg_hb_select(b, xg_linear_triangle(b, a, lower ? "GE" : "LE"), a, other);
    if (xg_type_class(a->shape->type) != XGT_C) return a;
    d = xg_linear_real(b, xg_linear_diagonal(b, a));
    return xg_linear_with_diagonal(b, a, xg_linear_complex(b, d, NULL, a->shape->type));
}
/* a[batch, n, n], of which one triangle counts -> out: vectors [batch, n, n], values [batch, 1, n] ascending, info
 * [batch, 1, 1]. */
XG_FN void xg_linear_eigh(const xg_hb *b, xg_inst *a, bool lower, xg_inst **out) {
    int64_t n = a->shape->dims[1], even;
    xg_inst *scale, *state[4], *inner[2], *values;
    const xg_shape *shapes[3];
    xg_rotation r;
    xg_loop sweeps, l;
    if (xg_block_fits("syevd", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, xg_type_real(a->shape->type), a->shape->dims[0], 1, n);
        shapes[2] = xg_block_shape(b, XLAGPU_S32, a->shape->dims[0], 1, 1);
        xg_block_call_make(b, "syevd", lower ? "{\"lower\":true}" : "{\"lower\":false}", &a, 1, shapes, 3, out);
        return;
    }
    a = xg_linear_whole(b, a, lower);
    scale = xg_linear_magnitude(b, a);
    a = xg_linear_over(b, a, scale);
    a = xg_linear_padded(b, xg_linear_padded(b, a, 1), 2);
    even = a->shape->dims[1];
    state[0] = a;
    state[1] = xg_linear_identity(b, a->shape->type, a->shape->dims[0], even, even);
    state[2] = xg_hb_int(b, XLAGPU_PRED, 1);
    state[3] = xg_eigen_unfinished(b, a);
    sweeps = xg_jacobi_sweeps(b, state, 4, 2);
    inner[0] = sweeps.state[0];
    inner[1] = sweeps.state[1];
    l = xg_hb_loop(&sweeps.b, inner, 2, even - 1);
    l.state[0] = xg_eigen_round(&l.b, l.state[0], &r);
    l.state[1] = xg_jacobi_columns_of(&l.b, l.state[1], &r);
    xg_hb_loop_end(&sweeps.b, &l);
    sweeps.state[0] = l.state[0];
    sweeps.state[1] = l.state[1];
    sweeps.state[3] = xg_eigen_unfinished(&sweeps.b, l.state[0]);
    sweeps.state[2] = xg_linear_any(&sweeps.b, sweeps.state[3]);
    xg_hb_loop_end(b, &sweeps);
    values = xg_linear_swap(b, xg_linear_real(b, xg_linear_diagonal(b, sweeps.state[0])));
    values = xg_hb_mul(b, values, xg_linear_stretch(b, scale, values->shape->dims));
    out[1] = xg_hb_slice_dim(b, values, 2, 0, n);
    out[0] = xg_hb_slice_dim(b, xg_hb_slice_dim(b, sweeps.state[1], 1, 0, n), 2, 0, n);
    xg_linear_sorted(b, &out[1], &out[0], false);
    out[2] = xg_hb_convert(b, sweeps.state[3], XLAGPU_S32);
}

/* ---- singular values ---- */

/* One round on w[batch, m, n]: *moved [batch, 1, 1]: were there columns that are not orthogonal? */
XG_FN xg_rotation xg_svd_round(const xg_hb *b, xg_inst *w, xg_inst **moved) {
    double limit = 4 * xg_linear_epsilon(w->shape->type) * sqrt((double)w->shape->dims[1]);
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(w) = w;
    (void)xg_lin_read(f, "l=left2(w);r=right2(w);x=abs(l);y=abs(r);z=sum1(conj(l)*r);x=sum1(x*x);y=sum1(y*y);"
                         "b=sqrt(x);b=b*sqrt(y)");
    V(e) = xg_linear_splat_like(b, V(b), limit);
    (void)xg_lin_read(f, "b=b*e;p=abs(z)>b");
    *moved = xg_linear_fold(b, XG_OR, V(p), xg_hb_zero(b, XLAGPU_PRED), 2);
    return xg_jacobi_rotation(b, V(x), V(y), V(z), V(p));
}
/* w[batch, m, n], m >= n -> its columns rotated until they are orthogonal, the rotations gathered in *v[batch, n, n];
 * *bad [batch, 1, 1]: they are not. */
XG_APART XG_FN xg_inst *xg_svd_orthogonal(const xg_hb *b, xg_inst *w, xg_inst **v, xg_inst **bad) {
    int64_t n = w->shape->dims[2], even;
    xg_inst *state[4], *inner[3], *moved;
    xg_rotation r;
    xg_loop sweeps, l;
    w = xg_linear_padded(b, w, 2);
    even = w->shape->dims[2];
    state[0] = w;
    state[1] = xg_linear_identity(b, w->shape->type, w->shape->dims[0], even, even);
    state[2] = xg_hb_int(b, XLAGPU_PRED, 1);
    state[3] = xg_linear_zeros(b, XLAGPU_PRED, w->shape->dims[0], 1, 1);
    sweeps = xg_jacobi_sweeps(b, state, 4, 2);
    inner[0] = sweeps.state[0];
    inner[1] = sweeps.state[1];
    inner[2] = xg_linear_zeros(&sweeps.b, XLAGPU_PRED, w->shape->dims[0], 1, 1);
    l = xg_hb_loop(&sweeps.b, inner, 3, even - 1);
    r = xg_svd_round(&l.b, l.state[0], &moved);
    l.state[0] = xg_jacobi_columns_of(&l.b, l.state[0], &r);
    l.state[1] = xg_jacobi_columns_of(&l.b, l.state[1], &r);
    l.state[2] = xg_hb_2(&l.b, XG_OR, l.state[2], moved);
    xg_hb_loop_end(&sweeps.b, &l);
    sweeps.state[0] = l.state[0];
    sweeps.state[1] = l.state[1];
    sweeps.state[2] = xg_linear_any(&sweeps.b, l.state[2]);
    sweeps.state[3] = l.state[2];
    xg_hb_loop_end(b, &sweeps);
    *bad = sweeps.state[3];
    *v = xg_hb_slice_dim(b, xg_hb_slice_dim(b, sweeps.state[1], 1, 0, n), 2, 0, n);
    return xg_hb_slice_dim(b, sweeps.state[0], 2, 0, n);
}
/* The left vectors [batch, m, columns] of w = U S, whose columns are orthogonal and in order: QR turns them by their
 * phases only, and it completes them where w is zero or ends. */
XG_FN xg_inst *xg_svd_left(const xg_hb *b, xg_inst *w, int64_t columns) {
    const int64_t *dims = w->shape->dims;
    int64_t n = dims[2];
    xg_inst *taus, *packed = xg_linear_qr(b, w, &taus), *q = xg_linear_q(b, packed, taus, columns), *d, *size, *zero,
                   *one;
    d = xg_linear_diagonal(b, xg_hb_slice_dim(b, packed, 1, 0, n));
    size = xg_hb_1(b, XG_ABS, d);
    zero = xg_hb_compare(b, "EQ", size, xg_linear_zero_like(b, size));
    d = xg_linear_over(b, d, size);
    one = xg_linear_splat_like(b, d, 1);
    d = xg_linear_swap(b, xg_hb_select(b, zero, one, d));
    if (columns > n) {
        xg_inst *both[2];
        both[0] = d;
        both[1] = xg_linear_zeros(b, d->shape->type, dims[0], 1, columns - n);
        both[1] = xg_linear_splat_like(b, both[1], 1);
        d = xg_hb_concat(b, both, 2, 2);
    }
    return xg_linear_times(b, q, d);
}
XG_FN void xg_svd_kernel(const xg_hb *b, xg_inst *a, int64_t u, int64_t v, bool vectors, xg_inst **out) {
    bool tall = a->shape->dims[1] >= a->shape->dims[2];
    int64_t batch = a->shape->dims[0], m, n;
    const xg_shape *shapes[5];
    xg_inst *made[5];
    if (!tall) a = xg_linear_hermitian(b, a);
    m = a->shape->dims[1];
    n = a->shape->dims[2];
    shapes[0] = xg_block_shape(b, a->shape->type, batch, n, m);
    shapes[1] = xg_block_shape(b, xg_type_real(a->shape->type), batch, 1, n);
    shapes[2] = xg_block_shape(b, a->shape->type, batch, vectors ? m : 1, vectors ? (tall ? u : v) : 1);
    shapes[3] = xg_block_shape(b, a->shape->type, batch, vectors ? n : 1, vectors ? n : 1);
    shapes[4] = xg_block_shape(b, XLAGPU_S32, batch, 1, 1);
    xg_block_call_make(
        b, vectors ? "gesvdj" : "gesvd", vectors ? NULL : "{\"compute_uv\":false}", &a, 1, shapes, 5, made);
    out[0] = made[1];
    out[1] = made[tall ? 2 : 3];
    out[2] = made[tall ? 3 : 2];
    out[3] = made[4];
}
/* a[batch, rows, columns] -> out: values [batch, 1, k] descending, U [batch, rows, u], V [batch, columns, v] (if there
 * are to be vectors), info [batch, 1, 1]. */
XG_APART XG_FN void xg_linear_svd(const xg_hb *b, xg_inst *a, int64_t u, int64_t v, bool vectors, xg_inst **out) {
    bool tall = a->shape->dims[1] >= a->shape->dims[2];
    xg_inst *scale, *w, *z, *bad, *values, *again, *finite;
    if (xg_block_fits(vectors ? "gesvdj" : "gesvd", a)) {
        xg_svd_kernel(b, a, u, v, vectors, out);
        return;
    }
    scale = xg_linear_magnitude(b, a);
    w = xg_linear_over(b, a, scale);
    finite = xg_hb_1(b, XG_IS_FINITE, xg_linear_most(b, xg_linear_most(b, xg_linear_size(b, w), 2), 1));
    if (!tall) w = xg_linear_hermitian(b, w);
    w = xg_svd_orthogonal(b, w, &z, &bad);
    values = again = xg_linear_length(b, w, 1);
    xg_linear_sorted(b, &values, &w, true);
    xg_linear_sorted(b, &again, &z, true);
    w = xg_svd_left(b, w, tall ? u : v);
    out[0] = xg_hb_mul(b, values, xg_linear_stretch(b, scale, values->shape->dims));
    out[1] = tall ? w : z;
    out[2] = tall ? z : w;
    bad = xg_hb_2(b, XG_OR, bad, xg_hb_1(b, XG_NOT, finite));
    out[3] = xg_hb_convert(b, bad, XLAGPU_S32);
}

#endif /* XG_EXPAND_EIGEN_EXPANDER_C */
