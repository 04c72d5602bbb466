// A histogram of bytes: counted in shared memory, added to global memory.
extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(&bins[i], local[i]);
}
// The same kind of work with other atomics.
extern "C" __global__ void extremes(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(&out[0], in[i]);
    atomicMax(&out[1], in[i]);
    atomicXor(&out[2], in[i]);
    atomicOr((unsigned *)&out[3], 1u << (in[i] & 31));
    unsigned long long *wide = (unsigned long long *)(out + 4);
    atomicAdd(wide, (unsigned long long)(long long)in[i]);
    unsigned *lock = (unsigned *)(out + 6), old = *(volatile unsigned *)lock, seen; // a compare-and-swap loop
    do { seen = old; old = atomicCAS(lock, seen, seen + (unsigned)in[i] * 3u); } while (old != seen);
}
