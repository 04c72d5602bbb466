/* sim/moves.c -- what memory accesses do with whole warps of addresses, words and tags: written for any host, and again
 * for AVX2.
 *
 * A table of functions is chosen with the unit when a module is loaded. Each looks at or moves one warp's worth of
 * something:
 *   beside32/64   do the 32 addresses of a slot stand `step` bytes apart?
 *   inside32/64   are all 32 addresses, once `add` is added, at least `base`, at most `base + limit`, and multiples of
 *                 align + 1? Their distances from base
 *   gather        the 4 bytes at each of 32 distances
 *   one_pass      do 32 words at distances in shared memory lie in different banks, or else at one place of a bank?
 *   shuffle       what shfl does to a whole warp
 *   within, fill  tags (shadow.c): do n words, a multiple of 4, all lie in [least, below)? set n words to one value
 *   rows_within   the same of the four words at each of 32 distances
 *   copy          bytes, a multiple of 32 (what a compiler makes of memcpy for so many can take ten times as long)
 *   split, join   32 pairs of items of `size` bytes to two rows of 32, and back: what .v2 needs, and twice of what .v4
 *                 needs
 *
 * Laws: nothing here is aligned; within looks at words as signed numbers, which tags never use. */
#ifndef XG_SIM_MOVES_C
#define XG_SIM_MOVES_C
#include "lanes.c"

typedef enum xg_sim_shuffleop {
    XG_SIM_SHUFFLE_UP,
    XG_SIM_SHUFFLE_DOWN,
    XG_SIM_SHUFFLE_BFLY,
    XG_SIM_SHUFFLE_IDX
} xg_sim_shuffleop;
typedef struct xg_sim_moves {
    bool (*beside32)(const char *slot, uint32_t step);
    bool (*beside64)(const char *slot, uint64_t step);
    bool (*inside32)(uint32_t *off, const char *slot, uint32_t add, uint32_t limit, uint32_t align);
    bool (*inside64)(uint32_t *off, const char *slot, uint64_t add, uint64_t base, uint64_t limit, uint64_t align);
    void (*gather)(char *to, const char *from, const uint32_t *off);
    bool (*one_pass)(const uint32_t *off);
    void (*shuffle)(char *to, char *ok, const char *a, const char *b, const char *c, xg_sim_shuffleop op);
    bool (*within)(const uint32_t *p, size_t n, uint32_t least, uint32_t below);
    bool (*rows_within)(const uint32_t *p, const uint32_t *off, uint32_t least, uint32_t below);
    void (*fill)(uint32_t *p, size_t n, uint32_t word);
    void (*copy)(char *to, const char *from, size_t bytes);
    void (*split)(char *a, char *b, const char *from, uint32_t size);
    void (*join)(char *to, const char *a, const char *b, uint32_t size);
} xg_sim_moves;

