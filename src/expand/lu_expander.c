/* expand/lu_expander.c -- LU with partial pivoting, pivots as permutations, and tridiagonal systems, as loops over
 * columns and rows.
 *
 * A round finds the pivot of one column, swaps two rows and eliminates below: the whole matrix is read once and written
 * once. Matrices of a batch go through the rounds together; each has its own pivots, so rows are picked by masks, never
 * by addresses. What is not picked does not matter, NaN included. */
#ifndef XG_EXPAND_LU_EXPANDER_C
#define XG_EXPAND_LU_EXPANDER_C
#include "expand.h"
#include "linear_expander.c"

/* A result of the call in its own shape. */
XG_FN xg_inst *xg_linear_result(const xg_hb *b, xg_inst *x, const xg_shape *s) {
    return xg_hb_reshape(b, xg_hb_convert(b, x, s->type), s->dims, s->rank);
}

/* ---- LU ---- */

enum {
    XG_LU_WHOLE = 512 * 512, /* elements of a matrix that is taken whole */
    XG_LU_COLUMNS = 128      /* and columns, of any number of rows */
};

/* the pivot's row [batch, 1, columns]; is the column all zero; the pivot's index [batch, 1, 1] */
typedef struct xg_lu_round {
    xg_inst *row, *zero, *at;
} xg_lu_round;

/* The first of the largest from the diagonal down; the diagonal where there is none (NaN). */
XG_FN xg_lu_round xg_lu_pivot(const xg_hb *b, xg_inst *a, xg_inst *k) {
    int64_t rows = a->shape->dims[1];
    xg_lin frame, *f = &frame;
    xg_lu_round r;
    xg_lin_begin(f, b);
    V(a) = a;
    V(k) = k;
    (void)xg_lin_read(f, "s=size(row2(a,k));n=like(s,-1);s=ge1(s,k)?s:n;m=most1(s);z=m==0;h=s==as(m,s);i=iota1(s)");
    V(n) = xg_hb_int(b, XLAGPU_S32, rows);
    (void)xg_lin_read(f, "i=h?i:splat(n,s);i=min1(i,n)");
    V(n) = xg_hb_int(b, XLAGPU_S32, rows);
    r.row = xg_lin_read(f, "o=i==splat(n,i);i=o?splat(k,i):i;sum1(kept(eq1(a,i),a))");
    r.zero = V(z);
    r.at = V(i);
    return r;
}
/* Rows k and r->at of a change places, and what lies below the pivot is eliminated; its factors take its place. */
XG_FN xg_inst *xg_lu_eliminate(const xg_hb *b, xg_inst *a, xg_inst *k, const xg_lu_round *r) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(a) = a;
    V(k) = k;
    V(p) = r->row;
    V(i) = r->at;
    V(z) = r->zero;
    return xg_lin_read(f, "r=as(row1(a,k),a);b=as(p,a);a=eq1(a,i)?r:a;a=eq1(a,k)?b:a;f=row2(a,k);f=f/as(row2(p,k),f);"
                          "f=as(f,a);x=as(not(z),a);x=gt1(a,k)&x;y=gt2(a,k)&x;x=eq2(a,k)&x;c=a-f*b;a=y?c:a;x?f:a");
}
XG_FN xg_inst *xg_linear_permutation(const xg_hb *b, xg_inst *pivots, int64_t n);
XG_FN void xg_linear_lu(const xg_hb *b, xg_inst *a, xg_inst **out);

