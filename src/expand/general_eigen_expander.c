/* expand/general_eigen_expander.c -- eigenvalues and vectors of general matrices: Hessenberg form, shifted QR steps,
 * back substitution, all in complex doubles.
 *
 * Each matrix of the batch has its own active block [lo, hi]: what lies below hi has been split off. A step chases a
 * bulge through the rows k, k + 1 of all matrices together, and does nothing where k lies outside of a block. Doubles,
 * also for floats: a conjugate pair must be told from two real values. */
#ifndef XG_EXPAND_GENERAL_EIGEN_EXPANDER_C
#define XG_EXPAND_GENERAL_EIGEN_EXPANDER_C
#include "expand.h"
#include "eigen_expander.c"

enum {
    XG_SHIFTED_STEPS = 40
}; /* QR steps a row at most */

XG_FN xg_inst *xg_general_next(const xg_hb *b, xg_inst *k) { return xg_hb_add(b, k, xg_hb_int_like(b, k, 1)); }
/* (x, y) := (x p + y q, y conj(p) - x conj(q)) */
XG_FN void xg_general_turn(const xg_hb *b, xg_inst **x, xg_inst **y, xg_inst *p, xg_inst *q) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(x) = *x;
    V(y) = *y;
    V(p) = p;
    V(q) = q;
    *y = xg_lin_read(f, "a=times(x,p);c=times(x,conj(q));a=a+times(y,q);times(y,conj(p))-c");
    *x = V(a);
}
/* h, Hessenberg, below whose subdiagonal lie reflectors -> h without them, and their product *q. */
XG_FN xg_inst *xg_general_unpacked(const xg_hb *b, xg_inst *packed, xg_inst *taus, xg_inst **q) {
    int64_t n = packed->shape->dims[1];
    xg_inst *below = xg_hb_iota(b, XLAGPU_S32, packed->shape->dims, 3, 2), *zero = xg_linear_zero_like(b, packed);
    *q = xg_linear_identity(b, packed->shape->type, packed->shape->dims[0], n, n);
    if (n > 1) *q = xg_linear_reflect(b, packed, taus, *q, true, false, 1);
    below = xg_general_next(b, below);
    return xg_hb_select(b, xg_linear_where_in(b, packed, 1, "GT", below), zero, packed);
}

typedef struct xg_general_block {
    xg_inst *lo, *hi, *finite;
} xg_general_block;
typedef xg_inst *xg_general_splitter(const xg_hb *b, xg_inst *h, xg_general_block *block);
typedef void xg_general_step(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *steps);
/* [batch, 1, 1] */

/* Elements below the diagonal that are small beside their neighbours become zero; the last block that is left. */
XG_FN xg_inst *xg_general_split(const xg_hb *b, xg_inst *h, xg_general_block *block) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(h) = h;
    (void)xg_lin_read(f, "s=abs(h);n=most1(most2(s));d=diag(s);r=iota1(h);c=iota2(h);c=r==c+1;a=as(d,h);"
                         "a=a+as(swap(d),h);z=a==0;a=z?as(n,h):a;a=a*eps;t=(s<=a)&c;l=not(t)&c;f=finite(n)");
    V(o) = xg_hb_zero(b, XLAGPU_S32);
    h = xg_lin_read(f, "i=max1(max2(kept(l,r),o),o);l=r<=as(i,h);l=t&l;j=max1(max2(kept(l,r),o),o);z=zero(h);t?z:h");
    block->finite = V(f);
    block->hi = V(i);
    block->lo = V(j);
    return h;
}
/* The eigenvalue of the block's last 2 x 2 elements that is nearer to the last one; now and then another number, lest
 * steps go round in circles. */