/* Are the lanes' numbers so far apart, each from the one before? Mostly not, and the last one shows it. */
XG_FN bool xg_sim_base_beside32(const char *slot, uint32_t step) {
    uint32_t a[XG_SIM_WARP], bad = 0, i;
    memcpy(&a[0], slot, sizeof *a);
    memcpy(&a[1], slot + sizeof a - sizeof *a, sizeof *a);
    if (a[1] - a[0] != step * (XG_SIM_WARP - 1)) return false;
    memcpy(a, slot, sizeof a);
    for (i = 1; i < XG_SIM_WARP; i++) bad |= (a[i] - a[i - 1]) ^ step;
    return !bad;
}
#if XG_SIM_VECTORS
typedef int32_t xg_sim_word4 __attribute__((vector_size(16), may_alias, aligned(4)));
typedef uint32_t xg_sim_count4 __attribute__((vector_size(16), may_alias, aligned(4)));
typedef uint64_t xg_sim_count2 __attribute__((vector_size(16), may_alias, aligned(4)));
#endif
XG_FN bool xg_sim_base_beside64(const char *slot, uint64_t step) {
    uint64_t first, last;
    uint32_t i;
#if XG_SIM_VECTORS
    const xg_sim_count2 each = {step, step};
    xg_sim_count2 bad = {0, 0};
#else
    uint64_t a[XG_SIM_WARP], bad = 0;
#endif
    memcpy(&first, slot, 8);
    memcpy(&last, slot + 8 * (XG_SIM_WARP - 1), 8);
    if (last - first != step * (XG_SIM_WARP - 1)) return false;
#if XG_SIM_VECTORS
    for (i = 0; i < XG_SIM_WARP - 2; i += 2) { /* the last lane has been looked at */
        const xg_sim_count2 *two = (const xg_sim_count2 *)(const void *)(slot + 8 * (size_t)i);
        bad |= (*(const xg_sim_count2 *)(const void *)(slot + 8 * (size_t)i + 8) - *two) ^ each;
    }
    return !(bad[0] | bad[1]);
#else
    memcpy(a, slot, sizeof a);
    for (i = 1; i < XG_SIM_WARP; i++) bad |= (a[i] - a[i - 1]) ^ step;
    return !bad;
#endif
}
/* A distance below zero or beyond the limit has its sign bit, or that of what is left. */
XG_FN bool xg_sim_base_inside32(uint32_t *off, const char *slot, uint32_t add, uint32_t limit, uint32_t align) {
    uint32_t i;
#if XG_SIM_VECTORS
    const xg_sim_count4 a = {add, add, add, add}, l = {limit, limit, limit, limit};
    xg_sim_count4 bad = {0, 0, 0, 0}, odd = bad;
    for (i = 0; i < XG_SIM_WARP; i += 4) {
        const xg_sim_count4 d = *(const xg_sim_count4 *)(const void *)(slot + (size_t)i * 4) + a;
        bad |= d | (l - d);
        odd |= d;
        *(xg_sim_count4 *)(void *)(off + i) = d;
    }
    return !((bad[0] | bad[1] | bad[2] | bad[3]) >> 31) && !((odd[0] | odd[1] | odd[2] | odd[3]) & align);
#else
    uint32_t a[XG_SIM_WARP], bad = 0, odd = 0;
    memcpy(a, slot, sizeof a);
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint32_t d = a[i] + add;
        bad |= d | (limit - d);
        odd |= d;
        off[i] = d;
    }
    return !(bad >> 31) && !(odd & align);
