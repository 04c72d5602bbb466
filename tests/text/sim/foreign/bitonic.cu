// Bitonic sort of 1024 keys in one block.
extern "C" __global__ void sort(unsigned *keys) {
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x;
    s[t] = keys[t]; s[t + 512] = keys[t + 512];
    __syncthreads();
    for (unsigned size = 2; size <= 1024; size <<= 1)
        for (unsigned step = size >> 1; step; step >>= 1) {
            unsigned i = 2 * t - (t & (step - 1)), j = i + step;
            bool up = !(i & size);
            unsigned a = s[i], b = s[j];
            if ((a > b) == up) { s[i] = b; s[j] = a; }
            __syncthreads();
        }
    keys[t] = s[t]; keys[t + 512] = s[t + 512];
}
