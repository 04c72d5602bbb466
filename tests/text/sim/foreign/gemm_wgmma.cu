// C[64,n] f32 = A[64,k] bf16 B[n,k]^T bf16 on sm_90a: tensor maps with the 128-byte swizzle, memory barriers, wgmma m64n32k16; a ring of two stages.
#include <cuda.h>
#include <cuda_bf16.h>
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned bar, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void load(unsigned to, const CUtensorMap *map, int x, int y, unsigned bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ unsigned long long descriptor(unsigned at) { return 0x4000004000010000ull | (at >> 4 & 0x3FFF); }
extern "C" __global__ void gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int k) {
    extern __shared__ __align__(1024) unsigned char smem[]; // two stages of A 64 x 64 and B 32 x 64
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    int t = threadIdx.x, tiles = k / 64, col0 = blockIdx.x * 32;
    unsigned base = shared_address(smem);
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(shared_address(&empty[s])));
        }
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    if (t >= 128) { // the producer
        if (t == 128) for (int i = 0; i < tiles; i++) {
            int s = i & 1;
            unsigned bar = shared_address(&full[s]);
            wait(shared_address(&empty[s]), (i >> 1 & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(12288));
            load(base + s * 12288, &a, i * 64, 0, bar);
            load(base + s * 12288 + 8192, &b, i * 64, col0, bar);
        }
        return;
    }
    float d[16];
    for (int i = 0; i < 16; i++) d[i] = 0;
    for (int i = 0; i < tiles; i++) {
        int s = i & 1;
        wait(shared_address(&full[s]), i >> 1 & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int j = 0; j < 4; j++) {
            unsigned long long da = descriptor(base + s * 12288 + j * 32), db = descriptor(base + s * 12288 + 8192 + j * 32);
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %18, 0;"
                "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, p, 1, 1, 0, 0; }"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                : "l"(da), "l"(db), "r"(i + j));
        }
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[s])));
    }
    int row = t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;
    for (int j = 0; j < 4; j++) {
        *(float2 *)&c[row * n + col + j * 8] = make_float2(d[4 * j], d[4 * j + 1]);
        *(float2 *)&c[(row + 8) * n + col + j * 8] = make_float2(d[4 * j + 2], d[4 * j + 3]);
    }
}
