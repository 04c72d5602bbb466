/* sim/video.c -- the video instructions: parts of registers as small integers, saturated, then merged or combined with
 * a third operand.
 *
 * One function for those on one part, one for those on two or four. What to do stands in two words: imm (operation,
 * types, flags) and imm2 (selections), which decode_video.c fills. */
#ifndef XG_SIM_VIDEO_C
#define XG_SIM_VIDEO_C
#include "math.c"

typedef enum xg_sim_videoop {
    XG_SIM_V_ADD,
    XG_SIM_V_SUB,
    XG_SIM_V_ABSDIFF,
    XG_SIM_V_MIN,
    XG_SIM_V_MAX,
    XG_SIM_V_AVRG,
    XG_SIM_V_SET,
    XG_SIM_V_SHL,
    XG_SIM_V_SHR,
    XG_SIM_V_MAD
} xg_sim_videoop;
/* imm: operation in 4 bits, comparison in 3, then flags. SECOND: two bits, 1 add, 2 min, 3 max, to the third operand.
 * SCALE: two bits, 1 shr7, 2 shr15. */
enum {
    XG_SIM_V_COMPARE = 4,
    XG_SIM_V_DSIGNED = 1 << 7,
    XG_SIM_V_ASIGNED = 1 << 8,
    XG_SIM_V_BSIGNED = 1 << 9,
    XG_SIM_V_SAT = 1 << 10,
    XG_SIM_V_SECOND = 11,
    XG_SIM_V_WRAP = 1 << 13,
    XG_SIM_V_SCALE = 14,
    XG_SIM_V_PLUS_ONE = 1 << 16,
    XG_SIM_V_NEG_PRODUCT = 1 << 17,
    XG_SIM_V_NEG_C = 1 << 18,
    XG_SIM_V_FOUR = 1 << 19
};
/* imm2 of one part: what of d (bits 0-3), a (4-7), b (8-11): 0 all, 1-4 a byte, 5-6 a half. Of several: the lanes of d
 * (0-3), then 4 selectors of 3 bits of a (4-15), of b (16-27). */