/* The rows of x[batch, m, n] as the swaps of pivots [batch, 1, k], from one, leave them. */
XG_FN xg_inst *xg_lu_swapped(const xg_hb *b, xg_inst *x, xg_inst *pivots) {
    const int64_t *dims = x->shape->dims;
    int64_t flat[2];
    xg_inst *at, *matrix;
    flat[0] = dims[0];
    flat[1] = pivots->shape->dims[2];
    at = xg_hb_reshape(b, xg_lin_of(b, "x-1", pivots, NULL, NULL), flat, 2);
    at = xg_linear_permutation(b, at, dims[1]);
    matrix = xg_hb_iota(b, XLAGPU_S32, at->shape->dims, 3, 0);
    at = xg_lin_of(b, "y=y*z;x+y", at, matrix, xg_hb_int_like(b, at, dims[1]));
    flat[0] *= dims[1];
    flat[1] = dims[2];
    at = xg_hb_reshape(b, at, flat, 1);
    return xg_hb_reshape(b, xg_hb_rows(b, xg_hb_reshape(b, x, flat, 2), at), dims, 3);
}
/* The left half of the columns first; what it leaves of the right half is a dot. */
XG_FN void xg_lu_halves(const xg_hb *b, xg_inst *a, int64_t w, xg_inst **out) {
    int64_t m = a->shape->dims[1], n = a->shape->dims[2];
    xg_inst *l[3], *r[3], *parts[2], *top, *low, *x;
    xg_linear_lu(b, xg_hb_slice_dim(b, a, 2, 0, w), l);
    x = xg_lu_swapped(b, xg_hb_slice_dim(b, a, 2, w, n), l[1]);
    top = parts[0] = xg_hb_slice_dim(b, l[0], 1, 0, w);
    parts[1] = xg_linear_solved(b, top, xg_hb_slice_dim(b, x, 1, 0, w), true, true, true, 'n');
    low = xg_hb_slice_dim(b, l[0], 1, w, m);
    top = xg_hb_concat(b, parts, 2, 2);
    xg_linear_lu(b, xg_lin_of(b, "x-prod(y,z)", xg_hb_slice_dim(b, x, 1, w, m), low, parts[1]), r);
    parts[0] = xg_lu_swapped(b, low, r[1]);
    parts[1] = r[0];
    parts[1] = xg_hb_concat(b, parts, 2, 2);
    parts[0] = top;
    out[0] = xg_hb_concat(b, parts, 2, 1);
    parts[0] = l[1];
    parts[1] = xg_lin_of(b, "x+y", r[1], xg_hb_int_like(b, r[1], w), NULL);
    out[1] = xg_hb_concat(b, parts, 2, 2);
    out[2] = xg_lin_of(b, "z=y+z;m=y==0;z=m?y:z;m=x==0;m?z:x", l[2], r[2], xg_hb_int_like(b, r[2], w));
}
/* a[batch, rows, columns] -> out: L below the diagonal and U, pivots [batch, 1, k] from one, and the first zero pivot
 * [batch, 1, 1], from one, or 0. */
XG_FN void xg_linear_lu(const xg_hb *b, xg_inst *a, xg_inst **out) {
    const int64_t *dims = a->shape->dims;
    int64_t n = XG_MIN(dims[1], dims[2]);
    const xg_shape *shapes[3];
    xg_lin frame, *f = &frame;
    xg_lu_round r;
    xg_loop l;
    if (n > XG_LU_COLUMNS && dims[1] * n > XG_LU_WHOLE) {
        xg_lu_halves(b, a, XG_LU_COLUMNS * ((n - 1) / (2 * XG_LU_COLUMNS) + 1), out);
        return;
    }
    if (xg_block_fits("getrf", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, n);
        shapes[2] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, 1);
        xg_block_call_make(b, "getrf", NULL, &a, 1, shapes, 3, out);
        return;
    }
    xg_lin_begin(f, b);
    V(a) = a;
    V(p) = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, n);
    V(q) = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, 1);
    xg_lin_loop(f, &l, "apq", n);
    r = xg_lu_pivot(f->b, V(a), V(k));
    V(a) = xg_lu_eliminate(f->b, V(a), V(k), &r);
    V(t) = r.at;
    V(z) = r.zero;
    (void)xg_lin_read(f, "p=set2(p,t+1,k);f=q==0;f=f&z;n=k+1;q=f?splat(n,q):q");
    xg_lin_end(f, &l, "apq", b);
    out[0] = V(a);
    out[1] = V(p);
    out[2] = V(q);
}
/* pivots[batch, k], from zero -> the permutation [batch, n] that their swaps make of 0 .. n-1. A pivot outside swaps
 * nothing. */
XG_FN xg_inst *xg_linear_permutation(const xg_hb *b, xg_inst *pivots, int64_t n) {
    int64_t dims[3];
    xg_inst *state[2];
    xg_lin frame, *f = &frame;
    xg_loop l;
    dims[0] = pivots->shape->dims[0];
    dims[1] = 1;
    dims[2] = pivots->shape->dims[1];
    state[1] = xg_hb_reshape(b, pivots, dims, 3);
    if (xg_block_fits("pivots", state[1]) && n <= 65536) {
        const xg_shape *shape = xg_block_shape(b, XLAGPU_S32, dims[0], 1, n);
        xg_block_call_make(b, "pivots", NULL, &state[1], 1, &shape, 1, state);
        return state[0];
    }
    dims[2] = n;
    xg_lin_begin(f, b);
    V(s) = xg_hb_iota(b, XLAGPU_S32, dims, 3, 2);
    V(p) = state[1];
    xg_lin_loop(f, &l, "sp", XG_MIN(n, pivots->shape->dims[1]));
    (void)xg_lin_read(f, "t=row2(p,k);v=eq2(s,t);h=row2(s,k);u=sum2(kept(v,s));m=eq2(s,k);e=t>=0");
    V(n) = xg_hb_int(f->b, XLAGPU_S32, n);
    (void)xg_lin_read(f, "i=t<splat(n,t);i=i&e;m=m&as(i,m);h=v?as(h,s):s;s=m?as(u,h):h");
    xg_lin_end(f, &l, "sp", b);
    return V(s);
}