XG_FN xg_inst *xg_general_shift(const xg_hb *b, xg_inst *h, xg_inst *hi, xg_inst *steps) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(h) = h;
    V(i) = hi;
    V(s) = steps;
    return xg_lin_read(f, "g=i+-1;a=pick(h,g,g);b=pick(h,g,i);c=pick(h,i,g);d=pick(h,i,i);b=b*c;x=a-d;x=x*.5;"
                          "r=sqrt(x*x+b);p=x+r;x=x-r;m=abs(p);m=m>=abs(x);p=m?p:x;m=abs(p);m=m==0;p=d-b/p;p=m?d:p;"
                          "o=rem(s,11);o=o==10;d=d+cwide(abs(c));o?d:p");
}
/* Rotations of rows and columns k, k + 1 through the block, on h and q. */
XG_FN void xg_general_chase(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *shift) {
    xg_lin frame, *f = &frame;
    xg_loop l;
    xg_lin_begin(f, b);
    V(h) = *h;
    V(q) = *q;
    V(j) = block->lo;
    V(i) = block->hi;
    V(s) = shift;
    xg_lin_loop(f, &l, "hqjis", (*h)->shape->dims[1] - 1);
    /* o: the column before; of the first row it starts at 0, and is not used. d: idle */
    (void)xg_lin_read(f, "n=k+1;r=row1(h,k);u=row1(h,n);f=eqk(j,k);o=k+-1;z=row2(r,k)-s;x=f?z:row2(r,o);z=row2(u,k);"
                         "y=f?z:row2(u,o);z=abs(x);o=abs(y);z=z*z;z=sqrt(z+o*o);d=gtk(j,k);d=d|lek(i,k);d=d|z==0;"
                         "o=one(x);w=zero(x);x=d?o:over(x,z);y=d?w:over(y,z);o=conj(x)");
    xg_general_turn(f->b, &V(r), &V(u), V(o), xg_linear_conj(f->b, V(y)));
    (void)xg_lin_read(f, "w=zero(u);u=lt2(u,k)?w:u;h=set1(h,r,k);h=set1(h,u,n);r=row2(h,k);u=row2(h,n)");
    xg_general_turn(f->b, &V(r), &V(u), V(x), V(y));
    (void)xg_lin_read(f, "h=set2(h,r,k);h=set2(h,u,n);r=row2(q,k);u=row2(q,n)");
    xg_general_turn(f->b, &V(r), &V(u), V(x), V(y));
    (void)xg_lin_read(f, "q=set2(q,r,k);q=set2(q,u,n)");
    xg_lin_end(f, &l, "hqjis", b);
    *h = V(h);
    *q = V(q);
}
/* Steps of a QR iteration until `split` finds no block below the diagonal, gathered in *q; *bad [batch, 1, 1]: some
 * were not enough. A step works on one block of each matrix; it learns how often in a row it met the same one. */
XG_FN xg_inst *xg_general_iterate(
    const xg_hb *b, xg_inst *h, xg_inst **q, xg_inst **bad, xg_general_splitter *split, xg_general_step *step) {
    const int64_t *dims = h->shape->dims;
    xg_inst *state[5], *same;
    xg_general_block block;
    xg_loop l;
    xg_hb c;
    state[0] = h;
    state[1] = *q;
    state[2] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, 1); /* the last hi, and how long it has been that */
    state[3] = state[2];
    state[4] = xg_hb_int(b, XLAGPU_PRED, 1);
    l = xg_hb_loop(b, state, 5, dims[1] * XG_SHIFTED_STEPS);
    c = xg_hb_end(l.condition, b->from);
    l.condition->root = xg_linear_and(&c, l.condition->root, xg_hb_element(&c, l.condition->params[0], 5));
    h = split(&l.b, l.state[0], &block);
    same = xg_hb_compare(&l.b, "EQ", block.hi, l.state[2]);
    l.state[3] = xg_linear_kept(&l.b, same, xg_general_next(&l.b, l.state[3]));
    l.state[2] = block.hi;
    step(&l.b, &h, &l.state[1], &block, l.state[3]);
    l.state[0] = h;
    same = xg_hb_compare(&l.b, "GT", block.hi, xg_hb_int_like(&l.b, block.hi, 0));
    l.state[4] = xg_linear_any(&l.b, xg_linear_and(&l.b, same, block.finite));
    xg_hb_loop_end(b, &l);
    *q = l.state[1];
    h = split(b, l.state[0], &block);
    same = xg_hb_compare(b, "GT", block.hi, xg_hb_int_like(b, block.hi, 0));
    *bad = xg_hb_2(b, XG_OR, same, xg_hb_1(b, XG_NOT, block.finite));
    return h;
}
XG_FN void xg_general_shifted(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *steps) {
    xg_general_chase(b, h, q, block, xg_general_shift(b, *h, block->hi, steps));
}
/* h, Hessenberg, to triangular form. */
XG_FN xg_inst *xg_general_triangular(const xg_hb *b, xg_inst *h, xg_inst **q, xg_inst **bad) {
    return xg_general_iterate(b, h, q, bad, xg_general_split, xg_general_shifted);
}

