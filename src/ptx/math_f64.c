/* ptx/math_f64.c -- the math dialect in f64. The same habits as math_f32.c; no approximate instructions, and division
 * is as good as any other operation. Polynomials: sollya, fpminimax with double coefficients, relative errors beside
 * them. */
#ifndef XG_PTX_MATH_F64_C
#define XG_PTX_MATH_F64_C
#include "../eval/eval.h"
#include "math_f32.c"

/* expm1 on [-0.3467, 0.3467]: x + x^2 P(x), 2^-61.5 */
XG_TABLE const uint64_t xg_m64_expm1_c[] = {0x3E21F1A36B173297u, 0x3E5AF5F2C470A40Fu, 0x3E927E5133987E42u,
    0x3EC71DDF80F86710u, 0x3EFA01A018E0F1D8u, 0x3F2A01A01B0036DAu, 0x3F56C16C16C1AAFEu, 0x3F8111111110F655u,
    0x3FA555555555554Du, 0x3FC5555555555559u, 0x3FE0000000000000u};
/* (atanh(s)/s - 1) / s^2 on [0, 0.1716], 2^-51, and (atanh(s)/s - 1 - s^2/3) / s^4 */
XG_TABLE const uint64_t xg_m64_atanh_c[] = {0x3FB2B5AC544E96FDu, 0x3FB39FE30693969Au, 0x3FB7462B5EF63D76u,
    0x3FBC71C62E2379B3u, 0x3FC2492492DF1ED3u, 0x3FC999999999530Bu, 0x3FD5555555555558u};
XG_TABLE const uint64_t xg_m64_atanh3_c[] = {0x3FB08742EFEEC6EBu, 0x3FB101920B172406u, 0x3FB3B18B46C2C460u,
    0x3FB745D0A06425CCu, 0x3FBC71C71D7B483Fu, 0x3FC249249248E6D3u, 0x3FC999999999999Eu};
/* (sinh(x)/x - 1) / x^2 on [0, 1], 2^-54 */
XG_TABLE const uint64_t xg_m64_sinh_c[] = {0x3D0D9BA54A74B4C5u, 0x3D698C01CBDE6F3Au, 0x3DE6144EAC70497Cu,
    0x3E5AE6424EA2EE69u, 0x3EC71DE3A7DE0352u, 0x3F2A01A019FF8236u, 0x3F811111111111D9u, 0x3FC5555555555555u};
/* (tanh(x)/x - 1) / x^2 on [0, 0.35], 2^-54 */
XG_TABLE const uint64_t xg_m64_tanh_c[] = {0x3F02EC7FF2D5F57Du, 0xBF2B9D36BA955CC2u, 0x3F431F78AE3B207Au,
    0xBF57D6BB354A7EC8u, 0x3F6D6D1A5F6072CBu, 0xBF8226E2EC8FBE9Eu, 0x3F9664F486B24011u, 0xBFABA1BA1B9ED99Du,
    0x3FC1111111110FCAu, 0xBFD5555555555555u};
/* (sin(x)/x - 1) / x^2, 2^-52.7; (cos(x) - 1 + x^2/2) / x^4, 2^-54; (tan(x)/x - 1) / x^2, 2^-52, on [0, pi/4] */
XG_TABLE const uint64_t xg_m64_sin_c[] = {0x3DE5E109E07E92A6u, 0xBE5AE601E2D09D03u, 0x3EC71DE37AED723Fu,
    0xBF2A01A019E9EC33u, 0x3F81111111110C79u, 0xBFC5555555555555u};
XG_TABLE const uint64_t xg_m64_cos_c[] = {0xBDA90734B3D67B0Eu, 0x3E21EEB5780E017Fu, 0xBE927E4FA02931FCu,
    0x3EFA01A019F37F9Bu, 0xBF56C16C16C168C9u, 0x3FA5555555555555u};
XG_TABLE const uint64_t xg_m64_tan_c[] = {0x3EF322BAFC65F699u, 0xBF01BCC454A4BAC2u, 0x3F120016BBD8A5C4u,
    0xBECCA69DD796502Eu, 0x3F1F73C9B2BAE513u, 0x3F2E374AC0A7926Du, 0x3F43684090580B6Au, 0x3F57D88709626A5Cu,
    0x3F6D6D5739F66F98u, 0x3F8226E2D2A59F98u, 0x3F9664F48B3F4557u, 0x3FABA1BA1B98183Au, 0x3FC1111111111710u,
    0x3FD5555555555554u};