#endif
}
XG_FN bool xg_sim_base_inside64(
    uint32_t *off, const char *slot, uint64_t add, uint64_t base, uint64_t limit, uint64_t align) {
    uint64_t a[XG_SIM_WARP], bad = 0, odd = 0;
    uint32_t i;
    memcpy(a, slot, sizeof a);
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t d = a[i] + add - base;
        bad |= d | (limit - d);
        odd |= a[i] + add;
        off[i] = (uint32_t)d;
    }
    return !(bad >> 63) && !(odd & align);
}
XG_RACY XG_FN void xg_sim_base_gather(char *to, const char *from, const uint32_t *off) {
    uint32_t i, w, x, y, z;
    for (i = 0; i < XG_SIM_WARP; i += 4, off += 4, to += 16) {
        memcpy(&w, from + off[0], 4);
        memcpy(&x, from + off[1], 4);
        memcpy(&y, from + off[2], 4);
        memcpy(&z, from + off[3], 4);
        memcpy(to, &w, 4);
        memcpy(to + 4, &x, 4);
        memcpy(to + 8, &y, 4);
        memcpy(to + 12, &z, 4);
    }
}
/* Are all in one row of the banks, 128 bytes that begin with bank 0? Then words in one bank are one word. */
XG_FN bool xg_sim_in_bank_row(const uint32_t *off) {
    uint32_t i;
#if XG_SIM_VECTORS
    const xg_sim_count4 first = {off[0], off[0], off[0], off[0]};
    xg_sim_count4 bad = {0, 0, 0, 0};
    if ((off[0] ^ off[XG_SIM_WARP - 1]) >> 7) return false;
    for (i = 0; i < XG_SIM_WARP; i += 4) bad |= *(const xg_sim_count4 *)(const void *)(off + i) ^ first;
    return !((bad[0] | bad[1] | bad[2] | bad[3]) >> 7);
#else
    uint32_t bad = 0;
    for (i = 1; i < XG_SIM_WARP; i++) bad |= off[i] ^ off[0];
    return !(bad >> 7);
#endif
}
/* each leaves its mark in its bank; does each find its own? */
XG_FN bool xg_sim_base_one_pass(const uint32_t *off) {
    uint32_t i, last[32], bad = 0;
    if (xg_sim_in_bank_row(off)) return true;
    for (i = 0; i < XG_SIM_WARP; i++) last[off[i] >> 2 & 31] = off[i] >> 2;
    for (i = 0; i < XG_SIM_WARP; i++) bad |= last[off[i] >> 2 & 31] ^ off[i] >> 2;
    return !bad;
}
/* The lane that lane i reads, and whether that is another than itself by right. */
XG_FN uint32_t xg_sim_shuffle_from(xg_sim_shuffleop op, uint32_t i, uint32_t b, uint32_t c, uint32_t *ok) {
    uint32_t seg = c >> 8 & 31, top = (i & seg) | (c & 31 & ~seg), j;
    b &= 31;
    j = op == XG_SIM_SHUFFLE_UP     ? i - b
        : op == XG_SIM_SHUFFLE_DOWN ? i + b
        : op == XG_SIM_SHUFFLE_BFLY ? i ^ b
                                    : (i & seg) | (b & ~seg);
    *ok = op == XG_SIM_SHUFFLE_UP ? (int32_t)j >= (int32_t)top : j <= top;
    return *ok ? j : i;
}
/* Reductions exchange over the whole warp, all lanes by the same distance: that is a loop without a question. */
XG_FN void xg_sim_base_shuffle(char *to, char *good, const char *a, const char *b, const char *c, xg_sim_shuffleop op) {
    uint32_t out[XG_SIM_WARP], ok[XG_SIM_WARP], i, x, y;
    memcpy(&x, b, 4);
    memcpy(&y, c, 4);
    if (op == XG_SIM_SHUFFLE_BFLY && y == 31 && !memcmp(b, b + 4, 124) && !memcmp(c, c + 4, 124)) {
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(&out[i], a + 4 * (i ^ (x & 31)), 4);
        memcpy(to, out, sizeof out);
        if (good) memset(good, 0xFF, sizeof ok);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        memcpy(&x, b + i * 4, 4);
        memcpy(&y, c + i * 4, 4);
        memcpy(&out[i], a + 4 * xg_sim_shuffle_from(op, i, x, y, &ok[i]), 4);
        ok[i] = 0 - ok[i];
    }
    memcpy(to, out, sizeof out);
    if (good) memcpy(good, ok, sizeof ok);
}
#if XG_SIM_VECTORS
XG_RACY XG_FN bool xg_sim_base_within(const uint32_t *p, size_t n, uint32_t least, uint32_t below) {
    const int32_t lo = (int32_t)least, hi = (int32_t)below;
    const xg_sim_word4 l = {lo, lo, lo, lo}, h = {hi, hi, hi, hi};
    xg_sim_word4 bad = {0, 0, 0, 0};
    size_t i;
    for (i = 0; i < n; i += 4) {
        const xg_sim_word4 v = *(const xg_sim_word4 *)(const void *)(p + i);
        bad |= (v < l) | (v >= h);
    }
    return !(bad[0] | bad[1] | bad[2] | bad[3]);
}
XG_RACY XG_FN void xg_sim_base_fill(uint32_t *p, size_t n, uint32_t word) {
    const int32_t t = (int32_t)word;
    const xg_sim_word4 v = {t, t, t, t};
    size_t i;
    for (i = 0; i < n; i += 4) *(xg_sim_word4 *)(void *)(p + i) = v;
}
#else
XG_RACY XG_FN bool xg_sim_base_within(const uint32_t *p, size_t n, uint32_t least, uint32_t below) {
    size_t i;
    for (i = 0; i < n; i++)
        if (p[i] < least || p[i] >= below) return false;
    return true;
}
XG_RACY XG_FN void xg_sim_base_fill(uint32_t *p, size_t n, uint32_t word) {
    size_t i;
    for (i = 0; i < n; i++) p[i] = word;
}
#endif
XG_RACY XG_FN bool xg_sim_base_rows_within(const uint32_t *p, const uint32_t *off, uint32_t least, uint32_t below) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (!xg_sim_base_within(p + off[i] / 4, 4, least, below)) return false;
    return true;
}
XG_FN void xg_sim_base_copy(char *to, const char *from, size_t bytes) {
    uint64_t x[4];
    for (; bytes; bytes -= 32, to += 32, from += 32) {
        memcpy(x, from, 32);
        memcpy(to, x, 32);
    }
}
#define XG_SIM_SPLIT(n) \
    for (i = 0; i < XG_SIM_WARP; i++) { \
        memcpy(a + i * n, from + i * 2 * n, n); \
        memcpy(b + i * n, from + i * 2 * n + n, n); \
    } \
    break
