// C[m,n] f32 = A[m,k] f16 B[n,k]^T f16 with ldmatrix and mma.sync: a block of four warps makes 64 x 32, a warp 16 x 32.
#include <cuda_fp16.h>
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void gemm(const half *a, const half *b, float *c, int n, int k) {
    __shared__ __align__(16) half sa[64][24], sb[32][24];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, row0 = blockIdx.y * 64, col0 = blockIdx.x * 32;
    float d[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *(uint4 *)&sa[t >> 1][(t & 1) * 8] = *(const uint4 *)&a[(row0 + (t >> 1)) * k + k0 + (t & 1) * 8];
        if (t < 64) *(uint4 *)&sb[t >> 1][(t & 1) * 8] = *(const uint4 *)&b[(col0 + (t >> 1)) * k + k0 + (t & 1) * 8];
        __syncthreads();
        unsigned ra[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(shared_address(&sa[warp * 16 + lane % 16][lane / 16 * 8])));
        for (int j = 0; j < 4; j++) {
            unsigned rb[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(shared_address(&sb[j * 8 + lane % 8][(lane / 8) % 2 * 8])));
#if __CUDA_ARCH__ >= 800
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
#else
            for (int h = 0; h < 2; h++)
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3]) : "r"(ra[2 * h]), "r"(ra[2 * h + 1]), "r"(rb[h]));
#endif
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) {
        int row = row0 + warp * 16 + lane / 4, col = col0 + j * 8 + lane % 4 * 2;
        *(float2 *)&c[row * n + col] = make_float2(d[j][0], d[j][1]);
        *(float2 *)&c[(row + 8) * n + col] = make_float2(d[j][2], d[j][3]);
    }
}
