/* sim/tiles.c -- the arithmetic of one tile: 16 x K times K x 8, and how packed elements become its numbers.
 *
 * The idea. Wherever packed elements of A or B come from, 16 bytes hold elements of one row of A (or one column of B)
 * side by side in k: in a register's slot, four lanes share a row; in shared memory, 16 bytes are what a swizzle leaves
 * together. So one function turns rows of 16 bytes into numbers, and it is all that depends on the element's type.
 * Floats become doubles, integers 16-bit words, which are multiplied in pairs.
 *
 * Numbers. Integers are exact and wrap or saturate once. Products of floats narrower than f64 are exact in double, so
 * that a fused multiply-add and a product with a sum are the same; a sum begins with C, adds the products in the order
 * of k in double precision and is rounded once. f64 is a chain of fused multiply-adds in the order of k. GPUs add in
 * another order and cut off low bits, so their f32 results differ in the last places. NaNs are 0x7FFFFFFF, 0x7FFF and,
 * of f64, 0xFFF8000000000000.
 *
 * Law: both tables of functions, for any host and for AVX2, give the same bits. */
#ifndef XG_SIM_TILES_C
#define XG_SIM_TILES_C
#include "async.c"

enum {
    XG_SIM_TILE_K = 256,     /* elements of a row, of integers of one bit */
    XG_SIM_TILE_REALS_K = 64 /* of a row of floats */
};
typedef struct xg_sim_real {
    double a[16][XG_SIM_TILE_REALS_K], b[XG_SIM_TILE_REALS_K][8], c[16][8];
} xg_sim_real;
/* b: pairs of elements side by side in k. */
typedef struct xg_sim_ints {
    int16_t a[16][XG_SIM_TILE_K], b[XG_SIM_TILE_K / 2][8][2];
    int64_t c[16][8];
} xg_sim_ints;

/* The functions of a unit. rows: `n` rows of packed elements, `step` bytes apart, to rows of numbers `stride` apart.
 * row_add: `n` sums of one row of A with as many columns of B, whose rows are `stride` apart. turn: columns of B to its
 * rows. pair_rows, pair_turn: the same for integers. c_rows, d_rows: eight rows of C or D, of f32, from and to the
 * slots of the even and the odd columns; half_rows: D of f16 to one slot; int_c_rows, int_d_rows: C and D of s32.
 * widen, round: `n` f32 side by side from and to their bits; or s32, which wrap: sums of theirs are below 2^51. */
typedef struct xg_sim_tile_fns {
    void (*rows)(double *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e);
    void (*row_add)(double *sums, const double *a, const double *b, size_t stride, uint32_t k, uint32_t n);
    void (*turn)(double (*b)[8], const double (*columns)[XG_SIM_TILE_REALS_K], uint32_t k);
    void (*multiply)(xg_sim_real *r, uint32_t m, uint32_t k, bool f64);
    void (*pair_rows)(int16_t *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e);
    void (*pair_turn)(int16_t (*b)[8][2], const int16_t (*columns)[XG_SIM_TILE_K], uint32_t k);
    void (*pair_multiply)(xg_sim_ints *x, uint32_t m, uint32_t k);
    void (*c_rows)(double (*c)[8], const char *even, const char *odd);
    void (*d_rows)(const double (*c)[8], char *even, char *odd);
    void (*half_rows)(const double (*c)[8], char *slot);
    void (*int_c_rows)(int64_t (*c)[8], const char *even, const char *odd);
    void (*int_d_rows)(const int64_t (*c)[8], char *even, char *odd, bool saturate);
    void (*widen)(double *to, const uint32_t *from, uint32_t n, bool s32);
    void (*round)(uint32_t *to, const double *from, uint32_t n, bool s32);
} xg_sim_tile_fns;

/* ---- elements ---- */

