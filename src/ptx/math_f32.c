/* ptx/math_f32.c -- the math dialect in f32.
 *
 * Polynomials are minimax fits of our own (sollya, fpminimax with single coefficients); their error stands beside them.
 * The bounds that tests/programs/math.c measures are in docs/numerics.md; they assume the documented errors of
 * ex2.approx (2^-22.5), lg2.approx (2^-22) and rcp.approx (1 ulp).
 *
 * Habits
 * - Rounding to an integer n: add 1.5 * 2^23, which leaves n in the low bits; subtract it again for n as a float. The
 *   same bits shifted into the exponent are 2^n.
 * - What must stay NaN goes through instructions that keep it; clamps that drop NaNs are only applied where another
 *   operand still carries it.
 * - Odd functions get their sign at the end, which also keeps -0. */
#ifndef XG_PTX_MATH_F32_C
#define XG_PTX_MATH_F32_C
#include "math_common.c"

/* expm1 on [-0.35, 0.35]: x + x^2 P(x), 2^-30.9 */
XG_TABLE const uint32_t xg_m32_expm1_c[] = {0x394F151E, 0x3AB6A4A6, 0x3C08897E, 0x3D2AAA76, 0x3E2AAAAA, 0x3F000000};
/* log1p on [-1/3, 1/3]: x + x^2 P(x), 2^-27.6; the short one 2^-19.8 */
XG_TABLE const uint32_t xg_m32_log_c[] = {
    0xBE037E2F, 0x3E0F7B5A, 0xBDF9C97B, 0x3E0F5B12, 0xBE2ACC5F, 0x3E4CE942, 0xBE7FFF88, 0x3EAAAA80, 0xBF000000};
XG_TABLE const uint32_t xg_m32_log_short_c[] = {0x3E2E445B, 0xBE468AFF, 0x3E4AE310, 0xBE7E68CC, 0x3EAAAF69, 0xBF000166};
/* tanh on [0, 0.91]: x + x^3 P(x^2), 2^-25.7 */
XG_TABLE const uint32_t xg_m32_tanh_c[] = {0x3AA76E86, 0xBBDEDA43, 0x3CAAD916, 0xBD5BF827, 0x3E087FFB, 0xBEAAAA7D};
/* sinh on [0, 1]: x + x^3 P(x^2), 2^-31.4 */
XG_TABLE const uint32_t xg_m32_sinh_c[] = {0x363B3B8F, 0x39500E11, 0x3C088875, 0x3E2AAAAB};
/* sin on [0, pi/4]: x + x^3 P(x^2), 2^-32.2; cos: 1 + x^2 P(x^2), 2^-30; tan: x + x^3 P(x^2), 2^-29.5 */
XG_TABLE const uint32_t xg_m32_sin_c[] = {0x363BEEFC, 0xB950242F, 0x3C0888B2, 0xBE2AAAAB};
XG_TABLE const uint32_t xg_m32_cos_c[] = {0x37CD3F08, 0xBAB60731, 0x3D2AAAA7, 0xBF000000};
XG_TABLE const uint32_t xg_m32_tan_c[] = {
    0x3B8F6F8C, 0x38BC440E, 0x3C317E4A, 0x3CAE5C69, 0x3D5D6D2D, 0x3E0886CE, 0x3EAAAAB0};
/* asin on [0, 1/2]: x + x^3 P(x^2), 2^-27.6 */
XG_TABLE const uint32_t xg_m32_asin_c[] = {0x3D2CB53F, 0x3CC6185A, 0x3D3A3E5F, 0x3D9980FF, 0x3E2AAAE4};
/* atan on [0, 1]: x + x^3 P(x^2), 2^-25.8 */
XG_TABLE const uint32_t xg_m32_atan_c[] = {
    0x3B3F60E2, 0xBC8611FF, 0x3D30FBAB, 0xBD9AA9FA, 0x3DDA6FEE, 0xBE118558, 0x3E4CBC77, 0xBEAAAA6E};
/* erf on [0, 1]: x + x P(x^2), 2^-29.3; above: 1 - 2^q, q = x P(x), 2^-26.3. The short ones: 2^-19.7 and 2^-15.5, of
 * which an eighth arrives. */
