/* elem/complex.c -- complex elements as pairs of real values.
 *
 * Formulas are the textbook ones in the forms that neither overflow early nor cancel: hypot by scaling, Smith's
 * division, log near the unit circle through log1p, tanh through sech, square root without cancellation (Kahan, "Branch
 * cuts for complex elementary functions", 1987). */
#ifndef XG_ELEM_COMPLEX_C
#define XG_ELEM_COMPLEX_C
#include "elem.h"
#include "scalar.c"

/* Formulas (kir/formula.c) of z = x + iy and w = u + iv, whose numbers are of their type. The last statement gives the
 * real part, q the imaginary one. */
#define V(letter) f.v[#letter[0] - 'a']
XG_FN void xg_cx_begin(xg_kform *f, xg_kb *b, xg_elem z, xg_elem w) {
    f->b = b;
    f->elem = z.v->type->elem;
    f->constants = NULL;
    f->v['x' - 'a'] = z.v;
    f->v['y' - 'a'] = z.im;
    f->v['u' - 'a'] = w.v;
    f->v['v' - 'a'] = w.im;
    f->v['q' - 'a'] = NULL;
}
XG_FN xg_elem xg_cx_end(xg_kform *f, const char *text) {
    xg_elem e;
    e.v = xg_kformula(f, text);
    e.im = f->v['q' - 'a'];
    return e;
}
XG_FN xg_elem xg_cx_2(xg_kb *b, xg_elem z, xg_elem w, const char *text) {
    xg_kform f;
    xg_cx_begin(&f, b, z, w);
    return xg_cx_end(&f, text);
}
XG_FN xg_elem xg_cx_1(xg_kb *b, xg_elem z, const char *text) { return xg_cx_2(b, z, z, text); }

/* |z| without overflow of the squares: max * sqrt(1 + (min/max)^2); infinite if either part is. */
XG_FN xg_kval *xg_cx_abs(xg_kb *b, xg_elem z) {
    return xg_cx_1(b, z,
        "x=abs(x);y=abs(y);h=max(x,y);l=min(x,y);q=l/h;r=h*sqrt(1+q*q);r=h==0?h:r;"
        "x==inf|y==inf?inf:r")
        .v;
}

XG_FN xg_elem xg_cx_mul(xg_kb *b, xg_elem z, xg_elem w) { return xg_cx_2(b, z, w, "q=x*v+y*u;x*u-y*v"); }

/* Smith: divide through by the larger part of the divisor. By zero: each part divided by zero. */
XG_FN xg_elem xg_cx_div(xg_kb *b, xg_elem z, xg_elem w) {
    return xg_cx_2(b, z, w,
        "c=abs(u)>=abs(v);z=u==0&v==0;b=c?u:v;l=c?v:u;r=z?0:l/b;d=b+l*r;"
        "e=c?x+y*r:x*r+y;i=c?y-x*r:y*r-x;q=i/d;e/d");
}

XG_APART XG_FN xg_elem xg_cx_add(xg_kb *b, xg_elem z, xg_elem w) { return xg_cx_2(b, z, w, "q=y+v;x+u"); }
XG_APART XG_FN xg_elem xg_cx_add_1(xg_kb *b, xg_elem z) { return xg_cx_1(b, z, "q=y;x+1"); }
XG_FN xg_elem xg_cx_neg(xg_kb *b, xg_elem z) { return xg_cx_1(b, z, "q=neg(y);neg(x)"); }
XG_FN xg_elem xg_cx_times_i(xg_kb *b, xg_elem z) { return xg_cx_1(b, z, "q=x;neg(y)"); }
XG_FN xg_elem xg_cx_times_minus_i(xg_kb *b, xg_elem z) { return xg_cx_1(b, z, "q=neg(x);y"); }

/* exp in two halves, so that a factor below 1 can bring the product back from overflow; a zero imaginary part stays
 * exactly zero. */
XG_APART XG_FN xg_elem xg_cx_exp(xg_kb *b, xg_elem z) {
    return xg_cx_1(b, z,
        "h=exp(x*.5);e=exp(x);c=cos(y);s=sin(y);o=e==inf;z=y==0;"
        "a=o?h*c*h:e*c;b=o?h*s*h:e*s;q=z?y:b;z?e:a");
}
XG_FN xg_elem xg_cx_expm1(xg_kb *b, xg_elem z) {
    return xg_cx_1(b, z, "h=sin(y*.5);e=expm1(x);z=y==0;a=e*cos(y)-2*(h*h);b=exp(x)*sin(y);q=z?y:b;z?e:a");
}

/* After the formula `text`, a is |z|. */
XG_APART XG_FN void xg_cx_begin_abs(xg_kform *f, xg_kb *b, xg_elem z, const char *text) {
    xg_cx_begin(f, b, z, z);
    (void)xg_kformula(f, text);
    f->v[0] = xg_cx_abs(b, z);
}
/* log|z|: through log1p of |z|^2 - 1 = (m-1)(m+1) + n^2 where |z| is between about 1/2 and 2, with m the larger
 * part. */
