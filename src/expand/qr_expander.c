/* expand/qr_expander.c -- QR by reflectors, products with Q, and the reduction of Hermitian matrices to tridiagonal
 * ones.
 *
 * A reflector is 1 - tau v v*, v[k] = 1 and 0 before k, as LAPACK keeps them: v below the diagonal, tau beside. Each
 * round of a loop makes or applies one of them with two contractions over the whole matrix; where v is zero they add
 * nothing. Lengths are taken of columns scaled by their largest element, so that no square overflows. */
#ifndef XG_EXPAND_QR_EXPANDER_C
#define XG_EXPAND_QR_EXPANDER_C
#include "expand.h"
#include "lu_expander.c"

/* [batch, m, 1]; [batch, 1, 1]; what is left of the column at k */
typedef struct xg_reflector {
    xg_inst *v, *tau, *beta;
} xg_reflector;

/* Of column x[batch, m, 1] from row k down. */
XG_FN xg_reflector xg_qr_make(const xg_hb *b, xg_inst *x, xg_inst *k) {
    bool is_complex = xg_type_class(x->shape->type) == XGT_C;
    xg_lin frame, *f = &frame;
    xg_reflector h;
    xg_lin_begin(f, b);
    V(x) = x;
    V(k) = k;
    (void)xg_lin_read(f, "b=gt1(x,k);i=eq1(x,k);a=row1(x,k);r=re(a);t=kept(b,x);n=len1(kept(ge1(x,k),x));"
                         "d=most1(size(t));z=zero(n);d=d==z");
    if (is_complex) (void)xg_lin_read(f, "m=imag(a);d=d&m==z");
    (void)xg_lin_read(f, "o=r>z;n=o?neg(n):n;u=(n-r)/n"); /* n: of the other sign than the real part of a */
    if (is_complex) (void)xg_lin_read(f, "m=neg(m)/n");
    V(u) = xg_linear_complex(b, V(u), is_complex ? V(m) : NULL, x->shape->type);
    /* d: nothing to do, t is zero */
    h.v = xg_lin_read(f, "u=d?zero(u):u;n=cx(n,x);e=d?a:n;z=a-n;v=t/as(z,t);d=as(d,t);v=d?t:v;o=one(x);i?o:v");
    h.tau = V(u);
    h.beta = V(e);
    return h;
}
/* The same of column x of a loop's frame, from row `from` down, as v, u and e. */
XG_FN void xg_qr_make_in(xg_lin *f, xg_inst *x, xg_inst *from) {
    xg_reflector h = xg_qr_make(f->b, x, from);
    V(v) = h.v;
    V(u) = h.tau;
    V(e) = h.beta;
}
/* The reflector kept in column k of `packed`, whose first element is in row `row`. */
XG_FN xg_inst *xg_qr_vector(const xg_hb *b, xg_inst *packed, xg_inst *k, xg_inst *row) {
    return xg_lin_of(b, "x=row2(x,y);o=one(x);x=kept(gt1(x,z),x);eq1(x,z)?o:x", packed, k, row);
}

/* a[batch, m, n] -> R with reflectors below the diagonal, and taus [batch, 1, min(m, n)]. */
XG_FN xg_inst *xg_linear_qr(const xg_hb *b, xg_inst *a, xg_inst **taus) {
    const int64_t *dims = a->shape->dims;
    xg_inst *state[2];
    const xg_shape *shapes[2];
    xg_lin frame, *f = &frame;
    xg_loop l;
    if (xg_block_fits("geqrf", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, a->shape->type, dims[0], 1, XG_MIN(dims[1], dims[2]));
        xg_block_call_make(b, "geqrf", NULL, &a, 1, shapes, 2, state);
        *taus = state[1];
        return state[0];
    }
    xg_lin_begin(f, b);
    V(a) = a;
    V(t) = xg_linear_zeros(b, a->shape->type, dims[0], 1, XG_MIN(dims[1], dims[2]));
    xg_lin_loop(f, &l, "at", XG_MIN(dims[1], dims[2]));
    xg_qr_make_in(f, xg_lin_read(f, "x=row2(a,k)"), V(k));
    /* the column: R above k, beta, v below */
    (void)xg_lin_read(f, "y=app(a,v,conj(u));y=gt2(y,k)?y:a;q=gt1(x,k)?v:x;m=as(e,x);q=eq1(x,k)?m:q;q=as(q,y);"
                         "a=eq2(y,k)?q:y;t=set2(t,u,k)");
    xg_lin_end(f, &l, "at", b);
    *taus = V(t);
    return V(a);
}
/* H1 H2 ... applied to c from the left or right, or the adjoint of that product; reflectors in the columns of `packed`,
 * k's from row k + below on; taus [batch, 1, n]. */