/* ---- tridiagonal ---- */

/* Elimination with partial pivoting: rows k and k + 1 of lower, main, upper (a, b, c) and second upper diagonal d, and
 * of right sides r. */
#define XG_TRI_STATE "abcdr"
#define XG_TRI_SWAP(x, y) "p=as(s," x ");t=p?" y ":" x ";" y "=p?" x ":" y ";" x "=t;"
XG_FN void xg_tri_eliminate(xg_lin *f, int64_t n) {
    const xg_hb *b = f->b;
    xg_loop l;
    xg_lin_loop(f, &l, XG_TRI_STATE, n - 1);
    (void)xg_lin_read(f,
        "n=k+1;l=row1(a,n);f=row1(b,k);e=row1(b,n);u=row1(c,k);v=row1(c,n);w=zero(u);x=row1(r,k);"
        "y=row1(r,n);s=abs(l);s=s>abs(f);" XG_TRI_SWAP("f", "l") XG_TRI_SWAP("u", "e") XG_TRI_SWAP("w", "v")
            XG_TRI_SWAP("x", "y") "g=l/f;e=e-as(g,u)*u;v=v-as(g,w)*w;"
                                  "y=y-as(g,x)*x;b=set1(b,f,k);b=set1(b,e,n);c=set1(c,u,k);c=set1(c,v,n);d=set1(d,w,k);"
                                  "r=set1(r,x,k);r=set1(r,y,n)");
    xg_lin_end(f, &l, XG_TRI_STATE, b);
}
#undef XG_TRI_SWAP
/* dl, d, du [batch, n, 1], right sides [batch, n, m] -> solutions. The last element of du is not part of the system. */
XG_APART XG_FN xg_inst *xg_linear_tridiagonal(const xg_hb *b, xg_inst *dl, xg_inst *d, xg_inst *du, xg_inst *y) {
    const int64_t *dims = y->shape->dims;
    int64_t n = dims[1];
    xg_inst *s[4], *last = xg_hb_int(b, XLAGPU_S32, n - 1);
    xg_lin frame, *f = &frame;
    xg_loop l;
    if (xg_block_fits("gtsv", y) && n <= 512) { /* three diagonals lie in shared memory */
        int64_t flat[3];
        flat[0] = dims[0];
        flat[1] = 1;
        flat[2] = n;
        s[0] = xg_hb_reshape(b, dl, flat, 3);
        s[1] = xg_hb_reshape(b, d, flat, 3);
        s[2] = xg_hb_reshape(b, du, flat, 3);
        s[3] = y;
        xg_block_call_make(b, "gtsv", NULL, s, 4, &y->shape, 1, s);
        return s[0];
    }
    xg_lin_begin(f, b);
    V(a) = dl;
    V(b) = d;
    V(c) = du;
    V(n) = last;
    V(r) = y;
    (void)xg_lin_read(f, "c=kept(lt1(c,n),c);d=zero(b)");
    if (n > 1) xg_tri_eliminate(f, n);
    /* two rows of zeros behind the last, which nothing depends on */
    V(o) = xg_linear_zeros(b, y->shape->type, dims[0], n + 2, dims[2]);
    xg_lin_loop(f, &l, "bcdro", n);
    V(n) = xg_hb_int(f->b, XLAGPU_S32, n - 1);
    (void)xg_lin_read(f, "i=n-k;l=i+1;t=i+2;x=row1(r,i);l=row1(o,l);x=x-as(row1(c,i),l)*l;t=row1(o,t);"
                         "x=x-as(row1(d,i),t)*t;x=x/as(row1(b,i),x);o=set1(o,x,i)");
    xg_lin_end(f, &l, "bcdro", b);
    return xg_hb_slice_dim(b, V(o), 1, 0, n);
}
#undef XG_TRI_STATE

#endif /* XG_EXPAND_LU_EXPANDER_C */
