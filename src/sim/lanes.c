/* sim/lanes.c -- the arithmetic that must be fast, written once and compiled once per instruction set of the host.
 *
 * XG_SIM_VECTOR_OPS is the list. A row gives name, how many lanes a step takes, the types of destination and sources,
 * and a statement that sets r from a, b, c with C operators on whole vectors. The list is expanded for each host
 * target: `base` (16-byte vectors: SSE2, NEON; single lanes without vector extensions, and on x86 where small code is
 * asked for), `avx2` (32 bytes, FMA, F16C) and `avx512` (64 bytes), chosen when a module is loaded. Vectors exactly as
 * wide as the target's are what matters: wider ones are taken apart through memory.
 *
 * Columns of a step: H as many lanes as fill a vector with 16-bit items, W with 32-bit items, D with 64-bit items;
 * items of the other types then make shorter vectors. A predicate is s32 lanes of 0 or -1.
 *
 * Laws: no statement may trap or overflow in the C sense (integers are unsigned), no a*b+c in one function unless it
 * means FMA32/FMA64, which are exact on every target. f32 results that are NaN are 0x7FFFFFFF and f64 ones
 * 0xFFF8000000000000 (CANON), whatever the host makes of them. */
#ifndef XG_SIM_LANES_C
#define XG_SIM_LANES_C
#include "soft.c"

#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS) && (defined(__clang__) || __GNUC__ >= 9) && !defined(__TINYC__)
#define XG_SIM_VECTORS 1
#else
#define XG_SIM_VECTORS 0
#endif
#if XG_SIM_VECTORS && defined(__x86_64__)
#define XG_SIM_X86 1
#include <cpuid.h>
/* g++ 12 warns of values that its own header leaves undefined on purpose (GCC bug 105593). */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#define XG_SIM_X86 0
#endif
/* Without optimisation wider vectors gain little, and their functions cost a quarter of a second to compile; where
 * small code is asked for (-Os) they are 30 KB for a gain in arithmetic alone. */
#if XG_SIM_X86 && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define XG_SIM_AVX512 1
#else
#define XG_SIM_AVX512 0
#endif

/* Four steps of a warp at once are faster, and twice the code: not where small code is asked for (-Os). */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 && !defined(__OPTIMIZE_SIZE__)
#define XG_UNROLL_(n) _Pragma(#n)
#define XG_UNROLL(n) XG_UNROLL_(GCC unroll n)
#else
#define XG_UNROLL(n)
#endif

#define XG_SIM_CAT_(a, b) a##b
#define XG_SIM_CAT(a, b) XG_SIM_CAT_(a, b)

typedef uint8_t xg_sim_e_u8;
typedef uint16_t xg_sim_e_u16;
typedef uint32_t xg_sim_e_u32;
typedef uint64_t xg_sim_e_u64;
typedef int16_t xg_sim_e_s16;
typedef int32_t xg_sim_e_s32;
typedef int64_t xg_sim_e_s64;
typedef float xg_sim_e_f32;
typedef double xg_sim_e_f64;

