/* bench/kernels/kernels.cu -- what bench/sim.c times. The .ptx files beside it are its entries, one a file:
 *     nvcc -ptx -arch=sm_80 --std=c++14 -DONLY=1 kernels.cu -o softmax.ptx     (2: transpose, 3: matmul, 4: reduce, 5: histogram)
 * gelu.ptx is what `xlagpu compile examples/gelu.hlo --emit=ptx --target=sm_90a` prints. */
#if ONLY == 1
extern "C" __global__ void softmax(const float *in, float *out, int columns) { /* a row a block of 256 threads */
    __shared__ float part[8];
    const float *row = in + (size_t)blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += 256) most = fmaxf(most, row[i]);
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    for (int i = 0; i < 8; i++) most = fmaxf(most, part[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += 256) sum += __expf(row[i] - most);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    for (int i = threadIdx.x; i < columns; i += 256) out[(size_t)blockIdx.x * columns + i] = __expf(row[i] - most) / sum;
}
#elif ONLY == 2
extern "C" __global__ void transpose(const float *in, float *out, int n) { /* n by n, a tile of 32 by 32 a block of 32 by 8 threads */
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
#elif ONLY == 3
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) { /* n by n, a tile of 16 by 16 a block */
    __shared__ float x[16][16], y[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        x[threadIdx.y][threadIdx.x] = a[(size_t)row * n + k + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(size_t)(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
        __syncthreads();
    }
    c[(size_t)row * n + column] = sum;
}
#elif ONLY == 4
extern "C" __global__ void reduce(const float *in, float *out, int n) { /* everything into one number */
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
#elif ONLY == 5
extern "C" __global__ void histogram(const unsigned char *in, unsigned *out, int n) { /* of bytes */
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&count[in[i]], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}
#endif