#define XG_SIM_JOIN(n) \
    for (i = 0; i < XG_SIM_WARP; i++) { \
        memcpy(to + i * 2 * n, a + i * n, n); \
        memcpy(to + i * 2 * n + n, b + i * n, n); \
    } \
    break
XG_FN void xg_sim_base_split(char *a, char *b, const char *from, uint32_t size) {
    size_t i;
    switch (size) {
    case 1: XG_SIM_SPLIT(1);
    case 2: XG_SIM_SPLIT(2);
    case 4: XG_SIM_SPLIT(4);
    case 8: XG_SIM_SPLIT(8);
    default: XG_SIM_SPLIT(16);
    }
}
XG_FN void xg_sim_base_join(char *to, const char *a, const char *b, uint32_t size) {
    size_t i;
    switch (size) {
    case 1: XG_SIM_JOIN(1);
    case 2: XG_SIM_JOIN(2);
    case 4: XG_SIM_JOIN(4);
    case 8: XG_SIM_JOIN(8);
    default: XG_SIM_JOIN(16);
    }
}
static const xg_sim_moves xg_sim_moves_base = {xg_sim_base_beside32, xg_sim_base_beside64, xg_sim_base_inside32,
    xg_sim_base_inside64, xg_sim_base_gather, xg_sim_base_one_pass, xg_sim_base_shuffle, xg_sim_base_within,
    xg_sim_base_rows_within, xg_sim_base_fill, xg_sim_base_copy, xg_sim_base_split, xg_sim_base_join};