XG_FN xg_kval *xg_cx_log_abs(xg_kb *b, xg_elem z) {
    xg_kform f;
    xg_cx_begin_abs(&f, b, z, "x=abs(x);y=abs(y);m=max(x,y);n=min(x,y);c=.5<m&m<2;e=fma(m-1,m+1,n*n)");
    return xg_kformula(&f, "c?.5*log1p(e):log(a)");
}
XG_FN xg_elem xg_cx_log(xg_kb *b, xg_elem z) {
    xg_elem r;
    r.im = xg_k2(b, XG_K_OP_ATAN2, z.im, z.v);
    r.v = xg_cx_log_abs(b, z);
    return r;
}

/* |1+z|^2 - 1 = x(2+x) + y^2 while that is small; else log of 1+z. */
XG_FN xg_elem xg_cx_log1p(xg_kb *b, xg_elem z) {
    xg_elem w = xg_cx_add_1(b, z);
    xg_kform f;
    xg_cx_begin(&f, b, z, w);
    (void)xg_kformula(&f, "e=fma(x,2+x,y*y);c=abs(e)<.5;q=atan2(y,u)");
    V(a) = xg_cx_log_abs(b, w);
    return xg_cx_end(&f, "c?.5*log1p(e):a");
}

/* t = sqrt((|x| + |z|)/2) is the larger part; the other is |y|/(2t). */
XG_FN xg_elem xg_cx_sqrt(xg_kb *b, xg_elem z) {
    xg_kform f;
    xg_cx_begin_abs(&f, b, z, "g=abs(x);h=abs(y)");
    return xg_cx_end(&f, "t=sqrt(.5*(g+a));z=t==0;n=h==inf;o=z?0:h/(2*t);r=x>=0;a=r?t:o;b=r?o:t;"
                         "q=copysign(n?h:b,y);n?inf:a");
}
XG_FN xg_elem xg_cx_cbrt(xg_kb *b, xg_elem z) {
    xg_elem w;
    w.im = w.v = xg_cx_abs(b, z);
    return xg_cx_2(b, z, w, "r=cbrt(u);a=atan2(y,x)/3;q=r*sin(a);r*cos(a)");
}

/* With t = tanh x, u = tan y: (t(1+u^2) + i u sech^2 x) / (1 + t^2 u^2); sech^2 from exp, since 1 - t^2 cancels. */
XG_FN xg_elem xg_cx_tanh(xg_kb *b, xg_elem z) {
    return xg_cx_1(b, z,
        "t=tanh(x);u=tan(y);e=exp(-2*abs(x));o=1;d=o+e;s=4*e/(d*d);v=u*u;d=o+t*t*v;"
        "q=u*s/d;t*(o+v)/d");
}

/* asinh z = log(z + sqrt(z^2+1)), for the half plane Re z >= 0 and mirrored, where nothing cancels. */
XG_FN xg_elem xg_cx_asinh(xg_kb *b, xg_elem z) {
    xg_elem r, w;
    xg_kform f;
    xg_cx_begin(&f, b, z, z);
    r = xg_cx_end(&f, "l=x<0;v=l?neg(y):y;u=l?neg(x):x;q=2*(u*v);fma(u,u,1-v*v)");
    w.v = V(u);
    w.im = V(v);
    r = xg_cx_log(b, xg_cx_add(b, w, xg_cx_sqrt(b, r)));
    V(x) = r.v;
    V(y) = r.im;
    return xg_cx_end(&f, "q=l?neg(y):y;l?neg(x):x");
}
XG_FN xg_elem xg_cx_asin(xg_kb *b, xg_elem z) { return xg_cx_times_minus_i(b, xg_cx_asinh(b, xg_cx_times_i(b, z))); }
XG_FN xg_elem xg_cx_acosh(xg_kb *b, xg_elem z) {
    xg_elem p = xg_cx_sqrt(b, xg_cx_add_1(b, z)), q = xg_cx_sqrt(b, xg_cx_1(b, z, "q=y;x+-1"));
    return xg_cx_log(b, xg_cx_add(b, z, xg_cx_mul(b, p, q)));
}
XG_FN xg_elem xg_cx_atanh(xg_kb *b, xg_elem z) {
    xg_elem minus = xg_cx_log1p(b, xg_cx_neg(b, z)), d = xg_cx_2(b, xg_cx_log1p(b, z), minus, "q=y-v;x-u");
    return xg_cx_1(b, d, "q=.5*y;.5*x");
}
XG_FN xg_elem xg_cx_sign(xg_kb *b, xg_elem z) {
    xg_elem w;
    w.im = w.v = xg_cx_abs(b, z);
    return xg_cx_2(b, z, w, "z=u==0;q=z?0:y/u;z?0:x/u");
}