XG_FN xg_inst *xg_linear_reflect(
    const xg_hb *b, xg_inst *packed, xg_inst *taus, xg_inst *c, bool left, bool adjoint, int64_t below) {
    int64_t n = taus->shape->dims[2];
    xg_inst *state[3], *k, *v, *tau;
    xg_loop l;
    if (xg_block_fits("ormqr", c) && xg_block_fits("ormqr", packed) && (left || !below)) {
        char config[64];
        int64_t rows = packed->shape->dims[1];
        /* what is above the first reflector's beginning stays */
        state[0] = below ? xg_hb_slice_dim(b, packed, 1, below, rows) : packed;
        state[1] = taus;
        state[2] = below ? xg_hb_slice_dim(b, c, 1, below, rows) : c;
        xg_format(config, sizeof config, "{\"left\":%s,\"transpose\":%s}", left ? "true" : "false",
            adjoint ? "true" : "false");
        xg_block_call_make(b, "ormqr", config, state, 3, &state[2]->shape, 1, &state[1]);
        if (!below) return state[1];
        state[0] = xg_hb_slice_dim(b, c, 1, 0, below);
        return xg_hb_concat(b, state, 2, 1);
    }
    state[0] = c;
    state[1] = packed;
    state[2] = taus;
    l = xg_hb_loop(b, state, 3, n);
    k = left == adjoint ? l.k : xg_hb_sub(&l.b, xg_hb_int(&l.b, XLAGPU_S32, n - 1), l.k);
    tau = xg_linear_row(&l.b, l.state[2], k, 2);
    if (adjoint) tau = xg_linear_conj(&l.b, tau);
    v = below ? xg_hb_add(&l.b, k, xg_hb_int(&l.b, XLAGPU_S32, below)) : k;
    v = xg_qr_vector(&l.b, l.state[1], k, v);
    l.state[0] = left ? xg_qr_apply(&l.b, l.state[0], v, tau) : xg_qr_apply_right(&l.b, l.state[0], v, tau);
    xg_hb_loop_end(b, &l);
    return l.state[0];
}
XG_FN xg_inst *xg_linear_identity(const xg_hb *b, xlagpu_type t, int64_t batch, int64_t m, int64_t n) {
    return xg_lin_of(b, "o=one(x);treq(x)?o:x", xg_linear_zeros(b, t, batch, m, n), NULL, NULL);
}
/* The first n columns of H1 H2 ... */
XG_FN xg_inst *xg_linear_q(const xg_hb *b, xg_inst *packed, xg_inst *taus, int64_t n) {
    xg_inst *c = xg_linear_identity(b, packed->shape->type, packed->shape->dims[0], packed->shape->dims[1], n);
    return xg_linear_reflect(b, packed, taus, c, true, false, 0);
}

/* a[batch, n, n] -> H* a H, Hessenberg, with reflectors below the subdiagonal, and taus [batch, 1, n - 1] (or one, of
 * 0). Of a Hermitian matrix that is tridiagonal and real. */