/* A float of 4 or 6 bits, which has neither infinities nor NaNs. */
XG_FN float xg_sim_tile_tiny(uint32_t minus, uint32_t exponent, uint32_t fraction, uint32_t bits, uint32_t bias) {
    uint32_t m = fraction | (exponent ? 1u << bits : 0u), shift = bits + bias - (exponent ? exponent : 1u);
    float x = exponent >= bits + bias ? (float)(m << (exponent - bits - bias)) : (float)m / (float)(1u << shift);
    return minus ? -x : x;
}
XG_FN float xg_sim_tile_float(xg_sim_elem e, uint32_t x) {
    switch (e) {
    case XG_SIM_EL_F16: return xg_f32_of_bits(xg_sim_f16_to_f32(x));
    case XG_SIM_EL_BF16: return xg_f32_of_bits(x << 16);
    case XG_SIM_EL_TF32: return xg_f32_of_bits(x & 0xFFFFE000u);
    case XG_SIM_EL_E5M2: return xg_f32_of_bits(xg_sim_f16_to_f32(x << 8));
    case XG_SIM_EL_E4M3: {
        uint32_t m = x & 0x7F, sign = (x & 0x80) << 24;
        float f;
        if (m == 0x7F) return xg_f32_of_bits(0x7FFFFFFFu);
        if (m >= 8) return xg_f32_of_bits(sign | ((m << 20) + (120u << 23)));
        f = (float)m * 0.001953125f; /* 2^-9 */
        return sign ? -f : f;
    }
    case XG_SIM_EL_E2M3: return xg_sim_tile_tiny(x >> 5 & 1, x >> 3 & 3, x & 7, 3, 1);
    case XG_SIM_EL_E3M2: return xg_sim_tile_tiny(x >> 5 & 1, x >> 2 & 7, x & 3, 2, 3);
    case XG_SIM_EL_E2M1: return xg_sim_tile_tiny(x >> 3 & 1, x >> 1 & 3, x & 1, 1, 1);
    default: return xg_f32_of_bits(x);
    }
}
XG_FN int32_t xg_sim_tile_int(xg_sim_elem e, uint32_t x) {
    switch (e) {
    case XG_SIM_EL_S8: return (int32_t)(x << 24) >> 24;
    case XG_SIM_EL_U8: return (int32_t)(x & 255);
    case XG_SIM_EL_S4: return (int32_t)(x << 28) >> 28;
    case XG_SIM_EL_U4: return (int32_t)(x & 15);
    default: return (int32_t)(x & 1);
    }
}
/* Element number i of packed bytes, at most 32 bits of it. */
XG_FN uint32_t xg_sim_tile_element(const char *from, uint32_t i, uint32_t bits) {
    const uint32_t bytes = XG_MAX(1u, bits / 8);
    uint32_t x = 0;
    uint8_t parts[4] = {0, 0, 0, 0};
    memcpy(parts, from + (size_t)i * bits / 8, bytes);
    x = parts[0] | (uint32_t)parts[1] << 8 | (uint32_t)parts[2] << 16 | (uint32_t)parts[3] << 24;
    return bits < 8 ? x >> (i * bits % 8) & ((1u << bits) - 1) : x;
}
/* A sum as f16: rounded to f32 with an odd last bit where it is not exact, so that rounding again rounds once. */
XG_FN uint32_t xg_sim_tile_half(double x) {
    const float f = (float)x;
    uint32_t u = xg_f32_bits(f);
    if (x != x) return 0x7FFF;
    if ((double)f != x && !(u & 1)) u += (x > (double)f) == (x > 0) ? 1u : 0xFFFFFFFFu;
    return xg_sim_f32_to_f16(u);
}

/* ---- for any host ---- */

