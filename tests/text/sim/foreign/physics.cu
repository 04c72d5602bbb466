// Shared tiles of bodies, a 3-D stencil through asynchronous copies, a transform by butterflies, exact in small integers.
#include <cuda_pipeline.h>
extern "C" __global__ void bodies(const float4 *p, float4 *force, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0), f = make_float4(0, 0, 0, 0);
    for (int base = 0; base < n; base += blockDim.x) {
        if (base + threadIdx.x < n) tile[threadIdx.x] = p[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x && base + k < n; k++) {
            float4 q = tile[k];
            float x = q.x - me.x, y = q.y - me.y, z = q.z - me.z, d = x * x + y * y + z * z;
            float w = d > 50 ? q.w : 0;
            f.x += x * w; f.y += y * w; f.z += z * w; f.w += 1;
        }
        __syncthreads();
    }
    if (i < n) force[i] = f;
}
extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ __align__(16) float plane[3][10][24];
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
    for (int z = -2; z < nz; z++) {
        if (z + 1 >= 0 && z + 1 < nz) for (int r = ty; r < 10; r += 8) for (int c = tx; c < 18; c += 16) {
            int x = x0 + c - 1, y = y0 + r - 1;
            bool inside = x >= 0 && x < nx && y >= 0 && y < ny;
            __pipeline_memcpy_async(&plane[(z + 1) % 3][r][c], in + (inside ? ((z + 1) * ny + y) * nx + x : 0), 4, inside ? 0 : 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        if (z >= 1) {
            float s = -6 * plane[(z - 1) % 3][ty + 1][tx + 1];
            s += plane[(z - 1) % 3][ty][tx + 1] + plane[(z - 1) % 3][ty + 2][tx + 1] + plane[(z - 1) % 3][ty + 1][tx] + plane[(z - 1) % 3][ty + 1][tx + 2];
            s += plane[z % 3][ty + 1][tx + 1];
            if (z >= 2) s += out[((z - 1) * ny + y0 + ty) * nx + x0 + tx];
            out[((z - 1) * ny + y0 + ty) * nx + x0 + tx] = s;
        }
        if (z >= 0 && z + 1 < nz) out[((z + 1) * ny + y0 + ty) * nx + x0 + tx] = plane[z % 3][ty + 1][tx + 1];
        __syncthreads();
    }
}
// The number-theoretic transform of 512 values modulo 12289: butterflies in shared memory and, in the end, shuffles.
__device__ unsigned power(unsigned b, unsigned e) { unsigned r = 1; for (; e; e >>= 1, b = b * b % 12289) if (e & 1) r = r * b % 12289; return r; }
extern "C" __global__ void transform(const unsigned *in, unsigned *out) {
    __shared__ unsigned x[512];
    unsigned t = threadIdx.x;
    x[t] = in[__brev(t) >> 23]; x[t + 256] = in[__brev(t + 256) >> 23];
    for (int m = 1; m < 512; m *= 2) {
        __syncthreads();
        unsigned j = t & (m - 1), i = (t - j) * 2 + j, w = power(power(11, 12288 / 512), 512 / (2 * m) * j), a = x[i], b = x[i + m] * w % 12289;
        x[i] = (a + b) % 12289;
        x[i + m] = (a + 12289 - b) % 12289;
    }
    __syncthreads();
    out[t] = x[t]; out[t + 256] = x[t + 256];
}
