/* expand/real_schur_expander.c -- a real matrix as z t z^T: Francis's double steps, in doubles. t is triangular but for
 * blocks of two rows, which stand for conjugate pairs and have LAPACK's form: equal elements on the diagonal, elements
 * of opposite signs beside it.
 *
 * As in general_eigen_expander.c each matrix of the batch has its own active block [lo, hi], of three rows at least. A
 * step takes both shifts of the last two rows at once, so that nothing becomes complex: it chases a bulge by reflectors
 * of three rows. The matrix has a further row and column of zeros, so that there always is a third one. */
#ifndef XG_EXPAND_REAL_SCHUR_EXPANDER_C
#define XG_EXPAND_REAL_SCHUR_EXPANDER_C
#include "expand.h"
#include "general_eigen_expander.c"

/* x[batch, n, 1] moved by one row, up or down; what comes in is zero. */
XG_FN xg_inst *xg_francis_moved(const xg_hb *b, xg_inst *x, bool up) {
    const int64_t *dims = x->shape->dims;
    xg_inst *parts[2];
    parts[up] = xg_linear_zeros(b, x->shape->type, dims[0], 1, 1);
    parts[!up] = xg_hb_slice_dim(b, x, 1, up, dims[1] - !up);
    return xg_hb_concat(b, parts, 2, 1);
}
/* [batch, n, 1]: the sizes of the elements at (row, row - 1), or at (row - 1, row). */
XG_FN xg_inst *xg_francis_beside(const xg_hb *b, xg_inst *h, bool above) {
    xg_inst *row = xg_hb_iota(b, XLAGPU_S32, h->shape->dims, 3, above ? 2 : 1),
            *column = xg_hb_iota(b, XLAGPU_S32, h->shape->dims, 3, above ? 1 : 2);
    row = xg_hb_compare(b, "EQ", row, xg_general_next(b, column));
    h = xg_linear_most(b, xg_linear_kept(b, row, xg_hb_1(b, XG_ABS, h)), above ? 1 : 2);
    return above ? xg_linear_swap(b, h) : h;
}
/* What is small below the diagonal becomes zero; the last block of three rows or more that is left. */
XG_FN xg_inst *xg_francis_split(const xg_hb *b, xg_inst *h, xg_general_block *block) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(o) = xg_hb_zero(b, XLAGPU_S32);
    h = xg_general_split(b, h, block);
    V(p) = xg_francis_beside(b, h, false);
    V(a) = xg_francis_moved(b, xg_lin_read(f, "p=p>0"), false);
    V(c) = xg_francis_moved(b, V(p), true);
    (void)xg_lin_read(f, "a=a|c;r=iota1(p);a=p&a;i=max1(kept(a,r),o);a=r<=as(i,r);a=a&not(p);j=max1(kept(a,r),o)");
    block->hi = V(i);
    block->lo = V(j);
    return h;
}

/* The first column of (h - s1)(h - s2), of which three elements are not zero: s1 and s2 are the eigenvalues of the
 * block's last two rows; now and then other numbers, lest steps go round in circles. */
XG_FN void xg_francis_start(
    const xg_hb *b, xg_inst *h, const xg_general_block *block, xg_inst *steps, xg_inst **start) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(h) = h;
    V(j) = block->lo;
    V(i) = block->hi;
    V(t) = steps;
    start[2] =
        xg_lin_read(f, "e=j+1;f=j+2;g=i+-1;a=pick(h,g,g);c=pick(h,i,g);d=pick(h,i,i);x=pick(h,j,j);y=pick(h,e,j);"
                       "s=a+d;p=c*pick(h,g,i);p=a*d-p;o=rem(t,11);o=o==10;m=pick(h,g,i+-2);m=abs(m);"
                       "m=abs(c)+m;s=o?m*1.5:s;p=o?m*m:p;w=(x-s)*x;m=pick(h,j,e)*y;u=w+m+p;"
                       "w=x+pick(h,e,e)-s;v=y*w;y*pick(h,f,e)");
    start[0] = V(u);
    start[1] = V(v);
}
/* x, y, z := the vector and f the factor of the reflector that leaves only the first of three elements; n, none: 0. */
#define XG_FRANCIS_REFLECTOR \
    "r=y*y;r=r+z*z;s=sqrt(x*x+r);x=x+sgn(s,x);s=x*x+r;t=like(s,2);n=n|s==0;t=t/s;f=n?zero(s):t;"