XG_FN xg_inst *xg_linear_hessenberg(const xg_hb *b, xg_inst *a, xg_inst **taus) {
    int64_t n = a->shape->dims[1];
    xg_inst *state[2];
    const xg_shape *shapes[2];
    xg_lin frame, *f = &frame;
    xg_loop l;
    state[0] = a;
    state[1] = xg_linear_zeros(b, a->shape->type, a->shape->dims[0], 1, XG_MAX(n - 1, (int64_t)1));
    *taus = state[1];
    if (n < 2) return a;
    if (xg_block_fits("gehrd", a)) {
        shapes[0] = a->shape;
        shapes[1] = state[1]->shape;
        xg_block_call_make(b, "gehrd", NULL, &a, 1, shapes, 2, state);
        *taus = state[1];
        return state[0];
    }
    xg_lin_begin(f, b);
    V(a) = a;
    V(t) = state[1];
    xg_lin_loop(f, &l, "at", n - 1);
    (void)xg_lin_read(f, "n=k+1;x=row2(a,k)");
    xg_qr_make_in(f, V(x), V(n));
    /* the columns before hold reflectors */
    (void)xg_lin_read(f, "y=app(a,v,conj(u));y=gt2(y,k)?y:a;y=appr(y,v,u);e=as(e,x);e=eq1(x,n)?e:x;x=gt1(x,n)?v:e;"
                         "a=set2(y,x,k);t=set2(t,u,k)");
    xg_lin_end(f, &l, "at", b);
    *taus = V(t);
    return V(a);
}

/* ---- QR with column pivoting ---- */

/* a[batch, m, n], pivots [batch, 1, n] from one (zero: free to move, as here all are) -> packed, pivots, taus. Each
 * round takes the longest column that is left. */
XG_APART XG_FN void xg_linear_qr_pivoted(const xg_hb *b, xg_inst *a, xg_inst **out) {
    const int64_t *dims = a->shape->dims;
    int64_t n = XG_MIN(dims[1], dims[2]);
    const xg_shape *shapes[3];
    xg_lin frame, *f = &frame;
    xg_loop l;
    if (xg_block_fits("geqp3", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, dims[2]);
        shapes[2] = xg_block_shape(b, a->shape->type, dims[0], 1, n);
        xg_block_call_make(b, "geqp3", NULL, &a, 1, shapes, 3, out);
        return;
    }
    xg_lin_begin(f, b);
    V(a) = a;
    V(p) = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, dims[2]);
    (void)xg_lin_read(f, "p=iota2(p);p=p+1");
    V(t) = xg_linear_zeros(b, a->shape->type, dims[0], 1, n);
    xg_lin_loop(f, &l, "apt", n);
    (void)xg_lin_read(f, "l=len1(kept(ge1(a,k),a));n=like(l,-1);l=ge2(l,k)?l:n;m=most2(l)");
    V(n) = xg_hb_int(f->b, XLAGPU_S32, dims[2] - 1);
    /* columns k and i change places, in the matrix and in the pivots; w: the one that comes */
    (void)xg_lin_read(f, "h=l==as(m,l);i=iota2(l);i=h?i:splat(n,l);i=min2(i,n);w=sum2(kept(eq2(a,i),a));"
                         "x=as(row2(a,k),a);a=eq2(a,i)?x:a;x=as(w,a);a=eq2(a,k)?x:a;"
                         "m=sum2(kept(eq2(p,i),p));x=as(row2(p,k),p);q=eq2(p,i)?x:p;p=set2(q,m,k)");
    xg_qr_make_in(f, V(w), V(k));
    (void)xg_lin_read(f, "y=app(a,v,conj(u));a=gt2(y,k)?y:a;q=gt1(w,k)?v:w;m=as(e,w);q=eq1(w,k)?m:q;a=set2(a,q,k);"
                         "t=set2(t,u,k)");
    xg_lin_end(f, &l, "apt", b);
    out[0] = V(a);
    out[1] = V(p);
    out[2] = V(t);
}

#endif /* XG_EXPAND_QR_EXPANDER_C */