#if XG_SIM_X86
#ifdef __SANITIZE_THREAD__
#define XG_M256_FN XG_RACY static __attribute__((unused, target(XG_SIM_AVX2_TARGET)))
#elif defined(__OPTIMIZE_SIZE__) /* inlined where that makes code smaller */
#define XG_M256_FN static inline __attribute__((unused, target(XG_SIM_AVX2_TARGET)))
#else
#define XG_M256_FN static inline __attribute__((XG_ALWAYS_INLINE, unused, target(XG_SIM_AVX2_TARGET)))
#endif
/* What many places have: a build for size has it once. */
#ifdef __OPTIMIZE_SIZE__
#define XG_M256_ONE XG_RACY static __attribute__((unused, noinline, target(XG_SIM_AVX2_TARGET)))
#else
#define XG_M256_ONE XG_M256_FN
#endif
#define XG_M256_AT(p, i) _mm256_loadu_si256((const __m256i *)(const void *)((p) + (size_t)(i)*32))
#define XG_M256_PUT(p, i, v) _mm256_storeu_si256((__m256i *)(void *)((p) + (size_t)(i)*32), v)
#define XG_M256_NONE(v) (_mm256_testz_si256(v, v) != 0)
/* Row i is row 0 plus i times what eight or four lanes span. */
XG_M256_FN bool xg_sim_avx2_beside32(const char *slot, uint32_t step) {
    uint32_t first, last;
    __m256i want, more = _mm256_set1_epi32((int)(step * 8)), bad = _mm256_setzero_si256();
    int i;
    memcpy(&first, slot, 4);
    memcpy(&last, slot + 4 * (XG_SIM_WARP - 1), 4);
    if (last - first != 31 * step) return false;
    want = _mm256_add_epi32(_mm256_set1_epi32((int)first),
        _mm256_mullo_epi32(_mm256_set1_epi32((int)step), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    XG_UNROLL(8) for (i = 0; i < 4; i++) {
        bad = _mm256_or_si256(bad, _mm256_xor_si256(want, XG_M256_AT(slot, i)));
        want = _mm256_add_epi32(want, more);
    }
    return XG_M256_NONE(bad);
}
XG_M256_FN bool xg_sim_avx2_beside64(const char *slot, uint64_t step) {
    uint64_t first, last;
    __m256i want, more = _mm256_set1_epi64x((long long)(step * 4)), bad = _mm256_setzero_si256();
    int i;
    memcpy(&first, slot, 8);
    memcpy(&last, slot + 8 * (XG_SIM_WARP - 1), 8);
    if (last - first != 31 * step) return false;
    want = _mm256_add_epi64(_mm256_set1_epi64x((long long)first),
        _mm256_mul_epu32(_mm256_set1_epi64x((long long)step), _mm256_setr_epi64x(0, 1, 2, 3)));
    XG_UNROLL(8) for (i = 0; i < 8; i++) {
        bad = _mm256_or_si256(bad, _mm256_xor_si256(want, XG_M256_AT(slot, i)));
        want = _mm256_add_epi64(want, more);
    }
    return XG_M256_NONE(bad);
}
/* Do both halves of the warp? */
XG_M256_FN bool xg_sim_avx2_beside64_halves(const char *slot, uint64_t step) {
    const __m256i steps = _mm256_mul_epu32(_mm256_set1_epi64x((long long)step), _mm256_setr_epi64x(0, 1, 2, 3)),
                  more = _mm256_set1_epi64x((long long)(step * 4));
    __m256i low =
                _mm256_add_epi64(steps, _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)slot))),
            high = _mm256_add_epi64(
                steps, _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(slot + 128))));
    __m256i bad = _mm256_setzero_si256();
    int i;
    XG_UNROLL(4) for (i = 0; i < 4; i++) {
        bad = _mm256_or_si256(bad, _mm256_or_si256(_mm256_xor_si256(low, XG_M256_AT(slot, i)),
                                       _mm256_xor_si256(high, XG_M256_AT(slot, i + 4))));
        low = _mm256_add_epi64(low, more);
        high = _mm256_add_epi64(high, more);
    }
    return XG_M256_NONE(bad);
}
XG_M256_FN bool xg_sim_avx2_inside32(uint32_t *off, const char *slot, uint32_t add, uint32_t limit, uint32_t align) {
    __m256i a = _mm256_set1_epi32((int)add), l = _mm256_set1_epi32((int)limit), bad = _mm256_setzero_si256(), odd = bad;
    int i;
    XG_UNROLL(8) for (i = 0; i < 4; i++) {
        __m256i d = _mm256_add_epi32(XG_M256_AT(slot, i), a);
        bad = _mm256_or_si256(bad, _mm256_or_si256(d, _mm256_sub_epi32(l, d)));
        odd = _mm256_or_si256(odd, d);
        XG_M256_PUT((char *)off, i, d);
    }
    return !_mm256_movemask_ps(_mm256_castsi256_ps(bad)) &&
           XG_M256_NONE(_mm256_and_si256(odd, _mm256_set1_epi32((int)align)));
}
XG_M256_FN bool xg_sim_avx2_inside64(
    uint32_t *off, const char *slot, uint64_t add, uint64_t base, uint64_t limit, uint64_t align) {
    __m256i a = _mm256_set1_epi64x((long long)(add - base)), l = _mm256_set1_epi64x((long long)limit),
            bad = _mm256_setzero_si256(), odd = bad;
    int i;
    XG_UNROLL(8) for (i = 0; i < 4; i++) {
        __m256i x = _mm256_add_epi64(XG_M256_AT(slot, 2 * i), a), y = _mm256_add_epi64(XG_M256_AT(slot, 2 * i + 1), a);
        bad = _mm256_or_si256(bad,
            _mm256_or_si256(_mm256_or_si256(x, _mm256_sub_epi64(l, x)), _mm256_or_si256(y, _mm256_sub_epi64(l, y))));
        x = _mm256_permute4x64_epi64(
            _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), 0x88)), 0xD8);
        odd = _mm256_or_si256(odd, _mm256_add_epi32(x, _mm256_set1_epi32((int)(uint32_t)base)));
        XG_M256_PUT((char *)off, i, x);
    }
    return !_mm256_movemask_pd(_mm256_castsi256_pd(bad)) &&
           XG_M256_NONE(_mm256_and_si256(odd, _mm256_set1_epi32((int)align)));
}
XG_M256_FN int xg_sim_avx2_word(const char *at) {
    int x;
    memcpy(&x, at, 4);
    return x;
}
/* Word by word, which is faster than the gather instruction of many processors. */
XG_M256_ONE void xg_sim_avx2_gather(char *to, const char *from, const uint32_t *off) {
    int i;
#define X(k) xg_sim_avx2_word(from + off[k])
    XG_UNROLL(8)
    for (i = 0; i < 4; i++, off += 8)
        XG_M256_PUT(to, i, _mm256_setr_epi32(X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)));
#undef X
}
/* The same of words `step` bytes apart. */
XG_M256_FN void xg_sim_avx2_gather_steps(char *to, const char *from, size_t step) {
    int i;
#define X(k) xg_sim_avx2_word(from + k * step)
    XG_UNROLL(8)
    for (i = 0; i < 4; i++, from += 8 * step)
        XG_M256_PUT(to, i, _mm256_setr_epi32(X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)));
