/* sim/lanes.c -- the arithmetic that must be fast, written once and compiled once per instruction set of the host.
 *
 * XG_SIM_VECTOR_OPS is the list. A row gives name, how many lanes a step takes, the types of destination and sources, and a
 * statement that sets r from a, b, c with C operators on whole vectors. The list is expanded for each host target: `base` (16-byte
 * vectors: SSE2, NEON; single lanes without vector extensions) and `avx2` (32 bytes, FMA, F16C), chosen when a module is loaded.
 * Vectors exactly as wide as the target's are what matters: wider ones are taken apart through memory.
 *
 * Columns of a step: H as many lanes as fill a vector with 16-bit items, W with 32-bit items, D with 64-bit items; items of the other
 * types then make shorter vectors. A predicate is s32 lanes of 0 or -1.
 *
 * Laws: no statement may trap or overflow in the C sense (integers are unsigned), no a*b+c in one function unless it means FMA32/FMA64,
 * which are exact on every target. f32 results that are NaN are 0x7FFFFFFF and f64 ones 0xFFF8000000000000 (CANON), whatever the host makes of them. */
#ifndef XG_SIM_LANES_C
#define XG_SIM_LANES_C
#include "soft.c"

#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS) && (defined(__clang__) || __GNUC__ >= 9) && !defined(__TINYC__)
#define XG_SIM_VECTORS 1
#else
#define XG_SIM_VECTORS 0
#endif
#if XG_SIM_VECTORS && defined(__x86_64__)
#define XG_SIM_AVX2 1
#include <immintrin.h>
#else
#define XG_SIM_AVX2 0
#endif

#define XG_SIM_CAT_(a, b) a##b
#define XG_SIM_CAT(a, b) XG_SIM_CAT_(a, b)

typedef uint8_t xg_sim_e_u8; typedef uint16_t xg_sim_e_u16; typedef uint32_t xg_sim_e_u32; typedef uint64_t xg_sim_e_u64;
typedef int16_t xg_sim_e_s16; typedef int32_t xg_sim_e_s32; typedef int64_t xg_sim_e_s64; typedef float xg_sim_e_f32; typedef double xg_sim_e_f64;

