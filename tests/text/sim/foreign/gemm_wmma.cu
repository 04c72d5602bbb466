// C[m,n] f32 = A[m,k] f16 B[k,n] f16 by the wmma API, a warp makes 16 x 16; and the same of bytes.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void gemm(const half *a, const half *b, float *c, int n, int k) {
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + col, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] * 2.0f + 1.0f;
    wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}
extern "C" __global__ void gemm_bytes(const signed char *a, const signed char *b, int *c, int n, int k) { // B has contiguous columns; m32n8k16
    int row = blockIdx.y * 32, col = blockIdx.x * 8;
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + col * k + i, k);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + col * 96 + row, fc, 96, wmma::mem_col_major); // 96 rows: the result is transposed
}
