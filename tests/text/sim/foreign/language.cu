// What compilers make of the language: structures by value, constant tables, calls, recursion, function pointers, switches, local arrays, doubles, 64-bit division.
struct job { int n, kind[3]; double scale; char tag; };
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counter = 100;
__device__ __noinline__ int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
__device__ __noinline__ double polynomial(double x) { return 1.0 + x * (0.5 + x * 0.25); }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
typedef int (*unary)(int);
__device__ unary functions[2] = {twice, square};
extern "C" __global__ void work(job j, const int *in, double *out, long long *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x, stack[16];
    if (i >= j.n) return;
    x = in[i];
    for (int k = 0; k < 16; k++) stack[k] = x * k + table[k & 7];
    switch (x % 7) {
    case 0: x = gcd(x + 12, 18); break;
    case 1: x = stack[x & 15] + 1; break;
    case 2: x = x << 3 | 1; break;
    case 3: x = __popc(x) + __clz(x) + __brev(x) % 11; break;
    case 4: x = -x; break;
    case 5: x = j.kind[i % 3]; break;
    default: x = stack[(x >> 1) & 15] ^ j.tag;
    }
    out[i] = polynomial(x * j.scale) + functions[i & 1](x % 100);
    wide[i] = ((long long)x * 1000000007LL) / (i + 3) + ((long long)x * 77777LL) % (i + 5);
}
extern "C" __global__ void count(int *out) { atomicAdd(&counter, threadIdx.x); __syncthreads(); if (threadIdx.x == 0) *out = counter; }
// Threads of one warp that wait for each other: needs independent threads.
extern "C" __global__ void locked(int *lock, int *value) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int *)value = *(volatile int *)value * 3 % 1009 + 1;
    __threadfence();
    atomicExch(lock, 0);
}