XG_FN xg_elem xg_complex_unary(xg_kb *b, const xg_inst *i, xg_elem z) {
    xg_elem one = xg_cx_1(b, z, "q=0;1");
    switch (i->op) {
    case XG_COPY: return z;
    case XG_NEGATE: return xg_cx_neg(b, z);
    case XG_SIGN: return xg_cx_sign(b, z);
    case XG_EXPONENTIAL: return xg_cx_exp(b, z);
    case XG_EXPONENTIAL_MINUS_ONE: return xg_cx_expm1(b, z);
    case XG_LOG: return xg_cx_log(b, z);
    case XG_LOG_PLUS_ONE: return xg_cx_log1p(b, z);
    case XG_LOGISTIC: return xg_cx_div(b, one, xg_cx_add_1(b, xg_cx_exp(b, xg_cx_neg(b, z))));
    case XG_SQRT: return xg_cx_sqrt(b, z);
    case XG_RSQRT: return xg_cx_div(b, one, xg_cx_sqrt(b, z));
    case XG_CBRT: return xg_cx_cbrt(b, z);
    case XG_TANH: return xg_cx_tanh(b, z);
    case XG_TAN: return xg_cx_times_minus_i(b, xg_cx_tanh(b, xg_cx_times_i(b, z)));
    case XG_SINE: return xg_cx_1(b, z, "q=cos(x)*sinh(y);sin(x)*cosh(y)");
    case XG_COSINE: return xg_cx_1(b, z, "q=neg(sin(x)*sinh(y));cos(x)*cosh(y)");
    case XG_SINH: return xg_cx_1(b, z, "q=cosh(x)*sin(y);sinh(x)*cos(y)");
    case XG_COSH: return xg_cx_1(b, z, "q=sinh(x)*sin(y);cosh(x)*cos(y)");
    case XG_ASINH: return xg_cx_asinh(b, z);
    case XG_ASIN: return xg_cx_asin(b, z);
    case XG_ACOS: return xg_cx_1(b, xg_cx_asin(b, z), "q=neg(y);1.57079632679489661923-x");
    case XG_ACOSH: return xg_cx_acosh(b, z);
    case XG_ATANH: return xg_cx_atanh(b, z);
    case XG_ABS: return xg_elem_real(xg_cx_abs(b, z));
    case XG_REAL: return xg_elem_real(z.v);
    case XG_IMAG: return xg_elem_real(z.im);
    default: xg_scalar_refuse(i, XG_OPERAND(i, 0)->shape->type);
    }
}

/* z^w = exp(w log z); 0^0 is 1, 0 to anything else 0. */
XG_FN xg_elem xg_cx_pow(xg_kb *b, xg_elem z, xg_elem w) {
    xg_elem r;
    xg_kform f;
    xg_cx_begin(&f, b, z, w);
    (void)xg_kformula(&f, "z=x==0&y==0;n=u==0&v==0");
    r = xg_cx_exp(b, xg_cx_mul(b, w, xg_cx_log(b, z)));
    V(x) = r.v;
    V(y) = r.im;
    return xg_cx_end(&f, "q=z?0:y;z?(n?1:0):x");
}

XG_FN xg_elem xg_complex_binary(xg_kb *b, const xg_inst *i, xg_elem z, xg_elem w) {
    switch (i->op) {
    case XG_ADD: return xg_cx_add(b, z, w);
    case XG_SUBTRACT: return xg_cx_2(b, z, w, "q=y-v;x-u");
    case XG_MULTIPLY: return xg_cx_mul(b, z, w);
    case XG_DIVIDE: return xg_cx_div(b, z, w);
    case XG_POWER: return xg_cx_pow(b, z, w);
    /* z where they are equal: XLA looks at the real parts alone, as its compare does for GE and LE */
    case XG_MAXIMUM: return xg_cx_2(b, z, w, "f=x>=u;q=f?y:v;f?x:u");
    case XG_MINIMUM: return xg_cx_2(b, z, w, "f=x<=u;q=f?y:v;f?x:u");
    case XG_ATAN2: { /* -i log((w + iz) / sqrt(w^2 + z^2)) */
        xg_elem n = xg_cx_add(b, w, xg_cx_times_i(b, z)), z2 = xg_cx_mul(b, z, z),
                d = xg_cx_sqrt(b, xg_cx_add(b, xg_cx_mul(b, w, w), z2));
        return xg_cx_times_minus_i(b, xg_cx_log(b, xg_cx_div(b, n, d)));
    }
    default: xg_scalar_refuse(i, i->shape->type);
    }
}

/* EQ and NE by parts; LT and GT lexicographically; GE and LE by the real parts. */
XG_FN xg_kval *xg_complex_compare(xg_kb *b, const xg_inst *i, xg_elem z, xg_elem w) {
    const xg_direction_row *d = xg_scalar_direction(i);
    if (d->flt == XG_CF_OEQ) return xg_cx_2(b, z, w, "x==u&y==v").v;
    if (d->flt == XG_CF_UNE) return xg_cx_2(b, z, w, "x!=u|y!=v").v;
    if (d->flt == XG_CF_OGE || d->flt == XG_CF_OLE) return xg_kcmpf_(b, (xg_kcmpf)d->flt, z.v, w.v);
    return xg_cx_2(b, z, w, d->flt == XG_CF_OLT ? "x<u|x==u&y<v" : "x>u|x==u&y>v").v;
}
#undef V

#endif /* XG_ELEM_COMPLEX_C */