XG_TABLE const uint32_t xg_m32_erf_c[] = {
    0x38A48BD2, 0xBA51EC09, 0x3BAA00B9, 0xBCDBFC46, 0x3DE71679, 0xBEC0939F, 0x3E0375D4};
XG_TABLE const uint32_t xg_m32_erfc_c[] = {
    0x351DBDE5, 0xB72A8B0E, 0x384DE8A5, 0x3986B62F, 0xBBA077E5, 0x3D0B2510, 0xBE1CDB7F, 0xBF6A9194, 0xBFD06CDB};
XG_TABLE const uint32_t xg_m32_erf_short_c[] = {0x3B64FAD8, 0xBCD07763, 0x3DE61354, 0xBEC08B79, 0x3E03757E};
XG_TABLE const uint32_t xg_m32_erfc_short_c[] = {0xBA9D06C3, 0x3C94F963, 0xBDF82AF5, 0xBF72851E, 0xBFCEF49C};
/* (atanh(u)/u - 1 - u^2/3) / u^4 on [0, 0.2002], 2^-20 */
XG_TABLE const uint32_t xg_m32_atanh_c[] = {0x3DEF3625, 0x3E123264, 0x3E4CCCDA};
XG_TABLE const xg_kform_row xg_m32_polynomials[] = {
#define X(letter, name) {xg_m32_##name##_c, #letter[0], XG_COUNT(xg_m32_##name##_c)},
    X(A, expm1) X(B, log) X(C, log_short) X(D, tanh) X(F, sinh) X(G, tan) X(H, asin) X(I, atan) X(J, erf) X(K, erfc)
        X(L, erf_short) X(M, erfc_short) X(N, atanh)
#undef X
};

/* exp(x). 2^n with n clamped to the normal exponents takes most of it, ex2.approx the rest, so that overflow
 * and subnormal results come out of one multiplication. A NaN becomes a number in t and stays one in f. The magic
 * number is 1.5 2^23 + 127. (9 instructions) */
#define XG_M32_EXP \
    "t=minnum(maxnum(fma(x,E,12583039),12582913),12583165);n=12583039-t;" \
    "f=ex2f(fma(x,F,fma(x,E,n)));f*float(bits(t)<<23)"
/* 2^-17 at worst; bf16 has subnormal results that count, f16 has none so small */
static xg_kval *xg_m32_exp(xg_kform *m, uint32_t shortness) {
    return xg_kformula(m, !shortness ? XG_M32_EXP : shortness & XG_MATH_SHORT_F16 ? "ex2f(x*E)" : "ex2(x*E)");
}
/* From c, and the magic number that fits: r in p = exp(r) - 1, and s, a power of two, so that exp(c) is a multiple of
 * s (1 + p). */
#define XG_M32_EXPM1_CORE(magic) \
    "t=fma(c,E," magic ");n=" magic "-t;r=fma(n,M,fma(n,L,c));p=fma(r*r,A(r),r);s=float(bits(t)<<23);"
/* Beyond -17.5 and 89: -1 and infinity anyway. s is half of 2^n, which for the largest n would not fit; where n is 0
 * halving would lose a bit of a subnormal. For 16 bits: exp(x) - 1, near zero x (1 + x/2 + x^2/6). 2^-16 */
static xg_kval *xg_m32_expm1(xg_kform *m, uint32_t shortness) {
    if (shortness) return xg_kformula(m, "b=ex2f(x*E)+-1;l=x*fma(fma(x,.16666666666666666,.5),x,1);abs(x)<.0625?l:b");
    return xg_kformula(
        m, "c=min(max(x,-17.5),89);" XG_M32_EXPM1_CORE("12583038") "y=fma(p,s,s+-.5);y=y+y;copysign(n==0?p:y,x)");
}