XG_FN void xg_sim_base_tile_rows(double *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
    const uint32_t bits = xg_sim_elems[e].bits, each = bits == 64 ? 4 : 128 / bits;
    uint32_t i;
    for (; n; n--, to += stride, from += step) {
        if (bits == 64)
            memcpy(to, from, 32);
        else
            for (i = 0; i < each; i++) to[i] = (double)xg_sim_tile_float(e, xg_sim_tile_element(from, i, bits));
    }
}
XG_FN void xg_sim_base_tile_row_add(
    double *sums, const double *a, const double *b, size_t stride, uint32_t k, uint32_t n) {
    uint32_t i, q;
    for (q = 0; q < k; q++)
        for (i = 0; i < n; i++) sums[i] += a[q] * b[q * stride + i];
}
XG_FN void xg_sim_base_tile_turn(double (*b)[8], const double (*columns)[XG_SIM_TILE_REALS_K], uint32_t k) {
    uint32_t q, j;
    for (q = 0; q < k; q++)
        for (j = 0; j < 8; j++) b[q][j] = columns[j][q];
}
XG_FN void xg_sim_base_tile_multiply(xg_sim_real *r, uint32_t m, uint32_t k, bool f64) {
    uint32_t i, j, q;
    for (i = 0; i < m; i++)
        for (q = 0; q < k; q++) {
            const double a = r->a[i][q];
            if (f64)
                for (j = 0; j < 8; j++)
                    r->c[i][j] = xg_f64_of_bits(xg_sim_soft_fma(
                        XG_SIM_IS_F64, xg_f64_bits(a), xg_f64_bits(r->b[q][j]), xg_f64_bits(r->c[i][j]), XG_SIM_RN));
            else
                for (j = 0; j < 8; j++) r->c[i][j] += a * r->b[q][j];
        }
}
XG_FN void xg_sim_base_tile_pair_rows(
    int16_t *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
    const uint32_t bits = xg_sim_elems[e].bits, each = 128 / bits;
    uint32_t i;
    for (; n; n--, to += stride, from += step)
        for (i = 0; i < each; i++) to[i] = (int16_t)xg_sim_tile_int(e, xg_sim_tile_element(from, i, bits));
}
XG_FN void xg_sim_base_tile_pair_turn(int16_t (*b)[8][2], const int16_t (*columns)[XG_SIM_TILE_K], uint32_t k) {
    uint32_t q, j;
    for (j = 0; j < 8; j++)
        for (q = 0; q < k / 2; q++) memcpy(b[q][j], &columns[j][2 * q], 4);
}
XG_FN void xg_sim_base_tile_pair_multiply(xg_sim_ints *x, uint32_t m, uint32_t k) {
    uint32_t i, j, q;
    for (i = 0; i < m; i++)
        for (q = 0; q < k; q++)
            for (j = 0; j < 8; j++) x->c[i][j] += x->a[i][q] * x->b[q / 2][j][q & 1];
}
XG_FN void xg_sim_base_tile_c_rows(double (*c)[8], const char *even, const char *odd) {
    uint32_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 4; j++) {
            c[i][2 * j] = (double)xg_f32_of_bits(xg_sim_tile_element(even, 4 * i + j, 32));
            c[i][2 * j + 1] = (double)xg_f32_of_bits(xg_sim_tile_element(odd, 4 * i + j, 32));
        }
}
XG_ONE_COPY XG_FN uint32_t xg_sim_tile_single(double x) { return x != x ? 0x7FFFFFFFu : xg_f32_bits((float)x); }
XG_FN void xg_sim_base_tile_d_rows(const double (*c)[8], char *even, char *odd) {
    uint32_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 4; j++) {
            xg_sim_put_u32(even, 4 * i + j, xg_sim_tile_single(c[i][2 * j]));
            xg_sim_put_u32(odd, 4 * i + j, xg_sim_tile_single(c[i][2 * j + 1]));
        }
}
XG_FN void xg_sim_base_tile_half_rows(const double (*c)[8], char *slot) {
    uint32_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 4; j++)
            xg_sim_put_u32(slot, 4 * i + j, xg_sim_tile_half(c[i][2 * j]) | xg_sim_tile_half(c[i][2 * j + 1]) << 16);
}
XG_FN void xg_sim_base_tile_int_c_rows(int64_t (*c)[8], const char *even, const char *odd) {
    uint32_t i;
    for (i = 0; i < 2 * XG_SIM_WARP; i++) c[0][i] = (int32_t)xg_sim_tile_element(i & 1 ? odd : even, i / 2, 32);
}
XG_FN void xg_sim_base_tile_int_d_rows(const int64_t (*c)[8], char *even, char *odd, bool saturate) {
    const int64_t most = saturate ? INT32_MAX : INT64_MAX, least = saturate ? INT32_MIN : INT64_MIN, *from = c[0];
    uint32_t i;
    for (i = 0; i < 2 * XG_SIM_WARP; i++)
        xg_sim_put_u32(i & 1 ? odd : even, i / 2, (uint32_t)(uint64_t)XG_MAX(XG_MIN(from[i], most), least));
}
XG_FN void xg_sim_base_tile_widen(double *to, const uint32_t *from, uint32_t n, bool s32) {
    uint32_t i;
    for (i = 0; i < n; i++) to[i] = s32 ? (double)(int32_t)from[i] : (double)xg_f32_of_bits(from[i]);
}
XG_FN void xg_sim_base_tile_round(uint32_t *to, const double *from, uint32_t n, bool s32) {
    uint32_t i;
    for (i = 0; i < n; i++) to[i] = s32 ? (uint32_t)(uint64_t)(int64_t)from[i] : xg_sim_tile_single(from[i]);
}
static const xg_sim_tile_fns xg_sim_tile_fns_base = {xg_sim_base_tile_rows, xg_sim_base_tile_row_add,
    xg_sim_base_tile_turn, xg_sim_base_tile_multiply, xg_sim_base_tile_pair_rows, xg_sim_base_tile_pair_turn,
    xg_sim_base_tile_pair_multiply, xg_sim_base_tile_c_rows, xg_sim_base_tile_d_rows, xg_sim_base_tile_half_rows,
    xg_sim_base_tile_int_c_rows, xg_sim_base_tile_int_d_rows, xg_sim_base_tile_widen, xg_sim_base_tile_round};