/* (asin(x)/x - 1) / x^2 on [0, 1/2], 2^-49.5 */
XG_TABLE const uint64_t xg_m64_asin_c[] = {0x3F9CFA0DD1BAEF33u, 0xBF86602747612731u, 0x3F9087182F4385E5u,
    0x3F7FD1151B15A182u, 0x3F8856073C1B2653u, 0x3F8C86A22CDA3BAFu, 0x3F91C5997C357470u, 0x3F96E8B264D46846u,
    0x3F9F1C71FBD29FB9u, 0x3FA6DB6DB67F6D9Fu, 0x3FB3333333337233u, 0x3FC555555555554Eu};
/* (atan(x)/x - 1) / x^2 on [0, 0.4143], 2^-53 */
XG_TABLE const uint64_t xg_m64_atan_c[] = {0xBF93AD31E2469473u, 0x3FA41AB2E0F00E53u, 0xBFAA0B567719F29Fu,
    0x3FADFEC3D6779184u, 0xBFB10FADB6B5A132u, 0x3FB3B126B3B6F410u, 0xBFB745D0B94791F3u, 0x3FBC71C71888B0D2u,
    0xBFC249249243D2DEu, 0x3FC9999999999426u, 0xBFD5555555555555u};
/* erf(x)/x - 1 on [0, 1], 2^-53; -log(erfc(1 + u)) on [0, 5], 2^-56 after weighting with erfc */
XG_TABLE const uint64_t xg_m64_erf_c[] = {0xBE0AF963B6F9B7D9u, 0x3E4D8530950FC489u, 0xBE85C302FBD1F346u,
    0x3EBB985B6EAC028Eu, 0xBEEF4CACC39932DFu, 0x3F1F9A2C0D3EB5C9u, 0xBF4C02DB06423890u, 0x3F7565BCCF943252u,
    0xBF9B82CE311F2530u, 0x3FBCE2F21A04080Cu, 0xBFD812746B0379AEu, 0x3FC06EBA8214DB68u};
XG_TABLE const uint64_t xg_m64_erfc_c[] = {0x3D95661E284276A8u, 0xBDE066CB52C76867u, 0x3E16A9EE8346F693u,
    0xBE424B8FB9903955u, 0x3E61ED8CEE88EB21u, 0xBE6F25CBB02B423Bu, 0xBE8B7CF2292C83ACu, 0x3EC1E247370B1890u,
    0xBEE44846446EE59Eu, 0x3EFC852AA0C12682u, 0xBEFB92DD97899DA3u, 0xBF2F1B04A8F378C1u, 0x3F6033F5A12FC663u,
    0xBF848C9D37FC20B4u, 0x3FA5477F099B6C88u, 0x3FEAFABC11A2AFD9u, 0x40051C9B0006C21Au, 0x3FFD97FBF27AA2A1u};
XG_TABLE const xg_kform_row xg_m64_polynomials[] = {
#define X(letter, name) {xg_m64_##name##_c, #letter[0], XG_COUNT(xg_m64_##name##_c)},
    X(A, expm1) X(B, atanh) X(C, atanh3) X(D, sinh) X(F, tanh) X(G, sin) X(H, cos) X(I, tan) X(J, asin) X(K, atan)
        X(L, erf) X(M, erfc)
#undef X
};

/* ---- exponentials ---- */
#define XG_M64_EXPM1_CORE "p=fma(r*r,A(r),r);"                                   /* p = exp(r) - 1 */
#define XG_M64_REDUCE "t=fma(v,E,X);m=X-t;r=fma(m,M,fma(m,L,v));n=i32(bits(t));" /* v = n ln 2 + r */
#define XG_M64_POWER(n) "float(i64s(" n "+1023)<<52)"                            /* 2^n, -1022 .. 1023 */
/* z = p 2^n in two steps, of which only the last one can leave the normal numbers. */
#define XG_M64_SCALE "h=n>>1;l=n-h;z=p*" XG_M64_POWER("h") ";z=z*" XG_M64_POWER("l")
/* z = exp(v) 2^shift */
static xg_kval *xg_m64_exp(xg_kform *m, bool half) {
    (void)xg_kformula(m, "t=v<-746?-746:v;v=v>711?711:t;" XG_M64_REDUCE XG_M64_EXPM1_CORE "p=p+1");
    return xg_kformula(m, half ? "n=n+-1;" XG_M64_SCALE : XG_M64_SCALE);
}
/* 711 gives a power of 1025: infinite all the same. */
static xg_kval *xg_m64_expm1(xg_kform *m) {
    return xg_kformula(m, "t=x<-40?-40:x;v=x>711?711:t;" XG_M64_REDUCE XG_M64_EXPM1_CORE
                          "s=mins(n-1,1023);s=" XG_M64_POWER("s") ";y=fma(p,s,s+-.5);y=y+y;"
                                                                  "y=x>710?I:y;y=n==0?p:y;y=copysign(y,x)");
}