/* ---- logarithms ---- */
/* A positive normal number s is 2^e (1 + f) with 1 + f in [2/3, 4/3), e as a float. */
#define XG_M32_SPLIT(exponent) "i=bits(s);k=i-0x3F2AAAAB&0xFF800000;m=float(i-k);k=f32s(k);e=" exponent ";f=m+-1;"
/* The same of a, which may be subnormal; a widened f16 never is. */
static void xg_m32_split(xg_kform *m) {
    (void)xg_kformula(m, "c=a<T;s=a*8388608;s=c?s:a;e=c?-23:0;" XG_M32_SPLIT("fma(k,W,e)"));
}
#define XG_M32_LOG_SUM(P) "p=" P "(f);y=fma(e,L,fma(p,f*f,f));" /* log(1 + f) + e ln 2 */
static xg_kval *xg_m32_log(xg_kform *m, uint32_t shortness) {
    /* near 1 too: the nearest bf16 are 2^-9 away, the error is 2^-22 */
    if (shortness & XG_MATH_SHORT_BF16) return xg_kformula(m, "lg2(x)*L");
    V(a) = V(s) = V(x);
    if (!shortness) xg_m32_split(m);
    (void)xg_kformula(m, shortness ? XG_M32_SPLIT("k*W") XG_M32_LOG_SUM("C") : XG_M32_LOG_SUM("B"));
    /* positive and finite; infinity stays, all else is NaN */
    return xg_kformula(m, "g=ult(bits(x)-1,0x7F7FFFFF);y=g?y:fma(x,I,I);x==0?J:y");
}
/* 1 + x = 2^e (1 + f) where f = 2^-e x + (2^-e - 1) is rounded once; 2^-e is kept times 4 so that it never
 * underflows. Below 2^-30: x itself, with its sign and its last bit. For bf16: log(1 + x), near zero x (1 - x/2).
 * 2^-14 */
static xg_kval *xg_m32_log1p(xg_kform *m, uint32_t shortness) {
    if (shortness & XG_MATH_SHORT_BF16) return xg_kformula(m, "b=lg2f(x+1)*L;l=x*fma(x,-.5,1);abs(x)<.0078125?l:b");
    return xg_kformula(m,
        "k=bits(x+1)-0x3F2AAAAB&0xFF800000;s=float(0x40800000-k);e=f32s(k)*W;t=fma(s,.25,-1);"
        "f=fma(x*.25,s,t);" XG_M32_LOG_SUM("B") "g=x>-1;g=g&x<I;y=g?y:fma(x,I,I);y=x==-1?J:y;y=abs(x)<Y?x:y");
}

/* ---- hyperbolic ---- */
/* 1 - 2 / (exp(2x) + 1); near zero, for 16 bits, x (1 - x^2 / 3). 2^-18. (11 instructions) */
static xg_kval *xg_m32_tanh(xg_kform *m, uint32_t shortness) {
    if (shortness)
        return xg_kformula(m, "b=fma(rcpf(ex2f(x*K)+1),-2,1);l=x*fma(x*x,-.3333333333333333,1);abs(x)<.03125?l:b");
    return xg_kformula(m, "a=abs(x);b=fma(rcpf(ex2f(a*K)+1),-2,1);z=x*x;l=fma(D(z)*z,a,a);copysign(a<.9?l:b,x)");
}
/* a = |x| and e = exp(a) / 2 within 0.8 ulp: it overflows no sooner than sinh and cosh do. Infinity from 89.5 on; NaN
 * is kept. s is a quarter: the largest 2^n alone would not fit. */
#define XG_M32_EXP_HALF "a=abs(x);c=min(a,89.5);" XG_M32_EXPM1_CORE("12583037") "p=fma(p,s,s);e=p+p;r=rcpf(e);"
#define XG_M32_SINH XG_M32_EXP_HALF "b=fma(r,-.25,e);z=x*x;p=fma(F(z)*z,a,a);copysign(a<1?p:b,x)"
#define XG_M32_COSH XG_M32_EXP_HALF "fma(r,.25,e)"

/* ---- trigonometric ---- */
/* 32 zero bits, then 2/pi. */
XG_TABLE const uint32_t xg_m32_two_over_pi[] = {
    0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};

/* Payne and Hanek: of 2/pi only the bits count that the product with x leaves between 2 and 2^-70 or so: three words
 * from a position that depends on the exponent. Their product with the significand, modulo 2^96, is x / (pi/2) modulo 4
 * in its upper 64 bits. Gives r in [-pi/4, pi/4] and q. */
