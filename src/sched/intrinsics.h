/* sched/intrinsics.h -- THE table of what tensorize knows: machine operations on tiles, each with the nest that is its
 * meaning.
 *
 * X(NAME, TEXT)    TEXT: a nest of one block in loops over the tile; its arrays stand for tiles of any array whose
 * other indices stand still. A block that does the same may be marked as this operation. */
#ifndef XG_SCHED_INTRINSICS_H
#define XG_SCHED_INTRINSICS_H

/* A tile of sums: C[m, n] += A[m, k] * B[n, k], each product of values widened to the type of the sum. */
#define XG_MMA_TEXT(m, n, k, in, sum) \
    "nest mma(A: " in "[" m "," k "], B: " in "[" n "," k "]) -> (C: " sum "[" m "," n "]) {\n" \
    " for i in " m " { for j in " n " { for k in " k " { block C(S vi: " m " = i, S vj: " n " = j, R vk: " k \
    " = k) {\n" \
    "  a = A[vi, vk] b = B[vj, vk] x = " sum "[] convert(a) y = " sum "[] convert(b) m = multiply(x, y)\n" \
    "  C[vi, vj] add= m } } } } }\n"
#define XG_MMA_PLAIN_TEXT(m, n, k, type) \
    "nest mma(A: " type "[" m "," k "], B: " type "[" n "," k "]) -> (C: " type "[" m "," n "]) {\n" \
    " for i in " m " { for j in " n " { for k in " k " { block C(S vi: " m " = i, S vj: " n " = j, R vk: " k \
    " = k) {\n" \
    "  a = A[vi, vk] b = B[vj, vk] m = multiply(a, b)\n" \
    "  C[vi, vj] add= m } } } } }\n"
#define XG_FILL_TEXT(m, n, type) \
    "nest fill(Z: " type "[1]) -> (C: " type "[" m "," n "]) {\n" \
    " for i in " m " { for j in " n " { block C(S vi: " m " = i, S vj: " n " = j) { z = " type "[] constant(0)\n" \
    "  C[vi, vj] = z } } } }\n"
/* Rows of a tile as they lie; or its columns as rows. */
#define XG_COPY_TEXT(m, n, type) \
    "nest copy(A: " type "[" m "," n "]) -> (B: " type "[" m "," n "]) {\n" \
    " for i in " m " { for j in " n " { block B(S vi: " m " = i, S vj: " n \
    " = j) { a = A[vi, vj] B[vi, vj] = a } } } }\n"
#define XG_COPY_TRANS_TEXT(m, n, type) \
    "nest copy(A: " type "[" n "," m "]) -> (B: " type "[" m "," n "]) {\n" \
    " for i in " m " { for j in " n " { block B(S vi: " m " = i, S vj: " n \
    " = j) { a = A[vj, vi] B[vi, vj] = a } } } }\n"
#define XG_COPY_ROW_TEXT(n, type) \
    "nest copy(A: " type "[" n "]) -> (B: " type "[" n "]) {\n" \
    " for j in " n " { block B(S vj: " n " = j) { a = A[vj] B[vj] = a } } }\n"

/* clang-format off */
#define XG_INTRINSICS(X) \
    X(mma_m16n8k8_f16_f32, XG_MMA_TEXT("16", "8", "8", "f16", "f32")) \
    X(mma_m16n8k16_f16_f32, XG_MMA_TEXT("16", "8", "16", "f16", "f32")) \
    X(mma_m16n8k16_f16_f16, XG_MMA_PLAIN_TEXT("16", "8", "16", "f16")) \
    X(mma_m16n8k8_bf16_f32, XG_MMA_TEXT("16", "8", "8", "bf16", "f32")) \
    X(mma_m16n8k16_bf16_f32, XG_MMA_TEXT("16", "8", "16", "bf16", "f32")) \
    X(mma_m16n8k16_s8_s32, XG_MMA_TEXT("16", "8", "16", "s8", "s32")) \
    X(mma_m16n8k32_s8_s32, XG_MMA_TEXT("16", "8", "32", "s8", "s32")) \
    X(mma_m8n8k4_f64, XG_MMA_PLAIN_TEXT("8", "8", "4", "f64")) \
    X(fill_16x8_f32, XG_FILL_TEXT("16", "8", "f32")) \
    X(fill_16x8_s32, XG_FILL_TEXT("16", "8", "s32")) \
    X(ldmatrix_16x16_f16, XG_COPY_TEXT("16", "16", "f16")) \
    X(ldmatrix_16x16_bf16, XG_COPY_TEXT("16", "16", "bf16")) \
    X(ldmatrix_trans_16x16_f16, XG_COPY_TRANS_TEXT("16", "16", "f16")) \
    X(ldmatrix_trans_16x16_bf16, XG_COPY_TRANS_TEXT("16", "16", "bf16")) \
    X(stmatrix_16x16_f16, XG_COPY_TEXT("16", "16", "f16")) \
    X(store_16x8_f32, XG_COPY_TEXT("16", "8", "f32")) \
    X(cp_async_16_f32, XG_COPY_ROW_TEXT("4", "f32")) \
    X(cp_async_16_f16, XG_COPY_ROW_TEXT("8", "f16")) \
    X(cp_async_16_bf16, XG_COPY_ROW_TEXT("8", "bf16")) \
    X(cp_async_16_s8, XG_COPY_ROW_TEXT("16", "s8"))
/* clang-format on */

#endif /* XG_SCHED_INTRINSICS_H */