/* Vector types of one target: H, W and D lanes of each element type. */
#if XG_SIM_VECTORS
#define XG_SIM_VTYPE(T, K, lanes, e) typedef xg_sim_e_##e XG_SIM_CAT(xg_sim_##T##_, K##e) __attribute__((vector_size(sizeof(xg_sim_e_##e) * lanes), may_alias));
#else
#define XG_SIM_VTYPE(T, K, lanes, e) typedef xg_sim_e_##e xg_sim_##T##_##K##e;
#endif
#define XG_SIM_VTYPES(T, h, w, d) \
    enum { xg_sim_##T##_lanesH = h, xg_sim_##T##_lanesW = w, xg_sim_##T##_lanesD = d }; \
    XG_SIM_VTYPE(T, H, h, u16) XG_SIM_VTYPE(T, H, h, s16) \
    XG_SIM_VTYPE(T, W, w, u16) XG_SIM_VTYPE(T, W, w, s16) XG_SIM_VTYPE(T, W, w, u32) XG_SIM_VTYPE(T, W, w, s32) XG_SIM_VTYPE(T, W, w, f32) \
    XG_SIM_VTYPE(T, D, d, u16) XG_SIM_VTYPE(T, D, d, s16) XG_SIM_VTYPE(T, D, d, u32) XG_SIM_VTYPE(T, D, d, s32) XG_SIM_VTYPE(T, D, d, f32) \
    XG_SIM_VTYPE(T, D, d, u64) XG_SIM_VTYPE(T, D, d, s64) XG_SIM_VTYPE(T, D, d, f64)
#if XG_SIM_VECTORS
XG_SIM_VTYPES(base, 8, 4, 2)
#else
XG_SIM_VTYPES(base, 1, 1, 1)
#endif
#if XG_SIM_AVX2
XG_SIM_VTYPES(avx2, 16, 8, 4)
#endif

/* What a statement may use besides C. TO converts values, RAW/FLT/RAWD/FLTD reinterpret f32 and f64 bits, MASK makes a comparison 0 or -1. */
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
XG_INLINE uint32_t xg_sim_raw_f32(float v) { uint32_t u; memcpy(&u, &v, 4); return u; }
XG_INLINE float xg_sim_flt_f32(uint32_t v) { float f; memcpy(&f, &v, 4); return f; }
XG_INLINE uint64_t xg_sim_raw_f64(double v) { uint64_t u; memcpy(&u, &v, 8); return u; }
XG_INLINE double xg_sim_flt_f64(uint64_t v) { double f; memcpy(&f, &v, 8); return f; }
#define XG_V_TO(t, v) ((XG_SIM_T(t))(v))
#define XG_V_RAW(v) xg_sim_raw_f32(v)
#define XG_V_FLT(v) xg_sim_flt_f32((uint32_t)(v))
#define XG_V_RAWD(v) xg_sim_raw_f64(v)
#define XG_V_FLTD(v) xg_sim_flt_f64((uint64_t)(v))
#define XG_V_MASK(t, cond) ((XG_SIM_T(t))(-(int)(cond)))
#define XG_SIM_GET(T, p, i, lanes) (*(const T *)(const void *)((p) + (size_t)(i) * sizeof(T)))
#define XG_SIM_PUT(T, p, i, lanes, v) do { T put_v = (T)(v); memcpy((p) + (size_t)(i) * sizeof(T), &put_v, sizeof(T)); } while (0)
#endif

/* ---- what differs by target ---- */

#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_base_, n)
#if XG_SIM_VECTORS
XG_INLINE XG_SIM_T(Wf32) xg_sim_base_fma32(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b, XG_SIM_T(Wf32) c) {
    XG_SIM_T(Wf32) r;
    int i;
    for (i = 0; i < 4; i++) r[i] = xg_sim_fma_f32(a[i], b[i], c[i]);
    return r;
}
XG_INLINE double xg_sim_fma_f64(double a, double b, double c) {
    return xg_sim_f64_bits(xg_sim_soft_fma(XG_SIM_IS_F64, xg_sim_bits_f64(a), xg_sim_bits_f64(b), xg_sim_bits_f64(c), XG_SIM_RN));
}
XG_INLINE XG_SIM_T(Df64) xg_sim_base_fma64(XG_SIM_T(Df64) a, XG_SIM_T(Df64) b, XG_SIM_T(Df64) c) {
    XG_SIM_T(Df64) r;
    int i;
    for (i = 0; i < 2; i++) r[i] = xg_sim_fma_f64(a[i], b[i], c[i]);
    return r;
}
#if defined(__aarch64__)
#define xg_sim_base_fma32 xg_sim_base_fma32_hw
#define xg_sim_base_fma64 xg_sim_base_fma64_hw
XG_INLINE XG_SIM_T(Wf32) xg_sim_base_fma32(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b, XG_SIM_T(Wf32) c) {
    XG_SIM_T(Wf32) r;
    int i;
    for (i = 0; i < 4; i++) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return r;
}
XG_INLINE XG_SIM_T(Df64) xg_sim_base_fma64(XG_SIM_T(Df64) a, XG_SIM_T(Df64) b, XG_SIM_T(Df64) c) {
    XG_SIM_T(Df64) r;
    int i;
    for (i = 0; i < 2; i++) r[i] = __builtin_fma(a[i], b[i], c[i]);
    return r;
}
#endif
XG_INLINE XG_SIM_T(Wu32) xg_sim_base_widen_u16(XG_SIM_T(Wu16) a) { return XG_V_TO(Wu32, a); }
XG_INLINE XG_SIM_T(Wu16) xg_sim_base_narrow_u16(XG_SIM_T(Wu32) a) { return XG_V_TO(Wu16, a); }
#define XG_SIM_LANEWISE(name, R, A, expr) \
    XG_INLINE XG_SIM_T(R) xg_sim_base_##name(XG_SIM_T(A) a) { XG_SIM_T(R) r; unsigned i; for (i = 0; i < sizeof a / sizeof a[0]; i++) r[i] = expr; return r; }
XG_SIM_LANEWISE(sqrt32, Wf32, Wf32, sqrtf(a[i]))
XG_SIM_LANEWISE(sqrt64, Df64, Df64, sqrt(a[i]))
XG_SIM_LANEWISE(widen_f16, Wf32, Wu16, xg_sim_f32_bits(xg_sim_f16_to_f32(a[i])))
XG_SIM_LANEWISE(narrow_f16, Wu16, Wf32, (uint16_t)xg_sim_f32_to_f16(xg_sim_bits_f32(a[i])))
#undef XG_SIM_LANEWISE
#else
XG_INLINE float xg_sim_base_fma32(float a, float b, float c) { return xg_sim_fma_f32(a, b, c); }
XG_INLINE double xg_sim_base_fma64(double a, double b, double c) {
    return xg_sim_f64_bits(xg_sim_soft_fma(XG_SIM_IS_F64, xg_sim_bits_f64(a), xg_sim_bits_f64(b), xg_sim_bits_f64(c), XG_SIM_RN));
}
XG_INLINE uint32_t xg_sim_base_widen_u16(uint16_t a) { return a; }
XG_INLINE uint16_t xg_sim_base_narrow_u16(uint32_t a) { return (uint16_t)a; }
XG_INLINE float xg_sim_base_sqrt32(float a) { return sqrtf(a); }
XG_INLINE double xg_sim_base_sqrt64(double a) { return sqrt(a); }
XG_INLINE float xg_sim_base_widen_f16(uint16_t a) { return xg_sim_f32_bits(xg_sim_f16_to_f32(a)); }
XG_INLINE uint16_t xg_sim_base_narrow_f16(float a) { return (uint16_t)xg_sim_f32_to_f16(xg_sim_bits_f32(a)); }
#endif
#undef XG_SIM_T

#if XG_SIM_AVX2
#define XG_SIM_AVX2_FN static inline __attribute__((always_inline, unused, target("avx2,fma,f16c")))
XG_SIM_AVX2_FN xg_sim_avx2_Wf32 xg_sim_avx2_fma32(xg_sim_avx2_Wf32 a, xg_sim_avx2_Wf32 b, xg_sim_avx2_Wf32 c) { return (xg_sim_avx2_Wf32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
XG_SIM_AVX2_FN xg_sim_avx2_Df64 xg_sim_avx2_fma64(xg_sim_avx2_Df64 a, xg_sim_avx2_Df64 b, xg_sim_avx2_Df64 c) { return (xg_sim_avx2_Df64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
XG_SIM_AVX2_FN xg_sim_avx2_Wf32 xg_sim_avx2_sqrt32(xg_sim_avx2_Wf32 a) { return (xg_sim_avx2_Wf32)_mm256_sqrt_ps((__m256)a); }
XG_SIM_AVX2_FN xg_sim_avx2_Df64 xg_sim_avx2_sqrt64(xg_sim_avx2_Df64 a) { return (xg_sim_avx2_Df64)_mm256_sqrt_pd((__m256d)a); }
/* gcc makes four instructions of the first and five of the second when it converts by itself */
XG_SIM_AVX2_FN xg_sim_avx2_Wu32 xg_sim_avx2_widen_u16(xg_sim_avx2_Wu16 a) { return (xg_sim_avx2_Wu32)_mm256_cvtepu16_epi32((__m128i)a); }
XG_SIM_AVX2_FN xg_sim_avx2_Wu16 xg_sim_avx2_narrow_u16(xg_sim_avx2_Wu32 a) { /* of values below 65536 */
    return (xg_sim_avx2_Wu16)_mm_packus_epi32(_mm256_castsi256_si128((__m256i)a), _mm256_extracti128_si256((__m256i)a, 1));
}
XG_SIM_AVX2_FN xg_sim_avx2_Wf32 xg_sim_avx2_widen_f16(xg_sim_avx2_Wu16 a) { return (xg_sim_avx2_Wf32)_mm256_cvtph_ps((__m128i)a); }
XG_SIM_AVX2_FN xg_sim_avx2_Wu16 xg_sim_avx2_narrow_f16(xg_sim_avx2_Wf32 a) {
    xg_sim_avx2_Wu16 r = (xg_sim_avx2_Wu16)_mm256_cvtps_ph((__m256)a, 0), nan = (xg_sim_avx2_Wu16)((r & 0x7FFF) > 0x7C00);
    return (r & ~nan) | (nan & 0x7FFF);
}
#endif

/* ---- pieces of statements ---- */

#define XG_V_SEL(m, x, y) (((x) & (m)) | ((y) & ~(m)))  /* m is 0 or -1, all of one unsigned type */
#define XG_V_CANON(v) do { const XG_SIM_T(Wu32) canon_m = XG_V_MASK(Wu32, v == v); v = XG_V_FLT(XG_V_SEL(canon_m, XG_V_RAW(v), 0x7FFFFFFFu)); } while (0)
#define XG_V_CANOND(v) do { const XG_SIM_T(Du64) canon_m = XG_V_MASK(Du64, v == v); v = XG_V_FLTD(XG_V_SEL(canon_m, XG_V_RAWD(v), 0xFFF8000000000000u)); } while (0)
#define XG_V_FROM_BF16(v) XG_V_FLT(XG_SIM_T(widen_u16)(v) << 16)
#define XG_V_TO_BF16(r, v) do { \
    const XG_SIM_T(Wu32) bf_m = XG_V_MASK(Wu32, v == v); XG_SIM_T(Wu32) bf_u = XG_V_RAW(v); \
    bf_u = (bf_u + 0x7FFFu + ((bf_u >> 16) & 1u)) >> 16; r = XG_SIM_T(narrow_u16)(XG_V_SEL(bf_m, bf_u, 0x7FFFu)); } while (0)
#define XG_V_BF16_OP(op) XG_SIM_T(Wf32) x = XG_V_FROM_BF16(a), y = XG_V_FROM_BF16(b); x = x op y; XG_V_TO_BF16(r, x)
#define XG_V_F16_OP(op) XG_SIM_T(Wf32) x = XG_SIM_T(widen_f16)(a), y = XG_SIM_T(widen_f16)(b); x = x op y; r = XG_SIM_T(narrow_f16)(x)
#define XG_V_NARROW(cond) XG_V_TO(Ds32, XG_V_MASK(Ds64, cond))
/* min and max: the other operand when one is NaN (NaN itself when `quiet`); -0 is below +0: the order of the bits as integers. */
#define XG_V_MINMAX(U, S, raw, flt, op, sign, nan, quiet) \
    const XG_SIM_T(U) ab = raw(a), bb = raw(b), an = XG_V_MASK(U, a == a), bn = XG_V_MASK(U, b == b); \
    const XG_SIM_T(S) as = XG_V_TO(S, ab), bs = XG_V_TO(S, bb); \
    const XG_SIM_T(S) ai = as ^ XG_V_TO(S, XG_V_TO(U, as >> sign) >> 1), bi = bs ^ XG_V_TO(S, XG_V_TO(U, bs >> sign) >> 1); \
    XG_SIM_T(U) v = XG_V_SEL(XG_V_MASK(U, ai op bi), ab, bb); \
    if (quiet) v = XG_V_SEL(an & bn, v, nan); \
    else { v = XG_V_SEL(an, v, bb); v = XG_V_SEL(bn, v, ab); v = XG_V_SEL(an | bn, v, nan); } \
    r = flt(v)
#define XG_V_MINMAX32(op, quiet) XG_V_MINMAX(Wu32, Ws32, XG_V_RAW, XG_V_FLT, op, 31, 0x7FFFFFFFu, quiet)
#define XG_V_MINMAX64(op) XG_V_MINMAX(Du64, Ds64, XG_V_RAWD, XG_V_FLTD, op, 63, 0xFFF8000000000000u, 0)

/* A comparison of every ordered kind for one type; wide ones narrow their mask to 32 bits. */
#define XG_V_COMPARE(VC, t, K) VC(eq, ==, K, t) VC(ne, !=, K, t) VC(lt, <, K, t) VC(le, <=, K, t) VC(gt, >, K, t) VC(ge, >=, K, t)

#define XG_SIM_VECTOR_OPS(V1, V2, V3, VC32, VC64, VC16) \
    V2(add_i16, H, u16, u16, u16, r = a + b) V2(add_i32, W, u32, u32, u32, r = a + b) V2(add_i64, D, u64, u64, u64, r = a + b) \
    V2(sub_i16, H, u16, u16, u16, r = a - b) V2(sub_i32, W, u32, u32, u32, r = a - b) V2(sub_i64, D, u64, u64, u64, r = a - b) \
    V2(mul_i16, W, u16, u16, u16, r = XG_V_TO(Wu16, XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b))) V2(mul_i32, W, u32, u32, u32, r = a * b) V2(mul_i64, D, u64, u64, u64, r = a * b) \
    V2(and_b16, H, u16, u16, u16, r = a & b) V2(and_b32, W, u32, u32, u32, r = a & b) V2(and_b64, D, u64, u64, u64, r = a & b) \
    V2(or_b16, H, u16, u16, u16, r = a | b) V2(or_b32, W, u32, u32, u32, r = a | b) V2(or_b64, D, u64, u64, u64, r = a | b) \
    V2(xor_b16, H, u16, u16, u16, r = a ^ b) V2(xor_b32, W, u32, u32, u32, r = a ^ b) V2(xor_b64, D, u64, u64, u64, r = a ^ b) \
    V1(not_b16, H, u16, u16, r = ~a) V1(not_b32, W, u32, u32, r = ~a) V1(not_b64, D, u64, u64, r = ~a) \
    V1(mov_b16, H, u16, u16, r = a) V1(mov_b32, W, u32, u32, r = a) V1(mov_b64, D, u64, u64, r = a) \
    V1(neg_i16, H, u16, u16, r = 0 - a) V1(neg_i32, W, u32, u32, r = 0 - a) V1(neg_i64, D, u64, u64, r = 0 - a) \
    V1(abs_s16, W, u16, s16, const XG_SIM_T(Ws32) x = XG_V_TO(Ws32, a); const XG_SIM_T(Ws32) g = x >> 31; r = XG_V_TO(Wu16, (x ^ g) - g)) \
    V1(abs_s32, W, u32, s32, const XG_SIM_T(Wu32) g = XG_V_TO(Wu32, a >> 31); r = (XG_V_TO(Wu32, a) ^ g) - g) \
    V1(abs_s64, D, u64, s64, const XG_SIM_T(Du64) g = XG_V_TO(Du64, a >> 63); r = (XG_V_TO(Du64, a) ^ g) - g) \
    V2(shl_b16, W, u16, u16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) << (b & 15u)) & m)) \
    V2(shl_b32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = (a << (b & 31u)) & m) \
    V2(shl_b64, D, u64, u64, u32, const XG_SIM_T(Du64) n = XG_V_TO(Du64, b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = (a << (n & 63u)) & m) \
    V2(shr_u16, W, u16, u16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) >> (b & 15u)) & m)) \
    V2(shr_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = (a >> (b & 31u)) & m) \
    V2(shr_u64, D, u64, u64, u32, const XG_SIM_T(Du64) n = XG_V_TO(Du64, b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = (a >> (n & 63u)) & m) \
    V2(shr_s16, W, s16, s16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Ws16, XG_V_TO(Ws32, a) >> XG_V_TO(Ws32, XG_V_SEL(m, b, 15u)))) \
    V2(shr_s32, W, s32, s32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = a >> XG_V_TO(Ws32, XG_V_SEL(m, b, 31u))) \
    V2(shr_s64, D, s64, s64, u32, const XG_SIM_T(Du64) n = XG_V_TO(Du64, b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = a >> XG_V_TO(Ds64, XG_V_SEL(m, n, 63u))) \
    V2(min_u16, H, u16, u16, u16, const XG_SIM_T(Hu16) m = XG_V_MASK(Hu16, a < b); r = XG_V_SEL(m, a, b)) V2(max_u16, H, u16, u16, u16, const XG_SIM_T(Hu16) m = XG_V_MASK(Hu16, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s16, H, s16, s16, s16, const XG_SIM_T(Hs16) m = XG_V_MASK(Hs16, a < b); r = XG_V_SEL(m, a, b)) V2(max_s16, H, s16, s16, s16, const XG_SIM_T(Hs16) m = XG_V_MASK(Hs16, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a < b); r = XG_V_SEL(m, a, b)) V2(max_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s32, W, s32, s32, s32, const XG_SIM_T(Ws32) m = XG_V_MASK(Ws32, a < b); r = XG_V_SEL(m, a, b)) V2(max_s32, W, s32, s32, s32, const XG_SIM_T(Ws32) m = XG_V_MASK(Ws32, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_u64, D, u64, u64, u64, const XG_SIM_T(Du64) m = XG_V_MASK(Du64, a < b); r = XG_V_SEL(m, a, b)) V2(max_u64, D, u64, u64, u64, const XG_SIM_T(Du64) m = XG_V_MASK(Du64, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s64, D, s64, s64, s64, const XG_SIM_T(Ds64) m = XG_V_MASK(Ds64, a < b); r = XG_V_SEL(m, a, b)) V2(max_s64, D, s64, s64, s64, const XG_SIM_T(Ds64) m = XG_V_MASK(Ds64, a > b); r = XG_V_SEL(m, a, b)) \
    V2(mulw_u16, W, u32, u16, u16, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) V2(mulw_s16, W, u32, s16, s16, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) \
    V2(mulw_u32, D, u64, u32, u32, r = XG_V_TO(Du64, a) * XG_V_TO(Du64, b)) V2(mulw_s32, D, u64, s32, s32, r = XG_V_TO(Du64, a) * XG_V_TO(Du64, b)) \
    V2(mulh_u16, W, u16, u16, u16, r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) >> 16)) V2(mulh_s16, W, u16, s16, s16, r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) >> 16)) \
    V2(mulh_u32, D, u32, u32, u32, r = XG_V_TO(Du32, (XG_V_TO(Du64, a) * XG_V_TO(Du64, b)) >> 32)) V2(mulh_s32, D, u32, s32, s32, r = XG_V_TO(Du32, (XG_V_TO(Du64, a) * XG_V_TO(Du64, b)) >> 32)) \
    V3(mad_i16, W, u16, u16, u16, u16, r = XG_V_TO(Wu16, XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + XG_V_TO(Wu32, c))) V3(mad_i32, W, u32, u32, u32, u32, r = a * b + c) V3(mad_i64, D, u64, u64, u64, u64, r = a * b + c) \
    V3(madw_u16, W, u32, u16, u16, u32, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + c) V3(madw_s16, W, u32, s16, s16, u32, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + c) \
    V3(madw_u32, D, u64, u32, u32, u64, r = XG_V_TO(Du64, a) * XG_V_TO(Du64, b) + c) V3(madw_s32, D, u64, s32, s32, u64, r = XG_V_TO(Du64, a) * XG_V_TO(Du64, b) + c) \
    V3(sel_b16, W, u16, u16, u16, u32, const XG_SIM_T(Wu16) m = XG_V_TO(Wu16, c); r = XG_V_SEL(m, a, b)) V3(sel_b32, W, u32, u32, u32, u32, r = XG_V_SEL(c, a, b)) \
    V3(sel_b64, D, u64, u64, u64, s32, const XG_SIM_T(Du64) m = XG_V_TO(Du64, XG_V_TO(Ds64, c)); r = XG_V_SEL(m, a, b)) \
    XG_V_COMPARE(VC16, s16, W) XG_V_COMPARE(VC16, u16, W) XG_V_COMPARE(VC32, s32, W) XG_V_COMPARE(VC32, u32, W) XG_V_COMPARE(VC64, s64, D) XG_V_COMPARE(VC64, u64, D) \
    XG_V_COMPARE(VC32, f32, W) XG_V_COMPARE(VC64, f64, D) \
    V2(uno_f32, W, s32, f32, f32, r = XG_V_MASK(Ws32, a != a) | XG_V_MASK(Ws32, b != b)) V2(uno_f64, D, s32, f64, f64, r = XG_V_NARROW(a != a) | XG_V_NARROW(b != b)) \
    V2(add_f32, W, f32, f32, f32, r = a + b; XG_V_CANON(r)) V2(sub_f32, W, f32, f32, f32, r = a - b; XG_V_CANON(r)) V2(mul_f32, W, f32, f32, f32, r = a * b; XG_V_CANON(r)) \
    V2(div_f32, W, f32, f32, f32, r = a / b; XG_V_CANON(r)) V3(fma_f32, W, f32, f32, f32, f32, r = XG_SIM_T(fma32)(a, b, c); XG_V_CANON(r)) \
    V1(sqrt_f32, W, f32, f32, r = XG_SIM_T(sqrt32)(a); XG_V_CANON(r)) V1(rcp_f32, W, f32, f32, r = 1.0f / a; XG_V_CANON(r)) \
    V1(abs_f32, W, u32, u32, r = a & 0x7FFFFFFFu) V1(neg_f32, W, u32, u32, r = a ^ 0x80000000u) V2(copysign_f32, W, u32, u32, u32, r = (a & 0x80000000u) | (b & 0x7FFFFFFFu)) \
    V2(min_f32, W, f32, f32, f32, XG_V_MINMAX32(<, 0)) V2(max_f32, W, f32, f32, f32, XG_V_MINMAX32(>, 0)) V2(minn_f32, W, f32, f32, f32, XG_V_MINMAX32(<, 1)) V2(maxn_f32, W, f32, f32, f32, XG_V_MINMAX32(>, 1)) \
    V1(ftz_f32, W, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, (a & 0x7F800000u) == 0u); r = a & XG_V_SEL(m, 0x80000000u, ~(a & 0u))) \
    V1(sat_f32, W, u32, f32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a > 0.0f); const XG_SIM_T(Wu32) n = XG_V_MASK(Wu32, a < 1.0f); r = XG_V_SEL(n, XG_V_RAW(a), 0x3F800000u) & m) \
    V2(add_f64, D, f64, f64, f64, r = a + b; XG_V_CANOND(r)) V2(sub_f64, D, f64, f64, f64, r = a - b; XG_V_CANOND(r)) V2(mul_f64, D, f64, f64, f64, r = a * b; XG_V_CANOND(r)) V2(div_f64, D, f64, f64, f64, r = a / b; XG_V_CANOND(r)) \
    V3(fma_f64, D, f64, f64, f64, f64, r = XG_SIM_T(fma64)(a, b, c); XG_V_CANOND(r)) V1(sqrt_f64, D, f64, f64, r = XG_SIM_T(sqrt64)(a); XG_V_CANOND(r)) V1(rcp_f64, D, f64, f64, r = 1.0 / a; XG_V_CANOND(r)) \
    V1(abs_f64, D, u64, u64, r = a & 0x7FFFFFFFFFFFFFFFu) V1(neg_f64, D, u64, u64, r = a ^ 0x8000000000000000u) \
    V2(copysign_f64, D, u64, u64, u64, r = (a & 0x8000000000000000u) | (b & 0x7FFFFFFFFFFFFFFFu)) \
    V2(min_f64, D, f64, f64, f64, XG_V_MINMAX64(<)) V2(max_f64, D, f64, f64, f64, XG_V_MINMAX64(>)) \
    V2(add_bf16, W, u16, u16, u16, XG_V_BF16_OP(+)) V2(sub_bf16, W, u16, u16, u16, XG_V_BF16_OP(-)) V2(mul_bf16, W, u16, u16, u16, XG_V_BF16_OP(*)) \
    V2(add_f16, W, u16, u16, u16, XG_V_F16_OP(+)) V2(sub_f16, W, u16, u16, u16, XG_V_F16_OP(-)) V2(mul_f16, W, u16, u16, u16, XG_V_F16_OP(*)) \
    V1(abs_f16, H, u16, u16, r = a & 0x7FFFu) V1(neg_f16, H, u16, u16, r = a ^ 0x8000u) \
    V1(abs_f16x2, W, u32, u32, r = a & 0x7FFF7FFFu) V1(neg_f16x2, W, u32, u32, r = a ^ 0x80008000u) \
    V1(f32_bf16, W, u32, u16, r = XG_SIM_T(widen_u16)(a) << 16) V1(bf16_f32, W, u16, f32, XG_V_TO_BF16(r, a)) \
    V1(f32_f16, W, f32, u16, r = XG_SIM_T(widen_f16)(a); XG_V_CANON(r)) V1(f16_f32, W, u16, f32, r = XG_SIM_T(narrow_f16)(a)) \
    V1(f32_s32, W, f32, s32, r = XG_V_TO(Wf32, a)) V1(f32_u32, W, f32, u32, r = XG_V_TO(Wf32, a)) V1(f64_f32, D, f64, f32, r = XG_V_TO(Df64, a); XG_V_CANOND(r)) V1(f32_f64, D, u32, f64, const XG_SIM_T(Df32) x = XG_V_TO(Df32, a); const XG_SIM_T(Du32) m = XG_V_TO(Du32, XG_V_NARROW(a == a)); XG_SIM_T(Du32) u; memcpy(&u, &x, sizeof u); r = XG_V_SEL(m, u, 0x7FFFFFFFu)) \
    V1(f64_s32, D, f64, s32, r = XG_V_TO(Df64, a)) \
    V1(u16_u32, W, u16, u32, r = XG_V_TO(Wu16, a)) V1(u16_u64, D, u16, u64, r = XG_V_TO(Du16, a)) V1(u32_u16, W, u32, u16, r = XG_V_TO(Wu32, a)) V1(s32_s16, W, s32, s16, r = XG_V_TO(Ws32, a)) \
    V1(u32_u64, D, u32, u64, r = XG_V_TO(Du32, a)) V1(u64_u32, D, u64, u32, r = XG_V_TO(Du64, a)) V1(s64_s32, D, s64, s32, r = XG_V_TO(Ds64, a)) \
    V1(u64_u16, D, u64, u16, r = XG_V_TO(Du64, a)) V1(s64_s16, D, s64, s16, r = XG_V_TO(Ds64, a)) \
    V1(zext8_i16, H, u16, u16, r = a & 0xFFu) V1(zext8_i32, W, u32, u32, r = a & 0xFFu) V1(zext8_i64, D, u64, u64, r = a & 0xFFu) \
    V1(sext8_i16, W, s16, u16, r = XG_V_TO(Ws16, XG_V_TO(Ws32, XG_V_TO(Wu32, a) << 24) >> 24)) V1(sext8_i32, W, s32, u32, r = XG_V_TO(Ws32, a << 24) >> 24) \
    V1(sext8_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 56) >> 56) \
    V1(zext16_i32, W, u32, u32, r = a & 0xFFFFu) V1(sext16_i32, W, s32, u32, r = XG_V_TO(Ws32, a << 16) >> 16) \
    V1(zext16_i64, D, u64, u64, r = a & 0xFFFFu) V1(sext16_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 48) >> 48) \
    V1(zext32_i64, D, u64, u64, r = a & 0xFFFFFFFFu) V1(sext32_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 32) >> 32) \
    V2(pack_b32, W, u32, u16, u16, r = XG_V_TO(Wu32, a) | XG_V_TO(Wu32, b) << 16) V2(pack_b64, D, u64, u32, u32, r = XG_V_TO(Du64, a) | XG_V_TO(Du64, b) << 32) \
    V1(high_b32, W, u16, u32, r = XG_V_TO(Wu16, a >> 16)) V1(high_b64, D, u32, u64, r = XG_V_TO(Du32, a >> 32)) \
    V1(pred_b32, W, u32, u32, r = XG_V_MASK(Wu32, a != 0u))