/* The vectors of triangular t, times q: of length one, their largest element real. */
XG_FN xg_inst *xg_general_vectors(const xg_hb *b, xg_inst *t, xg_inst *q) {
    int64_t n = t->shape->dims[1];
    xg_lin frame, *f = &frame;
    xg_loop l;
    xg_lin_begin(f, b);
    V(t) = t;
    V(q) = q;
    (void)xg_lin_read(f, "v=swap(diag(t));x=zero(t);m=mkle(t);e=most2(abs(v));z=e==0;o=one(e);e=z?o:e;e=e*eps");
    xg_lin_loop(f, &l, "xmve", n);
    V(n) = xg_hb_int(f->b, XLAGPU_S32, n - 1);
    /* d: value - t[k, k], so that the sum has its sign */
    (void)xg_lin_read(f, "i=n-k;y=row1(m,i);d=as(row2(y,i),y);d=v-d;y=prod(y,x);w=as(e,y);c=abs(d)<w;d=c?cwide(w):d;"
                         "y=y/d;y=kept(gt2(y,i),y);o=one(y);y=eq2(y,i)?o:y;x=set1(x,y,i)");
    xg_lin_end(f, &l, "xmve", b);
    (void)xg_lin_read(f, "x=prod(q,x);x=over(x,len1(x));d=abs(x);m=most1(d);m=m*.999999999999;z=d>=as(m,d);i=iota1(x)");
    V(o) = xg_hb_int(b, XLAGPU_S32, n);
    /* the first of them */
    return xg_lin_read(
        f, "i=z?i:splat(o,x);i=min1(i,o);d=sum1(kept(eq1(x,i),x));o=abs(d);d=over(conj(d),o);times(x,d)");
}

/* Real matrices: values[batch, 1, n] with exact conjugate pairs; gives the places in which pairs are neighbours, the
 * one with the positive imaginary part first. */
XG_APART XG_FN xg_inst *xg_general_pairs(const xg_hb *b, xg_inst **values) {
    const int64_t *dims = (*values)->shape->dims;
    int64_t n = dims[2];
    xg_lin frame, *f = &frame;
    xg_loop l;
    xg_lin_begin(f, b);
    V(w) = *values;
    V(u) = xg_linear_zeros(b, XLAGPU_PRED, dims[0], 1, n);
    V(p) = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, n);
    V(c) = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, 1);
    (void)xg_lin_read(f, "t=most2(abs(w));e=t*.0000000001"); /* below that an imaginary part is rounding */
    xg_lin_loop(f, &l, "wupce", n);
    V(i) = xg_lin_read(f, "iota2(w)");
    V(n) = xg_hb_int(f->b, XLAGPU_S32, n);
    V(f) = xg_hb_float(f->b, XLAGPU_F64, HUGE_VAL);
    (void)xg_lin_read(f, "m=u?splat(n,w):i;j=min2(m,n)");
    V(o) = xg_hb_int(f->b, XLAGPU_S32, n);
    /* h: there is one left, j, with the value v; b: the nearest to its conjugate; q: is it a pair */
    (void)xg_lin_read(f, "h=j<splat(o,j);m=eq2(w,j);v=sum2(kept(m,w));a=as(conj(v),w);a=abs(w-a);t=u|m;"
                         "a=t?splat(f,w):a;l=min2(a,f);b=a==as(l,w);b=b?i:splat(n,w);b=min2(b,n);x=imag(v);y=x>0;"
                         "x=abs(x);q=x>e;q=q&l<=x;z=eq2(w,b);z=z&as(q,w)");
    /* values: hers (z) the conjugate of mine (m); mine real where there is none. Then places. */
    (void)xg_lin_read(f, "t=as(conj(v),w);g=z?t:w;t=q?v:cwide(real(v));w=m?as(t,w):g;t=q&y;t=c+int(t);"
                         "t=z?as(t,w):p;y=q&not(y);y=c+int(y);p=m?as(y,w):t;t=m|z;u=u|t;t=int(q)+1;c=c+kept(h,t)");
    xg_lin_end(f, &l, "wupce", b);
    *values = V(w);
    return V(p);
}