#undef X
}
/* The banks that words lie in, as bits, counted from that of the word at base. */
XG_M256_FN uint32_t xg_sim_avx2_banks(const uint32_t *off, uint32_t base) {
    __m256i seen = _mm256_setzero_si256();
    __m128i s;
    int i;
    XG_UNROLL(8)
    for (i = 0; i < 4; i++)
        seen = _mm256_or_si256(
            seen, _mm256_sllv_epi32(_mm256_set1_epi32(1),
                      _mm256_and_si256(
                          _mm256_srli_epi32(
                              _mm256_sub_epi32(XG_M256_AT((const char *)off, i), _mm256_set1_epi32((int)base)), 2),
                          _mm256_set1_epi32(31))));
    s = _mm_or_si128(_mm256_castsi256_si128(seen), _mm256_extracti128_si256(seen, 1));
    s = _mm_or_si128(s, _mm_srli_si128(s, 8));
    return (uint32_t)(_mm_cvtsi128_si32(s) | _mm_extract_epi32(s, 1));
}
XG_M256_FN bool xg_sim_avx2_all_banks(const uint32_t *off) { return xg_sim_avx2_banks(off, 0) == 0xFFFFFFFFu; }
/* The smallest distance; true when all are within 32 words that stand side by side, and so are in different banks,
 * however many lanes go to each. */