/* ---- logarithms ---- */
/* y = log(1 + f) + e ln 2, where s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - s (f - 2 s^2 Q(s^2)). */
#define XG_M64_LOG_SUM "s=f/(f+2);z=s*s;q=B(z)*z;t=s*fma(q,-2,f);t=f-fma(e,U,t);y=fma(e,S,t);"
/* Bits of a positive normal number to k, those of 2^e, where the number is 2^e m, m in [sqrt(1/2), sqrt(2)). */
#define XG_M64_EXPONENT_BITS(bits) "k=" bits "-0x3FE6A09E667F3BCD&0xFFF0000000000000;"
/* a > 0 is 2^e (1 + f). */
static void xg_m64_split(xg_kform *m) {
    (void)xg_kformula(m, "c=a<T;s=a*18014398509481984;s=c?s:a;e=c?-54:0;s=bits(s);" XG_M64_EXPONENT_BITS(
                             "s") "m=float(s-k);e=f64s(i32(k>>52))+e;f=m+-1");
}
/* y where x > least; at least -infinity, below NaN; infinity and NaN stay. */
#define XG_M64_LOG_EDGES(least) "y=x<I?y:x;y=x<" least "?N:y;y=x==" least "?J:y;"
static xg_kval *xg_m64_log(xg_kform *m) {
    V(a) = V(x);
    xg_m64_split(m);
    return xg_kformula(m, XG_M64_LOG_SUM XG_M64_LOG_EDGES("0"));
}
static xg_kval *xg_m64_log1p(xg_kform *m) { /* s = 4 2^-e */
    return xg_kformula(m,
        XG_M64_EXPONENT_BITS("bits(x+1)") "s=float(0x4010000000000000-k);e=f64s(i32(k>>52));"
                                          "t=fma(s,.25,-1);f=fma(x*.25,s,t);" XG_M64_LOG_SUM XG_M64_LOG_EDGES(
                                              "-1") "y=abs(x)<Y?x:y");
}
static xg_kval *xg_m64_pow(xg_kform *m) { /* first f + 2 = d + l */
    V(a) = xg_kformula(m, "abs(x)");
    xg_m64_split(m);
    (void)xg_kformula(m, "d=f+2;l=f-(d-2);u=f/d;t=neg(u);r=fma(t,d,f);l=fma(t,l,r)/d;z=u*u;q=C(z)");
    xg_math_log2_pair(m);
    (void)xg_kformula(m, XG_MATH_POW_PRODUCT("4096") "g=t<-1080?-1080:t;t=t>1030?1030:g;n=t+X;m=n-X;n=i32(bits(n));"
                                                     "t=t-m;r=t*L;" /* (t + l) ln 2 = r + g */
                                                     "g=fma(t,L,neg(r));g=fma(t,M,g);g=fma(l,L,g);" XG_M64_EXPM1_CORE
                                                     "t=fma(g,p,g);p=p+t;p=p+1;" XG_M64_SCALE ";r=z"); /* exp(r) g */
    return xg_math_pow_edges(m);
}

/* ---- hyperbolic ---- */
/* a = |x|, e = exp(a) / 2 */
static void xg_m64_exp_half(xg_kform *m) {
    V(a) = V(v) = xg_kformula(m, "abs(x)");
    V(e) = xg_m64_exp(m, true);
}
static xg_kval *xg_m64_sinh(xg_kform *m) {
    xg_m64_exp_half(m);
    return xg_kformula(m, "b=e-.25/e;z=x*x;p=fma(D(z)*z,a,a);copysign(a<1?p:b,x)");
}
static xg_kval *xg_m64_cosh(xg_kform *m) {
    xg_m64_exp_half(m);
    return xg_kformula(m, "e+.25/e");
}
/* beyond 0.35: with y = expm1(2a): y / (y + 2), for larger a as 1 - 2 / (y + 2); the clamp keeps NaN */
static xg_kval *xg_m64_tanh(xg_kform *m) {
    (void)xg_kformula(m, "o=x;a=abs(x);z=x*x;l=fma(F(z)*z,a,a);t=min(a,30);x=t+t");
    (void)xg_m64_expm1(m);
    return xg_kformula(m, "d=y+2;c=a<1;q=(c?y:-2)/d;r=q+1;q=c?q:r;copysign(a<.35?l:q,o)");
}

