// C[m,n] = A[m,k] B[k,n] by tiles of 16 in shared memory; sizes need not be multiples.
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float ta[16][16], tb[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        ta[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0.0f;
        tb[y][x] = col < n && t + y < k ? b[(t + y) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