static void xg_m32_reduce_far(xg_kform *m) {
    static const uint8_t letters[] = {'u' - 'a', 'v' - 'a', 'w' - 'a', 'z' - 'a'};
    xg_kb *b = m->b;
    xg_kval *w, *hit;
    int k, j;
    /* s: bits to skip, 23 or more for 2^16 and up */
    (void)xg_kformula(m, "i=bits(x);m=i&0x7FFFFF|0x800000;s=(i>>>23&255)-120;w=s>>>5");
    hit = V(w);
    for (k = 0; k < 4; k++) {
        w = I32_((int64_t)xg_m32_two_over_pi[k]);
        for (j = 1; j <= 4; j++) {
            xg_kval *here = CMPBY_(EQ, hit, j);
            w = SEL_(here, I32_((int64_t)xg_m32_two_over_pi[k + j]), w);
        }
        m->v[letters[k]] = w;
    }
    /* a funnel shift left by s is one right by 32 - s, except by none */
    (void)xg_kformula(m, "s=32-s&31;c=s==0;u=c?u:shf(u,v,s);v=c?v:shf(v,w,s);w=c?w:shf(w,z,s);"
                         "p=i64u(m);u=u*m;v=i64u(v)*p;w=i64u(w)*p;h=v+(w>>>32);u=i64u(u)<<32;h=h+u;"
                         "f=h<<2;t=f>>>63;h=(h>>>62)+t;q=i32(h);" /* f as a signed number: nearest quadrant */
                         "f=mulhs(f,0x6487ED5110B4611A);t=f32s(f)*0x20800000;" /* pi/2 2^62, 2^-62 */
                         "c=i<0;t=c?neg(t):t;q=c?0-q:q;h=x-x;r=h==0?t:h");     /* NaN for infinities and NaNs */
}
/* x = q pi/2 + r. Up to 2^16 by three constants whose products fma takes exactly. */
static void xg_m32_reduce(xg_kform *m) {
    xg_math_if f;
    (void)xg_kformula(m, "a=abs(x);c=a<65536");
    xg_math_if_begin(m, &f, 2, XG_E_I32);
    (void)xg_kformula(m, "t=fma(x,0x3F22F983,12582912);n=12582912-t;r=fma(n,R,fma(n,Q,fma(n,P,x)));q=bits(t)");
    xg_math_if_else(m, &f);
    xg_m32_reduce_far(m);
    xg_math_if_end(m, &f);
}
/* Quadrant q of sine: sin r, cos r, -sin r, -cos r; cosine is a quadrant ahead. Both polynomials have four
 * coefficients, so these are chosen. -0 is kept. */
static xg_kval *xg_m32_sin(xg_kform *m, bool cosine) {
    xg_kb *b = m->b;
    xg_kval *p, *c;
    int k;
    xg_m32_reduce(m);
    if (cosine) (void)xg_kformula(m, "q=q+1");
    (void)xg_kformula(m, "z=r*r;o=(q&1)!=0");
    p = SEL_(V(o), K32_(xg_m32_cos_c[0]), K32_(xg_m32_sin_c[0]));
    for (k = 1; k < 4; k++) {
        c = SEL_(V(o), K32_(xg_m32_cos_c[k]), K32_(xg_m32_sin_c[k]));
        p = FMA_(p, V(z), c);
    }
    V(p) = p;
    p = xg_kformula(m, "t=o?1:r;y=fma(p*z,t,t);n=q<<30&0x80000000;y=float(bits(y)^n)");
    return cosine ? p : xg_kformula(m, "x==0?x:y");
}
static xg_kval *xg_m32_tan(xg_kform *m) {
    xg_m32_reduce(m);
    return xg_kformula(m, "z=r*r;t=fma(G(z)*z,r,r);i=-1/t;t=(q&1)!=0?i:t;x==0?x:t");
}
/* asin(s) with s = a = |x| up to 1/2, above (b) s = sqrt((1 - a) / 2), where asin(a) = pi/2 - 2 asin(s). */
#define XG_M32_ASIN_CORE "a=abs(x);b=a>.5;w=fma(a,-.5,.5);z=a*a;z=b?w:z;s=sqrt(w);s=b?s:a;t=fma(H(z)*z,s,s);"
#define XG_M32_ASIN XG_M32_ASIN_CORE "u=fma(t,-2,Q)+P;copysign(b?u:t,x)"
/* small: pi/2 - asin(x); else pi - 2 asin(s), or 2 asin(s) */
#define XG_M32_ACOS XG_M32_ASIN_CORE "u=Q-copysign(t,x)+P;v=fma(t,-2,G)+H;t=t+t;v=x<0?v:t;b?v:u"
#define XG_M32_ATAN_CORE "z=r*r;t=fma(I(z)*z,r,r);"
#define XG_M32_ATAN "a=abs(x);c=a>1;r=rcpf(a);r=c?r:a;" XG_M32_ATAN_CORE "copysign(c?Q-t+P:t,x)"
/* Of x and y: 0/0 is 0, of two infinite ones 1. */
#define XG_M32_ATAN2 \
    "a=abs(y);b=abs(x);h=maxnum(a,b);l=minnum(a,b);r=l/h;r=h==0?0:r;r=l==I?1:r;" XG_M32_ATAN_CORE \
    "t=b>a?Q-t+P:t;t=bits(y)<0?G-t+H:t;t=copysign(t,x);c=uno(y,x);c?y+x:t"