/* ---- trigonometric ---- */
/* u, v and w, three words of 2/pi from bit s on (s < 1024): moved up by 8, 4, 2, 1 words as the bits of s / 64 say,
 * then by the bits left. */
static void xg_m64_window(xg_kform *m) {
    static const uint8_t letters[] = {'u' - 'a', 'v' - 'a', 'w' - 'a'};
    xg_kb *b = m->b;
    xg_kval *word = xg_kformula(m, "s>>>6"), *hit, *v[19];
    int k, step;
    for (k = 0; k < 19; k++) v[k] = I64_(xg_two_over_pi()[k]);
    for (step = 8; step; step /= 2) {
        hit = BY_(ANDI, word, step);
        hit = CMPBY_(NE, hit, 0);
        /* step + 3: words that the steps to come may reach */
        for (k = 0; k < step + 3 && k + step < 19; k++) v[k] = SEL_(hit, v[k + step], v[k]);
    }
    (void)xg_kformula(m, "l=i64u(s&63);e=63-l");
    for (k = 0; k < 3; k++) {
        V(a) = v[k];
        V(b) = v[k + 1];
        m->v[letters[k]] = xg_kformula(m, "h=a<<l;h|b>>>1>>>e");
    }
}
/* Payne and Hanek with three words of 64 bits: x / (pi/2) modulo 4, of which 190 bits follow the point. r + l in
 * [-pi/4, pi/4], q. Of infinities and NaNs any words serve. */
static void xg_m64_reduce_far(xg_kform *m) {
    (void)xg_kformula(m, "i=bits(x);m=i&0x000FFFFFFFFFFFFF|0x0010000000000000;s=(i32(i>>>52)&2047)-1045&1023");
    xg_m64_window(m);
    (void)xg_kformula(m, "h=mulhu(m,w);n=m*v+h;c=i64u(ult(n,h));h=mulhu(m,v)+c;t=m*u+h;"
                         "q=t>>>62;f=t<<2;f=f|n>>>62;g=n<<2;"
                         "k=f>>63;q=q-k;f=f^k;g=g^k;" /* k all ones: the next quadrant is nearer */
                         "z=minu(clz(f),63);t=f<<z;u=g>>>1;h=63-z;u=u>>>h;t=t|u;"
                         "u=t&0x7FF;t=f64u(t-u);l=f64u(u);" /* exact */
                         "r=t*P;j=fma(t,P,neg(r));j=fma(t,Q,j);j=fma(l,P,j);"
                         "s=959-z<<52;u=i&0x8000000000000000;" /* x's sign and the direction of rounding */
                         "u=u^k&0x8000000000000000;s=float(s|u);r=r*s;l=j*s;"
                         "c=i<0;q=i32(q);q=c?0-q:q;t=x-x;r=t==0?r:t");
}
/* x = q pi/2 + r + l; a is exact */
static void xg_m64_reduce(xg_kform *m) {
    xg_math_if f;
    (void)xg_kformula(m, "a=abs(x);c=a<8388608");
    xg_math_if_begin(m, &f, 3, XG_E_I32);
    (void)xg_kformula(m, "t=fma(x,0x3FE45F306DC9C883,X);n=X-t;a=fma(n,P,x);r=fma(n,Q,a);a=fma(n,Q,a-r);l=fma(n,R,a);"
                         "q=i32(bits(t))");
    xg_math_if_else(m, &f);
    xg_m64_reduce_far(m);
    xg_math_if_end(m, &f);
}
/* sin: r + (r z P + l (1 - z/2)); cos: h + ((1 - h - z/2) + z^2 P - r l) */
static xg_kval *xg_m64_sin(xg_kform *m, bool cosine) {
    xg_m64_reduce(m);
    if (cosine) (void)xg_kformula(m, "q=q+1");
    V(y) = xg_kformula(m, "z=r*r;h=fma(z,-.5,1);p=G(z);s=r*z;t=l*h;s=r+fma(s,p,t);t=fma(z,-.5,1-h);p=H(z);c=z*z;"
                          "t=fma(c,p,t);c=h+fma(neg(r),l,t);y=(q&1)!=0?c:s;n=i64s(q)<<62&0x8000000000000000;"
                          "float(bits(y)^n)");
    return cosine ? V(y) : xg_kformula(m, "x==0?x:y");
}
static xg_kval *xg_m64_tan(xg_kform *m) { /* the derivative is about 1 + r^2 */
    xg_m64_reduce(m);
    return xg_kformula(m, "z=r*r;p=I(z)*z;t=r+fma(p,r,fma(z,l,l));c=-1/t;t=(q&1)!=0?c:t;x==0?x:t");
}
/* asin(s) as s + e; s = a = |x|, or for a above 1/2 (b) the root of (1 - a) / 2, whose rounding error goes into e. */
#define XG_M64_ASIN_CORE \
    "a=abs(x);b=a>.5;w=fma(a,-.5,.5);z=a*a;z=b?w:z;s=sqrt(w);t=fma(neg(s),s,w);d=s+s;t=t/d;t=w==0?0:t;t=b?t:0;" \
    "s=b?s:a;e=fma(J(z)*z,s,t);"