/* a[batch, n, n] by one kernel -> out: T, Z (or eigenvectors), values, info. */
XG_FN void xg_general_kernel(const xg_hb *b, const char *name, xg_inst *a, xg_inst **out) {
    const int64_t *dims = a->shape->dims;
    const xg_shape *shapes[4];
    shapes[0] = shapes[1] = xg_block_shape(b, XLAGPU_C128, dims[0], dims[1], dims[1]);
    shapes[2] = xg_block_shape(b, XLAGPU_C128, dims[0], 1, dims[1]);
    shapes[3] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, 1);
    xg_block_call_make(b, name, NULL, &a, 1, shapes, 4, out);
}
/* a[batch, n, n] = z t z*, complex doubles; t is triangular. *bad [batch, 1, 1]. */
XG_FN xg_inst *xg_general_schur(const xg_hb *b, xg_inst *a, xg_inst **z, xg_inst **bad) {
    xg_inst *made[4], *scale, *t;
    if (xg_block_fits("gees", a)) {
        xg_general_kernel(b, "gees", a, made);
        *z = made[1];
        *bad = made[3];
        return made[0];
    }
    a = xg_c128(b, a);
    scale = xg_linear_magnitude(b, a);
    t = xg_linear_hessenberg(b, xg_linear_over(b, a, scale), z);
    t = xg_general_unpacked(b, t, *z, z);
    t = xg_general_triangular(b, t, z, bad);
    t = xg_linear_masked(b, t, "LE");
    return xg_linear_times(b, t, xg_c128(b, scale));
}
/* u* A = value u*: u is a vector of A* = q t* q*, which is triangular when rows and columns stand the other way round.
 */
XG_FN xg_inst *xg_general_left_vectors(const xg_hb *b, xg_inst *t, xg_inst *q) {
    XG_TABLE const int64_t both[2] = {1, 2};
    t = xg_hb_reverse(b, xg_linear_hermitian(b, t), both, 2);
    q = xg_general_vectors(b, t, xg_hb_reverse(b, q, both + 1, 1));
    return xg_hb_reverse(b, q, both + 1, 1);
}
/* a[batch, n, n] -> out: values [batch, 1, n] and vectors [batch, n, n], complex doubles, info [batch, 1, 1] and, if
 * they are asked for, left vectors. */
XG_APART XG_FN void xg_linear_eig(const xg_hb *b, xg_inst *a, bool left, xg_inst **out) {
    bool real = xg_type_class(a->shape->type) != XGT_C;
    xg_inst *q, *t, *places, *keys, *made[4];
    if (!left && xg_block_fits("geev", a)) {
        xg_general_kernel(b, "geev", a, made);
        out[0] = made[2];
        out[1] = made[1];
        out[2] = made[3];
        return;
    }
    t = xg_general_schur(b, a, &q, &out[2]);
    out[0] = xg_linear_swap(b, xg_linear_diagonal(b, t));
    out[1] = xg_general_vectors(b, t, q);
    if (left) out[3] = xg_general_left_vectors(b, t, q);
    if (real) {
        places = xg_general_pairs(b, &out[0]);
        keys = places;
        xg_linear_sorted(b, &keys, &out[1], false);
        keys = places;
        if (left) xg_linear_sorted(b, &keys, &out[3], false);
        xg_linear_sorted(b, &places, &out[0], false);
    }
    out[2] = xg_hb_convert(b, out[2], XLAGPU_S32);
}
/* Vectors of real matrices as cuSOLVER packs them: a conjugate pair takes two columns, real and imaginary part. */
XG_FN xg_inst *xg_general_packed(const xg_hb *b, xg_inst *values, xg_inst *x) {
    int64_t n = x->shape->dims[2];
    xg_inst *second = xg_hb_1(b, XG_IMAG, values), *both[2], *im = xg_hb_1(b, XG_IMAG, x), *re = xg_hb_1(b, XG_REAL, x);
    if (n == 1) return re;
    second = xg_hb_compare(b, "LT", second, xg_linear_zero_like(b, second));
    both[0] = xg_linear_zeros(b, XLAGPU_F64, x->shape->dims[0], n, 1);
    both[1] = xg_hb_slice_dim(b, im, 2, 0, n - 1);
    im = xg_hb_concat(b, both, 2, 2);
    return xg_hb_select(b, xg_linear_stretch(b, second, x->shape->dims), im, re);
}

#endif /* XG_EXPAND_GENERAL_EIGEN_EXPANDER_C */