/* ---- for AVX2 ---- */

/* Each function ends by clearing the upper halves of its registers: where they hold something, the plain vector
 * instructions of other code are slow, and compilers clear them by themselves from -O2 on only. */

#if XG_SIM_X86
/* Eight floats as doubles. */
XG_M256_FN void xg_sim_avx2_put_reals(double *to, __m256 f) {
    _mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(f)));
    _mm256_storeu_pd(to + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(f, 1)));
}
/* Eight bytes in words of 16 bits, as f32. e4m3 has the exponent's place of f16 but one bit, and 2^8 less. */
XG_M256_FN __m256 xg_sim_avx2_e5m2(__m128i x) { return _mm256_cvtph_ps(_mm_slli_epi16(x, 8)); }
XG_M256_FN __m256 xg_sim_avx2_e4m3(__m128i x) {
    const __m128i low = _mm_and_si128(x, _mm_set1_epi16(0x7F)), nan = _mm_cmpeq_epi16(low, _mm_set1_epi16(0x7F));
    const __m128i half = _mm_or_si128(_mm_slli_epi16(_mm_and_si128(x, _mm_set1_epi16(0x80)), 8),
        _mm_or_si128(_mm_slli_epi16(low, 7), _mm_and_si128(nan, _mm_set1_epi16(0x7FFF))));
    return _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(256.0f));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_rows(
    double *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
#define XG_SIM_TILE_ROWS(...) \
    for (; n; n--, to += stride, from += step) { \
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from); \
        __VA_ARGS__; \
    } \
    break
    switch (e) {
    case XG_SIM_EL_F16: XG_SIM_TILE_ROWS(xg_sim_avx2_put_reals(to, _mm256_cvtph_ps(x)));
    case XG_SIM_EL_BF16:
        XG_SIM_TILE_ROWS(
            xg_sim_avx2_put_reals(to, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16))));
    case XG_SIM_EL_TF32:
        XG_SIM_TILE_ROWS(_mm256_storeu_pd(
            to, _mm256_cvtps_pd(_mm_castsi128_ps(_mm_and_si128(x, _mm_set1_epi32((int)0xFFFFE000u))))));
    case XG_SIM_EL_E5M2:
        XG_SIM_TILE_ROWS(xg_sim_avx2_put_reals(to, xg_sim_avx2_e5m2(_mm_cvtepu8_epi16(x)));
                         xg_sim_avx2_put_reals(to + 8, xg_sim_avx2_e5m2(_mm_cvtepu8_epi16(_mm_srli_si128(x, 8)))));
    case XG_SIM_EL_E4M3:
        XG_SIM_TILE_ROWS(xg_sim_avx2_put_reals(to, xg_sim_avx2_e4m3(_mm_cvtepu8_epi16(x)));
                         xg_sim_avx2_put_reals(to + 8, xg_sim_avx2_e4m3(_mm_cvtepu8_epi16(_mm_srli_si128(x, 8)))));
    default: xg_sim_base_tile_rows(to, stride, from, step, n, e);
    }
    _mm256_zeroupper();