/* pi/2 - 2 s - 2 e; v: minus the rounding error of u */
#define XG_M64_ASIN XG_M64_ASIN_CORE "t=s+e;u=fma(s,-2,P);v=Q-fma(s,2,u-P);v=fma(e,-2,v);u=u+v;copysign(b?u:t,x)"
/* small: w = pi/2 - asin(x), v its rounding error; big: 2 asin(s), or pi - 2 asin(s) */
#define XG_M64_ACOS \
    XG_M64_ASIN_CORE "u=neg(copysign(1,x));w=fma(u,s,P);v=fma(u,s,P-w)+Q;v=fma(u,e,v);w=w+v;" \
                     "v=s+e;v=v+v;u=fma(s,-2,H);u=u+fma(e,-2,G);v=x<0?u:v;b?v:w"
/* s + e = atan(l / h), 0 <= l <= h, h > 0, both finite or l finite; beyond tan(pi/8) through (l - h) / (l + h) + pi/4.
 * First the sum is kept finite (what l loses does not count), and the comparison away from subnormals (1e-290). */
#define XG_M64_ATAN_CORE \
    "t=h>1e300?.0625:1;t=h<0x03B8F2B061AEA072?1152921504606846976:t;h=h*t;l=l*t;c=l>h*.41421356237309503;" \
    "n=l-h;n=c?n:l;d=l+h;d=c?d:h;r=n/d;z=r*r;p=K(z)*z*r;s=c?A:r;e=c?r+(p+F):p;"
/* u = pi/2 - (s + e), or pi - (s + e); the rounding error of the first difference counts */
#define XG_M64_MINUS(hi, lo) "u=" hi "-s;v=" hi "-u-s+" lo "-e;u=u+v;"
#define XG_M64_ATAN \
    "a=abs(x);l=minnum(a,1);h=maxnum(a,1);" XG_M64_ATAN_CORE \
    "t=s+e;" XG_M64_MINUS("P", "Q") "t=a>1?u:t;t=uno(x,x)?a:t;copysign(t,x)"
/* Of x and y; both infinite: as (1, 1). y negative: pi - t, or with t = pi/2 - s: pi/2 + s */
#define XG_M64_ATAN2 \
    "a=abs(y);b=abs(x);l=minnum(a,b);h=maxnum(a,b);h=h==0?1:h;c=l==I;l=c?1:l;h=c?1:h;" XG_M64_ATAN_CORE \
    "w=b>a;t=s+e;" XG_M64_MINUS("P", "Q") "t=w?u:t;" XG_M64_MINUS("H", "G") "g=u;s=neg(s);e=neg(e);" XG_M64_MINUS( \
        "P", "Q") "u=w?u:g;t=bits(y)<0?u:t;t=copysign(t,x);c=uno(y,x);c?y+x:t"

/* ---- the rest ---- */
/* x = 2^(3k) m, m in [1, 8): f32's root of m, then one step of Halley's method, which triples the good bits. The
 * division by 3 by multiplication is exact up to 2^15; the bias, 1023, is 3 times 341; the square is exact, 48 bits. */