/* ---- a row becomes a function ---- */

#define XG_V_SOURCE(x) const char *p##x = L->base[in->x & 1] + in->x; const size_t s##x = L->stride[in->x & 1];
#define XG_V_LOAD(x, K, T) const XG_SIM_T(K##T) x = XG_SIM_GET(XG_SIM_T(K##T), p##x, i, XG_SIM_T(lanes##K));
#define XG_V_LOOP(K) char *pd = L->dst; uint32_t w = L->warps; unsigned i; do { for (i = 0; i < XG_SIM_WARP; i += XG_SIM_T(lanes##K)) {
#define XG_V_STORE(K, T) XG_SIM_PUT(XG_SIM_T(K##T), pd, i, XG_SIM_T(lanes##K), r); } pd += L->dstride;
#define XG_V_HEAD(name) XG_SIM_TARGET static XG_UNUSED void XG_SIM_T(name)(const xg_sim_lanes *L, const xg_sim_ins *in)
#define XG_V_1(name, K, T, A, ...) XG_V_HEAD(name) { XG_V_SOURCE(a) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_SIM_T(K##T) r; __VA_ARGS__; \
    XG_V_STORE(K, T) pa += sa; } while (--w); }
#define XG_V_2(name, K, T, A, B, ...) XG_V_HEAD(name) { XG_V_SOURCE(a) XG_V_SOURCE(b) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_V_LOAD(b, K, B) XG_SIM_T(K##T) r; __VA_ARGS__; \
    XG_V_STORE(K, T) pa += sa; pb += sb; } while (--w); }
