/* sched/intrinsics.h -- THE table of what tensorize knows: machine operations on tiles, each with the nest that is its
 * meaning.
 *
 * X(NAME, TEXT, WORDS)    TEXT: a nest of one block in loops over the tile, in which $0 is the first word of WORDS, $1
 * the second and so on; its arrays stand for tiles of any array whose other indices stand still. A block that does the
 * same may be marked as this operation. */
#ifndef XG_SCHED_INTRINSICS_H
#define XG_SCHED_INTRINSICS_H

/* A tile of sums: C[m, n] += A[m, k] * B[n, k], each product of values widened to the type of the sum; words: m, n, k,
 * the type of values, that of sums. */
#define XG_MMA_NEST(sum) \
    "nest mma(A: $3[$0,$2], B: $3[$1,$2]) -> (C: " sum "[$0,$1]) {\n" \
    " for i in $0 { for j in $1 { for k in $2 { block C(S vi: $0 = i, S vj: $1 = j, R vk: $2 = k) {\n" \
    "  a = A[vi, vk] b = B[vj, vk] "
#define XG_MMA_TEXT \
    XG_MMA_NEST("$4") \
    "x = $4[] convert(a) y = $4[] convert(b) m = multiply(x, y)\n" \
    "  C[vi, vj] add= m } } } } }\n"
#define XG_MMA_PLAIN_TEXT \
    XG_MMA_NEST("$3") \
    "m = multiply(a, b)\n" \
    "  C[vi, vj] add= m } } } } }\n"
/* Words here: rows, columns, the type. */
#define XG_FILL_TEXT \
    "nest fill(Z: $2[1]) -> (C: $2[$0,$1]) {\n" \
    " for i in $0 { for j in $1 { block C(S vi: $0 = i, S vj: $1 = j) { z = $2[] constant(0)\n" \
    "  C[vi, vj] = z } } } }\n"
/* Rows of a tile as they lie; or its columns as rows. */
#define XG_COPY_NEST(a, at) \
    "nest copy(A: $2[" a "]) -> (B: $2[$0,$1]) {\n" \
    " for i in $0 { for j in $1 { block B(S vi: $0 = i, S vj: $1 = j) { a = A[" at "] B[vi, vj] = a } } } }\n"
#define XG_COPY_TEXT XG_COPY_NEST("$0,$1", "vi, vj")
#define XG_COPY_TRANS_TEXT XG_COPY_NEST("$1,$0", "vj, vi")
#define XG_COPY_ROW_TEXT \
    "nest copy(A: $1[$0]) -> (B: $1[$0]) {\n" \
    " for j in $0 { block B(S vj: $0 = j) { a = A[vj] B[vj] = a } } }\n"

/* clang-format off */
#define XG_INTRINSICS(X) \
    X(mma_m16n8k8_f16_f32, MMA, "16 8 8 f16 f32") \
    X(mma_m16n8k16_f16_f32, MMA, "16 8 16 f16 f32") \
    X(mma_m16n8k16_f16_f16, MMA_PLAIN, "16 8 16 f16") \
    X(mma_m16n8k8_bf16_f32, MMA, "16 8 8 bf16 f32") \
    X(mma_m16n8k16_bf16_f32, MMA, "16 8 16 bf16 f32") \
    X(mma_m16n8k16_s8_s32, MMA, "16 8 16 s8 s32") \
    X(mma_m16n8k32_s8_s32, MMA, "16 8 32 s8 s32") \
    X(mma_m8n8k4_f64, MMA_PLAIN, "8 8 4 f64") \
    X(fill_16x8_f32, FILL, "16 8 f32") \
    X(fill_16x8_s32, FILL, "16 8 s32") \
    X(ldmatrix_16x16_f16, COPY, "16 16 f16") \
    X(ldmatrix_16x16_bf16, COPY, "16 16 bf16") \
    X(ldmatrix_trans_16x16_f16, COPY_TRANS, "16 16 f16") \
    X(ldmatrix_trans_16x16_bf16, COPY_TRANS, "16 16 bf16") \
    X(stmatrix_16x16_f16, COPY, "16 16 f16") \
    X(store_16x8_f32, COPY, "16 8 f32") \
    X(cp_async_16_f32, COPY_ROW, "4 f32") \
    X(cp_async_16_f16, COPY_ROW, "8 f16") \
    X(cp_async_16_bf16, COPY_ROW, "8 bf16") \
    X(cp_async_16_s8, COPY_ROW, "16 s8")
/* clang-format on */

#endif /* XG_SCHED_INTRINSICS_H */
