// Atomics on double, half2 and by compare-and-swap; references, orders and barriers of libcu++.
#include <cuda_fp16.h>
#include <cuda/atomic>
#include <cuda/barrier>
extern "C" __global__ void atomics(double *sum, __half2 *pairs, float *most, unsigned long long *bits, int *ticket) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, i * 0.5);
    atomicAdd(&pairs[i & 3], __floats2half2_rn(1, 2));
    int *m = (int *)most, old = *(volatile int *)m, seen;
    do { seen = old; if (__int_as_float(seen) >= (i * 37) % 101) break; old = atomicCAS(m, seen, __float_as_int((float)((i * 37) % 101))); } while (old != seen);
    atomicOr(bits, 1ull << (i & 63));
    cuda::atomic_ref<int, cuda::thread_scope_device> t(*ticket);
    t.fetch_add(2, cuda::memory_order_acq_rel);
    t.fetch_max(5);
}
extern "C" __global__ void phases(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int row[64];
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    int x = in[threadIdx.x];
    for (int k = 0; k < 5; k++) {
        row[threadIdx.x] = x;
        b.arrive_and_wait();
        x = x * 3 + row[(threadIdx.x + 7) & 63];
        b.wait(b.arrive());
    }
    out[threadIdx.x] = x;
}