/* Vector types of one target: H, W and D lanes of each element type. */
#if XG_SIM_VECTORS
#define XG_SIM_VTYPE(T, K, lanes, e) \
    typedef xg_sim_e_##e XG_SIM_CAT(xg_sim_##T##_, K##e) \
        __attribute__((vector_size(sizeof(xg_sim_e_##e) * lanes), may_alias));
#else
#define XG_SIM_VTYPE(T, K, lanes, e) typedef xg_sim_e_##e xg_sim_##T##_##K##e;
#endif
/* clang-format off */
#define XG_SIM_VTYPES(T, h, w, d) \
    enum { xg_sim_##T##_lanesH = h, xg_sim_##T##_lanesW = w, xg_sim_##T##_lanesD = d }; \
    XG_SIM_VTYPE(T, H, h, u16) XG_SIM_VTYPE(T, H, h, s16) \
    XG_SIM_VTYPE(T, W, w, u16) XG_SIM_VTYPE(T, W, w, s16) \
    XG_SIM_VTYPE(T, W, w, u32) XG_SIM_VTYPE(T, W, w, s32) XG_SIM_VTYPE(T, W, w, f32) \
    XG_SIM_VTYPE(T, D, d, u16) XG_SIM_VTYPE(T, D, d, s16) \
    XG_SIM_VTYPE(T, D, d, u32) XG_SIM_VTYPE(T, D, d, s32) XG_SIM_VTYPE(T, D, d, f32) \
    XG_SIM_VTYPE(T, D, d, u64) XG_SIM_VTYPE(T, D, d, s64) XG_SIM_VTYPE(T, D, d, f64)
/* clang-format on */
/* Where small code is asked for (-Os), SSE2 alone, which leaves half of the list to shuffles, is not worth its 7 KB:
 * most processors take the vectors of avx2. */
/* Not by clang: its version 14 stops at a product of vectors of one lane. */
#if XG_SIM_X86 && defined(__OPTIMIZE_SIZE__) && !defined(__clang__)
XG_SIM_VTYPES(base, 2, 1, 1)
#elif XG_SIM_VECTORS
XG_SIM_VTYPES(base, 8, 4, 2)
#else
XG_SIM_VTYPES(base, 1, 1, 1)
#endif
#if XG_SIM_X86
XG_SIM_VTYPES(avx2, 16, 8, 4)
#endif
#if XG_SIM_AVX512
XG_SIM_VTYPES(avx512, 32, 16, 8)
#endif

/* What a statement may use besides C. TO converts values, RAW/FLT/RAWD/FLTD reinterpret f32 and f64 bits, MASK makes a
 * comparison 0 or -1. */
#if XG_SIM_VECTORS
#define XG_V_TO(t, v) __builtin_convertvector(v, XG_SIM_T(t))
#define XG_V_RAW(v) ((XG_SIM_T(Wu32))(v))
#define XG_V_FLT(v) ((XG_SIM_T(Wf32))(v))
#define XG_V_RAWD(v) ((XG_SIM_T(Du64))(v))
#define XG_V_FLTD(v) ((XG_SIM_T(Df64))(v))
#define XG_V_MASK(t, cond) ((XG_SIM_T(t))(cond))
#define XG_SIM_GET(T, p, i, lanes) (*(const T *)(const void *)((p) + (size_t)(i) * (sizeof(T) / (lanes))))
#define XG_SIM_PUT(T, p, i, lanes, v) (*(T *)(void *)((p) + (size_t)(i) * (sizeof(T) / (lanes))) = (v))
#else
#define XG_V_TO(t, v) ((XG_SIM_T(t))(v))
#define XG_V_RAW(v) xg_f32_bits(v)
#define XG_V_FLT(v) xg_f32_of_bits((uint32_t)(v))
#define XG_V_RAWD(v) xg_f64_bits(v)
#define XG_V_FLTD(v) xg_f64_of_bits((uint64_t)(v))
#define XG_V_MASK(t, cond) ((XG_SIM_T(t))(-(int)(cond)))
#define XG_SIM_GET(T, p, i, lanes) (*(const T *)(const void *)((p) + (size_t)(i) * sizeof(T)))
#define XG_SIM_PUT(T, p, i, lanes, v) \
    do { \
        T put_v = (T)(v); \
        memcpy((p) + (size_t)(i) * sizeof(T), &put_v, sizeof(T)); \
    } while (0)
#endif

#define XG_V_SEL(m, x, y) (((x) & (m)) | ((y) & ~(m))) /* m is 0 or -1, all of one unsigned type */
/* Byte i of prmt: three bits of c choose one of the eight bytes of b and a, the fourth all copies of its sign. */
#define XG_V_PRMT(i) \
    do { \
        const XG_SIM_T(Wu32) upper = -(c >> (4 * (i) + 2) & 1), sign = -(c >> (4 * (i) + 3) & 1); \
        const XG_SIM_T(Wu32) byte = XG_V_SEL(upper, b, a) >> ((c >> 4 * (i)&3) * 8) & 255; \
        r |= (XG_V_SEL(sign, -(byte >> 7), byte) & 255) << 8 * (i); \
    } while (0)

/* ---- what differs by target ---- */

#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_base_, n)
#if XG_SIM_VECTORS
XG_INLINE_HOT XG_SIM_T(Wf32) xg_sim_base_fma32(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b, XG_SIM_T(Wf32) c) {
    XG_SIM_T(Wf32) r;
    int i;
    for (i = 0; i < xg_sim_base_lanesW; i++) r[i] = xg_sim_fma_f32(a[i], b[i], c[i]);
    return r;
}
XG_INLINE_HOT double xg_sim_fma_f64(double a, double b, double c) {
    return xg_f64_of_bits(xg_sim_soft_fma(XG_SIM_IS_F64, xg_f64_bits(a), xg_f64_bits(b), xg_f64_bits(c), XG_SIM_RN));
}
XG_INLINE_HOT XG_SIM_T(Df64) xg_sim_base_fma64(XG_SIM_T(Df64) a, XG_SIM_T(Df64) b, XG_SIM_T(Df64) c) {
    XG_SIM_T(Df64) r;
    int i;
    for (i = 0; i < xg_sim_base_lanesD; i++) r[i] = xg_sim_fma_f64(a[i], b[i], c[i]);
    return r;
}
/* Is any bit set? Used where a rare case has code of its own. */
XG_INLINE_HOT bool xg_sim_base_anyW(XG_SIM_T(Wu32) v) {
    enum {
        last = xg_sim_base_lanesW - 1
    };
    return ((v[0] | v[1 & last]) | (v[2 & last] | v[3 & last])) != 0;
}
XG_INLINE_HOT bool xg_sim_base_anyD(XG_SIM_T(Du64) v) { return (v[0] | v[xg_sim_base_lanesD - 1]) != 0; }
#if defined(__aarch64__)
#define xg_sim_base_fma32 xg_sim_base_fma32_hw
#define xg_sim_base_fma64 xg_sim_base_fma64_hw
XG_INLINE_HOT XG_SIM_T(Wf32) xg_sim_base_fma32(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b, XG_SIM_T(Wf32) c) {
    XG_SIM_T(Wf32) r;
    int i;
    for (i = 0; i < 4; i++) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return r;
}
XG_INLINE_HOT XG_SIM_T(Df64) xg_sim_base_fma64(XG_SIM_T(Df64) a, XG_SIM_T(Df64) b, XG_SIM_T(Df64) c) {
    XG_SIM_T(Df64) r;
    int i;
    for (i = 0; i < 2; i++) r[i] = __builtin_fma(a[i], b[i], c[i]);
    return r;
}
#endif
XG_INLINE_HOT XG_SIM_T(Wu32) xg_sim_base_widen_u16(XG_SIM_T(Wu16) a) { return XG_V_TO(Wu32, a); }
XG_INLINE_HOT XG_SIM_T(Wu16) xg_sim_base_narrow_u16(XG_SIM_T(Wu32) a) { return XG_V_TO(Wu16, a); }
#define XG_SIM_LANEWISE(name, R, A, expr) \
    XG_INLINE_HOT XG_SIM_T(R) xg_sim_base_##name(XG_SIM_T(A) a) { \
        XG_SIM_T(R) r; \
        unsigned i; \
        for (i = 0; i < sizeof a / sizeof a[0]; i++) r[i] = expr; \
        return r; \
    }
XG_SIM_LANEWISE(sqrt32, Wf32, Wf32, sqrtf(a[i]))
XG_SIM_LANEWISE(sqrt64, Df64, Df64, xg_sqrt(a[i]))
XG_SIM_LANEWISE(widen_f16, Wf32, Wu16, xg_f32_of_bits(xg_sim_f16_to_f32(a[i])))
XG_SIM_LANEWISE(narrow_f16, Wu16, Wf32, (uint16_t)xg_sim_f32_to_f16(xg_f32_bits(a[i])))
#undef XG_SIM_LANEWISE
#else
XG_INLINE_HOT float xg_sim_base_fma32(float a, float b, float c) { return xg_sim_fma_f32(a, b, c); }
XG_INLINE_HOT double xg_sim_base_fma64(double a, double b, double c) {
    return xg_f64_of_bits(xg_sim_soft_fma(XG_SIM_IS_F64, xg_f64_bits(a), xg_f64_bits(b), xg_f64_bits(c), XG_SIM_RN));
}
XG_INLINE_HOT bool xg_sim_base_anyW(uint32_t v) { return v != 0; }
XG_INLINE_HOT bool xg_sim_base_anyD(uint64_t v) { return v != 0; }
XG_INLINE_HOT uint32_t xg_sim_base_widen_u16(uint16_t a) { return a; }
XG_INLINE_HOT uint16_t xg_sim_base_narrow_u16(uint32_t a) { return (uint16_t)a; }
XG_INLINE_HOT float xg_sim_base_sqrt32(float a) { return sqrtf(a); }
XG_INLINE_HOT double xg_sim_base_sqrt64(double a) { return xg_sqrt(a); }
XG_INLINE_HOT float xg_sim_base_widen_f16(uint16_t a) { return xg_f32_of_bits(xg_sim_f16_to_f32(a)); }
XG_INLINE_HOT uint16_t xg_sim_base_narrow_f16(float a) { return (uint16_t)xg_sim_f32_to_f16(xg_f32_bits(a)); }
#endif
/* The smaller and the larger of two numbers, not NaNs; -0 is below +0: the order of the bits as integers. */
#define XG_V_ORDER(name, op, U, S, F, raw, flt, sign) \
    XG_INLINE_HOT XG_SIM_T(F) xg_sim_base_##name(XG_SIM_T(F) a, XG_SIM_T(F) b) { \
        const XG_SIM_T(U) ab = raw(a), bb = raw(b); \
        const XG_SIM_T(S) as = XG_V_TO(S, ab), bs = XG_V_TO(S, bb); \
        const XG_SIM_T(S) ai = as ^ XG_V_TO(S, XG_V_TO(U, as >> sign) >> 1), \
                          bi = bs ^ XG_V_TO(S, XG_V_TO(U, bs >> sign) >> 1); \
        return flt(XG_V_SEL(XG_V_MASK(U, ai op bi), ab, bb)); \
    }
XG_INLINE_HOT XG_SIM_T(Wf32) xg_sim_base_clamp32(XG_SIM_T(Wf32) v, float lo, float hi) { /* a NaN stays */
    const XG_SIM_T(Wu32) none = XG_V_RAW(v) & 0, l = none + xg_f32_bits(lo), h = none + xg_f32_bits(hi);
    return XG_V_FLT(XG_V_SEL(XG_V_MASK(Wu32, v < lo), l, XG_V_SEL(XG_V_MASK(Wu32, v > hi), h, XG_V_RAW(v))));
}
XG_V_ORDER(min32, <, Wu32, Ws32, Wf32, XG_V_RAW, XG_V_FLT, 31)
XG_V_ORDER(max32, >, Wu32, Ws32, Wf32, XG_V_RAW, XG_V_FLT, 31)
XG_V_ORDER(min64, <, Du64, Ds64, Df64, XG_V_RAWD, XG_V_FLTD, 63)
XG_V_ORDER(max64, >, Du64, Ds64, Df64, XG_V_RAWD, XG_V_FLTD, 63)
#undef XG_V_ORDER
XG_INLINE_HOT XG_SIM_T(Wu32) xg_sim_base_prmt(XG_SIM_T(Wu32) a, XG_SIM_T(Wu32) b, XG_SIM_T(Wu32) c) {
    XG_SIM_T(Wu32) r = a ^ a;
    XG_V_PRMT(0);
    XG_V_PRMT(1);
    XG_V_PRMT(2);
    XG_V_PRMT(3);
    return r;
}
XG_INLINE_HOT XG_SIM_T(Wu32) xg_sim_base_unordered(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b) {
    return XG_V_MASK(Wu32, a != a) | XG_V_MASK(Wu32, b != b);
} /* is one of them a NaN? */
XG_INLINE_HOT XG_SIM_T(Du64) xg_sim_base_widen_u32(XG_SIM_T(Du32) a) { return XG_V_TO(Du64, a); }
XG_INLINE_HOT XG_SIM_T(Du64) xg_sim_base_widen_s32(XG_SIM_T(Ds32) a) { return XG_V_TO(Du64, XG_V_TO(Ds64, a)); }
XG_INLINE_HOT XG_SIM_T(Du32) xg_sim_base_narrow_u64(XG_SIM_T(Du64) a) { return XG_V_TO(Du32, a); }
/* The whole product of the low halves. */
XG_INLINE_HOT XG_SIM_T(Du64) xg_sim_base_mulwide_u(XG_SIM_T(Du64) a, XG_SIM_T(Du64) b) { return a * b; }
XG_INLINE_HOT XG_SIM_T(Du64) xg_sim_base_mulwide_s(XG_SIM_T(Du64) a, XG_SIM_T(Du64) b) { return a * b; }
#undef XG_SIM_T

#if XG_SIM_X86
#define XG_SIM_AVX2_TARGET "avx2,fma,f16c"
#define XG_SIM_AVX512_TARGET "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"
#define XG_SIM_X86_FN(unit) static inline __attribute__((XG_ALWAYS_INLINE, unused, target(unit)))
/* The bytes before those of each word of a vector register's quarter, which its shuffles stay in. */
XG_TABLE const uint32_t xg_sim_quarters[16] = {0, 0x04040404, 0x08080808, 0x0C0C0C0C, 0, 0x04040404, 0x08080808,
    0x0C0C0C0C, 0, 0x04040404, 0x08080808, 0x0C0C0C0C, 0, 0x04040404, 0x08080808, 0x0C0C0C0C};
/* P: how Intel's functions begin. gcc makes four or five instructions of each of the widen and narrow functions when it
 * converts by itself. */
#define XG_SIM_X86_OPS(T, unit, P, F, D, I, half, narrow) \
    XG_SIM_X86_FN(unit) \
    xg_sim_##T##_Wf32 xg_sim_##T##_fma32(xg_sim_##T##_Wf32 a, xg_sim_##T##_Wf32 b, xg_sim_##T##_Wf32 c) { \
        return (xg_sim_##T##_Wf32)P##_fmadd_ps((F)a, (F)b, (F)c); \
    } \
    XG_SIM_X86_FN(unit) \
    xg_sim_##T##_Df64 xg_sim_##T##_fma64(xg_sim_##T##_Df64 a, xg_sim_##T##_Df64 b, xg_sim_##T##_Df64 c) { \
        return (xg_sim_##T##_Df64)P##_fmadd_pd((D)a, (D)b, (D)c); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_sqrt32(xg_sim_##T##_Wf32 a) { \
        return (xg_sim_##T##_Wf32)P##_sqrt_ps((F)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Df64 xg_sim_##T##_sqrt64(xg_sim_##T##_Df64 a) { \
        return (xg_sim_##T##_Df64)P##_sqrt_pd((D)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wu32 xg_sim_##T##_widen_u16(xg_sim_##T##_Wu16 a) { \
        return (xg_sim_##T##_Wu32)P##_cvtepu16_epi32((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_widen_u32(xg_sim_##T##_Du32 a) { \
        return (xg_sim_##T##_Du64)P##_cvtepu32_epi64((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_widen_s32(xg_sim_##T##_Ds32 a) { \
        return (xg_sim_##T##_Du64)P##_cvtepi32_epi64((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_widen_f16(xg_sim_##T##_Wu16 a) { \
        return (xg_sim_##T##_Wf32)P##_cvtph_ps((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wu16 xg_sim_##T##_narrow_f16(xg_sim_##T##_Wf32 a) { \
        xg_sim_##T##_Wu16 r = (xg_sim_##T##_Wu16)narrow((F)a), nan = (xg_sim_##T##_Wu16)((r & 0x7FFF) > 0x7C00); \
        return (r & ~nan) | (nan & 0x7FFF); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_clamp32(xg_sim_##T##_Wf32 v, float lo, float hi) { \
        return (xg_sim_##T##_Wf32)P##_min_ps(P##_set1_ps(hi), P##_max_ps(P##_set1_ps(lo), (F)v)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_mulwide_u(xg_sim_##T##_Du64 a, xg_sim_##T##_Du64 b) { \
        return (xg_sim_##T##_Du64)P##_mul_epu32((I)a, (I)b); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_mulwide_s(xg_sim_##T##_Du64 a, xg_sim_##T##_Du64 b) { \
        return (xg_sim_##T##_Du64)P##_mul_epi32((I)a, (I)b); \
    } \
    /* prmt: the four selectors become a byte each; a shuffle makes 0 where bit 7 is set */ \
    XG_SIM_X86_FN(unit) \
    xg_sim_##T##_Wu32 xg_sim_##T##_prmt(xg_sim_##T##_Wu32 a, xg_sim_##T##_Wu32 b, xg_sim_##T##_Wu32 c) { \
        xg_sim_##T##_Wu32 at, n = (c & 0xFFu) | (c & 0xFF00u) << 8, upper, sign, r; \
        memcpy(&at, xg_sim_quarters, sizeof at); \
        n = (n | n << 4) & 0x0F0F0F0Fu; \
        at |= n & 0x03030303u; \
        upper = (n & 0x04040404u) << 5; \
        sign = n >> 3 & 0x01010101u; \
        r = (xg_sim_##T##_Wu32)P##_shuffle_epi8((I)a, (I)(at | upper)) | \
            (xg_sim_##T##_Wu32)P##_shuffle_epi8((I)b, (I)(at | (upper ^ 0x80808080u))); \
        upper = r >> 7 & sign; \
        sign = (sign << 8) - sign; \
        return (r & ~sign) | ((upper << 8) - upper); \
    } \
    /* the processor's answer for two zeros is the second one: ask both ways */ \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_min32(xg_sim_##T##_Wf32 a, xg_sim_##T##_Wf32 b) { \
        return (xg_sim_##T##_Wf32)( \
            (xg_sim_##T##_Wu32)P##_min_ps((F)a, (F)b) | (xg_sim_##T##_Wu32)P##_min_ps((F)b, (F)a)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_max32(xg_sim_##T##_Wf32 a, xg_sim_##T##_Wf32 b) { \
        return (xg_sim_##T##_Wf32)( \
            (xg_sim_##T##_Wu32)P##_max_ps((F)a, (F)b) & (xg_sim_##T##_Wu32)P##_max_ps((F)b, (F)a)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Df64 xg_sim_##T##_min64(xg_sim_##T##_Df64 a, xg_sim_##T##_Df64 b) { \
        return (xg_sim_##T##_Df64)( \
            (xg_sim_##T##_Du64)P##_min_pd((D)a, (D)b) | (xg_sim_##T##_Du64)P##_min_pd((D)b, (D)a)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Df64 xg_sim_##T##_max64(xg_sim_##T##_Df64 a, xg_sim_##T##_Df64 b) { \
        return (xg_sim_##T##_Df64)( \
            (xg_sim_##T##_Du64)P##_max_pd((D)a, (D)b) & (xg_sim_##T##_Du64)P##_max_pd((D)b, (D)a)); \
    }
#define XG_SIM_NARROW_8(a) _mm256_cvtps_ph(a, 0)
#define XG_SIM_NARROW_16(a) _mm512_maskz_cvtps_ph(0xFFFF, a, 0) /* the usual form is a macro with a -1 of no type */
XG_SIM_X86_OPS(avx2, XG_SIM_AVX2_TARGET, _mm256, __m256, __m256d, __m256i, __m128i, XG_SIM_NARROW_8)
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET)
xg_sim_avx2_Wu16 xg_sim_avx2_narrow_u16(xg_sim_avx2_Wu32 a) { /* of values below 65536 */
    return (xg_sim_avx2_Wu16)_mm_packus_epi32(
        _mm256_castsi256_si128((__m256i)a), _mm256_extracti128_si256((__m256i)a, 1));
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) xg_sim_avx2_Wu32 xg_sim_avx2_unordered(xg_sim_avx2_Wf32 a, xg_sim_avx2_Wf32 b) {
    return (xg_sim_avx2_Wu32)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) xg_sim_avx2_Du32 xg_sim_avx2_narrow_u64(xg_sim_avx2_Du64 a) {
    const __m256 v = _mm256_castsi256_ps((__m256i)a);
    return (xg_sim_avx2_Du32)_mm_castps_si128(
        _mm_shuffle_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1), 0x88));
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) bool xg_sim_avx2_anyW(xg_sim_avx2_Wu32 v) {
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) bool xg_sim_avx2_anyD(xg_sim_avx2_Du64 v) {
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}
#endif
#if XG_SIM_AVX512
XG_SIM_X86_OPS(avx512, XG_SIM_AVX512_TARGET, _mm512, __m512, __m512d, __m512i, __m256i, XG_SIM_NARROW_16)
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET)
xg_sim_avx512_Wu32 xg_sim_avx512_unordered(xg_sim_avx512_Wf32 a, xg_sim_avx512_Wf32 b) {
    return (xg_sim_avx512_Wu32)_mm512_movm_epi32(_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q));
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) bool xg_sim_avx512_anyW(xg_sim_avx512_Wu32 v) {
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) bool xg_sim_avx512_anyD(xg_sim_avx512_Du64 v) {
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) xg_sim_avx512_Du32 xg_sim_avx512_narrow_u64(xg_sim_avx512_Du64 a) {
    return (xg_sim_avx512_Du32)_mm512_cvtepi64_epi32((__m512i)a);
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) xg_sim_avx512_Wu16 xg_sim_avx512_narrow_u16(xg_sim_avx512_Wu32 a) {
    return (xg_sim_avx512_Wu16)_mm512_cvtepi32_epi16((__m512i)a);
}
#endif

/* ---- pieces of statements ---- */

/* NaNs of a result are noticed as it is made, and made canonical when the row is done and there was one: rows F1 to F3
 * name the function that does it. */
#define XG_V_NANW(x) nan |= XG_V_MASK(Wu32, x != x)
#define XG_V_NAND(x) nan |= XG_V_MASK(Du64, x != x)
#define XG_V_CANON_FN(name, U, infinity, canonical) \
    XG_NOINLINE XG_FN void xg_sim_canon_##name(char *p, size_t stride, uint32_t warps) { \
        U u; \
        uint32_t w, i; \
        for (w = 0; w < warps; w++, p += stride) \
            for (i = 0; i < XG_SIM_WARP; i++) { \
                memcpy(&u, p + i * sizeof u, sizeof u); \
                if ((u & (U)((U) ~(U)0 >> 1)) > (U)(infinity)) { \
                    u = (U)(canonical); \
                    memcpy(p + i * sizeof u, &u, sizeof u); \
                } \
            } \
    }
XG_V_CANON_FN(f32, uint32_t, 0x7F800000u, 0x7FFFFFFFu)
XG_V_CANON_FN(f64, uint64_t, 0x7FF0000000000000u, 0xFFF8000000000000u)
XG_V_CANON_FN(bf16, uint16_t, 0x7F80u, 0x7FFFu)
#undef XG_V_CANON_FN
#define XG_V_FROM_BF16(v) XG_V_FLT(XG_SIM_T(widen_u16)(v) << 16)
#define XG_V_TO_BF16(r, v) \
    do { \
        const XG_SIM_T(Wu32) bf_m = XG_V_MASK(Wu32, v == v); \
        XG_SIM_T(Wu32) bf_u = XG_V_RAW(v); \
        bf_u = (bf_u + 0x7FFFu + ((bf_u >> 16) & 1u)) >> 16; \
        r = XG_SIM_T(narrow_u16)(XG_V_SEL(bf_m, bf_u, 0x7FFFu)); \
    } while (0)
/* Two bf16 stand in each 32 bits: one is the high half of a float already, the other is shifted there. A NaN that comes
 * from bf16 operands has no low bits, so that rounding leaves it a NaN. */
#define XG_V_BF16_ROUND(u) ((u) + 0x7FFFu + (((u) >> 16) & 1u))
#if XG_SIM_VECTORS
#define XG_V_BF16_K H
#define XG_V_BF16_OP(op) \
    const XG_SIM_T(Wu32) ap = (XG_SIM_T(Wu32))a, bp = (XG_SIM_T(Wu32))b; \
    const XG_SIM_T(Wf32) x = XG_V_FLT(ap << 16) op XG_V_FLT(bp << 16), \
                         y = XG_V_FLT(ap & 0xFFFF0000u) op XG_V_FLT(bp & 0xFFFF0000u); \
    nan |= XG_SIM_T(unordered)(x, y); \
    r = (XG_SIM_T(Hu16))((XG_V_BF16_ROUND(XG_V_RAW(x)) >> 16) | (XG_V_BF16_ROUND(XG_V_RAW(y)) & 0xFFFF0000u))
#else
#define XG_V_BF16_K W
#define XG_V_BF16_OP(op) \
    float x = XG_V_FROM_BF16(a), y = XG_V_FROM_BF16(b); \
    x = x op y; \
    XG_V_NANW(x); \
    r = (uint16_t)(XG_V_BF16_ROUND(XG_V_RAW(x)) >> 16)
#endif
#define XG_V_F16_OP(op) \
    XG_SIM_T(Wf32) x = XG_SIM_T(widen_f16)(a), y = XG_SIM_T(widen_f16)(b); \
    x = x op y; \
    r = XG_SIM_T(narrow_f16)(x)
#define XG_V_NARROW(cond) XG_V_TO(Ds32, XG_SIM_T(narrow_u64)(XG_V_MASK(Du64, cond)))
/* min and max: the other operand when one is NaN (NaN itself when `quiet`). */
#define XG_V_MINMAX(U, order, any, raw, flt, nan, quiet) \
    const XG_SIM_T(U) an = XG_V_MASK(U, a != a), bn = XG_V_MASK(U, b != b); \
    r = XG_SIM_T(order)(a, b); \
    if (XG_UNLIKELY(XG_SIM_T(any)(an | bn))) { \
        const XG_SIM_T(U) ab = raw(a), bb = raw(b); \
        XG_SIM_T(U) v = raw(r); \
        if (quiet) \
            v = XG_V_SEL(an | bn, ab * 0 + nan, v); \
        else { \
            v = XG_V_SEL(an, bb, v); \
            v = XG_V_SEL(bn, ab, v); \
            v = XG_V_SEL(an & bn, ab * 0 + nan, v); \
        } \
        r = flt(v); \
    }
#define XG_V_MINMAX32(order, quiet) XG_V_MINMAX(Wu32, order, anyW, XG_V_RAW, XG_V_FLT, 0x7FFFFFFFu, quiet)
#define XG_V_MINMAX64(order) XG_V_MINMAX(Du64, order, anyD, XG_V_RAWD, XG_V_FLTD, 0xFFF8000000000000u, 0)

/* 2^f for |f| <= 1/2, within 2^-38: f is a double or a vector of them. */
/* clang-format off */
#define XG_SIM_EXP2_SERIES(f) \
    (1.0 + f * (0.6931471805568324 + f * (0.24022650695888503 + f * (0.055504109063258665 + f * (0.00961812913523614 + \
    f * (0.0013333478473685416 + f * (0.00015403475186530786 + f * (1.5303700711365693e-05 + \
    f * 1.325080551750225e-06))))))))
/* clang-format on */
/* The approximate functions (math.c says how exact they are), in double, by the same operations on every host. */
#define XG_V_CLAMPD(x, lo, hi) \
    x = XG_V_FLTD(XG_V_SEL(XG_V_MASK(Du64, x > (hi)), XG_V_RAWD(XG_V_FLTD(XG_V_RAWD(x) & 0u) + (hi)), XG_V_RAWD(x))); \
    x = XG_V_FLTD(XG_V_SEL(XG_V_MASK(Du64, x < (lo)), XG_V_RAWD(XG_V_FLTD(XG_V_RAWD(x) & 0u) + (lo)), \
        XG_V_RAWD(x)))  /* not x * 0: x may be infinite */
#define XG_V_EXP2(y, x) /* y = 2^x, |x| < 1000; x changes */ \
    XG_SIM_T(Df64) y = x + 6755399441055744.0; \
    const XG_SIM_T(Du64) y##_bits = (XG_V_RAWD(y) << 52) + 0x3FF0000000000000u; \
    x = x - (y - 6755399441055744.0); \
    y = XG_SIM_EXP2_SERIES(x); \
    y = y * XG_V_FLTD(y##_bits)
#define XG_V_EX2_PARTS( \
    lo, hi) /* y = 2^fraction of x, within 1.3 ulp; t = 1.5 * 2^23 + the whole number nearest to x */ \
    const XG_SIM_T(Wf32) x = XG_SIM_T(clamp32)(a, lo, hi), t = x + 12582912.0f, f = x - (t - 12582912.0f); \
    XG_SIM_T(Wf32) y = f * 1.535335904918611e-4f; \
    y = y + 0.0013398875016719103f; \
    y = y * f; \
    y = y + 0.00961843691766262f; \
    y = y * f; \
    y = y + 0.055503323674201965f; \
    y = y * f; \
    y = y + 0.24022647738456726f; \
    y = y * f; \
    y = y + 0.6931471824645996f; \
    y = y * f; \
    y = y + 1.0f
#define XG_V_EX2 \
    XG_V_EX2_PARTS(-160.0f, 129.0f); \
    const XG_SIM_T(Ws32) n = (XG_SIM_T(Ws32))(XG_V_RAW(t) - 0x4B400000u), h = n >> 1, g = n - h; \
    r = y * XG_V_FLT((XG_SIM_T(Wu32))(h + 127) << 23); \
    r = r * XG_V_FLT((XG_SIM_T(Wu32))(g + 127) << 23); \
    XG_V_NANW(r)
#define XG_V_EX2FTZ /* 2^128 is the infinity by its bits; x - x is 0 or NaN */ \
    XG_V_EX2_PARTS(-126.0f, 128.0f); \
    const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a < -126.0f); \
    const XG_SIM_T(Wf32) z = XG_V_FLT((XG_V_RAW(y) + (XG_V_RAW(t) << 23)) & ~m); \
    r = z + (x - x); \
    XG_V_NANW(r)
#define XG_V_TANH \
    XG_SIM_T(Df64) x = XG_V_TO(Df64, a); \
    XG_V_NAND(x); \
    XG_V_CLAMPD(x, -20.0, 20.0); \
    const XG_SIM_T(Df64) t = x * x, less = x * (1.0 - t * (1.0 / 3 - t * (2.0 / 15 - t * (17.0 / 315)))); \
    const XG_SIM_T(Du64) m = XG_V_MASK(Du64, t < 1e-4); \
    XG_SIM_T(Df64) z = x * 2.88539008177792681472; \
    XG_V_EXP2(y, z); \
    y = 1.0 - 2.0 / (y + 1.0); \
    /* 11 bits behind the first: a bound of 2^-11 */ \
    y = XG_V_FLTD(XG_V_SEL(m, XG_V_RAWD(less), XG_V_RAWD(y)) & ~(uint64_t)0x1FFFFFFFFFFu); \
    r = XG_V_TO(Df32, y)
/* div.approx: by more than 2^126 gives zero, of an infinity a NaN. */
#define XG_V_DIVAPPROX \
    const XG_SIM_T(Wu32) size = XG_V_RAW(b) & 0x7FFFFFFFu; \
    const XG_SIM_T(Wu32) large = XG_V_MASK(Wu32, size > 0x7E800000u) & XG_V_MASK(Wu32, size < 0x7F800000u); \
    const XG_SIM_T(Wf32) quotient = a / b, zero = a * 0.0f; \
    r = XG_V_FLT(XG_V_SEL(large, XG_V_RAW(zero), XG_V_RAW(quotient))); \
    XG_V_NANW(r)
#define XG_V_FTZ(u) ((u)&XG_V_SEL(XG_V_MASK(Wu32, ((u)&0x7F800000u) == 0u), 0x80000000u, ~((u)&0u)))

/* The comparisons of a type; wide ones narrow their mask to 32 bits. > and >= are < and <= of exchanged operands; bits
 * are equal with or without a sign. */
#define XG_V_BELOW(VC, t, K) VC(lt, <, K, t) VC(le, <=, K, t)
#define XG_V_COMPARE(VC, t, K) VC(eq, ==, K, t) VC(ne, !=, K, t) XG_V_BELOW(VC, t, K)

/* clang-format off */
#define XG_SIM_VECTOR_OPS(V1, V2, V3, R1, R2, R3, F1, F2, F3, S1, S2, VC32, VC64, VC16) \
    R2(add_i16, H, u16, u16, u16, r = a + b) \
    V2(add_i32, W, u32, u32, u32, r = a + b) \
    V2(add_i64, D, u64, u64, u64, r = a + b) \
    R2(sub_i16, H, u16, u16, u16, r = a - b) \
    V2(sub_i32, W, u32, u32, u32, r = a - b) \
    R2(sub_i64, D, u64, u64, u64, r = a - b) \
    R2(mul_i16, W, u16, u16, u16, r = XG_V_TO(Wu16, XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b))) \
    V2(mul_i32, W, u32, u32, u32, r = a * b) \
    R2(mul_i64, D, u64, u64, u64, r = a * b) \
    R2(and_b16, H, u16, u16, u16, r = a & b) \
    V2(and_b32, W, u32, u32, u32, r = a & b) \
    R2(and_b64, D, u64, u64, u64, r = a & b) \
    R2(or_b16, H, u16, u16, u16, r = a | b) \
    V2(or_b32, W, u32, u32, u32, r = a | b) \
    R2(or_b64, D, u64, u64, u64, r = a | b) \
    R2(xor_b16, H, u16, u16, u16, r = a ^ b) \
    V2(xor_b32, W, u32, u32, u32, r = a ^ b) \
    R2(xor_b64, D, u64, u64, u64, r = a ^ b) \
    R1(not_b16, H, u16, u16, r = ~a) \
    R1(not_b32, W, u32, u32, r = ~a) \
    R1(not_b64, D, u64, u64, r = ~a) \
    V1(mov_b16, H, u16, u16, r = a) \
    V1(mov_b32, W, u32, u32, r = a) \
    V1(mov_b64, D, u64, u64, r = a) \
    R1(neg_i16, H, u16, u16, r = 0 - a) \
    R1(neg_i32, W, u32, u32, r = 0 - a) \
    R1(neg_i64, D, u64, u64, r = 0 - a) \
    R1(abs_s16, W, u16, s16, const XG_SIM_T(Ws32) x = XG_V_TO(Ws32, a); const XG_SIM_T(Ws32) g = x >> 31; r = XG_V_TO(Wu16, (x ^ g) - g)) \
    R1(abs_s32, W, u32, s32, const XG_SIM_T(Wu32) g = XG_V_TO(Wu32, a >> 31); r = (XG_V_TO(Wu32, a) ^ g) - g) \
    R1(abs_s64, D, u64, s64, const XG_SIM_T(Du64) g = XG_V_TO(Du64, a >> 63); r = (XG_V_TO(Du64, a) ^ g) - g) \
    R2(shl_b16, W, u16, u16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) << (b & 15u)) & m)) \
    V2(shl_b32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = (a << (b & 31u)) & m) \
    R2(shl_b64, D, u64, u64, u32, const XG_SIM_T(Du64) n = XG_SIM_T(widen_u32)(b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = (a << (n & 63u)) & m) \
    R2(shr_u16, W, u16, u16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) >> (b & 15u)) & m)) \
    V2(shr_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = (a >> (b & 31u)) & m) \
    R2(shr_u64, D, u64, u64, u32, const XG_SIM_T(Du64) n = XG_SIM_T(widen_u32)(b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = (a >> (n & 63u)) & m) \
    R2(shr_s16, W, s16, s16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Ws16, XG_V_TO(Ws32, a) >> XG_V_TO(Ws32, XG_V_SEL(m, b, 15u)))) \
    V2(shr_s32, W, s32, s32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = a >> XG_V_TO(Ws32, XG_V_SEL(m, b, 31u))) \
    R2(shr_s64, D, s64, s64, u32, const XG_SIM_T(Du64) n = XG_SIM_T(widen_u32)(b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = a >> XG_V_TO(Ds64, XG_V_SEL(m, n, 63u))) \
    R2(min_u16, H, u16, u16, u16, const XG_SIM_T(Hu16) m = XG_V_MASK(Hu16, a < b); r = XG_V_SEL(m, a, b)) \
    R2(max_u16, H, u16, u16, u16, const XG_SIM_T(Hu16) m = XG_V_MASK(Hu16, a > b); r = XG_V_SEL(m, a, b)) \
    R2(min_s16, H, s16, s16, s16, const XG_SIM_T(Hs16) m = XG_V_MASK(Hs16, a < b); r = XG_V_SEL(m, a, b)) \
    R2(max_s16, H, s16, s16, s16, const XG_SIM_T(Hs16) m = XG_V_MASK(Hs16, a > b); r = XG_V_SEL(m, a, b)) \
    R2(min_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a < b); r = XG_V_SEL(m, a, b)) \
    R2(max_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s32, W, s32, s32, s32, const XG_SIM_T(Ws32) m = XG_V_MASK(Ws32, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_s32, W, s32, s32, s32, const XG_SIM_T(Ws32) m = XG_V_MASK(Ws32, a > b); r = XG_V_SEL(m, a, b)) \
    R2(min_u64, D, u64, u64, u64, const XG_SIM_T(Du64) m = XG_V_MASK(Du64, a < b); r = XG_V_SEL(m, a, b)) \
    R2(max_u64, D, u64, u64, u64, const XG_SIM_T(Du64) m = XG_V_MASK(Du64, a > b); r = XG_V_SEL(m, a, b)) \
    R2(min_s64, D, s64, s64, s64, const XG_SIM_T(Ds64) m = XG_V_MASK(Ds64, a < b); r = XG_V_SEL(m, a, b)) \
    R2(max_s64, D, s64, s64, s64, const XG_SIM_T(Ds64) m = XG_V_MASK(Ds64, a > b); r = XG_V_SEL(m, a, b)) \
    R2(mulw_u16, W, u32, u16, u16, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) \
    R2(mulw_s16, W, u32, s16, s16, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) \
    R2(mulw_u32, D, u64, u32, u32, r = XG_SIM_T(mulwide_u)(XG_SIM_T(widen_u32)(a), XG_SIM_T(widen_u32)(b))) \
    R2(mulw_s32, D, u64, s32, s32, r = XG_SIM_T(mulwide_s)(XG_SIM_T(widen_s32)(a), XG_SIM_T(widen_s32)(b))) \
    R2(mulh_u16, W, u16, u16, u16, r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) >> 16)) \
    R2(mulh_s16, W, u16, s16, s16, r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) >> 16)) \
    R2(mulh_u32, D, u32, u32, u32, r = XG_SIM_T(narrow_u64)(XG_SIM_T(mulwide_u)(XG_SIM_T(widen_u32)(a), XG_SIM_T(widen_u32)(b)) >> 32)) \
    R2(mulh_s32, D, u32, s32, s32, r = XG_SIM_T(narrow_u64)(XG_SIM_T(mulwide_s)(XG_SIM_T(widen_s32)(a), XG_SIM_T(widen_s32)(b)) >> 32)) \
    R3(mad_i16, W, u16, u16, u16, u16, r = XG_V_TO(Wu16, XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + XG_V_TO(Wu32, c))) \
    V3(mad_i32, W, u32, u32, u32, u32, r = a * b + c) \
    R3(mad_i64, D, u64, u64, u64, u64, r = a * b + c) \
    R3(madw_u16, W, u32, u16, u16, u32, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + c) \
    R3(madw_s16, W, u32, s16, s16, u32, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + c) \
    V3(madw_u32, D, u64, u32, u32, u64, r = XG_SIM_T(mulwide_u)(XG_SIM_T(widen_u32)(a), XG_SIM_T(widen_u32)(b)) + c) \
    V3(madw_s32, D, u64, s32, s32, u64, r = XG_SIM_T(mulwide_s)(XG_SIM_T(widen_s32)(a), XG_SIM_T(widen_s32)(b)) + c) \
    R3(prmt_plain, W, u32, u32, u32, u32, r = XG_SIM_T(prmt)(a, b, c)) \
    R3(sel_b16, W, u16, u16, u16, u32, const XG_SIM_T(Wu16) m = XG_V_TO(Wu16, c); r = XG_V_SEL(m, a, b)) \
    V3(sel_b32, W, u32, u32, u32, u32, r = XG_V_SEL(c, a, b)) \
    V3(sel_b64, D, u64, u64, u64, s32, const XG_SIM_T(Du64) m = XG_SIM_T(widen_s32)(c); r = XG_V_SEL(m, a, b)) \
    XG_V_COMPARE(VC16, s16, W) \
    XG_V_BELOW(VC16, u16, W) \
    XG_V_COMPARE(VC32, s32, W) \
    XG_V_BELOW(VC32, u32, W) \
    XG_V_COMPARE(VC64, s64, D) \
    XG_V_BELOW(VC64, u64, D) \
    XG_V_COMPARE(VC32, f32, W) \
    XG_V_COMPARE(VC64, f64, D) \
    R2(uno_f32, W, s32, f32, f32, r = XG_V_MASK(Ws32, a != a) | XG_V_MASK(Ws32, b != b)) \
    R2(uno_f64, D, s32, f64, f64, r = XG_V_NARROW(a != a) | XG_V_NARROW(b != b)) \
    F2(add_f32, f32, W, f32, f32, f32, r = a + b; XG_V_NANW(r)) \
    F2(sub_f32, f32, W, f32, f32, f32, r = a - b; XG_V_NANW(r)) \
    F2(mul_f32, f32, W, f32, f32, f32, r = a * b; XG_V_NANW(r)) \
    F2(div_f32, f32, W, f32, f32, f32, r = a / b; XG_V_NANW(r)) \
    S2(divapprox_f32, f32, W, f32, f32, f32, XG_V_DIVAPPROX) \
    F3(fma_f32, f32, W, f32, f32, f32, f32, r = XG_SIM_T(fma32)(a, b, c); XG_V_NANW(r)) \
    F1(sqrt_f32, f32, W, f32, f32, r = XG_SIM_T(sqrt32)(a); XG_V_NANW(r)) \
    F1(rcp_f32, f32, W, f32, f32, r = 1.0f / a; XG_V_NANW(r)) \
    F1(rcpftz_f32, f32, W, f32, u32, XG_SIM_T(Wu32) u = XG_V_FTZ(a); r = 1.0f / XG_V_FLT(u); XG_V_NANW(r); u = XG_V_RAW(r); r = XG_V_FLT(XG_V_FTZ(u))) \
    S1(ex2_f32, f32, W, f32, f32, XG_V_EX2) \
    F1(ex2ftz_f32, f32, W, f32, f32, XG_V_EX2FTZ) \
    S1(tanh_f32, f32, D, f32, f32, XG_V_TANH) \
    S1(rsqrt_f32, f32, D, f32, f32, const XG_SIM_T(Df64) x = XG_V_TO(Df64, a); const XG_SIM_T(Df64) y = 1.0 / XG_SIM_T(sqrt64)(x); XG_V_NAND(y); r = XG_V_TO(Df32, y)) \
    V1(abs_f32, W, u32, u32, r = a & 0x7FFFFFFFu) \
    V1(neg_f32, W, u32, u32, r = a ^ 0x80000000u) \
    R2(copysign_f32, W, u32, u32, u32, r = (a & 0x80000000u) | (b & 0x7FFFFFFFu)) \
    V2(min_f32, W, f32, f32, f32, XG_V_MINMAX32(min32, 0)) \
    V2(max_f32, W, f32, f32, f32, XG_V_MINMAX32(max32, 0)) \
    V2(minn_f32, W, f32, f32, f32, XG_V_MINMAX32(min32, 1)) \
    V2(maxn_f32, W, f32, f32, f32, XG_V_MINMAX32(max32, 1)) \
    R1(ftz_f32, W, u32, u32, r = XG_V_FTZ(a)) \
    R1(sat_f32, W, u32, f32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a > 0.0f); const XG_SIM_T(Wu32) n = XG_V_MASK(Wu32, a < 1.0f); r = XG_V_SEL(n, XG_V_RAW(a), 0x3F800000u) & m) \
    F2(add_f64, f64, D, f64, f64, f64, r = a + b; XG_V_NAND(r)) \
    F2(sub_f64, f64, D, f64, f64, f64, r = a - b; XG_V_NAND(r)) \
    F2(mul_f64, f64, D, f64, f64, f64, r = a * b; XG_V_NAND(r)) \
    S2(div_f64, f64, D, f64, f64, f64, r = a / b; XG_V_NAND(r)) \
    F3(fma_f64, f64, D, f64, f64, f64, f64, r = XG_SIM_T(fma64)(a, b, c); XG_V_NAND(r)) \
    S1(sqrt_f64, f64, D, f64, f64, r = XG_SIM_T(sqrt64)(a); XG_V_NAND(r)) \
    S1(rcp_f64, f64, D, f64, f64, r = 1.0 / a; XG_V_NAND(r)) \
    R1(abs_f64, D, u64, u64, r = a & 0x7FFFFFFFFFFFFFFFu) \
    R1(neg_f64, D, u64, u64, r = a ^ 0x8000000000000000u) \
    R2(copysign_f64, D, u64, u64, u64, r = (a & 0x8000000000000000u) | (b & 0x7FFFFFFFFFFFFFFFu)) \
    R2(min_f64, D, f64, f64, f64, XG_V_MINMAX64(min64)) \
    R2(max_f64, D, f64, f64, f64, XG_V_MINMAX64(max64)) \
    F2(add_bf16, bf16, XG_V_BF16_K, u16, u16, u16, XG_V_BF16_OP(+)) \
    S2(sub_bf16, bf16, XG_V_BF16_K, u16, u16, u16, XG_V_BF16_OP(-)) \
    F2(mul_bf16, bf16, XG_V_BF16_K, u16, u16, u16, XG_V_BF16_OP(*)) \
    V2(add_f16, W, u16, u16, u16, XG_V_F16_OP(+)) \
    R2(sub_f16, W, u16, u16, u16, XG_V_F16_OP(-)) \
    V2(mul_f16, W, u16, u16, u16, XG_V_F16_OP(*)) \
    R1(abs_f16, H, u16, u16, r = a & 0x7FFFu) \
    R1(neg_f16, H, u16, u16, r = a ^ 0x8000u) \
    R1(abs_f16x2, W, u32, u32, r = a & 0x7FFF7FFFu) \
    R1(neg_f16x2, W, u32, u32, r = a ^ 0x80008000u) \
    V1(f32_bf16, W, u32, u16, r = XG_SIM_T(widen_u16)(a) << 16) \
    V1(bf16_f32, W, u16, f32, XG_V_TO_BF16(r, a)) \
    F1(f32_f16, f32, W, f32, u16, r = XG_SIM_T(widen_f16)(a); XG_V_NANW(r)) \
    V1(f16_f32, W, u16, f32, r = XG_SIM_T(narrow_f16)(a)) \
    V1(f32_s32, W, f32, s32, r = XG_V_TO(Wf32, a)) \
    R1(f32_u32, W, f32, u32, r = XG_V_TO(Wf32, a)) \
    S1(f64_f32, f64, D, f64, f32, r = XG_V_TO(Df64, a); XG_V_NAND(r)) \
    S1(f32_f64, f32, D, f32, f64, XG_V_NAND(a); r = XG_V_TO(Df32, a)) \
    R1(f64_s32, D, f64, s32, r = XG_V_TO(Df64, a)) \
    V1(u16_u32, W, u16, u32, r = XG_V_TO(Wu16, a)) \
    R1(u16_u64, D, u16, u64, r = XG_V_TO(Du16, a)) \
    R1(u32_u16, W, u32, u16, r = XG_V_TO(Wu32, a)) \
    R1(s32_s16, W, s32, s16, r = XG_V_TO(Ws32, a)) \
    V1(u32_u64, D, u32, u64, r = XG_SIM_T(narrow_u64)(a)) \
    V1(u64_u32, D, u64, u32, r = XG_SIM_T(widen_u32)(a)) \
    V1(s64_s32, D, u64, s32, r = XG_SIM_T(widen_s32)(a)) \
    R1(u64_u16, D, u64, u16, r = XG_V_TO(Du64, a)) \
    R1(s64_s16, D, s64, s16, r = XG_V_TO(Ds64, a)) \
    R1(zext8_i16, H, u16, u16, r = a & 0xFFu) \
    R1(zext8_i32, W, u32, u32, r = a & 0xFFu) \
    R1(zext8_i64, D, u64, u64, r = a & 0xFFu) \
    R1(sext8_i16, W, s16, u16, r = XG_V_TO(Ws16, XG_V_TO(Ws32, XG_V_TO(Wu32, a) << 24) >> 24)) \
    R1(sext8_i32, W, s32, u32, r = XG_V_TO(Ws32, a << 24) >> 24) \
    R1(sext8_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 56) >> 56) \
    R1(zext16_i32, W, u32, u32, r = a & 0xFFFFu) \
    R1(sext16_i32, W, s32, u32, r = XG_V_TO(Ws32, a << 16) >> 16) \
    R1(zext16_i64, D, u64, u64, r = a & 0xFFFFu) \
    R1(sext16_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 48) >> 48) \
    R1(zext32_i64, D, u64, u64, r = a & 0xFFFFFFFFu) \
    R1(sext32_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 32) >> 32) \
    V2(pack_b32, W, u32, u16, u16, r = XG_V_TO(Wu32, a) | XG_V_TO(Wu32, b) << 16) \
    R2(pack_b64, D, u64, u32, u32, r = XG_SIM_T(widen_u32)(a) | XG_SIM_T(widen_u32)(b) << 32) \
    R1(high_b32, W, u16, u32, r = XG_V_TO(Wu16, a >> 16)) \
    R1(high_b64, D, u32, u64, r = XG_SIM_T(narrow_u64)(a >> 32)) \
    V1(pred_b32, W, u32, u32, r = XG_V_MASK(Wu32, a != 0u))
/* clang-format on */

/* ---- a row becomes a function ---- */

/* Source x of a record, as p##x, and the step to the next warp's. Where small code is asked for (-Os), a function makes
 * one warp's row and is given where its operands lie; the loop over warps stands once, in xg_sim_arithmetic: 30 bytes
 * less in each of 400 functions. */
#define XG_SIM_SOURCE(x) XG_SIM_SOURCE_##x
#define XG_SIM_STEP(x) XG_SIM_STEP_##x
#ifdef __OPTIMIZE_SIZE__
#define XG_SIM_ROW const xg_sim_lanes *L, const xg_sim_ins *in, char *pd, const char *pa, const char *pb, const char *pc
typedef void (*xg_sim_lane_fn)(XG_SIM_ROW);
#define XG_SIM_SOURCE_a
#define XG_SIM_SOURCE_b
#define XG_SIM_SOURCE_c
#define XG_SIM_SOURCE_e const char *pe = L->base[in->e & 1] + in->e + (in->e & 1 ? 0 : pd - L->dst);
#define XG_SIM_DEST_q char *pq = L->dst2 ? L->dst2 + (pd - L->dst) : NULL;
#define XG_SIM_STEP_a
#define XG_SIM_STEP_b
#define XG_SIM_STEP_c
#define XG_SIM_STEP_e
#define XG_SIM_WARPS \
    (void)L; \
    (void)in; \
    (void)pa; \
    (void)pb; \
    (void)pc; \
    {
#define XG_SIM_NEXT
#define XG_SIM_NEXT_TOO
#define XG_SIM_WARPS_END }
#define XG_SIM_FIX(fix) xg_sim_canon_##fix(pd, 0, 1)
XG_FN void xg_sim_arithmetic(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const xg_sim_lane_fn row = (xg_sim_lane_fn)(void (*)(void))in->fn;
    const char *pa = L->base[in->a & 1] + in->a, *pb = L->base[in->b & 1] + in->b, *pc = L->base[in->c & 1] + in->c;
    const size_t sa = L->stride[in->a & 1], sb = L->stride[in->b & 1], sc = L->stride[in->c & 1];
    char *pd = L->dst;
    uint32_t w = L->warps;
    for (;;) {
        row(L, in, pd, pa, pb, pc);
        if (!--w) return;
        pd += L->dstride;
        pa += sa;
        pb += sb;
        pc += sc;
    }
}
#define XG_SIM_DO(L, in) ((in)->kind == XG_SIM_K_ALU ? xg_sim_arithmetic(L, in) : (in)->fn(L, in))
#else
#define XG_SIM_ROW const xg_sim_lanes *L, const xg_sim_ins *in
#define XG_SIM_DO(L, in) (in)->fn(L, in)
typedef xg_sim_fn xg_sim_lane_fn;
#define XG_SIM_SOURCE_OF(x) \
    const char *p##x = L->base[in->x & 1] + in->x; \
    const size_t s##x = L->stride[in->x & 1];
#define XG_SIM_SOURCE_a XG_SIM_SOURCE_OF(a)
#define XG_SIM_SOURCE_b XG_SIM_SOURCE_OF(b)
#define XG_SIM_SOURCE_c XG_SIM_SOURCE_OF(c)
#define XG_SIM_SOURCE_e XG_SIM_SOURCE_OF(e)
#define XG_SIM_DEST_q char *pq = L->dst2;
#define XG_SIM_STEP_a pa += sa;
#define XG_SIM_STEP_b pb += sb;
#define XG_SIM_STEP_c pc += sc;
#define XG_SIM_STEP_e pe += se;
#define XG_SIM_WARPS \
    char *pd = L->dst; \
    uint32_t w = L->warps; \
    do {
#define XG_SIM_NEXT pd += L->dstride;
#define XG_SIM_NEXT_TOO \
    if (pq) pq += L->dstride;
#define XG_SIM_WARPS_END \
    } \
    while (--w) \
        ;
#define XG_SIM_FIX(fix) xg_sim_canon_##fix(L->dst, L->dstride, L->warps)
XG_INLINE_HOT void xg_sim_arithmetic(const xg_sim_lanes *L, const xg_sim_ins *in) { in->fn(L, in); }
#endif
#define XG_V_LOAD(x, K, T) const XG_SIM_T(K##T) x = XG_SIM_GET(XG_SIM_T(K##T), p##x, i, XG_SIM_T(lanes##K));
#define XG_V_LOOP(K) \
    unsigned i; \
    XG_SIM_WARPS \
    XG_UNROLL(8) for (i = 0; i < XG_SIM_WARP; i += XG_SIM_T(lanes##K)) {
#define XG_V_STORE(K, T) \
    XG_SIM_PUT(XG_SIM_T(K##T), pd, i, XG_SIM_T(lanes##K), r); \
    } \
    XG_SIM_NEXT
#define XG_V_HEAD(name) XG_SIM_TARGET static XG_UNUSED void XG_SIM_T(name)(XG_SIM_ROW)
#define XG_V_BODY1(K, T, A, ...) \
    XG_SIM_SOURCE(a) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_SIM_T(K##T) r; \
    __VA_ARGS__; \
    XG_V_STORE(K, T) XG_SIM_STEP(a) XG_SIM_WARPS_END
#define XG_V_BODY2(K, T, A, B, ...) \
    XG_SIM_SOURCE(a) XG_SIM_SOURCE(b) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_V_LOAD(b, K, B) XG_SIM_T(K##T) r; \
    __VA_ARGS__; \
    XG_V_STORE(K, T) XG_SIM_STEP(a) XG_SIM_STEP(b) XG_SIM_WARPS_END
#define XG_V_BODY3(K, T, A, B, C, ...) \
    XG_SIM_SOURCE(a) \
    XG_SIM_SOURCE(b) \
    XG_SIM_SOURCE(c) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_V_LOAD(b, K, B) XG_V_LOAD(c, K, C) XG_SIM_T(K##T) r; \
    __VA_ARGS__; \
    XG_V_STORE(K, T) XG_SIM_STEP(a) XG_SIM_STEP(b) XG_SIM_STEP(c) XG_SIM_WARPS_END
#define XG_V_1(name, K, T, A, ...) \
    XG_V_HEAD(name) { XG_V_BODY1(K, T, A, __VA_ARGS__) }
#define XG_V_2(name, K, T, A, B, ...) \
    XG_V_HEAD(name) { XG_V_BODY2(K, T, A, B, __VA_ARGS__) }
#define XG_V_3(name, K, T, A, B, C, ...) \
    XG_V_HEAD(name) { XG_V_BODY3(K, T, A, B, C, __VA_ARGS__) }
/* Floats, whose NaNs become canonical: K is W or D. */
#define XG_F_NAN(K) XG_SIM_T(XG_F_##K) nan = {0};
#define XG_F_END(K, fix) \
    if (XG_UNLIKELY(XG_SIM_T(XG_F_ANY_##K)(nan))) XG_SIM_FIX(fix);
#define XG_F_W Wu32
#define XG_F_H Wu32
#define XG_F_ANY_W anyW
#define XG_F_ANY_H anyW
#define XG_F_ANY_D anyD
#define XG_F_D Du64
#define XG_F_1(name, fix, K, T, A, ...) \
    XG_V_HEAD(name) { XG_F_NAN(K) XG_V_BODY1(K, T, A, __VA_ARGS__) XG_F_END(K, fix) }
#define XG_F_2(name, fix, K, T, A, B, ...) \
    XG_V_HEAD(name) { XG_F_NAN(K) XG_V_BODY2(K, T, A, B, __VA_ARGS__) XG_F_END(K, fix) }
#define XG_F_3(name, fix, K, T, A, B, C, ...) \
    XG_V_HEAD(name) { XG_F_NAN(K) XG_V_BODY3(K, T, A, B, C, __VA_ARGS__) XG_F_END(K, fix) }
#define XG_V_C32(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, r = XG_V_MASK(Ws32, a sym b))
#define XG_V_C64(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, r = XG_V_NARROW(a sym b))
#define XG_V_C16(op, sym, K, t) \
    XG_V_2(set_##op##_##t, K, s32, t, t, const XG_SIM_T(Ws32) x = XG_V_TO(Ws32, a); \
           const XG_SIM_T(Ws32) y = XG_V_TO(Ws32, b); r = XG_V_MASK(Ws32, x sym y))

/* Rows that kernels seldom ask for, R1 to R3, S1 and S2 (whose NaNs become canonical) and comparisons of 16 and 64
 * bits, are those of `base` for avx2, too, where small code is asked for (-Os): 10 KB less. */
#ifdef __OPTIMIZE_SIZE__
#define XG_R_1(...)
#define XG_R_2(...)
#define XG_R_3(...)
#define XG_R_F1(...)
#define XG_R_F2(...)
#define XG_R_C64(...)
#define XG_R_C16(...)
#else
#define XG_R_1 XG_V_1
#define XG_R_2 XG_V_2
#define XG_R_3 XG_V_3
#define XG_R_F1 XG_F_1
#define XG_R_F2 XG_F_2
#define XG_R_C64 XG_V_C64
#define XG_R_C16 XG_V_C16
#endif

#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_base_, n)
#define XG_SIM_TARGET
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_V_1, XG_V_2, XG_V_3, XG_F_1, XG_F_2, XG_F_3, XG_F_1, XG_F_2, XG_V_C32,
    XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#if XG_SIM_X86
#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_avx2_, n)
#define XG_SIM_TARGET __attribute__((target(XG_SIM_AVX2_TARGET)))
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_R_1, XG_R_2, XG_R_3, XG_F_1, XG_F_2, XG_F_3, XG_R_F1, XG_R_F2, XG_V_C32,
    XG_R_C64, XG_R_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#endif
#if XG_SIM_AVX512
#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_avx512_, n)
#define XG_SIM_TARGET __attribute__((target(XG_SIM_AVX512_TARGET)))
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_V_1, XG_V_2, XG_V_3, XG_F_1, XG_F_2, XG_F_3, XG_F_1, XG_F_2, XG_V_C32,
    XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#endif

/* The lists again as rows of a plain name: X(name). XG_SIM_WIDE_NAMES are those of which avx2 has functions. */
#define XG_SIM_NAME1(name, K, T, A, ...) XG_SIM_X(name)
#define XG_SIM_NAME2(name, K, T, A, B, ...) XG_SIM_X(name)
#define XG_SIM_NAME3(name, K, T, A, B, C, ...) XG_SIM_X(name)
#define XG_SIM_NAMEF1(name, ...) XG_SIM_X(name)
#define XG_SIM_NAMEF2(name, ...) XG_SIM_X(name)
#define XG_SIM_NAMEF3(name, ...) XG_SIM_X(name)
#define XG_SIM_NAMEC(op, sym, K, t) XG_SIM_X(set_##op##_##t)
#define XG_SIM_VECTOR_NAMES \
    XG_SIM_VECTOR_OPS(XG_SIM_NAME1, XG_SIM_NAME2, XG_SIM_NAME3, XG_SIM_NAME1, XG_SIM_NAME2, XG_SIM_NAME3, \
        XG_SIM_NAMEF1, XG_SIM_NAMEF2, XG_SIM_NAMEF3, XG_SIM_NAMEF1, XG_SIM_NAMEF2, XG_SIM_NAMEC, XG_SIM_NAMEC, \
        XG_SIM_NAMEC)
#ifdef __OPTIMIZE_SIZE__
#define XG_SIM_WIDE_NAMES \
    XG_SIM_VECTOR_OPS(XG_SIM_NAME1, XG_SIM_NAME2, XG_SIM_NAME3, XG_R_1, XG_R_2, XG_R_3, XG_SIM_NAMEF1, XG_SIM_NAMEF2, \
        XG_SIM_NAMEF3, XG_R_F1, XG_R_F2, XG_SIM_NAMEC, XG_R_C64, XG_R_C16)
#else
#define XG_SIM_WIDE_NAMES XG_SIM_VECTOR_NAMES
#endif

#endif /* XG_SIM_LANES_C */