static xg_kval *xg_m64_cbrt(xg_kform *m) {
    xg_kb *b = m->b;
    (void)xg_kformula(m, "a=abs(x);c=a<T;s=a*18014398509481984;s=c?s:a;i=bits(s);e=i32(i>>>52);k=e*21846>>>16;e=e-k*3;"
                         "k=k-341");
    V(t) = SEL_(V(c), I32_(18), I32_(0));
    return xg_kformula(m, "k=k-t;e=i64s(e+1023)<<52;m=float(i&0x000FFFFFFFFFFFFF|e);"
                          "y=f64(ex2f(lg2f(f32(m))*.3333333333333333));t=y*y;d=fma(t,y,neg(m));t=fma(d,2,m*3);"
                          "d=y*d/t;y=y-d;y=y*" XG_M64_POWER("k") ";y=copysign(y,x);c=ult(bits(a)-1,0x7FEFFFFFFFFFFFFF);"
                                                                 "c?y:x+x");
}
/* 1 from 6 on; NaN stays with the polynomial. */
static xg_kval *xg_m64_erf(xg_kform *m) {
    (void)xg_kformula(m, "a=abs(x);z=x*x;w=fma(L(z),a,a);v=neg(M(minnum(a,6)+-1))");
    (void)xg_m64_exp(m, false);
    return xg_kformula(m, "e=1-z;copysign(a>=1?e:w,x)");
}
static xg_kval *xg_math_f64(xg_kform *m, xg_kopcode op) {
    const char *text;
    switch (op) {
    case XG_K_OP_CBRT: return xg_m64_cbrt(m);
    case XG_K_OP_EXP: V(v) = V(x); return xg_m64_exp(m, false);
    case XG_K_OP_EXPM1: return xg_m64_expm1(m);
    case XG_K_OP_LOG: return xg_m64_log(m);
    case XG_K_OP_LOG1P: return xg_m64_log1p(m);
    case XG_K_OP_POW: return xg_m64_pow(m);
    case XG_K_OP_SIN: return xg_m64_sin(m, false);
    case XG_K_OP_COS: return xg_m64_sin(m, true);
    case XG_K_OP_TAN: return xg_m64_tan(m);
    case XG_K_OP_TANH: return xg_m64_tanh(m);
    case XG_K_OP_SINH: return xg_m64_sinh(m);
    case XG_K_OP_COSH: return xg_m64_cosh(m);
    case XG_K_OP_ERF: return xg_m64_erf(m);
    case XG_K_OP_RSQRT: text = "t=sqrt(x);1/t"; break;
    case XG_K_OP_ASIN: text = XG_M64_ASIN; break;
    case XG_K_OP_ACOS: text = XG_M64_ACOS; break;
    case XG_K_OP_ATAN: text = XG_M64_ATAN; break;
    case XG_K_OP_ATAN2: text = XG_M64_ATAN2; break;
    default: return NULL;
    }
    return xg_kformula(m, text);
}

/* ---- both widths ---- */
/* Through y = log1p(x): asinh of log1p(a + a^2 / (1 + sqrt(1 + a^2))), acosh with t = x - 1 of log1p(t + sqrt(2t +
 * t^2)), both far out as log(a) + ln 2; atanh as log1p(2a / (1 - a)) / 2. */
static xg_kval *xg_math_inverse(xg_kform *m, xg_kopcode op) {
    XG_TABLE const char *const before[] = {"o=x;a=abs(x);s=sqrt(fma(a,a,1))+1;t=a+a*a/s;w=a>Z;x=w?a:t",
        "o=x;t=x+-1;s=t+sqrt(fma(t,t,t+t));w=x>Z;x=w?x:s", "o=x;a=abs(x);t=1-a;d=a+a;x=d/t"};
    XG_TABLE const char *const behind[] = {
        "y=y+(w?L:0);copysign(y,o)", "y=y+(w?L:0);o<1?N:y", "y=y*.5;y=a<B?a:y;copysign(y,o)"};
    int k = op == XG_K_OP_ASINH ? 0 : op == XG_K_OP_ACOSH ? 1 : 2;
    (void)xg_kformula(m, before[k]);
    if (m->elem == XG_E_F64)
        (void)xg_m64_log1p(m);
    else
        (void)xg_m32_log1p(m, 0);
    return xg_kformula(m, behind[k]);
}
XG_FN xg_kval *xg_math_expand(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y, uint32_t shortness) {
    xg_kform f, *m = &f;
    xg_math_begin(m, b, x, y);
    m->polynomials = m->elem == XG_E_F64 ? xg_m64_polynomials : xg_m32_polynomials;
    if (m->elem != XG_E_F32 && m->elem != XG_E_F64) return NULL;
    if (op == XG_K_OP_ASINH || op == XG_K_OP_ACOSH || op == XG_K_OP_ATANH) return xg_math_inverse(m, op);
    return m->elem == XG_E_F32 ? xg_math_f32(m, op, shortness) : xg_math_f64(m, op);
}

#endif /* XG_PTX_MATH_F64_C */
