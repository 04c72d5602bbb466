// Sums of windows of 128 values, loaded by a pipeline of three stages of asynchronous copies (sm_75 copies at once).
#include <cuda_pipeline.h>
extern "C" __global__ void windows(const float *in, float *out, int tiles) {
    __shared__ __align__(16) float stage[3][128];
    int t = threadIdx.x; // 32 threads, four values each
    const float *mine = in + blockIdx.x * tiles * 128;
    for (int s = 0; s < 2; s++) {
        if (s < tiles) __pipeline_memcpy_async(&stage[s][t * 4], mine + s * 128 + t * 4, 16);
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; k++) {
        if (k + 2 < tiles) __pipeline_memcpy_async(&stage[(k + 2) % 3][t * 4], mine + (k + 2) * 128 + t * 4, 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncwarp();
        __syncthreads();
        float v = 0;
        for (int i = 0; i < 4; i++) v += stage[k % 3][(t + 32 * i + 1) % 128] * (float)(i + 1);
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
        if (t == 0) out[blockIdx.x * tiles + k] = v;
        __syncthreads();
    }
}