/* Three rows or columns a, b, c, reflected. */
#define XG_FRANCIS_REFLECT \
    "s=times(a,x);s=s+times(b,y);s=s+times(c,z);s=times(s,f);a=a-times(s,x);b=b-times(s,y);c=c-times(s,z);"
#define XG_FRANCIS_COLUMNS(h) \
    "a=row2(" h ",d);b=row2(" h ",e);c=row2(" h ",g);" XG_FRANCIS_REFLECT h "=set2(" h ",a,d);" h "=set2(" h \
    ",b,e);" h "=set2(" h ",c,g);"
/* Reflectors of rows and columns k, k + 1, k + 2 through the block, on h and q. Of the first row the column before, o,
 * starts at 0, and is not used. */
XG_FN void xg_francis_chase(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst **start) {
    xg_lin frame, *f = &frame;
    xg_loop l;
    xg_lin_begin(f, b);
    V(h) = *h;
    V(q) = *q;
    V(j) = block->lo;
    V(i) = block->hi;
    V(u) = start[0];
    V(v) = start[1];
    V(w) = start[2];
    xg_lin_loop(f, &l, "hqjiuvw", (*h)->shape->dims[1] - 2);
    (void)xg_lin_read(f,
        "o=k+-1;t=eqk(j,k);d=k+0;a=row1(h,d);x=t?u:row2(a,o);e=k+1;b=row1(h,e);y=t?v:row2(b,o);"
        "g=k+2;c=row1(h,g);z=t?w:row2(c,o);z=kept(gek(i,g),z);n=gtk(j,k);n=n|lek(i,k);" XG_FRANCIS_REFLECTOR
            XG_FRANCIS_REFLECT
        "h=set1(h,a,d);b=kept(ge2(b,k),b);h=set1(h,b,e);c=kept(ge2(c,k),c);h=set1(h,c,g);" XG_FRANCIS_COLUMNS("h")
            XG_FRANCIS_COLUMNS("q"));
    xg_lin_end(f, &l, "hqjiuvw", b);
    *h = V(h);
    *q = V(q);
}
XG_FN void xg_francis_step(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *steps) {
    xg_inst *start[3];
    xg_francis_start(b, *h, block, steps, start);
    xg_francis_chase(b, h, q, block, start);
}
/* h, Hessenberg, to blocks of one and two rows. */
XG_FN xg_inst *xg_francis_steps(const xg_hb *b, xg_inst *h, xg_inst **q, xg_inst **bad) {
    return xg_general_iterate(b, h, q, bad, xg_francis_split, xg_francis_step);
}

/* The cosine e and sine f that give rows k, k + 1 LAPACK's form, and r, whether their eigenvalues are real. a, b, c, d:
 * the block. Real: (z, c) is the vector of the first eigenvalue; a pair: the diagonal becomes equal; x, nothing to do:
 * no block, or a pair that has the form. */
#define XG_FRANCIS_FORM \
    "m=like(a,.5);o=one(a);n=zero(a);p=(a-d)*m;z=p*p;z=z+b*c;r=z>=n;z=sqrt(abs(z));z=p+sgn(z,p);s=z*z;s=s+c*c;" \
    "s=sqrt(s);e=z/s;f=c/s;t=b+c;w=p+p;s=t*t;s=s+w*w;s=sqrt(s);w=m*(o+abs(t)/s);w=sqrt(w);e=r?e:w;w=s*w;" \
    "w=sgn(o,t)/w;w=neg(p*w);f=r?f:w;x=s==n;x=not(r)&x;x=x|c==n;e=x?o:e;f=x?n:f;"