XG_FN int64_t xg_sim_video_part(uint32_t x, uint32_t select, bool sgn) {
    if (select == 0) return sgn ? (int64_t)(int32_t)x : (int64_t)x;
    if (select <= 4) {
        x = x >> (8 * (select - 1)) & 255;
        return sgn ? (int64_t)(int8_t)x : (int64_t)x;
    }
    x = x >> (16 * (select - 5)) & 0xFFFF;
    return sgn ? (int64_t)(int16_t)x : (int64_t)x;
}
XG_FN bool xg_sim_video_compare(int64_t a, int64_t b, uint32_t op) {
    switch (op) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
    }
}
XG_ONE_COPY XG_FN int64_t xg_sim_video_clamp(int64_t x, uint32_t bits, bool sgn) {
    int64_t low = sgn ? -((int64_t)1 << (bits - 1)) : 0, high = ((int64_t)1 << (sgn ? bits - 1 : bits)) - 1;
    return x < low ? low : x > high ? high : x;
}
XG_FN int64_t xg_sim_video_op(int64_t a, int64_t b, uint32_t imm) {
    switch (imm & 15) {
    case XG_SIM_V_ADD: return a + b;
    case XG_SIM_V_SUB: return a - b;
    case XG_SIM_V_ABSDIFF: return a > b ? a - b : b - a;
    case XG_SIM_V_MIN: return XG_MIN(a, b);
    case XG_SIM_V_MAX: return XG_MAX(a, b);
    case XG_SIM_V_AVRG:
        a += b;
        a += a >= 0;
        return a >= 0 ? a / 2 : (a - 1) / 2; /* rounds away from zero */
    case XG_SIM_V_SET: return xg_sim_video_compare(a, b, imm >> XG_SIM_V_COMPARE & 7);
    default: break;
    }
    b = imm & XG_SIM_V_WRAP ? b & 31 : XG_MIN(b & 0xFFFFFFFF, 32);
    if ((imm & 15) == XG_SIM_V_SHL)
        return b == 32 ? (a > 0      ? INT64_MAX - 0xFFFFFFFF
                             : a < 0 ? INT64_MIN
                                     : 0)
                       : a * ((int64_t)1 << b); /* low bits zero, and far out of range */
    return a >= 0 ? a >> b : -((-a - 1) >> b) - 1;
}
XG_FN uint32_t xg_sim_video_mad(int64_t a, int64_t b, uint32_t c, uint32_t imm) {
    bool sgn = imm & (XG_SIM_V_ASIGNED | XG_SIM_V_BSIGNED | XG_SIM_V_NEG_PRODUCT | XG_SIM_V_NEG_C) ? true : false;
    uint32_t scale = (imm >> XG_SIM_V_SCALE & 3) == 1 ? 7 : (imm >> XG_SIM_V_SCALE & 3) == 2 ? 15 : 0;
    if (sgn) {
        int64_t x = a * b, k = (int64_t)(int32_t)c;
        if (imm & XG_SIM_V_NEG_PRODUCT) x = -x;
        x += imm & XG_SIM_V_NEG_C ? -k : k;
        x += imm & XG_SIM_V_PLUS_ONE ? 1 : 0;
        x = x >= 0 ? x >> scale : -((-x - 1) >> scale) - 1;
        return (uint32_t)(uint64_t)(imm & XG_SIM_V_SAT ? xg_sim_video_clamp(x, 32, true) : x);
    } else {
        uint64_t x = ((uint64_t)a * (uint64_t)b + c + (imm & XG_SIM_V_PLUS_ONE ? 1u : 0u)) >> scale;
        return imm & XG_SIM_V_SAT && x > 0xFFFFFFFFu ? 0xFFFFFFFFu : (uint32_t)x;
    }
}
/* One part. */
XG_APART XG_FN uint32_t xg_sim_video(uint32_t a, uint32_t b, uint32_t c, uint32_t imm, uint32_t select) {
    uint32_t d = select & 15,
             bits = d == 0   ? 32
                    : d <= 4 ? 8
                             : 16,
             shift = d == 0   ? 0
                     : d <= 4 ? 8 * (d - 1)
                              : 16 * (d - 5),
             mask = bits == 32 ? 0xFFFFFFFFu : ((1u << bits) - 1) << shift, r;
    bool sgn = (imm & XG_SIM_V_DSIGNED) != 0;
    int64_t x = xg_sim_video_part(a, select >> 4 & 15, (imm & XG_SIM_V_ASIGNED) != 0),
            y = xg_sim_video_part(b, select >> 8 & 15, (imm & XG_SIM_V_BSIGNED) != 0);
    if ((imm & 15) == XG_SIM_V_MAD) return xg_sim_video_mad(x, y, c, imm);
    x = xg_sim_video_op(x, y, imm);
    if (imm & XG_SIM_V_SAT) x = xg_sim_video_clamp(x, bits, sgn);
    r = (uint32_t)(uint64_t)x;
    switch (imm >> XG_SIM_V_SECOND & 3) {
    case 1: return r + c;
    case 2: return sgn ? (uint32_t)XG_MIN((int32_t)r, (int32_t)c) : XG_MIN(r, c);
    case 3: return sgn ? (uint32_t)XG_MAX((int32_t)r, (int32_t)c) : XG_MAX(r, c);
    default: return d ? (r << shift & mask) | (c & ~mask) : r;
    }
}
/* Two halves or four bytes. */
XG_FN uint32_t xg_sim_videos(uint32_t a, uint32_t b, uint32_t c, uint32_t imm, uint32_t select) {
    uint32_t n = imm & XG_SIM_V_FOUR ? 4 : 2, bits = 32 / n, i, d = c, sum = c;
    uint64_t both = (uint64_t)b << 32 | a;
    for (i = 0; i < n; i++) {
        uint32_t from = n == 4 ? 1 : 5, pa = select >> (4 + 3 * i) & 7, pb = select >> (16 + 3 * i) & 7,
                 mask = ((1u << bits) - 1) << (bits * i);
        int64_t x = xg_sim_video_part((uint32_t)(both >> (bits * pa)), from, (imm & XG_SIM_V_ASIGNED) != 0),
                y = xg_sim_video_part((uint32_t)(both >> (bits * pb)), from, (imm & XG_SIM_V_BSIGNED) != 0);
        if (!(select >> i & 1)) continue;
        x = xg_sim_video_op(x, y, imm);
        if (imm & XG_SIM_V_SAT) x = xg_sim_video_clamp(x, bits, (imm & XG_SIM_V_DSIGNED) != 0);
        sum += (uint32_t)(uint64_t)x;
        d = ((uint32_t)(uint64_t)x << (bits * i) & mask) | (d & ~mask);
    }
    return (imm >> XG_SIM_V_SECOND & 3) == 1 ? sum : d;
}

#endif /* XG_SIM_VIDEO_C */