#undef XG_SIM_TILE_ROWS
}
/* Sixteen sums at once; what is left over, at the end. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_row_add(
    double *sums, const double *a, const double *b, size_t stride, uint32_t k, uint32_t n) {
    uint32_t i, q;
    for (i = 0; i + 16 <= n; i += 16) {
        __m256d s0 = _mm256_loadu_pd(sums + i), s1 = _mm256_loadu_pd(sums + i + 4);
        __m256d s2 = _mm256_loadu_pd(sums + i + 8), s3 = _mm256_loadu_pd(sums + i + 12);
        for (q = 0; q < k; q++) {
            const __m256d x = _mm256_broadcast_sd(a + q);
            const double *y = b + q * stride + i;
            s0 = _mm256_fmadd_pd(x, _mm256_loadu_pd(y), s0);
            s1 = _mm256_fmadd_pd(x, _mm256_loadu_pd(y + 4), s1);
            s2 = _mm256_fmadd_pd(x, _mm256_loadu_pd(y + 8), s2);
            s3 = _mm256_fmadd_pd(x, _mm256_loadu_pd(y + 12), s3);
        }
        _mm256_storeu_pd(sums + i, s0);
        _mm256_storeu_pd(sums + i + 4, s1);
        _mm256_storeu_pd(sums + i + 8, s2);
        _mm256_storeu_pd(sums + i + 12, s3);
    }
    _mm256_zeroupper();
    if (i < n) xg_sim_base_tile_row_add(sums + i, a, b + i, stride, k, n - i);
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_turn(double (*b)[8], const double (*columns)[XG_SIM_TILE_REALS_K], uint32_t k) {
    uint32_t q, j;
    for (q = 0; q < k; q += 4)
        for (j = 0; j < 8; j += 4) {
            const __m256d c0 = _mm256_loadu_pd(&columns[j][q]), c1 = _mm256_loadu_pd(&columns[j + 1][q]);
            const __m256d c2 = _mm256_loadu_pd(&columns[j + 2][q]), c3 = _mm256_loadu_pd(&columns[j + 3][q]);
            const __m256d lo01 = _mm256_unpacklo_pd(c0, c1), hi01 = _mm256_unpackhi_pd(c0, c1);
            const __m256d lo23 = _mm256_unpacklo_pd(c2, c3), hi23 = _mm256_unpackhi_pd(c2, c3);
            _mm256_storeu_pd(&b[q][j], _mm256_permute2f128_pd(lo01, lo23, 0x20));
            _mm256_storeu_pd(&b[q + 1][j], _mm256_permute2f128_pd(hi01, hi23, 0x20));
            _mm256_storeu_pd(&b[q + 2][j], _mm256_permute2f128_pd(lo01, lo23, 0x31));
            _mm256_storeu_pd(&b[q + 3][j], _mm256_permute2f128_pd(hi01, hi23, 0x31));
        }
    _mm256_zeroupper();
}
/* Four rows at once: eight sums that do not wait for each other. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_multiply(xg_sim_real *r, uint32_t m, uint32_t k, bool f64) {
    uint32_t i, q;
    (void)f64;
    for (i = 0; i < m; i += 4) {
        double(*a)[XG_SIM_TILE_REALS_K] = &r->a[i], (*c)[8] = &r->c[i];
        __m256d c00 = _mm256_loadu_pd(c[0]), c01 = _mm256_loadu_pd(c[0] + 4);
        __m256d c10 = _mm256_loadu_pd(c[1]), c11 = _mm256_loadu_pd(c[1] + 4);
        __m256d c20 = _mm256_loadu_pd(c[2]), c21 = _mm256_loadu_pd(c[2] + 4);
        __m256d c30 = _mm256_loadu_pd(c[3]), c31 = _mm256_loadu_pd(c[3] + 4);
        for (q = 0; q < k; q++) {
            const __m256d b0 = _mm256_loadu_pd(r->b[q]), b1 = _mm256_loadu_pd(r->b[q] + 4);
            __m256d x = _mm256_broadcast_sd(&a[0][q]);
            c00 = _mm256_fmadd_pd(x, b0, c00);
            c01 = _mm256_fmadd_pd(x, b1, c01);
            x = _mm256_broadcast_sd(&a[1][q]);
            c10 = _mm256_fmadd_pd(x, b0, c10);
            c11 = _mm256_fmadd_pd(x, b1, c11);
            x = _mm256_broadcast_sd(&a[2][q]);
            c20 = _mm256_fmadd_pd(x, b0, c20);
            c21 = _mm256_fmadd_pd(x, b1, c21);
            x = _mm256_broadcast_sd(&a[3][q]);
            c30 = _mm256_fmadd_pd(x, b0, c30);
            c31 = _mm256_fmadd_pd(x, b1, c31);
        }
        _mm256_storeu_pd(c[0], c00);
        _mm256_storeu_pd(c[0] + 4, c01);
        _mm256_storeu_pd(c[1], c10);
        _mm256_storeu_pd(c[1] + 4, c11);
        _mm256_storeu_pd(c[2], c20);
        _mm256_storeu_pd(c[2] + 4, c21);
        _mm256_storeu_pd(c[3], c30);
        _mm256_storeu_pd(c[3] + 4, c31);
    }
    _mm256_zeroupper();
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_pair_rows(
    int16_t *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
    if (e != XG_SIM_EL_S8 && e != XG_SIM_EL_U8) {
        xg_sim_base_tile_pair_rows(to, stride, from, step, n, e);
        return;
    }
    for (; n; n--, to += stride, from += step) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        XG_M256_PUT((char *)to, 0, e == XG_SIM_EL_S8 ? _mm256_cvtepi8_epi16(x) : _mm256_cvtepu8_epi16(x));
    }
    _mm256_zeroupper();
}
/* Four pairs of four columns at once; k is a multiple of 8. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_pair_turn(
    int16_t (*b)[8][2], const int16_t (*columns)[XG_SIM_TILE_K], uint32_t k) {
    uint32_t q, j;
#define X(j) _mm_loadu_ps((const float *)(const void *)&columns[j][2 * q])
    for (q = 0; q < k / 2; q += 4)
        for (j = 0; j < 8; j += 4) {
            const __m128 c0 = X(j), c1 = X(j + 1), c2 = X(j + 2), c3 = X(j + 3);
            const __m128 lo01 = _mm_unpacklo_ps(c0, c1), hi01 = _mm_unpackhi_ps(c0, c1);
            const __m128 lo23 = _mm_unpacklo_ps(c2, c3), hi23 = _mm_unpackhi_ps(c2, c3);
            _mm_storeu_ps((float *)(void *)b[q][j], _mm_movelh_ps(lo01, lo23));
            _mm_storeu_ps((float *)(void *)b[q + 1][j], _mm_movehl_ps(lo23, lo01));
            _mm_storeu_ps((float *)(void *)b[q + 2][j], _mm_movelh_ps(hi01, hi23));
            _mm_storeu_ps((float *)(void *)b[q + 3][j], _mm_movehl_ps(hi23, hi01));
        }
#undef X
}
/* The products of a row are at most 256 times 255 * 255: their sum fits 32 bits. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_pair_multiply(xg_sim_ints *x, uint32_t m, uint32_t k) {
    uint32_t i, q;
    for (i = 0; i < m; i += 2) {
        __m256i s0 = _mm256_setzero_si256(), s1 = s0;
        for (q = 0; q < k / 2; q++) {
            const __m256i b = XG_M256_AT((const char *)x->b[q], 0);
            const int a0 = xg_sim_avx2_word((const char *)&x->a[i][2 * q]),
                      a1 = xg_sim_avx2_word((const char *)&x->a[i + 1][2 * q]);
            s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_set1_epi32(a0), b));
            s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_set1_epi32(a1), b));
        }
#define XG_SIM_TILE_ADD(c, v) \
    XG_M256_PUT((char *)(c), 0, _mm256_add_epi64(XG_M256_AT((const char *)(c), 0), _mm256_cvtepi32_epi64(v)))
        XG_SIM_TILE_ADD(x->c[i], _mm256_castsi256_si128(s0));
        XG_SIM_TILE_ADD(x->c[i] + 4, _mm256_extracti128_si256(s0, 1));
        XG_SIM_TILE_ADD(x->c[i + 1], _mm256_castsi256_si128(s1));
        XG_SIM_TILE_ADD(x->c[i + 1] + 4, _mm256_extracti128_si256(s1, 1));
#undef XG_SIM_TILE_ADD
    }
    _mm256_zeroupper();
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_c_rows(double (*c)[8], const char *even, const char *odd) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128 x = _mm_loadu_ps((const float *)(const void *)(even + 16 * i)),
                     y = _mm_loadu_ps((const float *)(const void *)(odd + 16 * i));
        _mm256_storeu_pd(c[i], _mm256_cvtps_pd(_mm_unpacklo_ps(x, y)));
        _mm256_storeu_pd(c[i] + 4, _mm256_cvtps_pd(_mm_unpackhi_ps(x, y)));
    }
    _mm256_zeroupper();
}
XG_M256_FN __m128 xg_sim_avx2_single(__m256d x) {
    const __m128 f = _mm256_cvtpd_ps(x), nan = _mm_cmpunord_ps(f, f);
    return _mm_or_ps(_mm_andnot_ps(nan, f), _mm_and_ps(nan, _mm_castsi128_ps(_mm_set1_epi32(0x7FFFFFFF))));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_d_rows(const double (*c)[8], char *even, char *odd) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128 x = xg_sim_avx2_single(_mm256_loadu_pd(c[i])), y = xg_sim_avx2_single(_mm256_loadu_pd(c[i] + 4));
        _mm_storeu_ps((float *)(void *)(even + 16 * i), _mm_shuffle_ps(x, y, 0x88));
        _mm_storeu_ps((float *)(void *)(odd + 16 * i), _mm_shuffle_ps(x, y, 0xDD));
    }
    _mm256_zeroupper();
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_int_c_rows(int64_t (*c)[8], const char *even, const char *odd) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(even + 16 * i)),
                      y = _mm_loadu_si128((const __m128i *)(const void *)(odd + 16 * i));
        XG_M256_PUT((char *)c[i], 0, _mm256_cvtepi32_epi64(_mm_unpacklo_epi32(x, y)));
        XG_M256_PUT((char *)c[i], 1, _mm256_cvtepi32_epi64(_mm_unpackhi_epi32(x, y)));
    }
    _mm256_zeroupper();
}
/* Four sums as s32, in their even words. */
XG_M256_FN __m256 xg_sim_avx2_int(__m256i x, __m256i least, __m256i most) {
    x = _mm256_blendv_epi8(x, most, _mm256_cmpgt_epi64(x, most));
    return _mm256_castsi256_ps(_mm256_blendv_epi8(x, least, _mm256_cmpgt_epi64(least, x)));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_int_d_rows(const int64_t (*c)[8], char *even, char *odd, bool saturate) {
    const __m256i most = _mm256_set1_epi64x(saturate ? INT32_MAX : INT64_MAX),
                  least = _mm256_set1_epi64x(saturate ? INT32_MIN : INT64_MIN);
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m256 x = xg_sim_avx2_int(XG_M256_AT((const char *)c[i], 0), least, most),
                     y = xg_sim_avx2_int(XG_M256_AT((const char *)c[i], 1), least, most),
                     all = _mm256_shuffle_ps(x, y, 0x88); /* 0 1 4 5, 2 3 6 7 */
        const __m128 low = _mm256_castps256_ps128(all), high = _mm256_extractf128_ps(all, 1),
                     first = _mm_unpacklo_ps(low, high), second = _mm_unpackhi_ps(low, high);
        _mm_storeu_ps((float *)(void *)(even + 16 * i), _mm_movelh_ps(first, second));
        _mm_storeu_ps((float *)(void *)(odd + 16 * i), _mm_movehl_ps(second, first));
    }
    _mm256_zeroupper();
}
/* Four sums as f32 with an odd last bit where they are not exact. */
XG_M256_FN __m128i xg_sim_avx2_to_odd(__m256d x) {
    const __m128 f = _mm256_cvtpd_ps(x);
    const __m256d back = _mm256_cvtps_pd(f), zero = _mm256_setzero_pd();
    const __m256d more = _mm256_cmp_pd(x, back, _CMP_GT_OQ), less = _mm256_cmp_pd(x, back, _CMP_LT_OQ),
                  up = _mm256_cmp_pd(x, zero, _CMP_GT_OQ);
    const __m256d away = _mm256_or_pd(_mm256_and_pd(more, up), _mm256_andnot_pd(up, less)),
                  inexact = _mm256_or_pd(more, less);
    const __m128i a = _mm256_castsi256_si128(_mm256_castps_si256(_mm256_castpd_ps(away))); /* low halves, for below */
    const __m128 wide_a = _mm_shuffle_ps(_mm_castsi128_ps(a),
                     _mm256_castps256_ps128(_mm256_castpd_ps(_mm256_permute2f128_pd(away, away, 1))), 0x88),
                 wide_i = _mm_shuffle_ps(_mm256_castps256_ps128(_mm256_castpd_ps(inexact)),
                     _mm256_castps256_ps128(_mm256_castpd_ps(_mm256_permute2f128_pd(inexact, inexact, 1))), 0x88);
    const __m128i u = _mm_castps_si128(f), one = _mm_set1_epi32(1);
    const __m128i step =
        _mm_or_si128(_mm_andnot_si128(_mm_castps_si128(wide_a), _mm_set1_epi32(-1)), one); /* 1 or -1 */
    const __m128i even = _mm_cmpeq_epi32(_mm_and_si128(u, one), _mm_setzero_si128());
    return _mm_add_epi32(u, _mm_and_si128(step, _mm_and_si128(even, _mm_castps_si128(wide_i))));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_half_rows(const double (*c)[8], char *slot) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128i x = xg_sim_avx2_to_odd(_mm256_loadu_pd(c[i])), y = xg_sim_avx2_to_odd(_mm256_loadu_pd(c[i] + 4));
        const __m256 f = _mm256_castsi256_ps(_mm256_set_m128i(y, x));
        const __m128i h = _mm256_cvtps_ph(f, 0), size = _mm_and_si128(h, _mm_set1_epi16(0x7FFF)),
                      nan = _mm_cmpgt_epi16(size, _mm_set1_epi16(0x7C00));
        _mm_storeu_si128((__m128i *)(void *)(slot + 16 * i),
            _mm_or_si128(_mm_andnot_si128(nan, h), _mm_and_si128(nan, _mm_set1_epi16(0x7FFF))));
    }
    _mm256_zeroupper();
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_widen(double *to, const uint32_t *from, uint32_t n, bool s32) {
    uint32_t i;
    for (i = 0; i + 4 <= n; i += 4) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm256_storeu_pd(to + i, s32 ? _mm256_cvtepi32_pd(x) : _mm256_cvtps_pd(_mm_castsi128_ps(x)));
    }
    _mm256_zeroupper();
    xg_sim_base_tile_widen(to + i, from + i, n - i, s32);
}
/* The lowest bits of an integer are those of its sum with 1.5 * 2^52. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_round(uint32_t *to, const double *from, uint32_t n, bool s32) {
    const __m256d much = _mm256_set1_pd(6755399441055744.0);
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    uint32_t i;
    for (i = 0; i + 4 <= n; i += 4) {
        const __m256d x = _mm256_loadu_pd(from + i);
        const __m256i bits = _mm256_castpd_si256(_mm256_add_pd(x, much));
        _mm_storeu_si128(
            (__m128i *)(void *)(to + i), s32 ? _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bits, even))
                                             : _mm_castps_si128(xg_sim_avx2_single(x)));
    }
    _mm256_zeroupper();
    xg_sim_base_tile_round(to + i, from + i, n - i, s32);
}
static const xg_sim_tile_fns xg_sim_tile_fns_avx2 = {xg_sim_avx2_tile_rows, xg_sim_avx2_tile_row_add,
    xg_sim_avx2_tile_turn, xg_sim_avx2_tile_multiply, xg_sim_avx2_tile_pair_rows, xg_sim_avx2_tile_pair_turn,
    xg_sim_avx2_tile_pair_multiply, xg_sim_avx2_tile_c_rows, xg_sim_avx2_tile_d_rows, xg_sim_avx2_tile_half_rows,
    xg_sim_avx2_tile_int_c_rows, xg_sim_avx2_tile_int_d_rows, xg_sim_avx2_tile_widen, xg_sim_avx2_tile_round};
#endif

/* Of the unit that the worker's module was loaded for; a wider unit has no functions of its own: the conversions around
 * the sums take as long as they do. */
XG_FN const xg_sim_tile_fns *xg_sim_tile_fns_of(const xg_sim_worker *w) {
#if XG_SIM_X86
    if (w->m->moves == &xg_sim_moves_avx2) return &xg_sim_tile_fns_avx2;
#else
    (void)w;
#endif
    return &xg_sim_tile_fns_base;
}

#endif /* XG_SIM_TILES_C */