#define XG_V_3(name, K, T, A, B, C, ...) XG_V_HEAD(name) { XG_V_SOURCE(a) XG_V_SOURCE(b) XG_V_SOURCE(c) XG_V_LOOP(K) \
    XG_V_LOAD(a, K, A) XG_V_LOAD(b, K, B) XG_V_LOAD(c, K, C) XG_SIM_T(K##T) r; __VA_ARGS__; XG_V_STORE(K, T) pa += sa; pb += sb; pc += sc; } while (--w); }
#define XG_V_C32(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, r = XG_V_MASK(Ws32, a sym b))
#define XG_V_C64(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, r = XG_V_NARROW(a sym b))
#define XG_V_C16(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, const XG_SIM_T(Ws32) x = XG_V_TO(Ws32, a); const XG_SIM_T(Ws32) y = XG_V_TO(Ws32, b); r = XG_V_MASK(Ws32, x sym y))

#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_base_, n)
#define XG_SIM_TARGET
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_V_C32, XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#if XG_SIM_AVX2
#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_avx2_, n)
#define XG_SIM_TARGET __attribute__((target("avx2,fma,f16c")))
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_V_C32, XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#endif

/* The lists again as rows of a plain name: X(name). */
#define XG_SIM_NAME1(name, K, T, A, ...) XG_SIM_X(name)
#define XG_SIM_NAME2(name, K, T, A, B, ...) XG_SIM_X(name)
#define XG_SIM_NAME3(name, K, T, A, B, C, ...) XG_SIM_X(name)
#define XG_SIM_NAMEC(op, sym, K, t) XG_SIM_X(set_##op##_##t)
#define XG_SIM_VECTOR_NAMES XG_SIM_VECTOR_OPS(XG_SIM_NAME1, XG_SIM_NAME2, XG_SIM_NAME3, XG_SIM_NAMEC, XG_SIM_NAMEC, XG_SIM_NAMEC)

#endif /* XG_SIM_LANES_C */