/* (a, b) := (e a + f b, e b - f a) */
#define XG_FRANCIS_TURN "x=times(a,e);y=times(b,f);z=times(b,e);w=times(a,f);a=x+y;b=z-w;"
#define XG_FRANCIS_TURN_COLUMNS(h) \
    "a=row2(" h ",k);b=row2(" h ",g);" XG_FRANCIS_TURN h "=set2(" h ",a,k);" h "=set2(" h ",b,g);"
/* Each block of two rows in LAPACK's form, or in two where its eigenvalues are real; then what is zero or equal but for
 * rounding. */
XG_FN void xg_francis_standard(const xg_hb *b, xg_inst **h, xg_inst **q) {
    xg_lin frame, *f = &frame;
    xg_loop l;
    xg_lin_begin(f, b);
    V(h) = *h;
    V(q) = *q;
    xg_lin_loop(f, &l, "hq", (*h)->shape->dims[1] - 2);
    (void)xg_lin_read(f,
        "g=k+1;a=row2(row1(h,k),k);b=row2(row1(h,k),g);c=row2(row1(h,g),k);d=row2(row1(h,g),g);" XG_FRANCIS_FORM
        "a=row1(h,k);b=row1(h,g);" XG_FRANCIS_TURN "h=set1(h,a,k);h=set1(h,b,g);" XG_FRANCIS_TURN_COLUMNS("h")
            XG_FRANCIS_TURN_COLUMNS(
                "q") "x=row1(h,k);y=row1(h,g);a=row2(x,k);b=row2(x,g);c=row2(y,k);d=row2(y,g);r=r|c==0;m=a+d;"
                     "m=m*.5;c=r?zero(c):c;y=set2(y,c,k);x=set2(x,r?a:m,k);h=set1(h,x,k);y=set2(y,r?d:m,g);"
                     "h=set1(h,y,g)");
    xg_lin_end(f, &l, "hq", b);
    *h = V(h);
    *q = V(q);
}
#undef XG_FRANCIS_REFLECTOR
#undef XG_FRANCIS_REFLECT
#undef XG_FRANCIS_COLUMNS
#undef XG_FRANCIS_FORM
#undef XG_FRANCIS_TURN
#undef XG_FRANCIS_TURN_COLUMNS
#undef V

/* a[batch, n, n], real -> out: t, z, real and imaginary parts of the values [batch, n, 1], info. */
XG_FN void xg_linear_real_schur(const xg_hb *b, xg_inst *a, xg_inst **out) {
    int64_t n = a->shape->dims[1];
    xg_inst *scale, *h, *q, *pair;
    a = xg_hb_convert(b, a, XLAGPU_F64);
    scale = xg_linear_magnitude(b, a);
    h = xg_linear_hessenberg(b, xg_linear_over(b, a, scale), &q);
    h = xg_general_unpacked(b, h, q, &q);
    h = xg_linear_extended(b, xg_linear_extended(b, h, 1, 1), 2, 1);
    q = xg_linear_extended(b, q, 2, 1);
    h = xg_francis_steps(b, h, &q, &out[4]);
    xg_francis_standard(b, &h, &q);
    h = xg_hb_slice_dim(b, xg_hb_slice_dim(b, h, 1, 0, n), 2, 0, n);
    out[0] = xg_linear_times(b, h, scale);
    out[1] = xg_hb_slice_dim(b, q, 2, 0, n);
    out[2] = xg_linear_diagonal(b, out[0]);
    pair = xg_hb_1(b, XG_SQRT, xg_francis_beside(b, out[0], true));
    pair = xg_hb_mul(b, pair, xg_hb_1(b, XG_SQRT, xg_francis_beside(b, out[0], false)));
    out[3] = xg_hb_sub(b, xg_francis_moved(b, pair, true), pair);
}

#endif /* XG_EXPAND_REAL_SCHUR_EXPANDER_C */