XG_M256_FN bool xg_sim_avx2_in_a_row(const uint32_t *off, uint32_t *least, uint32_t *words) {
    __m256i low = XG_M256_AT((const char *)off, 0), high = low;
    int i;
    XG_UNROLL(8) for (i = 1; i < 4; i++) {
        const __m256i o = XG_M256_AT((const char *)off, i);
        low = _mm256_min_epu32(low, o);
        high = _mm256_max_epu32(high, o);
    }
    low = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
    high = _mm256_max_epu32(high, _mm256_permute2x128_si256(high, high, 1));
    low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4E));
    high = _mm256_max_epu32(high, _mm256_shuffle_epi32(high, 0x4E));
    low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xB1));
    high = _mm256_max_epu32(high, _mm256_shuffle_epi32(high, 0xB1));
    *least = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(low));
    *words = ((uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(high)) >> 2) - (*least >> 2) + 1;
    return *words <= 32;
}
XG_M256_FN bool xg_sim_avx2_one_pass(const uint32_t *off) {
    uint32_t least, words, i, last[32], bank[XG_SIM_WARP], found[XG_SIM_WARP];
    __m256i bad = _mm256_setzero_si256();
    if (xg_sim_avx2_all_banks(off) || xg_sim_avx2_in_a_row(off, &least, &words)) return true;
    for (i = 0; i < 4; i++)
        XG_M256_PUT((char *)bank, i, _mm256_and_si256(XG_M256_AT((const char *)off, i), _mm256_set1_epi32(124)));
    XG_UNROLL(8) for (i = 0; i < XG_SIM_WARP; i++) memcpy((char *)last + bank[i], &off[i], 4);
    xg_sim_avx2_gather((char *)found, (const char *)last, bank);
    for (i = 0; i < 4; i++)
        bad = _mm256_or_si256(
            bad, _mm256_srli_epi32(
                     _mm256_xor_si256(XG_M256_AT((const char *)off, i), XG_M256_AT((const char *)found, i)), 2));
    return XG_M256_NONE(bad);
}
/* Of the 32 words of a slot, those that eight lanes name. */
XG_M256_FN __m256i xg_sim_avx2_pick(const char *slot, __m256i lane) {
    const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(lane, 28)),
                 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(lane, 27));
    __m256 row[4];
    int i;
    XG_UNROLL(8)
    for (i = 0; i < 4; i++) row[i] = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(XG_M256_AT(slot, i), lane));
    return _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_blendv_ps(row[0], row[1], bit3), _mm256_blendv_ps(row[2], row[3], bit3), bit4));
}
/* The words at distances that are less than 128 bytes behind `base`. */
XG_M256_FN void xg_sim_avx2_gather_near(char *to, const char *from, const uint32_t *off, uint32_t base) {
    int i;
    XG_UNROLL(8)
    for (i = 0; i < 4; i++)
        XG_M256_PUT(to, i,
            xg_sim_avx2_pick(
                from + base, _mm256_srli_epi32(
                                 _mm256_sub_epi32(XG_M256_AT((const char *)off, i), _mm256_set1_epi32((int)base)), 2)));
}
XG_M256_FN void xg_sim_avx2_shuffle(
    char *to, char *good, const char *a, const char *b, const char *c, xg_sim_shuffleop op) {
    const __m256i low5 = _mm256_set1_epi32(31), none = _mm256_setzero_si256();
    __m256i out[4], ok[4];
    int k;
    for (k = 0; k < 4; k++) {
        const __m256i lane = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(k * 8)),
                      x = _mm256_and_si256(XG_M256_AT(b, k), low5), y = XG_M256_AT(c, k);
        const __m256i seg = _mm256_and_si256(_mm256_srli_epi32(y, 8), low5), kept = _mm256_and_si256(lane, seg),
                      top = _mm256_or_si256(kept, _mm256_andnot_si256(seg, _mm256_and_si256(y, low5)));
        const __m256i j = op == XG_SIM_SHUFFLE_UP     ? _mm256_sub_epi32(lane, x)
                          : op == XG_SIM_SHUFFLE_DOWN ? _mm256_add_epi32(lane, x)
                          : op == XG_SIM_SHUFFLE_BFLY ? _mm256_xor_si256(lane, x)
                                                      : _mm256_or_si256(kept, _mm256_andnot_si256(seg, x));
        const __m256i not_ok = op == XG_SIM_SHUFFLE_UP ? _mm256_cmpgt_epi32(top, j) : _mm256_cmpgt_epi32(j, top);
        ok[k] = _mm256_cmpeq_epi32(not_ok, none);
        out[k] = xg_sim_avx2_pick(a, _mm256_blendv_epi8(j, lane, not_ok));
    }
    for (k = 0; k < 4; k++) {
        XG_M256_PUT(to, k, out[k]);
        if (good) XG_M256_PUT(good, k, ok[k]);
    }
}
XG_M256_FN bool xg_sim_avx2_within(const uint32_t *words, size_t n, uint32_t least, uint32_t below) {
    const char *p = (const char *)words;
    __m256i low, high;
    __m128i l = _mm_set1_epi32((int)least), h = _mm_set1_epi32((int)(below - 1));
    size_t i;
    low = _mm256_set1_epi32((int)least);
    high = low;
    XG_UNROLL(4) for (i = 0; i < n / 8; i++) {
        const __m256i v = XG_M256_AT(p, i);
        low = _mm256_min_epu32(low, v);
        high = _mm256_max_epu32(high, v);
    }
    if (n & 4) {
        const __m256i v = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(words + n - 4)));
        low = _mm256_min_epu32(low, v);
        high = _mm256_max_epu32(high, v);
    }
    l = _mm_xor_si128(l, _mm_min_epu32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
    h = _mm_xor_si128(
        h, _mm_max_epu32(h, _mm_max_epu32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1))));
    l = _mm_or_si128(l, h);
    return _mm_testz_si128(l, l) != 0;
}
XG_M256_FN bool xg_sim_avx2_rows_within(const uint32_t *p, const uint32_t *off, uint32_t least, uint32_t below) {
    __m128i low = _mm_set1_epi32((int)least), high = low;
    const __m128i l = low, h = _mm_set1_epi32((int)(below - 1));
    uint32_t i;
    XG_UNROLL(8) for (i = 0; i < XG_SIM_WARP; i++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + off[i] / 4));
        low = _mm_min_epu32(low, x);
        high = _mm_max_epu32(high, x);
    }
    low = _mm_or_si128(_mm_xor_si128(low, l), _mm_xor_si128(_mm_max_epu32(high, h), h));
    return _mm_testz_si128(low, low) != 0;
}
XG_M256_FN void xg_sim_avx2_fill(uint32_t *words, size_t n, uint32_t word) {
    char *p = (char *)words;
    const __m256i v = _mm256_set1_epi32((int)word);
    size_t i;
    XG_UNROLL(4) for (i = 0; i < n / 8; i++) XG_M256_PUT(p, i, v);
    if (n & 4) _mm_storeu_si128((__m128i *)(void *)(words + n - 4), _mm256_castsi256_si128(v));
}
/* 32 times the same 4 or 8 bytes. */
XG_M256_FN void xg_sim_avx2_spread(char *to, const char *from, uint32_t size) {
    uint64_t x = 0;
    uint32_t i;
    __m256i v;
    memcpy(&x, from, size);
    v = size == 4 ? _mm256_set1_epi32((int)(uint32_t)x) : _mm256_set1_epi64x((long long)x);
    XG_UNROLL(4) for (i = 0; i < size; i++) XG_M256_PUT(to, i, v);
}
XG_M256_FN void xg_sim_avx2_copy(char *to, const char *from, size_t bytes) {
    size_t i;
    XG_UNROLL(4) for (i = 0; i < bytes / 32; i++) XG_M256_PUT(to, i, XG_M256_AT(from, i));
}
/* Two rows of pairs to a row of firsts and a row of seconds; within 128 bits first, then across. */
XG_M256_ONE void xg_sim_avx2_split(char *a, char *b, const char *from, uint32_t size) {
    const __m256i bytes = _mm256_setr_epi8(
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m256i halves = _mm256_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    uint32_t i;
    for (i = 0; i < size; i++) {
        __m256i x = XG_M256_AT(from, 2 * i), y = XG_M256_AT(from, 2 * i + 1), lo, hi;
        if (size == 16) {
            XG_M256_PUT(a, i, _mm256_permute2x128_si256(x, y, 0x20));
            XG_M256_PUT(b, i, _mm256_permute2x128_si256(x, y, 0x31));
            continue;
        }
        if (size <= 2) {
            x = _mm256_shuffle_epi8(x, size == 1 ? bytes : halves);
            y = _mm256_shuffle_epi8(y, size == 1 ? bytes : halves);
        }
        if (size == 4) {
            lo = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), 0x88));
            hi = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), 0xDD));
        } else {
            lo = _mm256_unpacklo_epi64(x, y);
            hi = _mm256_unpackhi_epi64(x, y);
        }
        XG_M256_PUT(a, i, _mm256_permute4x64_epi64(lo, 0xD8));
        XG_M256_PUT(b, i, _mm256_permute4x64_epi64(hi, 0xD8));
    }
}
XG_M256_ONE void xg_sim_avx2_join(char *to, const char *a, const char *b, uint32_t size) {
    uint32_t i;
    for (i = 0; i < size; i++) {
        const __m256i x = XG_M256_AT(a, i), y = XG_M256_AT(b, i);
        __m256i lo, hi;
        switch (size) {
        case 1:
            lo = _mm256_unpacklo_epi8(x, y);
            hi = _mm256_unpackhi_epi8(x, y);
            break;
        case 2:
            lo = _mm256_unpacklo_epi16(x, y);
            hi = _mm256_unpackhi_epi16(x, y);
            break;
        case 4:
            lo = _mm256_unpacklo_epi32(x, y);
            hi = _mm256_unpackhi_epi32(x, y);
            break;
        case 8:
            lo = _mm256_unpacklo_epi64(x, y);
            hi = _mm256_unpackhi_epi64(x, y);
            break;
        default:
            lo = _mm256_permute2x128_si256(x, y, 0x20);
            hi = _mm256_permute2x128_si256(x, y, 0x31);
            XG_M256_PUT(to, 2 * i, lo);
            XG_M256_PUT(to, 2 * i + 1, hi);
            continue;
        }
        XG_M256_PUT(to, 2 * i, _mm256_permute2x128_si256(lo, hi, 0x20));
        XG_M256_PUT(to, 2 * i + 1, _mm256_permute2x128_si256(lo, hi, 0x31));
    }
}
static const xg_sim_moves xg_sim_moves_avx2 = {xg_sim_avx2_beside32, xg_sim_avx2_beside64, xg_sim_avx2_inside32,
    xg_sim_avx2_inside64, xg_sim_avx2_gather, xg_sim_avx2_one_pass, xg_sim_avx2_shuffle, xg_sim_avx2_within,
    xg_sim_avx2_rows_within, xg_sim_avx2_fill, xg_sim_avx2_copy, xg_sim_avx2_split, xg_sim_avx2_join};
#endif

XG_FN const xg_sim_moves *xg_sim_moves_of(xg_sim_unit unit) {
#if XG_SIM_X86
    if (unit != XG_SIM_UNIT_BASE) return &xg_sim_moves_avx2;
#endif
    (void)unit;
    return &xg_sim_moves_base;
}

#undef XG_SIM_SPLIT
#undef XG_SIM_JOIN
#endif /* XG_SIM_MOVES_C */
