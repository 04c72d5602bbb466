// Reductions: shuffles within warps, shared memory between them, one atomic a block; and the largest value with its index.
__device__ int warp_sum(int v) { for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); return v; }
extern "C" __global__ void sum(const int *in, int *out, int n) {
    __shared__ int part[32];
    int v = 0, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (int)(blockDim.x >> 5) ? part[lane] : 0;
        v = warp_sum(v);
        if (lane == 0) atomicAdd(out, v);
    }
}
extern "C" __global__ void argmax(const float *in, int *index, float *value, int n) { // one warp
    float best = -3.4e38f;
    int at = -1;
    for (int i = threadIdx.x; i < n; i += 32) if (in[i] > best) { best = in[i]; at = i; }
    for (int d = 1; d < 32; d <<= 1) {
        float other = __shfl_xor_sync(~0u, best, d);
        int there = __shfl_xor_sync(~0u, at, d);
        if (other > best || (other == best && there < at)) { best = other; at = there; }
    }
    if (threadIdx.x == 0) { *index = at; *value = best; }
}
extern "C" __global__ void votes(const int *in, unsigned *out) { // one warp: what the warp says about its values
    int v = in[threadIdx.x];
    unsigned odd = __ballot_sync(~0u, v & 1), same = __match_any_sync(~0u, v);
    int all = __all_sync(~0u, v >= 0), any = __any_sync(~0u, v == 3);
    out[threadIdx.x] = odd + (same << 1) + all + 2 * any + __popc(same & ((1u << threadIdx.x) - 1));
}