/* ---- the rest ---- */
/* 1 from 4 on; a NaN takes the polynomial that keeps it. */
#define XG_M32_ERF(near_zero, beyond) \
    "a=abs(x);z=x*x;l=fma(" near_zero "(z),a,a);c=minnum(a,4);b=1-ex2f(" beyond "(c)*c);copysign(a>=1?b:l,x)"
/* 2^(log2(a) / 3), then a step of Newton's method; zeros, infinities and NaNs give their double. */
#define XG_M32_CBRT \
    "a=abs(x);c=a<T;s=a*16777216;s=c?s:a;y=ex2f(lg2f(s)*.3333333333333333);z=y*y;d=fma(neg(z),y,s);z=rcpf(z);" \
    "y=fma(d*z,.3333333333333333,y);z=y*.00390625;y=c?z:y;y=copysign(y,x);g=ult(bits(a)-1,0x7F7FFFFF);g?y:x+x"
/* log2(a) is good to 2^-33 or so: r = f - u (2 + f), exactly enough. */
static xg_kval *xg_m32_pow(xg_kform *m) {
    V(a) = xg_kformula(m, "abs(x)");
    xg_m32_split(m);
    (void)xg_kformula(m, "d=rcpf(f+2);u=f*d;l=fma(u,-2,f);l=fma(neg(u),f,l)*d;z=u*u;q=N(z)");
    xg_math_log2_pair(m);
    (void)xg_kformula(m, XG_MATH_POW_PRODUCT("512") "n=minnum(maxnum(t+12583039,12582913),12583165);"
                                                    "f=ex2f(t-(n-12583039)+l);r=f*float(bits(n)<<23)");
    return xg_math_pow_edges(m);
}

static xg_kval *xg_math_f32(xg_kform *m, xg_kopcode op, uint32_t shortness) {
    const char *text;
    switch (op) {
    case XG_K_OP_RSQRT: return xg_k1(m->b, XG_K_OP_RSQRTA, V(x));
    case XG_K_OP_EXP: return xg_m32_exp(m, shortness);
    case XG_K_OP_EXPM1: return xg_m32_expm1(m, shortness);
    case XG_K_OP_LOG: return xg_m32_log(m, shortness);
    case XG_K_OP_LOG1P: return xg_m32_log1p(m, shortness);
    case XG_K_OP_POW: return xg_m32_pow(m);
    case XG_K_OP_SIN: return xg_m32_sin(m, false);
    case XG_K_OP_COS: return xg_m32_sin(m, true);
    case XG_K_OP_TAN: return xg_m32_tan(m);
    case XG_K_OP_TANH: return xg_m32_tanh(m, shortness);
    case XG_K_OP_CBRT: text = XG_M32_CBRT; break;
    case XG_K_OP_SINH: text = XG_M32_SINH; break;
    case XG_K_OP_COSH: text = XG_M32_COSH; break;
    case XG_K_OP_ASIN: text = XG_M32_ASIN; break;
    case XG_K_OP_ACOS: text = XG_M32_ACOS; break;
    case XG_K_OP_ATAN: text = XG_M32_ATAN; break;
    case XG_K_OP_ATAN2: text = XG_M32_ATAN2; break;
    case XG_K_OP_ERF: text = shortness ? XG_M32_ERF("L", "M") : XG_M32_ERF("J", "K"); break;
    default: return NULL;
    }
    return xg_kformula(m, text);
}

#endif /* XG_PTX_MATH_F32_C */
